//! A molecule: its flight through the box, and its eight words.

/// A molecule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Molecule {
    /// Its number, which no other has.
    pub number: u32,
    /// The cell it is in.
    pub cell: u32,
    /// Where it is, in edges of a cell.
    pub position: [f32; 3],
    /// How far it flies in a step.
    pub velocity: [f32; 3],
}

impl Molecule {
    /// As it travels: 32 bytes.
    pub fn words(&self) -> [u32; 8] {
        let [x, y, z] = self.position.map(f32::to_bits);
        let [u, v, w] = self.velocity.map(f32::to_bits);
        [self.number, self.cell, x, y, z, u, v, w]
    }

    /// As it came.
    pub fn of(words: [u32; 8]) -> Molecule {
        let [number, cell, x, y, z, u, v, w] = words;
        let (position, velocity) = ([x, y, z].map(f32::from_bits), [u, v, w].map(f32::from_bits));
        Molecule { number, cell, position, velocity }
    }

    /// Flies for a step in a box of so many cells.
    pub(super) fn fly(&mut self, cells: [usize; 3]) {
        for (axis, length) in cells.map(|count| count as f32).into_iter().enumerate() {
            let at = self.position[axis] + self.velocity[axis];
            self.position[axis] = match (0.0..length).contains(&at) {
                true => at,
                false if axis == 0 => round(at, length),
                false => self.reflected(axis, at, length),
            };
        }
        self.cell = cell(self.position, cells);
    }

    /// Where walls at 0 and `length` send it back to.
    fn reflected(&mut self, axis: usize, at: f32, length: f32) -> f32 {
        let there_and_back = round(at, 2.0 * length);
        if there_and_back < length {
            return there_and_back;
        }
        self.velocity[axis] = -self.velocity[axis];
        // What is at the wall is still inside.
        (2.0 * length - there_and_back).min(length.next_down())
    }
}

/// The place round a circle; what rounding would put at its end is at its beginning.
fn round(at: f32, length: f32) -> f32 {
    let at = at.rem_euclid(length);
    if at < length { at } else { 0.0 }
}

/// The cell of a place in the box.
pub(super) fn cell(position: [f32; 3], cells: [usize; 3]) -> u32 {
    let [x, y, z] = position.map(|along| along as usize);
    ((z * cells[1] + y) * cells[0] + x) as u32
}
