//! What went over each link. Logical networks that have routers of their own share the links: their
//! flits are counted together.

use super::cycle::Rows;
use super::state::Sector;
use crate::fabric::topology::End;

/// A link of the fabric, in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Where it begins.
    pub from: LinkEnd,
    /// Where it ends.
    pub to: LinkEnd,
    /// The flits that crossed it.
    pub flits: u64,
    /// Cycles for which a flit holds it.
    pub cycles_per_flit: u32,
}

/// An end of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkEnd {
    /// A node's interface.
    Node(u32),
    /// A router's port: the output if a link begins here, the input if it ends here.
    Router(u32, u8),
}

impl LinkEnd {
    /// The end of a link that an output leads to, if it leads anywhere.
    pub(super) fn of(end: End) -> Option<LinkEnd> {
        match end {
            End::Router { router, port } => Some(LinkEnd::Router(router, port)),
            End::Node(node) => Some(LinkEnd::Node(node)),
            End::Nowhere => None,
        }
    }
}

impl<const C: usize, const PLAIN: bool> Rows<C, PLAIN> {
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
                let (from, to) = (LinkEnd::Router(router, port), LinkEnd::of(*end)?);
                let cycles_per_flit = self.output_cycles(router, port);
                Some(Link { from, to, flits: self.output_flits(router, port), cycles_per_flit })
            })
        });
        nodes.chain(routers).collect()
    }

    fn source_cycles(&self, node: u32) -> u32 {
        let usual = self.shared.rules.cycles_per_flit as u32;
        self.shared.timings.as_ref().map_or(usual, |timings| timings.source_cycles[node as usize])
    }

    fn output_cycles(&self, router: u32, port: u8) -> u32 {
        let usual = self.shared.rules.cycles_per_flit as u32;
        let output = (self.shared.first_ports[router as usize] + u32::from(port)) as usize;
        self.shared.timings.as_ref().map_or(usual, |timings| timings.cycles_per_flit[output])
    }

    fn source_flits(&self, node: u32) -> u64 {
        let planes = self.shared.sources.iter().skip(node as usize).step_by(self.shared.rules.nodes as usize);
        planes.map(|source| source.flits).sum()
    }

    fn output_flits(&self, router: u32, port: u8) -> u64 {
        let routers = self.shared.shape.wiring.routers() as usize;
        let planes = self.shared.first_ports.iter().skip(router as usize).step_by(routers);
        let own = planes.map(|first| *first as usize + usize::from(port));
        let sector = |port| (port / Sector::<C>::PORTS, port % Sector::<C>::PORTS);
        own.map(sector).map(|(sector, port)| self.sectors[sector].ports[port].sent).sum()
    }
}
