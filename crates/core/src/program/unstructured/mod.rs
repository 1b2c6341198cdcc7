//! Unstructured: a sweep of fluid dynamics over a mesh of tetrahedra (Mukherjee et al. 1995; Mukherjee and
//! Hill 1998, Table 4; `unstruc` of Chong et al. 1998, §4.2).
//!
//! | file | holds |
//! |---|---|
//! | `fluid.rs` | the mesh as finite volumes, the flow at first, and a serial run |
//! | `flux.rs` | what passes an edge and a face, and what a node becomes |
//! | `share.rs` | a processor's part: its nodes, edges and faces, its ghosts, what it sends |
//! | `run.rs` | parameters, the program of a processor, the check of the result |
//! | `by_node.rs` | the program that sends each node's value, and each edge's sums, in a message |
//! | `shared.rs` | the same over shared memory |
//!
//! Around each node lies a volume that holds momentum, three numbers of single precision: the viscous
//! Burgers equation, in finite volumes. An iteration: each edge passes a flux from one of its ends to the
//! other, each face of the surface lets one out of its three nodes, each node adds up and is updated.
//!
//! **In parallel** an edge or face belongs to the processor of its first node. Before a sweep a processor
//! needs the values of its ghosts, the nodes of others at its edges and faces; after it, it sends the sums
//! for these back, a batch to each neighbour both times, of three words a node (with 150 nodes at a border and a
//! header that is the paper's longest message, of some 1800 bytes). It needs no barrier: who
//! has sent its sums gets no new values before they were used, and the other way round.
//!
//! Instead of batches a message may bring a node's value, and what an edge or face adds to it as soon as that is known
//! (`sends = "nodes"`); or values and sums of nodes at borders lie in shared memory (`sends = "loads"`), where who
//! computes an edge changes them under a lock (Chong et al., §4.2).
//!
//! **Bit-equal** to the serial run for any partition and order: a flux is rounded to a whole number of
//! units of 2^-24 and sums are of integers, in which the order of additions does not show. It costs a
//! conversion for each number of a flux and for each of a new value; it gains conservation to the bit.
//!
//! Leaves out: pressure and density, second order, the paper's code (which is not public). Of the numbers
//! of the paper it has nodes, edges, faces and iterations; Chong et al. have 75 floating-point operations
//! an edge and three results a node: ours are [`EDGE_FLOPS`] and three.

mod by_node;
mod fluid;
mod flux;
mod run;
mod share;
mod shared;
#[cfg(test)]
mod tests;

pub use fluid::Fluid;
pub use run::{Passing, Unstructured};
pub use share::{FluidShare, ShareLink};

/// Iterations of the paper.
const ITERATIONS: u64 = 10;

/// Floating-point operations of an edge: two scalar products (10), the larger of their sizes and its use
/// (5), each number of the flux (7 times 3), conversions of these (3).
const EDGE_FLOPS: u64 = 10 + 5 + 21 + 3;
/// Instructions of an edge but for these. Loads (21): two node numbers, three values of each node, area and
/// conductance (4), three sums of each node, three of numbers on their way from floating-point to integer
/// registers, which SPARC has by memory alone. Stores (9): six sums, three on that way. Others (17): six
/// additions, six addresses, two of branches, three of the loop. (Chosen: counted by hand, of an in-order
/// processor without fused operations; that operands hit the cache is for the simulator to know.)
const EDGE_OTHERS: u64 = 21 + 9 + 17;
/// Instructions of an edge.
const EDGE_INSTRUCTIONS: u64 = EDGE_FLOPS + EDGE_OTHERS;
/// Instructions of a face. Floating-point (21): the mean of three nodes (9), a scalar product (5), the flux
/// and conversions (7). Loads (27): three node numbers, nine values, an area (3), nine sums, three on the
/// way to integers. Stores (12): nine sums, three on that way. Others (21): nine subtractions, nine addresses,
/// three of the loop. (Chosen, as for an edge.)
const FACE_INSTRUCTIONS: u64 = 21 + 27 + 12 + 21;
/// Instructions to update a node. Loads (10): three amounts, three sums, an inverse volume, three on the way to
/// floating point. Stores (12): three amounts, three on that way, three values, three sums cleared.
/// Others (12): three additions, conversions and multiplications each, three of the loop. (Chosen, as for an edge.)
const NODE_INSTRUCTIONS: u64 = 10 + 12 + 12;
/// Instructions to gather a node's three words into a message, or to put them in their place: its number,
/// three loads, three stores, an address, three of the loop. (Chosen, as for an edge.)
const PACK_INSTRUCTIONS: u64 = 1 + 3 + 3 + 1 + 3;
/// Instructions to add a node's three sums from a message: three loads and three additions more.
/// (Chosen, as for an edge.)
const ADD_INSTRUCTIONS: u64 = PACK_INSTRUCTIONS + 6;
