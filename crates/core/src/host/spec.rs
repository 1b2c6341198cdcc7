//! A host before it runs: its capabilities, its memory size, and its start. Through this trait a machine is checked and
//! built without depending on a particular kind of host.

use super::capabilities::HostCapabilities;
use super::node::HostNode;
use crate::engine::{Bytes, NodeId, Rate, Sim};
use crate::part::{ParameterError, PartSpec};
use std::rc::Rc;

/// The size of a host's main memory, as the description states it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MainMemorySize {
    /// Size of the memory.
    pub size: Bytes,
    /// Key that states the size.
    pub key: &'static str,
    /// Number of bytes to a multiple of which every buffer is rounded up.
    pub granularity: u64,
}

impl MainMemorySize {
    /// Returns a memory of `size`, which `key` states, in which buffers may have any size.
    pub const fn new(size: Bytes, key: &'static str) -> MainMemorySize {
        MainMemorySize { size, key, granularity: 1 }
    }
}

/// A host as a description states it. All keys are relative to the host's table.
pub trait HostSpec: PartSpec {
    /// Returns the capabilities that every host of this kind has, whatever its parameters.
    fn offered() -> HostCapabilities
    where
        Self: Sized;

    /// Returns the capabilities of this host.
    fn capabilities(&self) -> HostCapabilities;

    /// Returns the number of cores.
    fn cores(&self) -> u32 {
        1
    }

    /// Returns the size of main memory, if it is limited.
    fn main_memory(&self) -> Option<MainMemorySize> {
        None
    }

    /// Returns whether accesses to memory take time.
    fn charges_memory(&self) -> bool {
        true
    }

    /// Returns the number of programs that may wait for blocks of shared memory at once, with the key that states it;
    /// `None` if there is no limit.
    fn shared_memory_contexts(&self) -> Option<(&'static str, u32)> {
        None
    }

    /// Returns the highest rate at which an interface's engine can move data to or from main memory, with the key that
    /// limits it; `None` if only the interface's engine limits it.
    fn dma_rate_max(&self) -> Option<(&'static str, Rate)> {
        None
    }

    /// Returns the reason for which the number at `key` has no effect on a run with an interface that requires `needs`;
    /// `None` if it has an effect, or if this is not known.
    fn inert_reason_with(&self, _key: &str, _needs: &HostCapabilities) -> Option<&'static str> {
        None
    }

    /// Returns warnings about values that can be simulated and are probably not intended; `narrows check` prints them.
    fn warnings(&self) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Builds the host of `node` from checked parameters.
    fn start(&self, sim: &Sim, node: NodeId, name: &str) -> Rc<dyn HostNode>;
}
