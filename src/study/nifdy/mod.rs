//! Callahan and Goldstein (1995), "NIFDY: A Low Overhead, High Throughput Network Interface": what data
//! cannot say of it. The rest of the study is data (`papers/nifdy`).
//!
//! | file | does |
//! |---|---|
//! | `search.rs` | the search over *O*, *B*, *D*, *W*, what it found, and its claims |
//! | `volume.rs` | how many packets a network's buffers hold |
//! | `pile.rs` | how long packets pile up for a receiver |

pub mod pile;
pub mod search;
pub mod volume;
