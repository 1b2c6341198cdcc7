//! Instructions of each piece, on an in-order SPARC that issues two of them in a cycle.
//!
//! Chosen, by counting what a compiler of the time makes of the loops. Loads and stores of shared positions are
//! not among them (the memory charges for those), those of lists, velocities and sums are: they are
//! the processor's own. A division or a square root counts as 16, for it holds the
//! floating-point unit about as long. A sum in fixed point costs 8 instructions a component to make (scale, convert
//! through memory to two words) and 4 to add (load, add, add with carry, store), where floating
//! point costs 3 to add: an interacting pair takes about 40 instructions more than without.

/// To test a pair, for a list or for its force: 3 subtractions, 6 comparisons with their branches (12) for the
/// nearest image, 5 operations for the square, a comparison with its branch (2), number of the
/// partner and loop (4).
pub const PAIR_TEST: u64 = 26;

/// To enter a pair in a list: a store, a count and a bound.
pub const PAIR_ENTER: u64 = 4;

/// The force of a pair that interacts, after its test: a division (16), 8 operations for the strength
/// and the energy, 3 for the components; 4 sums made (32), 3 added at both ends and the energy's
/// once (28).
pub const PAIR_FORCE: u64 = 87;

/// To begin with another own particle in a list: its end, its registers.
pub const PARTICLE_BEGIN: u64 = 8;

/// To clear the sums of a particle before forces are computed: 3 stores, and the loop over two of them.
pub const CLEAR: u64 = 4;

/// To add the sums of a particle that came in a step of the ring: 3 components with 2 loads, 2
/// additions and a store each, and the loop.
pub const RING_ADD: u64 = 17;

/// To put three numbers of a particle into a message, or where they belong: its number, 3 loads and 3 stores of two
/// words, two addresses, and the loop.
pub const PACK: u64 = 11;

/// To add three sums to a particle's that lie in shared memory, but for the loads and stores of these: the number of the
/// partner, 3 loads of two words, 6 additions, and the loop.
pub const SHARED_ADD: u64 = 12;

/// To take a spin lock and give it back: an exchange of memory (5), a test and a branch, a store (3).
pub const LOCK: u64 = 10;

/// To make a list: each pair is tested once, by either of its processors.
pub fn make_list(own: usize, all: usize, pairs: usize) -> u64 {
    PAIR_TEST * (own as u64 * all as u64 / 2) + PAIR_ENTER * pairs as u64
}

/// The forces of a list's pairs, of which so many interact.
pub fn forces(all: usize, own: usize, pairs: usize, interacting: usize) -> u64 {
    CLEAR * all as u64 + PARTICLE_BEGIN * own as u64 + PAIR_TEST * pairs as u64 + PAIR_FORCE * interacting as u64
}

/// To move a particle: by component a sum to floating point (6), 4 operations, 2 loads and a store of its velocity
/// and force, 2 comparisons with their branches (4); and the loop.
pub const DRIFT: u64 = 53;

/// To kick a particle: by component a sum to floating point (6), 4 operations, a load and a store;
/// its energy (16); and the loop.
pub const KICK: u64 = 54;
