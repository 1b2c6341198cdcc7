//! An Alewife node: its processor and memory, and what an interface does with blocks.

use super::cache::CachedLine;
use super::memory::{Keeper, LineMemory};
use super::parameters::AlewifeParameters;
use super::processor::AlewifeProcessor;
use super::{LINE_BYTES, LineBytes, REMOTE, line_of};
use crate::engine::Sim;
use crate::host::block::FIRST_FREE;
use crate::host::block::{Address, BLOCK_BYTES};
use std::cell::Cell;
use std::rc::Rc;

/// A node.
pub struct AlewifeNode {
    /// Its processor.
    pub processor: AlewifeProcessor,
    name: String,
    memory: Rc<LineMemory>,
    next_free: Cell<Address>,
}

impl AlewifeNode {
    /// A node built from checked parameters.
    pub fn new(sim: &Sim, name: &str, parameters: &AlewifeParameters) -> AlewifeNode {
        let memory = Rc::new(LineMemory::new(parameters.memory, parameters.cache));
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
