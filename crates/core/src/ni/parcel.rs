//! The packets of fifos and queues: their header, and the record of the processor's part of their latency.
//!
//! The paper's header has 8 bytes (Mukherjee and Hill 1998, Table 5). In a coherent queue, the header's sense field is
//! the number of the lap (the pass through the queue) in which the packet was written, which marks the packet as new.
//! In fifos it is zero. Coherent queues with packets above 256 bytes have a header of 16 bytes with wider fields
//! ([`HeaderFormat`]). The transfer of a packet is not part of this module.

use super::envelope::Envelope;
use crate::engine::{Journey, Time};
use crate::fabric::Packet;
use crate::host::block::read_bytes;
use crate::host::{AnyProcessor, BLOCK_BYTES, Block, Processor, Stalls};

/// Bytes of the paper's header.
pub const HEADER_BYTES: usize = 8;

/// The encoding of a header.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum HeaderFormat {
    /// The paper's header of 8 bytes: 8 bits for the payload's length, 10 for each endpoint, 14 for the sequence
    /// number, 8 for the fragment, 5 for the handler, 7 for the sense, and two flags.
    #[default]
    Paper,
    /// A header of 16 bytes: 14 bits for the payload's length, 20 for each endpoint, 16 for the sequence number, 16 for
    /// the fragment, 5 for the handler, 7 for the sense, two flags, and 4 for the sender's marks.
    Large,
}

impl HeaderFormat {
    /// Returns the format for a largest packet of `packet` bytes.
    pub const fn for_packets_of(packet: u64) -> HeaderFormat {
        if packet > PAPER_PACKET_MAX { HeaderFormat::Large } else { HeaderFormat::Paper }
    }

    /// Returns the bytes of a header.
    pub const fn bytes(self) -> usize {
        match self {
            HeaderFormat::Paper => HEADER_BYTES,
            HeaderFormat::Large => 2 * HEADER_BYTES,
        }
    }

    /// Returns the largest number of fragments of a message.
    pub const fn fragments_max(self) -> u32 {
        match self {
            HeaderFormat::Paper => 1 << 8,
            HeaderFormat::Large => 1 << 16,
        }
    }

    /// Returns the largest number of endpoints of a machine.
    pub const fn endpoints_max(self) -> u32 {
        match self {
            HeaderFormat::Paper => 1 << 10,
            HeaderFormat::Large => 1 << 20,
        }
    }

    /// Returns the number of sequence numbers.
    pub const fn sequences(self) -> u32 {
        match self {
            HeaderFormat::Paper => 1 << 14,
            HeaderFormat::Large => 1 << 16,
        }
    }
}

/// Bytes of the largest packet with the paper's header.
pub const PAPER_PACKET_MAX: u64 = 256;
/// Bytes of the largest packet with the header of 16 bytes.
pub const LARGE_PACKET_MAX: u64 = 16 << 10;

/// The header of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Header {
    /// Encoding of the header.
    pub format: HeaderFormat,
    /// Bytes of payload in this packet.
    pub payload_bytes: u16,
    /// Sending endpoint.
    pub source: u32,
    /// Receiving endpoint.
    pub destination: u32,
    /// Header of the messaging layer. The sequence number is long because a message may be returned many times and
    /// overtaken by many others.
    pub envelope: Envelope,
    /// Number of the lap in which the packet was written, in 7 bits; zero in fifos.
    pub sense: u8,
    /// Marks of the sender; zero with the paper's header, which has no such field.
    pub marks: u8,
}

/// Widths of the fields of the paper's header in bits, from the lowest bit on.
const FIELD_BITS: [u32; 9] = [8, 10, 10, 14, 1, 8, 1, 5, 7];
/// Widths of the fields in the two words of the header of 16 bytes. The first word has the fields by which a packet is
/// recognised as new, and its length.
const LARGE_FIELD_BITS: [[u32; 7]; 2] = [[14, 16, 20, 1, 1, 5, 7], [20, 16, 4, 24, 0, 0, 0]];

/// First bit of each field.
const FIELD_SHIFTS: [u32; 9] = {
    let (mut shifts, mut field) = ([0; 9], 1);
    while field < 9 {
        shifts[field] = shifts[field - 1] + FIELD_BITS[field - 1];
        field += 1;
    }
    shifts
};

/// Packs fields into a word, from the lowest bit on.
///
/// # Panics
///
/// Panics if a field does not fit.
fn pack<const N: usize>(fields: [u64; N], widths: [u32; N]) -> u64 {
    let (mut word, mut shift) = (0, 0);
    for (field, width) in fields.into_iter().zip(widths) {
        assert!(field < 1 << width, "{field} does not fit the {width} bits it has in a header");
        word |= if width == 0 { 0 } else { field << shift };
        shift += width;
    }
    word
}

/// Returns the fields of a word that [`pack`] made.
fn unpack<const N: usize>(word: u64, widths: [u32; N]) -> [u32; N] {
    let mut remaining_bits = word;
    widths.map(|width| {
        let field = remaining_bits & ((1 << width) - 1);
        remaining_bits >>= width;
        field as u32
    })
}

impl Header {
    /// Returns word number `index` of the encoded header.
    ///
    /// # Panics
    ///
    /// Panics if a field does not fit.
    pub fn word(self, index: usize) -> u64 {
        if self.format == HeaderFormat::Paper {
            return self.encode();
        }
        let Envelope { is_part, handler, sequence, fragment, last } = self.envelope;
        let fields = match index {
            0 => [
                self.payload_bytes.into(),
                sequence.into(),
                self.source.into(),
                is_part.into(),
                last.into(),
                handler.into(),
                self.sense.into(),
            ],
            _ => [self.destination.into(), fragment.into(), self.marks.into(), 0, 0, 0, 0],
        };
        pack(fields, LARGE_FIELD_BITS[index])
    }

    /// Returns the header of `format` that `words` hold. The paper's header does not use the second word.
    #[inline]
    pub fn from_words(format: HeaderFormat, words: [u64; 2]) -> Header {
        if format == HeaderFormat::Paper {
            return Header::decode(words[0]);
        }
        let [payload, sequence, source, is_part, last, handler, sense] = unpack(words[0], LARGE_FIELD_BITS[0]);
        let [destination, fragment, marks, ..] = unpack(words[1], LARGE_FIELD_BITS[1]);
        Header {
            format,
            payload_bytes: payload as u16,
            source,
            destination,
            envelope: Envelope {
                sequence: sequence as u16,
                is_part: is_part == 1,
                fragment,
                last: last == 1,
                handler: handler as u8,
            },
            sense: sense as u8,
            marks: marks as u8,
        }
    }

    /// Returns the header of `format` at the beginning of `bytes`.
    pub fn from_bytes(format: HeaderFormat, bytes: &[u8]) -> Header {
        let word = |offset: usize| bytes.get(offset..offset + 8).map_or(0, read_bytes);
        Header::from_words(format, [word(0), word(8)])
    }

    /// Writes the header to the beginning of `bytes`.
    pub fn write_to(self, bytes: &mut [u8]) {
        for (index, word_bytes) in bytes[..self.format.bytes()].chunks_exact_mut(8).enumerate() {
            word_bytes.copy_from_slice(&self.word(index).to_le_bytes());
        }
    }

    /// Returns the header as a word, in the paper's format.
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

    /// Returns the header in the paper's format that `word` holds.
    #[inline]
    pub fn decode(word: u64) -> Header {
        let field = |number: usize| (word >> FIELD_SHIFTS[number] & ((1 << FIELD_BITS[number]) - 1)) as u32;
        Header {
            format: HeaderFormat::Paper,
            payload_bytes: field(0) as u16,
            source: field(1),
            destination: field(2),
            envelope: Envelope {
                sequence: field(3) as u16,
                is_part: field(4) == 1,
                fragment: field(5),
                last: field(6) == 1,
                handler: field(7) as u8,
            },
            sense: field(8) as u8,
            marks: 0,
        }
    }

    /// Returns the header of `packet`.
    pub fn from_packet(format: HeaderFormat, packet: &Packet) -> Header {
        Header::from_bytes(format, &packet.bytes())
    }

    /// Returns the number of words of the header.
    #[inline]
    pub const fn header_words(self) -> usize {
        self.format.bytes() / 8
    }

    /// Returns the bytes of the packet, header and payload.
    pub fn packet_bytes(self) -> usize {
        self.format.bytes() + self.payload_bytes as usize
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

/// Names of the two stages in which a processor works for a packet: the processor's own work, and its bus accesses.
pub struct StageNames {
    /// Name of the stage of instructions and cache hits.
    pub processor: &'static str,
    /// Name of the stage of accesses that left the processor.
    pub bus: &'static str,
}

/// Names of the stages of sending.
pub const SENDING_STAGES: StageNames = StageNames { processor: "send: processor", bus: "send: bus" };
/// Names of the stages of receiving.
pub const RECEIVING_STAGES: StageNames = StageNames { processor: "receive: processor", bus: "receive: bus" };

/// The record of a stage in which a processor works for a packet. The end of the stage splits it into the processor's
/// own work and its bus accesses.
#[derive(Clone)]
pub struct ProcessorStage {
    journey: Journey,
    cpu: AnyProcessor,
    start: Time,
    stalls: Stalls,
}

impl ProcessorStage {
    /// Begins the processor's stage, and ends the stage `previous_stage`. Returns `None` if the packet has no ledger.
    pub fn start(journey: &Journey, cpu: &AnyProcessor, previous_stage: &'static str) -> Option<ProcessorStage> {
        if !journey.has_ledger() {
            return None;
        }
        let (start, stalls) = (cpu.now(), cpu.stalls());
        journey.close(previous_stage, start);
        Some(ProcessorStage { journey: journey.clone(), cpu: cpu.clone(), start, stalls })
    }

    /// Ends the processor's stage at `at`, which may be within an access that is not counted yet.
    pub fn end(self, names: &StageNames, at: Time) {
        let stalls = self.cpu.stalls();
        let waiting_time = stalls.waiting - self.stalls.waiting;
        let uncounted_access_time = at.since(self.cpu.now());
        let bus_time =
            (stalls.service - self.stalls.service + waiting_time + uncounted_access_time).min(at - self.start);
        let worked_until = at - bus_time;
        self.journey.add_service(self.start, worked_until);
        self.journey.close(names.processor, worked_until);
        self.journey.add_service(worked_until, at - waiting_time.min(bus_time));
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

        #[test]
        fn a_large_header_equals_the_one_that_was_written(
            (payload_bytes, source, destination) in (0u16..1 << 14, 0u32..1 << 20, 0u32..1 << 20),
            (sequence, fragment, handler) in (any::<u16>(), 0u32..1 << 16, 0u8..32),
            (is_part, last, sense, marks) in (any::<bool>(), any::<bool>(), 0u8..128, 0u8..16),
        ) {
            let envelope = Envelope { is_part, handler, sequence, fragment, last };
            let format = HeaderFormat::Large;
            let header = Header { format, payload_bytes, source, destination, envelope, sense, marks };
            let mut bytes = [0; 16];
            header.write_to(&mut bytes);
            prop_assert_eq!(Header::from_bytes(format, &bytes), header);
        }
    }

    #[test]
    fn a_field_that_does_not_fit_panics() {
        let encoding_panics = |change: fn(&mut Header)| {
            let mut header = Header::default();
            change(&mut header);
            std::panic::catch_unwind(|| header.encode()).is_err()
        };
        assert!(encoding_panics(|header| header.envelope.handler = 32));
        assert!(encoding_panics(|header| header.envelope.fragment = 256));
        assert!(encoding_panics(|header| header.envelope.sequence = 1 << 14));
        assert!(encoding_panics(|header| header.source = 1 << 10));
        assert!(encoding_panics(|header| header.sense = 128));
        assert!(!encoding_panics(|header| header.envelope.handler = 31));
    }

    #[test]
    fn a_field_that_does_not_fit_a_large_header_panics() {
        let writing_panics = |change: fn(&mut Header)| {
            let mut header = Header { format: HeaderFormat::Large, ..Header::default() };
            change(&mut header);
            std::panic::catch_unwind(|| header.write_to(&mut [0; 16])).is_err()
        };
        assert!(writing_panics(|header| header.envelope.handler = 32));
        assert!(writing_panics(|header| header.envelope.fragment = 1 << 16));
        assert!(writing_panics(|header| header.payload_bytes = 1 << 14));
        assert!(writing_panics(|header| header.destination = 1 << 20));
        assert!(writing_panics(|header| header.sense = 128));
        assert!(!writing_panics(|header| header.envelope.sequence = u16::MAX));
    }
}
