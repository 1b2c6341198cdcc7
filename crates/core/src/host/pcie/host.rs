//! The host with a PCIe link as a part: its specification, and its node in a simulation.

use super::check;
use super::coherent_link::FarPort;
use super::parameters::PcieParameters;
use super::port::PciePort;
use super::registers::{DeviceWindows, Target};
use super::root_complex::{PostedPacket, RootComplex};
use super::shared_caches::{MemoryHome, SharedCaches};
use crate::engine::{NodeId, Sim, Time};
use crate::host::any_coherent::AnyCoherentPort;
use crate::host::any_processor::AnyProcessor;
use crate::host::block::{Address, BLOCK_BYTES};
use crate::host::bus_dma::AnyDmaPort;
use crate::host::cache_warmth::CacheWarmth;
use crate::host::capabilities::HostCapabilities;
use crate::host::cores::utilization_of_cores;
use crate::host::device::{AsyncDevice, Device, DeviceWindow, Mapping, Window};
use crate::host::dma::DmaInitiator;
use crate::host::interrupt::{
    CoreId, InterruptController, InterruptHandler, InterruptVector, Interrupts, POLLED_REASON,
};
use crate::host::memory_bus::{MemoryBusNode, MemoryBusProcessor};
use crate::host::metrics::HostMetric;
use crate::host::node::HostNode;
use crate::host::spec::{HostSpec, MainMemorySize};
use crate::host::utilization::Utilization;
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use std::iter::once;
use std::rc::Rc;

/// Number of interrupt vectors.
const VECTORS: u16 = 16;

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("pcie.reads", "", "DMA reads that the root complex executed"),
    ResultName::metric("pcie.writes", "", "DMA writes that the root complex executed"),
    ResultName::metric("llc.device.read.hits", "", "Blocks that DMA reads found in the last-level cache"),
    ResultName::metric("llc.device.read.misses", "", "Blocks that DMA reads fetched from memory"),
    ResultName::metric("llc.device.write.hits", "", "Blocks that DMA writes updated in the last-level cache"),
    ResultName::metric(
        "llc.device.write.misses",
        "",
        "Blocks that DMA writes allocated in the I/O ways, or wrote to memory",
    ),
    ResultName::metric("llc.written-back", "", "Modified blocks that the last-level cache wrote to memory"),
    ResultName::metric("iommu.misses", "", "Translations that the IOMMU had to walk for"),
    ResultName::resource("interconnect", "The split interconnect of cores, last-level cache and root complex"),
    ResultName::resource("LLC", "The last-level cache"),
    ResultName::resource("PCIe link up", "The PCIe link from the device to the root complex"),
    ResultName::resource("PCIe link down", "The PCIe link from the root complex to the device"),
    ResultName::resource("coherent link up", "The coherent link from the device to the host"),
    ResultName::resource("coherent link down", "The coherent link from the host to the device"),
    ResultName::resource("IOMMU walkers", "The page walkers of the IOMMU"),
];

impl Part for PcieParameters {
    const INFO: PartInfo =
        PartInfo::new("pcie", "The interface sits at the end of a PCIe link, behind an IOMMU and a cache")
            .results(RESULTS);

    fn check(&self) -> Vec<ParameterError> {
        check::errors(self)
    }

    fn inert_reason(&self, key: &str) -> Option<&'static str> {
        check::inert_reason(self, key)
    }
}

impl HostSpec for PcieParameters {
    fn offered() -> HostCapabilities {
        use HostCapabilities as Capability;
        let capabilities = HostCapabilities::of([
            Capability::REGISTERS,
            Capability::BLOCKS,
            Capability::DMA,
            Capability::WRITE_COMBINING,
            Capability::ASYNC_DEVICES,
            Capability::COHERENT,
        ]);
        capabilities.with(Capability::INTERRUPTS, u64::from(VECTORS))
    }

    fn required_setting(required: &HostCapabilities) -> Option<&'static str> {
        (required.amount(HostCapabilities::COHERENT) > 0).then_some("attachment = \"cxl\" or \"upi\"")
    }

    fn capabilities(&self) -> HostCapabilities {
        let coherent = u64::from(self.attachment.coherent_link(Time::ZERO).is_some());
        let offered = Self::offered().with(HostCapabilities::DMA, u64::from(self.link.tags));
        offered.with(HostCapabilities::COHERENT, coherent)
    }

    fn cores(&self) -> u32 {
        self.cores
    }

    fn main_memory(&self) -> Option<MainMemorySize> {
        Some(MainMemorySize { size: self.memory.size, key: "memory.size", granularity: BLOCK_BYTES as u64 })
    }

    fn inert_reason_with(&self, key: &str, needs: &HostCapabilities) -> Option<&'static str> {
        let is_polled = needs.amount(HostCapabilities::INTERRUPTS) == 0;
        (is_polled && key == "processor.interrupt-latency").then_some(POLLED_REASON)
    }

    fn warms_cache(&self) -> bool {
        true
    }

    fn warnings(&self) -> Vec<ParameterError> {
        check::warnings(self)
    }

    fn start(&self, sim: &Sim, _node: NodeId, name: &str) -> Rc<dyn HostNode> {
        let caches = Rc::new(SharedCaches::new(sim, self));
        let home = Rc::new(MemoryHome::new(self.memory.size, &caches));
        let node = MemoryBusNode::with_memory(sim, name, &self.node_parameters(), home);
        let complex = RootComplex::start(sim, name, &self.with_device_logic(), caches, node.bus.clone());
        let windows = DeviceWindows::start(sim, name, &complex, self.processor);
        node.cores.iter().for_each(|core| core.set_device_path(windows.clone()));
        let controller = Rc::new(Interrupts::new(sim, name, self.processor.interrupt_latency, VECTORS));
        Rc::new(Node {
            cores: node.processors(),
            port: Rc::new(PciePort::new(name, &complex)),
            far_port: self
                .attachment
                .coherent_link(self.device_time())
                .map(|timing| Rc::new(FarPort::new(sim, node.coherent_port(), timing))),
            interrupts: MessageInterrupts { controller, complex: complex.clone() },
            sim: sim.clone(),
            node,
            complex,
            windows,
        })
    }
}

/// Interrupts that are messages over the link, which do not pass the earlier writes of the device.
struct MessageInterrupts {
    controller: Rc<Interrupts>,
    complex: Rc<RootComplex>,
}

impl InterruptController for MessageInterrupts {
    fn vectors(&self) -> u16 {
        self.controller.vectors()
    }

    fn connect(&self, vector: InterruptVector, core: CoreId, handler: InterruptHandler) {
        self.controller.connect(vector, core, handler);
    }

    fn raise(&self, vector: InterruptVector, causes: u32) {
        let controller = self.controller.clone();
        self.complex.post(once(PostedPacket::Message(Box::new(move || controller.raise(vector, causes)))));
    }

    fn mask(&self, vector: InterruptVector, is_masked: bool) {
        self.controller.mask(vector, is_masked);
    }
}

/// A host with a PCIe link in a simulation.
struct Node {
    sim: Sim,
    cores: Vec<AnyProcessor>,
    node: MemoryBusNode,
    complex: Rc<RootComplex>,
    windows: Rc<DeviceWindows>,
    port: Rc<PciePort>,
    /// The port of the coherent link, if there is one.
    far_port: Option<Rc<FarPort>>,
    interrupts: MessageInterrupts,
}

impl Node {
    fn attach(&self, device: Target, DeviceWindow { bytes, mapping }: DeviceWindow) -> Window {
        let window = self.windows.attach(device, bytes);
        if mapping == Mapping::WriteCombined {
            self.node.combine_writes(window.0..window.0 + bytes);
        }
        window
    }
}

impl HostNode for Node {
    fn cores(&self) -> &[AnyProcessor] {
        &self.cores
    }

    fn map_device(&self, device: Rc<dyn Device>, window: DeviceWindow) -> Option<Window> {
        Some(self.attach(Target::ImmediateDevice(device), window))
    }

    fn map_async_device(&self, device: Rc<dyn AsyncDevice>, window: DeviceWindow) -> Option<Window> {
        Some(self.attach(Target::Async(device), window))
    }

    fn dma(&self) -> Option<DmaInitiator> {
        Some(DmaInitiator::Port(self.sim.clone(), self.port.clone()))
    }

    fn dma_port(&self) -> Option<AnyDmaPort> {
        Some(AnyDmaPort::custom(self.port.clone()))
    }

    fn coherent(&self) -> Option<AnyCoherentPort> {
        self.far_port.clone().map(|port| AnyCoherentPort::custom(port))
    }

    fn interrupts(&self) -> Option<&dyn InterruptController> {
        Some(&self.interrupts)
    }

    fn allocate(&self, bytes: usize) -> Address {
        self.node.allocate(bytes)
    }

    fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.node.peek(address, bytes)
    }

    fn warm_cache(&self, first: Address, bytes: u64, state: CacheWarmth) -> bool {
        let range = first..first + bytes;
        if state != CacheWarmth::HostWarm {
            let cached_blocks = |core: &MemoryBusProcessor| core.cache().contents().borrow().addresses();
            for block in self
                .node
                .cores
                .iter()
                .flat_map(cached_blocks)
                .filter(|block| block + BLOCK_BYTES as u64 > range.start && *block < range.end)
            {
                self.node.bus.flush_off_bus(block);
            }
        }
        self.complex.caches.warm(range, state);
        true
    }

    fn note_device_write(&self, first: Address, bytes: u64) {
        self.complex.caches.note_device_write(first, bytes);
    }

    fn utilization(&self) -> Vec<Utilization> {
        let (now, bus, complex) = (self.sim.now(), &self.node.bus, &self.complex);
        let mut parts = utilization_of_cores(&self.cores);
        parts.extend([
            Utilization { part_name: "interconnect", busy: bus.held_total(), active: bus.moved_total() },
            Utilization::always_active("LLC", complex.caches.server.busy(now)),
            Utilization::always_active("memory", complex.caches.channels.busy(now)),
            Utilization::always_active("PCIe link up", complex.up.busy(now)),
            Utilization::always_active("PCIe link down", complex.down.busy(now)),
        ]);
        let directions = ["coherent link up", "coherent link down"];
        let busy = self.far_port.iter().flat_map(|port| directions.into_iter().zip(port.busy()));
        parts.extend(busy.map(|(name, busy)| Utilization::always_active(name, busy)));
        parts.extend(complex.iommu.iter().map(|iommu| Utilization::always_active("IOMMU walkers", iommu.busy(now))));
        parts
    }

    fn metrics(&self) -> Vec<HostMetric> {
        let (complex, caches) = (&self.complex, &self.complex.caches);
        let [reads, writes] = complex.request_counts.each_ref().map(|count| count.get());
        let [[read_hits, read_misses], [write_hits, write_misses]] =
            caches.device_blocks.each_ref().map(|kinds| kinds.each_ref().map(|count| count.get()));
        let metric = |part, quantity, value: u64| HostMetric::count(part, quantity, value as f64);
        let mut metrics = vec![
            metric("pcie", "reads", reads),
            metric("pcie", "writes", writes),
            metric("llc", "device.read.hits", read_hits),
            metric("llc", "device.read.misses", read_misses),
            metric("llc", "device.write.hits", write_hits),
            metric("llc", "device.write.misses", write_misses),
            metric("llc", "written-back", caches.written_back_blocks.get()),
        ];
        metrics.extend(complex.iommu.iter().map(|iommu| metric("iommu", "misses", iommu.misses())));
        metrics
    }

    fn cold_fills(&self, from: Time, to: Time) -> u64 {
        self.node.cold_fills(from, to)
    }
}
