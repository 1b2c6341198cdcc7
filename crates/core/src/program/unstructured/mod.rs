//! Unstructured: a sweep of fluid dynamics over a mesh of tetrahedra (Mukherjee et al. 1995; Mukherjee and Hill 1998,
//! Table 4; `unstruc` of Chong et al. 1998, §4.2).
//!
//! | file | holds |
//! |---|---|
//! | `fluid.rs` | the mesh as finite volumes, the initial flow, and a serial run |
//! | `flux.rs` | the fluxes through an edge and a face, and the update of a node |
//! | `share.rs` | a processor's nodes, edges and faces, its ghosts, and the values that it sends |
//! | `run.rs` | parameters, the program of a processor, the check of the result |
//! | `by_node.rs` | the program that sends each node's value, and each flux, in a message |
//! | `shared.rs` | the program over shared memory |
//!
//! Around each node there is a volume that contains momentum, which is three single-precision numbers. The program
//! solves the viscous Burgers equation by finite volumes. In an iteration each edge transfers a flux from one of its
//! nodes to the other, each surface face lets a flux out of its three nodes, and each node adds up its fluxes and is
//! updated.
//!
//! **In parallel**, an edge or face belongs to the processor of its first node. Before a sweep a processor needs the
//! values of its ghosts, which are the nodes of other processors at its edges and faces; after the sweep it returns the
//! sums of fluxes into these. Both are sent in one batch to each neighbour, with three words per node. (150 nodes at a
//! border and a header make the paper's longest message of about 1800 bytes.) No barrier is needed: a processor that
//! has sent its sums receives no new values before the sums are used, and vice versa.
//!
//! Instead of batches, a message may carry the value of one node, or one flux as soon as it is computed
//! (`exchange = "nodes"`). With `exchange = "loads"`, the values and sums of nodes at borders are in shared memory,
//! where the processor that computes an edge updates them under a lock (Chong et al., §4.2).
//!
//! **The result is bit-equal** to that of the serial run for any partition and order: fluxes are rounded to whole units
//! of 2^-24, and integer sums do not depend on the order of additions. This takes a conversion for each number of a
//! flux and of a new value, and conserves momentum exactly.
//!
//! The module leaves out pressure and density, second-order accuracy, and the paper's code (which is not public). The
//! numbers of nodes, edges, faces and iterations are those of the paper. Chong et al. have 75 floating-point operations
//! for an edge and three results for a node; this program has [`EDGE_FLOPS`] and three.

mod by_node;
mod fluid;
mod flux;
mod run;
mod share;
mod shared;
#[cfg(test)]
mod tests;

pub use fluid::Fluid;
pub use run::{Unstructured, UnstructuredExchange};
pub use share::{FluidShare, ShareLink};

/// Number of iterations in the paper.
const ITERATIONS: u64 = 10;

/// Floating-point operations of an edge: two scalar products (10), the larger of their magnitudes and its use (5), each
/// number of the flux (7 times 3), and the conversions of these numbers (3).
const EDGE_FLOPS: u64 = 10 + 5 + 21 + 3;
/// Other instructions of an edge. Loads (21): two node numbers, three values of each node, area and conductance (4),
/// three sums of each node, and three numbers that are moved from floating-point to integer registers, which takes a
/// store and a load on a SPARC. Stores (9): six sums, and three for these moves. Others (17): six additions, six
/// addresses, two for branches, three for the loop. (Chosen: counted by hand for an in-order processor without fused
/// operations; cache misses are left to the simulator.)
const EDGE_OTHERS: u64 = 21 + 9 + 17;
/// Instructions of an edge.
const EDGE_INSTRUCTIONS: u64 = EDGE_FLOPS + EDGE_OTHERS;
/// Instructions of a face. Floating-point (21): the mean of three nodes (9), a scalar product (5), the flux and
/// conversions (7). Loads (27): three node numbers, nine values, an area (3), nine sums, three for moves to integer
/// registers. Stores (12): nine sums, three for these moves. Others (21): nine subtractions, nine addresses, three for
/// the loop. (Chosen, as for an edge.)
const FACE_INSTRUCTIONS: u64 = 21 + 27 + 12 + 21;
/// Instructions to update a node. Loads (10): three amounts, three sums, a reciprocal volume, three for moves to
/// floating-point registers. Stores (12): three amounts, three for these moves, three values, three cleared sums.
/// Others (12): three additions, conversions and multiplications each, three for the loop. (Chosen, as for an edge.)
const NODE_INSTRUCTIONS: u64 = 10 + 12 + 12;
/// Instructions to pack a node's three words into a message, or to unpack them: its number, three loads, three stores,
/// an address, and three for the loop. (Chosen, as for an edge.)
const PACK_INSTRUCTIONS: u64 = 1 + 3 + 3 + 1 + 3;
/// Instructions to add a node's three sums from a message: those of unpacking, three more loads and three additions.
/// (Chosen, as for an edge.)
const ADD_INSTRUCTIONS: u64 = PACK_INSTRUCTIONS + 6;
