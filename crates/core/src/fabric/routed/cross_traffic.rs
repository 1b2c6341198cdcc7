//! Cross-traffic: the two edge ports of each row of a mesh send to each other, over the same links as packets of nodes
//! (Chong et al. 1998, §5.2). The bandwidth that cross-traffic takes in the middle of the mesh is not available to
//! nodes, as if the mesh were narrower.
//!
//! An edge port sends messages at a constant rate, from a random start time on, using all logical networks in turn. A
//! message that is due while the previous message still enters the network is sent as soon as the previous message has
//! entered, and later messages are delayed by the same time. The module does not model hosts at the edges; their
//! overhead is modelled as the least time between two messages.

use super::Routed;
use crate::engine::{Bytes, Rate, Signal, Time, rng};
use crate::fabric::router::{EventKind, Injection, PacketEvent};
use crate::text::Parameters;
use rand::RngExt;
use std::cell::Cell;
use std::rc::Rc;

/// The parameters of cross-traffic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct CrossTraffic {
    /// Rate at which each end of a row of the mesh sends to the other end.
    #[param(min = "1 kB/s", meaning = Load)]
    pub rate: Rate,
    /// Length of a message, including headers.
    #[param(min = "1 B", default = "64 B", meaning = Load)]
    pub message: Bytes,
    /// Least time from the start of a message to the start of the next.
    #[param(max = "1 ms", default = "0 ns", meaning = Load)]
    pub launch: Time,
}

impl CrossTraffic {
    /// Returns the time from one message to the next.
    fn period(&self) -> Time {
        self.rate.time_for(self.message).max(self.launch)
    }
}

/// An edge port that sends cross-traffic.
pub(super) struct CrossSource {
    port: u32,
    destination: u32,
    /// Number of messages that have entered the network.
    messages_sent: Cell<u64>,
    /// Notified when a message has entered the network.
    entry_signal: Signal,
}

/// Tag of all packets of cross-traffic; no packet of a node has it.
pub(super) const CROSS_TAG: u32 = u32::MAX;

impl Routed {
    /// Starts cross-traffic between these pairs of edge ports.
    pub(super) fn start_cross_traffic(self: &Rc<Self>, traffic: CrossTraffic, pairs: &[(u32, u32)], seed: u64) {
        let mut random = rng::stream(seed, "cross-traffic");
        for (port, destination) in pairs.iter().copied() {
            let entry_signal = Signal::new(&self.sim, format!("cross-traffic of edge port {port} to enter"));
            let source = Rc::new(CrossSource { port, destination, messages_sent: Cell::new(0), entry_signal });
            self.cross_sources.borrow_mut().push(source.clone());
            let start_time = Time::from_ps(random.random_range(0..=traffic.period().ps()));
            self.sim.spawn_server(
                format!("cross-traffic {port}"),
                self.clone().send_cross_traffic(source, traffic, start_time),
            );
        }
    }

    async fn send_cross_traffic(self: Rc<Self>, source: Rc<CrossSource>, traffic: CrossTraffic, start_time: Time) {
        let flits = traffic.message.get().div_ceil(u64::from(self.links.flit_bytes)) as u16;
        let mut due_time = start_time;
        for message_index in 0.. {
            self.sim.until(due_time).await;
            self.sync_network();
            let network = (message_index % u64::from(self.networks)) as u8;
            let injection =
                Injection { network, ..Injection::whole(source.port, source.destination, flits, CROSS_TAG) };
            self.network.borrow_mut().offer(injection);
            self.wake_task();
            while source.messages_sent.get() == message_index {
                source.entry_signal.wait().await;
            }
            due_time = (due_time + traffic.period()).max(self.sim.now());
        }
    }

    /// Handles an event of a packet if the packet is cross-traffic; returns whether it is.
    pub(super) fn handle_cross_traffic(&self, event: &PacketEvent) -> bool {
        if event.tag != CROSS_TAG {
            return false;
        }
        if event.kind == EventKind::Injected {
            let sources = self.cross_sources.borrow();
            let source =
                sources.iter().find(|source| source.port == event.node).expect("an edge port sent the message");
            source.messages_sent.set(source.messages_sent.get() + 1);
            source.entry_signal.notify();
        }
        true
    }

    /// Returns the bytes of cross-traffic that have entered, if there is cross-traffic.
    pub fn cross_traffic(&self) -> Option<Bytes> {
        let traffic = self.cross_traffic?;
        let messages_sent: u64 = self.cross_sources.borrow().iter().map(|source| source.messages_sent.get()).sum();
        Some(Bytes(messages_sent * traffic.message.get()))
    }
}
