//! The specification of a fabric, before time 0: its capabilities, its checks, and its start. The code that checks a
//! machine uses this trait, so that it does not depend on a particular fabric.

use super::capabilities::FabricCapabilities;
use super::net::{Fabric, FabricNet};
use super::routed::RoutedFabric;
use crate::engine::{Sim, Time};
use crate::part::{FabricFeatures, ParameterError, PartSpec};
use std::rc::Rc;

/// A fabric as it is described. The keys in its errors are relative to the fabric's own table, or begin with the name
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

    /// Returns the errors of the fabric for nodes with the names `nodes`. This method is called only if the fabric's
    /// parameters have no errors.
    fn check_nodes(&self, _nodes: &[String]) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Returns the errors of the fabric's routes, such as cycles of channels that can deadlock. This method is called
    /// only for a machine without other errors, because the check may take long.
    fn check_routes(&self) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Returns notes on the routes between nodes with the names `nodes`, in a run that counts as deadlocked after a
    /// time `no_progress_limit` without progress. A note is not an error.
    fn notes(&self, _nodes: &[String], _no_progress_limit: Time) -> Vec<String> {
        Vec::new()
    }

    /// Returns the routers of a fabric that workloads can drive without hosts and interfaces, and whose topology can be
    /// analysed; `None` for other fabrics.
    fn routers(&self) -> Option<&RoutedFabric> {
        None
    }

    /// Starts the fabric between nodes with the names `nodes`; `seed` is the seed of its random streams.
    fn start(&self, sim: &Sim, nodes: &[String], seed: u64) -> Rc<dyn FabricNet>;

    /// Starts the fabric between nodes with the names `nodes`, with the adapters for its interfaces.
    fn join(&self, sim: &Sim, nodes: &[String], seed: u64) -> Fabric {
        Fabric::new(self.start(sim, nodes, seed), self.capabilities())
    }
}
