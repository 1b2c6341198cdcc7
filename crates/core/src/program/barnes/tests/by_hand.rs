//! Is a run of several processors, however they run, that of one?

use super::super::access::Access;
use super::super::galaxy::{self, Body, Galaxy};
use super::super::insertion::{Insertion, InsertionAct};
use super::super::octree::Octree;
use super::super::room::Foreseen;
use super::super::{force, moments, serial, words, zones};
use super::small;
use crate::engine::rng::{self, RandomStream};
use rand::RngExt;
use std::collections::BTreeMap;

/// Runs insertions of several processors, one act of any of them at a time.
fn insert(bodies: &[Body], own: &[Vec<u32>], random: &mut RandomStream) -> (Octree, u64) {
    let mut tree = Octree::new(galaxy::reach(bodies.iter()), own.len());
    let (mut next, mut contended) = (vec![0; own.len()], 0);
    let mut running: Vec<Option<Insertion>> = vec![None; own.len()];
    let mut waiting: Vec<Option<u32>> = vec![None; own.len()];
    let mut holders: BTreeMap<u32, usize> = BTreeMap::new();
    loop {
        let may = |of: &usize| match waiting[*of] {
            Some(cell) => !holders.contains_key(&cell),
            None => running[*of].is_some() || next[*of] < own[*of].len(),
        };
        let ready: Vec<usize> = (0..own.len()).filter(may).collect();
        if ready.is_empty() {
            assert!(holders.is_empty() && waiting.iter().all(Option::is_none), "a deadlock");
            return (tree, contended);
        }
        let of = ready[random.random_range(0..ready.len() as u64) as usize];
        if let Some(cell) = waiting[of].take() {
            holders.insert(cell, of);
        }
        let insertion = running[of].get_or_insert_with(|| {
            next[of] += 1;
            Insertion::new(&tree, of, own[of][next[of] - 1])
        });
        match insertion.next(&mut tree, bodies) {
            InsertionAct::Access(Access { portion, is_write, number, .. }) => {
                let is_new = !portion.is_of_body() && tree.cells[number as usize].place.0 as usize == of;
                let is_held = holders.values().any(|holder| *holder == of);
                assert!(
                    !is_write || is_held && (is_new || holders.get(&number) == Some(&of)),
                    "a write without a lock"
                );
            }
            InsertionAct::Look(access) => insertion.saw(words::of(access, &tree, bodies)[0]),
            InsertionAct::Compute(_) => {}
            InsertionAct::Lock(cell) => {
                contended += u64::from(holders.contains_key(&cell));
                waiting[of] = Some(cell);
            }
            InsertionAct::Unlock(cell) => assert_eq!(holders.remove(&cell), Some(of)),
            InsertionAct::Done => running[of] = None,
        }
    }
}

/// Whether a child of a cell has no moments yet.
fn waits(tree: &Octree, cell: u32) -> bool {
    let is_divided = tree.cells[cell as usize].is_divided;
    is_divided && tree.children(cell).any(|child| !tree.cells[child as usize].is_summed)
}

/// Makes moments, a cell of any processor that need not wait at a time.
fn sum(tree: &mut Octree, bodies: &[Body], random: &mut RandomStream) {
    let mut left: Vec<Vec<u32>> = tree.made.clone();
    while left.iter().any(|left| !left.is_empty()) {
        let may = |of: &usize| left[*of].last().is_some_and(|cell| !waits(tree, *cell));
        let ready: Vec<usize> = (0..left.len()).filter(may).collect();
        assert!(!ready.is_empty(), "nobody waits for ever");
        let of = ready[random.random_range(0..ready.len() as u64) as usize];
        let cell = left[of].pop().expect("it has a cell");
        moments::of(tree, bodies, cell, &mut Vec::new()).put(tree, cell, &mut Vec::new());
    }
}

/// A run of several processors in an order that is drawn.
fn by_hand(galaxy: &Galaxy, seed: u64, steps: u64, processors: usize) -> (Vec<Body>, u64) {
    let mut random = rng::stream(processors as u64, "order of processors");
    let (mut bodies, mut contended) = (galaxy.begin(seed), 0);
    let mut own: Vec<Vec<u32>> = (0..processors).map(|of| zones::first(galaxy.bodies, of, processors)).collect();
    let foreseen = Foreseen::new(galaxy, seed, steps, processors);
    for step in 0..steps {
        let (mut tree, locks) = insert(&bodies, &own, &mut random);
        contended += locks;
        let made = tree.made.iter().map(Vec::len);
        assert!(made.zip(&foreseen.cells).all(|(made, most)| made <= *most), "{:?}", foreseen.cells);
        sum(&mut tree, &bodies, &mut random);
        own = (0..processors).map(|of| zones::zone(&tree, &bodies, of, processors, &mut Vec::new())).collect();
        let mut order: Vec<usize> = (0..processors).collect();
        (1..processors).for_each(|last| order.swap(last, random.random_range(0..=last as u64) as usize));
        for body in order.iter().flat_map(|of| &own[*of]) {
            let pull = force::pull(galaxy, &tree, &bodies, *body, &mut Vec::new());
            pull.put(&mut bodies[*body as usize]);
        }
        order.iter().flat_map(|of| &own[*of]).for_each(|body| galaxy.advance(&mut bodies[*body as usize], step == 0));
    }
    assert_eq!(bodies, foreseen.bodies);
    (bodies, contended)
}

#[test]
fn any_number_of_processors_in_any_order_gives_the_serial_answer() {
    let galaxy = small(400);
    let serial = serial::run(&galaxy, 7, 3, |_, _| {});
    for processors in [1, 2, 3, 8, 16, 32] {
        let (parallel, contended) = by_hand(&galaxy, 7, 3, processors);
        assert!(parallel == serial, "{processors} processors");
        assert_eq!(contended > 0, processors > 1, "processors meet at locks");
    }
}

#[test]
fn one_body_alone_stays_where_it_is() {
    let bodies = serial::run(&small(1), 1, 2, |_, _| {});
    assert_eq!((bodies[0].position, bodies[0].cost), ([0.0; 3], 1));
    assert_eq!(by_hand(&small(1), 1, 2, 4).0, bodies);
}
