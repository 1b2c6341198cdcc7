//! The program of a processor that sends positions and forces (Chong et al. 1998, §4.4.1): each processor has the
//! positions that it needs of others sent to it, computes the forces of its pairs, and returns what others' particles
//! feel. All that goes to one is one transfer, or goes in messages of two particles.
//!
//! When lists are made, all send all to all; then each says which particles it will need. No barrier is needed: who
//! waits for all forces on its particles moves none of them before all that need them are done with where they were.

use super::fixed::{self, Force, Vector};
use super::pairs::PairList;
use super::run::Run;
use super::{Carrying, costs, motion};
use crate::messaging::World;
use crate::messaging::active::Active;
use crate::program::collective::Collective;
use crate::program::parallel;
use crate::program::worker::POLL_EVERY;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Positions of all particles of the sender.
const ALL: u8 = 0;
/// Which particles the sender needs.
const WANTED: u8 = 1;
/// Positions of those that the receiver needs.
const POSITIONS: u8 = 2;
/// Forces on those that the sender needed.
const FORCES: u8 = 3;

/// Words of a position or a force.
const WORDS: usize = 6;
/// Particles of a message, where not all go in one: as many as its arguments take.
const GROUP: usize = 2;
/// Numbers of particles in such a message, behind how many there are.
const NUMBERS: usize = 12;

/// What messages change of a processor.
struct Inbox {
    /// The first own particle of each processor.
    firsts: Vec<usize>,
    /// Of all particles, as far as this processor knows.
    positions: RefCell<Vec<Vector>>,
    /// What others' pairs do to own particles in this iteration, from the first.
    forces: RefCell<Vec<Force>>,
    /// By processor: which of its particles are needed here, and which of the own it needs.
    needed: RefCell<BTreeMap<usize, Vec<u32>>>,
    wanted: RefCell<BTreeMap<usize, Vec<u32>>>,
    /// What has come of lists that are not whole yet.
    arriving: RefCell<BTreeMap<usize, Vec<u32>>>,
    /// Particles that have come, by what was said of them; and of lists, how many are whole.
    came: [Cell<usize>; 4],
}

/// Starts it on all.
pub(super) fn start(run: &Rc<Run>, world: &World) {
    parallel::start(world, |end| {
        let inbox = Rc::new(Inbox::new(run, end.id().index()));
        let (taking, collective) = (inbox.clone(), Rc::<Collective>::default());
        parallel::take_by(&end, &collective, move |from, what, words| taking.take(from.index(), what, words));
        program(end, run.clone(), inbox)
    });
}

/// The program of a processor.
async fn program(end: Rc<Active>, run: Rc<Run>, inbox: Rc<Inbox>) {
    let (liquid, own) = (&run.liquid, run.split.of(end.id().index()));
    let mut velocities = run.begin.1.clone();
    let mut sums = vec![Force::default(); liquid.particles()];
    let (mut list, mut energies) = (PairList::default(), Vec::new());
    let mut awaited = [0; 2];
    end.barrier().await;
    run.span.begun(&end);
    for iteration in 0..run.parameters.iterations {
        {
            let mut positions = inbox.positions.borrow_mut();
            own.clone().for_each(|at| motion::drift(liquid, &mut positions[at], &mut velocities[at], sums[at]));
        }
        compute(&end, costs::DRIFT * own.len() as u64).await;
        if iteration.is_multiple_of(liquid.list_every) {
            list = make_list(&end, &run, &inbox, 1 + (iteration / liquid.list_every) as usize).await;
        } else {
            let wanted = inbox.wanted.borrow().clone();
            for (to, particles) in after(end.id().index(), &wanted) {
                let positions = words_of(particles, |at| inbox.positions.borrow()[own.start + at].map(f64::to_bits));
                say(&end, run.parameters.sends, to, POSITIONS, positions).await;
            }
            awaited[0] += inbox.needed.borrow().values().map(Vec::len).sum::<usize>();
            end.wait_until(|| inbox.came[usize::from(POSITIONS)].get() == awaited[0]).await;
        }
        sums.fill(Force::default());
        let (interacting, potential) = list.forces(liquid, &inbox.positions.borrow(), &mut sums);
        compute(&end, costs::forces(liquid.particles(), own.len(), list.pairs(), interacting)).await;
        let needed = inbox.needed.borrow().clone();
        for (to, particles) in after(end.id().index(), &needed) {
            let first = inbox.firsts[to];
            let forces = words_of(particles, |at| sums[first + at].map(i64::cast_unsigned));
            say(&end, run.parameters.sends, to, FORCES, forces).await;
        }
        awaited[1] += inbox.wanted.borrow().values().map(Vec::len).sum::<usize>();
        end.wait_until(|| inbox.came[usize::from(FORCES)].get() == awaited[1]).await;
        for (at, force) in own.clone().zip(inbox.forces.borrow_mut().iter_mut()) {
            fixed::add(&mut sums[at], std::mem::take(force));
        }
        compute(&end, costs::KICK * own.len() as u64).await;
        let kicked = own.clone().map(|at| motion::kick(liquid, &mut velocities[at], sums[at]));
        energies.push([potential, kicked.fold(0, i64::wrapping_add)]);
    }
    end.barrier().await;
    run.span.over(&end);
    let positions = inbox.positions.borrow()[own.clone()].to_vec();
    run.end(end.id().index(), (positions, velocities[own].to_vec(), energies));
}

/// The list of a processor's pairs, from the positions that all send to all; the `round`th. Each then says what it needs.
async fn make_list(end: &Active, run: &Run, inbox: &Inbox, round: usize) -> PairList {
    let (own, all, ends) = (run.split.of(end.id().index()), run.liquid.particles(), run.split.parts());
    let others = || (1..ends).map(|after| (end.id().index() + after) % ends);
    for to in others() {
        let numbers: Vec<u32> = (0..own.len() as u32).collect();
        let positions = words_of(&numbers, |at| inbox.positions.borrow()[own.start + at].map(f64::to_bits));
        say(end, run.parameters.sends, to, ALL, positions).await;
    }
    end.wait_until(|| inbox.came[usize::from(ALL)].get() == round * (all - own.len())).await;
    let list = PairList::new(&run.liquid, &inbox.positions.borrow(), own.clone());
    compute(end, costs::make_list(own.len(), all, list.pairs())).await;
    let mut needed = BTreeMap::<usize, Vec<u32>>::new();
    for &at in list.remote() {
        let of = run.split.processor(at as usize);
        needed.entry(of).or_default().push(at - inbox.firsts[of] as u32);
    }
    *inbox.needed.borrow_mut() = needed.clone();
    for to in others() {
        let numbers = needed.get(&to).map_or(&[][..], |numbers| numbers);
        let parts: Vec<&[u32]> = match run.parameters.sends {
            Carrying::Transfers => vec![numbers],
            _ => numbers.chunks(NUMBERS).chain(numbers.is_empty().then_some(numbers)).collect(),
        };
        for part in parts {
            compute(end, costs::PACK * part.len() as u64).await;
            parallel::send(end, to, WANTED, &[&[numbers.len() as u32], part].concat()).await;
        }
    }
    end.wait_until(|| inbox.came[usize::from(WANTED)].get() == round * (ends - 1)).await;
    list
}

/// Who gets something, beginning with the processor after this one, so that not all send to the same one.
fn after(own: usize, all: &BTreeMap<usize, Vec<u32>>) -> impl Iterator<Item = (usize, &[u32])> {
    let (before, after): (Vec<_>, Vec<_>) = all.iter().partition(|(to, _)| **to < own);
    after.into_iter().chain(before).map(|(to, particles)| (*to, &particles[..]))
}

/// Three numbers of each particle, as they travel.
fn words_of(particles: &[u32], of: impl Fn(usize) -> [u64; 3]) -> Vec<u32> {
    particles.iter().flat_map(|at| of(*at as usize)).flat_map(|bits| [bits as u32, (bits >> 32) as u32]).collect()
}

/// Sends what is said of particles, in one message or in several; each says with which particle it begins.
async fn say(end: &Active, sends: Carrying, to: usize, what: u8, words: Vec<u32>) {
    let each = if sends == Carrying::Transfers { words.len() } else { GROUP * WORDS };
    for (number, part) in words.chunks(each.max(1)).enumerate() {
        compute(end, costs::PACK * (part.len() / WORDS) as u64).await;
        let first = number * each / WORDS;
        parallel::send(end, to, what, &[&[first as u32], part].concat()).await;
    }
}

/// Computes; where nothing interrupts, it looks at the network now and then.
async fn compute(end: &Active, cycles: u64) {
    let mut left = cycles;
    while left > 0 {
        let part = if end.is_interrupted() { left } else { left.min(POLL_EVERY) };
        parallel::compute(end, part).await;
        left -= part;
        if left > 0 {
            end.poll().await;
        }
    }
}

impl Inbox {
    fn new(run: &Run, own: usize) -> Inbox {
        let split = &run.split;
        Inbox {
            firsts: (0..split.parts()).map(|processor| split.of(processor).start).collect(),
            positions: RefCell::new(run.begin.0.clone()),
            forces: RefCell::new(vec![Force::default(); split.of(own).len()]),
            needed: RefCell::default(),
            wanted: RefCell::default(),
            arriving: RefCell::default(),
            came: Default::default(),
        }
    }

    /// Takes a message; the instructions that it costs.
    fn take(&self, from: usize, what: u8, words: &[u32]) -> u64 {
        let came = &self.came[usize::from(what)];
        if what == WANTED {
            let mut arriving = self.arriving.borrow_mut();
            let list = arriving.entry(from).or_default();
            list.extend(&words[1..]);
            if list.len() == words[0] as usize {
                came.set(came.get() + 1);
                self.wanted.borrow_mut().insert(from, std::mem::take(list));
            }
            return costs::PACK * (words.len() as u64 - 1);
        }
        let (first, particles) = (words[0] as usize, words[1..].chunks(WORDS));
        let count = particles.len();
        came.set(came.get() + count);
        for (at, words) in (first..).zip(particles) {
            self.put(from, what, at, fixed::of_words(words));
        }
        count as u64 * if what == FORCES { costs::RING_ADD } else { costs::PACK }
    }

    /// What was said of a particle, the sender's or the receiver's `at`th of those in question.
    fn put(&self, from: usize, what: u8, at: usize, said: Force) {
        let position = || said.map(|bits| f64::from_bits(bits.cast_unsigned()));
        match what {
            ALL => self.positions.borrow_mut()[self.firsts[from] + at] = position(),
            POSITIONS => {
                let particle = self.needed.borrow()[&from][at] as usize;
                self.positions.borrow_mut()[self.firsts[from] + particle] = position();
            }
            _ => {
                let particle = self.wanted.borrow()[&from][at] as usize;
                fixed::add(&mut self.forces.borrow_mut()[particle], said);
            }
        }
    }
}
