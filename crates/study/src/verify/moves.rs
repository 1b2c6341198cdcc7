//! The actions that the checker explores: who acts, and how.

/// An action of one of the sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// Index of the side.
    pub side: usize,
    /// Its action.
    pub what: Action,
}

/// An action that a side of the link may take next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// A message of so many units is posted.
    Post(u8),
    /// Its dispatcher runs a thread.
    Step,
    /// Its host engine moves a unit.
    MoveHost,
    /// A unit, or a packet's end, leaves it and comes to the other.
    Cross,
}
