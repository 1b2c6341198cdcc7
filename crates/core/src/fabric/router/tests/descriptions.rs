//! Tests of parameters and shapes as they are read from descriptions, and of their errors.

use super::*;
use crate::fabric::router::Sharing;
use crate::fabric::topology::mesh::MeshParameters;
use crate::fabric::topology::torus::{MiddleChannelHalf, TorusParameters};
use crate::fabric::topology::{End, RouteQuery, Shape, Topology};
use crate::text::{DescriptionReader, Document, ParameterVariants, Parameters, Problems, Source, Table, load};

fn read<T>(text: &str, read: impl FnOnce(&mut Table<'_>) -> T) -> Result<T, Problems> {
    let library = crate::text::PartLibrary::EMPTY;
    let document = Document::Text("fabric.toml", text, None);
    Ok(DescriptionReader::new(load(&Source { document, sets: &[], varied: &[], library })?).read(read)?.value)
}

#[test]
fn the_default_router_is_that_of_booksim2() {
    let booksim2 = RouterParameters {
        exit_delay: 0,
        flit_bits: 32,
        link_bits: 32,
        virtual_channels: 4,
        switching: Switching::Wormhole,
        buffer_flits: 8,
        routing_delay: 1,
        vc_allocation_delay: 1,
        switch_allocation_delay: 1,
        switch_traversal_delay: 1,
        wire_delay: 0,
        credit_delay: 1,
        interface_delay: 2,
        networks: 1,
        sharing: Sharing::Demand,
        clock: crate::engine::Hertz(1_000_000_000),
    };
    assert_eq!(read("", RouterParameters::read).expect("defaults"), booksim2);
    assert_eq!(RouterParameters::defaults(), booksim2);
}

#[test]
fn a_router_is_read() {
    let text = "switching = \"store-and-forward\"\nvirtual-channels = 2\nbuffer-flits = 8\nflit = \"4 B\"\n\
                link-bits = 8\nrouting-delay = 0\nnetworks = 2\nsharing = \"strict\"\nclock = \"33 MHz\"\n";
    let parameters = read(text, RouterParameters::read).expect("the parameters are valid");
    assert_eq!((parameters.switching, parameters.sharing), (Switching::StoreAndForward, Sharing::Strict));
    assert_eq!((parameters.cycles_per_flit(), parameters.hop_cycles()), (4, 3 + 4));
    assert_eq!(parameters.clock.0, 33_000_000);
}

#[test]
fn a_flit_is_moved_in_whole_cycles() {
    let problems =
        read("flit = \"4 B\"\nlink-bits = 5\n", RouterParameters::read).expect_err("32 is not a multiple of 5");
    assert!(problems.to_string().contains("choose a divisor of 32"), "{problems}");
    assert!(read("virtual-channels = 17\n", RouterParameters::read).is_err());
    assert!(read("networks = 3\n", RouterParameters::read).is_err());
}

#[test]
fn parameters_that_do_not_suit_the_shape_are_errors() {
    let torus = TorusParameters { shape: vec![4, 4] }.shape();
    let one_channel = RouterParameters { virtual_channels: 1, ..RouterParameters::defaults() };
    assert_eq!(one_channel.check(&torus, 1).iter().map(|problem| problem.0).collect::<Vec<_>>(), ["virtual-channels"]);
    let switching = Switching::VirtualCutThrough;
    let small_buffers = RouterParameters { switching, buffer_flits: 4, ..RouterParameters::defaults() };
    assert_eq!(small_buffers.check(&torus, 5).iter().map(|problem| problem.0).collect::<Vec<_>>(), ["buffer-flits"]);
    assert!(small_buffers.check(&torus, 4).is_empty());
}

#[test]
fn shapes_are_read() {
    assert_eq!(read("shape = [4, 3]\n", MeshParameters::read).expect("a mesh").shape, [4, 3]);
    assert_eq!(read("nodes = 9\n", |t| Topology::read_variant("ring", t)).expect("a ring").nodes(), 9);
    assert!(read("shape = []\n", MeshParameters::read).is_err());
    assert!(read("shape = [4096, 4096]\n", MeshParameters::read).is_err());
    assert!(read("shape = [1, 4]\n", TorusParameters::read).is_err());
}

/// Returns the number of links between routers on the route from one node to another.
fn link_count(shape: &Shape, source: u32, destination: u32) -> u32 {
    let (mut router, mut input) = shape.wiring.entry(source);
    for hops in 0..100 {
        let query = RouteQuery { router, input, channel: 0, source, destination };
        let options = shape.routing.route(&query, 2);
        assert!(options.channels != 0 && options.ports.mask().is_power_of_two());
        match shape.wiring.outputs(router)[options.ports.mask().trailing_zeros() as usize] {
            End::Node(node) => {
                assert_eq!(node, destination);
                return hops;
            }
            End::Router { router: next_router, port } => (router, input) = (next_router, port),
            End::Unconnected => panic!("a route leads to a port without a link"),
        }
    }
    panic!("a route has no end")
}

#[test]
fn routes_are_as_long_as_the_distance() {
    let mesh = |shape: &[u32]| MeshParameters { shape: shape.to_vec() }.shape();
    let torus = |shape: &[u32]| TorusParameters { shape: shape.to_vec() }.shape();
    for shape in [mesh(&[4, 3, 2]), mesh(&[1, 5]), torus(&[4, 3, 2]), torus(&[7]), torus(&[6, 6]), torus(&[2, 2])] {
        for (from, to) in (0..shape.wiring.nodes()).flat_map(|a| (0..shape.wiring.nodes()).map(move |b| (a, b))) {
            assert_eq!(
                link_count(&shape, from, to),
                shape.routing.distance(from, to),
                "{}: {from} to {to}",
                shape.name
            );
        }
    }
}

#[test]
fn a_full_torus_does_not_deadlock() {
    for extents in [vec![4, 4], vec![5, 3], vec![8]] {
        let parameters = RouterParameters { virtual_channels: 2, buffer_flits: 1, ..RouterParameters::defaults() };
        let shape = TorusParameters { shape: extents }.shape();
        let nodes = shape.wiring.nodes();
        let mut network = Network::new(shape, &parameters, 1);
        for tag in 0..20 * nodes {
            network.offer(packet(tag % nodes, (tag * 7 + tag / nodes) % nodes, 5, tag));
        }
        run(&mut network);
        assert_eq!(network.counts().in_flight(), 0);
    }
}

#[test]
fn a_middle_channel_of_both_halves_is_for_packets_of_one_flit() {
    let torus = TorusParameters { shape: vec![4, 4] };
    let problems = |middle_channel, virtual_channels, flits| {
        let parameters = RouterParameters { virtual_channels, ..RouterParameters::defaults() };
        parameters.check(&torus.shape_with(middle_channel), flits).into_iter().map(|(key, _)| key).collect::<Vec<_>>()
    };
    assert_eq!(problems(MiddleChannelHalf::Both, 3, 2), ["virtual-channels"]);
    assert!(problems(MiddleChannelHalf::Both, 3, 1).is_empty() && problems(MiddleChannelHalf::Both, 4, 9).is_empty());
    assert!(problems(MiddleChannelHalf::Lower, 3, 9).is_empty());
}
