//! The parameters of a routed fabric beside its shape, and what they say before time 0.

use super::cross::CrossTraffic;
use crate::engine::Bytes;
use crate::fabric::port::{Facts, Longest, Loss};
use crate::fabric::router::{RouterParameters, Switching};
use crate::fabric::topology::{Shape, Topology};
use crate::text::Parameters;

/// The parameters of a routed fabric beside its shape.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
pub struct RoutedParameters {
    /// Routers and links.
    #[param(table)]
    pub router: RouterParameters,
    /// Part of the packets that is lost on the way.
    #[param(min = 0.0, max = 1.0, default = 0.0)]
    pub loss: f64,
    /// What the ends of each row of a mesh send to each other, past the nodes.
    #[param(key = "cross-traffic", table)]
    pub cross: Option<CrossTraffic>,
}

/// The most flits of a packet.
const FLITS_MAX: u64 = u16::MAX as u64;

/// What bounds a packet whose flits are numbered.
const NUMBERED: Longest = Longest {
    bytes: Bytes::ZERO,
    bound: "the most flits that a packet may have",
    keys: &["router.flit"],
    instead: "fabric.router.flit larger",
};

/// What bounds a packet that a buffer holds whole.
const BUFFERED: Longest = Longest {
    bytes: Bytes::ZERO,
    bound: "the buffer of a router, which holds it whole",
    keys: &["router.buffer-flits", "router.flit", "router.switching"],
    instead: "fabric.router.buffer-flits larger; a wormhole needs neither",
};

impl RoutedParameters {
    /// What can be said before time 0 of these routers between `nodes_max` nodes; `one_way` says that
    /// the shape has one way only between two nodes.
    pub fn facts(&self, nodes_max: u32, one_way: bool) -> Facts {
        let RouterParameters { networks, virtual_channels, flit_bits, switching, buffer_flits, .. } = self.router;
        let flits = |flits: u64| Bytes(flits * u64::from(flit_bits / 8));
        let longest = match switching {
            Switching::Wormhole => Longest { bytes: flits(FLITS_MAX), ..NUMBERED },
            Switching::VirtualCutThrough | Switching::StoreAndForward => {
                Longest { bytes: flits(buffer_flits.into()), ..BUFFERED }
            }
        };
        Facts {
            nodes_max: Some(nodes_max),
            classes: networks,
            in_order: one_way && virtual_channels == 1,
            loss: if self.loss > 0.0 { Loss::Any } else { Loss::Never },
            packet_max: Some(longest),
        }
    }

    /// The shape that packets cross, and where in it cross-traffic comes from and goes to.
    pub(super) fn shape(&self, topology: &Topology) -> (Shape, Vec<(u32, u32)>) {
        match self.cross {
            Some(_) => topology.with_columns().expect("checked cross-traffic has edges to come from"),
            None => (topology.build().expect("a checked shape can be built"), Vec::new()),
        }
    }
}
