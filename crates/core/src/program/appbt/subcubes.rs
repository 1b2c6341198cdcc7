//! The points of each processor: "a cube divided into subcubes among processors" (Mukherjee and Hill, §5.2).

use super::gas::Gas;
use std::ops::Range;

/// The division of a cube into subcubes.
#[derive(Clone, Debug)]
pub struct Subcubes {
    points: usize,
    /// Number of subcubes along each axis.
    shape: [usize; 3],
}

/// The points of a processor.
#[derive(Clone, Debug)]
pub struct Subcube {
    /// Index of the subcube along each axis.
    pub at: [usize; 3],
    /// Range of its points along each axis.
    pub points: [Range<usize>; 3],
    /// Range of its points that are not on the surface, along each axis.
    pub inner: [Range<usize>; 3],
}

impl Subcubes {
    /// Divides a cube into one subcube for each processor, so that their surface is least. Returns `None` if there are
    /// too few points. 16 processors have 4 × 2 × 2 subcubes.
    pub fn new(gas: &Gas, processors: usize) -> Option<Subcubes> {
        let divisors =
            |number: usize| (1..=number.min(gas.points)).filter(move |divisor| number.is_multiple_of(*divisor));
        let shapes =
            divisors(processors).flat_map(|z| divisors(processors / z).map(move |y| [processors / z / y, y, z]));
        let fitting = shapes.filter(|[x, y, z]| x >= y && y >= z && *x <= gas.points);
        // The surface grows with the number of planes that cut the cube, since all planes have the same number of
        // points.
        let shape = fitting.min_by_key(|shape| shape.iter().sum::<usize>())?;
        Some(Subcubes { points: gas.points, shape })
    }

    /// Returns the number of subcubes along each axis.
    #[cfg(test)]
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Returns the subcube of a processor.
    pub fn subcube_of(&self, processor: usize) -> Subcube {
        let [_, y, z] = self.shape;
        let at = [processor / (y * z), processor / z % y, processor % z];
        let bound = |axis: usize, index: usize| index * self.points / self.shape[axis];
        let points = [0, 1, 2].map(|axis| bound(axis, at[axis])..bound(axis, at[axis] + 1));
        let inner = points.clone().map(|range| {
            let (begin, end) = (range.start.max(1), range.end.min(self.points - 1));
            begin..end.max(begin)
        });
        Subcube { at, points, inner }
    }

    /// Returns the processor before a subcube along an axis, and the one after it.
    pub fn neighbours(&self, subcube: &Subcube, axis: usize) -> [Option<usize>; 2] {
        let moved = |to: Option<usize>| {
            let mut at = subcube.at;
            at[axis] = to.filter(|to| *to < self.shape[axis])?;
            Some((at[0] * self.shape[1] + at[1]) * self.shape[2] + at[2])
        };
        [moved(subcube.at[axis].checked_sub(1)), moved(Some(subcube.at[axis] + 1))]
    }

    /// Returns the processor of a point, and the index of the point among the points of that processor.
    pub fn owner(&self, at: [usize; 3]) -> (usize, usize) {
        let index = [0, 1, 2].map(|axis| ((at[axis] + 1) * self.shape[axis] - 1) / self.points);
        let processor = (index[0] * self.shape[1] + index[1]) * self.shape[2] + index[2];
        let points = self.subcube_of(processor).points;
        let [x, y, z] = [0, 1, 2].map(|axis| at[axis] - points[axis].start);
        (processor, (x * points[1].len() + y) * points[2].len() + z)
    }
}

impl Subcube {
    /// Returns the numbers of the subcube's inner points.
    pub fn inner_points<'a>(&'a self, gas: &'a Gas) -> impl Iterator<Item = usize> + 'a {
        let rows = self.inner[0].clone().flat_map(|x| self.inner[1].clone().map(move |y| [x, y]));
        rows.flat_map(move |[x, y]| self.inner[2].clone().map(move |z| gas.point([x, y, z])))
    }

    /// Returns the number of chunks of a sweep along an axis.
    pub fn chunks(&self, axis: usize) -> usize {
        self.inner[crossing(axis)[0]].len()
    }

    /// Returns the lines of a chunk. Each is represented by the number of the point at which it would enter the cube.
    pub fn lines(&self, gas: &Gas, axis: usize, chunk: usize) -> impl Iterator<Item = usize> + use<> {
        let [slow, fast] = crossing(axis);
        let (row, strides) = (self.inner[slow].start + chunk, [gas.stride(slow), gas.stride(fast)]);
        self.inner[fast].clone().map(move |index| row * strides[0] + index * strides[1])
    }

    /// Returns the inner points of a line, each with its number and its index along the axis.
    pub fn line_points(
        &self,
        gas: &Gas,
        axis: usize,
        line: usize,
    ) -> impl DoubleEndedIterator<Item = (usize, usize)> + use<> {
        let stride = gas.stride(axis);
        self.inner[axis].clone().map(move |index| (line + index * stride, index))
    }
}

/// Returns the other two axes.
fn crossing(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}
