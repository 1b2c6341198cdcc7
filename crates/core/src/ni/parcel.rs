//! The packets of fifos and queues: their header, and the record of the processor's part of their latency.
//!
//! The header has 8 bytes (Mukherjee and Hill 1998, Table 5). Its sense marks a packet of a coherent queue as new; in
//! fifos it is zero. The module leaves out the transfer of a packet.

use super::envelope::Envelope;
use crate::engine::{Journey, Time};
use crate::fabric::Packet;
use crate::host::block::read_bytes;
use crate::host::{AnyProcessor, BLOCK_BYTES, Block, Processor, Stalls};

/// Bytes of a header.
pub const HEADER_BYTES: usize = 8;

/// The header of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Header {
    /// Bytes of payload in this packet, up to 248: 8 bits.
    pub payload_bytes: u8,
    /// Sending endpoint: 10 bits.
    pub source: u16,
    /// Receiving endpoint: 10 bits.
    pub destination: u16,
    /// Description by the messaging layer: 14 bits of sequence number, 8 of fragment, 5 of handler, and two flags. The
    /// sequence number is long because a message may be returned many times and overtaken by many others.
    pub envelope: Envelope,
    /// Lap of the queue in which the packet was written: 7 bits, zero for none.
    pub sense: u8,
}

/// Widths of the fields in bits, from the lowest bit on.
const FIELD_BITS: [u32; 9] = [8, 10, 10, 14, 1, 8, 1, 5, 7];

/// First bit of each field.
const FIELD_SHIFTS: [u32; 9] = {
    let (mut shifts, mut field) = ([0; 9], 1);
    while field < 9 {
        shifts[field] = shifts[field - 1] + FIELD_BITS[field - 1];
        field += 1;
    }
    shifts
};

impl Header {
    /// Largest number of fragments of a message.
    pub const FRAGMENTS_MAX: u32 = 1 << 8;
    /// Largest number of endpoints of a machine.
    pub const ENDS_MAX: u32 = 1 << 10;
    /// Number of sequence numbers.
    pub const SEQUENCES: u32 = 1 << 14;

    /// Returns the header as a word.
    ///
    /// # Panics
    ///
    /// Panics if a field does not fit.
    pub fn encode(self) -> u64 {
        let Envelope { is_part, handler, sequence, fragment, last } = self.envelope;
        let fields = [
            self.payload_bytes.into(),
            self.source.into(),
            self.destination.into(),
            sequence.into(),
            is_part.into(),
            fragment.into(),
            last.into(),
            handler.into(),
            self.sense.into(),
        ];
        let mut word = 0u64;
        for ((field, width), shift) in fields.into_iter().zip(FIELD_BITS).zip(FIELD_SHIFTS) {
            let field: u64 = field;
            assert!(field < 1 << width, "{field} does not fit the {width} bits it has in a header");
            word |= field << shift;
        }
        word
    }

    /// Returns the header that `word` holds.
    #[inline]
    pub fn decode(word: u64) -> Header {
        let field = |number: usize| (word >> FIELD_SHIFTS[number] & ((1 << FIELD_BITS[number]) - 1)) as u32;
        Header {
            payload_bytes: field(0) as u8,
            source: field(1) as u16,
            destination: field(2) as u16,
            envelope: Envelope {
                sequence: field(3) as u16,
                is_part: field(4) == 1,
                fragment: field(5),
                last: field(6) == 1,
                handler: field(7) as u8,
            },
            sense: field(8) as u8,
        }
    }

    /// Returns the header of `packet`.
    pub fn of(packet: &Packet) -> Header {
        Header::decode(read_bytes(&packet.bytes()[..HEADER_BYTES]))
    }

    /// Returns the bytes of the packet, header and payload.
    pub fn packet_bytes(self) -> usize {
        HEADER_BYTES + self.payload_bytes as usize
    }

    /// Returns the number of 8-byte words of the packet, including a last word that is not full.
    pub fn words(self) -> usize {
        self.packet_bytes().div_ceil(8)
    }

    /// Returns the number of blocks that the packet occupies.
    pub fn blocks(self) -> usize {
        self.packet_bytes().div_ceil(BLOCK_BYTES)
    }

    /// Returns the number of bytes of word `word` of the packet.
    pub fn bytes_of_word(self, word: usize) -> usize {
        (self.packet_bytes() - 8 * word).min(8)
    }
}

/// Returns block `block` of a packet, with zeros after its end.
pub fn block_of(packet: &Packet, block: usize) -> Block {
    let bytes = packet.bytes();
    let from = (block * BLOCK_BYTES).min(bytes.len());
    Block::from_bytes(&bytes[from..(from + BLOCK_BYTES).min(bytes.len())])
}

/// Names of the two stages of the processor's part of a journey: the processor's own work, and its bus accesses.
pub struct StageNames {
    /// Name of the stage of instructions and cache hits.
    pub processor: &'static str,
    /// Name of the stage of accesses that left the processor.
    pub bus: &'static str,
}

/// Names of the stages of sending.
pub const SENDING: StageNames = StageNames { processor: "send: processor", bus: "send: bus" };
/// Names of the stages of receiving.
pub const RECEIVING: StageNames = StageNames { processor: "receive: processor", bus: "receive: bus" };

/// The record of a stage in which a processor works for a packet. The end of the stage splits it into the processor's
/// own work and its bus accesses.
#[derive(Clone)]
pub struct Ticket {
    journey: Journey,
    cpu: AnyProcessor,
    start: Time,
    stalls: Stalls,
}

impl Ticket {
    /// Begins the processor's part, and ends the stage `before`. Returns `None` if the packet has no ledger.
    pub fn start(journey: &Journey, cpu: &AnyProcessor, before: &'static str) -> Option<Ticket> {
        if !journey.is_followed() {
            return None;
        }
        let (start, stalls) = (cpu.now(), cpu.stalls());
        journey.close(before, start);
        Some(Ticket { journey: journey.clone(), cpu: cpu.clone(), start, stalls })
    }

    /// Ends the processor's part at `at`, which may be within an access that is not counted yet.
    pub fn end(self, names: &StageNames, at: Time) {
        let stalls = self.cpu.stalls();
        let waiting = stalls.waiting - self.stalls.waiting;
        let in_access = at.since(self.cpu.now());
        let bus = (stalls.service - self.stalls.service + waiting + in_access).min(at - self.start);
        let worked_until = at - bus;
        self.journey.add_service(self.start, worked_until);
        self.journey.close(names.processor, worked_until);
        self.journey.add_service(worked_until, at - waiting.min(bus));
        self.journey.close(names.bus, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_encoded_header_equals_the_decoded_word(word in any::<u64>()) {
            prop_assert_eq!(Header::decode(word).encode(), word);
        }
    }

    #[test]
    fn a_field_that_does_not_fit_panics() {
        let wide = |change: fn(&mut Header)| {
            let mut header = Header::default();
            change(&mut header);
            std::panic::catch_unwind(|| header.encode()).is_err()
        };
        assert!(wide(|header| header.envelope.handler = 32));
        assert!(wide(|header| header.envelope.fragment = 256));
        assert!(wide(|header| header.envelope.sequence = 1 << 14));
        assert!(wide(|header| header.source = 1 << 10));
        assert!(wide(|header| header.sense = 128));
        assert!(!wide(|header| header.envelope.handler = 31));
    }
}
