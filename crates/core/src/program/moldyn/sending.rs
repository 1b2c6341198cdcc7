//! The program of a processor that sends positions and forces (Chong et al. 1998, §4.4.1): each processor receives the
//! positions that it needs from others, computes the forces of its pairs, and returns the forces on others' particles.
//! Everything for one receiver is one transfer, or is sent in messages of two particles.
//!
//! When lists are built, each processor sends all of its positions to all others; then each reports which particles it
//! will need. No barrier is needed: a processor waits for all forces on its particles before it moves them, and these
//! forces arrive after other processors have used the old positions.

use super::fixed::{self, Force, Vector};
use super::pairs::PairList;
use super::run::MoldynRun;
use super::{MoldynExchange, costs, motion};
use crate::messaging::World;
use crate::messaging::active::ActiveEndpoint;
use crate::program::collective::Collective;
use crate::program::parallel;
use crate::program::worker::POLL_INTERVAL_CYCLES;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Handler of the positions of all particles of the sender.
const ALL_POSITIONS_HANDLER: u8 = 0;
/// Handler of the numbers of the particles that the sender needs.
const NEEDED_NUMBERS_HANDLER: u8 = 1;
/// Handler of the positions that the receiver needs.
const POSITIONS_HANDLER: u8 = 2;
/// Handler of the forces on particles that the sender needed.
const FORCES_HANDLER: u8 = 3;

/// Number of words of a position or a force.
const WORDS_PER_VECTOR: usize = 6;
/// Number of particles in a message that is not a transfer: as many as its arguments hold.
const PARTICLES_PER_MESSAGE: usize = 2;
/// Number of particle numbers in a message with numbers that is not a transfer, after their total number.
const NUMBERS_PER_MESSAGE: usize = 12;

/// The part of a processor's state that messages change.
struct Inbox {
    /// First particle of each processor.
    first_particles: Vec<usize>,
    /// Positions of all particles that this processor knows.
    positions: RefCell<Vec<Vector>>,
    /// Forces of others' pairs on own particles in this iteration, by index among own particles.
    forces: RefCell<Vec<Force>>,
    /// Particles of each other processor that this processor needs.
    needed_particles: RefCell<BTreeMap<usize, Vec<u32>>>,
    /// Own particles that each other processor needs.
    requested_particles: RefCell<BTreeMap<usize, Vec<u32>>>,
    /// Lists of needed particles that have arrived in part, by sender.
    incomplete_lists: RefCell<BTreeMap<usize, Vec<u32>>>,
    /// Number of particles that have arrived, by handler. For `NEEDED_NUMBERS_HANDLER` it is the number of complete
    /// lists.
    arrived_counts: [Cell<usize>; 4],
}

/// Starts the program on all processors.
pub(super) fn start(run: &Rc<MoldynRun>, world: &World) {
    parallel::start(world, |endpoint| {
        let inbox = Rc::new(Inbox::new(run, endpoint.id().index()));
        let (handler_inbox, collective) = (inbox.clone(), Rc::<Collective>::default());
        parallel::set_handler(&endpoint, &collective, move |from, handler, words| {
            handler_inbox.handle(from.index(), handler, words)
        });
        run_program(endpoint, run.clone(), inbox)
    });
}

/// Runs the program of a processor.
async fn run_program(endpoint: Rc<ActiveEndpoint>, run: Rc<MoldynRun>, inbox: Rc<Inbox>) {
    let (liquid, own_particles) = (&run.liquid, run.split.particles(endpoint.id().index()));
    let mut velocities = run.initial_vectors.1.clone();
    let mut sums = vec![Force::default(); liquid.particle_count()];
    let (mut list, mut energies) = (PairList::default(), Vec::new());
    let mut expected_counts = [0; 2];
    endpoint.barrier().await;
    run.timed_section.mark_start(&endpoint);
    for iteration in 0..run.parameters.iterations {
        {
            let mut positions = inbox.positions.borrow_mut();
            own_particles.clone().for_each(|particle| {
                motion::drift(liquid, &mut positions[particle], &mut velocities[particle], sums[particle])
            });
        }
        compute(&endpoint, costs::DRIFT * own_particles.len() as u64).await;
        if iteration.is_multiple_of(liquid.list_every) {
            list = make_list(&endpoint, &run, &inbox, 1 + (iteration / liquid.list_every) as usize).await;
        } else {
            let requested_particles = inbox.requested_particles.borrow().clone();
            for (to, particles) in in_ring_order(endpoint.id().index(), &requested_particles) {
                let positions = encode(particles, |particle| {
                    inbox.positions.borrow()[own_particles.start + particle].map(f64::to_bits)
                });
                send_groups(&endpoint, run.parameters.exchange, to, POSITIONS_HANDLER, positions).await;
            }
            expected_counts[0] += inbox.needed_particles.borrow().values().map(Vec::len).sum::<usize>();
            endpoint
                .wait_until(|| inbox.arrived_counts[usize::from(POSITIONS_HANDLER)].get() == expected_counts[0])
                .await;
        }
        sums.fill(Force::default());
        let (interacting_pairs, potential) = list.add_forces(liquid, &inbox.positions.borrow(), &mut sums);
        compute(
            &endpoint,
            costs::forces(liquid.particle_count(), own_particles.len(), list.pair_count(), interacting_pairs),
        )
        .await;
        let needed_particles = inbox.needed_particles.borrow().clone();
        for (to, particles) in in_ring_order(endpoint.id().index(), &needed_particles) {
            let first = inbox.first_particles[to];
            let forces = encode(particles, |particle| sums[first + particle].map(i64::cast_unsigned));
            send_groups(&endpoint, run.parameters.exchange, to, FORCES_HANDLER, forces).await;
        }
        expected_counts[1] += inbox.requested_particles.borrow().values().map(Vec::len).sum::<usize>();
        endpoint.wait_until(|| inbox.arrived_counts[usize::from(FORCES_HANDLER)].get() == expected_counts[1]).await;
        for (particle, force) in own_particles.clone().zip(inbox.forces.borrow_mut().iter_mut()) {
            fixed::add(&mut sums[particle], std::mem::take(force));
        }
        compute(&endpoint, costs::KICK * own_particles.len() as u64).await;
        let kinetic_energies =
            own_particles.clone().map(|particle| motion::kick(liquid, &mut velocities[particle], sums[particle]));
        energies.push([potential, kinetic_energies.fold(0, i64::wrapping_add)]);
    }
    endpoint.barrier().await;
    run.timed_section.mark_end(&endpoint);
    let positions = inbox.positions.borrow()[own_particles.clone()].to_vec();
    run.check_result(endpoint.id().index(), (positions, velocities[own_particles].to_vec(), energies));
}

/// Builds the list of a processor's pairs from positions that each processor sends to all others, for the `round`th
/// time. Each processor then reports the particles that it needs.
async fn make_list(endpoint: &ActiveEndpoint, run: &MoldynRun, inbox: &Inbox, round: usize) -> PairList {
    let rank = endpoint.id().index();
    let (own_particles, particle_count, processors) =
        (run.split.particles(rank), run.liquid.particle_count(), run.split.parts());
    let other_processors = || (1..processors).map(|distance| (rank + distance) % processors);
    for to in other_processors() {
        let numbers: Vec<u32> = (0..own_particles.len() as u32).collect();
        let positions =
            encode(&numbers, |particle| inbox.positions.borrow()[own_particles.start + particle].map(f64::to_bits));
        send_groups(endpoint, run.parameters.exchange, to, ALL_POSITIONS_HANDLER, positions).await;
    }
    endpoint
        .wait_until(|| {
            inbox.arrived_counts[usize::from(ALL_POSITIONS_HANDLER)].get()
                == round * (particle_count - own_particles.len())
        })
        .await;
    let list = PairList::new(&run.liquid, &inbox.positions.borrow(), own_particles.clone());
    compute(endpoint, costs::make_list(own_particles.len(), particle_count, list.pair_count())).await;
    let mut needed = BTreeMap::<usize, Vec<u32>>::new();
    for &particle in list.remote_partners() {
        let owner = run.split.owner(particle as usize);
        needed.entry(owner).or_default().push(particle - inbox.first_particles[owner] as u32);
    }
    *inbox.needed_particles.borrow_mut() = needed.clone();
    for to in other_processors() {
        let numbers = needed.get(&to).map_or(&[][..], |numbers| numbers);
        let parts: Vec<&[u32]> = match run.parameters.exchange {
            MoldynExchange::Transfers => vec![numbers],
            _ => numbers.chunks(NUMBERS_PER_MESSAGE).chain(numbers.is_empty().then_some(numbers)).collect(),
        };
        for part in parts {
            compute(endpoint, costs::PACK * part.len() as u64).await;
            parallel::send(endpoint, to, NEEDED_NUMBERS_HANDLER, &[&[numbers.len() as u32], part].concat()).await;
        }
    }
    endpoint
        .wait_until(|| inbox.arrived_counts[usize::from(NEEDED_NUMBERS_HANDLER)].get() == round * (processors - 1))
        .await;
    list
}

/// Returns the entries of a map in ring order, starting after `own_rank`, so that not all processors send to the same
/// one at first.
fn in_ring_order(
    own_rank: usize,
    particles_by_processor: &BTreeMap<usize, Vec<u32>>,
) -> impl Iterator<Item = (usize, &[u32])> {
    let (lower_ranks, higher_ranks): (Vec<_>, Vec<_>) =
        particles_by_processor.iter().partition(|(to, _)| **to < own_rank);
    higher_ranks.into_iter().chain(lower_ranks).map(|(to, particles)| (*to, &particles[..]))
}

/// Returns the words of a message with three numbers of each particle.
fn encode(particles: &[u32], numbers: impl Fn(usize) -> [u64; 3]) -> Vec<u32> {
    let numbers = particles.iter().flat_map(|particle| numbers(*particle as usize));
    numbers.flat_map(|bits| [bits as u32, (bits >> 32) as u32]).collect()
}

/// Sends the numbers of particles in one or several messages. Each begins with the index of its first particle.
async fn send_groups(endpoint: &ActiveEndpoint, exchange: MoldynExchange, to: usize, handler: u8, words: Vec<u32>) {
    let words_per_message =
        if exchange == MoldynExchange::Transfers { words.len() } else { PARTICLES_PER_MESSAGE * WORDS_PER_VECTOR };
    for (number, part) in words.chunks(words_per_message.max(1)).enumerate() {
        compute(endpoint, costs::PACK * (part.len() / WORDS_PER_VECTOR) as u64).await;
        let first = number * words_per_message / WORDS_PER_VECTOR;
        parallel::send(endpoint, to, handler, &[&[first as u32], part].concat()).await;
    }
}

/// Computes for `cycles`. If messages do not interrupt, polls the network from time to time.
async fn compute(endpoint: &ActiveEndpoint, cycles: u64) {
    let mut remaining_cycles = cycles;
    while remaining_cycles > 0 {
        let part_cycles =
            if endpoint.is_interrupted() { remaining_cycles } else { remaining_cycles.min(POLL_INTERVAL_CYCLES) };
        parallel::compute(endpoint, part_cycles).await;
        remaining_cycles -= part_cycles;
        if remaining_cycles > 0 {
            endpoint.poll().await;
        }
    }
}

impl Inbox {
    fn new(run: &MoldynRun, own_rank: usize) -> Inbox {
        let split = &run.split;
        Inbox {
            first_particles: (0..split.parts()).map(|processor| split.particles(processor).start).collect(),
            positions: RefCell::new(run.initial_vectors.0.clone()),
            forces: RefCell::new(vec![Force::default(); split.particles(own_rank).len()]),
            needed_particles: RefCell::default(),
            requested_particles: RefCell::default(),
            incomplete_lists: RefCell::default(),
            arrived_counts: Default::default(),
        }
    }

    /// Handles a message, and returns the number of instructions that this takes.
    fn handle(&self, from: usize, handler: u8, words: &[u32]) -> u64 {
        let arrived_count = &self.arrived_counts[usize::from(handler)];
        if handler == NEEDED_NUMBERS_HANDLER {
            let mut incomplete_lists = self.incomplete_lists.borrow_mut();
            let list = incomplete_lists.entry(from).or_default();
            list.extend(&words[1..]);
            if list.len() == words[0] as usize {
                arrived_count.set(arrived_count.get() + 1);
                self.requested_particles.borrow_mut().insert(from, std::mem::take(list));
            }
            return costs::PACK * (words.len() as u64 - 1);
        }
        let (first, particles) = (words[0] as usize, words[1..].chunks(WORDS_PER_VECTOR));
        let count = particles.len();
        arrived_count.set(arrived_count.get() + count);
        for (index, words) in (first..).zip(particles) {
            self.store(from, handler, index, fixed::from_words(words));
        }
        count as u64 * if handler == FORCES_HANDLER { costs::RING_ADD } else { costs::PACK }
    }

    /// Stores the position of the particle with this index in the sender's list of particles, or adds the force on it.
    fn store(&self, from: usize, handler: u8, index: usize, numbers: Force) {
        let position = || numbers.map(|bits| f64::from_bits(bits.cast_unsigned()));
        match handler {
            ALL_POSITIONS_HANDLER => self.positions.borrow_mut()[self.first_particles[from] + index] = position(),
            POSITIONS_HANDLER => {
                let particle = self.needed_particles.borrow()[&from][index] as usize;
                self.positions.borrow_mut()[self.first_particles[from] + particle] = position();
            }
            _ => {
                let particle = self.requested_particles.borrow()[&from][index] as usize;
                fixed::add(&mut self.forces.borrow_mut()[particle], numbers);
            }
        }
    }
}
