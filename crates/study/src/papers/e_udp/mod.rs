//! The built-in functions of Jin et al. (2005), "Exploiting NIC architectural support for enhancing IP-based protocols
//! on high-performance networks". All other parts of the study are data (`papers/e-udp`).
//!
//! | file | holds |
//! |---|---|
//! | `flow.rs` | the times of packets in the time-flow charts |
//! | `model.rs` | the analytic model |

mod flow;
mod model;

use crate::study::{BuiltinFn, BuiltinFns};

/// Adds the paper's functions.
pub(super) fn register(functions: BuiltinFns) -> BuiltinFns {
    functions
        .with_value_of_point("packet-times", BuiltinFn::Numbers(flow::packet_times))
        .with_value_of_point("packet-ends", BuiltinFn::Numbers(flow::packet_ends))
        .with_value("pipelined-latency", BuiltinFn::Number(model::latency))
        .with_value("pipelined-bandwidth", BuiltinFn::Number(model::bandwidth))
}
