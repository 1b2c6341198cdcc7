//! An Alewife node: its processor and memory, and the operations of its interface on blocks.

use super::cache::CachedLine;
use super::memory::{CoherenceController, LineMemory};
use super::parameters::AlewifeParameters;
use super::processor::AlewifeProcessor;
use super::{LINE_BYTES, LineBytes, REMOTE, line_of};
use crate::engine::Sim;
use crate::host::block::FIRST_FREE;
use crate::host::block::{Address, BLOCK_BYTES};
use std::cell::Cell;
use std::rc::Rc;

/// An Alewife node without its interface.
pub struct AlewifeNode {
    /// Processor of the node.
    pub processor: AlewifeProcessor,
    name: String,
    memory: Rc<LineMemory>,
    next_free: Cell<Address>,
}

impl AlewifeNode {
    /// Creates a node from checked parameters.
    pub fn new(sim: &Sim, name: &str, parameters: &AlewifeParameters) -> AlewifeNode {
        let memory = Rc::new(LineMemory::new(parameters.memory, parameters.cache));
        let processor = AlewifeProcessor::new(sim, name, parameters, &memory);
        AlewifeNode { processor, name: name.to_owned(), memory, next_free: Cell::new(FIRST_FREE) }
    }

    /// Sets the controller that keeps the node's memory coherent. The memory is shared with other nodes from now on.
    ///
    /// # Panics
    ///
    /// Panics if the memory already has a controller.
    pub fn set_coherence_controller(&self, controller: Rc<dyn CoherenceController>) {
        let previous_controller = self.memory.controller.borrow_mut().replace(controller);
        assert!(previous_controller.is_none(), "memory has one coherence controller");
    }

    /// Allocates `bytes` bytes of memory. If memory is exhausted, the run ends, and its report states that the caller's
    /// task waited for memory.
    pub fn allocate(&self, bytes: usize) -> Address {
        let (address, size) = (self.next_free.get(), self.memory.bytes.borrow().size());
        let end = address + bytes.next_multiple_of(BLOCK_BYTES) as u64;
        if end > size as u64 {
            let wanted = format!("{bytes} B of the memory of {}, whose {size} B are all in use", self.name);
            self.processor.sim().give_up(wanted);
            // The task is never polled again, so any address is valid until its next wait.
            return FIRST_FREE;
        }
        self.next_free.set(end);
        address
    }

    /// Returns bytes of this node's memory as its program sees them. This takes no simulated time.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        let mut data = self.memory.bytes.borrow().with(address as usize, bytes, <[u8]>::to_vec);
        let cache = self.memory.cache.borrow();
        let (first, end) = (line_of(address), address + bytes as u64);
        for block in (first..end).step_by(LINE_BYTES) {
            let Some(line) = cache.line(block).filter(|line| line.is_dirty) else { continue };
            let (from, to) = (block.max(address), (block + LINE_BYTES as u64).min(end));
            let part = &line.data[(from - block) as usize..(to - block) as usize];
            data[(from - address) as usize..(to - address) as usize].copy_from_slice(part);
        }
        data
    }

    /// Writes bytes into this node's memory without taking simulated time, and removes their blocks from the cache.
    pub fn write_untimed(&self, address: Address, bytes: &[u8]) {
        for block in (line_of(address)..address + bytes.len() as u64).step_by(LINE_BYTES) {
            self.memory.clean(block);
            self.memory.cache.borrow_mut().remove(block);
        }
        self.memory.bytes.borrow_mut().write(address as usize, bytes);
    }

    /// Returns the bytes of a block for sending it to another node, from the cache or from this node's memory.
    pub fn read_block_to_send(&self, block: Address) -> LineBytes {
        match self.memory.cache.borrow().line(block) {
            Some(line) => line.data,
            None => {
                assert!(block < REMOTE, "a node that sends a copy has it");
                self.memory.line(block)
            }
        }
    }

    /// Writes the bytes of a block of this node's memory, which has returned from another node.
    pub fn store_returned_block(&self, block: Address, data: &LineBytes) {
        assert!(self.memory.cache.borrow().line(block).is_none(), "a node without a right to a block has no copy");
        self.memory.write_line(block, data);
    }

    /// Puts an arriving copy of another node's block into the transaction store.
    pub fn take_copy(&self, block: Address, data: LineBytes) {
        let line = CachedLine { is_writable: false, is_dirty: false, data };
        self.memory.cache.borrow_mut().put_in_transaction_store(block, line);
    }

    /// Moves a block from the transaction store into the cache, if it is there and its frame can be freed.
    pub fn move_to_cache(&self, block: Address) {
        let line = self.memory.cache.borrow().line(block);
        if let Some(line) = line.filter(|_| self.memory.cache.borrow().is_in_transaction_store(block)) {
            self.memory.put(block, line);
        }
    }

    /// Sets whether the processor may store to a block. Returns whether a dirty block of this node's memory was written
    /// back.
    pub fn set_writable(&self, block: Address, is_writable: bool) -> bool {
        let was_dirty = self.memory.cache.borrow().line(block).is_some_and(|line| line.is_dirty);
        if block < REMOTE {
            self.memory.clean(block);
        }
        self.memory.cache.borrow_mut().set_writable(block, is_writable);
        was_dirty && block < REMOTE
    }

    /// Removes a block from the cache. Returns whether a dirty block of this node's memory was written back.
    pub fn drop_line(&self, block: Address) -> bool {
        let was_dirty = self.memory.cache.borrow().line(block).is_some_and(|line| line.is_dirty);
        if block < REMOTE {
            self.memory.clean(block);
        }
        self.memory.cache.borrow_mut().remove(block);
        was_dirty && block < REMOTE
    }
}
