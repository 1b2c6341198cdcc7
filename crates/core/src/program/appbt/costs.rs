//! Instructions of each piece of the program, on an in-order SPARC that issues two of them in a cycle.
//!
//! Chosen by counting the operations of the loops. Loads and stores of states, residuals and matrices are left out,
//! since the memory charges for those; those of intermediate values are counted, since a SPARC has 16 double-precision
//! registers and a matrix has 25 values. A division counts as 16 instructions, because it occupies the floating-point
//! unit for about as long.

/// The right-hand side of a point: six fluxes with a division (16), 20 operations and 4 copies each
/// (240); by axis and quantity 8 operations (120); the driving term, its norm and the loop (30).
pub const RESIDUAL: u64 = 390;

/// Elimination at a point: two Jacobians with a division (16), 55 operations and 25 stores each (192), scaled (60); a
/// matrix times a matrix, 250 operations, 150 loads and 25 stores (425); a matrix times a vector (80); the solution for
/// a matrix and a vector, 5 divisions (80), 5 pivots scaled (40), with 4 rows of 8 products on average, each a
/// multiplication, a subtraction and a load (480), and 30 values stored (150); the loop (10).
pub const FORWARD: u64 = 1517;

/// Substitution at a point: a matrix times a vector, 50 operations, and the loop.
pub const BACKWARD: u64 = 60;

/// Adding a solution to a state: 5 operations, and the loop.
pub const ADD: u64 = 9;

/// Loading or incrementing a counter of chunks: an address, a comparison, a branch.
pub const COUNTER: u64 = 4;
