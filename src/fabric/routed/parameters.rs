//! The parameters of a routed fabric beside its shape, and what they say before time 0.

use super::cross::CrossTraffic;
use crate::engine::Bytes;
use crate::fabric::port::{Facts, Longest, Loss};
use crate::fabric::router::{RouterParameters, Switching};
use crate::fabric::topology::{Shape, Topology};
use crate::text::Table;

/// The parameters of a routed fabric beside its shape.
#[derive(Clone, Debug)]
pub struct RoutedParameters {
    /// Routers and links.
    pub router: RouterParameters,
    /// Cycles from a packet's coming out of the fabric until the interface has it.
    pub exit_delay: u64,
    /// The part of the packets that is lost, from 0 to 1.
    pub loss: f64,
    /// What crosses it beside the packets of nodes.
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

    /// The default routers, and no loss.
    pub const DEFAULT: RoutedParameters =
        RoutedParameters { router: RouterParameters::BOOKSIM, exit_delay: 0, loss: 0.0, cross: None };

    /// Reads them from the tables beside the shape.
    pub fn read(t: &mut Table<'_>) -> RoutedParameters {
        let (router, exit_delay) = t.table("router", "Routers and links", |t| {
            let doc = "Cycles from a packet's coming out of the fabric until the interface has it";
            let exit_delay = t.count("exit-delay", doc).max(1_000_000).or(0);
            (RouterParameters::read(t), exit_delay)
        });
        RoutedParameters {
            router,
            exit_delay,
            loss: t.fraction("loss", "Part of the packets that is lost on the way").or(0.0),
            cross: t.optional_table(
                "cross-traffic",
                "What the ends of each row of a mesh send to each other, past the nodes",
                CrossTraffic::read,
            ),
        }
    }
}
