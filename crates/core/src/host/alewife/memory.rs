//! A node's memory with its cache, and the trait of the controller that keeps memory coherent between nodes.
//!
//! Timing is left out, since the processor models it.

use super::cache::{CachedLine, LineCache};
use super::{LINE_BYTES, LineBytes, home_of, line_of};
use crate::engine::Bytes;
use crate::host::PagedBytes;
use crate::host::block::Address;
use std::cell::RefCell;
use std::rc::Rc;

/// The controller of a node's memory, which keeps memory that nodes share coherent.
pub trait CoherenceController {
    /// Returns whether this node's processor may load from a block of its own memory, or store to it if `is_store` is
    /// true.
    fn allows(&self, block: Address, is_store: bool) -> bool;

    /// Evicts a block of another node's memory, because an arriving block needs its frame. Returns whether the block
    /// may be removed. Its bytes are still in the cache during the call.
    fn evict(&self, block: Address) -> bool;
}

/// A node's memory and its cache.
pub(super) struct LineMemory {
    pub bytes: RefCell<PagedBytes>,
    pub cache: RefCell<LineCache>,
    pub controller: RefCell<Option<Rc<dyn CoherenceController>>>,
}

impl LineMemory {
    /// Creates a memory of `size` bytes with an empty cache of `cache_size` bytes.
    pub fn new(size: Bytes, cache_size: Bytes) -> LineMemory {
        LineMemory {
            bytes: RefCell::new(PagedBytes::new(size.len())),
            cache: RefCell::new(LineCache::new(cache_size)),
            controller: RefCell::default(),
        }
    }

    /// Returns whether the processor may load from the block of `address`, or store to it if `is_store` is true. The
    /// block is in the memory of the processor's node.
    pub fn allows(&self, address: Address, is_store: bool) -> bool {
        self.controller.borrow().as_ref().is_none_or(|controller| controller.allows(line_of(address), is_store))
    }

    /// Returns the bytes of a block in this node's memory, which may be older than those in the cache.
    pub fn line(&self, address: Address) -> LineBytes {
        let mut line = [0; LINE_BYTES];
        self.bytes.borrow().read(line_of(address) as usize, &mut line);
        line
    }

    /// Writes a block of this node's memory.
    pub fn write_line(&self, address: Address, data: &LineBytes) {
        self.bytes.borrow_mut().write(line_of(address) as usize, data);
    }

    /// Evicts the block that occupies the frame of `address`, if there is one. Returns whether the frame is free now.
    fn evict_from_frame(&self, address: Address) -> bool {
        let Some((block, line)) = self.cache.borrow().victim(address) else { return true };
        match home_of(block).0 {
            None if line.is_dirty => self.write_line(block, &line.data),
            None => {}
            Some(_) => {
                let controller =
                    self.controller.borrow().clone().expect("another node's block has a coherence controller");
                if !controller.evict(block) {
                    return false;
                }
            }
        }
        self.cache.borrow_mut().remove(block);
        true
    }

    /// Fetches a block of this node's memory into the cache, or into the transaction store if its frame is in use.
    pub fn fetch(&self, address: Address, is_writable: bool) {
        self.put(address, CachedLine { is_writable, is_dirty: false, data: self.line(address) });
    }

    /// Puts a block into the cache, or into the transaction store if its frame is in use.
    pub fn put(&self, address: Address, line: CachedLine) {
        match self.evict_from_frame(address) {
            true => self.cache.borrow_mut().fill(address, line),
            false => self.cache.borrow_mut().put_in_transaction_store(address, line),
        }
    }

    /// Writes a dirty block of this node's memory back, and keeps it in the cache as a clean block.
    pub fn clean(&self, address: Address) {
        let line = self.cache.borrow().line(address);
        if let Some(line) = line.filter(|line| line.is_dirty) {
            self.write_line(address, &line.data);
            self.cache.borrow_mut().set_writable(address, line.is_writable);
        }
    }
}
