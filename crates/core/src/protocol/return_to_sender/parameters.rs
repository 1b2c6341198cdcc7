//! Parameters: number of buffers, and the retry delay of a returned packet.

use crate::engine::Time;
use crate::text::{Meaning, ParameterSink, ParameterType, Table};
use std::fmt;
use std::num::NonZeroU32;

/// The flow control of one node. The paper varies both counts together (§5.1.2, "flow control
/// buffers"): [`FlowControlParameters::symmetric`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FlowControlParameters {
    /// Outgoing buffers.
    pub outgoing: Buffers,
    /// Incoming buffers.
    pub incoming: Buffers,
    /// When a bounced packet is retried.
    pub retry: Retry,
}

impl FlowControlParameters {
    /// `buffers` outgoing and as many incoming, as in the paper.
    pub const fn symmetric(buffers: Buffers, retry: Retry) -> FlowControlParameters {
        FlowControlParameters { outgoing: buffers, incoming: buffers, retry }
    }
}

const INFINITE: &str = "infinite-buffers";
const BUFFERS: &str = "flow-control-buffers";
const RETRY: &str = "retry-delay";

/// Reads the flow control of a description, which is the same in both directions and always waits as long.
pub(super) fn read_flow(t: &mut Table<'_>) -> FlowControlParameters {
    let infinite = t.flag(INFINITE, "Whether there is no end of flow-control buffers").or(false);
    let count = t.count(BUFFERS, "Outgoing, and as many incoming, message buffers").range(1, 65_536);
    let count = count.meaning(Meaning::Capacity).or(8);
    let retry = t.time(RETRY, "How long a returned message waits before it is sent again");
    let retry = retry.meaning(Meaning::Policy).or("200 ns");
    let finite = Buffers::finite(count as u32).filter(|_| !infinite);
    FlowControlParameters::symmetric(finite.unwrap_or(Buffers::Infinite), Retry::constant(retry))
}

/// Writes what [`read_flow`] reads.
pub(super) fn write_flow(flow: &FlowControlParameters, to: &mut dyn ParameterSink) {
    let buffers = flow.outgoing.count();
    to.value(INFINITE, buffers.is_none().to_value());
    if let Some(buffers) = buffers {
        to.value(BUFFERS, buffers.to_value());
    }
    to.value(RETRY, flow.retry.first().to_value());
}

/// Number of buffers. Zero is not a value: such a node could never communicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Buffers {
    /// A fixed number of buffers, at least one.
    Finite(NonZeroU32),
    /// As many as are wanted (the paper's "infinite flow control buffering").
    Infinite,
}

impl Buffers {
    /// `count` buffers, or nothing for none.
    pub const fn finite(count: u32) -> Option<Buffers> {
        match NonZeroU32::new(count) {
            Some(count) => Some(Buffers::Finite(count)),
            None => None,
        }
    }

    /// The count, or nothing for infinitely many.
    pub const fn count(self) -> Option<u32> {
        match self {
            Buffers::Finite(count) => Some(count.get()),
            Buffers::Infinite => None,
        }
    }
}

/// When a bounced packet is retried: after its *k*-th bounce in a row, no sooner than
/// min(first · 2^(k−1), longest) after it came back. The paper gives no rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Retry {
    first: Time,
    longest: Time,
}

impl Retry {
    /// Always after `delay`.
    pub const fn constant(delay: Time) -> Retry {
        Retry { first: delay, longest: delay }
    }

    /// After `first`, then after twice the delay before, up to `longest`. Refused where the
    /// delay could not grow: `first` zero, or above `longest`.
    pub fn doubling(first: Time, longest: Time) -> Result<Retry, BadRetry> {
        match first {
            Time::ZERO => Err(BadRetry::ZeroFirst),
            _ if first > longest => Err(BadRetry::FirstAboveLongest { first, longest }),
            _ => Ok(Retry { first, longest }),
        }
    }

    /// The delay after a packet's first bounce.
    pub const fn first(self) -> Time {
        self.first
    }

    /// The longest delay.
    pub const fn longest(self) -> Time {
        self.longest
    }

    /// The delay after the bounce that follows one with `delay`.
    pub(super) fn next(self, delay: Time) -> Time {
        delay.saturating_add(delay).min(self.longest)
    }
}

/// Why a rule for retries was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadRetry {
    /// Doubling zero stays zero.
    ZeroFirst,
    /// The first delay exceeds the longest.
    FirstAboveLongest {
        /// The first delay.
        first: Time,
        /// The longest delay.
        longest: Time,
    },
}

impl fmt::Display for BadRetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRetry::ZeroFirst => write!(f, "a first retry delay of zero cannot double; use a constant delay"),
            BadRetry::FirstAboveLongest { first, longest } => {
                write!(f, "the first retry delay, {first}, exceeds the longest, {longest}")
            }
        }
    }
}

impl std::error::Error for BadRetry {}
