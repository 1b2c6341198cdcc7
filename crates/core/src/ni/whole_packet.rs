//! The driver shared by all interfaces that give whole packets to a port.
//!
//! The module models the order of steps in sending, polling, taking and waiting, and the messaging layer's cycles. The
//! interface defines the effect of each step on the host: [`WholePacketNic`] has a method for composing a packet, one
//! for reading its header, one for fetching its payload, and one for polling.
//!
//! The module leaves out interfaces whose device works concurrently with the processor: those implement
//! [`Driver`](super::Driver) themselves.

use super::build_context::BuildContext;
use super::driver::{
    Costs, Driver, DriverLimits, DriverState, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake,
};
use super::envelope::Envelope;
use super::extensions::DriverExtensions;
use super::handoff::{end_poll, hand_over};
use super::packet_header::PacketHeader;
use super::port::Port;
use super::port_config::Stages;
use super::word_copy::PayloadSink;
use crate::engine::{Bytes, Class, Journey, Signal, SpanLabel};
use crate::fabric::{Label, Packet};
use crate::host::{AnyProcessor, Processor};
use crate::protocol::Answer;
use std::rc::Rc;

/// A packet that an interface has composed.
pub struct ComposedPacket {
    body: Rc<Packet>,
    length: Bytes,
}

impl ComposedPacket {
    /// Returns the packet of `request` that consists of `bytes`, header and payload.
    pub fn new(request: &SendRequest<'_>, bytes: &[u8]) -> ComposedPacket {
        let body = Packet::with_bytes(Label::default(), request.journey.clone(), bytes);
        ComposedPacket { body, length: Bytes(bytes.len() as u64) }
    }

    /// Sets the length of the packet on the wire, to which the packet is padded.
    ///
    /// # Panics
    ///
    /// Panics if the packet is longer.
    #[must_use]
    pub fn padded_to(mut self, length: Bytes) -> ComposedPacket {
        assert!(self.length <= length, "the packet is not longer than its length on the wire");
        self.length = length;
        self
    }
}

/// The payload of a packet that has arrived.
#[derive(Clone, Copy)]
pub struct RxPayload<'a> {
    packet: &'a Packet,
    header_length: usize,
}

impl RxPayload<'_> {
    /// Calls `read` with the bytes of the payload.
    pub fn with<T>(&self, read: impl FnOnce(&[u8]) -> T) -> T {
        read(&self.packet.bytes()[self.header_length..])
    }

    /// Returns a copy of the payload.
    pub fn to_vec(&self) -> Vec<u8> {
        self.with(<[u8]>::to_vec)
    }
}

/// An interface that gives whole packets to a port. It defines the effect of each step of its driver on the host.
pub trait WholePacketNic {
    /// Names of the latency stages of the interface's packets.
    const STAGES: Stages = Stages { pool: "send queue", records_zero_pool_time: true, fabric: "fabric" };

    /// Returns the driver's limits; the number of classes is the port's.
    fn limits(&self) -> DriverLimits;

    /// Composes a packet in the interface, which has capacity for it. `endpoints` are the indices of the sending and
    /// the receiving endpoint on their nodes, which [`header`](Self::header) must return.
    async fn post(&self, cpu: &AnyProcessor, request: &SendRequest<'_>, endpoints: [u32; 2]) -> ComposedPacket;

    /// Reads the header of a packet; by default one that [`PacketHeader::encode`] wrote.
    fn header(&self, packet: &[u8]) -> PacketHeader {
        PacketHeader::decode(packet)
    }

    /// Moves the payload of a packet to its destination.
    async fn fetch(&self, cpu: &AnyProcessor, payload: RxPayload<'_>, sink: PayloadSink<'_>) -> RxCompletion;

    /// Polls for the arrival of a packet. A poll that accesses the host [holds](Processor::hold) the processor
    /// meanwhile; by default a poll takes no time.
    async fn poll(&self, _cpu: &AnyProcessor) {}
}

/// The driver of an interface that gives whole packets to a port.
pub struct WholePacketDriver<N> {
    nic: N,
    port: Rc<Port>,
    costs: Costs,
    packet_max: Bytes,
}

impl<N: WholePacketNic> WholePacketDriver<N> {
    /// Starts the driver of `nic`, over the machine's protocol and fabric. No packet is longer than `packet_max`.
    pub fn start(context: &BuildContext<'_>, packet_max: Bytes, nic: N) -> WholePacketDriver<N> {
        let port = context.port_accepting_on_header(packet_max, N::STAGES);
        WholePacketDriver { nic, port, costs: context.costs, packet_max }
    }

    /// Returns whether a packet waits to be taken.
    fn has_arrived(&self) -> bool {
        Class::all(self.port.classes()).any(|class| self.port.has_arrived(class))
    }

    /// Returns the class in which answers are sent.
    fn answers_class(&self) -> Class {
        Class(u8::from(self.port.classes() > 1))
    }
}

impl<N> DriverExtensions for WholePacketDriver<N> {}

impl<N: WholePacketNic> Driver for WholePacketDriver<N> {
    fn limits(&self) -> DriverLimits {
        DriverLimits { classes: self.port.classes(), ..self.nic.limits() }
    }

    fn begin_send(&self, cpu: &AnyProcessor, _journey: &Journey) -> TxToken {
        cpu.work(self.costs.send);
        TxToken::none()
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>, _token: &TxToken) -> bool {
        if cpu.is_idle() && self.port.free_send_slots(packet.class) == 0 {
            return false;
        }
        let lease = cpu.acquire("check for a free slot").await;
        cpu.sync().await;
        let Some(slot) = self.port.try_reserve(packet.class) else { return false };
        let _works = cpu.sim().works();
        let endpoints = [packet.from, packet.to].map(|endpoint| self.port.addresses().index_on_node(endpoint));
        let ComposedPacket { body, length } = self.nic.post(cpu, packet, endpoints).await;
        cpu.sync().await;
        hand_over(&self.port, (cpu, &lease), packet, slot, (body, length));
        true
    }

    async fn wait_for_capacity(&self, _cpu: &AnyProcessor) {
        self.port.changed.wait().await;
    }

    fn takes_in_any_order(&self) -> bool {
        true
    }

    fn may_have_packet(&self) -> bool {
        self.has_arrived()
    }

    async fn poll(&self, cpu: &AnyProcessor, sends_reply: &dyn Fn(u8) -> bool) -> Option<RxPacket> {
        self.nic.poll(cpu).await;
        // Answers are taken first, since other programs may wait for them.
        let taken_packet = Class::all(self.port.classes()).rev().find_map(|class| {
            // An acknowledgement can be piggybacked only on an answer of the same class.
            let can_piggyback = self.answers_class() == class;
            let answer = |packet: &Packet| {
                let Envelope { is_part, handler, .. } = self.nic.header(&packet.bytes()).envelope;
                if can_piggyback && !is_part && sends_reply(handler) { Answer::Follows } else { Answer::None }
            };
            self.port.try_take(class, answer)
        });
        let taken_packet = taken_packet?;
        let (PacketHeader { envelope, endpoints, length }, bytes) = {
            let bytes = taken_packet.packet.bytes();
            (self.nic.header(&bytes), bytes.len())
        };
        let journey = taken_packet.packet.journey.clone();
        // The processor's local clock does not advance between two leases, so the simulated time may be later.
        journey.close("arrivals queue", cpu.now().max(cpu.sim().now()));
        let nodes = [taken_packet.from, self.port.node()];
        let packet_endpoints = [0, 1].map(|side| self.port.addresses().endpoint(nodes[side], endpoints[side]));
        let state = DriverState { taken_packet: Some(taken_packet), ..DriverState::default() };
        Some(RxPacket::new(packet_endpoints, envelope, bytes - length, journey).with_state(state))
    }

    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut RxPacket,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> RxCompletion {
        let lease = cpu.acquire("receive").await;
        let start = cpu.now();
        cpu.work(self.costs.receive + extra_cycles);
        cpu.sync().await;
        let taken_packet = arrival.state.taken_packet.take().expect("a poll found a packet");
        while !taken_packet.packet.is_whole() {
            self.port.changed.wait().await;
        }
        let header_length = self.nic.header(&taken_packet.packet.bytes()).length;
        let completion = self.nic.fetch(cpu, RxPayload { packet: &taken_packet.packet, header_length }, sink).await;
        cpu.sync().await;
        self.port.release(taken_packet);
        arrival.journey.add_service(start, cpu.now());
        arrival.journey.close("receive", cpu.now());
        lease.record_span("receive", arrival.journey.id(), self.packet_max.len());
        completion
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        let poll_start = cpu.now();
        cpu.work(self.costs.poll);
        cpu.sync().await;
        let wait_start = cpu.now();
        cpu.arbiter().record_span(SpanLabel { activity: "poll", ..SpanLabel::default() }, poll_start, wait_start);
        let wake_time = (wake.next)();
        if self.has_arrived() || wake_time <= wait_start {
            return false;
        }
        self.port.changed.wait_until(wake_time).await;
        if self.costs.poll > 0 && cpu.now() < wake.until {
            end_poll(cpu, wait_start, self.costs.poll).await;
        }
        false
    }

    fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy::OnEvent
    }

    fn charge_poll(&self, cpu: &AnyProcessor) {
        cpu.work(self.costs.poll);
    }

    fn wakeup(&self) -> &Signal {
        &self.port.changed
    }

    fn port(&self) -> Option<&Rc<Port>> {
        Some(&self.port)
    }
}
