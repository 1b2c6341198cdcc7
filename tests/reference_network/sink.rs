//! A node's interface, which receives flits from the network, and returns their credits after it has taken them.

use super::{Flit, InTransit, ReferenceNetwork};
use narrows::fabric::router::{EventKind, Injection};

/// A router's output channel.
#[derive(Clone, Copy, Debug)]
pub struct ExitChannel {
    pub router: usize,
    pub port: usize,
    pub channel: usize,
}

impl Flit {
    /// Returns the number of flits of a streamed packet that the notification caused by this flit covers; 0 if the flit
    /// causes no notification.
    pub fn notified_flits(&self) -> u16 {
        match self.packet.injection.flow_unit {
            0 => 0,
            flow_unit if self.number.is_multiple_of(flow_unit) => flow_unit,
            flow_unit if self.is_tail => self.number % flow_unit,
            _ => 0,
        }
    }
}

impl ReferenceNetwork {
    /// Takes flits of which a node was notified. Their credits return as if they were taken in the previous cycle.
    pub fn take(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        for _ in 0..flits {
            let pending_flits = &mut self.pending_flits[node as usize][usize::from(network)];
            let position = pending_flits
                .iter()
                .position(|(_, flit_tag)| *flit_tag == tag)
                .expect("the node was notified of the flit");
            let (exit, _) = pending_flits.remove(position).expect("the position exists");
            self.return_credit(self.cycle - 1, exit);
        }
    }

    /// Returns the credit of a received flit to the router's output channel.
    fn return_credit(&mut self, now: u64, exit: ExitChannel) {
        let ExitChannel { router, port, channel } = exit;
        let wire = self.output_timing(router, port).wire_cycles;
        let delay = 2 + u64::from(self.parameters.credit_delay) + u64::from(wire);
        self.in_transit.push((now + delay, InTransit::Credit { router, port, channel }));
    }

    /// Receives a flit from an output channel, and notifies the node.
    pub(super) fn receive(&mut self, now: u64, exit: ExitChannel, flit: Flit) {
        let Injection { destination, network, flow_unit, .. } = flit.packet.injection;
        self.counts.delivered_flits += 1;
        if flow_unit == 0 {
            self.return_credit(now, exit);
        }
        if flit.is_header {
            self.notify(now, destination, &flit.packet, EventKind::HeaderArrived);
        }
        if flit.notified_flits() > 0 {
            let pending_flits = &mut self.pending_flits[destination as usize][usize::from(network)];
            (0..flit.notified_flits()).for_each(|_| pending_flits.push_back((exit, flit.packet.injection.tag)));
            self.notify(now, destination, &flit.packet, EventKind::FlitsArrived(flit.notified_flits()));
        }
        if flit.is_tail {
            self.notify(now, destination, &flit.packet, EventKind::Delivered);
            self.counts.delivered += 1;
        }
    }
}
