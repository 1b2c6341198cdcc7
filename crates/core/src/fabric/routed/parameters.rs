//! The parameters of a routed fabric: its shape, and the routers and links that shapes have in common.

use super::cross_traffic::CrossTraffic;
use crate::engine::{Bytes, Rate};
use crate::fabric::capabilities::{FabricCapabilities, Loss, MtuLimit};
use crate::fabric::router::{RouterParameters, Switching};
use crate::fabric::topology::survey::{Survey, survey};
use crate::fabric::topology::{Shape, Topology};
use crate::text::Parameters;
use std::collections::BTreeMap;

/// A routed fabric: a shape and its routers.
#[derive(Clone, Debug)]
pub struct RoutedFabric {
    /// Shape of the fabric.
    pub topology: Topology,
    /// Routers, links, loss and cross-traffic.
    pub parameters: RoutedParameters,
}

/// The parameters of a routed fabric, except for its shape.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
pub struct RoutedParameters {
    /// Routers and links.
    #[param(table)]
    pub router: RouterParameters,
    /// Fraction of the packets that the fabric loses.
    #[param(min = 0.0, max = 1.0, default = 0.0, meaning = Load)]
    pub loss: f64,
    /// Traffic that the two ends of each row of a mesh send to each other.
    #[param(key = "cross-traffic", table)]
    pub cross: Option<CrossTraffic>,
}

/// Largest number of flits of a packet.
const FLITS_MAX: u64 = u16::MAX as u64;

/// The limit on packet length that is set by the largest number of flits.
const FLIT_COUNT_LIMIT: MtuLimit = MtuLimit {
    bytes: Bytes::ZERO,
    reason: "65535 flits, the largest number of a packet",
    keys: &["router.flit"],
    hint: "fabric.router.flit larger",
};

/// The limit on packet length that is set by buffers that hold whole packets.
const BUFFER_SIZE_LIMIT: MtuLimit = MtuLimit {
    bytes: Bytes::ZERO,
    reason: "a router's input buffer",
    keys: &["router.buffer-flits", "router.flit", "router.switching"],
    hint: "fabric.router.buffer-flits larger, or choose fabric.router.switching = \"wormhole\", with which a buffer need not hold a whole packet",
};

impl RoutedFabric {
    /// Returns the fabric's capabilities.
    pub fn capabilities(&self) -> FabricCapabilities {
        let RouterParameters { networks, virtual_channels, flit_bits, switching, buffer_flits, .. } =
            self.parameters.router;
        let flit_bytes = |flits: u64| Bytes(flits * u64::from(flit_bits / 8));
        let packet_limit = match switching {
            Switching::Wormhole => MtuLimit { bytes: flit_bytes(FLITS_MAX), ..FLIT_COUNT_LIMIT },
            Switching::VirtualCutThrough | Switching::StoreAndForward => {
                MtuLimit { bytes: flit_bytes(buffer_flits.into()), ..BUFFER_SIZE_LIMIT }
            }
        };
        FabricCapabilities {
            nodes_max: Some(self.topology.nodes()),
            classes: networks,
            classes_key: Some("router.networks"),
            in_order: self.topology.has_single_paths() && virtual_channels == 1,
            loss: if self.parameters.loss > 0.0 { Loss::Any } else { Loss::Never },
            packet_max: Some(packet_limit),
            ..FabricCapabilities::new(self.link_rate())
        }
    }

    /// Returns the rate of a link.
    pub fn link_rate(&self) -> Rate {
        let router = &self.parameters.router;
        Rate::from_bits_per_s(router.clock.0.saturating_mul(router.link_bits.into()))
    }

    /// Returns the survey of the fabric's routes and channels; `None` if the shape cannot be built.
    pub fn survey(&self) -> Option<Survey> {
        let shape = self.topology.build().ok()?;
        Some(survey(&shape, self.parameters.router.virtual_channels))
    }

    /// Returns the shape of the fabric between nodes of these names, and the pairs of edge ports between which
    /// cross-traffic flows.
    pub(super) fn shape(&self, nodes: &[String]) -> (Shape, Vec<(u32, u32)>) {
        match self.parameters.cross {
            Some(_) => self.topology.with_io_columns().expect("a checked fabric with cross-traffic has edges"),
            None => {
                let shape = self.topology.build().expect("a checked shape can be built");
                let positions = self.positions(nodes).expect("the names of nodes were checked");
                (positions.map(|positions| shape.with_positions(&positions)).unwrap_or(shape), Vec::new())
            }
        }
    }

    /// Returns, for each node, the number of its position in the shape, if nodes choose positions by name. Returns
    /// `None` if nodes take the positions in order, because the shape has no names or no node has one of its names.
    ///
    /// # Errors
    ///
    /// Returns the name of a node that names no position of the shape, although another node names one.
    pub(super) fn positions(&self, nodes: &[String]) -> Result<Option<Vec<u32>>, String> {
        let names = self.topology.node_names().unwrap_or_default();
        let position_numbers: BTreeMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
        let positions: Vec<Option<u32>> =
            nodes.iter().map(|node| position_numbers.get(node.as_str()).copied()).collect();
        if positions.iter().all(Option::is_none) || nodes.iter().eq(names.iter().take(nodes.len())) {
            return Ok(None);
        }
        let unplaced_node = nodes.iter().zip(&positions).find(|(_, position)| position.is_none());
        unplaced_node.map_or_else(|| Ok(positions.iter().copied().collect()), |(node, _)| Err(node.clone()))
    }

    /// Returns the largest rate at which every node can inject, in flits per cycle, at most 1.
    pub fn injection_max(&self, shape: &Shape) -> f64 {
        let router = &self.parameters.router;
        let default_cycles = router.cycles_per_flit();
        let longest_cycles = router
            .link_timings(&shape.wiring)
            .and_then(|links| links.entries.iter().map(|link| link.cycles_per_flit).max());
        1.0 / f64::from(longest_cycles.unwrap_or(default_cycles))
    }
}
