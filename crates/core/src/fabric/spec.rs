//! A fabric before it runs: what it carries, which nodes it can join, and what a machine must know to be checked around
//! it, without knowing which fabric it is.

use super::capabilities::FabricCapabilities;
use super::net::{Fabric, FabricNet};
use super::routed::RoutedFabric;
use crate::engine::{Sim, Time};
use crate::part::{FabricFeatures, ParameterError, PartSpec};
use std::rc::Rc;

/// A fabric as it was read. Keys are relative to the fabric's own table, or begin with a sibling table.
pub trait FabricSpec: PartSpec {
    /// Returns what it carries.
    fn capabilities(&self) -> FabricCapabilities;

    /// Returns the marks that its switches make.
    fn features(&self) -> FabricFeatures {
        FabricFeatures::default()
    }

    /// Returns the number of nodes that a machine has for which none are described.
    fn nodes(&self) -> Option<u32> {
        None
    }

    /// Returns the names of the nodes that a machine has for which none are described, if the fabric has names for
    /// them.
    fn node_names(&self) -> Option<Vec<String>> {
        None
    }

    /// Returns what is wrong if it joins nodes of these names. Asked only of values that are sound by themselves.
    fn check_nodes(&self, _nodes: &[String]) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Returns what is wrong with its routes: packets that can wait for one another in a cycle. Asked only of a machine
    /// without other errors, for it may take long.
    fn check_routes(&self) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Returns notes on the routes between nodes of these names, in a run that ends as deadlocked after
    /// `no_progress_limit`: nothing is wrong, but a reader should know.
    fn notes(&self, _nodes: &[String], _no_progress_limit: Time) -> Vec<String> {
        Vec::new()
    }

    /// Returns its routers, if a workload may drive them without nodes and their topology can be surveyed.
    fn routers(&self) -> Option<&RoutedFabric> {
        None
    }

    /// Starts the fabric between nodes of these names; `seed` seeds its random streams.
    fn start(&self, sim: &Sim, nodes: &[String], seed: u64) -> Rc<dyn FabricNet>;

    /// Starts the fabric as interfaces find it.
    fn join(&self, sim: &Sim, nodes: &[String], seed: u64) -> Fabric {
        Fabric::new(self.start(sim, nodes, seed), self.capabilities())
    }
}
