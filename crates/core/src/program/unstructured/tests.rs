//! Tests of the volumes and of the conservation of momentum, and of runs of several processors against the serial run.

use super::flux::Amount;
use super::run::SweepRun;
use super::*;
use crate::engine::rng;
use crate::program::WorkloadSpec;
use crate::program::input::mesh::{Mesh, MeshSize, UNSTRUCTURED};
use crate::program::input::partition;
use rand::seq::SliceRandom;

fn mesh_with_nodes(nodes: usize) -> Mesh {
    Mesh::generate(MeshSize::for_nodes(nodes).expect("this number of nodes is possible"), 3)
        .expect("this size is possible")
}

fn total_momentum(amounts: &[Amount]) -> [i64; 3] {
    [0, 1, 2].map(|axis| amounts.iter().map(|amount| i64::from(amount[axis])).sum())
}

/// Checks that the areas around each volume add up to zero.
#[test]
fn volumes_are_closed() {
    let fluid = Fluid::new(&mesh_with_nodes(200), 1);
    let mut area_sums = vec![[0.0_f64; 3]; fluid.nodes()];
    let mut add = |node: u32, area: [f32; 3], sign: f64| {
        area_sums[node as usize].iter_mut().zip(area).for_each(|(sum, component)| *sum += sign * f64::from(component));
    };
    for edge in &fluid.edges {
        add(edge.nodes[0], edge.area, 1.0);
        add(edge.nodes[1], edge.area, -1.0);
    }
    for face in &fluid.faces {
        face.nodes.iter().for_each(|node| add(*node, face.area, 1.0));
    }
    // There are about forty areas of size 1, each rounded to single precision.
    let area_sum_max =
        area_sums.iter().flatten().fold(0.0, |area_sum_max: f64, component| area_sum_max.max(component.abs()));
    assert!(area_sum_max < 1e-5, "{area_sum_max}");
}

#[test]
fn uniform_flow_is_steady() {
    let mesh = mesh_with_nodes(200);
    let fluid = Fluid::with_flow(&mesh, &vec![[0.5, 0.25, -0.125]; mesh.coordinates.len()]);
    let mut flux_counts = vec![0.0_f32; fluid.nodes()];
    let nodes = fluid.edges.iter().flat_map(|edge| edge.nodes).chain(fluid.faces.iter().flat_map(|face| face.nodes));
    nodes.for_each(|node| flux_counts[node as usize] += 1.0);
    for (node, value) in fluid.values(&fluid.run_serially(ITERATIONS)).into_iter().enumerate() {
        // Each flux of each step may be off by one unit; the factor 2 allows for rounding and for the errors of others.
        let bound = 2.0 * ITERATIONS as f32 * flux_counts[node] * fluid.inverse_volumes[node];
        for (axis, initial) in [0.5_f32, 0.25, -0.125].into_iter().enumerate() {
            assert!((value[axis] - initial).abs() < bound, "{value:?} {bound}");
        }
        assert!(bound < 2e-3, "{bound}");
    }
}

#[test]
fn momentum_is_conserved_exactly_except_for_the_flux_through_faces() {
    let mut fluid = Fluid::new(&mesh_with_nodes(300), 1);
    let (momentum_before, momentum_after) =
        (total_momentum(&fluid.initial_amounts), total_momentum(&fluid.run_serially(1)));
    let values = fluid.values(&fluid.initial_amounts);
    let mut outflow = [0; 3];
    for face in &fluid.faces {
        let amount = flux::face_flux(face, face.nodes.map(|node| values[node as usize]), fluid.step_units);
        (0..3).for_each(|axis| outflow[axis] += 3 * i64::from(amount[axis]));
    }
    assert_ne!(outflow, [0; 3]);
    assert_eq!(momentum_after, [0, 1, 2].map(|axis| momentum_before[axis] - outflow[axis]));
    fluid.faces.clear();
    assert_eq!(total_momentum(&fluid.run_serially(ITERATIONS)), momentum_before, "a closed vessel conserves momentum");
    assert_ne!(fluid.run_serially(ITERATIONS), fluid.initial_amounts);
}

/// Checks that differences of the flow decrease.
#[test]
fn viscosity_smooths_the_flow() {
    let fluid = Fluid::new(&mesh_with_nodes(300), 1);
    let spread = |amounts: &[Amount]| {
        let values = fluid.values(amounts);
        let components = || values.iter().map(|value| value[2]);
        components().fold(f32::MIN, f32::max) - components().fold(f32::MAX, f32::min)
    };
    let (first, last) = (spread(&fluid.initial_amounts), spread(&fluid.run_serially(50)));
    assert!(last < 0.7 * first, "{first} {last}");
}

/// Runs several processors with batches in random order.
fn run_in_parallel(fluid: &Fluid, owners: &[u32], processors: usize, iterations: u64) -> Vec<Amount> {
    let mut random = rng::stream(11, "orders");
    let mut shares = FluidShare::all(fluid, owners, processors);
    let mut links_by_part: Vec<(usize, ShareLink)> = shares
        .iter()
        .enumerate()
        .flat_map(|(part, share)| share.links.iter().map(move |link| (part, link.clone())))
        .collect();
    let mut order: Vec<usize> = (0..processors).collect();
    for _ in 0..iterations {
        links_by_part.shuffle(&mut random);
        for (part, link) in &links_by_part {
            let reverse_link = shares[link.neighbour]
                .links
                .iter()
                .find(|reverse_link| reverse_link.neighbour == *part)
                .expect("links are mutual");
            let (ghosts, words) = (reverse_link.ghosts.clone(), shares[*part].value_words_for(link));
            shares[link.neighbour].set_values(ghosts, &words);
        }
        order.shuffle(&mut random);
        for part in &order {
            shares[*part].sweep_faces();
            shares[*part].sweep_edges();
        }
        links_by_part.shuffle(&mut random);
        for (part, link) in &links_by_part {
            let words = shares[*part].take_sum_words(link.ghosts.clone());
            let reverse_link = shares[link.neighbour]
                .links
                .iter()
                .find(|reverse_link| reverse_link.neighbour == *part)
                .expect("links are mutual");
            let nodes = reverse_link.sent_nodes.clone();
            shares[link.neighbour].add_sums(&nodes, &words);
        }
        order.iter().for_each(|part| shares[*part].update());
    }
    let mut amounts = vec![[i32::MIN; 3]; fluid.nodes()];
    for share in &shares {
        share.nodes.iter().zip(share.amounts()).for_each(|(node, amount)| amounts[*node as usize] = *amount);
    }
    amounts
}

#[test]
fn parallel_runs_match_the_serial_run() {
    let mesh = mesh_with_nodes(400);
    let fluid = Fluid::new(&mesh, 2);
    let serial = fluid.run_serially(4);
    assert_eq!(serial, Fluid::new(&mesh, 2).run_serially(4));
    assert_ne!(serial, Fluid::new(&mesh, 3).run_serially(4));
    for processors in [1, 2, 5, 16] {
        for owners in
            [partition::by_coordinates(&mesh.coordinates, processors), partition::round_robin(400, processors)]
        {
            assert!(run_in_parallel(&fluid, &owners, processors, 4) == serial, "{processors} processors");
        }
    }
}

#[test]
fn default_mesh_has_batches_of_the_papers_size() {
    let mesh = Mesh::generate(UNSTRUCTURED, 1).expect("the size of the paper is possible");
    let fluid = Fluid::new(&mesh, 1);
    let owners = partition::by_coordinates(&mesh.coordinates, 16);
    assert!(run_in_parallel(&fluid, &owners, 16, 2) == fluid.run_serially(2));
    let shares = FluidShare::all(&fluid, &owners, 16);
    let edges: usize = shares.iter().map(|share| share.element_counts().0).sum();
    assert_eq!(edges, UNSTRUCTURED.edges);
    let batches =
        shares.iter().flat_map(|share| &share.links).flat_map(|link| [link.ghosts.len(), link.sent_nodes.len()]);
    let batches: Vec<usize> = batches.filter(|nodes| *nodes > 0).collect();
    let (mean, max) =
        (batches.iter().sum::<usize>() as f64 / batches.len() as f64, batches.iter().copied().max().unwrap_or(0));
    // The paper's mean of 351 bytes and maximum of 1812 bytes are those of 28 and 150 nodes, with a header of 12 bytes.
    assert!((15.0..60.0).contains(&mean) && (100..200).contains(&max), "{mean} {max}");
}

fn parameters(text: &str) -> Unstructured {
    super::super::tests::read::<Unstructured>(&format!("[workload.unstructured]\n{text}"))
}

#[test]
fn more_processors_than_nodes_are_rejected() {
    assert!(parameters("").check_endpoints(16).is_empty());
    assert!(parameters("nodes = 12\niterations = 2").check_endpoints(12).is_empty());
    assert_eq!(parameters("nodes = 12\niterations = 2").check_endpoints(12 + 1)[0].key, "nodes");
}

/// Checks the result of one processor that has the whole mesh. If `is_correct` is false, one bit of an amount is wrong.
fn check_result(is_correct: bool) {
    let sweep = SweepRun::new(&parameters("nodes = 12\niterations = 2"), 1, 7);
    let mut amounts = sweep.fluid.run_serially(2);
    amounts[7][2] ^= i32::from(!is_correct);
    sweep.finish(0, amounts);
}

#[test]
fn correct_flow_is_accepted() {
    check_result(true);
}

#[test]
#[should_panic(expected = "the flow differs from that of a serial run")]
fn flow_with_one_wrong_bit_is_rejected() {
    check_result(false);
}

/// Checks that the mesh of the paper can be generated from any seed.
#[test]
fn paper_mesh_can_be_generated_from_any_seed() {
    for seed in 0..4 {
        assert!(Mesh::generate(UNSTRUCTURED, seed).is_ok(), "seed {seed}");
    }
}
