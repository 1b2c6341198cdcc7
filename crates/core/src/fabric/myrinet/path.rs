//! A packet's way through the fabric: taking links, sending bytes under back-pressure, letting go.

use super::Myrinet;
use crate::engine::{Bytes, Time};
use crate::fabric::packet::Packet;
use crate::fabric::port::{Dropped, Piece};
use std::rc::Rc;

/// A path that a packet holds.
pub struct Path {
    fabric: Rc<Myrinet>,
    packet: Rc<Packet>,
    held: Vec<usize>,
    /// Whether it leads to the receiver: before, the receiver knows nothing of the packet.
    complete: bool,
    /// Whether its first byte has left.
    begun: bool,
    deadline: Time,
    latency: Time,
}

impl Path {
    pub(super) async fn open(fabric: Rc<Myrinet>, packet: Rc<Packet>) -> Result<Path, Dropped> {
        let label = packet.label();
        let route = fabric.routes[label.source.index()][label.destination.index()].clone();
        let deadline = fabric.sim.now().saturating_add(fabric.parameters.watchdog);
        let (held, complete, latency) = (Vec::with_capacity(route.len()), false, Time::ZERO);
        let mut path = Path { fabric, packet, held, complete, begun: false, deadline, latency };
        for (hop, link) in route.into_iter().enumerate() {
            path.take(hop, link).await?;
        }
        path.complete = true;
        Ok(path)
    }

    /// Takes the next link; each after the first lies behind a switch.
    async fn take(&mut self, hop: usize, link: usize) -> Result<(), Dropped> {
        let fabric = self.fabric.clone();
        if hop > 0 {
            self.latency += fabric.parameters.switch_latency;
        }
        // The head reaches this hop's output port `latency` after it set out; the wait for a busy
        // port comes on top, and no byte behind the head flows before the whole path is held.
        let free = &fabric.links[link].free;
        if !free.acquire_until(1, self.deadline).await {
            return Err(self.give_up(&format!("waiting for link {}", fabric.links[link].wire.name())));
        }
        fabric.links[link].taken(&fabric.sim);
        self.held.push(link);
        Ok(())
    }

    /// Waits until the path takes `bytes` more.
    pub async fn reserve(&mut self, bytes: Bytes) -> Result<(), Dropped> {
        let fabric = self.fabric.clone();
        let port = &fabric.ports[self.packet.label().destination.index()];
        if fabric.sim.now() >= self.deadline {
            return Err(self.give_up("moving still"));
        }
        match port.slack.acquire_until(bytes.get(), self.deadline).await {
            true => Ok(()),
            false => Err(self.give_up(&format!("waiting for room in the receiver of {}", port.name))),
        }
    }

    /// Sends `bytes` for which there is room, and that take `time` on the wire; `last` says that the
    /// packet ends with them. Returns when the last of them has left.
    pub async fn send(&mut self, bytes: Bytes, time: Time, last: bool) {
        let fabric = &self.fabric;
        let crossing = fabric.parameters.link_rate.time_for(bytes);
        let first = !std::mem::replace(&mut self.begun, true);
        let arrival = Piece::Bytes { packet: self.packet.clone(), bytes, time, first, last };
        let port = &fabric.ports[self.packet.label().destination.index()];
        port.arrivals.send_at(fabric.sim.now() + self.latency, arrival);
        fabric.sim.delay(time).await;
        for &link in &self.held {
            fabric.links[link].wire.moves(crossing);
        }
    }

    /// Lets the path go after the last byte.
    pub fn close(&mut self) {
        self.fabric.packets_delivered.set(self.fabric.packets_delivered.get() + 1);
        self.let_go();
    }

    /// The watchdog fired while the packet was doing what `doing` says: the path is freed, and the
    /// receiver told if it was reached.
    fn give_up(&mut self, doing: &str) -> Dropped {
        let fabric = &self.fabric;
        fabric.packets_dropped.set(fabric.packets_dropped.get() + 1);
        fabric.sim.lost(|| {
            let label = self.packet.label();
            let [from, to] = [label.source, label.destination].map(|node| &fabric.ports[node.index()].name);
            let what = self.packet.journey.id().map_or("a packet".to_owned(), |message| format!("message {message}"));
            format!("{what} from {from} to {to}, dropped by the watchdog at {}, {doing}", fabric.sim.now())
        });
        if self.complete {
            let arrivals = &fabric.ports[self.packet.label().destination.index()].arrivals;
            arrivals.send_at(fabric.sim.now() + self.latency, Piece::Dropped(self.packet.clone()));
        }
        self.let_go();
        Dropped
    }

    fn let_go(&mut self) {
        for link in self.held.drain(..) {
            self.fabric.links[link].let_go(&self.fabric.sim, &self.packet);
        }
    }
}
