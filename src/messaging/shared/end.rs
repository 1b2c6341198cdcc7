//! An end of shared memory: what its processor may do with each block, where the block's bytes are, and
//! what a fault does.

use super::handlers::Parts;
use super::locks::Locks;
use super::space::PAGE;
use super::{SharedAddress, SharedMemoryParameters, Space};
use crate::engine::{EndId, NodeId};
use crate::host::{Address, Processor};
use crate::messaging::active::Active;
use crate::protocol::directory::{
    Access, BlockId, CoherenceAction, Directory, DirectoryParameters, Requester, RequesterParameters, Touch, Want,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// An end of shared memory.
pub struct SharedMemory {
    pub(super) active: Rc<Active>,
    pub(super) parameters: SharedMemoryParameters,
    pub(super) space: Rc<Space>,
    pub(super) directory: RefCell<Directory>,
    pub(super) requester: RefCell<Requester>,
    /// By home and number, what the processor may do with a block.
    tags: RefCell<Vec<Vec<Access>>>,
    /// By home and number, where a page lies in this host's memory, once it does.
    pages: RefCell<Vec<Vec<Option<Address>>>>,
    /// What was granted of the block that the program waits for.
    pub(super) granted: Cell<Option<Access>>,
    pub(super) parts: RefCell<Parts>,
    pub(super) locks: Locks,
    faults: Cell<u64>,
}

/// A program has one context, and waits for one block at a time.
const REQUESTS: RequesterParameters = RequesterParameters { contexts: 1, prefetches: 0, write_backs: 0 };

impl SharedMemory {
    /// An end for each of these, whose program runs there; the space is laid out.
    pub fn all(actives: &[Rc<Active>], space: &Rc<Space>, parameters: SharedMemoryParameters) -> Vec<Rc<SharedMemory>> {
        actives.iter().map(|active| SharedMemory::new(active, space, parameters)).collect()
    }

    fn new(active: &Rc<Active>, space: &Rc<Space>, parameters: SharedMemoryParameters) -> Rc<SharedMemory> {
        let (own, ends) = (active.id().index(), space.ends());
        let directory = DirectoryParameters::unlimited(ends as u32, REQUESTS.requests());
        let blocks = |home: usize| (space.size(home) / space.block_bytes()) as usize;
        let tag = |home| if home == own { Access::Writable } else { Access::Invalid };
        let pages = |home: usize| space.size(home).div_ceil(PAGE) as usize;
        let end = Rc::new(SharedMemory {
            active: active.clone(),
            parameters,
            space: space.clone(),
            directory: RefCell::new(Directory::new(NodeId(own as u32), directory)),
            requester: RefCell::new(Requester::new(NodeId(own as u32), REQUESTS)),
            tags: RefCell::new((0..ends).map(|home| vec![tag(home); blocks(home)]).collect()),
            pages: RefCell::new((0..ends).map(|home| vec![None; pages(home)]).collect()),
            granted: Cell::new(None),
            parts: RefCell::default(),
            locks: Locks::default(),
            faults: Cell::new(0),
        });
        let handles = Rc::downgrade(&end);
        active.on_protocol(move |from, handler, words| {
            let end = handles.upgrade();
            Box::pin(async move {
                if let Some(end) = end {
                    end.take(from, handler, &words).await;
                }
            })
        });
        end
    }

    /// The end of active messages that it is over.
    pub fn active(&self) -> &Rc<Active> {
        &self.active
    }

    /// How often the program waited for a block.
    pub fn faults(&self) -> u64 {
        self.faults.get()
    }

    /// Processor cycles to find a tag.
    pub fn check(&self) -> u64 {
        self.parameters.check
    }

    /// Where the bytes of `at` are in this host's memory, if its processor may do this with them.
    #[inline]
    pub fn place(&self, at: SharedAddress, want: Want) -> Option<Address> {
        let block = at.offset / self.space.block_bytes();
        let tags = self.tags.borrow();
        let tag = tags[at.home.index()].get(block as usize).copied();
        let Some(tag) = tag else { self.is_outside(at) };
        tag.allows(want).then(|| self.address(at))
    }

    /// An access of what nobody shares is an error of the program's.
    #[cold]
    fn is_outside(&self, at: SharedAddress) -> ! {
        let size = self.space.size(at.home.index());
        panic!("{} accesses byte {} of the {size} that {} shares", self.active.id(), at.offset, at.home)
    }

    /// Where the bytes of `at` are, or will be, in this host's memory.
    pub(super) fn address(&self, at: SharedAddress) -> Address {
        let (page, offset) = (at.offset / PAGE, u64::from(at.offset % PAGE));
        let page = &mut self.pages.borrow_mut()[at.home.index()][page as usize];
        *page.get_or_insert_with(|| self.active.allocate(PAGE as usize)) + offset
    }

    /// The program waits until it may do this, once, and says [`SharedMemory::used`] then; its turn on the
    /// processor is over.
    pub async fn fault(&self, at: SharedAddress, want: Want) -> Address {
        self.faults.set(self.faults.get() + 1);
        self.active.cpu().work(self.parameters.fault);
        let (block, mut actions) = (self.space.block(at), Vec::new());
        self.granted.set(None);
        let touch = match self.is_home(block) {
            true => self.directory.borrow_mut().access(block.number, want, &mut actions),
            false => self.requester.borrow_mut().access(block, want, &mut actions),
        };
        assert_eq!(touch, Touch::Waits, "what may be done is done without a fault");
        self.perform(block, &[], &actions).await;
        self.active.wait_for_answer(at.home, || self.granted.get().is_some()).await;
        self.address(at)
    }

    /// The program has done what it was granted.
    pub async fn used(&self, at: SharedAddress) {
        let (block, mut actions) = (self.space.block(at), Vec::new());
        match self.is_home(block) {
            true => self.directory.borrow_mut().used(block.number, &mut actions),
            false => self.requester.borrow_mut().used(block, &mut actions),
        }
        self.perform(block, &[], &actions).await;
        self.active.flush().await;
    }

    fn is_home(&self, block: BlockId) -> bool {
        block.home.0 == self.active.id().0
    }

    /// Does what the protocol says, of a block whose bytes came.
    pub(super) async fn perform(&self, block: BlockId, came: &[u32], actions: &[CoherenceAction]) {
        for &action in actions {
            match action {
                CoherenceAction::Send { to, message } => self.send(EndId(to.0), block, message).await,
                CoherenceAction::Store => self.store(block, came).await,
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
