//! Streams over routers: the sending engine supplies the flits of a packet as it has them, and the receiving engine
//! takes them as they arrive.
//!
//! A source that lacks flits holds its channel, and a receiver that takes no flits keeps the credits of the last
//! router. Back-pressure therefore reaches from engine to engine. Arrival is reported one flow-control unit at a time,
//! when the last flit of the unit has arrived. An engine receives one packet at a time. If several arrive on different
//! virtual channels, it receives the one whose header arrived first, and the others keep their buffer slots meanwhile.
//! Streamed packets take no receive slot; an engine without a posted transfer blocks them.

use super::Routed;
use crate::engine::{Bytes, Class, Mailbox, NodeId, Rate, Signal, Time};
use crate::fabric::packet::Packet;
use crate::fabric::port::{PacketDropped, Piece, StreamRx, StreamTx};
use crate::fabric::router::{EventKind, Injection, PacketEvent};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Largest flow-control unit in bytes (chosen: a Myrinet flit of the model).
const FLOW_UNIT_MAX: u32 = 128;

/// The part of the state of a node's streams in a class that the fabric's task changes.
pub(super) struct NodeStream {
    /// Number of flits of the packet being sent that have left the source.
    flits_sent: Cell<u64>,
    /// Notified when flits have left the source.
    departure_signal: Signal,
    /// Arriving packets, in the order of their headers; only bytes of the first are passed to the engine.
    arriving_packets: RefCell<VecDeque<ArrivingPacket>>,
    /// Pieces for the receiving engine, each with the packet's tag.
    pieces: Mailbox<(u32, Piece)>,
}

/// A packet that arrives at its destination.
struct ArrivingPacket {
    tag: u32,
    /// Number of bytes that have arrived.
    arrived_bytes: u64,
    /// Pieces that have not been passed to the engine.
    pending_pieces: VecDeque<Piece>,
    /// Whether the packet is lost: it crosses the fabric, but is not delivered.
    is_lost: bool,
    /// Whether the packet's last byte has arrived.
    is_complete: bool,
}

impl Routed {
    /// Returns the transmit side of `node` in `class`.
    pub fn tx(self: &Rc<Self>, node: NodeId, class: Class) -> RoutedTx {
        let stream = self.stream(node, class);
        RoutedTx { fabric: self.clone(), stream, node, open_packet: None }
    }

    /// Returns the receive side of `node` in `class`.
    pub fn rx(self: &Rc<Self>, node: NodeId, class: Class) -> RoutedRx {
        let stream = self.stream(node, class);
        RoutedRx { fabric: self.clone(), stream, node, class, tag: 0, remaining_piece: None, bytes_taken: 0, length: 0 }
    }

    fn stream(&self, node: NodeId, class: Class) -> Rc<NodeStream> {
        let new_stream = || {
            Rc::new(NodeStream {
                flits_sent: Cell::new(0),
                departure_signal: Signal::new(&self.sim, format!("flits of {node} to leave")),
                arriving_packets: RefCell::default(),
                pieces: Mailbox::new(&self.sim, format!("a packet at {node}")),
            })
        };
        self.streams.borrow_mut().entry((node.0, class.0)).or_insert_with(new_stream).clone()
    }

    /// Returns the flow-control unit in flits.
    fn flow_unit_flits(&self) -> u16 {
        (FLOW_UNIT_MAX / self.links.flit_bytes).clamp(1, self.buffer_flits) as u16
    }

    /// Handles an event of a streamed packet. Returns whether the event is one.
    pub(super) fn handle_streamed(&self, event: &PacketEvent) -> bool {
        let streams = self.streams.borrow();
        let Some(stream) = streams.get(&(event.node, event.network)) else { return false };
        match event.kind {
            EventKind::Injected => {}
            EventKind::FlitsSent(flits) => {
                stream.flits_sent.set(stream.flits_sent.get() + u64::from(flits));
                stream.departure_signal.notify();
            }
            EventKind::HeaderArrived => {
                let is_lost = self.loss.borrow_mut().draw_loss();
                let packet = ArrivingPacket {
                    tag: event.tag,
                    arrived_bytes: 0,
                    pending_pieces: VecDeque::new(),
                    is_lost,
                    is_complete: false,
                };
                stream.arriving_packets.borrow_mut().push_back(packet);
            }
            EventKind::FlitsArrived(flits) => self.flits_arrived(stream, event, flits),
            EventKind::Delivered => self.tail_arrived(stream, event),
        }
        true
    }

    fn flits_arrived(&self, stream: &NodeStream, event: &PacketEvent, flits: u16) {
        let mut packets = stream.arriving_packets.borrow_mut();
        let arriving_packet = packets.iter_mut().find(|packet| packet.tag == event.tag && !packet.is_complete);
        let arriving = arriving_packet.expect("a header comes first");
        if arriving.is_lost {
            self.sync_network();
            self.network.borrow_mut().take(event.node, event.network, event.tag, flits);
            self.wake_task();
            return;
        }
        let packet = self.in_flight.borrow().packet(event.tag);
        let (bytes_before, length) = (arriving.arrived_bytes, packet.label().length.get());
        let bytes_after = (bytes_before + u64::from(flits) * u64::from(self.links.flit_bytes)).min(length);
        arriving.arrived_bytes = bytes_after;
        let (bytes, time) = (Bytes(bytes_after - bytes_before), Time::ZERO);
        arriving.pending_pieces.push_back(Piece::Bytes {
            packet,
            bytes,
            time,
            first: bytes_before == 0,
            last: bytes_after == length,
        });
        stream.pass_pieces(&mut packets);
    }

    fn tail_arrived(&self, stream: &NodeStream, event: &PacketEvent) {
        let mut packets = stream.arriving_packets.borrow_mut();
        let arriving_packet = packets.iter_mut().find(|packet| packet.tag == event.tag && !packet.is_complete);
        let arriving = arriving_packet.expect("a header comes first");
        arriving.is_complete = true;
        let packet = self.in_flight.borrow_mut().remove(event.tag).expect("a packet in flight has its tag");
        match arriving.is_lost {
            true => self.hub.report_drop(packet),
            false => {
                packet.set_whole();
                self.hub.count(|counts| counts.delivered += 1);
            }
        }
        stream.pass_pieces(&mut packets);
    }
}

impl NodeStream {
    /// Passes all arrived pieces of the first packet to the engine, and the pieces of the next packet when the first
    /// is complete.
    fn pass_pieces(&self, packets: &mut VecDeque<ArrivingPacket>) {
        while let Some(first) = packets.front_mut() {
            let tag = first.tag;
            first.pending_pieces.drain(..).for_each(|piece| self.pieces.send((tag, piece)));
            if !first.is_complete {
                return;
            }
            packets.pop_front();
        }
    }
}

/// The transmit side of a node's stream.
pub struct RoutedTx {
    fabric: Rc<Routed>,
    stream: Rc<NodeStream>,
    node: NodeId,
    /// Packet being sent, its tag, and the number of its bytes that were supplied.
    open_packet: Option<(Rc<Packet>, u32, u64)>,
}

impl StreamTx for RoutedTx {
    fn flow_unit(&self) -> Bytes {
        Bytes(u64::from(self.fabric.flow_unit_flits()) * u64::from(self.fabric.links.flit_bytes))
    }

    fn rate(&self) -> Rate {
        self.fabric.links.entry_rate(self.node.0)
    }

    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), PacketDropped> {
        self.stream.flits_sent.set(0);
        let tag = self.fabric.offer(packet.clone(), 0, self.fabric.flow_unit_flits());
        self.open_packet = Some((packet.clone(), tag, 0));
        Ok(())
    }

    async fn reserve(&mut self, bytes_max: Bytes) -> Result<Bytes, PacketDropped> {
        Ok(bytes_max.min(self.flow_unit()))
    }

    async fn send(&mut self, bytes: Bytes, min_duration: Time, last: bool) {
        let (packet, tag, supplied_bytes) = self.open_packet.as_mut().expect("bytes leave in a packet");
        let (fabric, flit_bytes) = (&self.fabric, u64::from(self.fabric.links.flit_bytes));
        // If memory is slower than the link, it delays the supply of flits.
        fabric.sim.delay(min_duration.since(fabric.links.entry_rate(self.node.0).time_for(bytes))).await;
        let complete_flits =
            |bytes: u64, last: bool| if last { bytes.div_ceil(flit_bytes) } else { bytes / flit_bytes };
        let flits_before = complete_flits(*supplied_bytes, false);
        *supplied_bytes += bytes.get();
        let flits_after = complete_flits(*supplied_bytes, last);
        let (node, class) = (self.node.0, packet.label().class.0);
        fabric.sync_network();
        fabric.network.borrow_mut().supply(node, class, *tag, (flits_after - flits_before) as u16);
        fabric.wake_task();
        // Departures are reported in whole flow-control units, so the wait ends with the last whole unit.
        let awaited_flits =
            if last { flits_after } else { flits_after - flits_after % u64::from(fabric.flow_unit_flits()) };
        while self.stream.flits_sent.get() < awaited_flits {
            self.stream.departure_signal.wait().await;
        }
    }

    fn close(&mut self) {
        self.open_packet = None;
    }
}

/// The receive side of a node's stream.
pub struct RoutedRx {
    fabric: Rc<Routed>,
    stream: Rc<NodeStream>,
    node: NodeId,
    class: Class,
    /// Tag of the packet being received.
    tag: u32,
    /// Remainder of a piece that was divided.
    remaining_piece: Option<Piece>,
    /// Number of bytes of the packet being received that the reader has taken.
    bytes_taken: u64,
    /// Length of the packet being received.
    length: u64,
}

impl StreamRx for RoutedRx {
    async fn next(&mut self, bytes_max: Bytes) -> Piece {
        let piece = match self.remaining_piece.take() {
            Some(piece) => piece,
            None => {
                let (tag, piece) = self.stream.pieces.receive().await;
                self.tag = tag;
                piece
            }
        };
        let Piece::Bytes { packet, bytes, time, first, last } = piece else { return piece };
        if first {
            (self.bytes_taken, self.length) = (0, packet.label().length.get());
        }
        if bytes <= bytes_max {
            return Piece::Bytes { packet, bytes, time, first, last };
        }
        let remaining_piece =
            Piece::Bytes { packet: packet.clone(), bytes: bytes - bytes_max, time, first: false, last };
        self.remaining_piece = Some(remaining_piece);
        Piece::Bytes { packet, bytes: bytes_max, time, first, last: false }
    }

    /// Returns a time on an edge of the routers' clock if the transfer takes whole cycles.
    fn end_of_transfer(&self, start: Time, bytes: Bytes, rate: Rate) -> Time {
        self.fabric.clock.end_of_transfer(start, bytes, rate)
    }

    fn return_credit(&mut self, bytes: Bytes) {
        let flit_bytes = u64::from(self.fabric.links.flit_bytes);
        let complete_flits =
            |bytes: u64, length: u64| if bytes == length { bytes.div_ceil(flit_bytes) } else { bytes / flit_bytes };
        let flits_before = complete_flits(self.bytes_taken, u64::MAX);
        self.bytes_taken += bytes.get();
        let further_flits = complete_flits(self.bytes_taken, self.length) - flits_before;
        if further_flits > 0 {
            self.fabric.sync_network();
            self.fabric.network.borrow_mut().take(self.node.0, self.class.0, self.tag, further_flits as u16);
            self.fabric.wake_task();
        }
    }

    fn blocks_channel(&self) -> bool {
        true
    }
}

/// Returns the injection of a packet. A packet with a `flow_unit` above 0 is streamed in units of this number of flits,
/// and waits for no receive slot.
pub(super) fn injection(packet: &Packet, tag: u32, flits: u16, available_flits: u16, flow_unit: u16) -> Injection {
    let label = packet.label();
    let (source, destination, network) = (label.source.0, label.destination.0, label.class.0);
    let needs_slot = label.needs_slot && flow_unit == 0;
    Injection { source, destination, flits, network, tag, needs_slot, available_flits, flow_unit }
}
