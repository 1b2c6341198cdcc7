//! The run of one processor.

use super::galaxy::{self, Body, Galaxy};
use super::insertion::{Insertion, InsertionAct};
use super::octree::Octree;
use super::{force, moments, words, zones};

/// Runs it, and shows the tree of each step with the bodies that are in it; gives the bodies at the end.
pub fn run(galaxy: &Galaxy, seed: u64, steps: u64, mut show: impl FnMut(&Octree, &[Body])) -> Vec<Body> {
    let (mut bodies, mut log) = (galaxy.begin(seed), Vec::new());
    for step in 0..steps {
        let tree = tree(&bodies);
        show(&tree, &bodies);
        let own = zones::zone(&tree, &bodies, 0, 1, &mut log);
        for body in &own {
            log.clear();
            let pull = force::pull(galaxy, &tree, &bodies, *body, &mut log);
            pull.put(&mut bodies[*body as usize]);
        }
        own.iter().for_each(|body| galaxy.advance(&mut bodies[*body as usize], step == 0));
    }
    bodies
}

/// The tree of some bodies, with all moments.
pub fn tree(bodies: &[Body]) -> Octree {
    let mut tree = Octree::new(galaxy::reach(bodies.iter()), 1);
    for body in 0..bodies.len() as u32 {
        let mut insertion = Insertion::new(&tree, 0, body);
        loop {
            match insertion.next(&mut tree, bodies) {
                InsertionAct::Look(access) => insertion.saw(words::of(access, &tree, bodies)[0]),
                InsertionAct::Done => break,
                _ => {}
            }
        }
    }
    let mut log = Vec::new();
    for cell in (0..tree.cells.len() as u32).rev() {
        log.clear();
        moments::of(&tree, bodies, cell, &mut log).put(&mut tree, cell, &mut log);
    }
    tree
}
