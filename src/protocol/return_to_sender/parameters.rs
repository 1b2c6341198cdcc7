//! Parameters: how many buffers, and when a bounced packet is retried.

use crate::engine::Time;
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

/// How many buffers there are. None at all is not a value: such a node could never communicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Buffers {
    /// So many, at least one.
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
