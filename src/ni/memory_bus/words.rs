//! The loops that every driver has: words of a message from the user's buffer, and words to it.

use super::message::{Header, Outgoing};
use crate::host::memory_bus::{Address, Processor};

/// Word `word` of a message: the header, or up to eight bytes of the payload.
pub async fn load_word(processor: &Processor, message: &Outgoing, word: usize, cycles: u64) -> u64 {
    processor.work(cycles);
    match word {
        0 => message.header.encode(),
        _ => {
            let address = message.payload + 8 * (word as u64 - 1);
            let bytes = message.header.bytes_of_word(word);
            match processor.try_load(address, bytes) {
                Some(value) => value,
                None => processor.load(address, bytes).await,
            }
        }
    }
}

/// Stores word `word` (not the header) of a message into the user's buffer at `into`.
pub async fn store_word(processor: &Processor, header: Header, into: Address, word: usize, value: u64, cycles: u64) {
    processor.work(cycles);
    let address = into + 8 * (word as u64 - 1);
    let bytes = header.bytes_of_word(word);
    if !processor.try_store(address, bytes, value) {
        processor.store(address, bytes, value).await;
    }
}
