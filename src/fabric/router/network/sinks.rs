//! Sinks: a node's interface takes each flit as it comes, and its slot's credit goes back.

use super::cycle::Shared;
use super::packets::Flit;
use crate::fabric::router::{Event, EventKind};

impl<const P: usize, const C: usize> Shared<P, C> {
    /// A flit arrives behind an output channel.
    #[inline]
    pub(super) fn arrive_at_node(&mut self, now: u64, output: u32, flit: Flit) {
        self.credits_of_nodes.push(output);
        self.counts.delivered_flits += 1;
        if !flit.is_header() && !flit.is_tail() {
            return;
        }
        let packet = self.packets.get(flit.slot());
        let (node, network, tag) = (packet.destination, packet.network, packet.tag);
        assert_eq!(node, self.nodes[output as usize / C], "a packet arrives where it goes to");
        if flit.is_header() {
            self.events.push(Event { cycle: now, node, network, tag, kind: EventKind::Header });
        }
        if flit.is_tail() {
            self.events.push(Event { cycle: now, node, network, tag, kind: EventKind::Delivered });
            self.packets.remove(flit.slot());
            self.counts.delivered += 1;
        }
    }
}
