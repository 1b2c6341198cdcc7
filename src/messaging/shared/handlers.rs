//! What comes and goes: a word that says what, of which block; and a block's bytes, in as many packets as they
//! take.

use super::end::Make;
use super::in_software::Software;
use super::{SharedAddress, SharedMemory};
use crate::engine::{EndId, NodeId};
use crate::host::Processor;
use crate::messaging::active::{ActiveMessage, PROTOCOL_HANDLERS};
use crate::protocol::directory::{BlockId, CoherenceMessage};
use std::collections::BTreeMap;

/// A message of the protocol, with all its bytes.
const COHERENCE: u8 = PROTOCOL_HANDLERS;
/// A part of one: its second word says where in the block the part is.
const PART: u8 = PROTOCOL_HANDLERS + 1;
/// About a lock.
pub(super) const LOCK: u8 = PROTOCOL_HANDLERS + 2;

/// Messages of which parts have come: by sender and first word, the bytes and how many words are missing.
pub(super) type Parts = BTreeMap<(EndId, u32), (Vec<u32>, usize)>;

impl SharedMemory {
    /// A packet came.
    pub(super) async fn take(&self, from: EndId, handler: u8, words: &[u32]) {
        self.active.charge(self.handler());
        if handler == LOCK {
            return self.take_lock(from, words);
        }
        let Make::Software(make) = &self.make else { panic!("hardware sends no messages of its own to programs") };
        match handler {
            PART => {
                let Some((word, data)) = make.gather(self, from, words) else { return };
                make.arrive(self, from, word, &data).await;
            }
            _ => make.arrive(self, from, words[0], &words[1..]).await,
        }
    }
}

impl Software {
    async fn arrive(&self, end: &SharedMemory, from: EndId, word: u32, data: &[u32]) {
        let message = CoherenceMessage::decode(word).expect("an end sends what it means");
        let own = end.active.id();
        let [sender, receiver] = [from, own].map(|end| NodeId(end.0));
        let (block, mut actions) = (message.block(sender, receiver), self.room());
        match message.kind.is_for_home() {
            true => self.directory.borrow_mut().arrive(sender, message, &mut actions),
            false => self.requester.borrow_mut().arrive(sender, message, &mut actions),
        }
        self.perform(end, block, data, actions).await;
    }

    /// A part of a message came; the whole, if it is.
    fn gather(&self, end: &SharedMemory, from: EndId, words: &[u32]) -> Option<(u32, Vec<u32>)> {
        let (key, at, part) = ((from, words[0]), words[1] as usize, &words[2..]);
        let all = end.space.block_bytes() as usize / 4;
        let mut parts = self.parts.borrow_mut();
        let (data, missing) = parts.entry(key).or_insert_with(|| (vec![0; all], all));
        data[at..at + part.len()].copy_from_slice(part);
        *missing -= part.len();
        if *missing > 0 {
            return None;
        }
        let (data, _) = parts.remove(&key)?;
        Some((words[0], data))
    }

    /// Has a message sent, with the block's bytes as they are now if it carries them.
    pub(super) async fn send(&self, end: &SharedMemory, to: EndId, block: BlockId, message: CoherenceMessage) {
        let word = message.encode();
        let reply = message.kind.class() == crate::engine::Class::REPLIES;
        let send = |handler, words: &[u32]| {
            end.active.answer(ActiveMessage { reply, ..ActiveMessage::new(to, handler, words) });
        };
        if !message.kind.carries_block() {
            return send(COHERENCE, &[word]);
        }
        let mut words = Vec::with_capacity(1 + end.space.block_bytes() as usize / 4);
        words.push(word);
        self.load(end, block, &mut words).await;
        let room = end.active.words_max();
        if words.len() <= room {
            return send(COHERENCE, &words);
        }
        for (number, part) in words[1..].chunks(room - 2).enumerate() {
            let mut words = Vec::with_capacity(2 + part.len());
            words.extend([word, (number * (room - 2)) as u32]);
            words.extend_from_slice(part);
            send(PART, &words);
        }
    }

    fn words_of(&self, end: &SharedMemory, block: BlockId) -> impl Iterator<Item = u64> + use<> {
        let bytes = end.space.block_bytes();
        let at = SharedAddress { home: EndId(block.home.0), offset: block.number * bytes };
        let address = self.address(&end.active, at);
        (0..u64::from(bytes) / 8).map(move |word| address + 8 * word)
    }

    /// Loads a block's bytes.
    async fn load(&self, end: &SharedMemory, block: BlockId, into: &mut Vec<u32>) {
        let cpu = end.active.cpu();
        let _turn = cpu.hold("shared memory").await;
        for address in self.words_of(end, block) {
            let value = cpu.load_word(address, 8).await;
            into.extend([value as u32, (value >> 32) as u32]);
        }
        cpu.sync().await;
    }

    /// Stores a block's bytes.
    pub(super) async fn store(&self, end: &SharedMemory, block: BlockId, data: &[u32]) {
        let cpu = end.active.cpu();
        let _turn = cpu.hold("shared memory").await;
        assert_eq!(data.len(), end.space.block_bytes() as usize / 4, "a block comes whole");
        for (address, pair) in self.words_of(end, block).zip(data.chunks(2)) {
            cpu.store_word(address, 8, u64::from(pair[0]) | u64::from(pair[1]) << 32).await;
        }
        cpu.sync().await;
    }
}
