//! A program's end of the messaging layer, over any interface on the memory bus.
//!
//! Models: a call to send composes each network message from the user's buffer; a call to receive
//! polls, and copies into a user's buffer; each network message costs instructions on both sides.
//! A program that cannot send for lack of room takes in what has come meanwhile, into buffers in
//! virtual memory (§3.2), so that two full nodes do not wait for each other for ever.
//!
//! Leaves out: active-message dispatch, which is the program's; interrupts.
//!
//! Parameters: [`MessagingParameters`].

use super::fragment::{Partial, fragments};
use crate::engine::{Ledger, Time};
use crate::host::memory_bus::{Address, Node, Problem, Processor};
use crate::ni::memory_bus::message::{HEADER_BYTES, Header, Outgoing, Ticket};
use crate::ni::memory_bus::{Arrival, Interface, ReceiveHalf, SendHalf};
use crate::text::Table;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// The messaging layer's costs and buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessagingParameters {
    /// Cycles to send a network message, beside its copy (calibrated).
    pub send_cycles: u64,
    /// Cycles to receive a network message, beside its copy (calibrated).
    pub receive_cycles: u64,
    /// The largest message of a program.
    pub message_bytes_max: usize,
    /// Whether each message carries a ledger.
    pub ledgers: bool,
}

impl MessagingParameters {
    /// Reads them; every message of a machine carries a ledger.
    pub fn read(t: &mut Table<'_>) -> MessagingParameters {
        MessagingParameters {
            send_cycles: t
                .count("send", "Processor cycles to send a network message, beside its copy")
                .max(1_000_000)
                .required(),
            receive_cycles: t
                .count("receive", "Processor cycles to receive one, beside its copy")
                .max(1_000_000)
                .required(),
            message_bytes_max: t.bytes("message-max", "Largest message of a program").min("8 B").required().len(),
            ledgers: true,
        }
    }

    /// The layer of Table 5.
    pub const PAPER: MessagingParameters =
        MessagingParameters { send_cycles: 55, receive_cycles: 70, message_bytes_max: 4096, ledgers: false };

    /// Everything that is wrong with these parameters over network messages of `network_max`.
    pub fn check(&self, network_max: usize) -> Vec<Problem> {
        let bytes_max = Header::FRAGMENTS_MAX * (network_max - HEADER_BYTES);
        let mut problems = Vec::new();
        if self.message_bytes_max > bytes_max {
            let reason = format!(
                "{} B: a message has at most {} fragments, {bytes_max} B",
                self.message_bytes_max,
                Header::FRAGMENTS_MAX
            );
            problems.push(Problem::new("message-bytes-max", reason));
        }
        problems
    }
}

/// A message that was received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received {
    /// Who sent it.
    pub source: u16,
    /// What the sender asked for.
    pub handler: u8,
    /// Its bytes, as they lie in memory.
    pub bytes: Vec<u8>,
    /// The user's buffer, to be given back with [`Endpoint::free`].
    pub buffer: Address,
    /// The journey of the fragment that completed it, from the call to send.
    pub ledger: Option<Box<Ledger>>,
}

/// What a poll found.
pub enum Polled {
    /// No network message.
    Nothing,
    /// A network message, but no message is complete with it.
    Fragment,
    /// A message.
    Message(Received),
}

/// A program's end.
pub struct Endpoint {
    node: Rc<Node>,
    interface: Rc<Interface>,
    number: u16,
    parameters: MessagingParameters,
    sequence: Cell<u16>,
    buffers: RefCell<Vec<Address>>,
    partial: RefCell<BTreeMap<(u16, u16), Partial<Address>>>,
    pending: RefCell<VecDeque<Received>>,
}

impl Endpoint {
    /// The end of node `number`.
    pub fn new(node: Rc<Node>, interface: Rc<Interface>, number: u16, parameters: MessagingParameters) -> Endpoint {
        Endpoint {
            node,
            interface,
            number,
            parameters,
            sequence: Cell::new(0),
            buffers: RefCell::default(),
            partial: RefCell::default(),
            pending: RefCell::default(),
        }
    }

    /// The processor that runs the program.
    pub fn processor(&self) -> &Processor {
        &self.node.processor
    }

    /// The node.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The interface.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    fn payload_max(&self) -> usize {
        self.interface.parameters.message_bytes_max.len() - HEADER_BYTES
    }

    /// Sends `bytes` bytes at `buffer` (a multiple of 8) to node `destination`; returns when the
    /// buffer may be used again.
    pub async fn send(&self, destination: u16, handler: u8, buffer: Address, bytes: usize) {
        assert!(bytes <= self.parameters.message_bytes_max, "a message has at most the stated bytes");
        let start = self.processor().time();
        let sequence = self.sequence.get();
        self.sequence.set((sequence + 1) % Header::SEQUENCES);
        for (fragment, range) in fragments(bytes, self.payload_max()).enumerate() {
            let header = Header {
                payload_bytes: range.len() as u8,
                source: self.number,
                destination,
                sequence,
                fragment: fragment as u16,
                last: range.end == bytes,
                handler,
                sense: 0,
            };
            self.send_fragment(header, buffer + range.start as u64, start).await;
        }
    }

    async fn send_fragment(&self, header: Header, payload: Address, start: Time) {
        let processor = self.processor();
        let ledger = self.parameters.ledgers.then(|| Box::new(Ledger::new(start)));
        let ticket = ledger.map(|ledger| Ticket::start(ledger, processor, "send: earlier fragments"));
        processor.work(self.parameters.send_cycles);
        while !self.interface.sender.can_send(processor).await {
            self.make_room().await;
        }
        self.interface.sender.send(processor, Outgoing { header, payload, ticket }).await;
    }

    /// Takes in what has come while there is no room to send.
    async fn make_room(&self) {
        let processor = self.processor();
        if let Some(arrival) = self.interface.receiver.poll(processor).await {
            let complete = self.take_in(arrival).await;
            self.pending.borrow_mut().extend(complete);
            return;
        }
        processor.work(self.interface.parameters.poll_cycles);
        processor.sync().await;
        processor.sim().waits_for(Some(self.interface.port.freed.point()));
    }

    /// Waits for a message.
    pub async fn receive(&self) -> Received {
        loop {
            match self.poll().await {
                Polled::Message(received) => return received,
                Polled::Fragment => {}
                Polled::Nothing => self.interface.receiver.idle(self.processor()).await,
            }
        }
    }

    /// Looks for a message, and takes in at most one network message.
    pub async fn poll(&self) -> Polled {
        if let Some(received) = self.pending.borrow_mut().pop_front() {
            return Polled::Message(received);
        }
        match self.interface.receiver.poll(self.processor()).await {
            None => Polled::Nothing,
            Some(arrival) => self.take_in(arrival).await.map_or(Polled::Fragment, Polled::Message),
        }
    }

    /// Moves a network message into its buffer; gives the message that is complete with it.
    async fn take_in(&self, arrival: Arrival) -> Option<Received> {
        let (header, processor) = (arrival.header, self.processor());
        processor.work(self.parameters.receive_cycles);
        let key = (header.source, header.sequence);
        let buffer = self.partial.borrow_mut().entry(key).or_insert_with(|| Partial::new(self.allocate())).buffer;
        let into = self.interface.place(buffer, header.fragment.into()).into;
        let ledger = self.interface.receiver.receive(processor, arrival, into).await;
        processor.sim().progress();
        let mut partial = self.partial.borrow_mut();
        let message = partial.get_mut(&key).expect("a message of which a fragment came");
        if !message.add(header.fragment.into(), header.payload_bytes.into(), header.last) {
            return None;
        }
        let message = partial.remove(&key).expect("a message of which all came");
        let bytes = self.gather(&message);
        Some(Received { source: header.source, handler: header.handler, bytes, buffer, ledger })
    }

    /// The bytes of a message as they lie in memory, or wait in the store buffer to get there.
    fn gather(&self, message: &Partial<Address>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (&fragment, &count) in &message.fragment_bytes {
            let from = self.interface.place(message.buffer, fragment).payload;
            bytes.extend(self.node.peek(from, count));
        }
        bytes
    }

    fn allocate(&self) -> Address {
        let free = self.buffers.borrow_mut().pop();
        let fragments = self.parameters.message_bytes_max.div_ceil(self.payload_max());
        let bytes = fragments * self.interface.parameters.message_bytes_max.len();
        free.unwrap_or_else(|| self.node.allocate(bytes))
    }

    /// Gives a received message's buffer back.
    pub fn free(&self, received: Received) {
        self.buffers.borrow_mut().push(received.buffer);
    }
}
