//! The loops that every driver has: words of a packet out of memory or registers, and into them.

use super::parcel::{HEADER_BYTES, Header};
use crate::host::UNTAGGED;
use crate::host::{Address, AnyProcessor, Processor};

/// Where a packet's payload comes from.
#[derive(Clone, Copy, Debug)]
pub enum PayloadSource<'a> {
    /// Memory, at a multiple of 8.
    Memory(Address, usize),
    /// Registers.
    Words(&'a [u32]),
}

/// Where a packet's payload goes.
#[derive(Debug)]
pub enum PayloadSink<'a> {
    /// Memory, at a multiple of 8.
    Memory(Address),
    /// Registers.
    Words(&'a mut Vec<u32>),
}

impl PayloadSource<'_> {
    /// Its length, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            PayloadSource::Memory(_, bytes) => *bytes,
            PayloadSource::Words(words) => 4 * words.len(),
        }
    }
}

/// Words as bytes, as they lie in memory.
pub fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().map(|word| word.to_le_bytes()).collect::<Vec<_>>().into_flattened()
}

/// The whole words of a row of bytes.
pub fn words_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word))
}

/// The eight bytes at word `word` of a row of 32-bit words, zeros after its end.
fn pair(words: &[u32], word: usize) -> u64 {
    let at = |place: usize| u64::from(words.get(place).copied().unwrap_or(0));
    at(2 * word) | at(2 * word + 1) << 32
}

/// A word of memory that the processor must wait for. Most words need no wait, and a future that is
/// made in vain costs a copy of all that it might hold: so loops ask first.
#[must_use = "the access is still to be made"]
pub struct Missing {
    address: Address,
    bytes: usize,
}

impl Missing {
    /// Waits for it, and loads it.
    pub async fn load(self, cpu: &AnyProcessor) -> u64 {
        cpu.load(self.address, self.bytes).await.expect(UNTAGGED)
    }

    /// Waits until it can be stored.
    pub async fn store(self, cpu: &AnyProcessor, value: u64) {
        cpu.store(self.address, self.bytes, value).await.expect(UNTAGGED);
    }
}

/// The word that a load gives, waited for where it must be.
macro_rules! loaded {
    ($cpu:expr, $load:expr) => {
        match $load {
            Ok(value) => value,
            Err(missing) => missing.load($cpu).await,
        }
    };
}

/// Has a store made, waited for where it must be.
macro_rules! stored {
    ($cpu:expr, $value:expr, $store:expr) => {
        if let Err(missing) = $store {
            missing.store($cpu, $value).await;
        }
    };
}

pub(super) use {loaded, stored};

/// Loads a word of memory.
#[inline]
pub fn load(cpu: &AnyProcessor, address: Address, bytes: usize) -> Result<u64, Missing> {
    cpu.try_load(address, bytes).ok_or(Missing { address, bytes })
}

/// Stores a word in memory.
#[inline]
pub fn store(cpu: &AnyProcessor, address: Address, bytes: usize, value: u64) -> Result<(), Missing> {
    if cpu.try_store(address, bytes, value) { Ok(()) } else { Err(Missing { address, bytes }) }
}

/// Word `word` of a packet: the header, or up to eight bytes of the payload, which take `cycles` of
/// the loop around the access.
pub fn load_word(
    cpu: &AnyProcessor,
    header: Header,
    source: PayloadSource<'_>,
    word: usize,
    cycles: u64,
) -> Result<u64, Missing> {
    cpu.work(cycles);
    match (word, source) {
        (0, _) => Ok(header.encode()),
        (_, PayloadSource::Words(words)) => Ok(pair(words, word - 1)),
        (_, PayloadSource::Memory(payload, _)) => {
            load(cpu, payload + 8 * (word as u64 - 1), header.bytes_of_word(word))
        }
    }
}

/// Puts word `word` (not the header) of a packet where its payload goes.
pub fn store_word(
    cpu: &AnyProcessor,
    header: Header,
    sink: &mut PayloadSink<'_>,
    word: usize,
    value: u64,
    cycles: u64,
) -> Result<(), Missing> {
    cpu.work(cycles);
    let bytes = header.bytes_of_word(word);
    match sink {
        PayloadSink::Memory(into) => return store(cpu, *into + 8 * (word as u64 - 1), bytes, value),
        PayloadSink::Words(words) => {
            words.push(value as u32);
            if bytes > 4 {
                words.push((value >> 32) as u32);
            }
        }
    }
    Ok(())
}

/// Where a packet that is moved with its header has its payload.
pub const fn behind_header(address: Address) -> Address {
    address + HEADER_BYTES as u64
}
