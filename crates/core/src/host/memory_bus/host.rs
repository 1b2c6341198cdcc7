//! The memory-bus node as a part: its specification, and its node in a simulation.

use super::agent::TransactionKind;
use super::node::MemoryBusNode;
use super::parameters::{MemoryBusProcessorParameters, NodeParameters};
use crate::engine::{NodeId, Sim, Time};
use crate::host::any_coherent::AnyCoherentPort;
use crate::host::any_processor::AnyProcessor;
use crate::host::block::{Address, BLOCK_BYTES};
use crate::host::capabilities::HostCapabilities;
use crate::host::cores::utilization_of_cores;
use crate::host::device::{Device, DeviceWindow, Window};
use crate::host::dma::DmaInitiator;
use crate::host::interrupt::{InterruptController, POLLED_REASON};
use crate::host::metrics::HostMetric;
use crate::host::node::HostNode;
use crate::host::spec::{HostSpec, MainMemorySize};
use crate::host::utilization::Utilization;
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use std::rc::Rc;

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("bus.fetched.memory", "", "Blocks that processors read and memory supplied"),
    ResultName::metric("bus.fetched.interface", "", "Blocks that processors read and the interface supplied"),
    ResultName::metric("bus.NODE.TRANSACTION", "", "Transactions of this kind on the memory bus of a node"),
    ResultName::metric("bus.TRANSACTION", "", "Transactions of this kind on the memory buses of all nodes"),
    ResultName::resource("memory bus", "The coherent memory bus of a node"),
    ResultName::resource("cache", "The processor's cache, as others on the bus access it"),
    ResultName::resource("interface memory", "Memory in the interface, as others on the bus access it"),
];

impl Part for NodeParameters {
    const INFO: PartInfo = PartInfo::new("memory-bus", "The interface sits on a coherent memory bus").results(RESULTS);

    fn check(&self) -> Vec<ParameterError> {
        NodeParameters::check(self).into_iter().map(|problem| (problem.parameter, problem.reason).into()).collect()
    }
}

impl HostSpec for NodeParameters {
    fn offered() -> HostCapabilities {
        use HostCapabilities as Capability;
        HostCapabilities::of([
            Capability::REGISTERS,
            Capability::BLOCKS,
            Capability::DMA,
            Capability::COHERENT,
            Capability::WRITE_COMBINING,
            Capability::INTERRUPTS,
        ])
    }

    fn capabilities(&self) -> HostCapabilities {
        Self::offered()
    }

    fn cores(&self) -> u32 {
        self.cores
    }

    fn main_memory(&self) -> Option<MainMemorySize> {
        Some(MainMemorySize { size: self.memory_size, key: "memory-size", granularity: BLOCK_BYTES as u64 })
    }

    fn inert_reason_with(&self, key: &str, needs: &HostCapabilities) -> Option<&'static str> {
        let is_polled = needs.amount(HostCapabilities::INTERRUPTS) == 0;
        match key {
            "processor.interrupt-latency" if is_polled => Some(POLLED_REASON),
            "processor.outstanding-stores" | "processor.stream-prefetches" if self.processor.misses == 1 => {
                Some(MemoryBusProcessorParameters::SINGLE_MISS_REASON)
            }
            _ => None,
        }
    }

    fn start(&self, sim: &Sim, _node: NodeId, name: &str) -> Rc<dyn HostNode> {
        let node = Rc::new(MemoryBusNode::new(sim, name, self));
        Rc::new(Node { cores: node.processors(), node })
    }
}

/// A memory-bus node in a simulation.
struct Node {
    node: Rc<MemoryBusNode>,
    cores: Vec<AnyProcessor>,
}

impl HostNode for Node {
    fn cores(&self) -> &[AnyProcessor] {
        &self.cores
    }

    fn map_device(&self, device: Rc<dyn Device>, window: DeviceWindow) -> Option<Window> {
        Some(self.node.attach_device(device, window))
    }

    fn dma(&self) -> Option<DmaInitiator> {
        Some(DmaInitiator::memory_bus(&self.node))
    }

    fn interrupts(&self) -> Option<&dyn InterruptController> {
        Some(&self.node.interrupts)
    }

    fn allocate(&self, bytes: usize) -> Address {
        self.node.allocate(bytes)
    }

    fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.node.peek(address, bytes)
    }

    fn utilization(&self) -> Vec<Utilization> {
        [utilization_of_cores(&self.cores), self.node.utilization()].concat()
    }

    /// Returns the bus transactions by kind, and the blocks that the processor fetched from memory and from interfaces.
    fn metrics(&self) -> Vec<HostMetric> {
        let metric = |per_node| {
            move |(quantity, count): (&'static str, u64)| HostMetric {
                part: "bus",
                quantity,
                value: count as f64,
                unit: "",
                per_node,
            }
        };
        let transactions = TransactionKind::ALL.iter().map(|kind| kind.name()).zip(self.node.bus.counts());
        let fetched_blocks = ["fetched.memory", "fetched.interface"].into_iter().zip(self.node.fetched_blocks());
        transactions.map(metric(true)).chain(fetched_blocks.map(metric(false))).collect()
    }

    fn cold_fills(&self, from: Time, to: Time) -> u64 {
        self.node.cold_fills(from, to)
    }

    fn coherent(&self) -> Option<AnyCoherentPort> {
        Some(self.node.coherent_port())
    }
}
