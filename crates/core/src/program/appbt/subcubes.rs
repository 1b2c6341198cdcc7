//! The points of each processor: "a cube divided into subcubes among processors" (Mukherjee and Hill, §5.2).

use super::gas::Gas;
use std::ops::Range;

/// The division of a cube into subcubes.
#[derive(Clone, Debug)]
pub struct Subcubes {
    points_per_side: usize,
    /// Number of subcubes along each axis.
    shape: [usize; 3],
}

/// The points of a processor.
#[derive(Clone, Debug)]
pub struct Subcube {
    /// Index of the subcube along each axis.
    pub indices: [usize; 3],
    /// Range of its points along each axis.
    pub point_ranges: [Range<usize>; 3],
    /// Range of its points that are not on the surface, along each axis.
    pub inner_ranges: [Range<usize>; 3],
}

impl Subcubes {
    /// Divides a cube into one subcube for each processor, so that the total surface of the subcubes is minimal.
    /// Returns `None` if there are too few points. 16 processors have 4 × 2 × 2 subcubes.
    pub fn new(gas: &Gas, processors: usize) -> Option<Subcubes> {
        let divisors = |number: usize| {
            (1..=number.min(gas.points_per_side)).filter(move |divisor| number.is_multiple_of(*divisor))
        };
        let shapes =
            divisors(processors).flat_map(|z| divisors(processors / z).map(move |y| [processors / z / y, y, z]));
        let candidates = shapes.filter(|[x, y, z]| x >= y && y >= z && *x <= gas.points_per_side);
        // The surface grows with the number of planes that cut the cube, since all planes have the same number of
        // points.
        let shape = candidates.min_by_key(|shape| shape.iter().sum::<usize>())?;
        Some(Subcubes { points_per_side: gas.points_per_side, shape })
    }

    /// Returns the number of subcubes along each axis.
    #[cfg(test)]
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Returns the subcube of a processor.
    pub fn subcube_of(&self, processor: usize) -> Subcube {
        let [_, y, z] = self.shape;
        let indices = [processor / (y * z), processor / z % y, processor % z];
        let bound = |axis: usize, index: usize| index * self.points_per_side / self.shape[axis];
        let point_ranges = [0, 1, 2].map(|axis| bound(axis, indices[axis])..bound(axis, indices[axis] + 1));
        let inner_ranges = point_ranges.clone().map(|range| {
            let (begin, end) = (range.start.max(1), range.end.min(self.points_per_side - 1));
            begin..end.max(begin)
        });
        Subcube { indices, point_ranges, inner_ranges }
    }

    /// Returns the processor before a subcube along an axis, and the one after it.
    pub fn neighbours(&self, subcube: &Subcube, axis: usize) -> [Option<usize>; 2] {
        let processor_at = |index: Option<usize>| {
            let mut indices = subcube.indices;
            indices[axis] = index.filter(|index| *index < self.shape[axis])?;
            Some((indices[0] * self.shape[1] + indices[1]) * self.shape[2] + indices[2])
        };
        [processor_at(subcube.indices[axis].checked_sub(1)), processor_at(Some(subcube.indices[axis] + 1))]
    }

    /// Returns the processor of a point, and the index of the point among the points of that processor.
    pub fn owner_and_index(&self, indices: [usize; 3]) -> (usize, usize) {
        let index = [0, 1, 2].map(|axis| ((indices[axis] + 1) * self.shape[axis] - 1) / self.points_per_side);
        let processor = (index[0] * self.shape[1] + index[1]) * self.shape[2] + index[2];
        let ranges = self.subcube_of(processor).point_ranges;
        let [x, y, z] = [0, 1, 2].map(|axis| indices[axis] - ranges[axis].start);
        (processor, (x * ranges[1].len() + y) * ranges[2].len() + z)
    }
}

impl Subcube {
    /// Returns the numbers of the subcube's inner points.
    pub fn inner_points<'a>(&'a self, gas: &'a Gas) -> impl Iterator<Item = usize> + 'a {
        let rows = self.inner_ranges[0].clone().flat_map(|x| self.inner_ranges[1].clone().map(move |y| [x, y]));
        rows.flat_map(move |[x, y]| self.inner_ranges[2].clone().map(move |z| gas.point([x, y, z])))
    }

    /// Returns the number of chunks of a sweep along an axis.
    pub fn chunks(&self, axis: usize) -> usize {
        self.inner_ranges[other_axes(axis)[0]].len()
    }

    /// Returns the lines of a chunk. A line is represented by the number of its point with index 0 along the axis.
    pub fn lines(&self, gas: &Gas, axis: usize, chunk: usize) -> impl Iterator<Item = usize> + use<> {
        let [slow_axis, fast_axis] = other_axes(axis);
        let (row, strides) =
            (self.inner_ranges[slow_axis].start + chunk, [gas.stride(slow_axis), gas.stride(fast_axis)]);
        self.inner_ranges[fast_axis].clone().map(move |index| row * strides[0] + index * strides[1])
    }

    /// Returns the inner points of a line, each with its number and its index along the axis.
    pub fn line_points(
        &self,
        gas: &Gas,
        axis: usize,
        line: usize,
    ) -> impl DoubleEndedIterator<Item = (usize, usize)> + use<> {
        let stride = gas.stride(axis);
        self.inner_ranges[axis].clone().map(move |index| (line + index * stride, index))
    }
}

/// Returns the other two axes.
fn other_axes(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}
