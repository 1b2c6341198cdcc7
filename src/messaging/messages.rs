//! Messages with a payload that lies in memory, and a few words beside it.
//!
//! Models: a call to send composes each packet from the program's buffer; a call to receive polls, and
//! moves packets into a buffer, or finds the payload where the interface put it; each packet costs
//! instructions on both sides. A program that cannot send for lack of room takes in what has come
//! meanwhile, into buffers in virtual memory (Mukherjee and Hill 1998, §3.2). Several programs of a
//! node may send and receive at once.
//!
//! Leaves out: dispatch, which is the program's; interrupts, which are the driver's.

use super::Endpoint;
use super::fragment::{Partial, fragments};
use super::near::Came;
use crate::engine::{Bytes, Class, EndId, Journey, Time};
use crate::host::{Address, Processor};
use crate::ni::moving::{bytes_of, words_of};
use crate::ni::{Arrival, Compose, Driver, Envelope, Landed, PayloadSink, PayloadSource, Wake};
use crate::protocol::Marks;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};

/// A message to send.
pub struct Outgoing<'a> {
    /// The receiving endpoint.
    pub destination: EndId,
    /// Which payload it carries, if the receiver steers by it; 0 for none, at most 31.
    pub tag: u16,
    /// Where the payload lies in host memory.
    pub address: Address,
    /// Its length.
    pub payload: Bytes,
    /// A few words beside the payload. An interface that carries nothing beside sends them as the
    /// payload of a message that has no other.
    pub words: &'a [u32],
}

/// A message received; to be given back with [`Endpoint::release`].
pub struct Incoming {
    /// The endpoint it came from.
    pub source: EndId,
    /// Its tag.
    pub tag: u16,
    /// Where its payload lies in host memory.
    pub address: Address,
    /// The payload's length.
    pub payload: Bytes,
    /// The words beside the payload.
    pub words: Vec<u32>,
    /// The payload, if it was put together from packets.
    bytes: Option<Vec<u8>>,
    journey: Journey,
    kept: Kept,
}

/// What is given back.
enum Kept {
    /// A buffer of this layer's.
    Buffer(Address),
    /// An entry of the driver's.
    Entry(u64),
    /// Nothing: the payload is where its tag steered it.
    Nothing,
}

/// What an endpoint keeps of messages.
pub(super) struct Messages {
    message_max: usize,
    sequence: Cell<u32>,
    buffers: RefCell<Vec<Address>>,
    partial: RefCell<BTreeMap<(EndId, u16), Partial<Address>>>,
    /// Messages that were taken in while there was no room to send.
    pending: RefCell<VecDeque<Incoming>>,
}

/// What a poll found.
pub(super) enum Polled {
    Nothing,
    /// A packet, but no message is complete with it.
    Fragment,
    Message(Incoming),
}

impl Messages {
    pub fn new(message_max: Bytes) -> Messages {
        Messages {
            message_max: message_max.len().max(1),
            sequence: Cell::new(0),
            buffers: RefCell::default(),
            partial: RefCell::default(),
            pending: RefCell::default(),
        }
    }

    /// Keeps a message until its program asks for one.
    pub fn keep(&self, message: Incoming) {
        self.pending.borrow_mut().push_back(message);
    }
}

impl Endpoint {
    /// Sends a message; returns when its buffer may be used again or the interface has been told.
    pub async fn send(&self, outgoing: Outgoing<'_>) {
        let Outgoing { destination, tag, address, payload, words } = outgoing;
        assert!(payload.len() <= self.messages.message_max, "a message has at most the stated bytes");
        let limits = self.driver.limits();
        let journey = self.tally.message(self.id, destination, payload, self.now());
        let mut run = self.run().await;
        let sequence = self.messages.sequence.get();
        self.messages.sequence.set((sequence + 1) % limits.sequences);
        let travels_beside = limits.beside > 0;
        let beside = bytes_of(words);
        let in_place = !travels_beside && !words.is_empty();
        assert!(!in_place || payload.is_empty(), "words travel in place of a payload");
        let bytes = if in_place { beside.len() } else { payload.len() };
        for (fragment, range) in fragments(bytes, limits.payload).enumerate() {
            let source = match in_place {
                true => PayloadSource::Words(&words[range.start / 4..range.end / 4]),
                false => PayloadSource::Memory(address + range.start as u64, range.len()),
            };
            let last = range.end == bytes;
            let packet = Compose {
                from: self.id,
                to: destination,
                class: Class::REQUESTS,
                marks: Marks { burst: bytes > limits.payload, last, ..Marks::ALONE },
                envelope: Envelope {
                    is_part: true,
                    handler: u8::try_from(tag).expect("a tag is at most 31"),
                    sequence: sequence as u16,
                    fragment: fragment as u32,
                    last,
                },
                source,
                beside: if travels_beside { &beside } else { &[] },
                journey: if fragment == 0 { journey.clone() } else { journey.of_another_packet() },
            };
            self.put(&packet, &mut run, async || self.make_room().await).await;
        }
        self.stop(run).await;
    }

    /// Takes in a packet while there is no room to send; whether there was one.
    async fn make_room(&self) -> bool {
        match self.look().await {
            Polled::Nothing => false,
            Polled::Fragment => true,
            Polled::Message(message) => {
                self.messages.keep(message);
                // A program that waits to receive may wait for nothing else.
                self.attention().notify();
                true
            }
        }
    }

    /// Waits for a message.
    pub async fn receive(&self) -> Incoming {
        let mut run = self.run().await;
        let mut polls = None;
        let message = loop {
            if let Some(message) = self.messages.pending.borrow_mut().pop_front() {
                break self.delivered(message);
            }
            match self.look().await {
                Polled::Message(message) => break self.delivered(message),
                Polled::Fragment => polls = None,
                Polled::Nothing => {
                    polls = polls.or_else(|| self.polls_for_packet());
                    let has_none = || self.messages.pending.borrow().is_empty() && !self.has_been_handed();
                    let next = || if has_none() { Time::MAX } else { Time::ZERO };
                    self.idle(&mut run, Wake { next: &next, until: Time::MAX }).await;
                }
            }
        };
        self.stop(run).await;
        message
    }

    fn delivered(&self, message: Incoming) -> Incoming {
        let now = self.cpu.now();
        message.journey.close_if_lasted("receive: waiting", now);
        self.tally.deliver(&message.journey, now);
        message
    }

    /// Looks for a packet once, and takes it in.
    async fn look(&self) -> Polled {
        if self.near.is_some() {
            let Some(came) = self.find(&|_| false).await else { return Polled::Nothing };
            return self.take_in(came).await;
        }
        if !self.driver.may_find() {
            return Polled::Nothing;
        }
        let Some(arrival) = self.driver.poll(&self.cpu, &|_| false).await else { return Polled::Nothing };
        match self.driver.places_itself() {
            true => Polled::Message(self.take_whole(arrival).await),
            false => self.take_part(Came::Over(arrival)).await.map_or(Polled::Fragment, Polled::Message),
        }
    }

    /// Takes in the packet just found.
    pub(super) async fn take_in(&self, came: Came) -> Polled {
        match came {
            Came::Over(arrival) if self.driver.places_itself() => Polled::Message(self.take_whole(arrival).await),
            came => self.take_part(came).await.map_or(Polled::Fragment, Polled::Message),
        }
    }

    /// A message whose payload lies where the interface put it.
    async fn take_whole(&self, mut arrival: Arrival) -> Incoming {
        assert!(arrival.envelope.is_part, "{MESSAGES}");
        let (source, tag, bytes) = (arrival.from, arrival.envelope.handler.into(), arrival.bytes);
        let journey = arrival.journey.clone();
        let sink = PayloadSink::Memory(0);
        let Landed { address, beside, entry } = self.driver.take(&self.cpu, &mut arrival, 0, sink).await;
        let kept = Kept::Entry(entry.expect("a message that the interface placed has an entry"));
        let payload = Bytes(bytes as u64);
        let words = match beside.is_empty() {
            true => words_of(&self.host.peek(address, bytes.min(BESIDE_MAX))).collect(),
            false => words_of(&beside).collect(),
        };
        Incoming { source, tag, address, payload, words, bytes: None, journey, kept }
    }

    /// Moves a packet into its message's buffer; gives the message that is complete with it.
    async fn take_part(&self, came: Came) -> Option<Incoming> {
        let (source, Envelope { is_part, handler, sequence, fragment, last }, bytes, journey) = came.says();
        assert!(is_part, "{MESSAGES}");
        let (key, alone) = ((source, sequence), fragment == 0 && last);
        let (steered, partial) = (self.steered(&came, handler.into()), &self.messages.partial);
        let place = || steered.unwrap_or_else(|| self.buffer());
        let buffer = match alone {
            true => place(),
            false => partial.borrow_mut().entry(key).or_insert_with(|| Partial::new(place())).buffer,
        };
        let into = buffer + self.driver.place(fragment);
        let sink = PayloadSink::Memory(into);
        let landed = match came {
            Came::Over(mut arrival) => self.driver.take(&self.cpu, &mut arrival, 0, sink).await,
            Came::Beside(left) => self.take_beside(left, 0, sink).await,
        };
        self.cpu.sim().progress();
        let bytes = match alone {
            true => self.host.peek(self.driver.payload_at(into), bytes),
            false => self.whole(key, (fragment, bytes, last))?,
        };
        Some(Incoming {
            source,
            tag: handler.into(),
            address: self.driver.payload_at(buffer),
            payload: Bytes(bytes.len() as u64),
            words: match landed.beside.is_empty() {
                true => words_of(&bytes[..bytes.len().min(BESIDE_MAX)]).collect(),
                false => words_of(&landed.beside).collect(),
            },
            bytes: Some(bytes),
            journey,
            kept: if steered.is_some() { Kept::Nothing } else { Kept::Buffer(buffer) },
        })
    }

    /// A fragment has come: the message's bytes, if none is missing.
    fn whole(&self, key: (EndId, u16), (fragment, bytes, last): (u32, usize, bool)) -> Option<Vec<u8>> {
        let mut partial = self.messages.partial.borrow_mut();
        let message = partial.get_mut(&key).expect("a message of which a fragment came");
        if !message.add(fragment as usize, bytes, last) {
            return None;
        }
        let message = partial.remove(&key).expect("a message of which all came");
        Some(self.gather(&message))
    }

    /// The bytes of a message as they lie in memory, or are on their way to get there.
    fn gather(&self, message: &Partial<Address>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (&fragment, &count) in &message.fragment_bytes {
            let from = self.driver.payload_at(message.buffer + self.driver.place(fragment as u32));
            bytes.extend(self.host.peek(from, count));
        }
        bytes
    }

    /// A buffer for a message.
    fn buffer(&self) -> Address {
        let free = self.messages.buffers.borrow_mut().pop();
        let fragments = self.messages.message_max.div_ceil(self.driver.limits().payload);
        free.unwrap_or_else(|| self.host.allocate(self.driver.buffer_bytes(fragments as u32)))
    }

    /// Shows a received payload to `look`.
    pub fn with_payload<T>(&self, incoming: &Incoming, look: impl FnOnce(&[u8]) -> T) -> T {
        match &incoming.bytes {
            Some(bytes) => look(bytes),
            None => look(&self.host.peek(incoming.address, incoming.payload.len())),
        }
    }

    /// Gives a message's buffer back.
    pub async fn release(&self, incoming: Incoming) {
        match incoming.kept {
            Kept::Buffer(buffer) => self.messages.buffers.borrow_mut().push(buffer),
            Kept::Nothing => {}
            Kept::Entry(entry) => {
                let run = self.run().await;
                self.driver.release(&self.cpu, entry).await;
                self.stop(run).await;
            }
        }
    }
}

/// What a program of active messages would break.
const MESSAGES: &str = "a program of messages is sent messages";

/// The most bytes that are looked at as words.
const BESIDE_MAX: usize = 256;
