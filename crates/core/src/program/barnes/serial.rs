//! The run on one processor, with which results are compared.

use super::galaxy::{self, Body, Galaxy};
use super::insertion::{Insertion, InsertionAction};
use super::octree::Octree;
use super::{force, moments, words, zones};

/// Runs the program, and returns the bodies at the end. Calls `observe` with the tree and the bodies of each step.
pub fn run(galaxy: &Galaxy, seed: u64, steps: u64, mut observe: impl FnMut(&Octree, &[Body])) -> Vec<Body> {
    let (mut bodies, mut access_log) = (galaxy.initial_bodies(seed), Vec::new());
    for step in 0..steps {
        let tree = build_tree(&bodies);
        observe(&tree, &bodies);
        let bodies_in_tree_order = zones::zone(&tree, &bodies, 0, 1, &mut access_log);
        for body in &bodies_in_tree_order {
            access_log.clear();
            let force = force::body_force(galaxy, &tree, &bodies, *body, &mut access_log);
            force.store(&mut bodies[*body as usize]);
        }
        bodies_in_tree_order.iter().for_each(|body| galaxy.advance(&mut bodies[*body as usize], step == 0));
    }
    bodies
}

/// Returns the tree of `bodies`, with all moments.
pub fn build_tree(bodies: &[Body]) -> Octree {
    let mut tree = Octree::new(galaxy::extent(bodies.iter()), 1);
    for body in 0..bodies.len() as u32 {
        let mut insertion = Insertion::new(&tree, 0, body);
        loop {
            match insertion.next(&mut tree, bodies) {
                InsertionAction::ReadRacing(access) => {
                    insertion.set_word(words::expected_words(access, &tree, bodies)[0])
                }
                InsertionAction::Done => break,
                _ => {}
            }
        }
    }
    let mut access_log = Vec::new();
    for cell in (0..tree.cells.len() as u32).rev() {
        access_log.clear();
        moments::cell_moments(&tree, bodies, cell, &mut access_log).store(&mut tree, cell, &mut access_log);
    }
    tree
}
