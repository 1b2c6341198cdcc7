//! A molecule: its movement through the box, and its encoding in eight words.

/// A molecule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Molecule {
    /// Unique number.
    pub number: u32,
    /// Number of the cell that contains the molecule.
    pub cell: u32,
    /// Position, in units of the edge of a cell.
    pub position: [f32; 3],
    /// Velocity, in edges of a cell per step.
    pub velocity: [f32; 3],
}

impl Molecule {
    /// Returns the encoding of the molecule in a message: 32 bytes.
    pub fn words(&self) -> [u32; 8] {
        let [x, y, z] = self.position.map(f32::to_bits);
        let [u, v, w] = self.velocity.map(f32::to_bits);
        [self.number, self.cell, x, y, z, u, v, w]
    }

    /// Returns the molecule that eight words encode.
    pub fn from_words(words: [u32; 8]) -> Molecule {
        let [number, cell, x, y, z, u, v, w] = words;
        let (position, velocity) = ([x, y, z].map(f32::from_bits), [u, v, w].map(f32::from_bits));
        Molecule { number, cell, position, velocity }
    }

    /// Moves the molecule for one step in a box of `cells` cells.
    pub(super) fn advance(&mut self, cells: [usize; 3]) {
        for (axis, length) in cells.map(|count| count as f32).into_iter().enumerate() {
            let coordinate = self.position[axis] + self.velocity[axis];
            self.position[axis] = match (0.0..length).contains(&coordinate) {
                true => coordinate,
                false if axis == 0 => wrapped(coordinate, length),
                false => self.reflected(axis, coordinate, length),
            };
        }
        self.cell = cell_at(self.position, cells);
    }

    /// Returns the coordinate after reflections at the walls at 0 and `length`. Reverses the velocity along `axis` if
    /// the number of reflections is odd.
    fn reflected(&mut self, axis: usize, coordinate: f32, length: f32) -> f32 {
        let unfolded = wrapped(coordinate, 2.0 * length);
        if unfolded < length {
            return unfolded;
        }
        self.velocity[axis] = -self.velocity[axis];
        // A molecule at the wall is still inside.
        (2.0 * length - unfolded).min(length.next_down())
    }
}

/// Returns the coordinate modulo `length`. It is always less than `length`, even after rounding.
fn wrapped(coordinate: f32, length: f32) -> f32 {
    let coordinate = coordinate.rem_euclid(length);
    if coordinate < length { coordinate } else { 0.0 }
}

/// Returns the number of the cell at a position in the box.
pub(super) fn cell_at(position: [f32; 3], cells: [usize; 3]) -> u32 {
    let [x, y, z] = position.map(|coordinate| coordinate as usize);
    ((z * cells[1] + y) * cells[0] + x) as u32
}
