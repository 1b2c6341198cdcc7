//! A network message: its header, its bytes, and what is known of its journey.
//!
//! The header is 8 bytes (Table 5). Its sense tells the reader of a coherent queue that the
//! message is new; elsewhere it is zero.

use crate::engine::{Ledger, Time};
use crate::host::memory_bus::{Address, BLOCK_BYTES, Block, Processor};

/// Bytes of a header.
pub const HEADER_BYTES: usize = 8;

/// What the header of a network message says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Header {
    /// Bytes of payload in this network message, up to 248.
    pub payload_bytes: u8,
    /// Who sent it: 10 bits.
    pub source: u16,
    /// Where it goes: 10 bits.
    pub destination: u16,
    /// The program's message it belongs to, counted by its sender: 15 bits, since a message may be
    /// returned often and overtaken by many.
    pub sequence: u16,
    /// Its number among the fragments of that message: 8 bits.
    pub fragment: u16,
    /// It is the last fragment.
    pub last: bool,
    /// What the receiver shall do with the message: 5 bits.
    pub handler: u8,
    /// The lap of the queue it was written in: 7 bits, zero for none.
    pub sense: u8,
}

impl Header {
    /// Most fragments of one message.
    pub const FRAGMENTS_MAX: usize = 1 << 8;
    /// Most nodes of a machine.
    pub const NODES_MAX: usize = 1 << 10;
    /// Sequence numbers.
    pub const SEQUENCES: u16 = 1 << 15;

    /// The header as a word.
    pub fn encode(self) -> u64 {
        u64::from(self.payload_bytes)
            | u64::from(self.source) << 8
            | u64::from(self.destination) << 18
            | u64::from(self.sequence) << 28
            | u64::from(self.fragment) << 43
            | u64::from(self.last) << 51
            | u64::from(self.handler) << 52
            | u64::from(self.sense) << 57
    }

    /// The header in a word.
    pub fn decode(word: u64) -> Header {
        let bits = |from: u32, count: u32| (word >> from & ((1 << count) - 1)) as u16;
        Header {
            payload_bytes: bits(0, 8) as u8,
            source: bits(8, 10),
            destination: bits(18, 10),
            sequence: bits(28, 15),
            fragment: bits(43, 8),
            last: bits(51, 1) == 1,
            handler: bits(52, 5) as u8,
            sense: bits(57, 7) as u8,
        }
    }

    /// Bytes of the network message: header and payload.
    pub fn message_bytes(self) -> usize {
        HEADER_BYTES + self.payload_bytes as usize
    }

    /// Words of 8 bytes, the last perhaps not full.
    pub fn words(self) -> usize {
        self.message_bytes().div_ceil(8)
    }

    /// Blocks that the network message takes.
    pub fn blocks(self) -> usize {
        self.message_bytes().div_ceil(BLOCK_BYTES)
    }

    /// Bytes of word `word` of the network message.
    pub fn bytes_of_word(self, word: usize) -> usize {
        (self.message_bytes() - 8 * word).min(8)
    }
}

/// A network message that a driver is to send: a header, and a payload in memory.
pub struct Outgoing {
    /// The header.
    pub header: Header,
    /// Where the payload lies, at a multiple of 8.
    pub payload: Address,
    /// Its journey, if that is recorded.
    pub ticket: Option<Ticket>,
}

/// A network message on its way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parcel {
    /// Header and payload.
    pub bytes: Vec<u8>,
    /// Its journey, if that is recorded.
    pub ledger: Option<Box<Ledger>>,
}

impl Parcel {
    /// The header.
    pub fn header(&self) -> Header {
        Header::decode(crate::host::memory_bus::block::read_bytes(&self.bytes[..HEADER_BYTES]))
    }

    /// Block `block` of the message, zeros after its end.
    pub fn block(&self, block: usize) -> Block {
        let from = (block * BLOCK_BYTES).min(self.bytes.len());
        Block::from_bytes(&self.bytes[from..(from + BLOCK_BYTES).min(self.bytes.len())])
    }

    /// Counts service in the present stage of the journey.
    pub fn served(&mut self, from: Time, to: Time) {
        if let Some(ledger) = &mut self.ledger {
            ledger.served(from, to);
        }
    }

    /// Ends a stage of the journey, which was service since `from` if that is given.
    pub fn close(&mut self, name: &'static str, from: Option<Time>, at: Time) {
        if let Some(ledger) = &mut self.ledger {
            if let Some(from) = from {
                ledger.served(from, at);
            }
            ledger.close(name, at);
        }
    }
}

/// The names under which a processor's part of a journey is told: its own work, and the bus.
pub struct StageNames {
    /// Instructions and hits.
    pub processor: &'static str,
    /// Accesses that left the processor.
    pub bus: &'static str,
}

/// The stages of sending.
pub const SENDING: StageNames = StageNames { processor: "send: processor", bus: "send: bus" };
/// The stages of receiving.
pub const RECEIVING: StageNames = StageNames { processor: "receive: processor", bus: "receive: bus" };

/// A ledger during a stage in which a processor works: its end splits the stage into the
/// processor's own work and its bus accesses.
#[derive(Clone)]
pub struct Ticket {
    ledger: Box<Ledger>,
    processor: Processor,
    start: Time,
    stalls: crate::host::memory_bus::processor::Stalls,
}

impl Ticket {
    /// The processor's part begins now; what the ledger's stage holds so far is told as `before`.
    pub fn start(mut ledger: Box<Ledger>, processor: &Processor, before: &'static str) -> Ticket {
        let (start, stalls) = (processor.time(), processor.stalls());
        ledger.close(before, start);
        Ticket { ledger, processor: processor.clone(), start, stalls }
    }

    /// The processor's part ends at `at`, perhaps inside an access that is not counted yet.
    pub fn end(mut self, names: &StageNames, at: Time) -> Box<Ledger> {
        let stalls = self.processor.stalls();
        let waiting = stalls.waiting - self.stalls.waiting;
        let in_access = at.since(self.processor.time());
        let bus = (stalls.service - self.stalls.service + waiting + in_access).min(at - self.start);
        let worked_until = at - bus;
        self.ledger.served(self.start, worked_until);
        self.ledger.close(names.processor, worked_until);
        self.ledger.served(worked_until, at - waiting.min(bus));
        self.ledger.close(names.bus, at);
        self.ledger
    }
}
