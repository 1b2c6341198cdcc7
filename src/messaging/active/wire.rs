//! What an end of active messages needs of what joins the ends.

use super::{Interfaces, Packet, Received};
use crate::engine::{Signal, Time};
use crate::ni::nifdy::Shared;

/// A packet that a processor took.
pub(super) struct Taken {
    pub received: Received,
    /// What the interface knows of it, and the logical network it came by.
    pub body: Option<(Shared, u8)>,
}

/// Whether the handler of a packet answers its sender.
pub(super) type Answering<'a> = &'a dyn Fn(u8) -> bool;

/// What joins the ends.
pub(super) trait Wire {
    /// How many ends there are.
    fn nodes(&self) -> usize;

    /// Puts a packet that was begun at `begun` into the interface; false if that has no room.
    fn put(&self, from: usize, packet: &Packet, begun: Time) -> bool;

    /// Takes the next packet that has arrived.
    fn take(&self, node: usize, answering: Answering<'_>) -> Option<Taken>;

    /// Whether a packet waits to be taken.
    fn has_arrived(&self, node: usize) -> bool;

    /// The packet that was taken last from a logical network has been read.
    fn release(&self, _node: usize, _network: u8) {}

    /// Packets for a node that are under way, or have arrived and that it has not taken.
    fn pending(&self, node: usize) -> u64;

    /// Tells of arrivals at a node, and of room in its interface.
    fn attention(&self, node: usize) -> &Signal;

    /// When something is known to change for a node, without its being told of.
    fn next_change(&self, _node: usize) -> Time {
        Time::MAX
    }

    /// The interfaces, if there are any.
    fn interfaces(&self) -> Option<&Interfaces> {
        None
    }
}
