//! The actions that the checker explores.

/// An action of one of the sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SideAction {
    /// The index of the side.
    pub side: usize,
    /// The action of the side.
    pub action: Action,
}

/// An action that a side of the link may take next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// The host posts a message with this number of units.
    Post(u8),
    /// The dispatcher runs a thread.
    Step,
    /// The host engine moves a unit.
    MoveHost,
    /// A unit, or the end of a packet, crosses to the other side.
    Cross,
}
