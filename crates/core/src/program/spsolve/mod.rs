//! Spsolve: a sparse triangular solve, as active messages that go down the edges of a graph without circles
//! (Chong et al. 1995; Mukherjee and Hill 1998, Table 4; `iccg` of Chong et al. 1998, §4.3).
//!
//! | file | holds |
//! |---|---|
//! | `factor.rs` | incomplete Cholesky, which makes a triangular matrix of a symmetric one |
//! | `dag.rs` | who waits for whom; a serial solve; levels |
//! | `rows.rs` | a processor's rows, and what a message does to them |
//! | `parameters.rs` | the parameters, the matrix of a file or as it is drawn |
//! | `run.rs` | the program of a processor, the check of the result |
//! | `shared.rs` | the same over shared memory |
//!
//! A row waits for the rows that its entries name. When all of them are known, so is its unknown; for each
//! row that waits for it, it is multiplied by the entry and added there: on the same processor at once, on
//! another by a message of 12 bytes, a place and a double.
//!
//! An iteration solves forward and then backward with an incomplete factor, as the preconditioner of conjugate
//! gradients does, and then counts the unknowns that changed, by a reduction, to see whether it has converged; there is a
//! barrier before each solve.
//! A handler stores what has come; rows that became ready are solved by the program, between the sends of which
//! it polls. The result must be bit for bit that of a serial run.
//!
//! **Bit-equal** to the serial solve, in whatever order messages come: a contribution is stored at its own
//! place, and when the last one has come all are subtracted in the order of columns, as in the textbook.
//! There is still one addition for each message, but it is done late, in a burst. It costs 8 bytes for each
//! edge, and a store and a load for each message more than to add at once would, where both come to one cache
//! block. (Exact accumulation in fixed point would need no place for each edge, but many words for each row,
//! since entries span many powers of two.)
//!
//! Contributions may be buffered, a buffer for each processor that gets some, until one is full or its processor has
//! nothing else to do (`sends = "buffers"`); each is then padded to two double words, as memory is moved by these.
//!
//! Over shared memory (`sends = "changes"`) who knows an unknown subtracts what it contributes itself, where the row is;
//! those sums are in the order in which they come, and differ from a serial run's by roundings.
//!
//! Leaves out: how rows are best given to processors, the conjugate gradients around the solve, and the
//! paper's matrix, of which 3720 elements are all that is known.

mod dag;
mod factor;
mod parameters;
mod rows;
mod run;
mod shared;
#[cfg(test)]
mod tests;

pub use parameters::{Contributing, Factored, Ordering, RowsTo, Spsolve};

use rows::{Contribution, RowShare};

/// Instructions to take a contribution: loads of place and value (3 words: 2), of the row's number and what
/// it still waits for (2); stores of the value and the new count (2); two addresses, a subtraction, a branch.
/// (Chosen: counted by hand, of an in-order processor; without calling the handler, which messaging has.)
const TAKE_INSTRUCTIONS: u64 = 4 + 2 + 4;
/// Instructions to add a contribution once all are there: a load, the addition, two of the loop, which
/// the loads share. (Chosen, as above.)
const ADD_INSTRUCTIONS: u64 = 4;
/// Instructions to solve a row, beside adding: out of the queue of those that are ready (4); right-hand
/// side, reciprocal, begin and end of contributions and edges (6 loads); a multiplication, a store of
/// the unknown, a new count for the next solve (2), four of calls and branches. (Chosen, as above.)
const ROW_INSTRUCTIONS: u64 = 4 + 6 + 8;
/// Instructions to send a contribution on, or to call `take` with it: loads of whom, where and the entry
/// (3), the multiplication, a branch on whose it is, three of the loop; without sending, which messaging has.
/// (Chosen, as above.)
const EDGE_INSTRUCTIONS: u64 = 3 + 1 + 1 + 3;
