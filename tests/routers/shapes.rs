//! Shapes in which a header has several routes, for the tests of routers.

use narrows::fabric::topology::mesh::MeshParameters;
use narrows::fabric::topology::{End, PortSet, RouteOptions, RouteQuery, Routing, Shape, Wiring, every_channel};
use std::sync::Arc;

/// A mesh in which a header may take any port that leads closer to its destination. Channel 0 is the escape, in
/// dimension order.
#[derive(Debug)]
struct MinimalAdaptive {
    extents: Vec<u32>,
    dimension_order: Arc<dyn Routing>,
}

impl MinimalAdaptive {
    fn coordinates(&self, node: u32) -> Vec<u32> {
        let mut remaining = node;
        let next_coordinate = |extent: &u32| {
            let coordinate = remaining % extent;
            remaining /= extent;
            coordinate
        };
        self.extents.iter().map(next_coordinate).collect()
    }
}

impl Routing for MinimalAdaptive {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let escape_options = self.dimension_order.route(query, virtual_channels);
        let (current, target) = (self.coordinates(query.router), self.coordinates(query.destination));
        let mut ports = 0u64;
        for (dimension, (current_coordinate, target_coordinate)) in current.iter().zip(&target).enumerate() {
            ports |= u64::from(current_coordinate < target_coordinate) << (2 * dimension);
            ports |= u64::from(current_coordinate > target_coordinate) << (2 * dimension + 1);
        }
        if ports == 0 {
            return escape_options;
        }
        let escape = Some((escape_options.ports.mask().trailing_zeros() as u8, 1));
        RouteOptions { ports: ports.into(), channels: every_channel(virtual_channels) & !1, escape }
    }

    fn virtual_channels_min(&self) -> u8 {
        2
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        self.dimension_order.distance(from, to)
    }
}

/// Returns a mesh of these extents with the routing of `MinimalAdaptive`.
pub fn adaptive(extents: &[u32]) -> Shape {
    let mesh = MeshParameters { shape: extents.to_vec() }.shape();
    let routing = Arc::new(MinimalAdaptive { extents: extents.to_vec(), dimension_order: mesh.routing });
    Shape { name: format!("adaptive {}", mesh.name), wiring: mesh.wiring, routing }
}

/// One router with several outputs to each node.
#[derive(Debug)]
struct Dilated {
    outputs: u32,
}

impl Routing for Dilated {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let ports = (0..self.outputs).map(|output| 1 << (query.destination * self.outputs + output));
        RouteOptions { ports: PortSet::Mask(ports.sum()), channels: every_channel(virtual_channels), escape: None }
    }

    fn distance(&self, _: u32, _: u32) -> u32 {
        0
    }
}

/// Returns a crossbar with `outputs` outputs to each node.
pub fn dilated(nodes: u32, outputs: u32) -> Shape {
    let ends = (0..nodes * outputs).map(|port| End::Node(port / outputs)).collect();
    let wiring = Wiring::new(&[ends], (0..nodes).map(|node| (0, node as u8)).collect());
    Shape { name: format!("{outputs}-dilated crossbar"), wiring, routing: Arc::new(Dilated { outputs }) }
}

/// Returns a network of two stages with two routers each. Each router of the first stage has two links to each router
/// of the second. A packet takes a free link, or a random link if `is_oblivious_random`.
pub fn stages(is_oblivious_random: bool) -> Shape {
    let first = |_: usize| (0..4u8).map(|port| End::Router { router: 2 + u32::from(port / 2), port }).collect();
    let mut routers: Vec<Vec<End>> = (0..2).map(first).collect();
    for (stage, outputs) in routers.iter_mut().enumerate() {
        for end in outputs {
            if let End::Router { port, .. } = end {
                *port = (stage as u8) * 2 + *port % 2;
            }
        }
    }
    routers.extend((0..2).map(|second| (0..2).map(|port| End::Node(second * 2 + port)).collect::<Vec<_>>()));
    let wiring = Wiring::new(&routers, (0..4).map(|node| (node / 2, (node % 2) as u8)).collect());
    Shape { name: "two stages".to_owned(), wiring, routing: Arc::new(Stages { is_oblivious_random }) }
}

/// Routes a packet by either link to the router of its destination, and from there to the destination.
#[derive(Debug)]
struct Stages {
    is_oblivious_random: bool,
}

impl Routing for Stages {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let channels = every_channel(virtual_channels);
        if query.router < 2 {
            return RouteOptions { ports: PortSet::Mask(0b11 << (query.destination / 2 * 2)), channels, escape: None };
        }
        RouteOptions::single_port((query.destination % 2) as u8, channels)
    }

    fn is_oblivious_random(&self) -> bool {
        self.is_oblivious_random
    }

    fn distance(&self, _: u32, _: u32) -> u32 {
        1
    }
}
