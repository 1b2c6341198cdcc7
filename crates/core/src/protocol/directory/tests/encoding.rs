//! Tests of the encoding of messages: decoding inverts it, and any word decodes to a message or to `None`.

use super::super::*;
use crate::engine::Class;
use proptest::prelude::*;

#[test]
fn kinds_are_indexed_by_code() {
    for (code, kind) in CoherenceKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, code);
        let message = CoherenceMessage::new(kind, BLOCKS_MAX - 1);
        assert_eq!(message.encode() & 15, code as u32);
        assert_eq!(CoherenceMessage::decode(message.encode()), Some(message));
    }
}

#[test]
fn answers_are_replies_and_all_other_messages_are_requests() {
    use CoherenceKind::*;
    for kind in CoherenceKind::ALL {
        let is_request = matches!(kind, Read | Write | Upgrade | WriteBack | Invalidate | Fetch | FetchInvalidate);
        assert_eq!(kind.class(), if is_request { Class::REQUESTS } else { Class::REPLIES }, "{kind:?}");
    }
}

#[test]
#[should_panic(expected = "fits a word")]
fn a_block_beyond_the_last_has_no_word() {
    CoherenceMessage::new(CoherenceKind::Read, BLOCKS_MAX).encode();
}

proptest! {
    #[test]
    fn any_word_is_a_message_or_none(word: u32) {
        match CoherenceMessage::decode(word) {
            Some(message) => prop_assert_eq!(message.encode(), word),
            None => prop_assert_eq!(word & 15, 15),
        }
    }
}
