//! Jin et al. (2005), "Exploiting NIC architectural support for enhancing IP-based protocols on
//! high-performance networks": what data cannot say of it. The rest of the study is data (`papers/e-udp`).
//!
//! | file | holds |
//! |---|---|
//! | `flow.rs` | the time-flow charts' rectangles |
//! | `model.rs` | the analytic model |

pub mod flow;
pub mod model;
