//! The software make: tags, copies, and what messages of the protocol do.

use super::SharedMemory;
use super::handlers::Parts;
use super::space::PAGE;
use super::{SharedAddress, Space};
use crate::engine::{EndId, NodeId};
use crate::host::{Address, Processor};
use crate::messaging::active::Active;
use crate::protocol::directory::{
    Access, BlockId, CoherenceAction, Directory, DirectoryParameters, Requester, RequesterParameters, Touch, Want,
};
use std::cell::{Cell, RefCell};

/// What an end has that software keeps coherent.
pub(super) struct Software {
    pub directory: RefCell<Directory>,
    pub requester: RefCell<Requester>,
    /// By home and number, what the processor may do with a block.
    tags: RefCell<Vec<Vec<Access>>>,
    /// By home and number, where a page lies in this host's memory, once it does.
    pages: RefCell<Vec<Vec<Option<Address>>>>,
    /// What was granted of the block that the program waits for.
    granted: Cell<Option<Access>>,
    pub parts: RefCell<Parts>,
}

/// A program has one context, and waits for one block at a time.
const REQUESTS: RequesterParameters = RequesterParameters { contexts: 1, prefetches: 0, write_backs: 0 };

impl Software {
    /// Of the end `own`, over a space that is laid out.
    pub fn new(own: EndId, space: &Space) -> Software {
        let (own, ends) = (own.index(), space.ends());
        let directory = DirectoryParameters::unlimited(ends as u32, REQUESTS.requests());
        let blocks = |home: usize| (space.size(home) / space.block_bytes()) as usize;
        let tag = |home| if home == own { Access::Writable } else { Access::Invalid };
        let pages = |home: usize| space.size(home).div_ceil(PAGE) as usize;
        Software {
            directory: RefCell::new(Directory::new(NodeId(own as u32), directory)),
            requester: RefCell::new(Requester::new(NodeId(own as u32), REQUESTS)),
            tags: RefCell::new((0..ends).map(|home| vec![tag(home); blocks(home)]).collect()),
            pages: RefCell::new((0..ends).map(|home| vec![None; pages(home)]).collect()),
            granted: Cell::new(None),
            parts: RefCell::default(),
        }
    }

    /// What the processor may do with the block of `at`; none outside of what is shared.
    #[inline]
    pub fn tag(&self, at: SharedAddress, block_bytes: u32) -> Option<Access> {
        self.tags.borrow()[at.home.index()].get((at.offset / block_bytes) as usize).copied()
    }

    /// Where the bytes of `at` are, or will be, in this host's memory.
    pub fn address(&self, active: &Active, at: SharedAddress) -> Address {
        let (page, offset) = (at.offset / PAGE, u64::from(at.offset % PAGE));
        let page = &mut self.pages.borrow_mut()[at.home.index()][page as usize];
        *page.get_or_insert_with(|| active.allocate(PAGE as usize)) + offset
    }

    /// The program waits until it may do this, once.
    pub async fn fault(&self, end: &SharedMemory, at: SharedAddress, want: Want) -> Address {
        let active = end.active();
        active.cpu().work(end.parameters.fault);
        let (block, mut actions) = (end.space.block(at), Vec::new());
        self.granted.set(None);
        let touch = match is_home(active, block) {
            true => self.directory.borrow_mut().access(block.number, want, &mut actions),
            false => self.requester.borrow_mut().access(block, want, &mut actions),
        };
        assert_eq!(touch, Touch::Waits, "what may be done is done without a fault");
        self.perform(end, block, &[], &actions).await;
        active.wait_for_answer(at.home, || self.granted.get().is_some()).await;
        self.address(active, at)
    }

    /// The program has done what it was granted.
    pub async fn used(&self, end: &SharedMemory, at: SharedAddress) {
        let (block, mut actions) = (end.space.block(at), Vec::new());
        match is_home(end.active(), block) {
            true => self.directory.borrow_mut().used(block.number, &mut actions),
            false => self.requester.borrow_mut().used(block, &mut actions),
        }
        self.perform(end, block, &[], &actions).await;
        end.active().flush().await;
    }

    /// Does what the protocol says, of a block whose bytes came.
    pub async fn perform(&self, end: &SharedMemory, block: BlockId, came: &[u32], actions: &[CoherenceAction]) {
        for &action in actions {
            match action {
                CoherenceAction::Send { to, message } => self.send(end, EndId(to.0), block, message).await,
                CoherenceAction::Store => self.store(end, block, came).await,
                CoherenceAction::Access(access) => {
                    self.tags.borrow_mut()[block.home.index()][block.number as usize] = access;
                }
                CoherenceAction::Granted(access) => self.granted.set(Some(access)),
                CoherenceAction::Retry => panic!("a home with room for all requests turns none away"),
                // Software keeps no pointers that could be too few.
                CoherenceAction::Pointer | CoherenceAction::Trap(_) => {}
            }
        }
    }
}

fn is_home(active: &Active, block: BlockId) -> bool {
    block.home.0 == active.id().0
}
