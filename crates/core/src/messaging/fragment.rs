//! Fragmentation: a program's message as packets of limited payload.
//!
//! According to Mukherjee and Hill (1998, Tables 3 and 5), a network message has at most 256 bytes, its 8-byte header
//! included, so 256 bytes travel as 248 + 8 and 4096 bytes as 17 messages. Fragments may arrive in any order, since
//! return-to-sender keeps no order. Duplicates are not handled, because protocols drop them.

use std::collections::BTreeMap;
use std::ops::Range;

/// Returns the range of each fragment of a message of `bytes` bytes. An empty message has one empty fragment.
pub(super) fn fragments(bytes: usize, payload_max: usize) -> impl Iterator<Item = Range<usize>> {
    let count = bytes.div_ceil(payload_max).max(1);
    (0..count).map(move |number| number * payload_max..((number + 1) * payload_max).min(bytes))
}

/// A message of which some fragments have arrived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PartialMessage<B> {
    /// The buffer for its fragments.
    pub buffer: B,
    /// Bytes of each fragment that has arrived, by its number.
    pub fragment_bytes: BTreeMap<usize, usize>,
    /// The number of fragments, once the last fragment has arrived.
    fragment_count: Option<usize>,
}

impl<B> PartialMessage<B> {
    /// Creates a message of which no fragment has arrived.
    pub fn new(buffer: B) -> PartialMessage<B> {
        PartialMessage { buffer, fragment_bytes: BTreeMap::new(), fragment_count: None }
    }

    /// Records a fragment, and returns whether the message is complete with it.
    ///
    /// # Panics
    ///
    /// Panics if the fragment has already arrived.
    pub fn add(&mut self, fragment: usize, bytes: usize, is_last: bool) -> bool {
        let previous = self.fragment_bytes.insert(fragment, bytes);
        assert!(previous.is_none(), "a fragment arrives once");
        if is_last {
            self.fragment_count = Some(fragment + 1);
        }
        self.fragment_count == Some(self.fragment_bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(bytes: usize) -> Vec<usize> {
        fragments(bytes, 248).map(|range| range.len()).collect()
    }

    #[test]
    fn messages_are_fragmented_as_table_5_implies() {
        assert_eq!(sizes(256), [248, 8]);
        assert_eq!(sizes(248), [248]);
        assert_eq!((sizes(4096).len(), sizes(4096)[16]), (17, 128));
        assert_eq!(sizes(0), [0]);
    }

    #[test]
    fn a_message_is_complete_when_all_fragments_have_arrived_in_any_order() {
        let mut partial = PartialMessage::new(());
        assert!(!partial.add(2, 8, true));
        assert!(!partial.add(0, 248, false));
        assert!(partial.add(1, 248, false));
    }
}
