//! Fragmentation: a program's message as network messages of limited size.
//!
//! Models (Mukherjee and Hill 1998, Tables 3 and 5): a network message has at most 256 bytes, its
//! 8-byte header included, so 256 bytes travel as 248 + 8 and 4096 bytes as 17 messages.
//! Fragments may arrive in any order, as return-to-sender keeps none.

use std::collections::BTreeMap;
use std::ops::Range;

/// The payload of each network message of a message of `bytes` bytes; an empty one has one.
pub fn fragments(bytes: usize, payload_max: usize) -> impl Iterator<Item = Range<usize>> {
    let count = bytes.div_ceil(payload_max).max(1);
    (0..count).map(move |number| number * payload_max..((number + 1) * payload_max).min(bytes))
}

/// A message of which some fragments have come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partial<B> {
    /// Where its fragments go.
    pub buffer: B,
    /// Bytes of each fragment that has come.
    pub fragment_bytes: BTreeMap<usize, usize>,
    count: Option<usize>,
}

impl<B> Partial<B> {
    /// A message of which nothing has come.
    pub fn new(buffer: B) -> Partial<B> {
        Partial { buffer, fragment_bytes: BTreeMap::new(), count: None }
    }

    /// A fragment has come; true if it was the last missing.
    pub fn add(&mut self, fragment: usize, bytes: usize, last: bool) -> bool {
        let before = self.fragment_bytes.insert(fragment, bytes);
        assert!(before.is_none(), "a fragment comes once");
        if last {
            self.count = Some(fragment + 1);
        }
        self.count == Some(self.fragment_bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(bytes: usize) -> Vec<usize> {
        fragments(bytes, 248).map(|range| range.len()).collect()
    }

    #[test]
    fn messages_are_cut_as_table_5_implies() {
        assert_eq!(sizes(256), [248, 8]);
        assert_eq!(sizes(248), [248]);
        assert_eq!((sizes(4096).len(), sizes(4096)[16]), (17, 128));
        assert_eq!(sizes(0), [0]);
    }

    #[test]
    fn a_message_is_whole_when_all_fragments_came_in_any_order() {
        let mut partial = Partial::new(());
        assert!(!partial.add(2, 8, true));
        assert!(!partial.add(0, 248, false));
        assert!(partial.add(1, 248, false));
    }
}
