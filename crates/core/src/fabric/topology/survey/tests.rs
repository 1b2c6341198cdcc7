//! Tests of surveys of shapes with known measures, and of rules that can and cannot deadlock.

use super::super::adaptive::MinimalAdaptive;
use super::super::butterfly::ButterflyParameters;
use super::super::crossbar::CrossbarParameters;
use super::super::fat_tree::{FatTreeParameters, ParentChoice};
use super::super::grid::Grid;
use super::super::hypercube::HypercubeParameters;
use super::super::torus::TorusParameters;
use super::super::{PortSet, RouteOptions, RouteQuery, Routing, Shape, every_channel};
use super::*;
use std::sync::Arc;

fn fat_tree(nodes: u32, parents: &[u32]) -> Shape {
    FatTreeParameters { nodes, arity: 4, parents: parents.to_vec(), climb: ParentChoice::Any }.shape().unwrap()
}

fn butterfly(dilation: u32) -> Shape {
    ButterflyParameters { nodes: 64, radix: 4, dilation }.shape().unwrap()
}

fn adaptive_mesh(shape: &[u32]) -> Shape {
    let grid = Grid::new(shape);
    Shape {
        name: format!("{} mesh", grid.name()),
        wiring: grid.wiring(false),
        routing: Arc::new(MinimalAdaptive::new(grid)),
    }
}

fn torus(shape: &[u32]) -> Shape {
    TorusParameters { shape: shape.to_vec() }.shape()
}

fn ring(nodes: u32) -> Shape {
    torus(&[nodes])
}

/// Returns the degree, the diameter, the largest distance, the bisection, and the router inputs per node.
fn measures(shape: &Shape) -> (u32, u32, u32, u64, f64) {
    let survey = survey(shape, 2);
    assert_eq!(survey.deadlock, Deadlock::Free, "{}", shape.name);
    assert!(survey.is_complete());
    (survey.degree, survey.diameter, survey.distance_max, survey.bisection, survey.inputs_per_node())
}

#[test]
fn measures_equal_published_values() {
    assert_eq!(measures(&adaptive_mesh(&[8, 8])), (4, 14, 14, 16, 4.5));
    assert_eq!(measures(&adaptive_mesh(&[4, 4, 4])), (6, 9, 9, 32, 1.0 + 4.5));
    assert_eq!(measures(&ring(64)), (2, 32, 32, 4, 3.0));
    assert_eq!(measures(&torus(&[8, 8])), (4, 8, 8, 32, 5.0));
    let cube = HypercubeParameters { dimensions: 6 }.shape().unwrap();
    assert_eq!(measures(&cube), (6, 6, 6, 64, 7.0));
    assert_eq!(measures(&CrossbarParameters { nodes: 64 }.shape().unwrap()), (0, 0, 1, 64, 1.0));
    assert_eq!(measures(&fat_tree(64, &[4])), (8, 4, 6, 64, 5.0));
    assert_eq!(measures(&fat_tree(64, &[2, 2, 4])), (6, 4, 6, 16, 2.5));
    assert_eq!(measures(&butterfly(1)), (4, 2, 3, 32, 3.0));
    assert_eq!(measures(&butterfly(2)), (8, 2, 3, 64, 5.0));
    let mesh = survey(&adaptive_mesh(&[8, 8]), 2);
    assert!((mesh.hops_mean - 16.0 / 3.0).abs() < 1e-9);
    assert_eq!((mesh.ports, mesh.links, mesh.inputs_from_nodes), (5, 224, 64));
}

/// A routing rule that can deadlock.
#[derive(Debug)]
struct DeadlockProneRule {
    grid: Grid,
    options: fn(&Grid, &RouteQuery, u8) -> RouteOptions,
    depends_on_input: bool,
}

impl Routing for DeadlockProneRule {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        (self.options)(&self.grid, query, virtual_channels)
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        self.grid.distance(from, to)
    }

    fn depends_on_input(&self) -> bool {
        self.depends_on_input
    }
}

fn deadlock_prone_shape(
    shape: &[u32],
    wraps: bool,
    depends_on_input: bool,
    options: fn(&Grid, &RouteQuery, u8) -> RouteOptions,
) -> Shape {
    let grid = Grid::new(shape);
    Shape {
        name: grid.name(),
        wiring: grid.wiring(wraps),
        routing: Arc::new(DeadlockProneRule { grid, options, depends_on_input }),
    }
}

/// Routes always in the positive direction around the ring, without a dateline.
fn route_in_positive_direction(grid: &Grid, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
    let has_arrived = query.router == query.destination;
    RouteOptions::single_port(if has_arrived { grid.node_port() } else { 0 }, every_channel(virtual_channels))
}

/// Routes by any productive port over any channel.
fn route_in_any_direction(grid: &Grid, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
    let all_channels = every_channel(virtual_channels);
    let coordinate_pairs: Vec<_> = grid.coordinates(query.router).zip(grid.coordinates(query.destination)).collect();
    let differing_dimensions = coordinate_pairs.iter().enumerate().filter(|(_, (here, there))| here != there);
    match differing_dimensions
        .fold(0, |ports, (dimension, (here, there))| ports | 1 << Grid::port(dimension, here < there))
    {
        0 => RouteOptions::single_port(grid.node_port(), all_channels),
        ports => RouteOptions { ports: PortSet::Mask(ports), channels: all_channels, escape: None },
    }
}

#[test]
fn a_ring_without_a_dateline_deadlocks_and_the_cycle_is_named() {
    for depends_on_input in [false, true] {
        let survey = survey(&deadlock_prone_shape(&[4], true, depends_on_input, route_in_positive_direction), 1);
        let text = survey.to_string();
        let cycle = "router 0 port 0 channel 0 waits for router 1 port 0 channel 0 waits for router 2 port 0 channel 0 \
            waits for router 3 port 0 channel 0 waits for router 0 port 0 channel 0";
        assert!(text.contains(&format!("deadlock: possible: packets can wait in a cycle: {cycle}\n")), "{text}");
    }
    assert_eq!(survey(&ring(8), 2).deadlock, Deadlock::Free);
    assert_eq!(survey(&ring(9), 3).deadlock, Deadlock::Free);
}

#[test]
fn channels_of_a_cycle_are_named() {
    let Deadlock::Cycle(cycle) =
        survey(&deadlock_prone_shape(&[2, 2], false, true, route_in_any_direction), 2).deadlock
    else {
        panic!("four turns form a cycle")
    };
    assert_eq!(cycle.len(), 4);
    let first_channel = cycle[0];
    assert!(cycle.iter().all(|channel| channel.channel <= 1 && (channel.router < 4)));
    assert!(first_channel.to_string().starts_with(&format!("router {} port", first_channel.router)));
}

#[test]
fn turns_without_an_escape_deadlock_and_with_one_do_not() {
    assert!(matches!(
        survey(&deadlock_prone_shape(&[4, 4], false, false, route_in_any_direction), 4).deadlock,
        Deadlock::Cycle(_)
    ));
    for channels in 1..=4 {
        assert_eq!(survey(&adaptive_mesh(&[4, 4]), channels).deadlock, Deadlock::Free);
        assert_eq!(survey(&adaptive_mesh(&[3, 3, 3]), channels).deadlock, Deadlock::Free);
    }
}

/// Routes by any productive port over any channel, with an escape in the order of dimensions over channel 0.
fn route_with_escape(grid: &Grid, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
    let options = route_in_any_direction(grid, query, virtual_channels);
    match options.ports.mask().trailing_zeros() as u8 {
        port if port == grid.node_port() => options,
        port => RouteOptions { escape: Some((port, 1)), ..options },
    }
}

/// Routes with an escape that can deadlock: by rows or by columns, depending on the destination.
fn deadlock_prone_escape(grid: &Grid, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
    let options = route_in_any_direction(grid, query, virtual_channels);
    let (first, last) = (options.ports.mask().trailing_zeros(), 63 - options.ports.mask().leading_zeros());
    match first as u8 {
        port if port == grid.node_port() => options,
        _ if query.destination.is_multiple_of(3) => {
            RouteOptions { escape: Some((first as u8, 1)), channels: !1 & options.channels, ..options }
        }
        _ => RouteOptions { escape: Some((last as u8, 1)), channels: !1 & options.channels, ..options },
    }
}

#[test]
fn an_escape_channel_that_packets_take_out_of_order_can_deadlock() {
    // A packet may hold channel 0 out of the order of dimensions, and then wait for an escape.
    for depends_on_input in [false, true] {
        let deadlock = survey(&deadlock_prone_shape(&[4, 4], false, depends_on_input, route_with_escape), 2).deadlock;
        assert!(matches!(deadlock, Deadlock::Cycle(_)), "{deadlock}");
        let deadlock =
            survey(&deadlock_prone_shape(&[4, 4], false, depends_on_input, deadlock_prone_escape), 2).deadlock;
        assert!(matches!(deadlock, Deadlock::Cycle(_)), "{deadlock}");
    }
}

/// Routes around a ring over channel 2, with an escape whose channel alternates between routers. The dependencies
/// between escapes pass over channel 2, for which no packet waits.
fn route_with_indirect_dependencies(grid: &Grid, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
    let distance = (query.destination + grid.nodes() - query.router) % grid.nodes();
    match distance {
        0 => RouteOptions::single_port(grid.node_port(), every_channel(virtual_channels)),
        // The escape of an even router is channel 0, that of an odd router channel 1.
        _ => RouteOptions {
            ports: PortSet::Mask(1),
            channels: 0b100,
            escape: Some((0, if query.router.is_multiple_of(2) { 1 } else { 2 })),
        },
    }
}

#[test]
fn dependencies_over_other_channels_are_found() {
    assert!(matches!(
        survey(&deadlock_prone_shape(&[6], true, false, route_with_indirect_dependencies), 3).deadlock,
        Deadlock::Cycle(_)
    ));
}

#[test]
fn the_survey_of_a_large_shape_states_its_sample() {
    let survey = survey(&fat_tree(4096, &[4]), 1);
    assert_eq!((survey.deadlock.clone(), survey.distance_max, survey.bisection), (Deadlock::Free, 12, 4096));
    assert!(!survey.is_complete() && survey.followed_pairs.1 > 0);
    assert!(survey.to_string().contains("examined: a sample, from 4096 to "), "{survey}");
}

#[test]
fn a_survey_is_printed_as_a_few_lines() {
    let text = survey(&fat_tree(16, &[2]), 1).to_string();
    let expected = "\
16-node fat tree of arity 4, parents 2: 16 nodes, 6 routers, 16 links between them, counted each way
degree: 4 links to other routers (6 ports with those to nodes)
diameter: 2 router hops, mean 1.60
distance in hops, as the zero-load latency counts them: at most 4, mean 3.60
bisection: 8 links between the halves of the nodes by number, counted each way
router inputs per node: 2.00
deadlock: impossible, because packets cannot wait for one another in a cycle
examined: all pairs of nodes; virtual channels: 1";
    assert_eq!(text, expected);
}

#[test]
fn farthest_returns_nodes_at_the_largest_distance() {
    let grids = [&[8u32, 8][..], &[5, 3], &[1, 7], &[4, 4, 4], &[2, 3, 5], &[9]];
    let rings = [&[8u32, 8][..], &[5, 3], &[4, 4, 4], &[2, 3, 5], &[9]];
    let cubes = [1, 4, 6].map(|dimensions| HypercubeParameters { dimensions }.shape().unwrap());
    let trees = [(64, &[4][..]), (64, &[2, 2, 4]), (48, &[4]), (20, &[4]), (4, &[4])];
    let shapes = grids.map(adaptive_mesh).into_iter().chain(rings.map(torus)).chain(cubes);
    let shapes = shapes.chain(trees.map(|(nodes, parents)| fat_tree(nodes, parents))).chain([1, 2].map(butterfly));
    for shape in shapes {
        let hop_statistics = hops::hops(&shape, &sample(shape.wiring.nodes()));
        let farthest = shape.routing.farthest().and_then(|pair| hops::links_and_hops(&shape, pair));
        assert_eq!(farthest, Some((hop_statistics.router_hops.max, hop_statistics.distance.max)), "{}", shape.name);
    }
}

#[test]
fn the_diameter_of_a_large_shape_is_exact_or_a_lower_bound() {
    let mesh = survey(&adaptive_mesh(&[64, 64]), 2);
    assert_eq!((mesh.diameter, mesh.distance_max), (126, 126));
    assert!(mesh.to_string().contains("diameter: 126 router hops, mean"), "{mesh}");
    assert!(mesh.to_string().contains(" of 4096 nodes)"), "the mean is of a sample: {mesh}");
    assert_eq!(survey(&torus(&[33, 64]), 2).diameter, 16 + 32);
    let irregular_shape = survey(&deadlock_prone_shape(&[64, 64], false, false, deadlock_prone_escape), 2);
    assert!(irregular_shape.diameter < 126 && !irregular_shape.has_farthest);
    assert!(irregular_shape.to_string().contains("diameter: at least "), "{irregular_shape}");
}
