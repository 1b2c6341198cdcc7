//! The force on a body, by a walk through the tree.
//!
//! A distant cell counts as one body if its side over the distance of its centre is less than θ and the body is not in
//! the cell. (The second condition is needed: with θ = 1, the distance of a body to the centre of its own cell may
//! exceed the cell's side.)

use super::access::{Access, Portion};
use super::costs;
use super::galaxy::{Body, Galaxy, Vector};
use super::octree::{Cube, NO_CHILD, Octree};

/// The force on a body, and the work to compute it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyForce {
    /// The force divided by the mass.
    pub acceleration: Vector,
    /// Potential.
    pub potential: f64,
    /// Number of bodies that attract the body, including cells that count as one body.
    pub interactions: u64,
    /// Number of cells that were tested.
    pub tested_cells: u64,
}

impl BodyForce {
    /// Stores the force in its body. The cost of the body becomes at least one, so that a body without interactions
    /// also belongs to a zone.
    pub fn store(&self, body: &mut Body) {
        (body.acceleration, body.potential) = (self.acceleration, self.potential);
        body.cost = self.interactions.max(1);
    }

    fn add_attraction(&mut self, galaxy: &Galaxy, offset: Vector, mass: f64) {
        let square = squared_length(offset) + galaxy.softening * galaxy.softening;
        let potential = mass / square.sqrt();
        let strength = potential / square;
        (0..3).for_each(|axis| self.acceleration[axis] += offset[axis] * strength);
        self.potential -= potential;
        self.interactions += 1;
    }
}

/// Returns the force on a body, and appends the reads of shared memory to `access_log`, in order.
pub fn body_force(
    galaxy: &Galaxy,
    tree: &Octree,
    bodies: &[Body],
    body: u32,
    access_log: &mut Vec<Access>,
) -> BodyForce {
    let mut force = BodyForce::default();
    access_log.push(Access::read(Portion::BodyMassAndPosition, body));
    walk(
        &Walk { galaxy, tree, bodies, body, position: bodies[body as usize].position },
        0,
        tree.root_cube,
        &mut force,
        access_log,
    );
    force
}

/// The values that are constant during a walk.
struct Walk<'a> {
    galaxy: &'a Galaxy,
    tree: &'a Octree,
    bodies: &'a [Body],
    body: u32,
    position: Vector,
}

fn walk(context: &Walk<'_>, number: u32, cube: Cube, force: &mut BodyForce, access_log: &mut Vec<Access>) {
    let (cell, mass_read) = (&context.tree.cells[number as usize], Access::read(Portion::CellMassAndCentre, number));
    force.tested_cells += 1;
    let (offset, side) = (difference(cell.centre, context.position), 2.0 * cube.half_side);
    let is_far = side * side < context.galaxy.opening * context.galaxy.opening * squared_length(offset);
    if is_far && !cube.contains(context.position) {
        access_log.push(mass_read.followed_by(costs::FORCE_TEST + costs::FORCE_INTERACTION));
        return force.add_attraction(context.galaxy, offset, cell.mass);
    }
    access_log.push(mass_read.followed_by(costs::FORCE_TEST));
    access_log.extend([Portion::CellHead, Portion::CellSlots].map(|portion| Access::read(portion, number)));
    if cell.is_divided {
        let children = cell.slots.iter().enumerate().filter(|(_, child)| **child != NO_CHILD);
        return children.for_each(|(octant, child)| walk(context, *child, cube.child(octant), force, access_log));
    }
    for other in context.tree.bodies(number).iter().filter(|other| **other != context.body) {
        access_log.push(Access::read(Portion::BodyMassAndPosition, *other).followed_by(costs::FORCE_INTERACTION));
        let other = &context.bodies[*other as usize];
        force.add_attraction(context.galaxy, difference(other.position, context.position), other.mass);
    }
}

fn difference(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn squared_length(vector: Vector) -> f64 {
    vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]
}
