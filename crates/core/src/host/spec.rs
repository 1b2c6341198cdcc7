//! The specification of a host, before time 0: its capabilities, its memory size, and its start. The code that checks
//! and builds a machine uses it, and so does not depend on a particular kind of host.

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
    /// Granularity of allocation in bytes. The size of every buffer is rounded up to a multiple of it.
    pub granularity: u64,
}

impl MainMemorySize {
    /// Returns a memory of size `size`, set by the key `key`, with a granularity of one byte.
    pub const fn new(size: Bytes, key: &'static str) -> MainMemorySize {
        MainMemorySize { size, key, granularity: 1 }
    }
}

/// A host as it is described. All keys are relative to the host's table.
pub trait HostSpec: PartSpec {
    /// Returns the capabilities that every host of this kind has, whatever its parameters.
    fn offered() -> HostCapabilities
    where
        Self: Sized;

    /// Returns the key and the value that a host of this kind must state to offer `required`; `None` if every host of
    /// the kind offers the same.
    fn required_setting(_required: &HostCapabilities) -> Option<&'static str>
    where
        Self: Sized,
    {
        None
    }

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

    /// Returns the maximum number of programs that may wait for blocks of shared memory at the same time, with the key
    /// that states it; `None` if there is no limit.
    fn shared_memory_contexts(&self) -> Option<(&'static str, u32)> {
        None
    }

    /// Returns whether the host has a last-level cache whose state
    /// [`warm_cache`](super::HostNode::warm_cache) sets.
    fn warms_cache(&self) -> bool {
        false
    }

    /// Returns the highest rate at which an interface's engine can move data to or from main memory, with the key that
    /// limits it; `None` if only the interface's engine limits it.
    fn dma_rate_max(&self) -> Option<(&'static str, Rate)> {
        None
    }

    /// Returns the reason for which the parameter `key` has no effect with an interface that requires `needs`; `None`
    /// if it has an effect, or if this is not known.
    fn inert_reason_with(&self, _key: &str, _needs: &HostCapabilities) -> Option<&'static str> {
        None
    }

    /// Returns warnings about values that are valid but probably not intended. `narrows check` prints them.
    fn warnings(&self) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Builds the host of `node` from checked parameters.
    fn start(&self, sim: &Sim, node: NodeId, name: &str) -> Rc<dyn HostNode>;
}
