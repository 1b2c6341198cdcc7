//! The delivery of whole packets: it calls the listener of each node, and counts the packets that entered, arrived and
//! were dropped.
//!
//! The module does not determine the time at which a packet arrives; the fabric or its adapter does.

use super::packet::Packet;
use super::port::{FabricEvent, Listener};
use crate::engine::NodeId;
use std::cell::{Cell, RefCell};
use std::ops::Add;
use std::rc::Rc;

/// The numbers of whole packets that entered a fabric, were delivered and were dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PacketCounts {
    /// Packets that entered.
    pub injected: u64,
    /// Packets whose destinations were notified.
    pub delivered: u64,
    /// Packets that were dropped inside the fabric.
    pub dropped: u64,
}

impl PacketCounts {
    /// Returns the number of packets that have entered and neither arrived nor been dropped.
    pub fn in_flight(&self) -> u64 {
        self.injected - self.delivered - self.dropped
    }
}

impl Add for PacketCounts {
    type Output = PacketCounts;

    fn add(self, other: PacketCounts) -> PacketCounts {
        PacketCounts {
            injected: self.injected + other.injected,
            delivered: self.delivered + other.delivered,
            dropped: self.dropped + other.dropped,
        }
    }
}

/// The listener of each node, and the counts of packets.
#[derive(Default)]
pub struct DeliveryHub {
    listeners: RefCell<Vec<Option<Listener>>>,
    counts: Cell<PacketCounts>,
}

impl DeliveryHub {
    /// Registers the listener of a node.
    ///
    /// # Panics
    ///
    /// Panics if the node already has a listener.
    pub fn attach(&self, node: NodeId, listener: Listener) {
        let mut listeners = self.listeners.borrow_mut();
        if listeners.len() <= node.index() {
            listeners.resize_with(node.index() + 1, || None);
        }
        assert!(listeners[node.index()].is_none(), "{node} already has a listener");
        listeners[node.index()] = Some(listener);
    }

    /// Notifies the listener of `node`, if there is one.
    pub fn notify(&self, node: NodeId, event: FabricEvent) {
        if let Some(Some(listener)) = self.listeners.borrow().get(node.index()) {
            listener(event);
        }
    }

    /// Delivers a packet whose last byte has arrived and for which no [`FabricEvent::HeaderArrived`] was reported.
    pub fn deliver(&self, packet: Rc<Packet>) {
        let node = packet.label().destination;
        packet.set_whole();
        self.count(|counts| counts.delivered += 1);
        self.notify(node, FabricEvent::PacketArrived(packet));
    }

    /// Counts a dropped packet and notifies its sender.
    pub fn report_drop(&self, packet: Rc<Packet>) {
        self.count(|counts| counts.dropped += 1);
        self.notify(packet.label().source, FabricEvent::Dropped(packet));
    }

    /// Calls `change` to change the counts.
    pub fn count(&self, change: impl FnOnce(&mut PacketCounts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    /// Returns the counts.
    pub fn counts(&self) -> PacketCounts {
        self.counts.get()
    }
}
