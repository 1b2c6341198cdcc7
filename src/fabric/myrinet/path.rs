//! A packet's way through the fabric: taking links, sending bytes under back-pressure, letting go.

use super::super::packet::{Arrival, Packet};
use super::Myrinet;
use crate::engine::{Bytes, Time};
use std::rc::Rc;

/// The packet was dropped by the watchdog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dropped;

/// A path that a packet holds.
pub struct Path {
    fabric: Rc<Myrinet>,
    packet: Rc<Packet>,
    held: Vec<usize>,
    /// Whether it leads to the receiver: before, the receiver knows nothing of the packet.
    complete: bool,
    deadline: Time,
    latency: Time,
}

impl Path {
    pub(super) async fn open(fabric: Rc<Myrinet>, packet: Rc<Packet>) -> Result<Path, Dropped> {
        let route = fabric.routes[packet.source][packet.destination].clone();
        let deadline = fabric.sim.now().saturating_add(fabric.parameters.watchdog);
        let (held, complete, latency) = (Vec::with_capacity(route.len()), false, Time::ZERO);
        let mut path = Path { fabric, packet, held, complete, deadline, latency };
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
        if !fabric.links[link].free.acquire_until(1, self.deadline).await {
            return Err(self.give_up());
        }
        fabric.links[link].held_since.set(fabric.sim.now());
        self.held.push(link);
        Ok(())
    }

    /// Waits until the path takes `bytes` more.
    pub async fn room(&mut self, bytes: Bytes) -> Result<(), Dropped> {
        let fabric = self.fabric.clone();
        let slack = &fabric.ports[self.packet.destination].slack;
        match fabric.sim.now() < self.deadline && slack.acquire_until(bytes.get(), self.deadline).await {
            true => Ok(()),
            false => Err(self.give_up()),
        }
    }

    /// Sends `bytes` for which there is room, and that take `time` on the wire; returns when the
    /// last of them has left.
    pub async fn send(&mut self, bytes: &[u8], time: Time) {
        let fabric = &self.fabric;
        self.packet.append(bytes);
        let arrival = Arrival::Data { packet: self.packet.clone(), bytes: Bytes(bytes.len() as u64), time };
        fabric.ports[self.packet.destination].arrivals.send_at(fabric.sim.now() + self.latency, arrival);
        fabric.sim.delay(time).await;
    }

    /// Lets the path go after the last byte.
    pub fn close(mut self) {
        self.fabric.packets_delivered.set(self.fabric.packets_delivered.get() + 1);
        self.let_go();
    }

    /// The watchdog fired: the path is freed, and the receiver told if it was reached.
    fn give_up(&mut self) -> Dropped {
        let fabric = &self.fabric;
        fabric.packets_dropped.set(fabric.packets_dropped.get() + 1);
        if self.complete {
            let arrivals = &fabric.ports[self.packet.destination].arrivals;
            arrivals.send_at(fabric.sim.now() + self.latency, Arrival::Dropped(self.packet.clone()));
        }
        self.let_go();
        Dropped
    }

    fn let_go(&mut self) {
        for link in self.held.drain(..) {
            let link = &self.fabric.links[link];
            link.held_total.set(link.held_total.get() + self.fabric.sim.now().since(link.held_since.get()));
            link.free.release(1);
        }
    }
}
