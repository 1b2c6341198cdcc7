//! The force on a body, by a walk through the tree.
//!
//! A cell far enough off counts as one body: its side over the distance of its centre is less than θ, and the
//! body is not in it (with θ of 1 a body may be farther from its own cell's centre than the cell is wide).

use super::access::{Access, Portion};
use super::costs;
use super::galaxy::{Body, Galaxy, Vector};
use super::octree::{Cube, NONE, Octree};

/// What a walk finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pull {
    /// Force over mass.
    pub acceleration: Vector,
    /// Potential.
    pub potential: f64,
    /// How many bodies, and cells that count as one, it comes from.
    pub interactions: u64,
    /// How many cells were looked at.
    pub tested: u64,
}

impl Pull {
    /// Gives it to its body, whose cost is at least one, so that one alone has a zone, too.
    pub fn put(&self, body: &mut Body) {
        (body.acceleration, body.potential) = (self.acceleration, self.potential);
        body.cost = self.interactions.max(1);
    }

    fn add(&mut self, galaxy: &Galaxy, apart: Vector, mass: f64) {
        let square = squared(apart) + galaxy.softening * galaxy.softening;
        let potential = mass / square.sqrt();
        let strength = potential / square;
        (0..3).for_each(|axis| self.acceleration[axis] += apart[axis] * strength);
        self.potential -= potential;
        self.interactions += 1;
    }
}

/// The force on a body. The log gets what was read of shared memory, in order.
pub fn pull(galaxy: &Galaxy, tree: &Octree, bodies: &[Body], body: u32, log: &mut Vec<Access>) -> Pull {
    let mut pull = Pull::default();
    log.push(Access::read(Portion::BodyMoment, body));
    walk(&Pulled { galaxy, tree, bodies, body, place: bodies[body as usize].position }, 0, tree.root, &mut pull, log);
    pull
}

/// What stays the same in a walk.
struct Pulled<'a> {
    galaxy: &'a Galaxy,
    tree: &'a Octree,
    bodies: &'a [Body],
    body: u32,
    place: Vector,
}

fn walk(of: &Pulled<'_>, number: u32, cube: Cube, pull: &mut Pull, log: &mut Vec<Access>) {
    let (cell, looked) = (&of.tree.cells[number as usize], Access::read(Portion::CellMoment, number));
    pull.tested += 1;
    let (apart, side) = (minus(cell.centre, of.place), 2.0 * cube.half);
    let is_far = side * side < of.galaxy.opening * of.galaxy.opening * squared(apart);
    if is_far && !cube.holds(of.place) {
        log.push(looked.then(costs::FORCE_TEST + costs::FORCE_INTERACTION));
        return pull.add(of.galaxy, apart, cell.mass);
    }
    log.push(looked.then(costs::FORCE_TEST));
    log.extend([Portion::CellHead, Portion::CellSlots].map(|portion| Access::read(portion, number)));
    if cell.is_divided {
        let children = cell.slots.iter().enumerate().filter(|(_, child)| **child != NONE);
        return children.for_each(|(octant, child)| walk(of, *child, cube.child(octant), pull, log));
    }
    for other in of.tree.bodies(number).iter().filter(|other| **other != of.body) {
        log.push(Access::read(Portion::BodyMoment, *other).then(costs::FORCE_INTERACTION));
        let other = &of.bodies[*other as usize];
        pull.add(of.galaxy, minus(other.position, of.place), other.mass);
    }
}

fn minus(one: Vector, other: Vector) -> Vector {
    [one[0] - other[0], one[1] - other[1], one[2] - other[2]]
}

fn squared(apart: Vector) -> f64 {
    apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]
}
