//! A host in a simulation: the trait that each kind of host implements, and the handle that interfaces, the messaging
//! layer and statistics use.

use super::alewife::node::AlewifeNode;
use super::any_coherent::AnyCoherentPort;
use super::any_processor::AnyProcessor;
use super::block::{Address, BLOCK_BYTES};
use super::bus_dma::{AnyDmaPort, BusDma};
use super::cache_warmth::CacheWarmth;
use super::device::{AsyncDevice, Device, DeviceWindow, Window};
use super::dma::DmaInitiator;
use super::interrupt::{CoreId, InterruptController};
use super::metrics::HostMetric;
use super::processor::Processor;
use super::utilization::Utilization;
use crate::engine::{LocalFuture, NodeId, Time};
use std::any::Any;
use std::rc::{Rc, Weak};

/// A host of some kind in a simulation.
///
/// A host need not implement the methods of capabilities that it does not offer, because a checked machine does not
/// call them.
pub trait HostNode {
    /// Returns the cores, of which there is at least one.
    fn cores(&self) -> &[AnyProcessor];

    /// Maps a device and returns its window; `None` if the host has no bus for devices, or does not support the
    /// mapping.
    fn map_device(&self, _device: Rc<dyn Device>, _window: DeviceWindow) -> Option<Window> {
        None
    }

    /// Maps a device that takes time to respond. Returns `None` if the host has no bus for such devices, or does not
    /// support the mapping.
    fn map_async_device(&self, _device: Rc<dyn AsyncDevice>, _window: DeviceWindow) -> Option<Window> {
        None
    }

    /// Returns the initiator by which a device's engine accesses single blocks of memory; `None` if the host has no
    /// DMA.
    fn dma(&self) -> Option<DmaInitiator> {
        None
    }

    /// Returns the port of the interface on a coherent interconnect; `None` if the host has none.
    fn coherent(&self) -> Option<AnyCoherentPort> {
        None
    }

    /// Returns a port by which a device's engine transfers to and from memory; `None` if the host has no DMA. The
    /// default is a port with one tag over [`dma`](HostNode::dma).
    fn dma_port(&self) -> Option<AnyDmaPort> {
        self.dma().map(|initiator| BusDma::new(initiator, 1).into())
    }

    /// Returns the controller of the interface's interrupts; `None` if the host has no interrupts.
    fn interrupts(&self) -> Option<&dyn InterruptController> {
        None
    }

    /// Allocates a buffer of zeros, aligned to a block, or to a page if the interface moves pages.
    fn allocate(&self, bytes: usize) -> Address;

    /// Returns the number of bytes that a block copy of the messaging layer moves as a unit.
    fn copy_block_bytes(&self) -> usize {
        BLOCK_BYTES
    }

    /// Returns memory as the program sees it, without taking simulated time.
    fn peek(&self, address: Address, bytes: usize) -> Vec<u8>;

    /// Writes a program's buffer before the measurement; by default through the cache.
    fn prepare<'a>(&'a self, address: Address, bytes: &'a [u8]) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            let cpu = &self.cores()[0];
            let _lease = cpu.acquire("prepare").await;
            cpu.store_run(address, bytes).await;
            cpu.fence().await;
        })
    }

    /// Sets the state of `bytes` bytes from `first` on in the last-level cache, without taking simulated time. No byte
    /// changes. Returns whether the host has such a cache; by default it has none.
    fn warm_cache(&self, _first: Address, _bytes: u64, _state: CacheWarmth) -> bool {
        false
    }

    /// Sets the state of the last-level cache as if a device had written `bytes` bytes from `first` on, block by block,
    /// without taking simulated time. No byte changes. By default the host has no such cache.
    fn note_device_write(&self, _first: Address, _bytes: u64) {}

    /// Returns the utilization of the host's parts; by default of its cores only.
    fn utilization(&self) -> Vec<Utilization> {
        self.cores().iter().map(|cpu| cpu.arbiter().utilization()).collect()
    }

    /// Returns the quantities that the host counted, in the order of its metrics. Those that are reported for each node
    /// come first.
    fn metrics(&self) -> Vec<HostMetric> {
        Vec::new()
    }

    /// Returns the number of blocks that were fetched into cache frames for the first time, from `from` to `to`. If
    /// there are any, the cache is still being filled.
    fn cold_fills(&self, _from: Time, _to: Time) -> u64 {
        0
    }

    /// Returns an object with further operations of the host, for interfaces that know its type.
    fn extension(&self) -> Option<Rc<dyn Any>> {
        None
    }
}

/// The host of a node. Clones refer to the same host.
#[derive(Clone)]
pub struct Host {
    /// Number of the node.
    pub node: NodeId,
    /// Name of the node.
    pub name: Rc<str>,
    host_node: Rc<dyn HostNode>,
}

/// A handle to the host of a node that does not keep the host in memory. Devices use such a handle, because the host
/// keeps the devices.
#[derive(Clone)]
pub struct WeakHost {
    /// Name of the node.
    pub name: Rc<str>,
    node: NodeId,
    host_node: Weak<dyn HostNode>,
}

impl WeakHost {
    /// Returns the host.
    ///
    /// # Panics
    ///
    /// Panics after the run, when the host has been dropped.
    pub fn get(&self) -> Host {
        let host_node = self.host_node.upgrade().expect("a host exists as long as its devices act");
        Host { node: self.node, name: self.name.clone(), host_node }
    }
}

impl Host {
    /// Returns a handle that does not keep the host in memory.
    pub fn downgrade(&self) -> WeakHost {
        WeakHost { name: self.name.clone(), node: self.node, host_node: Rc::downgrade(&self.host_node) }
    }

    /// Creates the handle of the host of `node`, which was started by its specification.
    pub fn new(node: NodeId, name: &str, host_node: Rc<dyn HostNode>) -> Host {
        Host { node, name: name.into(), host_node }
    }

    /// Returns the first core.
    pub fn cpu(&self) -> AnyProcessor {
        self.host_node.cores()[0].clone()
    }

    /// Returns the cores; the first is [`cpu`](Host::cpu).
    pub fn cores(&self) -> &[AnyProcessor] {
        self.host_node.cores()
    }

    /// Returns a core.
    ///
    /// # Panics
    ///
    /// Panics if the host has no such core.
    pub fn core(&self, core: CoreId) -> AnyProcessor {
        self.host_node.cores()[usize::from(core.0)].clone()
    }

    /// Attaches a device with an uncached window of `bytes` bytes.
    ///
    /// # Panics
    ///
    /// Panics if the host has no bus for devices.
    pub fn attach(&self, device: Rc<dyn Device>, bytes: u64) -> Window {
        self.map_device(device, DeviceWindow::uncached(bytes))
    }

    /// Maps a device with the window that it requests.
    ///
    /// # Panics
    ///
    /// Panics if the host has no bus for devices, or does not support the mapping.
    pub fn map_device(&self, device: Rc<dyn Device>, window: DeviceWindow) -> Window {
        let mapped = self.host_node.map_device(device, window);
        mapped.unwrap_or_else(|| {
            panic!("the check accepted an interface that needs registers, which {} lacks", self.name)
        })
    }

    /// Maps a device that takes time to respond.
    ///
    /// # Panics
    ///
    /// Panics if the host has no bus for devices that take time to respond, or does not support the mapping.
    pub fn map_async_device(&self, device: Rc<dyn AsyncDevice>, window: DeviceWindow) -> Window {
        let mapped = self.host_node.map_async_device(device, window);
        mapped.unwrap_or_else(|| {
            panic!("the check accepted an interface that needs a device that takes time, which {} lacks", self.name)
        })
    }

    /// Returns a port by which a device's engine transfers to and from memory.
    ///
    /// # Panics
    ///
    /// Panics if the host has no DMA.
    pub fn dma_port(&self) -> AnyDmaPort {
        self.host_node
            .dma_port()
            .unwrap_or_else(|| panic!("the check accepted an interface that needs DMA, which {} lacks", self.name))
    }

    /// Returns the initiator by which a device's engine accesses single blocks of memory.
    ///
    /// # Panics
    ///
    /// Panics if the host has no DMA.
    pub fn dma(&self) -> DmaInitiator {
        self.host_node
            .dma()
            .unwrap_or_else(|| panic!("the check accepted an interface that needs DMA, which {} lacks", self.name))
    }

    /// Returns the controller of the interface's interrupts.
    ///
    /// # Panics
    ///
    /// Panics if the host has no interrupts.
    pub fn interrupts(&self) -> &dyn InterruptController {
        let controller = self.host_node.interrupts();
        controller.unwrap_or_else(|| {
            panic!("the check accepted an interface that needs interrupts, which {} lacks", self.name)
        })
    }

    /// Returns the port of the interface on the coherent interconnect, if there is one.
    pub fn coherent(&self) -> Option<AnyCoherentPort> {
        self.host_node.coherent()
    }

    /// Returns the Alewife node of the host, whose interface serves its cache misses; `None` if the host is of another
    /// kind.
    pub fn delegated_misses(&self) -> Option<Rc<AlewifeNode>> {
        self.host_node.extension()?.downcast().ok()
    }

    /// Allocates a buffer of zeros, aligned to a block, or to a page if the interface moves pages.
    pub fn allocate(&self, bytes: usize) -> Address {
        self.host_node.allocate(bytes)
    }

    /// Returns the number of bytes that a block copy of the messaging layer moves as a unit.
    pub fn copy_block_bytes(&self) -> usize {
        self.host_node.copy_block_bytes()
    }

    /// Returns memory as the program sees it, without taking simulated time.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.host_node.peek(address, bytes)
    }

    /// Writes a program's buffer before the measurement.
    pub async fn prepare(&self, address: Address, bytes: &[u8]) {
        self.host_node.prepare(address, bytes).await;
    }

    /// Sets the state of `bytes` bytes from `first` on in the last-level cache, without taking simulated time. No byte
    /// changes. Returns whether the host has such a cache.
    pub fn warm_cache(&self, first: Address, bytes: u64, state: CacheWarmth) -> bool {
        self.host_node.warm_cache(first, bytes, state)
    }

    /// Sets the state of the last-level cache as if a device had written `bytes` bytes from `first` on, block by block,
    /// without taking simulated time.
    pub fn note_device_write(&self, first: Address, bytes: u64) {
        self.host_node.note_device_write(first, bytes);
    }

    /// Returns the utilization of the host's parts.
    pub fn utilization(&self) -> Vec<Utilization> {
        self.host_node.utilization()
    }

    /// Returns the quantities that the host counted, in the order of its metrics. Those that are reported for each node
    /// come first.
    pub fn metrics(&self) -> Vec<HostMetric> {
        self.host_node.metrics()
    }

    /// Returns the number of blocks that were fetched into cache frames for the first time, from `from` to `to`.
    pub fn cold_fills(&self, from: Time, to: Time) -> u64 {
        self.host_node.cold_fills(from, to)
    }
}
