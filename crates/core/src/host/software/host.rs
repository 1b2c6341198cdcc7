//! The software host as a part: its specification, and its node in a simulation.

use super::SoftwareParameters;
use super::processor::{SoftwareMemory, SoftwareProcessor};
use crate::engine::{LocalFuture, NodeId, Sim};
use crate::host::any_processor::AnyProcessor;
use crate::host::block::Address;
use crate::host::capabilities::HostCapabilities;
use crate::host::node::HostNode;
use crate::host::processor::Processor;
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
            let core = if self.cores == 1 { name.to_owned() } else { format!("{name} core {number}") };
            AnyProcessor::Software(SoftwareProcessor::new(sim, &core, *self, &memory))
        };
        Rc::new(Node { cores: (0..self.cores).map(core).collect(), memory })
    }
}

/// Names of cores in reports of hosts with several cores.
const CORES: [&str; 16] = [
    "core 0", "core 1", "core 2", "core 3", "core 4", "core 5", "core 6", "core 7", "core 8", "core 9", "core 10",
    "core 11", "core 12", "core 13", "core 14", "core 15",
];

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
        Box::pin(async move { self.memory.poke(address, bytes) })
    }

    fn utilization(&self) -> Vec<Utilization> {
        let of_core = |(cpu, name): (&AnyProcessor, &'static str)| {
            let utilization = cpu.arbiter().utilization();
            if self.cores.len() == 1 { utilization } else { Utilization { what: name, ..utilization } }
        };
        self.cores.iter().zip(CORES).map(of_core).collect()
    }
}
