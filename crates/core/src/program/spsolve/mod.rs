//! Spsolve: a sparse triangular solve by active messages along the edges of a directed acyclic graph (Chong et al.
//! 1995; Mukherjee and Hill 1998, Table 4; `iccg` of Chong et al. 1998, §4.3).
//!
//! | file | holds |
//! |---|---|
//! | `factor.rs` | incomplete Cholesky factorisation of a symmetric matrix |
//! | `dag.rs` | the dependence graph, a serial solve, levels |
//! | `rows.rs` | a processor's rows, and the contributions that they receive and send |
//! | `parameters.rs` | the parameters, and the matrix, from a file or generated |
//! | `run.rs` | the program of a processor, the check of the result |
//! | `shared.rs` | the solve over shared memory |
//!
//! A row waits for the rows that its entries refer to. When the unknowns of all of them are known, its own can be
//! computed. The unknown is then multiplied by the entry of each row that waits for it, and contributed to that row: on
//! the same processor directly, to another processor by a message of 12 bytes, an index and a double.
//!
//! An iteration solves forward and then backward with an incomplete factor, as the preconditioner of the conjugate
//! gradient method does, and then counts the unknowns that changed, by a reduction, as a test of convergence. There is
//! a barrier before each solve. A handler stores the contribution that arrived; rows that became ready are solved by
//! the program, which polls between sends. The result must be bit for bit that of a serial run.
//!
//! **The result is bit-equal** to that of the serial solve for any order of messages: each contribution is stored in a
//! slot of its own, and when the last one has arrived all are subtracted in the order of columns, as in the textbook.
//! There is still one addition for each message, but additions happen late and in bursts. This costs 8 bytes for each
//! edge, and a store and a load for each message more than immediate addition, where both go to one cache block. (Exact
//! fixed-point accumulation would need no slot for each edge, but many words for each row, since entries span many
//! powers of two.)
//!
//! Contributions may be buffered, in one buffer for each receiving processor, until it is full or the processor has no
//! other work (`exchange = "buffers"`). Each contribution is then padded to two double words, the unit in which memory is
//! moved.
//!
//! Over shared memory (`exchange = "changes"`) the processor that computes an unknown itself subtracts its contributions
//! from the rows that wait. These sums depend on the order of arrival, and differ from those of a serial run by
//! rounding.
//!
//! Leaves out an optimised assignment of rows to processors, the conjugate gradient iteration around the solve, and the
//! paper's matrix, of which only the number of elements, 3720, is known.
//! paper's matrix, of which 3720 elements are all that is known.

mod dag;
mod factor;
mod parameters;
mod rows;
mod run;
mod shared;
#[cfg(test)]
mod tests;

pub use parameters::{Exchange, Factored, Ordering, RowAssignment, Spsolve};

use rows::{Contribution, RowShare};

/// Instructions to receive a contribution: loads of slot and value (3 words: 2), of the row's number and of the number
/// of contributions that it still waits for (2); stores of the value and the new number (2); two addresses, a
/// subtraction, a branch. (Chosen: counted by hand for an in-order processor; the call of the handler is part of
/// messaging.)
const RECEIVE_INSTRUCTIONS: u64 = 4 + 2 + 4;
/// Instructions to add a contribution once all have arrived: a load, the addition, two of the loop, which the loads
/// share. (Chosen, as above.)
const ADD_INSTRUCTIONS: u64 = 4;
/// Instructions to solve a row, apart from the additions: removal from the queue of ready rows (4); right-hand side,
/// reciprocal, begin and end of contributions and edges (6 loads); a multiplication, a store of the unknown, a new
/// count for the next solve (2), four of calls and branches. (Chosen, as above.)
const ROW_INSTRUCTIONS: u64 = 4 + 6 + 8;
/// Instructions to send a contribution, or to deliver it locally: loads of processor, slot and entry (3), the
/// multiplication, a branch on the processor, three of the loop; the send itself is part of messaging. (Chosen, as
/// above.)
const EDGE_INSTRUCTIONS: u64 = 3 + 1 + 1 + 3;
