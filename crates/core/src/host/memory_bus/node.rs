//! A memory-bus node without its interface: bus, main memory and processor, and the allocation of memory and windows.

use super::agent::{Agent, AgentId};
use super::bus::Bus;
use super::cache_agent::CacheAgent;
use super::memory::Memory;
use super::parameters::NodeParameters;
use super::processor::MemoryBusProcessor;
use crate::engine::{Sim, Time};
use crate::host::any_coherent::AnyCoherentPort;
use crate::host::any_processor::AnyProcessor;
use crate::host::block::{Address, BLOCK_BYTES, Block, FIRST_FREE, block_of, offset_in_block};
use crate::host::cores::core_name;
use crate::host::device::{Device, DeviceWindow, Mapping, Window};
use crate::host::interrupt::Interrupts;
use crate::host::utilization::Utilization;
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// First address of the interface's registers and memory; main memory is below.
pub const INTERFACE_BASE: Address = 1 << 40;

/// First address of the windows that the node assigns to devices.
const WINDOWS_BASE: Address = INTERFACE_BASE + (1 << 32);

/// A memory-bus node without its interface.
pub struct MemoryBusNode {
    /// Name of the node in reports.
    pub name: String,
    /// Memory bus.
    pub bus: Rc<Bus>,
    /// Cores, of which there is at least one.
    pub cores: Vec<MemoryBusProcessor>,
    /// Agent number of main memory on the bus.
    pub memory: AgentId,
    /// Interrupt line of the interface, which has one vector.
    pub interrupts: Interrupts,
    parameters: NodeParameters,
    next_free: Cell<Address>,
    next_window: Cell<Address>,
}

/// The registers of a device, as an agent on the bus.
struct Registers {
    device: Rc<dyn Device>,
    window: Window,
}

impl Agent for Registers {
    fn snoops(&self) -> bool {
        false
    }

    fn requests_bus(&self) -> bool {
        false
    }

    fn home_time(&self, address: Address) -> Time {
        self.device.time(address - self.window.0)
    }

    fn home_posts_writes(&self) -> bool {
        self.device.posts_writes()
    }

    fn home_read(&self, address: Address, bytes: usize, data: &mut Block) {
        let offset = offset_in_block(address);
        self.device.read(address - self.window.0, &mut data.0[offset..offset + bytes]);
    }

    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        let offset = offset_in_block(address);
        self.device.write(address - self.window.0, &data.0[offset..offset + bytes]);
    }
}

impl MemoryBusNode {
    /// Creates a node from checked parameters.
    pub fn new(sim: &Sim, name: &str, parameters: &NodeParameters) -> MemoryBusNode {
        let memory = Memory::new(parameters.memory_size, parameters.memory_time);
        MemoryBusNode::with_memory(sim, name, parameters, Rc::new(memory))
    }

    /// Creates a node whose main memory is the agent `memory`.
    pub fn with_memory(sim: &Sim, name: &str, parameters: &NodeParameters, memory: Rc<dyn Agent>) -> MemoryBusNode {
        let bus = Rc::new(Bus::new(sim, name, parameters.bus));
        let memory = bus.attach(memory, Some(0..parameters.memory_size.get()));
        let core = |number| {
            let name = core_name(name, number, parameters.cores);
            let cache = CacheAgent::new(sim, &name, &bus, &parameters.cache);
            MemoryBusProcessor::new(sim, &name, &bus, cache, parameters.processor)
        };
        let cores = (0..parameters.cores).map(core).collect();
        bus.set_cache_count(parameters.cores as usize);
        MemoryBusNode {
            name: name.to_owned(),
            bus,
            cores,
            memory,
            interrupts: Interrupts::new(sim, name, parameters.processor.interrupt_latency, 1),
            parameters: *parameters,
            next_free: Cell::new(FIRST_FREE),
            next_window: Cell::new(WINDOWS_BASE),
        }
    }

    /// Returns the utilization of the bus, and of main memory, the cache and the interface's memory by accesses from
    /// the bus. Accesses to the cache are those of other agents, and accesses to the interface are those to its
    /// send half and to its receive half.
    pub fn utilization(&self) -> Vec<Utilization> {
        let [memory, cache, interface] = self.bus.access_times();
        vec![
            Utilization { part_name: "memory bus", busy: self.bus.held_total(), active: self.bus.moved_total() },
            Utilization::always_active("memory", memory),
            Utilization::always_active("cache", cache),
            Utilization::always_active("interface memory", interface),
        ]
    }

    /// Returns the numbers of blocks that the cores have read from main memory, and from interfaces and other cores.
    pub fn fetched_blocks(&self) -> [u64; 2] {
        let of_core = |core: &MemoryBusProcessor| {
            let fetched_blocks = self.bus.fetched_blocks(core.cache().id());
            let from_memory = fetched_blocks[self.memory.0];
            [from_memory, fetched_blocks.iter().sum::<u64>() - from_memory]
        };
        self.cores.iter().map(of_core).fold([0; 2], |total, core| [total[0] + core[0], total[1] + core[1]])
    }

    /// Returns a port for agents of an interface.
    pub fn coherent_port(&self) -> AnyCoherentPort {
        AnyCoherentPort::memory_bus(self.bus.clone())
    }

    /// Returns the cores as those of a host.
    pub fn processors(&self) -> Vec<AnyProcessor> {
        self.cores.iter().cloned().map(AnyProcessor::MemoryBus).collect()
    }

    /// Makes the cores combine stores to `window`.
    pub fn combine_writes(&self, window: Range<Address>) {
        self.cores.iter().for_each(|core| core.combine_writes(window.clone()));
    }

    /// Returns the number of blocks that were fetched into cache frames for the first time, from `from` to `to`.
    pub fn cold_fills(&self, from: Time, to: Time) -> u64 {
        self.cores.iter().map(|core| core.cache().cold_fills(from, to)).sum()
    }

    /// Attaches an interface, or its send or receive half, that is the home of `addresses`. These must be at or above
    /// [`INTERFACE_BASE`].
    pub fn attach(&self, interface: Rc<dyn Agent>, addresses: Range<Address>) -> AgentId {
        assert!(addresses.start >= INTERFACE_BASE, "the addresses of an interface are above main memory");
        self.bus.attach(interface, Some(addresses))
    }

    /// Attaches a device with the window that it requests, and returns the address of the window.
    pub fn attach_device(&self, device: Rc<dyn Device>, DeviceWindow { bytes, mapping }: DeviceWindow) -> Window {
        let window = Window(self.next_window.get());
        if mapping == Mapping::WriteCombined {
            self.combine_writes(window.0..window.0 + bytes);
        }
        self.next_window.set((window.0 + bytes).next_multiple_of(BLOCK_BYTES as u64));
        self.attach(Rc::new(Registers { device, window }), window.0..window.0 + bytes);
        window
    }

    /// Allocates `bytes` bytes of main memory, aligned to a block. If memory is exhausted, the run ends, and its report
    /// states that the caller's task waited for memory.
    pub fn allocate(&self, bytes: usize) -> Address {
        let (address, size) = (self.next_free.get(), self.parameters.memory_size);
        let end = address + bytes.next_multiple_of(BLOCK_BYTES) as u64;
        if end > size.get() {
            let wanted = format!("{bytes} B of the main memory of {}, whose {size} are all in use", self.name);
            self.cores[0].sim().give_up(wanted);
            // The task is never polled again, so any address is valid until its next wait.
            return FIRST_FREE;
        }
        self.next_free.set(end);
        address
    }

    /// Reads memory as this node's program sees it, without taking simulated time. This method is for reading results.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        let end = address + bytes as u64;
        let mut data = Vec::with_capacity(bytes);
        while address + (data.len() as u64) < end {
            let at = address + data.len() as u64;
            let block: Block = self.bus.peek(block_of(at));
            let offset = offset_in_block(at);
            let length = (BLOCK_BYTES - offset).min((end - at) as usize);
            data.extend_from_slice(&block.0[offset..offset + length]);
        }
        self.cores.iter().for_each(|core| core.overlay_stores(address, &mut data));
        data
    }
}
