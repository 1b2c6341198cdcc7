//! How many cells each processor makes at most: what its array of them is for.

use super::galaxy::{Body, Galaxy};
use super::octree::Octree;
use super::{serial, zones};

/// A serial run, before the parallel one.
pub struct Foreseen {
    /// The bodies at its end.
    pub bodies: Vec<Body>,
    /// By processor: the most cells that it can make in a step.
    pub cells: Vec<usize>,
}

impl Foreseen {
    /// Of so many processors. The tree of a step, and which bodies are whose, do not depend on who is faster; who
    /// makes a cell does, but it has one of its own bodies in the cell's parent.
    pub fn new(galaxy: &Galaxy, seed: u64, steps: u64, processors: usize) -> Foreseen {
        let mut cells = vec![0; processors];
        let mut own: Vec<Vec<u32>> = (0..processors).map(|of| zones::first(galaxy.bodies, of, processors)).collect();
        let bodies = serial::run(galaxy, seed, steps, |tree, bodies| {
            let paths = Paths::new(tree, bodies.len());
            for (processor, own) in own.iter_mut().enumerate() {
                // The first makes the root.
                let most = paths.children(tree, own) + usize::from(processor == 0);
                cells[processor] = most.max(cells[processor]);
                *own = zones::zone(tree, bodies, processor, processors, &mut Vec::new());
            }
        });
        Foreseen { bodies, cells }
    }
}

/// The ways from bodies up to the root.
struct Paths {
    /// By cell; the root is its own.
    parents: Vec<u32>,
    /// By body.
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

    /// How many children the divided cells have that hold some of these bodies.
    fn children(&self, tree: &Octree, bodies: &[u32]) -> usize {
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
