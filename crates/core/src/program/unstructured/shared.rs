//! The sweep over shared memory (Chong et al. 1998, §4.2.2): the value and the sum of each node at a border are in
//! blocks of its processor's memory. The processor that computes an edge loads the values of other processors' nodes,
//! and adds to the sums of both nodes under their locks. This includes own nodes, since others may add to them at the
//! same time. Barriers separate sweeps and updates. The program may prefetch the sums of later edges for writing.
//!
//! Accesses to nodes inside a part are left out; they are private, and part of the cycles of instructions. Accesses to
//! locks are also left out: a lock is in the block of its sum, so a processor that updates the sum has both.

use super::NODE_INSTRUCTIONS;
use super::run::SweepRun;
use crate::engine::EndpointId;
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::program::worker::{self, Worker};
use crate::protocol::directory::AccessMode;
use std::rc::Rc;

/// Bytes of a value, and of a sum with its lock.
const BLOCK_BYTES: u32 = 16;

/// Instructions to load a value, and to load and store a sum. They are part of the cycles of an edge or face, and are
/// subtracted from them, since memory charges for these accesses.
const VALUE_LOADS: u64 = 3;
const SUM_ACCESSES: u64 = 3 + 3;

/// Instructions of a lock: an exchange with memory, a test, a branch, and a store to release it. (Chosen: counted by
/// hand, as the cycles of a store and of a load that hit.)
const LOCK_INSTRUCTIONS: u64 = 5 + 2 + 3;

/// The data that the programs share.
pub(super) struct SharedSweep {
    sweep: Rc<SweepRun>,
    prefetch_distance: usize,
    /// Addresses of the value of each node, which its sum follows, by processor and local number; `None` for nodes
    /// inside a part.
    addresses: Vec<Vec<Option<SharedAddress>>>,
}

impl SharedSweep {
    /// Starts the program on all processors, and returns the workers.
    pub fn start(sweep: &Rc<SweepRun>, prefetch_distance: usize, world: &World) -> Vec<Rc<Worker>> {
        let space = Rc::new(Space::new(world.endpoint_map.len(), world.shared_memory.block));
        let shared =
            Rc::new(SharedSweep { sweep: sweep.clone(), prefetch_distance, addresses: allocate(sweep, &space) });
        let workers = Worker::all(world, &space);
        worker::start(world, &workers, |worker| shared.clone().run(worker));
        workers
    }

    async fn run(self: Rc<Self>, worker: Rc<Worker>) {
        let (sweep, own_id) = (&self.sweep, worker.id());
        let part = &sweep.parts[own_id];
        let nodes = part.share.borrow().nodes.len();
        let mut border_nodes: Vec<u32> = part.links.iter().flat_map(|link| link.sent_nodes.iter().copied()).collect();
        border_nodes.sort_unstable();
        border_nodes.dedup();
        self.store_values(&worker, &border_nodes).await;
        worker.barrier().await;
        sweep.timed_section.mark_start(worker.endpoint());
        for _ in 0..sweep.iterations {
            self.sweep_elements(&worker).await;
            worker.barrier().await;
            for node in &border_nodes {
                let sum_address = self.address(own_id, *node).plus(BLOCK_BYTES);
                let words = [worker.load(sum_address).await, worker.load(sum_address.plus(8)).await];
                part.share.borrow_mut().add_to_sum(*node, sum_from_memory(words));
                worker.store(sum_address, 0).await;
                worker.store(sum_address.plus(8), 0).await;
            }
            part.share.borrow_mut().update();
            worker.compute(NODE_INSTRUCTIONS * nodes as u64).await;
            self.store_values(&worker, &border_nodes).await;
            worker.barrier().await;
        }
        sweep.timed_section.mark_end(worker.endpoint());
        let amounts = part.share.borrow().amounts().to_vec();
        sweep.finish(own_id, amounts);
    }

    /// Returns the address of the value of a node at a border.
    fn address(&self, processor: usize, node: u32) -> SharedAddress {
        self.addresses[processor][node as usize].expect("a node at a border is shared")
    }

    /// Stores the values of own nodes that others need.
    async fn store_values(&self, worker: &Worker, border_nodes: &[u32]) {
        for node in border_nodes {
            let value = self.sweep.parts[worker.id()].share.borrow().value_words(*node);
            let address = self.address(worker.id(), *node);
            for (word, offset) in to_memory(value).into_iter().zip([0, 8]) {
                worker.store(address.plus(offset), word).await;
            }
        }
    }

    /// Sweeps over edges and faces.
    async fn sweep_elements(&self, worker: &Worker) {
        let part = &self.sweep.parts[worker.id()];
        let element_count = part.share.borrow().element_count();
        for element in 0..element_count {
            if self.prefetch_distance > 0 && element + self.prefetch_distance < element_count {
                self.prefetch(worker, element + self.prefetch_distance).await;
            }
            let (nodes, mut instructions) = {
                let share = part.share.borrow();
                (share.nodes_of(element).to_vec(), self.sweep.element_cycles(share.is_edge(element)))
            };
            for node in nodes.iter().filter(|node| part.share.borrow().is_ghost(**node)) {
                let address = self.address(worker.id(), *node);
                let loaded_words = [worker.load(address).await, worker.load(address.plus(8)).await];
                part.share.borrow_mut().set_value(*node, from_memory(loaded_words));
                instructions -= VALUE_LOADS;
            }
            let amounts = part.share.borrow().fluxes(element);
            let is_shared = |node: &u32| self.addresses[worker.id()][*node as usize].is_some();
            for _ in nodes.iter().filter(|node| is_shared(node)) {
                instructions = instructions - SUM_ACCESSES + LOCK_INSTRUCTIONS;
            }
            worker.compute(instructions).await;
            for (node, flux) in nodes.into_iter().zip(amounts) {
                match self.addresses[worker.id()][node as usize] {
                    None => part.share.borrow_mut().add_to_sum(node, flux),
                    Some(address) => {
                        _ = worker.update_pair(address.plus(BLOCK_BYTES), |words| add_to_words(words, flux)).await
                    }
                }
            }
        }
    }

    /// Prefetches the sums of an edge or face for writing.
    async fn prefetch(&self, worker: &Worker, element: usize) {
        let nodes = self.sweep.parts[worker.id()].share.borrow().nodes_of(element).to_vec();
        for address in nodes.into_iter().filter_map(|node| self.addresses[worker.id()][node as usize]) {
            worker.prefetch(address.plus(BLOCK_BYTES), AccessMode::Write).await;
        }
    }
}

/// Allocates the nodes at borders.
fn allocate(sweep: &SweepRun, space: &Space) -> Vec<Vec<Option<SharedAddress>>> {
    let allocate_borders = |(processor, part): (usize, &super::run::SweepPart)| {
        let mut addresses = vec![None; part.share.borrow().nodes.len()];
        for node in part.links.iter().flat_map(|link| &link.sent_nodes) {
            let address = &mut addresses[*node as usize];
            *address = address.or_else(|| Some(space.allocate(EndpointId(processor as u32), (2 * BLOCK_BYTES).into())));
        }
        addresses
    };
    let border_addresses: Vec<Vec<Option<SharedAddress>>> =
        sweep.parts.iter().enumerate().map(allocate_borders).collect();
    let with_ghosts = |(processor, part): (usize, &super::run::SweepPart)| {
        let mut addresses = border_addresses[processor].clone();
        let mut links: Vec<_> = part.links.iter().filter(|link| !link.ghosts.is_empty()).collect();
        links.sort_by_key(|link| link.ghosts.start);
        for link in links {
            let neighbour_link = sweep.parts[link.neighbour].link(processor);
            addresses
                .extend(neighbour_link.sent_nodes.iter().map(|node| border_addresses[link.neighbour][*node as usize]));
        }
        addresses
    };
    sweep.parts.iter().enumerate().map(with_ghosts).collect()
}

/// Returns three words in the layout of memory, with a free lock after them.
fn to_memory([x, y, z]: [u32; 3]) -> [u64; 2] {
    [u64::from(x) | u64::from(y) << 32, z.into()]
}

/// Returns the three words from their layout in memory.
fn from_memory([low, high]: [u64; 2]) -> [u32; 3] {
    [low as u32, (low >> 32) as u32, high as u32]
}

/// Returns the sum from its layout in memory.
fn sum_from_memory(words: [u64; 2]) -> [i32; 3] {
    from_memory(words).map(u32::cast_signed)
}

/// Returns the words of a sum in memory after `addend` is added.
fn add_to_words(sum: [u64; 2], addend: [i32; 3]) -> [u64; 2] {
    let (sum, axes) = (sum_from_memory(sum), [0, 1, 2]);
    to_memory(axes.map(|axis: usize| sum[axis].wrapping_add(addend[axis]).cast_unsigned()))
}
