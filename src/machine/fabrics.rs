//! The fabrics of a description: what is read of each, what can be said of it before time 0, and how it
//! joins the nodes.

use crate::engine::Sim;
use crate::fabric::ideal::{Ideal, IdealParameters};
use crate::fabric::myrinet::{Myrinet, MyrinetParameters};
use crate::fabric::routed::RoutedParameters;
use crate::fabric::topology::{TOPOLOGIES, Topology};
use crate::fabric::{self, Facts};
use crate::text::{ParameterVariants, Parameters, Table};

/// A fabric.
#[derive(Clone, Debug)]
pub enum FabricParameters {
    /// Source-routed wormhole switches.
    Myrinet(MyrinetParameters),
    /// A fixed latency, no topology.
    Ideal(IdealParameters),
    /// Routers, flit by flit.
    Routed(Topology, RoutedParameters),
}

impl FabricParameters {
    pub(super) fn read(t: &mut Table<'_>) -> FabricParameters {
        let kinds: Vec<(&str, &str)> = FABRICS.iter().chain(TOPOLOGIES).copied().collect();
        let mut routed = None;
        let read = |kind: &str, t: &mut Table<'_>| match kind {
            "myrinet" => FabricParameters::Myrinet(MyrinetParameters::read(t)),
            "ideal" => FabricParameters::Ideal(IdealParameters::read(t)),
            shape => FabricParameters::Routed(Topology::read_variant(shape, t), RoutedParameters::defaults()),
        };
        let beside = |t: &mut Table<'_>, fabric: &FabricParameters| {
            if matches!(fabric, FabricParameters::Routed(..)) || t.describing() {
                routed = Some(RoutedParameters::read(t));
            } else if KEYS_BESIDE.iter().any(|key| t.has(key)) {
                RoutedParameters::read(t);
                let help = "leave it out, or choose a shape such as [fabric.mesh]";
                for (key, why) in [
                    ("router", "this fabric has no such routers"),
                    ("loss", "this fabric takes no loss by description"),
                    ("cross-traffic", "this fabric has no edges for it to come from"),
                ] {
                    if t.has(key) {
                        t.wrong(key, why, help);
                    }
                }
            }
        };
        let fabric = t.one_of_beside("fabric", "What joins the nodes", &kinds, read, &KEYS_BESIDE, beside);
        match (fabric, routed) {
            (FabricParameters::Routed(topology, _), Some(routed)) => FabricParameters::Routed(topology, routed),
            (fabric, _) => fabric,
        }
    }
}

impl FabricParameters {
    /// What can be said of it before time 0; a shape that cannot be built was told of.
    pub fn facts(&self) -> Facts {
        match self {
            FabricParameters::Myrinet(parameters) => parameters.facts(),
            FabricParameters::Ideal(parameters) => parameters.facts(),
            FabricParameters::Routed(topology, routed) => routed.facts(topology.nodes(), topology.has_one_way()),
        }
    }

    /// The key of its table.
    pub fn key(&self) -> &'static str {
        match self {
            FabricParameters::Myrinet(_) => "myrinet",
            FabricParameters::Ideal(_) => "ideal",
            FabricParameters::Routed(topology, _) => topology.variant(),
        }
    }
}

/// What stands beside a shape.
const KEYS_BESIDE: [&str; 3] = ["router", "loss", "cross-traffic"];

/// The fabrics without routers.
const FABRICS: [(&str, &str); 2] =
    [("myrinet", "Source-routed wormhole switches with back-pressure"), ("ideal", "A fixed latency, no topology")];

impl FabricParameters {
    /// The fabric at work, between nodes of these names.
    pub(super) fn join(&self, sim: &Sim, names: &[String], seed: u64) -> fabric::Fabric {
        let facts = self.facts();
        match self {
            FabricParameters::Ideal(parameters) => fabric::Fabric::ideal(Ideal::new(sim, names, *parameters), facts),
            FabricParameters::Myrinet(parameters) => {
                let myrinet = Myrinet::new(sim, parameters.clone(), names).expect("a checked fabric joins its nodes");
                fabric::Fabric::myrinet(myrinet, facts)
            }
            FabricParameters::Routed(topology, parameters) => {
                fabric::Fabric::routed(sim, topology, parameters, names, seed, facts)
            }
        }
    }
}
