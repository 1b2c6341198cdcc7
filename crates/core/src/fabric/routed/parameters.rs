//! The parameters of a routed fabric: its shape, and the routers and links that shapes have in common.

use super::cross::CrossTraffic;
use crate::engine::{Bytes, Rate};
use crate::fabric::capabilities::{FabricCapabilities, Loss, MtuLimit};
use crate::fabric::router::{RouterParameters, Switching};
use crate::fabric::topology::survey::{Survey, survey};
use crate::fabric::topology::{Shape, Topology};
use crate::text::Parameters;

/// A routed fabric: a shape and its routers.
#[derive(Clone, Debug)]
pub struct RoutedFabric {
    /// Shape of the fabric.
    pub topology: Topology,
    /// Routers, links, loss and cross-traffic.
    pub parameters: RoutedParameters,
}

/// The parameters of a routed fabric beside its shape.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
pub struct RoutedParameters {
    /// Routers and links.
    #[param(table)]
    pub router: RouterParameters,
    /// Part of the packets that is lost on the way.
    #[param(min = 0.0, max = 1.0, default = 0.0, meaning = Load)]
    pub loss: f64,
    /// What the ends of each row of a mesh send to each other, past the nodes.
    #[param(key = "cross-traffic", table)]
    pub cross: Option<CrossTraffic>,
}

/// Largest number of flits of a packet.
const FLITS_MAX: u64 = u16::MAX as u64;

/// The limit of a packet whose flits are numbered.
const NUMBERED: MtuLimit = MtuLimit {
    bytes: Bytes::ZERO,
    reason: "the most flits that a packet may have",
    keys: &["router.flit"],
    hint: "fabric.router.flit larger",
};

/// The limit of a packet that a buffer holds whole.
const BUFFERED: MtuLimit = MtuLimit {
    bytes: Bytes::ZERO,
    reason: "the buffer of a router, which holds it whole",
    keys: &["router.buffer-flits", "router.flit", "router.switching"],
    hint: "fabric.router.buffer-flits larger; a wormhole needs neither",
};

impl RoutedFabric {
    /// Returns what it carries.
    pub fn capabilities(&self) -> FabricCapabilities {
        let RouterParameters { networks, virtual_channels, flit_bits, switching, buffer_flits, .. } =
            self.parameters.router;
        let flits = |flits: u64| Bytes(flits * u64::from(flit_bits / 8));
        let longest = match switching {
            Switching::Wormhole => MtuLimit { bytes: flits(FLITS_MAX), ..NUMBERED },
            Switching::VirtualCutThrough | Switching::StoreAndForward => {
                MtuLimit { bytes: flits(buffer_flits.into()), ..BUFFERED }
            }
        };
        FabricCapabilities {
            nodes_max: Some(self.topology.nodes()),
            classes: networks,
            classes_key: Some("router.networks"),
            in_order: self.topology.has_one_way() && virtual_channels == 1,
            loss: if self.parameters.loss > 0.0 { Loss::Any } else { Loss::Never },
            packet_max: Some(longest),
            ..FabricCapabilities::new(self.link_rate())
        }
    }

    /// Returns the rate of a link.
    pub fn link_rate(&self) -> Rate {
        let router = &self.parameters.router;
        Rate::from_bits_per_s(router.clock.0.saturating_mul(router.link_bits.into()))
    }

    /// Returns what can be computed of its paths and channels before time 0; `None` if the shape cannot be built.
    pub fn survey(&self) -> Option<Survey> {
        let shape = self.topology.build().ok()?;
        Some(survey(&shape, self.parameters.router.virtual_channels))
    }

    /// Returns the shape that packets cross, and the pairs of places in it between which cross-traffic flows.
    pub(super) fn shape(&self) -> (Shape, Vec<(u32, u32)>) {
        match self.parameters.cross {
            Some(_) => self.topology.with_columns().expect("checked cross-traffic has edges to come from"),
            None => (self.topology.build().expect("a checked shape can be built"), Vec::new()),
        }
    }
}
