//! A host in a simulation, as interfaces, the messaging layer and instruments use it, whatever its kind.

use super::alewife::node::AlewifeNode;
use super::any_coherent::AnyCoherentPort;
use super::any_processor::AnyProcessor;
use super::block::{Address, BLOCK_BYTES};
use super::bus_dma::BusDma;
use super::device::{AsyncDevice, Device, DeviceWindow, Window};
use super::dma::DmaInitiator;
use super::dma_port::DmaPort;
use super::interrupt::{CoreId, InterruptController};
use super::metrics::HostMetric;
use super::processor::Processor;
use super::utilization::Utilization;
use crate::engine::{LocalFuture, NodeId, Time};
use std::any::Any;
use std::rc::Rc;

/// A host of some kind at work.
///
/// What a host does not offer it need not implement: a checked machine does not ask for it.
pub trait HostNode {
    /// Returns its cores, of which there is at least one.
    fn cores(&self) -> &[AnyProcessor];

    /// Maps a device, which answers from the returned address on; `None` if the host has no bus for devices, or no such
    /// mapping.
    fn map_device(&self, _device: Rc<dyn Device>, _window: DeviceWindow) -> Option<Window> {
        None
    }

    /// Maps a device that takes time to answer; `None` if the host has no bus for such devices, or no such mapping.
    fn map_async_device(&self, _device: Rc<dyn AsyncDevice>, _window: DeviceWindow) -> Option<Window> {
        None
    }

    /// Returns the access of a device's engine to single blocks of memory; `None` if the host has none.
    fn dma(&self) -> Option<DmaInitiator> {
        None
    }

    /// Returns the port of the interface on a coherent interconnect; `None` if the host has none.
    fn coherent(&self) -> Option<AnyCoherentPort> {
        None
    }

    /// Returns a port by which a device's engine transfers to and from memory; `None` if the host has no DMA. By default
    /// it has one tag, over [`dma`](HostNode::dma).
    fn dma_port(&self) -> Option<Rc<dyn DmaPort>> {
        self.dma().map(|initiator| Rc::new(BusDma::new(initiator, 1)) as Rc<dyn DmaPort>)
    }

    /// Returns what delivers the interface's interrupts; `None` if the host has no interrupts.
    fn interrupts(&self) -> Option<&dyn InterruptController> {
        None
    }

    /// Allocates a buffer of zeros that begins at a block, or at a page where the interface moves pages.
    fn allocate(&self, bytes: usize) -> Address;

    /// Returns the bytes that a block copy of the messaging layer moves at once.
    fn copy_block_bytes(&self) -> usize {
        BLOCK_BYTES
    }

    /// Returns memory as its program sees it, in no time.
    fn peek(&self, address: Address, bytes: usize) -> Vec<u8>;

    /// Writes a program's buffer before anything is measured; by default through the cache.
    fn prepare<'a>(&'a self, address: Address, bytes: &'a [u8]) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            let cpu = &self.cores()[0];
            let _lease = cpu.acquire("prepare").await;
            cpu.store_run(address, bytes).await;
            cpu.fence().await;
        })
    }

    /// Returns the utilization of its parts; by default of its cores alone.
    fn utilization(&self) -> Vec<Utilization> {
        self.cores().iter().map(|cpu| cpu.arbiter().utilization()).collect()
    }

    /// Returns what it counted, in the order of its metrics; those reported for each node come first.
    fn metrics(&self) -> Vec<HostMetric> {
        Vec::new()
    }

    /// Returns the number of blocks that were fetched into cache frames that had never held one, from `from` to `to`: the
    /// blocks by which a cache is still being filled.
    fn cold_fills(&self, _from: Time, _to: Time) -> u64 {
        0
    }

    /// Returns the object that interfaces use beyond this trait, if they know its type.
    fn extension(&self) -> Option<Rc<dyn Any>> {
        None
    }
}

/// The host of a node. Clones are the same host.
#[derive(Clone)]
pub struct Host {
    /// Number of its node.
    pub node: NodeId,
    /// Name of its node.
    pub name: Rc<str>,
    kind: Rc<dyn HostNode>,
}

impl Host {
    /// Returns the host of `node`, which its specification has started.
    pub fn new(node: NodeId, name: &str, kind: Rc<dyn HostNode>) -> Host {
        Host { node, name: name.into(), kind }
    }

    /// Returns its first core.
    pub fn cpu(&self) -> AnyProcessor {
        self.kind.cores()[0].clone()
    }

    /// Returns its cores, the first of which is that of [`cpu`](Host::cpu).
    pub fn cores(&self) -> &[AnyProcessor] {
        self.kind.cores()
    }

    /// Returns a core.
    ///
    /// # Panics
    ///
    /// Panics if the host has no such core.
    pub fn core(&self, core: CoreId) -> AnyProcessor {
        self.kind.cores()[usize::from(core.0)].clone()
    }

    /// Attaches a device with an uncached window of `bytes` bytes.
    ///
    /// # Panics
    ///
    /// Panics if the host has no bus for devices.
    pub fn attach(&self, device: Rc<dyn Device>, bytes: u64) -> Window {
        self.map_device(device, DeviceWindow::uncached(bytes))
    }

    /// Maps a device with the window that it asks for.
    ///
    /// # Panics
    ///
    /// Panics if the host has no bus for devices, or no such mapping.
    pub fn map_device(&self, device: Rc<dyn Device>, window: DeviceWindow) -> Window {
        let mapped = self.kind.map_device(device, window);
        mapped.unwrap_or_else(|| panic!("a checked interface needs no registers on {}", self.name))
    }

    /// Maps a device that takes time to answer.
    ///
    /// # Panics
    ///
    /// Panics if the host has no bus for such devices, or no such mapping.
    pub fn map_async_device(&self, device: Rc<dyn AsyncDevice>, window: DeviceWindow) -> Window {
        let mapped = self.kind.map_async_device(device, window);
        mapped.unwrap_or_else(|| panic!("a checked interface needs no device that takes time on {}", self.name))
    }

    /// Returns a port by which a device's engine transfers to and from memory.
    ///
    /// # Panics
    ///
    /// Panics if the host has no DMA.
    pub fn dma_port(&self) -> Rc<dyn DmaPort> {
        self.kind.dma_port().unwrap_or_else(|| panic!("a checked interface needs no DMA on {}", self.name))
    }

    /// Returns the access of a device's engine to single blocks of memory.
    ///
    /// # Panics
    ///
    /// Panics if the host has no DMA.
    pub fn dma(&self) -> DmaInitiator {
        self.kind.dma().unwrap_or_else(|| panic!("a checked interface needs no DMA on {}", self.name))
    }

    /// Returns what delivers the interface's interrupts.
    ///
    /// # Panics
    ///
    /// Panics if the host has no interrupts.
    pub fn interrupts(&self) -> &dyn InterruptController {
        let controller = self.kind.interrupts();
        controller.unwrap_or_else(|| panic!("a checked interface needs no interrupts on {}", self.name))
    }

    /// Returns the port of the interface on the coherent interconnect, if there is one.
    pub fn coherent(&self) -> Option<AnyCoherentPort> {
        self.kind.coherent()
    }

    /// Returns the node whose cache misses its interface serves, if it is one.
    pub fn delegated_misses(&self) -> Option<Rc<AlewifeNode>> {
        self.kind.extension()?.downcast().ok()
    }

    /// Allocates a buffer of zeros that begins at a block, or at a page where the interface moves pages.
    pub fn allocate(&self, bytes: usize) -> Address {
        self.kind.allocate(bytes)
    }

    /// Returns the bytes that a block copy of the messaging layer moves at once.
    pub fn copy_block_bytes(&self) -> usize {
        self.kind.copy_block_bytes()
    }

    /// Returns memory as its program sees it, in no time.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.kind.peek(address, bytes)
    }

    /// Writes a program's buffer before anything is measured.
    pub async fn prepare(&self, address: Address, bytes: &[u8]) {
        self.kind.prepare(address, bytes).await;
    }

    /// Returns the utilization of its parts.
    pub fn utilization(&self) -> Vec<Utilization> {
        self.kind.utilization()
    }

    /// Returns what it counted, in the order of its metrics; those reported for each node come first.
    pub fn metrics(&self) -> Vec<HostMetric> {
        self.kind.metrics()
    }

    /// Returns the number of blocks that were fetched into cache frames that had never held one, from `from` to `to`.
    pub fn cold_fills(&self, from: Time, to: Time) -> u64 {
        self.kind.cold_fills(from, to)
    }
}
