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
    tags: Vec<Vec<Cell<Access>>>,
    /// By home and number, where a page lies in this host's memory, once it does.
    pages: Vec<Vec<Cell<Option<Address>>>>,
    /// What was granted of the block that the program waits for.
    granted: Cell<Option<Access>>,
    pub parts: RefCell<Parts>,
    /// Room for what is to be done, while no call uses it.
    spare: RefCell<Vec<CoherenceAction>>,
    /// Of a block's bytes, a power of two: the number of a block is found without dividing.
    block_shift: u32,
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
            tags: (0..ends).map(|home| vec![Cell::new(tag(home)); blocks(home)]).collect(),
            pages: (0..ends).map(|home| vec![Cell::new(None); pages(home)]).collect(),
            granted: Cell::new(None),
            parts: RefCell::default(),
            spare: RefCell::default(),
            block_shift: block_shift(space.block_bytes()),
        }
    }

    /// What the processor may do with the block of `at`; none outside of what is shared.
    #[inline]
    pub fn tag(&self, at: SharedAddress) -> Option<Access> {
        self.tags[at.home.index()].get((at.offset >> self.block_shift) as usize).map(Cell::get)
    }

    /// Where the bytes of `at` are, or will be, in this host's memory.
    #[inline]
    pub fn address(&self, active: &Active, at: SharedAddress) -> Address {
        let page = &self.pages[at.home.index()][(at.offset / PAGE) as usize];
        page.get().unwrap_or_else(|| new_page(active, page)) + u64::from(at.offset % PAGE)
    }

    /// The program waits until it may do this, once.
    pub async fn fault(&self, end: &SharedMemory, at: SharedAddress, want: Want) -> Address {
        let active = end.active();
        active.cpu().work(end.parameters.fault);
        let (block, mut actions) = (end.space.block(at), self.room());
        self.granted.set(None);
        let touch = match is_home(active, block) {
            true => self.directory.borrow_mut().access(block.number, want, &mut actions),
            false => self.requester.borrow_mut().access(block, want, &mut actions),
        };
        assert_eq!(touch, Touch::Waits, "what may be done is done without a fault");
        self.perform(end, block, &[], actions).await;
        active.wait_for_answer(at.home, || self.granted.get().is_some()).await;
        self.address(active, at)
    }

    /// The program has done what it was granted.
    pub async fn used(&self, end: &SharedMemory, at: SharedAddress) {
        let (block, mut actions) = (end.space.block(at), self.room());
        match is_home(end.active(), block) {
            true => self.directory.borrow_mut().used(block.number, &mut actions),
            false => self.requester.borrow_mut().used(block, &mut actions),
        }
        self.perform(end, block, &[], actions).await;
        end.active().flush().await;
    }

    /// Does what the protocol says, of a block whose bytes came.
    pub async fn perform(&self, end: &SharedMemory, block: BlockId, came: &[u32], mut actions: Vec<CoherenceAction>) {
        for action in actions.drain(..) {
            match action {
                CoherenceAction::Send { to, message } => self.send(end, EndId(to.0), block, message).await,
                CoherenceAction::Store => self.store(end, block, came).await,
                CoherenceAction::Access(access) => {
                    self.tags[block.home.index()][block.number as usize].set(access);
                }
                CoherenceAction::Granted(access) => self.granted.set(Some(access)),
                CoherenceAction::Retry => panic!("a home with room for all requests turns none away"),
                // Software keeps no pointers that could be too few.
                CoherenceAction::Pointer | CoherenceAction::Trap(_) => {}
            }
        }
        self.spare.replace(actions);
    }

    /// Room for what is to be done, with nothing in it.
    pub fn room(&self) -> Vec<CoherenceAction> {
        self.spare.take()
    }
}

#[cold]
fn new_page(active: &Active, page: &Cell<Option<Address>>) -> Address {
    let address = active.allocate(PAGE as usize);
    page.set(Some(address));
    address
}

/// How far an offset is shifted to give the number of its block.
fn block_shift(block_bytes: u32) -> u32 {
    assert!(block_bytes.is_power_of_two(), "a block of {block_bytes} bytes");
    block_bytes.trailing_zeros()
}

fn is_home(active: &Active, block: BlockId) -> bool {
    block.home.0 == active.id().0
}
