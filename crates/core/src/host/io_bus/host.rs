//! The I/O-bus host as a part: its specification, and its node in a simulation.

use super::{Competition, IoBusHost, IoBusParameters, memory};
use crate::engine::{Bytes, LocalFuture, NodeId, Rate, Sim, Time};
use crate::host::any_processor::AnyProcessor;
use crate::host::block::{Address, BLOCK_BYTES};
use crate::host::capabilities::HostCapabilities;
use crate::host::device::{AsyncDevice, Device, DeviceWindow, Mapping, Window};
use crate::host::dma::DmaInitiator;
use crate::host::interrupt::{InterruptController, POLLED_REASON};
use crate::host::metrics::HostMetric;
use crate::host::node::HostNode;
use crate::host::processor::Processor;
use crate::host::spec::{HostSpec, MainMemorySize};
use crate::host::utilization::Utilization;
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use std::rc::Rc;

/// Rate of the fastest bus of the PCI family, PCI-X 533: 64 bits at 533 million transfers a second, 4.3 GB/s (PCI-SIG,
/// PCI-X Protocol Addendum to the PCI Local Bus Specification, revision 2.0, 2003).
pub const PCI_RATE_MAX: Rate = Rate::from_bytes_per_s(4_300_000_000);

/// The reason for which snooping takes no time with an interface that does not access main memory.
const NO_DMA_REASON: &str = "the interface does not access main memory";

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("cache.hits", "", "Loads and stores of processors that hit in the cache"),
    ResultName::metric("cache.misses", "", "Loads and stores of processors that missed in the cache"),
    ResultName::metric("cache.write-backs", "", "Modified blocks that were replaced in caches"),
    ResultName::metric("cache.supplied", "", "Modified blocks that caches wrote to memory for DMA"),
    ResultName::resource("PCI", "The I/O bus of a node"),
];

impl Part for IoBusParameters {
    const INFO: PartInfo = PartInfo::new("io-bus", "The interface sits on an I/O bus").results(RESULTS);

    fn check(&self) -> Vec<ParameterError> {
        [self.check_cache(), self.check_bus_rate(), self.check_memory_rate()].concat()
    }

    fn inert_reason(&self, key: &str) -> Option<&'static str> {
        match key {
            "pci.clock" => Some("transfers run at the rates of the bridge, and the clock only limits these rates"),
            "pci.width" => Some("transfers run at the rates of the bridge, and the width only limits these rates"),
            _ => None,
        }
    }
}

impl IoBusParameters {
    /// Returns an error for each parameter of the cache that is invalid.
    fn check_cache(&self) -> Vec<ParameterError> {
        let problems = self.cache.map(|cache| cache.cache.check()).unwrap_or_default();
        problems.into_iter().map(ParameterError::from).collect()
    }

    /// Returns the DMA rates with their keys.
    fn dma_rates(&self) -> [(&'static str, Rate); 2] {
        [("bridge.read-rate", self.bridge.read_rate), ("bridge.write-rate", self.bridge.write_rate)]
    }

    /// Returns an error for each rate of the bridge that exceeds the peak rate of its bus.
    fn check_bus_rate(&self) -> Vec<ParameterError> {
        let (width, clock, peak) = (self.pci.width, self.pci.clock, self.pci.peak());
        let error = |(key, rate): (&str, Rate)| {
            let message = format!("{key} is {rate}, but a bus of {width} at {clock} moves at most {peak}");
            let help = format!("lower {{table}}.{key} to {peak} at most, or make pci.clock or pci.width larger");
            ParameterError::new(key, message).related(["pci.clock", "pci.width"]).help(help)
        };
        self.dma_rates().into_iter().filter(|(_, rate)| *rate > peak).map(error).collect()
    }

    /// Returns an error for each rate of the bridge that exceeds the rate of the memory from which its buffer is
    /// filled.
    fn check_memory_rate(&self) -> Vec<ParameterError> {
        let Competition::Buffered { memory_rate, .. } = self.bridge.competition else { return Vec::new() };
        let memory_key = "bridge.competition.buffered.memory-rate";
        let error = |(key, rate): (&str, Rate)| {
            let message = format!("{key} is {rate}, but memory moves at most {memory_rate}");
            let help = format!("lower {{table}}.{key} to {memory_rate} at most, or make {{table}}.{memory_key} larger");
            ParameterError::new(key, message).related([memory_key]).help(help)
        };
        self.dma_rates().into_iter().filter(|(_, rate)| *rate > memory_rate).map(error).collect()
    }
}

impl HostSpec for IoBusParameters {
    fn offered() -> HostCapabilities {
        use HostCapabilities as Capability;
        HostCapabilities::of([
            Capability::REGISTERS,
            Capability::BLOCKS,
            Capability::DMA,
            Capability::ASYNC_DEVICES,
            Capability::INTERRUPTS,
        ])
    }

    fn capabilities(&self) -> HostCapabilities {
        Self::offered()
    }

    fn main_memory(&self) -> Option<MainMemorySize> {
        Some(MainMemorySize { size: self.memory.size, key: "memory.size", granularity: memory::PAGE_BYTES })
    }

    fn dma_rate_max(&self) -> Option<(&'static str, Rate)> {
        let [read_rate, write_rate] = [self.bridge.read_rate, self.bridge.write_rate];
        Some(if read_rate > write_rate { ("bridge.read-rate", read_rate) } else { ("bridge.write-rate", write_rate) })
    }

    fn inert_reason_with(&self, key: &str, needs: &HostCapabilities) -> Option<&'static str> {
        match key {
            "processor.interrupt-latency" if needs.amount(HostCapabilities::INTERRUPTS) == 0 => Some(POLLED_REASON),
            "cache.supply-time" if needs.amount(HostCapabilities::DMA) == 0 => Some(NO_DMA_REASON),
            _ => None,
        }
    }

    fn warnings(&self) -> Vec<ParameterError> {
        let (width, clock, rate) = (self.pci.width, self.pci.clock, self.pci.peak());
        let warning = || {
            let message =
                format!("a bus of {width} at {clock} moves {rate}, more than any PCI bus: PCI-X 533 moves 4.3 GB/s");
            let help =
                "`io-bus` is one shared, half-duplex bus; it cannot represent a full-duplex link such as PCI Express";
            ParameterError::new("pci.clock", message).related(["pci.width"]).help(help)
        };
        (rate > PCI_RATE_MAX).then(warning).into_iter().collect()
    }

    fn start(&self, sim: &Sim, _node: NodeId, name: &str) -> Rc<dyn HostNode> {
        let host = IoBusHost::new(sim, name, self);
        Rc::new(Node { cores: [AnyProcessor::IoBus(host.cpu.clone())], host })
    }
}

/// The node of an I/O-bus host in a simulation.
struct Node {
    host: Rc<IoBusHost>,
    cores: [AnyProcessor; 1],
}

impl HostNode for Node {
    fn cores(&self) -> &[AnyProcessor] {
        &self.cores
    }

    fn map_device(&self, device: Rc<dyn Device>, window: DeviceWindow) -> Option<Window> {
        (window.mapping == Mapping::Uncached).then(|| self.host.attach(device, window.bytes))
    }

    fn map_async_device(&self, device: Rc<dyn AsyncDevice>, window: DeviceWindow) -> Option<Window> {
        (window.mapping == Mapping::Uncached).then(|| self.host.attach_async(device, window.bytes))
    }

    fn dma(&self) -> Option<DmaInitiator> {
        Some(DmaInitiator::IoBus(self.host.clone()))
    }

    fn interrupts(&self) -> Option<&dyn InterruptController> {
        Some(&self.host.interrupts)
    }

    fn allocate(&self, bytes: usize) -> Address {
        self.host.memory.allocate(Bytes(bytes as u64))
    }

    fn copy_block_bytes(&self) -> usize {
        if self.host.cache.is_some() { BLOCK_BYTES } else { self.host.memory.block().len() }
    }

    fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.host.peek(address, bytes)
    }

    fn prepare<'a>(&'a self, address: Address, bytes: &'a [u8]) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            if self.host.cache.is_none() {
                return self.host.memory.write(address, bytes);
            }
            let cpu = &self.cores[0];
            let _lease = cpu.acquire("prepare").await;
            cpu.store_run(address, bytes).await;
        })
    }

    /// Returns the counters of the cache, if the host has one.
    fn metrics(&self) -> Vec<HostMetric> {
        self.host.cache.as_ref().map(|cache| cache.metrics()).unwrap_or_default()
    }

    fn cold_fills(&self, from: Time, to: Time) -> u64 {
        self.host.cache.as_ref().map_or(0, |cache| cache.cold_fills(from, to))
    }

    fn utilization(&self) -> Vec<Utilization> {
        let (cpu, memory, pci) = (&self.host.cpu, self.host.memory.port(), self.host.pci.bus());
        vec![
            cpu.arbiter().utilization(),
            Utilization::of_resource("memory", memory),
            Utilization::of_resource("PCI", pci),
        ]
    }
}
