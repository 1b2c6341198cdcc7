//! Masses, centres and costs of cells, from those of their children or bodies, in order.

use super::access::{Access, Portion};
use super::costs;
use super::galaxy::{Body, Vector};
use super::octree::Octree;

/// The moments of a cell or body, or their sum.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    mass: f64,
    centre: Vector,
    cost: u64,
}

/// The moments of a cell. Those of its children are made: their heads were seen to say so.
pub fn of(tree: &Octree, bodies: &[Body], cell: u32, log: &mut Vec<Access>) -> Moments {
    log.push(Access::read(Portion::CellHead, cell));
    log.push(Access::read(Portion::CellSlots, cell).then(costs::MOMENT_CELL));
    let mut sum = Moments { mass: 0.0, centre: [0.0; 3], cost: 0 };
    match tree.cells[cell as usize].is_divided {
        true => tree.children(cell).for_each(|child| sum.add(of_cell(tree, child, log))),
        false => tree.bodies(cell).iter().for_each(|body| sum.add(of_body(bodies, *body, log))),
    }
    // An empty tree has no centre.
    if sum.mass > 0.0 {
        sum.centre = sum.centre.map(|component| component / sum.mass);
    }
    sum
}

fn of_cell(tree: &Octree, cell: u32, log: &mut Vec<Access>) -> Moments {
    log.push(Access::read(Portion::CellMoment, cell));
    log.push(Access::read(Portion::CellCost, cell).then(costs::MOMENT_PART));
    let cell = &tree.cells[cell as usize];
    assert!(cell.is_summed, "a child's moments are made before its parent's");
    Moments { mass: cell.mass, centre: cell.centre, cost: cell.cost }
}

fn of_body(bodies: &[Body], body: u32, log: &mut Vec<Access>) -> Moments {
    log.push(Access::read(Portion::BodyMoment, body));
    log.push(Access::read(Portion::BodyCost, body).then(costs::MOMENT_PART));
    let body = &bodies[body as usize];
    Moments { mass: body.mass, centre: body.position, cost: body.cost }
}

impl Moments {
    /// Adds a part, whose centre counts by its mass.
    fn add(&mut self, part: Moments) {
        self.mass += part.mass;
        (0..3).for_each(|axis| self.centre[axis] += part.mass * part.centre[axis]);
        self.cost += part.cost;
    }

    /// Gives them to their cell. Its head is written last: it says that they are there.
    pub fn put(&self, tree: &mut Octree, number: u32, log: &mut Vec<Access>) {
        let cell = &mut tree.cells[number as usize];
        (cell.mass, cell.centre, cell.cost, cell.is_summed) = (self.mass, self.centre, self.cost, true);
        let portions = [Portion::CellMoment, Portion::CellCost, Portion::CellHead];
        log.extend(portions.map(|portion| Access::write(portion, number)));
    }
}
