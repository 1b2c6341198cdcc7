//! The sweep over shared memory (Chong et al. 1998, §4.2.2): of nodes at borders, the value and the sum lie each in a
//! block of their processor's memory. Who computes an edge loads the value of another's node and adds to the sums of
//! both under their locks, its own too, since others add to them meanwhile; barriers part sweeps and updates. It may
//! prefetch the sums of edges ahead, to write.
//!
//! Leaves out: nodes inside a part, which nobody shares; they are in the cycles of instructions. So is the lock, which
//! lies in the sum's block: who changes it has it, and nobody comes between.

use super::NODE_INSTRUCTIONS;
use super::run::Sweep;
use crate::engine::EndId;
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::program::worker::{self, Worker};
use crate::protocol::directory::Want;
use std::rc::Rc;

/// Bytes of a value, and of a sum with its lock.
const BLOCK: u32 = 16;

/// Instructions to load a value, and to load and store a sum, that the cycles of an edge or face have, and memory
/// charges for here.
const VALUE_LOADS: u64 = 3;
const SUM_ACCESSES: u64 = 3 + 3;

/// Instructions of a lock: an exchange of memory, a test, a branch, and a store to give it back. (Chosen: by hand, as
/// the cycles of a store and of a load that hit.)
const LOCK_INSTRUCTIONS: u64 = 5 + 2 + 3;

/// What the programs share.
pub(super) struct SharedSweep {
    sweep: Rc<Sweep>,
    prefetch: usize,
    /// By processor, and node there, ghosts too: where its value is, and behind it its sum; none of nodes inside.
    places: Vec<Vec<Option<SharedAddress>>>,
}

impl SharedSweep {
    /// Starts it on all; the programs.
    pub fn start(sweep: &Rc<Sweep>, prefetch: usize, world: &World) -> Vec<Rc<Worker>> {
        let space = Rc::new(Space::new(world.addresses.len(), world.shared_memory.block));
        let shared = Rc::new(SharedSweep { sweep: sweep.clone(), prefetch, places: places(sweep, &space) });
        let workers = Worker::all(world, &space);
        worker::start(world, &workers, |worker| shared.clone().run(worker));
        workers
    }

    async fn run(self: Rc<Self>, worker: Rc<Worker>) {
        let (sweep, own) = (&self.sweep, worker.id());
        let part = &sweep.parts[own];
        let nodes = part.share.borrow().nodes.len();
        let mut borders: Vec<u32> = part.links.iter().flat_map(|link| link.given.iter().copied()).collect();
        borders.sort_unstable();
        borders.dedup();
        self.tell(&worker, &borders).await;
        worker.barrier().await;
        sweep.span.mark_start(worker.endpoint());
        for _ in 0..sweep.iterations {
            self.elements(&worker).await;
            worker.barrier().await;
            for at in &borders {
                let sum = self.place(own, *at).plus(BLOCK);
                let words = [worker.load(sum).await, worker.load(sum.plus(8)).await];
                part.share.borrow_mut().add(*at, amount(words));
                worker.store(sum, 0).await;
                worker.store(sum.plus(8), 0).await;
            }
            part.share.borrow_mut().update();
            worker.compute(NODE_INSTRUCTIONS * nodes as u64).await;
            self.tell(&worker, &borders).await;
            worker.barrier().await;
        }
        sweep.span.mark_end(worker.endpoint());
        let amounts = part.share.borrow().amounts().to_vec();
        sweep.end(own, amounts);
    }

    /// Where the value of a shared node is.
    fn place(&self, processor: usize, at: u32) -> SharedAddress {
        self.places[processor][at as usize].expect("a node at a border is shared")
    }

    /// Stores the values of own nodes that others need.
    async fn tell(&self, worker: &Worker, borders: &[u32]) {
        for at in borders {
            let value = self.sweep.parts[worker.id()].share.borrow().value_of(*at);
            let place = self.place(worker.id(), *at);
            for (word, offset) in words(value).into_iter().zip([0, 8]) {
                worker.store(place.plus(offset), word).await;
            }
        }
    }

    /// Sweeps over edges and faces.
    async fn elements(&self, worker: &Worker) {
        let part = &self.sweep.parts[worker.id()];
        let all = part.share.borrow().elements();
        for element in 0..all {
            if self.prefetch > 0 && element + self.prefetch < all {
                self.prefetch(worker, element + self.prefetch).await;
            }
            let (nodes, mut instructions) = {
                let share = part.share.borrow();
                (share.nodes_of(element).to_vec(), self.sweep.cycles(share.is_edge(element)))
            };
            for at in nodes.iter().filter(|at| part.share.borrow().is_ghost(**at)) {
                let place = self.place(worker.id(), *at);
                let loaded = [worker.load(place).await, worker.load(place.plus(8)).await];
                part.share.borrow_mut().take_value(*at, of_words(loaded));
                instructions -= VALUE_LOADS;
            }
            let amounts = part.share.borrow().passed(element);
            let is_shared = |at: &u32| self.places[worker.id()][*at as usize].is_some();
            for _ in nodes.iter().filter(|at| is_shared(at)) {
                instructions = instructions - SUM_ACCESSES + LOCK_INSTRUCTIONS;
            }
            worker.compute(instructions).await;
            for (at, passed) in nodes.into_iter().zip(amounts) {
                match self.places[worker.id()][at as usize] {
                    None => part.share.borrow_mut().add(at, passed),
                    Some(place) => _ = worker.update_pair(place.plus(BLOCK), |words| added(words, passed)).await,
                }
            }
        }
    }

    /// The sums of an edge or face will be written.
    async fn prefetch(&self, worker: &Worker, element: usize) {
        let nodes = self.sweep.parts[worker.id()].share.borrow().nodes_of(element).to_vec();
        for place in nodes.into_iter().filter_map(|at| self.places[worker.id()][at as usize]) {
            worker.prefetch(place.plus(BLOCK), Want::Write).await;
        }
    }
}

/// Lays the nodes at borders out.
fn places(sweep: &Sweep, space: &Space) -> Vec<Vec<Option<SharedAddress>>> {
    let own = |(processor, part): (usize, &super::run::Part)| {
        let mut places = vec![None; part.share.borrow().nodes.len()];
        for at in part.links.iter().flat_map(|link| &link.given) {
            let place = &mut places[*at as usize];
            *place = place.or_else(|| Some(space.allocate(EndId(processor as u32), (2 * BLOCK).into())));
        }
        places
    };
    let owned: Vec<Vec<Option<SharedAddress>>> = sweep.parts.iter().enumerate().map(own).collect();
    let with_ghosts = |(processor, part): (usize, &super::run::Part)| {
        let mut places = owned[processor].clone();
        let mut links: Vec<_> = part.links.iter().filter(|link| !link.ghosts.is_empty()).collect();
        links.sort_by_key(|link| link.ghosts.start);
        for link in links {
            let there = sweep.parts[link.other].link(processor);
            places.extend(there.given.iter().map(|at| owned[link.other][*at as usize]));
        }
        places
    };
    sweep.parts.iter().enumerate().map(with_ghosts).collect()
}

/// Three words as they lie in memory, the lock behind them.
fn words([x, y, z]: [u32; 3]) -> [u64; 2] {
    [u64::from(x) | u64::from(y) << 32, z.into()]
}

/// The three words that lie there.
fn of_words([low, high]: [u64; 2]) -> [u32; 3] {
    [low as u32, (low >> 32) as u32, high as u32]
}

/// The sum that lies there.
fn amount(words: [u64; 2]) -> [i32; 3] {
    of_words(words).map(u32::cast_signed)
}

/// The sum with an amount more.
fn added(sum: [u64; 2], more: [i32; 3]) -> [u64; 2] {
    let (sum, axes) = (amount(sum), [0, 1, 2]);
    words(axes.map(|axis: usize| sum[axis].wrapping_add(more[axis]).cast_unsigned()))
}
