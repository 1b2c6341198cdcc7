//! The parameters of the interface `queues`.

use super::wire::PART_HEADER_BYTES;
use crate::engine::Bytes;
use crate::text::Parameters;

/// The parameters of the interface `queues`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct QueuesParameters {
    /// Length of every packet with its header, in whole words.
    ///
    /// Callahan and Goldstein (1995, §3) use 32 bytes, and 24 bytes for real programs.
    #[param(min = "12 B", max = "36 B", default = "32 B", check = whole_words_error, meaning = Granularity)]
    pub packet: Bytes,
}

fn whole_words_error(packet: &Bytes) -> Option<(String, &'static str)> {
    let is_whole = packet.get().is_multiple_of(4);
    (!is_whole).then(|| (format!("{packet} is not a whole number of words"), "a word is 4 B"))
}

impl QueuesParameters {
    /// Returns the largest number of words of an active message: the words of a packet without its header.
    pub(super) fn words(&self) -> usize {
        self.packet.len() / 4 - 1
    }

    /// Returns the number of bytes of a message that one packet carries.
    pub(super) fn fragment_bytes(&self) -> u64 {
        self.packet.get() - PART_HEADER_BYTES as u64
    }
}
