//! The zone of a processor: the bodies with a contiguous range of the total cost, in the order of a walk through the
//! tree (Singh et al. 1993).

use super::access::{Access, Portion};
use super::costs;
use super::galaxy::Body;
use super::octree::Octree;
use std::ops::Range;

/// Returns the bodies of a processor in the first step, before any costs are known.
pub fn initial_zone(bodies: usize, processor: usize, processors: usize) -> Vec<u32> {
    let bound = |processor: usize| (processor * bodies / processors) as u32;
    (bound(processor)..bound(processor + 1)).collect()
}

/// Returns the bodies of a processor: those for which the sum of the costs of all preceding bodies is in the
/// processor's share of the total.
pub fn zone(
    tree: &Octree,
    bodies: &[Body],
    processor: usize,
    processors: usize,
    access_log: &mut Vec<Access>,
) -> Vec<u32> {
    access_log.push(Access::read(Portion::CellCost, 0));
    let total_cost = u128::from(tree.cells[0].cost);
    let bound = |processor: usize| (total_cost * processor as u128 / processors as u128) as u64;
    let mut search = ZoneSearch {
        tree,
        bodies,
        cost_range: bound(processor)..bound(processor + 1),
        cost_before: 0,
        own_bodies: Vec::new(),
    };
    search.visit(0, access_log);
    search.own_bodies
}

struct ZoneSearch<'a> {
    tree: &'a Octree,
    bodies: &'a [Body],
    /// Range of the total cost that belongs to the processor.
    cost_range: Range<u64>,
    /// Sum of the costs of all bodies before the present one.
    cost_before: u64,
    own_bodies: Vec<u32>,
}

impl ZoneSearch<'_> {
    /// Visits a cell that the zone overlaps.
    fn visit(&mut self, cell: u32, access_log: &mut Vec<Access>) {
        access_log.extend([Portion::CellHead, Portion::CellSlots].map(|portion| Access::read(portion, cell)));
        if !self.tree.cells[cell as usize].is_divided {
            for body in self.tree.bodies(cell) {
                access_log.push(Access::read(Portion::BodyCost, *body).followed_by(costs::ZONE_VISIT));
                if self.cost_range.contains(&self.cost_before) {
                    self.own_bodies.push(*body);
                }
                self.cost_before += self.bodies[*body as usize].cost;
            }
            return;
        }
        for child in self.tree.children(cell) {
            if self.cost_before >= self.cost_range.end {
                return;
            }
            access_log.push(Access::read(Portion::CellCost, child).followed_by(costs::ZONE_VISIT));
            let cost_after = self.cost_before + self.tree.cells[child as usize].cost;
            match cost_after > self.cost_range.start {
                true => self.visit(child, access_log),
                false => self.cost_before = cost_after,
            }
        }
    }
}
