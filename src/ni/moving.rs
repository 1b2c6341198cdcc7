//! The loops that every driver has: words of a packet out of memory or registers, and into them.

use super::parcel::{HEADER_BYTES, Header};
use crate::host::{Address, Cpu, Processor};

/// Where a packet's payload comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// Memory, at a multiple of 8.
    Memory(Address, usize),
    /// Registers.
    Words(&'a [u32]),
}

/// Where a packet's payload goes.
#[derive(Debug)]
pub enum Sink<'a> {
    /// Memory, at a multiple of 8.
    Memory(Address),
    /// Registers.
    Words(&'a mut Vec<u32>),
}

impl Source<'_> {
    /// Its length, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Source::Memory(_, bytes) => *bytes,
            Source::Words(words) => 4 * words.len(),
        }
    }
}

/// The eight bytes at word `word` of a row of 32-bit words, zeros after its end.
fn pair(words: &[u32], word: usize) -> u64 {
    let at = |place: usize| u64::from(words.get(place).copied().unwrap_or(0));
    at(2 * word) | at(2 * word + 1) << 32
}

/// Word `word` of a packet: the header, or up to eight bytes of the payload, which take `cycles` of
/// the loop around the access.
pub async fn load_word(cpu: &Cpu, header: Header, source: Source<'_>, word: usize, cycles: u64) -> u64 {
    cpu.work(cycles);
    match (word, source) {
        (0, _) => header.encode(),
        (_, Source::Words(words)) => pair(words, word - 1),
        (_, Source::Memory(payload, _)) => {
            cpu.load_word(payload + 8 * (word as u64 - 1), header.bytes_of_word(word)).await
        }
    }
}

/// Puts word `word` (not the header) of a packet where its payload goes.
pub async fn store_word(cpu: &Cpu, header: Header, sink: &mut Sink<'_>, word: usize, value: u64, cycles: u64) {
    cpu.work(cycles);
    let bytes = header.bytes_of_word(word);
    match sink {
        Sink::Memory(into) => cpu.store_word(*into + 8 * (word as u64 - 1), bytes, value).await,
        Sink::Words(words) => {
            words.push(value as u32);
            if bytes > 4 {
                words.push((value >> 32) as u32);
            }
        }
    }
}

/// Where a packet that is moved with its header has its payload.
pub const fn behind_header(address: Address) -> Address {
    address + HEADER_BYTES as u64
}
