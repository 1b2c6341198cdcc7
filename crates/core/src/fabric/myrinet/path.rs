//! The path of a packet through a Myrinet: the packet takes links, sends bytes under back-pressure, and releases the
//! links. If the watchdog fires, the packet is dropped and the links are released.

use super::Myrinet;
use crate::engine::{Bytes, Time};
use crate::fabric::packet::Packet;
use crate::fabric::port::{PacketDropped, Piece};
use std::rc::Rc;

/// A path that a packet holds.
pub struct Path {
    fabric: Rc<Myrinet>,
    packet: Rc<Packet>,
    held_links: Vec<usize>,
    /// Whether the packet holds all links to the receiver; only then is a drop reported to the receiver.
    is_complete: bool,
    /// Whether the packet's first byte has left.
    has_sent_first_byte: bool,
    deadline: Time,
    latency: Time,
}

impl Path {
    pub(super) async fn open(fabric: Rc<Myrinet>, packet: Rc<Packet>) -> Result<Path, PacketDropped> {
        let label = packet.label();
        let route = fabric.routes[label.source.index()][label.destination.index()].clone();
        let deadline = fabric.sim.now().saturating_add(fabric.parameters.watchdog);
        let (held_links, is_complete, latency) = (Vec::with_capacity(route.len()), false, Time::ZERO);
        let mut path = Path { fabric, packet, held_links, is_complete, has_sent_first_byte: false, deadline, latency };
        for (hop, link) in route.into_iter().enumerate() {
            path.acquire_link(hop, link).await?;
        }
        path.is_complete = true;
        Ok(path)
    }

    /// Waits for the next link and takes it; a switch precedes each link but the first.
    async fn acquire_link(&mut self, hop: usize, link: usize) -> Result<(), PacketDropped> {
        let fabric = self.fabric.clone();
        if hop > 0 {
            self.latency += fabric.parameters.switch_latency;
        }
        // The head reaches this hop's output port `latency` after it left its node, plus the time for which it waits
        // for busy ports. The bytes behind the head move only when the packet holds its whole path.
        let occupancy = &fabric.links[link].occupancy;
        if !occupancy.acquire_until(1, self.deadline).await {
            return Err(self.drop_packet(&format!("waiting for link {}", fabric.links[link].statistics.name())));
        }
        fabric.links[link].record_hold(&fabric.sim);
        self.held_links.push(link);
        Ok(())
    }

    /// Waits for credits for `bytes` more bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the packet has held its path for longer than the watchdog allows.
    pub async fn reserve(&mut self, bytes: Bytes) -> Result<(), PacketDropped> {
        let fabric = self.fabric.clone();
        let port = &fabric.ports[self.packet.label().destination.index()];
        if fabric.sim.now() >= self.deadline {
            return Err(self.drop_packet("while it was still moving"));
        }
        match port.credits.acquire_until(bytes.get(), self.deadline).await {
            true => Ok(()),
            false => Err(self.drop_packet(&format!("waiting for credits of the receiver of {}", port.name))),
        }
    }

    /// Sends `bytes`, for which credits are reserved and which take `time` on the wire; `last` states whether the
    /// packet ends with them. Returns when the last byte has left.
    pub async fn send(&mut self, bytes: Bytes, time: Time, last: bool) {
        let fabric = &self.fabric;
        let transfer_time = fabric.parameters.link_rate.time_for(bytes);
        let first = !std::mem::replace(&mut self.has_sent_first_byte, true);
        let arrival = Piece::Bytes { packet: self.packet.clone(), bytes, time, first, last };
        let port = &fabric.ports[self.packet.label().destination.index()];
        port.arrivals.send_at(fabric.sim.now() + self.latency, arrival);
        fabric.sim.delay(time).await;
        for &link in &self.held_links {
            fabric.links[link].statistics.add_transfer(transfer_time);
        }
    }

    /// Releases the path after the last byte.
    pub fn close(&mut self) {
        self.fabric.packets_delivered.set(self.fabric.packets_delivered.get() + 1);
        self.release_links();
    }

    /// Drops the packet because the watchdog fired during the `activity`: releases the path, and reports the drop to
    /// the receiver if the path was complete.
    fn drop_packet(&mut self, activity: &str) -> PacketDropped {
        let fabric = &self.fabric;
        fabric.packets_dropped.set(fabric.packets_dropped.get() + 1);
        fabric.sim.record_loss(|| {
            let label = self.packet.label();
            let [from, to] = [label.source, label.destination].map(|node| &fabric.ports[node.index()].name);
            let packet_name =
                self.packet.journey.id().map_or("a packet".to_owned(), |message| format!("message {message}"));
            format!("{packet_name} from {from} to {to}, dropped by the watchdog at {}, {activity}", fabric.sim.now())
        });
        if self.is_complete {
            let arrivals = &fabric.ports[self.packet.label().destination.index()].arrivals;
            arrivals.send_at(fabric.sim.now() + self.latency, Piece::Dropped(self.packet.clone()));
        }
        self.release_links();
        PacketDropped
    }

    fn release_links(&mut self) {
        for link in self.held_links.drain(..) {
            self.fabric.links[link].release(&self.fabric.sim, &self.packet);
        }
    }
}
