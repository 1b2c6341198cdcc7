//! Queues without a bus: the processor puts packets into the outgoing queue and takes them from the
//! arrivals queue at once, and the protocol is in between.
//!
//! Datasheet (Callahan and Goldstein 1995, §2): what costs time is the messaging software, and the
//! protocol. Every packet has the stated length, header and all, whatever it carries. A packet is in
//! the arrivals queue when its header is there, and the processor may begin to take it while the
//! rest flows in. It leaves out the processor's bus.
//!
//! The header is a word: handler, whether the packet is a part of a message, and which endpoint of each of
//! the two nodes it is from and for (8 bits). Of a part a word follows that says which (12 bits of sequence,
//! 19 of fragment, and whether it is the last).

use super::driver::{
    Arrival, Begun, Compose, Costs, Driver, DriverLimits, Envelope, HEAD_WORD, Known, Landed, Rest, Wake,
};
use super::moving::{PayloadSink, PayloadSource, load, loaded, store, stored};
use super::port::Port;
use super::wiring::Stages;
use super::without_bus::{end_poll, hand_over};
use super::{EndsMax, PacketRoom, Reach, Room, Site};
use crate::engine::{Bytes, Class, Doing, Journey, Signal};
use crate::fabric::{Label, Packet};
use crate::host::{AnyProcessor, Processor, aligned};
use crate::protocol::Answer;
use crate::text::Parameters;
use std::rc::Rc;

/// Bytes that a packet has room for while it is composed: 36 at most are used.
const COMPOSED_BYTES: usize = 40;

/// A packet that is being composed.
struct Composed {
    bytes: [u8; COMPOSED_BYTES],
    used: usize,
}

impl Composed {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.used..self.used + bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
    }

    fn put_words(&mut self, words: &[u32]) {
        let places = self.bytes[self.used..self.used + 4 * words.len()].chunks_exact_mut(4);
        places.zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
        self.used += 4 * words.len();
    }
}

/// The parameters of the queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct QueuesParameters {
    /// Length of every packet with its header, in whole words.
    ///
    /// 32 bytes, or 24 for real programs (§3).
    #[param(min = "12 B", max = "36 B", default = "32 B", check = not_whole_words)]
    pub packet: Bytes,
}

fn not_whole_words(packet: &Bytes) -> Option<(String, &'static str)> {
    let is_whole = packet.get().is_multiple_of(4);
    (!is_whole).then(|| (format!("{packet} is not a whole number of words"), "a word is 4 B"))
}

impl QueuesParameters {
    /// What a packet carries of a message.
    fn part(&self) -> u64 {
        self.packet.get() - PART_HEADER as u64
    }

    /// What it takes of main memory.
    pub fn room(&self) -> Room {
        Room { own: [(0, 0); 2], packet: Some(PacketRoom { carries: self.part(), takes: self.part() }), queued: 0 }
    }

    /// What it can carry.
    pub fn reach(&self) -> Reach {
        Reach {
            packet: self.packet,
            message: Bytes(self.part() << FRAGMENT_BITS),
            nodes: u32::MAX,
            ends: EndsMax::OfNode(1 << PLACE_BITS),
            has_host_dma: false,
        }
    }
}

/// Bytes of header of a part of a message.
const PART_HEADER: usize = 8;
const SEQUENCE_BITS: u32 = 12;
const FRAGMENT_BITS: u32 = 19;
/// Bits of an endpoint's place among those of its node.
const PLACE_BITS: u32 = 8;
/// Where the sender's stands in the first word; the receiver's stands above it.
const PLACES: u32 = 16;
/// Says that a word follows which says what the packet is a part of; above the handler.
const IS_PART: u32 = 1 << 8;

/// The driver.
pub struct DirectDriver {
    port: Rc<Port>,
    costs: Costs,
    packet: Bytes,
}

/// The stages between two of these.
const STAGES: Stages = Stages { pool: "outgoing pool", always: true, fabric: "fabric" };

/// Builds the queues of a node.
pub fn start(site: &Site<'_>, parameters: &QueuesParameters) -> DirectDriver {
    let wiring = site.wiring(parameters.packet);
    DirectDriver { port: Port::start(wiring, true, STAGES), costs: site.costs, packet: parameters.packet }
}

/// The header's words, and how many of them there are.
fn header(envelope: Envelope, [from, to]: [u32; 2]) -> ([u32; 2], usize) {
    let Envelope { is_part, handler, sequence, fragment, last } = envelope;
    let first = u32::from(handler) | from << PLACES | to << (PLACES + PLACE_BITS);
    if !is_part {
        return ([first, 0], 1);
    }
    let sequence = u32::from(sequence);
    assert!(sequence < 1 << SEQUENCE_BITS && fragment < 1 << FRAGMENT_BITS, "a part is named by a word");
    let part = sequence | fragment << SEQUENCE_BITS | u32::from(last) << (SEQUENCE_BITS + FRAGMENT_BITS);
    ([first | IS_PART, part], 2)
}

/// The places of the endpoint that sent a packet, and of the one that it is for.
fn places(bytes: &[u8]) -> [u32; 2] {
    let first = word(bytes, 0);
    [first >> PLACES & ((1 << PLACE_BITS) - 1), first >> (PLACES + PLACE_BITS)]
}

fn word(bytes: &[u8], word: usize) -> u32 {
    u32::from_le_bytes(bytes[4 * word..4 * word + 4].try_into().expect("four bytes"))
}

/// What the header of a packet says, and its length.
fn envelope(bytes: &[u8]) -> (Envelope, usize) {
    let first = word(bytes, 0);
    if first & IS_PART == 0 {
        return (Envelope { handler: first as u8, last: true, ..Envelope::default() }, HEAD_WORD.len());
    }
    let part = word(bytes, 1);
    let sequence = (part & ((1 << SEQUENCE_BITS) - 1)) as u16;
    let fragment = part >> SEQUENCE_BITS & ((1 << FRAGMENT_BITS) - 1);
    let last = part >> (SEQUENCE_BITS + FRAGMENT_BITS) == 1;
    (Envelope { is_part: true, handler: first as u8, sequence, fragment, last }, PART_HEADER)
}

impl DirectDriver {
    /// A packet with its bytes.
    async fn compose(&self, cpu: &AnyProcessor, packet: &Compose<'_>) -> Rc<Packet> {
        let mut composed = self.begin(packet);
        let PayloadSource::Memory(address, bytes) = packet.source else { panic!("words are composed at once") };
        let mut moved = 0;
        while moved < bytes {
            let from = address + moved as u64;
            let part = aligned(from, bytes - moved);
            let value = loaded!(cpu, load(cpu, from, part));
            composed.put(&value.to_le_bytes()[..part]);
            moved += part;
        }
        self.composed(packet, &composed)
    }

    /// A packet of words, which takes no access to memory.
    fn compose_words(&self, packet: &Compose<'_>, words: &[u32]) -> Rc<Packet> {
        let mut composed = self.begin(packet);
        composed.put_words(words);
        self.composed(packet, &composed)
    }

    fn begin(&self, packet: &Compose<'_>) -> Composed {
        let mut composed = Composed { bytes: [0; COMPOSED_BYTES], used: 0 };
        let addresses = self.port.addresses();
        let (words, count) = header(packet.envelope, [packet.from, packet.to].map(|end| addresses.place(end)));
        composed.put_words(&words[..count]);
        composed
    }

    fn composed(&self, packet: &Compose<'_>, composed: &Composed) -> Rc<Packet> {
        assert!(composed.used <= self.packet.len(), "a packet has its stated length");
        Packet::of(Label::default(), packet.journey.clone(), &composed.bytes[..composed.used])
    }

    /// Whether a packet waits to be taken.
    fn has_arrived(&self) -> bool {
        Class::all(self.port.classes()).any(|class| self.port.has_arrived(class))
    }

    /// The class that answers take.
    fn answers_class(&self) -> Class {
        Class(u8::from(self.port.classes() > 1))
    }
}

impl Driver for DirectDriver {
    fn limits(&self) -> DriverLimits {
        DriverLimits {
            words: self.packet.len() / 4 - 1,
            payload: self.packet.len() - PART_HEADER,
            beside: 0,
            sequences: 1 << SEQUENCE_BITS,
            steers: false,
            classes: self.port.classes(),
        }
    }

    fn begin_send(&self, cpu: &AnyProcessor, _journey: &Journey) -> Begun {
        cpu.work(self.costs.send);
        Begun::default()
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &Compose<'_>, _begun: &Begun) -> bool {
        if cpu.is_at_rest() && self.port.room(packet.class) == 0 {
            return false;
        }
        let turn = cpu.acquire("look for room").await;
        cpu.sync().await;
        let Some(slot) = self.port.try_reserve(packet.class) else { return false };
        let body = match packet.source {
            PayloadSource::Words(words) => self.compose_words(packet, words),
            PayloadSource::Memory(..) => self.compose(cpu, packet).await,
        };
        cpu.sync().await;
        hand_over(&self.port, (cpu, &turn), packet, slot, (body, self.packet));
        true
    }

    async fn wait_for_room(&self, _cpu: &AnyProcessor) {
        self.port.changed.wait().await;
    }

    fn may_find(&self) -> bool {
        self.has_arrived()
    }

    async fn poll(&self, cpu: &AnyProcessor, answers: &dyn Fn(u8) -> bool) -> Option<Arrival> {
        // Answers first: they let others go on.
        let taken = Class::all(self.port.classes()).rev().find_map(|class| {
            // An acknowledgement rides only in an answer that takes the same class.
            let rides = self.answers_class() == class;
            let answer = |packet: &Packet| {
                let (envelope, _) = envelope(&packet.bytes());
                if rides && !envelope.is_part && answers(envelope.handler) { Answer::Follows } else { Answer::None }
            };
            self.port.try_take(class, answer)
        });
        let taken = taken?;
        let (envelope, bytes, places) = {
            let bytes = taken.packet.bytes();
            let (envelope, header) = envelope(&bytes);
            (envelope, bytes.len() - header, places(&bytes))
        };
        let journey = taken.packet.journey.clone();
        // Between two turns of a program the processor's clock may stand still.
        journey.close("arrivals queue", cpu.now().max(cpu.sim().now()));
        let nodes = [taken.from, self.port.node()];
        let [from, to] = [0, 1].map(|end| self.port.addresses().at(nodes[end], places[end]));
        let known = Known { taken: Some(taken), ..Known::default() };
        Some(Arrival { from, to, envelope, bytes, journey, known, turn: None })
    }

    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut Arrival,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> Landed {
        let turn = cpu.acquire("receive").await;
        let begun = cpu.now();
        cpu.work(self.costs.receive + extra_cycles);
        cpu.sync().await;
        let taken = arrival.known.taken.take().expect("a packet that was found");
        while !taken.packet.is_whole() {
            self.port.changed.wait().await;
        }
        let address = match sink {
            PayloadSink::Words(words) => give_words(&taken.packet, words),
            PayloadSink::Memory(into) => land(cpu, &taken.packet, into).await,
        };
        cpu.sync().await;
        self.port.release(taken);
        arrival.journey.served(begun, cpu.now());
        arrival.journey.close("receive", cpu.now());
        turn.did("receive", arrival.journey.id(), self.packet.len());
        Landed { address, ..Landed::default() }
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        let looks = cpu.now();
        cpu.work(self.costs.poll);
        cpu.sync().await;
        let begin = cpu.now();
        cpu.arbiter().record_span(Doing { what: "poll", ..Doing::default() }, looks, begin);
        let next = (wake.next)();
        if self.has_arrived() || next <= begin {
            return false;
        }
        self.port.changed.wait_until(next).await;
        if self.costs.poll > 0 && cpu.now() < wake.until {
            end_poll(cpu, begin, self.costs.poll).await;
        }
        false
    }

    fn rest(&self) -> Rest {
        Rest::Told
    }

    fn round(&self, cpu: &AnyProcessor) {
        cpu.work(self.costs.poll);
    }

    fn attention(&self) -> &Signal {
        &self.port.changed
    }

    fn port(&self) -> Option<&Rc<Port>> {
        Some(&self.port)
    }
}

/// Gives the words of a packet's payload; they have no place in memory.
fn give_words(packet: &Packet, words: &mut Vec<u32>) -> u64 {
    let bytes = packet.bytes();
    let payload = &bytes[envelope(&bytes).1..];
    words.extend(payload.chunks_exact(4).map(|part| word(part, 0)));
    0
}

/// Puts a packet's payload into memory; where that is.
async fn land(cpu: &AnyProcessor, packet: &Packet, into: u64) -> u64 {
    let bytes = packet.bytes().to_vec();
    let payload = &bytes[envelope(&bytes).1..];
    let mut moved = 0;
    while moved < payload.len() {
        let part = aligned(into + moved as u64, payload.len() - moved);
        let mut value = [0; 8];
        value[..part].copy_from_slice(&payload[moved..moved + part]);
        let value = u64::from_le_bytes(value);
        stored!(cpu, value, store(cpu, into + moved as u64, part, value));
        moved += part;
    }
    into
}
