//! The Alewife node as a part: its specification, and its node in a simulation.

use super::node::AlewifeNode;
use super::parameters::AlewifeParameters;
use crate::engine::{NodeId, Sim};
use crate::host::any_processor::AnyProcessor;
use crate::host::block::{Address, BLOCK_BYTES};
use crate::host::capabilities::HostCapabilities;
use crate::host::node::HostNode;
use crate::host::spec::{HostSpec, MainMemorySize};
use crate::part::{Part, PartInfo};
use std::any::Any;
use std::rc::Rc;

impl Part for AlewifeParameters {
    const INFO: PartInfo = PartInfo::new("alewife", "Alewife's node: the interface is also the memory controller");
}

impl HostSpec for AlewifeParameters {
    fn offered() -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::DELEGATED_MISSES])
    }

    fn capabilities(&self) -> HostCapabilities {
        Self::offered()
    }

    fn main_memory(&self) -> Option<MainMemorySize> {
        Some(MainMemorySize { size: self.memory, key: "memory", granularity: BLOCK_BYTES as u64 })
    }

    fn shared_memory_contexts(&self) -> Option<(&'static str, u32)> {
        Some(("contexts", self.contexts))
    }

    fn start(&self, sim: &Sim, _node: NodeId, name: &str) -> Rc<dyn HostNode> {
        let node = Rc::new(AlewifeNode::new(sim, name, self));
        Rc::new(AlewifeHostNode { cores: [AnyProcessor::Alewife(node.processor.clone())], node })
    }
}

/// An Alewife node in a simulation.
struct AlewifeHostNode {
    node: Rc<AlewifeNode>,
    cores: [AnyProcessor; 1],
}

impl HostNode for AlewifeHostNode {
    fn cores(&self) -> &[AnyProcessor] {
        &self.cores
    }

    fn allocate(&self, bytes: usize) -> Address {
        self.node.allocate(bytes)
    }

    fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.node.peek(address, bytes)
    }

    fn extension(&self) -> Option<Rc<dyn Any>> {
        Some(self.node.clone())
    }
}
