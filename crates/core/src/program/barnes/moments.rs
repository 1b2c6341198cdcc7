//! Masses, centres and costs of cells. They are sums over the children or bodies of a cell, in order.

use super::access::{Access, Portion};
use super::costs;
use super::galaxy::{Body, Vector};
use super::octree::Octree;

/// The moments of a cell or a body, or a sum of such moments.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    mass: f64,
    centre: Vector,
    cost: u64,
}

/// Returns the moments of a cell. The moments of its children must be computed, as their heads state.
pub fn cell_moments(tree: &Octree, bodies: &[Body], cell: u32, access_log: &mut Vec<Access>) -> Moments {
    access_log.push(Access::read(Portion::CellHead, cell));
    access_log.push(Access::read(Portion::CellSlots, cell).followed_by(costs::MOMENT_CELL));
    let mut sum = Moments { mass: 0.0, centre: [0.0; 3], cost: 0 };
    match tree.cells[cell as usize].is_divided {
        true => tree.children(cell).for_each(|child| sum.add(read_cell(tree, child, access_log))),
        false => tree.bodies(cell).iter().for_each(|body| sum.add(read_body(bodies, *body, access_log))),
    }
    // An empty tree has no centre.
    if sum.mass > 0.0 {
        sum.centre = sum.centre.map(|component| component / sum.mass);
    }
    sum
}

fn read_cell(tree: &Octree, cell: u32, access_log: &mut Vec<Access>) -> Moments {
    access_log.push(Access::read(Portion::CellMassAndCentre, cell));
    access_log.push(Access::read(Portion::CellCost, cell).followed_by(costs::MOMENT_PART));
    let cell = &tree.cells[cell as usize];
    assert!(cell.has_moments, "the moments of a child are computed before those of its parent");
    Moments { mass: cell.mass, centre: cell.centre, cost: cell.cost }
}

fn read_body(bodies: &[Body], body: u32, access_log: &mut Vec<Access>) -> Moments {
    access_log.push(Access::read(Portion::BodyMassAndPosition, body));
    access_log.push(Access::read(Portion::BodyCost, body).followed_by(costs::MOMENT_PART));
    let body = &bodies[body as usize];
    Moments { mass: body.mass, centre: body.position, cost: body.cost }
}

impl Moments {
    /// Adds the moments of a child or body, whose centre is weighted by its mass.
    fn add(&mut self, member: Moments) {
        self.mass += member.mass;
        (0..3).for_each(|axis| self.centre[axis] += member.mass * member.centre[axis]);
        self.cost += member.cost;
    }

    /// Stores the moments in their cell. The head is written last, since it states that they are computed.
    pub fn store(&self, tree: &mut Octree, number: u32, access_log: &mut Vec<Access>) {
        let cell = &mut tree.cells[number as usize];
        (cell.mass, cell.centre, cell.cost, cell.has_moments) = (self.mass, self.centre, self.cost, true);
        let portions = [Portion::CellMassAndCentre, Portion::CellCost, Portion::CellHead];
        access_log.extend(portions.map(|portion| Access::write(portion, number)));
    }
}
