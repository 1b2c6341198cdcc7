//! The number of flits that crossed each link. The flits of logical networks with separate routers are added, because
//! they share the links.

use super::cycle::SpecializedNetwork;
use super::state::Sector;
use crate::fabric::topology::End;

/// A link of the fabric, in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Start of the link.
    pub from: LinkEnd,
    /// End of the link.
    pub to: LinkEnd,
    /// Number of flits that crossed the link.
    pub flits: u64,
    /// Cycles for which a flit holds the link.
    pub cycles_per_flit: u32,
}

/// One end of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkEnd {
    /// A node's interface.
    Node(u32),
    /// A router's port: an output at the start of a link, an input at its end.
    Router(u32, u8),
}

impl LinkEnd {
    /// Returns the end of the link at an output with this target, or `None` if the output is not connected.
    pub(super) fn from_end(end: End) -> Option<LinkEnd> {
        match end {
            End::Router { router, port } => Some(LinkEnd::Router(router, port)),
            End::Node(node) => Some(LinkEnd::Node(node)),
            End::Unconnected => None,
        }
    }
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    pub(super) fn all_links(&self) -> Vec<Link> {
        let wiring = &self.shared.shape.wiring;
        let nodes = (0..wiring.nodes()).map(|node| {
            let (router, port) = wiring.entry(node);
            let (from, to) = (LinkEnd::Node(node), LinkEnd::Router(router, port));
            Link { from, to, flits: self.source_flits(node), cycles_per_flit: self.source_cycles(node) }
        });
        let routers = (0..wiring.routers()).flat_map(|router| {
            let outputs = wiring.outputs(router).iter().zip(0..);
            outputs.filter_map(move |(end, port)| {
                let (from, to) = (LinkEnd::Router(router, port), LinkEnd::from_end(*end)?);
                let cycles_per_flit = self.output_cycles(router, port);
                Some(Link { from, to, flits: self.output_flits(router, port), cycles_per_flit })
            })
        });
        nodes.chain(routers).collect()
    }

    fn source_cycles(&self, node: u32) -> u32 {
        let default_cycles = self.shared.rules.cycles_per_flit as u32;
        self.shared.timings.as_ref().map_or(default_cycles, |timings| timings.source_cycles[node as usize])
    }

    fn output_cycles(&self, router: u32, port: u8) -> u32 {
        let default_cycles = self.shared.rules.cycles_per_flit as u32;
        let output = (self.shared.first_ports[router as usize] + u32::from(port)) as usize;
        self.shared.timings.as_ref().map_or(default_cycles, |timings| timings.cycles_per_flit[output])
    }

    fn source_flits(&self, node: u32) -> u64 {
        let planes = self.shared.sources.iter().skip(node as usize).step_by(self.shared.rules.nodes as usize);
        planes.map(|source| source.flits_injected).sum()
    }

    fn output_flits(&self, router: u32, port: u8) -> u64 {
        let routers = self.shared.shape.wiring.routers() as usize;
        let planes = self.shared.first_ports.iter().skip(router as usize).step_by(routers);
        let ports = planes.map(|first| *first as usize + usize::from(port));
        let sector_and_port = |port| (port / Sector::<PORT_CHANNELS>::PORTS, port % Sector::<PORT_CHANNELS>::PORTS);
        ports.map(sector_and_port).map(|(sector, port)| self.sectors[sector].ports[port].flits_sent).sum()
    }
}
