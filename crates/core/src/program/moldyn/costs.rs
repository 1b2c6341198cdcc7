//! Instructions of each piece of the program, on an in-order SPARC that issues two instructions per cycle.
//!
//! The numbers were chosen by counting the instructions that a compiler of the time makes of the loops. Loads and
//! stores of shared positions are not counted, since the memory charges for them; those of private lists, velocities
//! and sums are counted. A division or a square root counts as 16 instructions, because it occupies the floating-point
//! unit for about as long. A component of a fixed-point sum takes 8 instructions to make (scale, and convert through
//! memory to two words) and 4 to add (load, add, add with carry, store). In floating point, adding takes 3; so an
//! interacting pair takes about 40 instructions more than in floating point.

/// Testing a pair, for a list or for its force: 3 subtractions, 6 comparisons with their branches (12) for the nearest
/// image, 5 operations for the square, a comparison with its branch (2), and the number of the partner and the loop
/// (4).
pub const PAIR_TEST: u64 = 26;

/// Entering a pair in a list: a store, a count and a bound.
pub const PAIR_ENTER: u64 = 4;

/// Computing the force of an interacting pair, after its test: a division (16), 8 operations for the strength and the
/// energy, 3 for the components; making 4 sums (32), and adding 3 sums at both particles and the energy once (28).
pub const PAIR_FORCE: u64 = 87;

/// Starting with the next own particle of a list: its end, its registers.
pub const PARTICLE_BEGIN: u64 = 8;

/// Clearing the sums of a particle before forces are computed: 3 stores, and the loop, which is shared by two
/// particles.
pub const CLEAR: u64 = 4;

/// Adding the sums of a particle that arrived in a step of the ring: 3 components with 2 loads, 2 additions and a store
/// each, and the loop.
pub const RING_ADD: u64 = 17;

/// Packing three numbers of a particle into a message, or unpacking them: its number, 3 loads and 3 stores of two
/// words, two addresses, and the loop.
pub const PACK: u64 = 11;

/// Adding three sums to those of a particle in shared memory, without the loads and stores of the shared sums: the
/// number of the partner, 3 loads of two words, 6 additions, and the loop.
pub const SHARED_ADD: u64 = 12;

/// Acquiring and releasing a spin lock: an exchange with memory (5), a test and a branch, and a store (3).
pub const LOCK: u64 = 10;

/// Returns the instructions to build a list. Each pair is tested once, by one of its two processors.
pub fn make_list(own_particles: usize, all_particles: usize, pairs: usize) -> u64 {
    PAIR_TEST * (own_particles as u64 * all_particles as u64 / 2) + PAIR_ENTER * pairs as u64
}

/// Returns the instructions for the forces of a list's pairs, of which `interacting` interact.
pub fn forces(all_particles: usize, own_particles: usize, pairs: usize, interacting: usize) -> u64 {
    CLEAR * all_particles as u64
        + PARTICLE_BEGIN * own_particles as u64
        + PAIR_TEST * pairs as u64
        + PAIR_FORCE * interacting as u64
}

/// Moving a particle. Each component has a conversion of a sum to floating point (6), 4 operations, 2 loads and a store
/// of its velocity and force, and 2 comparisons with their branches (4). The loop is added.
pub const DRIFT: u64 = 53;

/// Kicking a particle. Each component has a conversion of a sum to floating point (6), 4 operations, a load and a
/// store. The energy (16) and the loop are added.
pub const KICK: u64 = 54;
