//! Packets that wait for their payload, in the order of their scheduling, and then for the wire.

use super::queue_pair::QueuePair;
use super::{RdmaDevice, count};
use crate::engine::{Bytes, CapturedPacket, Class, Journey, Time};
use crate::fabric::{FabricEvent, Label, Packet, PacketPort};
use crate::host::{Address, DmaCompletion, DmaOperation, DmaRequest, submit_when_free};
use crate::ni::dma_stages;
use crate::ni::rdma::wire::{ETHERNET_BYTES, RocePacket};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The payload of a packet.
pub enum PayloadRead {
    /// Bytes that the device has.
    Bytes(Vec<u8>),
    /// A DMA read, the time of its submission, and the earliest time at which the packet memory has all bytes.
    Transfer(DmaCompletion, Time, Time),
}

/// A packet that waits for its payload.
pub struct ScheduledPacket {
    /// Headers.
    pub header: RocePacket,
    /// Payload.
    pub payload: PayloadRead,
    /// Record of the message's latency.
    pub journey: Journey,
    /// The queue pair, if the packet ends the responses of a request.
    pub ends_responses: Option<Rc<QueuePair>>,
}

/// The packets that wait for the wire.
pub struct TransmitQueue {
    port: Rc<dyn PacketPort>,
    packet_on_wire: RefCell<Option<Rc<Packet>>>,
    waiting_packets: RefCell<VecDeque<Rc<Packet>>>,
}

impl TransmitQueue {
    /// Creates an empty queue before `port`.
    pub fn new(port: Rc<dyn PacketPort>) -> TransmitQueue {
        TransmitQueue { port, packet_on_wire: RefCell::default(), waiting_packets: RefCell::default() }
    }
}

impl RdmaDevice {
    /// Submits the DMA read of a payload.
    pub(super) async fn start_payload_read(&self, address: Address, bytes: u64) -> PayloadRead {
        let request = DmaRequest { address, operation: DmaOperation::Read(Bytes(bytes)) };
        let read = submit_when_free(&*self.dma, &request).await;
        let submitted_at = self.sim.now();
        let (_, end) = self.read_engine.reserve(submitted_at, bytes);
        PayloadRead::Transfer(read, submitted_at, end)
    }

    pub(super) async fn run_transmit(self: Rc<Self>) {
        loop {
            let ScheduledPacket { header, payload, journey, ends_responses } = self.scheduled_packets.receive().await;
            let payload = match payload {
                PayloadRead::Bytes(bytes) => bytes,
                PayloadRead::Transfer(mut read, submitted_at, end) => {
                    let (mut data, mut beat) = (Vec::new(), Vec::new());
                    while read.next_beat(&mut beat).await.is_some() {
                        data.extend_from_slice(&beat);
                    }
                    read.done().await;
                    if end > self.sim.now() {
                        self.sim.until(end).await;
                    }
                    journey.add_service(submitted_at, self.sim.now());
                    journey.close(dma_stages::PAYLOAD_READ.pattern, self.sim.now());
                    data
                }
            };
            self.packet_buffers.release(1);
            self.send(&header, &payload, journey);
            if let Some(pair) = ends_responses {
                self.end_responses(&pair);
            }
        }
    }

    /// Gives a packet to the wire, behind the packets that already wait.
    pub(super) fn send(&self, header: &RocePacket, payload: &[u8], journey: Journey) {
        let bytes = header.encode(payload);
        let length = Bytes((bytes.len() + ETHERNET_BYTES) as u64);
        let label = Label { source: self.node, destination: header.to, length, ..Label::default() };
        let packet = Packet::from_owned_bytes(label, journey, bytes);
        let is_free = self.wire.packet_on_wire.borrow().is_none();
        match is_free {
            true => self.put_on_wire(packet),
            false => self.wire.waiting_packets.borrow_mut().push_back(packet),
        }
    }

    fn put_on_wire(&self, packet: Rc<Packet>) {
        // The stage lasts until the packet arrives, and service after its end is not counted.
        packet.journey.add_service(self.sim.now(), Time::END);
        *self.wire.packet_on_wire.borrow_mut() = Some(packet.clone());
        self.wire.port.send(packet);
    }

    /// Handles events of the fabric from now on.
    pub(super) fn listen(self: &Rc<Self>) {
        let device = Rc::downgrade(self);
        self.wire.port.attach(Box::new(move |event| {
            if let Some(device) = device.upgrade() {
                device.handle_event(event);
            }
        }));
    }

    fn handle_event(&self, event: FabricEvent) {
        match event {
            FabricEvent::TxReady(class) if class == Class::REQUESTS => {
                if let Some(packet) = self.wire.packet_on_wire.borrow_mut().take() {
                    let (node, time) = (self.node, self.sim.now());
                    self.sim.recorder().capture_packet(|| CapturedPacket {
                        node,
                        time,
                        bytes: packet.bytes().to_vec(),
                    });
                }
                let next = self.wire.waiting_packets.borrow_mut().pop_front();
                next.into_iter().for_each(|packet| self.put_on_wire(packet));
            }
            FabricEvent::TxReady(_) | FabricEvent::HeaderArrived(_) => {}
            FabricEvent::TailArrived(packet) | FabricEvent::PacketArrived(packet) => self.accept_packet(packet),
            // The transport recovers from losses without a notification of the sender.
            FabricEvent::Dropped(_) => count(&self.counts.dropped_packets),
        }
    }
}
