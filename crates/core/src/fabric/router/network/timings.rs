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
    pub to_input_delay: Vec<u32>,
    /// For each output port, cycles for which a flit holds the link.
    pub cycles_per_flit: Vec<u32>,
    /// For each output port to a node, cycles from a flit's arrival at the node until its credit can be used.
    pub node_credit_delay: Vec<u32>,
    /// For each input port, cycles from a flit's departure until its credit can be used at the other end of the link.
    pub credit_delay: Vec<u32>,
    /// For each source, cycles from a flit's departure to its arrival in the router's buffer.
    pub source_delay: Vec<u32>,
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
        let (interface_delay, credit_delay) =
            (u32::from(parameters.interface_delay), 2 + u32::from(parameters.credit_delay));
        let (nodes, routers) = (wiring.nodes() as usize, wiring.routers() as usize);
        let planes = first_ports.len() / routers;
        let sources = || (0..planes * nodes).map(|source| links.entries[source % nodes]);
        let mut timings = Timings {
            to_input_delay: vec![0; ports],
            cycles_per_flit: vec![0; ports],
            node_credit_delay: vec![0; ports],
            credit_delay: vec![0; ports],
            source_delay: sources().map(|LinkTiming { wire_cycles, .. }| interface_delay + wire_cycles).collect(),
            source_cycles: sources().map(|link| link.cycles_per_flit).collect(),
        };
        let switch_delay = u32::from(parameters.switch_allocation_delay) + u32::from(parameters.switch_traversal_delay);
        for plane_ports in first_ports.chunks(routers) {
            let input = |(router, port): (u32, u8)| (plane_ports[router as usize] + u32::from(port)) as usize;
            for (router, first_port) in (0..).zip(plane_ports) {
                let outputs = wiring.outputs(router).iter().zip(&links.outputs[router as usize]);
                for (output, (end, link)) in (*first_port as usize..).zip(outputs) {
                    timings.cycles_per_flit[output] = link.cycles_per_flit;
                    timings.to_input_delay[output] = switch_delay + link.cycles_per_flit + link.wire_cycles;
                    timings.node_credit_delay[output] = credit_delay + link.wire_cycles;
                    if let End::Router { router, port } = *end {
                        timings.credit_delay[input((router, port))] = credit_delay + link.wire_cycles;
                    }
                }
            }
            for (node, link) in (0..wiring.nodes()).zip(&links.entries) {
                timings.credit_delay[input(wiring.entry(node))] = SOURCE_CREDIT + link.wire_cycles;
            }
        }
        timings
    }

    /// Returns the longest delay.
    pub fn longest_delay(&self) -> u64 {
        let delays = [
            &self.to_input_delay,
            &self.cycles_per_flit,
            &self.node_credit_delay,
            &self.credit_delay,
            &self.source_delay,
            &self.source_cycles,
        ];
        delays.into_iter().flatten().copied().max().unwrap_or(0).into()
    }
}

/// Cycles from a flit's departure from the first router until its credit can be used at its source.
pub const SOURCE_CREDIT: u32 = 2;
