//! The copy loops of all drivers, which move the words of a packet from and to memory or registers.
//!
//! The module models the cycles of the loop around each access. The module leaves out accesses to a device, which each
//! driver implements.

use super::parcel::{HEADER_BYTES, Header};
use crate::host::UNTAGGED;
use crate::host::{Address, AnyProcessor, Processor};

/// Source of a packet's payload.
#[derive(Clone, Copy, Debug)]
pub enum PayloadSource<'a> {
    /// Memory at this address, a multiple of 8, and the number of bytes.
    Memory(Address, usize),
    /// Words in registers.
    Words(&'a [u32]),
}

/// Destination of a packet's payload.
#[derive(Debug)]
pub enum PayloadSink<'a> {
    /// Memory at this address, a multiple of 8.
    Memory(Address),
    /// Registers, to which the words are appended.
    Words(&'a mut Vec<u32>),
}

impl PayloadSource<'_> {
    /// Loads the payload, word by word if it is in memory.
    pub async fn load(&self, cpu: &AnyProcessor) -> Vec<u8> {
        match *self {
            PayloadSource::Memory(address, bytes) => {
                let mut payload = vec![0; bytes];
                cpu.load_run(address, &mut payload).await;
                payload
            }
            PayloadSource::Words(words) => bytes_of(words),
        }
    }

    /// Returns the length of the payload, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            PayloadSource::Memory(_, bytes) => *bytes,
            PayloadSource::Words(words) => 4 * words.len(),
        }
    }
}

/// Returns words as bytes, in memory order.
pub fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().map(|word| word.to_le_bytes()).collect::<Vec<_>>().into_flattened()
}

/// Iterates over the whole words of a slice of bytes.
pub fn words_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word))
}

/// Returns the 8-byte word number `word` of a slice of 32-bit words, with zeros after the end of the slice.
fn double_word_at(words: &[u32], word: usize) -> u64 {
    let word_or_zero = |index: usize| u64::from(words.get(index).copied().unwrap_or(0));
    word_or_zero(2 * word) | word_or_zero(2 * word + 1) << 32
}

/// An access to a word of memory for which the processor must wait. Most accesses need no wait, and creating a future
/// costs a copy of its whole state, so the copy loops first try an access without a future.
#[must_use = "the access is still to be made"]
pub struct OutstandingAccess {
    address: Address,
    bytes: usize,
}

impl OutstandingAccess {
    /// Waits for the word and loads it.
    pub async fn load(self, cpu: &AnyProcessor) -> u64 {
        cpu.load(self.address, self.bytes).await.expect(UNTAGGED)
    }

    /// Waits until the word can be stored, and stores it.
    pub async fn store(self, cpu: &AnyProcessor, value: u64) {
        cpu.store(self.address, self.bytes, value).await.expect(UNTAGGED);
    }
}

/// Evaluates to the word that `load` returns, after a wait if one is needed.
macro_rules! loaded {
    ($cpu:expr, $load:expr) => {
        match $load {
            Ok(value) => value,
            Err(access) => access.load($cpu).await,
        }
    };
}

/// Completes a store, after a wait if one is needed.
macro_rules! stored {
    ($cpu:expr, $value:expr, $store:expr) => {
        if let Err(access) = $store {
            access.store($cpu, $value).await;
        }
    };
}

pub(super) use {loaded, stored};

/// Loads a word of memory, if the processor need not wait for it.
///
/// # Errors
///
/// Returns the access that is still to be made, if the processor must wait for it.
#[inline]
pub fn load(cpu: &AnyProcessor, address: Address, bytes: usize) -> Result<u64, OutstandingAccess> {
    cpu.try_load(address, bytes).ok_or(OutstandingAccess { address, bytes })
}

/// Stores a word in memory, if the processor need not wait for it.
///
/// # Errors
///
/// Returns the access that is still to be made, if the processor must wait for it.
#[inline]
pub fn store(cpu: &AnyProcessor, address: Address, bytes: usize, value: u64) -> Result<(), OutstandingAccess> {
    if cpu.try_store(address, bytes, value) { Ok(()) } else { Err(OutstandingAccess { address, bytes }) }
}

/// Loads word `word` of a packet: a word of the header, or up to eight bytes of the payload. The loop around the access
/// takes `cycles`.
///
/// # Errors
///
/// Returns the access that is still to be made, if the processor must wait for it.
pub fn load_word(
    cpu: &AnyProcessor,
    header: Header,
    source: PayloadSource<'_>,
    word: usize,
    cycles: u64,
) -> Result<u64, OutstandingAccess> {
    cpu.work(cycles);
    let Some(payload_word) = word.checked_sub(header.header_words()) else { return Ok(header.word(word)) };
    match source {
        PayloadSource::Words(words) => Ok(double_word_at(words, payload_word)),
        PayloadSource::Memory(payload, _) => load(cpu, payload + 8 * payload_word as u64, header.bytes_of_word(word)),
    }
}

/// Stores word `word` of a packet, a word of the payload, at the payload's destination.
///
/// # Errors
///
/// Returns the access that is still to be made, if the processor must wait for it.
pub fn store_word(
    cpu: &AnyProcessor,
    header: Header,
    sink: &mut PayloadSink<'_>,
    word: usize,
    value: u64,
    cycles: u64,
) -> Result<(), OutstandingAccess> {
    cpu.work(cycles);
    let bytes = header.bytes_of_word(word);
    match sink {
        PayloadSink::Memory(into) => {
            let payload_word = (word - header.header_words()) as u64;
            return store(cpu, *into + 8 * payload_word, bytes, value);
        }
        PayloadSink::Words(words) => {
            words.push(value as u32);
            if bytes > 4 {
                words.push((value >> 32) as u32);
            }
        }
    }
    Ok(())
}

/// Returns the address of the payload of a packet that was moved with its header to `address`.
pub const fn payload_after_header(address: Address) -> Address {
    address + HEADER_BYTES as u64
}
