//! Memory with its keeper, and what an interface does with blocks.

use super::cache::{CachedLine, LineCache};
use super::parameters::AlewifeParameters;
use super::processor::AlewifeProcessor;
use super::{LINE_BYTES, LineBytes, REMOTE, home_of, line_of};
use crate::engine::Sim;
use crate::host::memory_bus::block::{Address, BLOCK_BYTES};
use crate::host::memory_bus::node::FIRST_FREE;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Who keeps memory coherent, where that is shared with other nodes.
pub trait Keeper {
    /// Whether this node's processor may load, or store to, a block of its own memory.
    fn allows(&self, block: Address, stores: bool) -> bool;

    /// The place of another node's block is wanted for a block that came: whether it goes. Its bytes are still
    /// where they were.
    fn evict(&self, block: Address) -> bool;
}

/// A node.
pub struct AlewifeNode {
    /// Its processor.
    pub processor: AlewifeProcessor,
    name: String,
    memory: Rc<LineMemory>,
    next_free: Cell<Address>,
}

/// Memory, and the cache over it.
pub(super) struct LineMemory {
    bytes: RefCell<Vec<u8>>,
    cache: RefCell<LineCache>,
    keeper: RefCell<Option<Rc<dyn Keeper>>>,
}

impl LineMemory {
    pub fn cache(&self) -> &RefCell<LineCache> {
        &self.cache
    }

    /// Whether the processor may do this with a block of its own memory.
    pub fn allows(&self, address: Address, stores: bool) -> bool {
        self.keeper.borrow().as_ref().is_none_or(|keeper| keeper.allows(line_of(address), stores))
    }

    /// The bytes of a block of this node's memory, as they are there.
    fn line(&self, address: Address) -> LineBytes {
        let from = line_of(address) as usize;
        self.bytes.borrow()[from..from + LINE_BYTES].try_into().expect("a block's bytes")
    }

    fn write_line(&self, address: Address, data: &LineBytes) {
        let from = line_of(address) as usize;
        self.bytes.borrow_mut()[from..from + LINE_BYTES].copy_from_slice(data);
    }

    /// Makes the place of a block free; whether it is.
    fn make_room(&self, address: Address) -> bool {
        let Some((block, line)) = self.cache.borrow().victim(address) else { return true };
        match home_of(block).0 {
            None if line.dirty => self.write_line(block, &line.data),
            None => {}
            Some(_) => {
                let keeper = self.keeper.borrow().clone().expect("another node's block has a keeper");
                if !keeper.evict(block) {
                    return false;
                }
            }
        }
        self.cache.borrow_mut().remove(block);
        true
    }

    /// Puts a block of this node's memory, which may be stored to or not, into the cache, or where its place is
    /// in use, beside that.
    pub fn fetch(&self, address: Address, writable: bool) {
        self.put(address, CachedLine { writable, dirty: false, data: self.line(address) });
    }

    fn put(&self, address: Address, line: CachedLine) {
        match self.make_room(address) {
            true => self.cache.borrow_mut().fill(address, line),
            false => self.cache.borrow_mut().put_beside(address, line),
        }
    }

    /// What the cache has of this node's memory is written through.
    fn clean(&self, address: Address) {
        let line = self.cache.borrow().line(address);
        if let Some(line) = line.filter(|line| line.dirty) {
            self.write_line(address, &line.data);
            self.cache.borrow_mut().set_writable(address, line.writable);
        }
    }
}

impl AlewifeNode {
    /// A node built from checked parameters.
    pub fn new(sim: &Sim, name: &str, parameters: &AlewifeParameters) -> AlewifeNode {
        let memory = Rc::new(LineMemory {
            bytes: RefCell::new(vec![0; parameters.memory.len()]),
            cache: RefCell::new(LineCache::new(parameters.cache)),
            keeper: RefCell::default(),
        });
        let processor = AlewifeProcessor::new(sim, name, parameters, &memory);
        AlewifeNode { processor, name: name.to_owned(), memory, next_free: Cell::new(FIRST_FREE) }
    }

    /// Memory is shared with other nodes from now on.
    pub fn set_keeper(&self, keeper: Rc<dyn Keeper>) {
        let before = self.memory.keeper.borrow_mut().replace(keeper);
        assert!(before.is_none(), "memory has one keeper");
    }

    /// A place of `bytes` bytes in memory. Where there is none left, the run ends here, and the caller's task
    /// is told to have waited for it.
    pub fn allocate(&self, bytes: usize) -> Address {
        let (address, size) = (self.next_free.get(), self.memory.bytes.borrow().len());
        let end = address + bytes.next_multiple_of(BLOCK_BYTES) as u64;
        if end > size as u64 {
            let wanted = format!("{bytes} B of the memory of {}, {size} B of which are all in use", self.name);
            self.processor.sim().give_up(wanted);
            // The task is never polled again; until then, any address will do.
            return FIRST_FREE;
        }
        self.next_free.set(end);
        address
    }

    /// Bytes of this node's memory as its program has them, in no time.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        let mut data = self.memory.bytes.borrow()[address as usize..address as usize + bytes].to_vec();
        let cache = self.memory.cache.borrow();
        let (first, end) = (line_of(address), address + bytes as u64);
        for block in (first..end).step_by(LINE_BYTES) {
            let Some(line) = cache.line(block).filter(|line| line.dirty) else { continue };
            let (from, to) = (block.max(address), (block + LINE_BYTES as u64).min(end));
            let part = &line.data[(from - block) as usize..(to - block) as usize];
            data[(from - address) as usize..(to - address) as usize].copy_from_slice(part);
        }
        data
    }

    /// Puts bytes into this node's memory, in no time: what the cache has of them it has no more.
    pub fn poke(&self, address: Address, bytes: &[u8]) {
        for block in (line_of(address)..address + bytes.len() as u64).step_by(LINE_BYTES) {
            self.memory.clean(block);
            self.memory.cache.borrow_mut().remove(block);
        }
        self.memory.bytes.borrow_mut()[address as usize..address as usize + bytes.len()].copy_from_slice(bytes);
    }

    /// The bytes of a block that goes to another node: of this node's memory, or of the copy that it has.
    pub fn give(&self, block: Address) -> LineBytes {
        match self.memory.cache.borrow().line(block) {
            Some(line) => line.data,
            None => {
                assert!(block < REMOTE, "who gives a copy has it");
                self.memory.line(block)
            }
        }
    }

    /// The bytes of a block of this node's memory came home.
    pub fn take_home(&self, block: Address, data: &LineBytes) {
        assert!(self.memory.cache.borrow().line(block).is_none(), "who has no right to a block has no copy");
        self.memory.write_line(block, data);
    }

    /// A copy of another node's block came: it waits beside the cache.
    pub fn take_copy(&self, block: Address, data: LineBytes) {
        let line = CachedLine { writable: false, dirty: false, data };
        self.memory.cache.borrow_mut().put_beside(block, line);
    }

    /// What came moves into the cache, if it is here and its place can be had.
    pub fn settle(&self, block: Address) {
        let line = self.memory.cache.borrow().line(block);
        if let Some(line) = line.filter(|_| self.memory.cache.borrow().is_beside(block)) {
            self.memory.put(block, line);
        }
    }

    /// The processor may store to a block from now on, or not; whether the cache had stored what was not in memory.
    pub fn set_writable(&self, block: Address, writable: bool) -> bool {
        let had = self.memory.cache.borrow().line(block).is_some_and(|line| line.dirty);
        if block < REMOTE {
            self.memory.clean(block);
        }
        self.memory.cache.borrow_mut().set_writable(block, writable);
        had && block < REMOTE
    }

    /// The processor has a block no more; whether the cache had stored what was not in memory.
    pub fn drop_line(&self, block: Address) -> bool {
        let had = self.memory.cache.borrow().line(block).is_some_and(|line| line.dirty);
        if block < REMOTE {
            self.memory.clean(block);
        }
        self.memory.cache.borrow_mut().remove(block);
        had && block < REMOTE
    }
}
