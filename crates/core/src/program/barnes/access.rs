//! The accesses of the program to shared memory, each to one portion of a body or cell, and the number of instructions
//! after each access.
//!
//! Bodies are stored in one array in the order of their numbers, and cells in one array for each processor, which holds
//! the cells that the processor created.

/// Bytes of a body: its mass, position, velocity, acceleration, potential and cost.
pub const BODY_BYTES: u32 = 96;
/// Bytes of a cell: its head, slots, mass, centre and cost.
pub const CELL_BYTES: u32 = 80;
/// Bytes of one load or store of shared memory. An access to a longer portion consists of several.
pub const WORD_BYTES: u32 = 8;

/// The part of a body or a cell that is read or written in one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Portion {
    /// A body's mass and position.
    BodyMassAndPosition,
    /// A body's velocity.
    BodyVelocity,
    /// A body's acceleration and potential.
    BodyForce,
    /// A body's cost.
    BodyCost,
    /// Whether a cell is divided, its number of bodies, and whether its moments are computed.
    CellHead,
    /// All slots of a cell.
    CellSlots,
    /// The slot of an octant, and the other slot in the same word.
    CellSlot(u8),
    /// A cell's mass and centre.
    CellMassAndCentre,
    /// A cell's cost: the sum of the costs of its bodies.
    CellCost,
}

impl Portion {
    /// All portions of a body.
    pub const BODY: [Portion; 4] =
        [Portion::BodyMassAndPosition, Portion::BodyVelocity, Portion::BodyForce, Portion::BodyCost];

    /// Returns the offset of the portion in its body or cell and its length, both in bytes and multiples of a word.
    pub const fn offset_and_length(self) -> (u32, u32) {
        match self {
            Portion::BodyMassAndPosition => (0, 32),
            Portion::BodyVelocity => (32, 24),
            Portion::BodyForce => (56, 32),
            Portion::BodyCost => (88, 8),
            Portion::CellHead => (0, 8),
            Portion::CellSlots => (8, 32),
            Portion::CellSlot(octant) => (8 + octant as u32 / 2 * WORD_BYTES, WORD_BYTES),
            Portion::CellMassAndCentre => (40, 32),
            Portion::CellCost => (72, 8),
        }
    }

    /// Returns whether the portion belongs to a body, and not to a cell.
    pub const fn is_of_body(self) -> bool {
        matches!(self, Portion::BodyMassAndPosition | Portion::BodyVelocity | Portion::BodyForce | Portion::BodyCost)
    }
}

/// An access to shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The portion accessed.
    pub portion: Portion,
    /// Whether the access is a write.
    pub is_write: bool,
    /// Number of instructions that are executed after the access.
    pub instructions: u8,
    /// The number of the body or cell.
    pub number: u32,
}

impl Access {
    /// Returns a read.
    pub const fn read(portion: Portion, number: u32) -> Access {
        Access { portion, is_write: false, instructions: 0, number }
    }

    /// Returns a write.
    pub const fn write(portion: Portion, number: u32) -> Access {
        Access { portion, is_write: true, instructions: 0, number }
    }

    /// Returns the access, followed by `instructions` instructions.
    pub const fn followed_by(self, instructions: u64) -> Access {
        assert!(instructions <= u8::MAX as u64, "more than 255 instructions between two accesses");
        Access { instructions: instructions as u8, ..self }
    }
}
