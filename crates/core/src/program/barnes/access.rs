//! What a piece reads and writes of shared memory, portion by portion, and what it computes between.
//!
//! Bodies are an array in the order of their numbers; cells are arrays of the processors that made them.

/// Bytes of a body: mass, position, velocity, acceleration, potential, cost.
pub const BODY_BYTES: u32 = 96;
/// Bytes of a cell: head, slots, mass, centre, cost.
pub const CELL_BYTES: u32 = 80;
/// Bytes of shared memory that an access moves at once.
pub const WORD_BYTES: u32 = 8;

/// What of a body or of a cell is read or written at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Portion {
    /// A body's mass and position.
    BodyMoment,
    /// Its velocity.
    BodyVelocity,
    /// Its acceleration and potential.
    BodyForce,
    /// Its cost.
    BodyCost,
    /// What a cell is, how many bodies it has, whether its moments are made.
    CellHead,
    /// All its slots.
    CellSlots,
    /// The one of an octant, and its neighbour in a word.
    CellSlot(u8),
    /// Its mass and centre.
    CellMoment,
    /// The sum of costs.
    CellCost,
}

impl Portion {
    /// All of a body.
    pub const BODY: [Portion; 4] = [Portion::BodyMoment, Portion::BodyVelocity, Portion::BodyForce, Portion::BodyCost];

    /// Where it begins, and how many bytes it is of: whole words.
    pub const fn range(self) -> (u32, u32) {
        match self {
            Portion::BodyMoment => (0, 32),
            Portion::BodyVelocity => (32, 24),
            Portion::BodyForce => (56, 32),
            Portion::BodyCost => (88, 8),
            Portion::CellHead => (0, 8),
            Portion::CellSlots => (8, 32),
            Portion::CellSlot(octant) => (8 + octant as u32 / 2 * WORD_BYTES, WORD_BYTES),
            Portion::CellMoment => (40, 32),
            Portion::CellCost => (72, 8),
        }
    }

    /// Whether it is of a body; else it is of a cell.
    pub const fn is_of_body(self) -> bool {
        matches!(self, Portion::BodyMoment | Portion::BodyVelocity | Portion::BodyForce | Portion::BodyCost)
    }
}

/// An access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Of what.
    pub portion: Portion,
    /// Whether it is written.
    pub is_write: bool,
    /// What is computed after it.
    pub instructions: u8,
    /// The number of the body or cell.
    pub number: u32,
}

impl Access {
    /// It is read.
    pub const fn read(portion: Portion, number: u32) -> Access {
        Access { portion, is_write: false, instructions: 0, number }
    }

    /// It is written.
    pub const fn write(portion: Portion, number: u32) -> Access {
        Access { portion, is_write: true, instructions: 0, number }
    }

    /// So many instructions follow.
    pub const fn then(self, instructions: u64) -> Access {
        assert!(instructions <= u8::MAX as u64, "a piece computes little between two accesses");
        Access { instructions: instructions as u8, ..self }
    }
}
