//! The messages of the coherence protocol in packets: a word that encodes the message, followed by a block's bytes, in
//! as many packets as they need.

use super::block_memory::BlockMemory;
use super::handlers::{BLOCK_PART, COHERENCE};
use crate::engine::{Class, EndpointId};
use crate::messaging::active::{ActiveEndpoint, ActiveMessage};
use crate::protocol::directory::{BlockId, CoherenceMessage};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The words of a block that have arrived, and the number of missing words.
type PartialBlock = (Vec<u32>, usize);

/// The protocol messages of an endpoint.
pub(super) struct BlockMessages {
    active: Rc<ActiveEndpoint>,
    /// Messages of which parts have arrived, by sender and first word: the block's words, and the number of missing
    /// words.
    partial_messages: RefCell<BTreeMap<(EndpointId, u32), PartialBlock>>,
}

impl BlockMessages {
    /// Creates the messages of the endpoint over `active`.
    pub fn new(active: &Rc<ActiveEndpoint>) -> BlockMessages {
        BlockMessages { active: active.clone(), partial_messages: RefCell::default() }
    }

    /// Queues a message, whose encoding is `word`, with the present bytes of the block in `memory` if the message
    /// carries them.
    pub async fn send(
        &self,
        memory: &BlockMemory,
        to: EndpointId,
        block: BlockId,
        (message, word): (CoherenceMessage, u32),
    ) {
        let is_reply = message.kind.class() == Class::REPLIES;
        let send = |handler, words: &[u32]| {
            self.active.answer(ActiveMessage { is_reply, ..ActiveMessage::new(to, handler, words) });
        };
        if !message.kind.carries_block() {
            return send(COHERENCE, &[word]);
        }
        let mut words = Vec::with_capacity(1 + memory.block_words());
        words.push(word);
        memory.load(block, &mut words).await;
        let words_max = self.active.words_max();
        if words.len() <= words_max {
            return send(COHERENCE, &words);
        }
        let data_max = words_max - 2;
        for (number, part) in words[1..].chunks(data_max).enumerate() {
            let mut words = Vec::with_capacity(2 + part.len());
            words.extend([word, (number * data_max) as u32]);
            words.extend_from_slice(part);
            send(BLOCK_PART, &words);
        }
    }

    /// Accepts a part of a message of `block_words` words. If the message is complete with it, returns the first word
    /// and the block's words.
    pub fn add_part(&self, from: EndpointId, words: &[u32], block_words: usize) -> Option<(u32, Vec<u32>)> {
        let (key, offset, part) = ((from, words[0]), words[1] as usize, &words[2..]);
        let mut partial_messages = self.partial_messages.borrow_mut();
        let (data, missing_words) = partial_messages.entry(key).or_insert_with(|| (vec![0; block_words], block_words));
        data[offset..offset + part.len()].copy_from_slice(part);
        *missing_words -= part.len();
        if *missing_words > 0 {
            return None;
        }
        let (data, _) = partial_messages.remove(&key)?;
        Some((words[0], data))
    }
}
