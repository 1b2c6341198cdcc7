//! A node without its interface: bus, main memory and processor, and places in memory.

use super::agent::{Agent, AgentId};
use super::block::{Address, BLOCK_BYTES, Block, block_of, offset_in_block};
use super::bus::Bus;
use super::cache_agent::CacheAgent;
use super::memory::Memory;
use super::parameters::NodeParameters;
use super::processor::Processor;
use crate::engine::Sim;
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// Where the interface's registers and memory begin; main memory lies below.
pub const INTERFACE_BASE: Address = 1 << 40;

/// A node.
pub struct Node {
    /// Its name in reports.
    pub name: String,
    /// Its bus.
    pub bus: Rc<Bus>,
    /// Its processor.
    pub processor: Processor,
    /// Main memory's number on the bus.
    pub memory: AgentId,
    parameters: NodeParameters,
    next_free: Cell<Address>,
}

impl Node {
    /// A node built from checked parameters.
    pub fn new(sim: &Sim, name: &str, parameters: &NodeParameters) -> Node {
        let bus = Rc::new(Bus::new(sim, name, parameters.bus));
        let memory = Memory::new(parameters.memory_size, parameters.memory_time);
        let memory = bus.attach(Rc::new(memory), Some(0..parameters.memory_size.get()));
        let cache = CacheAgent::new(sim, name, &bus, &parameters.cache);
        let processor = Processor::new(sim, name, &bus, cache, parameters.processor);
        // Address zero stays unused, so that a forgotten address is noticed.
        Node { name: name.to_owned(), bus, processor, memory, parameters: *parameters, next_free: Cell::new(4096) }
    }

    /// Attaches an interface, or a half of one, that is the home of `addresses`, which lie above
    /// [`INTERFACE_BASE`].
    pub fn attach(&self, interface: Rc<dyn Agent>, addresses: Range<Address>) -> AgentId {
        assert!(addresses.start >= INTERFACE_BASE, "an interface is not at home in main memory");
        self.bus.attach(interface, Some(addresses))
    }

    /// A place of `bytes` bytes in main memory that begins at a block.
    pub fn allocate(&self, bytes: usize) -> Address {
        let address = self.next_free.get();
        let end = address + bytes.next_multiple_of(BLOCK_BYTES) as u64;
        assert!(end <= self.parameters.memory_size.get(), "{}: main memory is full", self.name);
        self.next_free.set(end);
        address
    }

    /// Reads memory as this node's program has it, in no time: to look at results.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        let end = address + bytes as u64;
        let mut data = Vec::with_capacity(bytes);
        while address + (data.len() as u64) < end {
            let at = address + data.len() as u64;
            let block: Block = self.bus.peek(block_of(at));
            let offset = offset_in_block(at);
            let count = (BLOCK_BYTES - offset).min((end - at) as usize);
            data.extend_from_slice(&block.0[offset..offset + count]);
        }
        self.processor.overlay_stores(address, &mut data);
        data
    }
}
