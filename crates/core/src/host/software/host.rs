//! The host known by its clock alone as a part: its specification, and the host at work.

use super::SoftwareParameters;
use super::processor::SoftwareProcessor;
use crate::engine::{LocalFuture, NodeId, Sim};
use crate::host::any_processor::AnyProcessor;
use crate::host::block::Address;
use crate::host::capabilities::HostCapabilities;
use crate::host::node::HostNode;
use crate::host::spec::HostSpec;
use crate::part::{Part, PartInfo};
use std::rc::Rc;

impl Part for SoftwareParameters {
    const INFO: PartInfo =
        PartInfo::new("software", "A processor that is known by its clock alone: buses and memory take no time");
}

impl HostSpec for SoftwareParameters {
    fn offered() -> HostCapabilities {
        HostCapabilities::NONE
    }

    fn capabilities(&self) -> HostCapabilities {
        Self::offered()
    }

    fn charges_memory(&self) -> bool {
        false
    }

    fn start(&self, sim: &Sim, _node: NodeId, name: &str) -> Rc<dyn HostNode> {
        let cpu = SoftwareProcessor::new(sim, name, *self);
        Rc::new(Node { cores: [AnyProcessor::Software(cpu.clone())], cpu })
    }
}

/// A host known by its clock alone at work.
struct Node {
    cpu: SoftwareProcessor,
    cores: [AnyProcessor; 1],
}

impl HostNode for Node {
    fn cores(&self) -> &[AnyProcessor] {
        &self.cores
    }

    fn allocate(&self, bytes: usize) -> Address {
        self.cpu.allocate(bytes)
    }

    fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.cpu.peek(address, bytes)
    }

    fn prepare<'a>(&'a self, address: Address, bytes: &'a [u8]) -> LocalFuture<'a, ()> {
        Box::pin(async move { self.cpu.poke(address, bytes) })
    }
}
