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
//! A row waits for the rows that its entries refer to. When the unknowns of all these rows are known, the row's own
//! unknown can be computed. It is then multiplied by the entry of each row that waits for it, and contributed to that
//! row. A row on the same processor gets the contribution directly, a row on another processor in a message of 12
//! bytes, which contains an index and a double.
//!
//! An iteration solves forward and then backward with an incomplete factor, as the preconditioner of the conjugate
//! gradient method does, and then counts the unknowns that changed, by a reduction, as a test of convergence. There is
//! a barrier before each solve. A handler stores a contribution that has arrived. The program solves rows that have
//! become ready, and polls between sends. The result must equal that of a serial run bit for bit.
//!
//! **The result is bit-equal** to that of the serial solve for any order of messages: each contribution has a slot, and
//! when the last one has arrived, all are subtracted in the order of columns, as in the textbook. There is still one
//! subtraction for each message, but subtractions occur late and in bursts. Compared with immediate subtraction, this
//! needs 8 more bytes for each edge, and one more store and load for each message. (Exact fixed-point accumulation
//! would need no slot for each edge, but many words for each row, since entries span many powers of two.)
//!
//! Contributions may be buffered. Each processor then has one buffer for each receiving processor, and sends it when it
//! is full or the processor has no other work (`exchange = "buffers"`). Each contribution is then padded to two double
//! words, the unit in which memory is moved.
//!
//! Over shared memory (`exchange = "changes"`), the processor that computes an unknown subtracts its contributions from
//! the waiting rows itself. These sums depend on the order of arrival, and differ from those of a serial run by
//! rounding errors.
//!
//! The module leaves out an optimised assignment of rows to processors, the conjugate gradient iteration around the
//! solve, and the paper's matrix, of which only the number of elements, 3720, is known.

mod dag;
mod factor;
mod parameters;
mod rows;
mod run;
mod shared;
#[cfg(test)]
mod tests;

pub use parameters::{Exchange, FactoredMatrix, Ordering, RowAssignment, Spsolve};

use rows::{Contribution, RowShare};

/// Instructions to receive a contribution: loads of its slot and value (2 for 3 words), of the row's number and of the
/// number of contributions that the row still waits for (2); stores of the value and of the new number (2); two
/// addresses, a subtraction and a branch. (Chosen: counted by hand for an in-order processor; the call of the handler
/// is part of messaging.)
const RECEIVE_INSTRUCTIONS: u64 = 4 + 2 + 4;
/// Instructions to add a contribution when all have arrived: a load, the addition, and two for the loop, which two
/// additions share. (Chosen: counted by hand for an in-order processor.)
const ADD_INSTRUCTIONS: u64 = 4;
/// Instructions to solve a row, in addition to adding its contributions: removal from the queue of ready rows (4);
/// right-hand side, reciprocal, begin and end of contributions and edges (6 loads); a multiplication, a store of the
/// unknown, a new count for the next solve (2), four for calls and branches. (Chosen: counted by hand for an in-order
/// processor.)
const ROW_INSTRUCTIONS: u64 = 4 + 6 + 8;
/// Instructions to send a contribution, or to deliver it locally: loads of processor, slot and entry (3), the
/// multiplication, a branch on the processor, three for the loop; the send itself is part of messaging.
/// (Chosen: counted by hand for an in-order processor.)
const EDGE_INSTRUCTIONS: u64 = 3 + 1 + 1 + 3;
