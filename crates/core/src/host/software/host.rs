//! The software host as a part: its specification, and its node in a simulation.

use super::SoftwareParameters;
use super::processor::{SoftwareMemory, SoftwareProcessor};
use crate::engine::{LocalFuture, NodeId, Sim};
use crate::host::any_processor::AnyProcessor;
use crate::host::block::Address;
use crate::host::capabilities::HostCapabilities;
use crate::host::cores::{core_name, utilization_of_cores};
use crate::host::node::HostNode;
use crate::host::spec::HostSpec;
use crate::host::utilization::Utilization;
use crate::part::{Part, PartInfo};
use std::rc::Rc;

impl Part for SoftwareParameters {
    const INFO: PartInfo = PartInfo::new("software", "A processor with a clock only: buses and memory take no time");
}

impl HostSpec for SoftwareParameters {
    fn offered() -> HostCapabilities {
        HostCapabilities::NONE
    }

    fn capabilities(&self) -> HostCapabilities {
        Self::offered()
    }

    fn cores(&self) -> u32 {
        self.cores
    }

    fn charges_memory(&self) -> bool {
        false
    }

    fn start(&self, sim: &Sim, _node: NodeId, name: &str) -> Rc<dyn HostNode> {
        let memory = Rc::<SoftwareMemory>::default();
        let core = |number: u32| {
            let core = core_name(name, number, self.cores);
            AnyProcessor::Software(SoftwareProcessor::new(sim, &core, *self, &memory))
        };
        Rc::new(Node { cores: (0..self.cores).map(core).collect(), memory })
    }
}

/// The node of a software host in a simulation.
struct Node {
    memory: Rc<SoftwareMemory>,
    cores: Vec<AnyProcessor>,
}

impl HostNode for Node {
    fn cores(&self) -> &[AnyProcessor] {
        &self.cores
    }

    fn allocate(&self, bytes: usize) -> Address {
        self.memory.allocate(bytes)
    }

    fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.memory.peek(address, bytes)
    }

    fn prepare<'a>(&'a self, address: Address, bytes: &'a [u8]) -> LocalFuture<'a, ()> {
        Box::pin(async move { self.memory.write_untimed(address, bytes) })
    }

    fn utilization(&self) -> Vec<Utilization> {
        utilization_of_cores(&self.cores)
    }
}
