//! The parameters of the unit, and how a description gives them.

use super::wire::{FRAGMENT_BITS, HEADER_BYTES, PLACE_BITS};
use crate::engine::{Bytes, Time};
use crate::host::Means;
use crate::ni::{EndsMax, PacketRoom, Reach, Room};
use crate::text::Table;

/// How a processor learns of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    /// It is interrupted.
    Interrupt,
    /// It looks.
    Polling,
}

/// What the directory protocol costs, in cycles of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoherenceCosts {
    /// From an access that needs another node until its request is at the network.
    pub request: u64,
    /// At the home, from a request until its answer is at the network.
    pub home: u64,
    /// More, where the home's own cache has stored what is asked for.
    pub recall: u64,
    /// From an answer's arrival until the processor goes on.
    pub reply: u64,
    /// At who has a copy, from what the home asks until it is answered.
    pub invalidate: u64,
    /// At the home, to take in such an answer, or a block that comes home.
    pub acknowledge: u64,
    /// Pointers of a block.
    pub pointers: u32,
    /// Of the home's processor, to empty them into memory.
    pub trap_read: u64,
    /// Of the home's processor, to begin a write to a block some of whose readers are in memory.
    pub trap_write: u64,
    /// For each reader that it then sends to.
    pub trap_each: u64,
    /// Requests that may wait at a home for blocks that are busy; others are turned away.
    pub waiting: u32,
    /// Until what was turned away is asked for again.
    pub retry: u64,
    /// Blocks that may be prefetched at once.
    pub prefetches: u32,
    /// Of the processor, to ask for one.
    pub prefetch: u64,
    /// Blocks that may be on their way home at once.
    pub write_backs: u32,
    /// Of the processor, to handle a lock at its home.
    pub lock: u64,
    /// Cycles of a loop in another context, to which the processor changes whenever it waits for another node; 0 where
    /// it just waits. (Chong et al. 1998, §5.3: a network that is farther, and as wide as need be.)
    pub delay: u64,
}

/// The unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CmmuParameters {
    /// How a processor learns of a message.
    pub reception: Reception,
    /// Processor cycles of an interrupt, until its handler runs and from there back.
    pub interrupt: u64,
    /// Processor cycles to store a word of a message, or to load one.
    pub word: u64,
    /// Processor cycles to describe bytes in memory, and to know that they have gone or come.
    pub dma: u64,
    /// Processor cycles to gather a double word in memory, of the words that are no arguments.
    pub gather: u64,
    /// Cycles in which the unit puts a double word of a message into memory.
    pub double_word: u64,
    /// The most bytes of memory of a packet.
    pub payload: Bytes,
    /// Messages that the receive queue holds.
    pub queue: usize,
    /// For how long a message may wait for room there.
    pub patience: Time,
    /// Processor cycles of the trap that empties it.
    pub overflow: u64,
    /// More for each message that it puts into memory; and again when that is received.
    pub overflow_each: u64,
    /// The protocol of shared memory.
    pub coherence: CoherenceCosts,
}

/// The most arguments of a message (Chong et al. 1998, §3.2).
pub const ARGUMENTS: usize = 14;

const CYCLES_MAX: u64 = 1_000_000;

impl CmmuParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> CmmuParameters {
        let cycles = |t: &mut Table<'_>, key, doc| t.count(key, doc).max(CYCLES_MAX).required();
        let reception = [("interrupt", Reception::Interrupt), ("polling", Reception::Polling)];
        let payload = t.bytes("message-max", "The most bytes of memory of a packet, in double words").min("8 B");
        let payload = payload.max("16 KiB").or("512 B");
        if payload.get() % 8 != 0 {
            t.wrong("message-max", format!("{payload} is no whole number of double words"), "a double word is 8 B");
        }
        let queue = t.count("receive-queue", "Messages that the receive queue holds").range(1, 1024).required();
        CmmuParameters {
            reception: t.choice("reception", "How a processor learns of a message", &reception).or("interrupt"),
            interrupt: cycles(t, "interrupt-cycles", "Processor cycles of an interrupt, to its handler and back"),
            word: cycles(t, "word-cycles", "Processor cycles to store or to load a word of a message"),
            dma: cycles(t, "dma-cycles", "Processor cycles to describe bytes in memory, and to know of their end"),
            gather: t
                .count("gather-cycles", "Processor cycles to gather a double word in memory, beyond the arguments")
                .max(CYCLES_MAX)
                .or(0),
            double_word: cycles(t, "double-word-cycles", "Cycles to put a double word of a message into memory"),
            payload,
            queue: queue as usize,
            patience: t
                .time("overflow-after", "For how long a message may wait for room in the receive queue")
                .min("1 us")
                .max("100 ms")
                .required(),
            overflow: cycles(t, "overflow-cycles", "Processor cycles of the trap that empties the receive queue"),
            overflow_each: cycles(t, "overflow-message-cycles", "More for each message, to memory and from there"),
            coherence: t.table("coherence", "The protocol of shared memory", CoherenceCosts::read),
        }
    }

    /// What it needs of a host.
    pub const fn needs() -> Means {
        Means { misses: true, ..Means::NONE }
    }

    /// The longest packet.
    pub fn packet_max(&self) -> Bytes {
        HEADER_BYTES + Bytes(self.payload.get().max(4 * ARGUMENTS as u64))
    }

    /// What it takes of main memory.
    pub fn room(&self) -> Room {
        let part = self.payload.get();
        Room { own: [(0, 0); 2], packet: Some(PacketRoom { carries: part, takes: part }), queued: self.queue as u64 }
    }

    /// What it can carry.
    pub fn reach(&self) -> Reach {
        Reach {
            packet: self.packet_max(),
            message: Bytes(self.payload.get() << FRAGMENT_BITS),
            nodes: 1 << 16,
            ends: EndsMax::OfNode(1 << PLACE_BITS),
            has_host_dma: false,
        }
    }
}

impl CoherenceCosts {
    fn read(t: &mut Table<'_>) -> CoherenceCosts {
        let cycles = |t: &mut Table<'_>, key, doc| t.count(key, doc).max(CYCLES_MAX).required();
        let few = |t: &mut Table<'_>, key, doc, least| t.count(key, doc).range(least, 1024).required() as u32;
        CoherenceCosts {
            request: cycles(t, "request", "Cycles from an access that needs another node to its request"),
            home: cycles(t, "home", "Cycles at the home from a request to its answer"),
            recall: cycles(t, "recall", "Cycles more where the home's own cache has stored it"),
            reply: cycles(t, "reply", "Cycles from an answer's arrival until the processor goes on"),
            invalidate: cycles(t, "invalidate", "Cycles at who has a copy, from what the home asks to its answer"),
            acknowledge: cycles(t, "acknowledge", "Cycles at the home to take in such an answer"),
            pointers: few(t, "pointers", "Readers of a block that hardware knows", 1),
            trap_read: cycles(t, "trap-read", "Cycles of the home's processor when a reader finds no pointer"),
            trap_write: cycles(t, "trap-write", "Cycles of the home's processor before such a block is written"),
            trap_each: cycles(t, "trap-each", "Cycles more for each reader that it sends to"),
            waiting: t.count("waiting", "Requests that may wait at a home for blocks that are busy").max(1 << 20).or(16)
                as u32,
            retry: t.count("retry", "Cycles until what was turned away is asked again").range(1, CYCLES_MAX).required(),
            prefetches: few(t, "prefetches", "Blocks that may be prefetched at once; 0 for none", 0),
            prefetch: cycles(t, "prefetch", "Processor cycles to ask for a block that will be wanted"),
            write_backs: few(t, "write-backs", "Blocks that may be on their way home at once", 1),
            lock: cycles(t, "lock", "Processor cycles to handle a lock at its home"),
            delay: t
                .count("delay", "Cycles of a loop that the processor changes to on every remote miss; 0: it waits")
                .max(CYCLES_MAX)
                .or(0),
        }
    }
}
