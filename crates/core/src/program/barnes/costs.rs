//! Instructions of each piece of the program, on an in-order SPARC that issues two instructions per cycle.
//!
//! The numbers were chosen by counting the operations of the loops. Loads and stores of bodies and cells are not
//! counted, since the memory charges for them. A division or a square root counts as 16 instructions, because it
//! occupies the floating-point unit for about as long.

/// Descending one level in an insertion: the octant, 3 comparisons with branches and shifts (12), the middle of the
/// child (4), addresses and the loop (6).
pub const INSERT_LEVEL: u64 = 22;

/// Putting a body into a leaf: finding its index in the order of numbers (at most 8 comparisons and 4 moves), and the
/// count.
pub const INSERT_FILL: u64 = 24;

/// Dividing a full leaf: eight bodies, each with its octant (12), its leaf (6) and its index there (6), and up to eight
/// new leaves (8 each).
pub const INSERT_DIVIDE: u64 = 256;

/// A cell's moments: three divisions, and the loop.
pub const MOMENT_CELL: u64 = 54;

/// Adding one child or body to the moments: 3 multiplications, 5 additions, the loop.
pub const MOMENT_PART: u64 = 12;

/// Visiting a cell or a body in the search for a zone: an addition, two comparisons with branches, the stack.
pub const ZONE_VISIT: u64 = 12;

/// Testing a cell: its distance (8 operations), the comparison with its side (5), its cube (3 subtractions, 3
/// comparisons with branches), the middle of the child (4), the stack (8).
pub const FORCE_TEST: u64 = 34;

/// An interaction: a square root and a division (32), distance and softening (9; for a cell they are already computed),
/// 10 operations for the strength, the three sums and the potential, the count and loop (3).
pub const FORCE_INTERACTION: u64 = 54;

/// Moving a body: 6 multiplications, 6 additions, its greatest coordinate (9), the loop.
pub const ADVANCE: u64 = 24;
