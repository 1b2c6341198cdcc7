//! Delays of each link in cycles, for topologies whose links differ.
//!
//! These delays exist only if a shape states rates or latencies of links. Otherwise the uniform delays of
//! `cycle.rs` apply to every link.

use crate::fabric::router::{LinkTiming, LinkTimings, RouterParameters};
use crate::fabric::topology::{End, Shape};

/// Delays of every link, in cycles.
#[derive(Debug)]
pub struct Timings {
    /// For each output port, cycles from switch allocation until a flit is in the next input buffer.
    pub to_input: Vec<u32>,
    /// For each output port, cycles for which a flit holds the link.
    pub cycles_per_flit: Vec<u32>,
    /// For each output port to a node, cycles from a flit's arrival at the node until its credit can be used.
    pub node_credit: Vec<u32>,
    /// For each input port, cycles from a flit's departure until its credit can be used at the other end of the link.
    pub credit: Vec<u32>,
    /// For each source, cycles from a flit's departure to its arrival in the router's buffer.
    pub from_source: Vec<u32>,
    /// For each source, cycles for which a flit holds its link.
    pub source_cycles: Vec<u32>,
}

impl Timings {
    /// Computes the delays of the links of a shape; `first_ports` has the first port of each router, plane by plane.
    pub fn new(
        shape: &Shape,
        links: &LinkTimings,
        parameters: &RouterParameters,
        (first_ports, ports): (&[u32], usize),
    ) -> Timings {
        let wiring = &shape.wiring;
        let (interface, credit) = (u32::from(parameters.interface_delay), 2 + u32::from(parameters.credit_delay));
        let (nodes, routers) = (wiring.nodes() as usize, wiring.routers() as usize);
        let planes = first_ports.len() / routers;
        let sources = || (0..planes * nodes).map(|source| links.entries[source % nodes]);
        let mut timings = Timings {
            to_input: vec![0; ports],
            cycles_per_flit: vec![0; ports],
            node_credit: vec![0; ports],
            credit: vec![0; ports],
            from_source: sources().map(|LinkTiming { wire, .. }| interface + wire).collect(),
            source_cycles: sources().map(|link| link.cycles_per_flit).collect(),
        };
        let switch = u32::from(parameters.switch_allocation_delay) + u32::from(parameters.switch_traversal_delay);
        for first in first_ports.chunks(routers) {
            let input = |(router, port): (u32, u8)| (first[router as usize] + u32::from(port)) as usize;
            for (router, first) in (0..).zip(first) {
                let outputs = wiring.outputs(router).iter().zip(&links.outputs[router as usize]);
                for (output, (end, link)) in (*first as usize..).zip(outputs) {
                    timings.cycles_per_flit[output] = link.cycles_per_flit;
                    timings.to_input[output] = switch + link.cycles_per_flit + link.wire;
                    timings.node_credit[output] = credit + link.wire;
                    if let End::Router { router, port } = *end {
                        timings.credit[input((router, port))] = credit + link.wire;
                    }
                }
            }
            for (node, link) in (0..wiring.nodes()).zip(&links.entries) {
                timings.credit[input(wiring.entry(node))] = SOURCE_CREDIT + link.wire;
            }
        }
        timings
    }

    /// Returns the longest delay.
    pub fn longest_delay(&self) -> u64 {
        let delays = [
            &self.to_input,
            &self.cycles_per_flit,
            &self.node_credit,
            &self.credit,
            &self.from_source,
            &self.source_cycles,
        ];
        delays.into_iter().flatten().copied().max().unwrap_or(0).into()
    }
}

/// Cycles from a flit's departure from the first router until its credit can be used at its source.
pub const SOURCE_CREDIT: u32 = 2;
