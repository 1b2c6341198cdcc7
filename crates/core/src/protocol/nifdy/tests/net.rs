//! A few units and the network between them. The network delivers in any order, after any delay: a test decides when
//! each frame in transit arrives.

use super::super::*;
use crate::engine::{NodeId, Time};

pub const A: NodeId = NodeId(0);
pub const B: NodeId = NodeId(1);
pub const C: NodeId = NodeId(2);
pub const D: NodeId = NodeId(3);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Net<T> {
    pub units: Vec<NifdyUnit<T>>,
    /// Number of slots of each arrivals FIFO that the network knows to be free.
    pub free_slots: Vec<u16>,
    /// Frames in transit, in the order in which they were sent.
    pub transit: Vec<NifdyFrame<T>>,
}

/// Returns small parameters without extensions.
pub fn parameters() -> UnitParameters {
    UnitParameters { outstanding: 2, pool: 4, dialogs: 1, window: 4, arrivals: 2, ..UnitParameters::default() }
}

pub fn no_bulk() -> UnitParameters {
    UnitParameters { dialogs: 0, ..parameters() }
}

/// Returns a packet of a long message.
pub fn long<T>(destination: NodeId, body: T) -> OutgoingPacket<T> {
    OutgoingPacket { bulk_request: true, ..OutgoingPacket::new(destination, body) }
}

/// Returns the last packet of a long message.
pub fn last_of_message<T>(destination: NodeId, body: T) -> OutgoingPacket<T> {
    OutgoingPacket { bulk_exit: true, ..long(destination, body) }
}

pub fn answer<T>(destination: NodeId, body: T) -> OutgoingPacket<T> {
    OutgoingPacket { answers: true, ..OutgoingPacket::new(destination, body) }
}

pub fn bypass<T>(destination: NodeId, body: T) -> OutgoingPacket<T> {
    OutgoingPacket { acknowledged: false, ..OutgoingPacket::new(destination, body) }
}

impl<T: Clone + PartialEq + std::fmt::Debug> Net<T> {
    pub fn new(nodes: u32, parameters: &UnitParameters) -> Net<T> {
        let units = NodeId::all(nodes as usize).map(|node| NifdyUnit::new(node, parameters)).collect();
        Net { units, free_slots: vec![parameters.arrivals; nodes as usize], transit: Vec::new() }
    }

    pub fn unit(&mut self, node: NodeId) -> &mut NifdyUnit<T> {
        &mut self.units[node.index()]
    }

    #[track_caller]
    pub fn offer(&mut self, node: NodeId, packet: OutgoingPacket<T>) {
        self.unit(node).offer(packet).expect("the pool has a free buffer");
    }

    /// Sends one frame of `node`.
    pub fn depart(&mut self, node: NodeId) -> Option<NifdyFrame<T>> {
        let frame = self.unit(node).next(Time::ZERO)?;
        self.transit.push(frame.clone());
        Some(frame)
    }

    /// Sends all frames of `node` that may leave now. Returns their bodies, `None` for a header alone.
    pub fn leave_all(&mut self, node: NodeId) -> Vec<Option<T>> {
        std::iter::from_fn(|| self.depart(node)).map(|frame| frame.body).collect()
    }

    /// Returns whether a frame in transit need not wait for a slot.
    pub fn can_arrive(&self, index: usize) -> bool {
        let frame = &self.transit[index];
        !frame.needs_slot() || self.free_slots[frame.destination.index()] > 0
    }

    pub fn arrive(&mut self, index: usize) {
        assert!(self.can_arrive(index));
        let frame = self.transit.remove(index);
        let node = frame.destination.index();
        self.free_slots[node] -= u16::from(frame.needs_slot());
        self.free_slots[node] += u16::from(self.units[node].arrive(frame));
    }

    /// Delivers all frames in transit to `node` that can arrive, in the order in which they were sent.
    pub fn arrive_all(&mut self, node: NodeId) {
        while let Some(index) =
            (0..self.transit.len()).find(|&n| self.transit[n].destination == node && self.can_arrive(n))
        {
            self.arrive(index);
        }
    }

    pub fn accept(&mut self, node: NodeId, answer: Answer) -> Option<(NodeId, T)> {
        let Delivered { source, body, frees_slot } = self.unit(node).accept(answer)?;
        self.free_slots[node.index()] += u16::from(frees_slot);
        Some((source, body))
    }

    /// Accepts all packets that the processor of `node` may accept, and returns them.
    pub fn accept_all(&mut self, node: NodeId) -> Vec<(NodeId, T)> {
        std::iter::from_fn(|| self.accept(node, Answer::None)).collect()
    }

    /// Lets all nodes except those in `ignore` send, carry and accept packets, until no step is possible. Returns the
    /// delivered packets as (source, destination, body).
    pub fn run_until_idle(&mut self, ignore: &[NodeId]) -> Vec<(NodeId, NodeId, T)> {
        let mut delivered = Vec::new();
        loop {
            let counts_before = (self.transit.len(), delivered.len());
            let mut departures = 0;
            for node in NodeId::all(self.units.len()) {
                departures += self.leave_all(node).len();
                self.arrive_all(node);
                if !ignore.contains(&node) {
                    delivered.extend(self.accept_all(node).into_iter().map(|(source, body)| (source, node, body)));
                }
            }
            self.check();
            if departures == 0 && counts_before == (self.transit.len(), delivered.len()) {
                return delivered;
            }
        }
    }

    pub fn check(&self) {
        self.units.iter().for_each(NifdyUnit::check);
    }

    pub fn is_idle(&self) -> bool {
        self.transit.is_empty() && self.units.iter().all(NifdyUnit::is_idle)
    }
}
