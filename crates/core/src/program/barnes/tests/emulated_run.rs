//! Tests that compare runs of several processors, in any order of execution, with the run of one.

use super::super::access::Access;
use super::super::cell_budget::CellBudget;
use super::super::galaxy::{self, Body, Galaxy};
use super::super::insertion::{Insertion, InsertionAction};
use super::super::octree::Octree;
use super::super::{force, moments, serial, words, zones};
use super::galaxy_with_bodies;
use crate::engine::rng::{self, RandomStream};
use rand::RngExt;
use std::collections::BTreeMap;

/// Runs insertions of several processors, one action of a random processor at a time. Returns the tree, and the number
/// of times that a processor found a lock held by another.
fn insert(bodies: &[Body], own_bodies: &[Vec<u32>], random: &mut RandomStream) -> (Octree, u64) {
    let mut tree = Octree::new(galaxy::extent(bodies.iter()), own_bodies.len());
    let (mut next_indices, mut contended_locks) = (vec![0; own_bodies.len()], 0);
    let mut running_insertions: Vec<Option<Insertion>> = vec![None; own_bodies.len()];
    let mut awaited_locks: Vec<Option<u32>> = vec![None; own_bodies.len()];
    let mut lock_holders: BTreeMap<u32, usize> = BTreeMap::new();
    loop {
        let can_run = |processor: &usize| match awaited_locks[*processor] {
            Some(cell) => !lock_holders.contains_key(&cell),
            None => running_insertions[*processor].is_some() || next_indices[*processor] < own_bodies[*processor].len(),
        };
        let ready_processors: Vec<usize> = (0..own_bodies.len()).filter(can_run).collect();
        if ready_processors.is_empty() {
            assert!(
                lock_holders.is_empty() && awaited_locks.iter().all(Option::is_none),
                "no processor waits for a lock"
            );
            return (tree, contended_locks);
        }
        let processor = ready_processors[random.random_range(0..ready_processors.len() as u64) as usize];
        if let Some(cell) = awaited_locks[processor].take() {
            lock_holders.insert(cell, processor);
        }
        let insertion = running_insertions[processor].get_or_insert_with(|| {
            next_indices[processor] += 1;
            Insertion::new(&tree, processor, own_bodies[processor][next_indices[processor] - 1])
        });
        match insertion.next(&mut tree, bodies) {
            InsertionAction::Access(Access { portion, is_write, number, .. }) => {
                let is_own_cell = !portion.is_of_body() && tree.cells[number as usize].storage.0 as usize == processor;
                let holds_lock = lock_holders.values().any(|holder| *holder == processor);
                assert!(
                    !is_write || holds_lock && (is_own_cell || lock_holders.get(&number) == Some(&processor)),
                    "a written cell is new or locked"
                );
            }
            InsertionAction::ReadRacing(access) => insertion.set_word(words::expected_words(access, &tree, bodies)[0]),
            InsertionAction::Compute(_) => {}
            InsertionAction::Lock(cell) => {
                contended_locks += u64::from(lock_holders.contains_key(&cell));
                awaited_locks[processor] = Some(cell);
            }
            InsertionAction::Unlock(cell) => assert_eq!(lock_holders.remove(&cell), Some(processor)),
            InsertionAction::Done => running_insertions[processor] = None,
        }
    }
}

/// Returns whether a child of a cell has no moments yet.
fn has_missing_moments(tree: &Octree, cell: u32) -> bool {
    let is_divided = tree.cells[cell as usize].is_divided;
    is_divided && tree.children(cell).any(|child| !tree.cells[child as usize].has_moments)
}

/// Computes the moments of all cells. Each step computes those of one cell, on a random processor that need not wait.
fn compute_moments(tree: &mut Octree, bodies: &[Body], random: &mut RandomStream) {
    let mut remaining_cells: Vec<Vec<u32>> = tree.created_cells.clone();
    while remaining_cells.iter().any(|remaining_cells| !remaining_cells.is_empty()) {
        let can_run = |processor: &usize| {
            remaining_cells[*processor].last().is_some_and(|cell| !has_missing_moments(tree, *cell))
        };
        let ready_processors: Vec<usize> = (0..remaining_cells.len()).filter(can_run).collect();
        assert!(!ready_processors.is_empty(), "some processor need not wait");
        let processor = ready_processors[random.random_range(0..ready_processors.len() as u64) as usize];
        let cell = remaining_cells[processor].pop().expect("the processor has a remaining cell");
        moments::cell_moments(tree, bodies, cell, &mut Vec::new()).store(tree, cell, &mut Vec::new());
    }
}

/// Runs several processors in a random order. Returns the bodies, and the number of times that a lock was held by
/// another processor.
fn emulate(galaxy: &Galaxy, seed: u64, steps: u64, processors: usize) -> (Vec<Body>, u64) {
    let mut random = rng::stream(processors as u64, "order of processors");
    let (mut bodies, mut contended_locks) = (galaxy.initial_bodies(seed), 0);
    let mut own_bodies: Vec<Vec<u32>> =
        (0..processors).map(|processor| zones::initial_zone(galaxy.body_count, processor, processors)).collect();
    let budget = CellBudget::new(galaxy, seed, steps, processors);
    for step in 0..steps {
        let (mut tree, step_contended_locks) = insert(&bodies, &own_bodies, &mut random);
        contended_locks += step_contended_locks;
        let created = tree.created_cells.iter().map(Vec::len);
        assert!(created.zip(&budget.cells_max).all(|(created, max)| created <= *max), "{:?}", budget.cells_max);
        compute_moments(&mut tree, &bodies, &mut random);
        own_bodies = (0..processors)
            .map(|processor| zones::zone(&tree, &bodies, processor, processors, &mut Vec::new()))
            .collect();
        let mut order: Vec<usize> = (0..processors).collect();
        (1..processors).for_each(|last| order.swap(last, random.random_range(0..=last as u64) as usize));
        for body in order.iter().flat_map(|processor| &own_bodies[*processor]) {
            let force = force::body_force(galaxy, &tree, &bodies, *body, &mut Vec::new());
            force.store(&mut bodies[*body as usize]);
        }
        order
            .iter()
            .flat_map(|processor| &own_bodies[*processor])
            .for_each(|body| galaxy.advance(&mut bodies[*body as usize], step == 0));
    }
    assert_eq!(bodies, budget.final_bodies);
    (bodies, contended_locks)
}

#[test]
fn any_number_of_processors_in_any_order_matches_the_serial_run() {
    let galaxy = galaxy_with_bodies(400);
    let serial = serial::run(&galaxy, 7, 3, |_, _| {});
    for processors in [1, 2, 3, 8, 16, 32] {
        let (parallel, contended_locks) = emulate(&galaxy, 7, 3, processors);
        assert!(parallel == serial, "{processors} processors");
        assert_eq!(contended_locks > 0, processors > 1, "locks are contended if there are several processors");
    }
}

#[test]
fn single_body_stays_at_rest() {
    let bodies = serial::run(&galaxy_with_bodies(1), 1, 2, |_, _| {});
    assert_eq!((bodies[0].position, bodies[0].cost), ([0.0; 3], 1));
    assert_eq!(emulate(&galaxy_with_bodies(1), 1, 2, 4).0, bodies);
}
