//! A set of output ports: a mask of the first 64 ports, or a list for routers with more ports.
//!
//! The allocators of flit routers compute with masks of 64 bits, so a shape whose routers have more than
//! [`PORTS_MAX`](super::PORTS_MAX) ports is an error for them. A model of packet switches may use either form.

use super::{PORTS_MAX, Wiring};
use std::sync::Arc;

/// Output ports that a header may request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PortSet {
    /// A bit for each of the first 64 ports.
    Mask(u64),
    /// Ports in ascending order. A rule may keep the list and return clones of it.
    List(Arc<[u16]>),
}

impl PortSet {
    /// Returns the set of one port.
    pub fn single(port: u8) -> PortSet {
        if usize::from(port) < PORTS_MAX { PortSet::Mask(1 << port) } else { PortSet::List([port.into()].into()) }
    }

    /// Returns the set as a mask.
    ///
    /// # Panics
    ///
    /// Panics if the set has a port beyond the first 64.
    #[inline]
    pub fn mask(&self) -> u64 {
        match self {
            PortSet::Mask(mask) => *mask,
            PortSet::List(ports) => ports.iter().fold(0, |mask, port| {
                assert!(usize::from(*port) < PORTS_MAX, "port {port} of a flit router, which has at most {PORTS_MAX}");
                mask | 1 << port
            }),
        }
    }

    /// Returns the ports in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + Clone + use<> {
        let (mut mask, list) = match self {
            PortSet::Mask(mask) => (*mask, None),
            PortSet::List(ports) => (0, Some(ports.clone())),
        };
        let mut list_index = 0;
        std::iter::from_fn(move || match &list {
            Some(ports) => {
                list_index += 1;
                ports.get(list_index - 1).copied()
            }
            None => {
                let port = (mask != 0).then(|| mask.trailing_zeros() as u16);
                mask &= mask.wrapping_sub(1);
                port
            }
        })
    }
}

impl From<u64> for PortSet {
    fn from(mask: u64) -> PortSet {
        PortSet::Mask(mask)
    }
}

/// Returns the reason why flit routers cannot have this wiring, or `None` if they can.
pub fn flit_router_error(wiring: &Wiring) -> Option<String> {
    let (router, ports) = (0..wiring.routers())
        .map(|router| (router, wiring.outputs(router).len()))
        .find(|(_, ports)| *ports > PORTS_MAX)?;
    Some(format!("router {router} has {ports} ports, and a router of flits has at most {PORTS_MAX}"))
}

#[cfg(test)]
mod tests {
    use super::super::{End, RouteOptions, RouteQuery, Routing, Shape, every_channel};
    use super::*;

    /// A leaf-spine network of two leaves, each with 64 nodes and a link to each of 64 spines.
    #[derive(Debug)]
    struct LeafSpine {
        up_ports: Arc<[u16]>,
    }

    const NODES_PER_LEAF: u32 = 64;

    impl Routing for LeafSpine {
        fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
            let channels = every_channel(virtual_channels);
            let leaf = query.destination / NODES_PER_LEAF;
            match query.router {
                router if router == leaf => {
                    RouteOptions::single_port((query.destination % NODES_PER_LEAF) as u8, channels)
                }
                0 | 1 => RouteOptions { ports: PortSet::List(self.up_ports.clone()), channels, escape: None },
                _ => RouteOptions::single_port(leaf as u8, channels),
            }
        }

        fn distance(&self, from: u32, to: u32) -> u32 {
            if from / NODES_PER_LEAF == to / NODES_PER_LEAF { 0 } else { 2 }
        }
    }

    fn leaf_spine() -> Shape {
        let leaf = |leaf: u32| {
            let nodes = (0..NODES_PER_LEAF).map(move |node| End::Node(leaf * NODES_PER_LEAF + node));
            nodes
                .chain((0..NODES_PER_LEAF).map(move |spine| End::Router { router: 2 + spine, port: leaf as u8 }))
                .collect()
        };
        let spine = |spine: u32| {
            (0..2).map(|leaf| End::Router { router: leaf, port: (NODES_PER_LEAF + spine) as u8 }).collect()
        };
        let routers: Vec<Vec<End>> = (0..2).map(leaf).chain((0..NODES_PER_LEAF).map(spine)).collect();
        let entries =
            (0..2 * NODES_PER_LEAF).map(|node| (node / NODES_PER_LEAF, (node % NODES_PER_LEAF) as u8)).collect();
        let up_ports = (NODES_PER_LEAF as u16..2 * NODES_PER_LEAF as u16).collect();
        let wiring = Wiring::new(&routers, entries);
        Shape { name: "leaves of 128 ports".to_owned(), wiring, routing: Arc::new(LeafSpine { up_ports }) }
    }

    #[test]
    fn a_switch_of_128_ports_offers_a_list_of_links_up() {
        let shape = leaf_spine();
        let options = |router, destination| {
            let query = RouteQuery { router, input: 0, channel: 0, source: 0, destination };
            shape.routing.route(&query, 1).ports
        };
        assert_eq!(options(0, 5), PortSet::Mask(1 << 5));
        let up_options = options(0, 100);
        assert_eq!(up_options.iter().collect::<Vec<_>>(), (64..128).collect::<Vec<u16>>());
        for port in up_options.iter() {
            let End::Router { router: spine, .. } = shape.wiring.outputs(0)[usize::from(port)] else {
                panic!("port {port} is not a link to a spine")
            };
            let down_options: Vec<u16> = options(spine, 100).iter().collect();
            assert_eq!(
                shape.wiring.outputs(spine)[usize::from(down_options[0])],
                End::Router { router: 1, port: port as u8 }
            );
        }
        assert_eq!(options(1, 100), PortSet::Mask(1 << 36));
        assert!(std::panic::catch_unwind(|| up_options.mask()).is_err(), "a flit router has no such ports");
    }

    #[test]
    fn routers_of_flits_with_more_than_64_ports_are_refused_with_the_number() {
        let error = flit_router_error(&leaf_spine().wiring).expect("a leaf has 128 ports");
        assert_eq!(error, "router 0 has 128 ports, and a router of flits has at most 64");
        let crossbar = |nodes: u32| Wiring::new(&[(0..nodes).map(End::Node).collect()], vec![(0, 0)]);
        assert_eq!(flit_router_error(&crossbar(64)), None);
        assert!(flit_router_error(&crossbar(65)).is_some());
    }

    #[test]
    fn sets_are_iterated_in_ascending_order() {
        assert_eq!(PortSet::Mask(1 << 63 | 0b101).iter().collect::<Vec<_>>(), [0, 2, 63]);
        assert_eq!(PortSet::List([3, 70].into()).iter().collect::<Vec<_>>(), [3, 70]);
        assert_eq!((PortSet::single(63), PortSet::single(64)), (PortSet::Mask(1 << 63), PortSet::List([64].into())));
        assert_eq!(PortSet::List([1, 4].into()).mask(), 0b10010);
    }
}
