//! The parameters of the queues.

use super::wire::PART_HEADER;
use crate::engine::Bytes;
use crate::text::Parameters;

/// The parameters of the queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct QueuesParameters {
    /// Length of every packet with its header, in whole words.
    ///
    /// 32 bytes, or 24 for real programs (§3).
    #[param(min = "12 B", max = "36 B", default = "32 B", check = not_whole_words)]
    pub packet: Bytes,
}

fn not_whole_words(packet: &Bytes) -> Option<(String, &'static str)> {
    let is_whole = packet.get().is_multiple_of(4);
    (!is_whole).then(|| (format!("{packet} is not a whole number of words"), "a word is 4 B"))
}

impl QueuesParameters {
    /// Returns the largest number of words of an active message: all but the header's.
    pub(super) fn words(&self) -> usize {
        self.packet.len() / 4 - 1
    }

    /// Returns the bytes of a message that a packet carries.
    pub(super) fn part(&self) -> u64 {
        self.packet.get() - PART_HEADER as u64
    }
}
