//! A host before it runs: what it offers to interfaces, and how large its memory is, so that a machine can be checked
//! and built around it without knowing which kind of host it is.

use super::capabilities::HostCapabilities;
use super::node::HostNode;
use crate::engine::{Bytes, NodeId, Rate, Sim};
use crate::part::{ParameterError, PartSpec};
use std::rc::Rc;

/// Size of a host's main memory, as it is described.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MainMemorySize {
    /// Size of the memory.
    pub size: Bytes,
    /// Key that states the size.
    pub key: &'static str,
    /// Number of bytes that every buffer is a multiple of.
    pub granularity: u64,
}

impl MainMemorySize {
    /// Returns a memory of `size`, which `key` states, without a bound on the granularity of buffers.
    pub const fn new(size: Bytes, key: &'static str) -> MainMemorySize {
        MainMemorySize { size, key, granularity: 1 }
    }
}

/// A kind of host as it was read. All keys are relative to the host's own table.
pub trait HostSpec: PartSpec {
    /// Returns what every host of this kind offers to interfaces, whatever its values.
    fn offered() -> HostCapabilities
    where
        Self: Sized;

    /// Returns what this host offers to interfaces.
    fn capabilities(&self) -> HostCapabilities;

    /// Returns the number of its cores.
    fn cores(&self) -> u32 {
        1
    }

    /// Returns the size of its main memory, if that is bounded.
    fn main_memory(&self) -> Option<MainMemorySize> {
        None
    }

    /// Returns whether accesses to memory take time.
    fn charges_memory(&self) -> bool {
        true
    }

    /// Returns the number of programs that may wait for blocks of shared memory at once, with the key that states it;
    /// `None` if it is not bounded.
    fn shared_memory_contexts(&self) -> Option<(&'static str, u32)> {
        None
    }

    /// Returns the highest rate at which an interface's engine moves data to or from main memory, with the key of what
    /// limits it; `None` if the interface's own engine is the limit.
    fn dma_rate_max(&self) -> Option<(&'static str, Rate)> {
        None
    }

    /// Returns why the number at `key` has no effect on a run with an interface that needs `needs`, if the host can tell.
    fn inert_reason_with(&self, _key: &str, _needs: &HostCapabilities) -> Option<&'static str> {
        None
    }

    /// Returns what is probably not what was meant, though it can be simulated: `narrows check` prints it.
    fn warnings(&self) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Builds the host of `node` from checked parameters.
    fn start(&self, sim: &Sim, node: NodeId, name: &str) -> Rc<dyn HostNode>;
}
