//! The largest number of cells that each processor can create. Memory is allocated for them.

use super::galaxy::{Body, Galaxy};
use super::octree::Octree;
use super::{serial, zones};

/// The results of a serial run before the parallel one: the budget of cells, and the bodies at the end.
pub struct CellBudget {
    /// Bodies at the end of the run.
    pub final_bodies: Vec<Body>,
    /// Largest number of cells that each processor can create in a step.
    pub cells_max: Vec<usize>,
}

impl CellBudget {
    /// Runs the program serially, and counts the cells that each processor can create. The tree of a step and the
    /// bodies of each processor do not depend on the order of execution. The processor that creates a cell does depend
    /// on it, but it always has a body in the parent of the cell.
    pub fn new(galaxy: &Galaxy, seed: u64, steps: u64, processors: usize) -> CellBudget {
        let mut cells_max = vec![0; processors];
        let mut own_bodies: Vec<Vec<u32>> =
            (0..processors).map(|processor| zones::initial_zone(galaxy.body_count, processor, processors)).collect();
        let bodies = serial::run(galaxy, seed, steps, |tree, bodies| {
            let paths = Paths::new(tree, bodies.len());
            for (processor, own_bodies) in own_bodies.iter_mut().enumerate() {
                // The first processor creates the root.
                let created_max = paths.count_children(tree, own_bodies) + usize::from(processor == 0);
                cells_max[processor] = created_max.max(cells_max[processor]);
                *own_bodies = zones::zone(tree, bodies, processor, processors, &mut Vec::new());
            }
        });
        CellBudget { final_bodies: bodies, cells_max }
    }
}

/// The paths from the bodies to the root.
struct Paths {
    /// Parent of each cell; the root is its own parent.
    parents: Vec<u32>,
    /// Leaf of each body.
    leaves: Vec<u32>,
}

impl Paths {
    fn new(tree: &Octree, bodies: usize) -> Paths {
        let mut paths = Paths { parents: vec![0; tree.cells.len()], leaves: vec![0; bodies] };
        for number in 0..tree.cells.len() as u32 {
            match tree.cells[number as usize].is_divided {
                true => tree.children(number).for_each(|child| paths.parents[child as usize] = number),
                false => tree.bodies(number).iter().for_each(|body| paths.leaves[*body as usize] = number),
            }
        }
        paths
    }

    /// Returns the total number of children of all divided cells that contain any of `bodies`.
    fn count_children(&self, tree: &Octree, bodies: &[u32]) -> usize {
        let (mut is_counted, mut count) = (vec![false; self.parents.len()], 0);
        for body in bodies {
            let mut cell = self.leaves[*body as usize];
            while cell != 0 && !std::mem::replace(&mut is_counted[self.parents[cell as usize] as usize], true) {
                cell = self.parents[cell as usize];
                count += tree.children(cell).count();
            }
        }
        count
    }
}
