//! Shared memory in software: the tags of blocks, faults, and the actions of the coherence protocol.
//!
//! Each block of every endpoint has a tag, which allows an access or forbids it. A fault costs its cycles and waits for
//! the protocol. A handler performs its actions in order. The home of a block runs the protocol's directory, and any
//! other endpoint runs its requester. The pointers of a directory are not limited, because software has as many as it
//! needs.

use super::block_memory::BlockMemory;
use super::block_messages::BlockMessages;
use super::check_in::CheckIns;
use super::handlers::{BLOCK_PART, CHECK_IN};
use super::space::{SharedAddress, Space};
use crate::engine::{EndpointId, NodeId};
use crate::host::{Address, Processor};
use crate::messaging::active::{ActiveEndpoint, ActiveMessage};
use crate::protocol::directory::{
    Access, AccessMode, AccessOutcome, BlockId, CoherenceAction, CoherenceMessage, Directory, DirectoryParameters,
    EvictionOutcome, Requester, RequesterParameters,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// An endpoint's shared memory that software keeps coherent.
pub(super) struct SoftwareCoherence {
    active: Rc<ActiveEndpoint>,
    space: Rc<Space>,
    memory: BlockMemory,
    messages: BlockMessages,
    directory: RefCell<Directory>,
    requester: RefCell<Requester>,
    check_ins: CheckIns,
    /// The access that the tag of each block allows, by home and number.
    tags: Vec<Vec<Cell<Access>>>,
    /// The access right granted to the block for which the program waits.
    granted_access: Cell<Option<Access>>,
    /// An empty buffer of actions, for reuse by the next call.
    spare_actions: RefCell<Vec<CoherenceAction>>,
    /// Cycles of a fault, until its handler runs.
    fault_cycles: u64,
    /// The logarithm of a block's bytes, which yields the number of a block without a division.
    block_shift: u32,
}

/// A program has one context, and waits for one block at a time.
const REQUESTER_PARAMETERS: RequesterParameters = RequesterParameters { contexts: 1, prefetches: 0, write_backs: 0 };

impl SoftwareCoherence {
    /// Creates the shared memory of the endpoint over `active`, in a space that is already laid out.
    pub fn new(active: &Rc<ActiveEndpoint>, space: &Rc<Space>, fault_cycles: u64) -> SoftwareCoherence {
        let (own_index, endpoint_count) = (active.id().index(), space.endpoint_count());
        let directory = DirectoryParameters::unlimited(endpoint_count as u32, REQUESTER_PARAMETERS.requests());
        let blocks = |home: usize| (space.size(home) / space.block_bytes()) as usize;
        let tag = |home| if home == own_index { Access::Writable } else { Access::Invalid };
        SoftwareCoherence {
            active: active.clone(),
            space: space.clone(),
            memory: BlockMemory::new(active, space),
            messages: BlockMessages::new(active),
            directory: RefCell::new(Directory::new(NodeId(own_index as u32), directory)),
            requester: RefCell::new(Requester::new(NodeId(own_index as u32), REQUESTER_PARAMETERS)),
            check_ins: CheckIns::default(),
            tags: (0..endpoint_count).map(|home| vec![Cell::new(tag(home)); blocks(home)]).collect(),
            granted_access: Cell::new(None),
            spare_actions: RefCell::default(),
            fault_cycles,
            block_shift: block_shift(space.block_bytes()),
        }
    }

    /// Returns the access that the tag of `at`'s block allows, or `None` outside shared memory.
    #[inline]
    pub fn tag(&self, at: SharedAddress) -> Option<Access> {
        self.tags[at.home.index()].get((at.offset >> self.block_shift) as usize).map(Cell::get)
    }

    /// Returns the address of the bytes of `at` in this host's memory, whether or not they are valid.
    #[inline]
    pub fn address(&self, at: SharedAddress) -> Address {
        self.memory.address(at)
    }

    /// Waits until the program may access `at` once, and returns its address.
    pub async fn fault(&self, at: SharedAddress, mode: AccessMode) -> Address {
        self.active.cpu().work(self.fault_cycles);
        let (block, mut actions) = (self.space.block(at), self.spare_actions.take());
        self.granted_access.set(None);
        let outcome = match self.is_home(block) {
            true => self.directory.borrow_mut().access(block.number, mode, &mut actions),
            false => self.requester.borrow_mut().access(block, mode, &mut actions),
        };
        assert_eq!(outcome, AccessOutcome::Waits, "an allowed access needs no fault");
        self.perform(block, &[], actions).await;
        self.active.wait_for_answer(at.home, || self.granted_access.get().is_some()).await;
        self.address(at)
    }

    /// Ends the access to `at` that a fault granted.
    pub async fn end_use(&self, at: SharedAddress) {
        let (block, mut actions) = (self.space.block(at), self.spare_actions.take());
        match self.is_home(block) {
            true => self.directory.borrow_mut().end_use(block.number, &mut actions),
            false => self.requester.borrow_mut().end_use(block, &mut actions),
        }
        self.perform(block, &[], actions).await;
        self.active.flush().await;
    }

    /// Sends the copy of `at`'s block back to its home, if the copy is read-only, and returns whether it was.
    pub async fn check_in(&self, at: SharedAddress) -> bool {
        let block = self.space.block(at);
        if self.is_home(block) {
            return false;
        }
        let mut actions = self.spare_actions.take();
        let eviction = self.requester.borrow_mut().evict(block, &mut actions);
        self.perform(block, &[], actions).await;
        if eviction != EvictionOutcome::Dropped {
            return false;
        }
        self.check_ins.count_sent(block);
        self.active.send(ActiveMessage::new(at.home, CHECK_IN, &[block.number])).await;
        true
    }

    async fn accept_check_in(&self, from: EndpointId, number: u32) {
        let (block, mut actions) = (BlockId { home: NodeId(self.active.id().0), number }, self.spare_actions.take());
        self.directory.borrow_mut().check_in(NodeId(from.0), number, &mut actions);
        self.perform(block, &[], actions).await;
        if let Some(word) = self.check_ins.count_arrived(from, number) {
            self.accept_message(from, word, &[]).await;
        }
    }

    /// Accepts a packet of the protocol.
    pub async fn accept(&self, from: EndpointId, handler: u8, words: &[u32]) {
        if handler == CHECK_IN {
            return self.accept_check_in(from, words[0]).await;
        }
        if handler == BLOCK_PART {
            let Some((word, data)) = self.messages.add_part(from, words, self.memory.block_words()) else { return };
            return self.accept_message(from, word, &data).await;
        }
        self.accept_message(from, words[0], &words[1..]).await;
    }

    async fn accept_message(&self, from: EndpointId, word: u32, data: &[u32]) {
        let decoded = CoherenceMessage::decode(CheckIns::remove_stamp(word));
        let message = decoded.expect("an endpoint sends messages that decode");
        if self.check_ins.defer_if_early(from, word, message.kind, message.number) {
            return;
        }
        let [sender, receiver] = [from, self.active.id()].map(|id| NodeId(id.0));
        let (block, mut actions) = (message.block(sender, receiver), self.spare_actions.take());
        match message.kind.is_for_home() {
            true => self.directory.borrow_mut().arrive(sender, message, &mut actions),
            false => self.requester.borrow_mut().arrive(sender, message, &mut actions),
        }
        self.perform(block, data, actions).await;
    }

    /// Performs the protocol's actions on a block; `data` are the words that arrived with the message.
    async fn perform(&self, block: BlockId, data: &[u32], mut actions: Vec<CoherenceAction>) {
        for action in actions.drain(..) {
            match action {
                CoherenceAction::Send { to, message } => {
                    let word = self.check_ins.stamp(message.encode(), message.kind, block);
                    self.messages.send(&self.memory, EndpointId(to.0), block, (message, word)).await;
                }
                CoherenceAction::Store => self.memory.store(block, data).await,
                CoherenceAction::Access(access) => {
                    self.tags[block.home.index()][block.number as usize].set(access);
                }
                CoherenceAction::Granted(access) => self.granted_access.set(Some(access)),
                CoherenceAction::Retry => panic!("a home that buffers all requests rejects none"),
                // Software keeps as many pointers as it needs.
                CoherenceAction::Pointer | CoherenceAction::Trap(_) => {}
            }
        }
        self.spare_actions.replace(actions);
    }

    fn is_home(&self, block: BlockId) -> bool {
        block.home.0 == self.active.id().0
    }
}

/// Returns the logarithm of a block's bytes.
///
/// # Panics
///
/// Panics if `block_bytes` is not a power of two.
fn block_shift(block_bytes: u32) -> u32 {
    assert!(block_bytes.is_power_of_two(), "{block_bytes}, the bytes of a block, is a power of two");
    block_bytes.trailing_zeros()
}
