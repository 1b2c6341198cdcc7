//! Cross-traffic: from places at both edges of a mesh, each row's ends send to each other, through the links that
//! packets of nodes take, and past the nodes (Chong et al. 1998, §5.2). What it takes of the middle is missing there,
//! as if the mesh were narrower.
//!
//! A place sends messages at a steady rate, from an instant drawn for each, on all logical networks in turn; one that
//! falls due while the last one is still going in is sent when that is in, and what was missed is not made up for.
//! Leaves out: hosts at the edges; what they need for a message is the least time from one to the next.

use super::Routed;
use crate::engine::{Bytes, Rate, Signal, Time, rng};
use crate::fabric::router::{EventKind, Injection, PacketEvent};
use crate::text::Parameters;
use rand::RngExt;
use std::cell::Cell;
use std::rc::Rc;

/// What crosses the mesh from edge to edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct CrossTraffic {
    /// What each end of a row sends to the other.
    #[param(min = "1 kB/s", meaning = Load)]
    pub rate: Rate,
    /// Bytes of its messages, headers among them.
    #[param(min = "1 B", default = "64 B", meaning = Load)]
    pub message: Bytes,
    /// The least time from the beginning of a message to that of the next, which short ones wait for.
    #[param(max = "1 ms", default = "0 ns", meaning = Load)]
    pub launch: Time,
}

impl CrossTraffic {
    /// From one message to the next.
    fn period(&self) -> Time {
        self.rate.time_for(self.message).max(self.launch)
    }
}

/// A place at an edge that sends.
pub(super) struct CrossPlace {
    place: u32,
    to: u32,
    /// Messages that are in the network, or through it.
    sent: Cell<u64>,
    entered: Signal,
}

/// The tag of its packets, which are none of nodes'.
pub(super) const CROSS_TAG: u32 = u32::MAX;

impl Routed {
    /// Starts cross-traffic between these pairs of places.
    pub(super) fn start_crossing(self: &Rc<Self>, traffic: CrossTraffic, pairs: &[(u32, u32)], seed: u64) {
        let mut random = rng::stream(seed, "cross-traffic");
        for (place, to) in pairs.iter().copied() {
            let entered = Signal::new(&self.sim, format!("cross-traffic of place {place} to go in"));
            let crossing = Rc::new(CrossPlace { place, to, sent: Cell::new(0), entered });
            self.crossing.borrow_mut().push(crossing.clone());
            let first = Time::from_ps(random.random_range(0..=traffic.period().ps()));
            self.sim.spawn_server(format!("cross-traffic {place}"), self.clone().cross(crossing, traffic, first));
        }
    }

    async fn cross(self: Rc<Self>, crossing: Rc<CrossPlace>, traffic: CrossTraffic, first: Time) {
        let flits = traffic.message.get().div_ceil(u64::from(self.links.flit_bytes)) as u16;
        let mut due = first;
        for number in 0.. {
            self.sim.until(due).await;
            self.sync_network();
            let network = (number % u64::from(self.networks)) as u8;
            let packet = Injection { network, ..Injection::whole(crossing.place, crossing.to, flits, CROSS_TAG) };
            self.network.borrow_mut().offer(packet);
            self.wake_task();
            while crossing.sent.get() == number {
                crossing.entered.wait().await;
            }
            due = (due + traffic.period()).max(self.sim.now());
        }
    }

    /// Handles an event of cross-traffic; returns whether it is one.
    pub(super) fn handle_crossing(&self, event: &PacketEvent) -> bool {
        if event.tag != CROSS_TAG {
            return false;
        }
        if event.kind == EventKind::Entered {
            let crossing = self.crossing.borrow();
            let of = crossing.iter().find(|crossing| crossing.place == event.node).expect("who sends is a place");
            of.sent.set(of.sent.get() + 1);
            of.entered.notify();
        }
        true
    }

    /// Returns the bytes of cross-traffic that have entered, if there is cross-traffic.
    pub fn cross_traffic(&self) -> Option<Bytes> {
        let traffic = self.cross?;
        let sent: u64 = self.crossing.borrow().iter().map(|crossing| crossing.sent.get()).sum();
        Some(Bytes(sent * traffic.message.get()))
    }
}
