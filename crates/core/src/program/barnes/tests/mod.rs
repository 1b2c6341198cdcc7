//! Tests of the forces, the tree and the zones, and of runs of several processors against the run of one.

mod emulated_run;

use super::access::{Access, BODY_BYTES, CELL_BYTES, Portion, WORD_BYTES};
use super::galaxy::{Body, Galaxy, Vector};
use super::octree::{CELL_SLOTS, NO_CHILD};
use super::{costs, force, serial, zones};

fn galaxy_with_bodies(bodies: usize) -> Galaxy {
    Galaxy { body_count: bodies, ..Galaxy::default() }
}

/// Returns the acceleration and the potential of a body, as a direct sum over all other bodies.
fn direct_sum(galaxy: &Galaxy, bodies: &[Body], body: usize) -> (Vector, f64) {
    let (mut acceleration, mut potential) = ([0.0; 3], 0.0);
    for other in (0..bodies.len()).filter(|other| *other != body) {
        let offset = [0, 1, 2].map(|axis| bodies[other].position[axis] - bodies[body].position[axis]);
        let square: f64 = offset.iter().map(|component| component * component).sum();
        let distance = (square + galaxy.softening * galaxy.softening).sqrt();
        potential -= bodies[other].mass / distance;
        (0..3).for_each(|axis| acceleration[axis] += bodies[other].mass * offset[axis] / distance.powi(3));
    }
    (acceleration, potential)
}

fn length(vector: Vector) -> f64 {
    vector.iter().map(|component| component * component).sum::<f64>().sqrt()
}

#[test]
fn initial_galaxy_is_a_plummer_model() {
    let galaxy = galaxy_with_bodies(4096);
    let bodies = galaxy.initial_bodies(1);
    assert_eq!(bodies, galaxy.initial_bodies(1));
    assert_ne!(bodies, galaxy.initial_bodies(2));
    let sums = [0, 1, 2].map(|axis| bodies.iter().map(|body| body.velocity[axis]).sum::<f64>());
    assert!(length(sums) < 1e-11, "the galaxy is at rest: {sums:?}");
    let kinetic: f64 = bodies.iter().map(|body| 0.5 * body.mass * length(body.velocity).powi(2)).sum();
    let potential: f64 =
        (0..bodies.len()).map(|body| 0.5 * bodies[body].mass * direct_sum(&galaxy, &bodies, body).1).sum();
    // By the virial theorem these are 1/4 and -1/2. They deviate by a few per cent, since 4096 bodies are drawn and
    // forces are softened.
    assert!((kinetic - 0.25).abs() < 0.012 && (potential + 0.5).abs() < 0.025, "{kinetic} {potential}");
    let mut radii: Vec<f64> = bodies.iter().map(|body| length(body.position)).collect();
    radii.sort_by(f64::total_cmp);
    // Half of the mass lies within a radius of 1.305 in Plummer's units.
    assert!((radii[2048] / (1.305 * 3.0 * std::f64::consts::PI / 16.0) - 1.0).abs() < 0.05, "{}", radii[2048]);
}

/// Returns the root mean square of the relative errors of the forces, and the mean number of interactions of a body.
fn force_errors(galaxy: &Galaxy, bodies: &[Body]) -> (f64, f64) {
    let (tree, mut access_log) = (serial::build_tree(bodies), Vec::new());
    let (mut squares, mut interactions) = (0.0, 0);
    for body in 0..bodies.len() {
        let force = force::body_force(galaxy, &tree, bodies, body as u32, &mut access_log);
        let (exact, _) = direct_sum(galaxy, bodies, body);
        let error = [0, 1, 2].map(|axis| force.acceleration[axis] - exact[axis]);
        squares += (length(error) / length(exact)).powi(2);
        interactions += force.interactions;
    }
    ((squares / bodies.len() as f64).sqrt(), interactions as f64 / bodies.len() as f64)
}

#[test]
fn forces_match_a_direct_sum_within_the_error_of_the_opening() {
    let bodies = galaxy_with_bodies(1024).initial_bodies(3);
    let errors_at_opening = |opening: f64| force_errors(&Galaxy { opening, ..galaxy_with_bodies(1024) }, &bodies);
    let (exact, interactions) = errors_at_opening(0.0);
    assert!(exact < 1e-12 && interactions == 1023.0, "an opening of 0 is the direct sum: {exact}, {interactions}");
    let [half_opening, unit_opening] = [errors_at_opening(0.5), errors_at_opening(1.0)];
    // The error is of the order of θ² or higher; for θ = 1, published errors of monopoles are a few per cent.
    assert!(half_opening.0 < 0.01 && unit_opening.0 < 0.05, "{half_opening:?} {unit_opening:?}");
    assert!(
        half_opening.0 < unit_opening.0 / 3.0 && unit_opening.1 < half_opening.1 && half_opening.1 < 1023.0,
        "{half_opening:?} {unit_opening:?}"
    );
}

#[test]
fn energy_and_momentum_are_conserved() {
    let galaxy = Galaxy { opening: 0.6, ..galaxy_with_bodies(512) };
    let (mut initial_bodies, final_bodies) = (galaxy.initial_bodies(1), serial::run(&galaxy, 1, 40, |_, _| {}));
    let energy = |bodies: &[Body], velocity_lag: f64| {
        let body_energy = |body: usize| {
            let (index, body) = (body, &bodies[body]);
            let (acceleration, potential) = direct_sum(&galaxy, bodies, index);
            let velocity = [0, 1, 2].map(|axis| body.velocity[axis] + acceleration[axis] * velocity_lag);
            body.mass * (0.5 * length(velocity).powi(2) + 0.5 * potential)
        };
        (0..bodies.len()).map(body_energy).sum::<f64>()
    };
    initial_bodies.iter_mut().for_each(|body| body.acceleration = [0.0; 3]);
    let (first, last) = (energy(&initial_bodies, 0.0), energy(&final_bodies, galaxy.time_step / 2.0));
    assert!((last - first).abs() < 0.001 * first.abs(), "{first} {last}");
    let momentum =
        |bodies: &[Body]| length([0, 1, 2].map(|axis| bodies.iter().map(|body| body.mass * body.velocity[axis]).sum()));
    let speed = final_bodies.iter().map(|body| body.mass * length(body.velocity)).sum::<f64>();
    // Momentum is not conserved exactly: a cell attracts a body as one body, but the body does not attract it as one.
    assert!(momentum(&final_bodies) < 0.002 * speed, "{} of {speed}", momentum(&final_bodies));
}

#[test]
fn cells_with_more_than_eight_bodies_are_divided() {
    let bodies = galaxy_with_bodies(2000).initial_bodies(5);
    let tree = serial::build_tree(&bodies);
    let mut leaf_counts = vec![0; bodies.len()];
    let mut stack = vec![(0, tree.root_cube)];
    while let Some((number, cube)) = stack.pop() {
        let cell = &tree.cells[number as usize];
        let inside_bodies: Vec<u32> = (0..2000).filter(|body| cube.contains(bodies[*body as usize].position)).collect();
        assert_eq!(cell.is_divided, inside_bodies.len() > CELL_SLOTS);
        match cell.is_divided {
            true => stack.extend(
                (0..CELL_SLOTS)
                    .filter(|octant| cell.slots[*octant] != NO_CHILD)
                    .map(|octant| (cell.slots[octant], cube.child(octant))),
            ),
            false => assert_eq!(tree.bodies(number), inside_bodies),
        }
        tree.bodies(number).iter().filter(|_| !cell.is_divided).for_each(|body| leaf_counts[*body as usize] += 1);
        assert!((cell.mass - inside_bodies.len() as f64 / 2000.0).abs() < 1e-12);
    }
    assert!(leaf_counts.iter().all(|count| *count == 1));
}

#[test]
#[should_panic(expected = "more than 8 bodies have the same position")]
fn bodies_at_the_same_position_are_reported() {
    serial::build_tree(&vec![Body { mass: 1.0, position: [0.3; 3], ..Body::default() }; 9]);
}

#[test]
fn zones_partition_the_bodies_and_balance_their_costs() {
    let galaxy = galaxy_with_bodies(3000);
    let bodies = serial::run(&galaxy, 2, 1, |_, _| {});
    let (tree, total_cost) = (serial::build_tree(&bodies), bodies.iter().map(|body| body.cost).sum::<u64>());
    for processors in [1, 2, 7, 16, 64] {
        let zones: Vec<Vec<u32>> = (0..processors)
            .map(|processor| zones::zone(&tree, &bodies, processor, processors, &mut Vec::new()))
            .collect();
        let mut zone_bodies = zones.concat();
        assert_eq!(zone_bodies, zones::zone(&tree, &bodies, 0, 1, &mut Vec::new()), "in the order of the tree");
        zone_bodies.sort_unstable();
        assert_eq!(zone_bodies, (0..3000).collect::<Vec<u32>>());
        let cost_max = bodies.iter().map(|body| body.cost).max().expect("the galaxy has bodies");
        for zone in zones {
            let cost: u64 = zone.iter().map(|body| bodies[*body as usize].cost).sum();
            assert!(
                cost.abs_diff(total_cost / processors as u64) <= cost_max + 1,
                "within a body: {cost} of {total_cost}"
            );
        }
    }
}

#[test]
fn log_of_a_force_has_an_access_for_each_interaction() {
    let (galaxy, bodies) = (galaxy_with_bodies(1000), galaxy_with_bodies(1000).initial_bodies(1));
    let (tree, mut access_log) = (serial::build_tree(&bodies), Vec::new());
    let force = force::body_force(&galaxy, &tree, &bodies, 5, &mut access_log);
    let count = |portion: Portion| access_log.iter().filter(|access| access.portion == portion).count() as u64;
    let opened_cells = count(Portion::CellSlots);
    assert_eq!(count(Portion::CellMassAndCentre), force.tested_cells);
    // The body itself is read, too.
    assert_eq!(force.tested_cells - opened_cells + count(Portion::BodyMassAndPosition) - 1, force.interactions);
    assert!(access_log.iter().all(|access| !access.is_write));
    let instructions: u64 = access_log.iter().map(|access| u64::from(access.instructions)).sum();
    assert_eq!(instructions, costs::FORCE_TEST * force.tested_cells + costs::FORCE_INTERACTION * force.interactions);
    for portion in [
        Portion::BodyMassAndPosition,
        Portion::BodyVelocity,
        Portion::BodyForce,
        Portion::BodyCost,
        Portion::CellHead,
        Portion::CellSlots,
        Portion::CellSlot(7),
        Portion::CellMassAndCentre,
        Portion::CellCost,
    ] {
        let (offset, bytes) = portion.offset_and_length();
        assert!(
            bytes % WORD_BYTES == 0 && offset + bytes <= if portion.is_of_body() { BODY_BYTES } else { CELL_BYTES }
        );
    }
    assert_eq!(size_of::<Access>(), 8);
}
