//! A fabric before it runs: its capabilities, its checks, and its start. Through this trait a machine is checked
//! without depending on a particular fabric.

use super::capabilities::FabricCapabilities;
use super::net::{Fabric, FabricNet};
use super::routed::RoutedFabric;
use crate::engine::{Sim, Time};
use crate::part::{FabricFeatures, ParameterError, PartSpec};
use std::rc::Rc;

/// A fabric as a description states it. Keys of errors are relative to the fabric's own table, or begin with the name
/// of a sibling table.
pub trait FabricSpec: PartSpec {
    /// Returns the fabric's capabilities.
    fn capabilities(&self) -> FabricCapabilities;

    /// Returns the marks that the fabric's switches set on packets.
    fn features(&self) -> FabricFeatures {
        FabricFeatures::default()
    }

    /// Returns the number of nodes of a machine whose description lists no nodes.
    fn nodes(&self) -> Option<u32> {
        None
    }

    /// Returns the names of the nodes of a machine whose description lists no nodes, if the fabric names them.
    fn node_names(&self) -> Option<Vec<String>> {
        None
    }

    /// Returns the errors of a fabric that joins nodes of these names. Called only if the fabric's parameters are free
    /// of errors.
    fn check_nodes(&self, _nodes: &[String]) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Returns the errors of the fabric's routes: packets that can wait for one another in a cycle. Called only for a
    /// machine without other errors, because the check may take long.
    fn check_routes(&self) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Returns notes on the routes between nodes of these names, in a run that counts as deadlocked after
    /// `no_progress_limit` without progress. A note is not an error.
    fn notes(&self, _nodes: &[String], _no_progress_limit: Time) -> Vec<String> {
        Vec::new()
    }

    /// Returns the fabric's routers, if a workload may drive them without nodes and their topology can be surveyed.
    fn routers(&self) -> Option<&RoutedFabric> {
        None
    }

    /// Starts the fabric between nodes of these names; `seed` seeds its random streams.
    fn start(&self, sim: &Sim, nodes: &[String], seed: u64) -> Rc<dyn FabricNet>;

    /// Starts the fabric between nodes of these names, with the adapters for its interfaces.
    fn join(&self, sim: &Sim, nodes: &[String], seed: u64) -> Fabric {
        Fabric::new(self.start(sim, nodes, seed), self.capabilities())
    }
}
