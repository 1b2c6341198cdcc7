//! Instructions of each piece of the program, on an in-order SPARC that issues two instructions per cycle.
//!
//! The numbers were chosen by counting the operations of the loops. Loads and stores of states, residuals and matrices
//! are not counted, since the memory charges for them. Loads and stores of intermediate values are counted, since a
//! SPARC has 16 double-precision registers and a matrix has 25 values. A division counts as 16 instructions, because it
//! occupies the floating-point unit for about as long.

/// Computing the right-hand side of a point. It has six fluxes with a division (16), 20 operations and 4 copies each
/// (240); 8 operations for each axis and quantity (120); and the driving term, its norm and the loop (30).
pub const RESIDUAL: u64 = 390;

/// Elimination at a point. It has two Jacobians with a division (16), 55 operations and 25 stores each (192), and their
/// scaling (60); a product of matrices with 250 operations, 150 loads and 25 stores (425); a product of a matrix and a
/// vector (80); the solution for a matrix and a vector with 5 divisions (80), the scaling of 5 pivots (40), 4 rows of 8
/// products on average, each with a multiplication, a subtraction and a load (480), and 30 stores (150); and the loop
/// (10).
pub const FORWARD: u64 = 1517;

/// Substitution at a point: a product of a matrix and a vector with 50 operations, and the loop.
pub const BACKWARD: u64 = 60;

/// Adding a solution to a state: 5 operations, and the loop.
pub const ADD: u64 = 9;

/// Loading or incrementing a counter of chunks: an address, a comparison and a branch.
pub const COUNTER: u64 = 4;
