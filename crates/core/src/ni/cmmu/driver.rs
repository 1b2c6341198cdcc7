//! The driver of the communications and memory management unit (CMMU): the work of the processor for sending and
//! receiving messages.
//!
//! To send, the processor stores two header words and the arguments into the unit. It also stores the addresses and
//! lengths of ranges of memory, whose bytes the unit reads at the launch. Words beyond the arguments are first gathered
//! in one such range of memory. The packet waits in the send queue, which has as many entries as the protocol has
//! slots.
//!
//! Words beyond the arguments of a received message are moved to memory, and scattered from there by the program.
//!
//! With interrupts, each message costs an interrupt, and polls that find nothing take no time. With polling, each poll
//! takes time. The processor loads arguments from the unit. It waits while the unit moves bytes to memory, and the
//! program uses those bytes in place.

use super::coherence::Coherence;
use super::parameters::{ARGUMENTS, CmmuParameters, Reception};
use super::rx::{Message, RxQueue};
use super::traffic_volume::TrafficVolume;
use super::wire::{self, HEADER_BYTES, MessageHead, SEQUENCE_BITS};
use crate::engine::{Bytes, Journey, Signal, SpanLabel};
use crate::fabric::{Label, Packet};
use crate::host::alewife::AlewifeNode;
use crate::host::{AnyProcessor, Processor};
use crate::ni::driver::{
    Costs, Driver, DriverLimits, DriverState, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake,
};
use crate::ni::extensions::{CoherenceUnit, DriverExtensions};
use crate::ni::handoff::{end_poll, hand_over};
use crate::ni::port::Port;
use crate::ni::word_copy::{PayloadSink, PayloadSource, bytes_of, words_of};
use std::rc::Rc;

/// Bytes that the unit moves to or from memory in one access.
const DOUBLE_WORD: usize = 8;

/// The driver of one node.
pub struct CmmuDriver {
    parameters: CmmuParameters,
    costs: Costs,
    host: Rc<AlewifeNode>,
    port: Rc<Port>,
    rx: Rc<RxQueue>,
    coherence: Rc<Coherence>,
    traffic_volume: TrafficVolume,
}

impl CmmuDriver {
    pub(super) fn new(
        parameters: CmmuParameters,
        costs: Costs,
        host: &Rc<AlewifeNode>,
        port: Rc<Port>,
        rx: Rc<RxQueue>,
        coherence: Rc<Coherence>,
    ) -> CmmuDriver {
        CmmuDriver {
            parameters,
            costs,
            host: host.clone(),
            port,
            rx,
            coherence,
            traffic_volume: TrafficVolume::default(),
        }
    }

    /// Returns the encoded packet, and charges the processor's cycles for storing its header, arguments and ranges.
    fn compose(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>) -> Rc<Packet> {
        let word_cycles = self.parameters.word;
        let mut body = match packet.source {
            PayloadSource::Words(words) => {
                let double_word_count = double_word_count(words.len());
                cpu.work(word_cycles * (2 + words.len().min(ARGUMENTS) as u64));
                if double_word_count > 0 {
                    cpu.work(word_cycles * 2 + self.parameters.dma + self.parameters.gather * double_word_count);
                }
                bytes_of(words)
            }
            PayloadSource::Memory(address, bytes) => {
                assert!(address % DOUBLE_WORD as u64 == 0, "the payload begins at a double word");
                cpu.work(word_cycles * 4 + self.parameters.dma);
                self.host.peek(address, bytes)
            }
        };
        let has_double_words = match packet.source {
            PayloadSource::Words(words) => double_word_count(words.len()) > 0,
            PayloadSource::Memory(..) => true,
        };
        let padded_bytes = if has_double_words { body.len().next_multiple_of(DOUBLE_WORD) } else { body.len() };
        let padding = (padded_bytes - body.len()) as u32;
        body.resize(padded_bytes, 0);
        let addresses = self.port.addresses();
        let endpoints = [packet.from, packet.to].map(|endpoint| addresses.index_on_node(endpoint));
        let header = wire::encode(MessageHead { envelope: packet.envelope, endpoints, padding });
        Packet::from_owned_bytes(Label::default(), packet.journey.clone(), [&header[..], &body].concat())
    }

    fn is_interrupted(&self) -> bool {
        self.parameters.reception == Reception::Interrupt
    }
}

/// Returns the number of double words in memory that a message of `words` words has.
fn double_word_count(words: usize) -> u64 {
    words.saturating_sub(ARGUMENTS).div_ceil(2) as u64
}

/// Returns the bytes of a message after its header, without padding.
fn body(packet: &Packet, padding: u32) -> Vec<u8> {
    let bytes = packet.bytes();
    bytes[HEADER_BYTES.len()..bytes.len() - padding as usize].to_vec()
}

impl DriverExtensions for CmmuDriver {
    fn coherence(&self) -> Option<Rc<dyn CoherenceUnit>> {
        Some(self.coherence.clone())
    }
}

impl Driver for CmmuDriver {
    fn limits(&self) -> DriverLimits {
        DriverLimits {
            words: self.parameters.words(),
            payload: self.parameters.payload.len(),
            inline_bytes: 0,
            sequences: 1 << SEQUENCE_BITS,
            steers_by_tag: false,
            classes: self.port.classes(),
            overflows_to_user_memory: false,
        }
    }

    fn begin_send(&self, cpu: &AnyProcessor, _journey: &Journey) -> TxToken {
        cpu.work(self.costs.send);
        TxToken::default()
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>, _token: &TxToken) -> bool {
        if cpu.is_idle() && self.port.free_send_slots(packet.class) == 0 {
            return false;
        }
        let lease = cpu.acquire("check for a free slot").await;
        cpu.sync().await;
        let Some(slot) = self.port.try_reserve(packet.class) else { return false };
        let _works = cpu.sim().works();
        let body = self.compose(cpu, packet);
        cpu.sync().await;
        let bytes = Bytes(body.bytes().len() as u64);
        self.traffic_volume.count_message(bytes.get());
        hand_over(&self.port, (cpu, &lease), packet, slot, (body, bytes));
        true
    }

    async fn wait_for_capacity(&self, _cpu: &AnyProcessor) {
        self.port.changed.wait().await;
    }

    fn may_have_packet(&self) -> bool {
        self.rx.has_message()
    }

    async fn poll(&self, cpu: &AnyProcessor, _sends_reply: &dyn Fn(u8) -> bool) -> Option<RxPacket> {
        if !self.rx.has_message() {
            return None;
        }
        let lease = cpu.acquire("poll").await;
        cpu.sync().await;
        let Message { from, packet, is_in_memory } = self.rx.next()?;
        let MessageHead { envelope, endpoints, padding } = wire::decode(&packet);
        let journey = packet.journey.clone();
        journey.close("receive queue", cpu.now());
        if is_in_memory {
            cpu.work(self.parameters.overflow_each);
        }
        let nodes = [from, self.port.node()];
        let packet_endpoints = [0, 1].map(|side| self.port.addresses().endpoint(nodes[side], endpoints[side]));
        let bytes = packet.bytes().len() - HEADER_BYTES.len() - padding as usize;
        let state = DriverState { packet: Some(packet), ..DriverState::default() };
        Some(RxPacket::new(packet_endpoints, envelope, bytes, journey).with_state(state).with_lease(lease))
    }

    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut RxPacket,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> RxCompletion {
        let (start, parameters) = (cpu.now(), &self.parameters);
        let packet = arrival.state.packet.take().expect("the last poll found a packet");
        let body = body(&packet, wire::decode(&packet).padding);
        let interrupt = if self.is_interrupted() { parameters.interrupt } else { 0 };
        cpu.work(interrupt + self.costs.receive + extra_cycles);
        let address = match sink {
            PayloadSink::Words(words) => {
                let word_count = body.len() / 4;
                cpu.work(parameters.word * word_count.min(ARGUMENTS) as u64);
                if double_word_count(word_count) > 0 {
                    cpu.work(
                        parameters.dma + (parameters.double_word + parameters.scatter) * double_word_count(word_count),
                    );
                }
                words.extend(words_of(&body));
                0
            }
            PayloadSink::Memory(into) => {
                cpu.work(parameters.dma + parameters.double_word * body.len().div_ceil(DOUBLE_WORD) as u64);
                cpu.sync().await;
                self.host.write_untimed(into, &body);
                into
            }
        };
        cpu.sync().await;
        arrival.journey.add_service(start, cpu.now());
        arrival.journey.close("receive", cpu.now());
        if let Some(lease) = arrival.lease.take() {
            lease.record_span("receive", arrival.journey.id(), HEADER_BYTES.len() + body.len());
        }
        RxCompletion { address, ..RxCompletion::default() }
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        let poll_start = cpu.now();
        self.charge_poll(cpu);
        cpu.sync().await;
        let wait_start = cpu.now();
        cpu.arbiter().record_span(SpanLabel { activity: "poll", ..SpanLabel::default() }, poll_start, wait_start);
        if self.may_have_packet() || (wake.next)() <= wait_start {
            return false;
        }
        self.port.changed.wait_until((wake.next)()).await;
        cpu.sync().await;
        if !self.is_interrupted() && self.costs.poll > 0 && cpu.now() < wake.until {
            end_poll(cpu, wait_start, self.costs.poll).await;
        }
        false
    }

    fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy::OnEvent
    }

    fn charge_poll(&self, cpu: &AnyProcessor) {
        if !self.is_interrupted() {
            cpu.work(self.costs.poll);
        }
    }

    fn wakeup(&self) -> &Signal {
        &self.port.changed
    }

    fn interrupts(&self) -> bool {
        self.is_interrupted()
    }

    fn port(&self) -> Option<&Rc<Port>> {
        Some(&self.port)
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let [traps, moved_messages] = self.rx.overflows();
        let overflow_metrics = [("ni.overflows", traps), ("ni.overflowed_messages", moved_messages)];
        overflow_metrics.into_iter().chain(self.traffic_volume.counts()).chain(self.coherence.counts()).collect()
    }
}
