//! Streams over packet ports, for an engine that sends and takes bytes on a fabric that moves only whole packets.
//!
//! The module models a buffer of one packet in the transmit direction of each class. The engine fills the buffer at the
//! link's rate, or at the rate of the engine's memory if that is lower, and the packet is sent when its last byte is in
//! the buffer. The engine starts its next packet when the fabric is ready for one. In the receive direction a packet is
//! passed on when all of it has arrived, as one piece that takes no time on the link, so that the engine's own rate
//! determines how long the transfer lasts.
//!
//! The module does not model back-pressure from a receiver that takes no bytes: the fabric buffers arrived bytes
//! without limit. A drop is not reported to the engine, because the packet has left the buffer by then. A packet whose
//! payload a switch has cut is not passed to the engine; it counts as lost.

use super::packet::Packet;
use super::port::{FabricEvent, PacketDropped, PacketPort, Piece, StreamRx, StreamTx};
use crate::engine::{Bytes, Mailbox, Rate, Signal, Sim, Time};
use std::cell::Cell;
use std::rc::Rc;

/// Flow-control unit towards the engine (chosen: a Myrinet flit of the model).
const FLOW_UNIT: Bytes = Bytes(128);

/// One class of a node, between its packet port and its two streams.
struct ClassBuffer {
    sim: Sim,
    /// Whether the fabric can accept a packet.
    is_ready: Cell<bool>,
    ready_signal: Signal,
    arrivals: Mailbox<Rc<Packet>>,
}

/// The transmit side of a stream over packets.
pub struct StreamOverPacketsTx {
    port: Rc<dyn PacketPort>,
    class_buffer: Rc<ClassBuffer>,
    rate: Rate,
    packet: Option<Rc<Packet>>,
}

/// The receive side of a stream over packets.
pub struct StreamOverPacketsRx {
    class_buffer: Rc<ClassBuffer>,
    /// Packet that the reader is taking, and the number of its bytes that were passed on.
    packet: Option<(Rc<Packet>, Bytes)>,
}

/// Returns the streams of a node, which is called `name`, over its packet port, one pair for each of `classes` classes;
/// `rate` is the rate of its link. Attaches a listener to the port.
pub fn streams_over_packets(
    sim: &Sim,
    name: &str,
    port: &Rc<dyn PacketPort>,
    classes: u8,
    rate: Rate,
) -> Vec<(StreamOverPacketsTx, StreamOverPacketsRx)> {
    let new_class_buffer = |_| {
        Rc::new(ClassBuffer {
            sim: sim.clone(),
            is_ready: Cell::new(true),
            ready_signal: Signal::new(sim, format!("{name}: the fabric to take a packet")),
            arrivals: Mailbox::new(sim, format!("a packet at {name}")),
        })
    };
    let classes: Vec<Rc<ClassBuffer>> = (0..classes).map(new_class_buffer).collect();
    let listener_classes = classes.clone();
    port.attach(Box::new(move |event| match event {
        FabricEvent::TxReady(class) => {
            let class = &listener_classes[class.index()];
            class.is_ready.set(true);
            class.ready_signal.notify();
        }
        FabricEvent::TailArrived(packet) | FabricEvent::PacketArrived(packet) => {
            if !packet.marks().trimmed {
                listener_classes[packet.label().class.index()].arrivals.send(packet);
            }
        }
        FabricEvent::HeaderArrived(_) | FabricEvent::Dropped(_) => {}
    }));
    let streams = |class_buffer: Rc<ClassBuffer>| {
        let tx = StreamOverPacketsTx { port: port.clone(), class_buffer: class_buffer.clone(), rate, packet: None };
        (tx, StreamOverPacketsRx { class_buffer, packet: None })
    };
    classes.into_iter().map(streams).collect()
}

impl StreamTx for StreamOverPacketsTx {
    fn flow_unit(&self) -> Bytes {
        FLOW_UNIT
    }

    fn rate(&self) -> Rate {
        self.rate
    }

    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), PacketDropped> {
        while !self.class_buffer.is_ready.get() {
            self.class_buffer.ready_signal.wait().await;
        }
        self.packet = Some(packet.clone());
        Ok(())
    }

    async fn reserve(&mut self, bytes_max: Bytes) -> Result<Bytes, PacketDropped> {
        Ok(bytes_max)
    }

    async fn send(&mut self, bytes: Bytes, min_duration: Time, last: bool) {
        self.class_buffer.sim.delay(self.rate.time_for(bytes).max(min_duration)).await;
        if last {
            let packet = self.packet.take().expect("bytes are sent in a packet");
            self.class_buffer.is_ready.set(false);
            self.port.send(packet);
        }
    }

    fn close(&mut self) {}
}

impl StreamRx for StreamOverPacketsRx {
    async fn next(&mut self, bytes_max: Bytes) -> Piece {
        let (packet, passed_bytes) = match self.packet.take() {
            Some(current) => current,
            None => (self.class_buffer.arrivals.receive().await, Bytes::ZERO),
        };
        let length = packet.label().length;
        let bytes = bytes_max.min(length - passed_bytes);
        let (first, last) = (passed_bytes.is_empty(), passed_bytes + bytes == length);
        if !last {
            self.packet = Some((packet.clone(), passed_bytes + bytes));
        }
        Piece::Bytes { packet, bytes, time: Time::ZERO, first, last }
    }

    fn return_credit(&mut self, _bytes: Bytes) {}

    fn blocks_channel(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
