//! A node's interface: flits that come out of the network, and the credits of those that it takes.

use super::{Flit, Moving, Twin};
use narrows::fabric::router::{EventKind, Injection};

/// A router's output channel.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    pub router: usize,
    pub port: usize,
    pub channel: usize,
}

impl Flit {
    /// How many flits of a streamed packet are told of when this one passes; 0 if none are.
    pub fn told(&self) -> u16 {
        match self.packet.injection.flow_unit {
            0 => 0,
            flow_unit if self.number.is_multiple_of(flow_unit) => flow_unit,
            flow_unit if self.is_tail => self.number % flow_unit,
            _ => 0,
        }
    }
}

impl Twin {
    /// A node's interface takes flits that it was told of: their credits go back as from the cycle before.
    pub fn take(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        for _ in 0..flits {
            let told = &mut self.told[node as usize][usize::from(network)];
            let first = told.iter().position(|(_, of)| *of == tag).expect("it was told of the flit");
            let (exit, _) = told.remove(first).expect("it is there");
            self.give_back(self.cycle - 1, exit);
        }
    }

    /// The credit of a flit that came out goes back.
    fn give_back(&mut self, now: u64, exit: Exit) {
        let Exit { router, port, channel } = exit;
        let wire = self.output_timing(router, port).wire;
        let delay = 2 + u64::from(self.parameters.credit_delay) + u64::from(wire);
        self.moving.push((now + delay, Moving::Credit { router, port, channel }));
    }

    /// A flit arrives behind an output channel.
    pub(super) fn come_out(&mut self, now: u64, exit: Exit, flit: Flit) {
        let Injection { destination, network, flow_unit, .. } = flit.packet.injection;
        self.counts.delivered_flits += 1;
        if flow_unit == 0 {
            self.give_back(now, exit);
        }
        if flit.is_header {
            self.tell(now, destination, &flit.packet, EventKind::HeaderArrived);
        }
        if flit.told() > 0 {
            let told = &mut self.told[destination as usize][usize::from(network)];
            (0..flit.told()).for_each(|_| told.push_back((exit, flit.packet.injection.tag)));
            self.tell(now, destination, &flit.packet, EventKind::FlitsArrived(flit.told()));
        }
        if flit.is_tail {
            self.tell(now, destination, &flit.packet, EventKind::Delivered);
            self.counts.delivered += 1;
        }
    }
}
