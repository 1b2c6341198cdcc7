//! Parameters: number of buffers, and the retry delay of a returned packet.

use crate::engine::Time;
use crate::text::{Meaning, ParameterSink, ParameterType, Table};
use std::fmt;
use std::num::NonZeroU32;

/// The flow control of one node. The paper varies the numbers of outgoing and incoming buffers together (Mukherjee and
/// Hill 1998, §5.1.2, "flow control buffers"), as [`FlowControlParameters::symmetric`] does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FlowControlParameters {
    /// Number of outgoing buffers.
    pub outgoing: Buffers,
    /// Number of incoming buffers.
    pub incoming: Buffers,
    /// Retry delay of a bounced packet.
    pub retry: Retry,
}

impl FlowControlParameters {
    /// Returns parameters with `buffers` outgoing and the same number of incoming buffers, as in the paper.
    pub const fn symmetric(buffers: Buffers, retry: Retry) -> FlowControlParameters {
        FlowControlParameters { outgoing: buffers, incoming: buffers, retry }
    }
}

const INFINITE_BUFFERS_KEY: &str = "infinite-buffers";
const FLOW_CONTROL_BUFFERS_KEY: &str = "flow-control-buffers";
/// The flag that makes the number of buffers unlimited, and the key of their number.
pub(super) const UNLIMITED_BUFFERS: (&str, &str) = (INFINITE_BUFFERS_KEY, FLOW_CONTROL_BUFFERS_KEY);
const RETRY_DELAY_KEY: &str = "retry-delay";
const RETRY_JITTER_KEY: &str = "retry-jitter";

/// Reads the flow control of a description, which states one number of buffers for both directions, and a retry delay
/// that is constant but for its jitter.
pub(super) fn read_flow(t: &mut Table<'_>) -> FlowControlParameters {
    let infinite = t.flag(INFINITE_BUFFERS_KEY, "Whether the number of flow-control buffers is unlimited").or(false);
    let count =
        t.count(FLOW_CONTROL_BUFFERS_KEY, "Number of outgoing message buffers, and of incoming ones").range(1, 65_536);
    let count = count.meaning(Meaning::Capacity).or(8);
    let retry = t.time(RETRY_DELAY_KEY, "Delay before a returned message is retried");
    let retry = retry.meaning(Meaning::Policy).or("200 ns");
    let jitter = t.count(RETRY_JITTER_KEY, "Largest random deviation from `retry-delay`, in per cent of it");
    let jitter = jitter.max(u64::from(Retry::JITTER_MAX)).meaning(Meaning::Policy).optional().unwrap_or(0);
    let finite = Buffers::finite(count as u32).filter(|_| !infinite);
    FlowControlParameters::symmetric(
        finite.unwrap_or(Buffers::Infinite),
        Retry::constant(retry).with_jitter(jitter as u8),
    )
}

/// Writes the keys that [`read_flow`] reads.
pub(super) fn write_flow(flow: &FlowControlParameters, sink: &mut dyn ParameterSink) {
    let buffers = flow.outgoing.count();
    sink.value(INFINITE_BUFFERS_KEY, buffers.is_none().to_value());
    if let Some(buffers) = buffers {
        sink.value(FLOW_CONTROL_BUFFERS_KEY, buffers.to_value());
    }
    sink.value(RETRY_DELAY_KEY, flow.retry.first().to_value());
    if flow.retry.jitter_percent() > 0 {
        sink.value(RETRY_JITTER_KEY, u64::from(flow.retry.jitter_percent()).to_value());
    }
}

/// Number of buffers. The number cannot be zero, because a node without buffers could never communicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Buffers {
    /// A fixed number of buffers, at least one.
    Finite(NonZeroU32),
    /// An unlimited number of buffers (the paper's "infinite flow control buffering").
    Infinite,
}

impl Buffers {
    /// Returns `count` buffers, or `None` if `count` is 0.
    pub const fn finite(count: u32) -> Option<Buffers> {
        match NonZeroU32::new(count) {
            Some(count) => Some(Buffers::Finite(count)),
            None => None,
        }
    }

    /// Returns the number of buffers, or `None` if it is unlimited.
    pub const fn count(self) -> Option<u32> {
        match self {
            Buffers::Finite(count) => Some(count.get()),
            Buffers::Infinite => None,
        }
    }
}

/// Rule for retries: after its *k*-th consecutive bounce, a packet is retried no sooner than min(first · 2^(k−1),
/// longest) after its return. The paper gives no rule. With jitter, each delay is drawn uniformly from an interval
/// around this value, so that the retries of several senders do not stay in step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Retry {
    first: Time,
    delay_max: Time,
    jitter_percent: u8,
}

impl Retry {
    /// Largest jitter, in per cent.
    pub const JITTER_MAX: u8 = 100;

    /// Returns the rule with the constant delay `delay`.
    pub const fn constant(delay: Time) -> Retry {
        Retry { first: delay, delay_max: delay, jitter_percent: 0 }
    }

    /// Returns the rule with delays that deviate by up to `percent` per cent.
    ///
    /// # Panics
    ///
    /// Panics if `percent` exceeds [`JITTER_MAX`](Retry::JITTER_MAX).
    #[must_use]
    pub const fn with_jitter(self, percent: u8) -> Retry {
        assert!(percent <= Retry::JITTER_MAX, "a delay is not negative");
        Retry { jitter_percent: percent, ..self }
    }

    /// Returns the rule that starts with `first` and doubles the delay up to `delay_max`.
    ///
    /// # Errors
    ///
    /// Returns an error if the delay could not grow: if `first` is zero or exceeds `delay_max`.
    pub fn doubling(first: Time, delay_max: Time) -> Result<Retry, RetryError> {
        match first {
            Time::ZERO => Err(RetryError::ZeroFirst),
            _ if first > delay_max => Err(RetryError::FirstAboveLongest { first, delay_max }),
            _ => Ok(Retry { first, delay_max, jitter_percent: 0 }),
        }
    }

    /// Returns the delay after a packet's first bounce.
    pub const fn first(self) -> Time {
        self.first
    }

    /// Returns the longest delay.
    pub const fn longest(self) -> Time {
        self.delay_max
    }

    /// Returns the largest deviation of a delay, in per cent of the delay.
    pub const fn jitter_percent(self) -> u8 {
        self.jitter_percent
    }

    /// Returns the delay of a bounced packet whose delay without jitter is `delay`; `random` is a uniform random
    /// number.
    pub(super) const fn jittered(self, delay: Time, random: u64) -> Time {
        const RANDOM_RANGE: u64 = 1 << 32;
        let deviation = delay.scale(self.jitter_percent as u64, 100);
        let shortest = delay.since(deviation);
        shortest.saturating_add(deviation.saturating_add(deviation).scale(random >> 32, RANDOM_RANGE))
    }

    /// Returns the delay after a bounce whose predecessor had `delay`.
    pub(super) fn next_delay(self, delay: Time) -> Time {
        delay.saturating_add(delay).min(self.delay_max)
    }
}

/// An error in a rule for retries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RetryError {
    /// The first delay is zero, so that doubling never increases it.
    ZeroFirst,
    /// The first delay exceeds the longest.
    FirstAboveLongest {
        /// The first delay.
        first: Time,
        /// The longest delay.
        delay_max: Time,
    },
}

impl fmt::Display for RetryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RetryError::ZeroFirst => write!(f, "a first retry delay of zero cannot double; use a constant delay"),
            RetryError::FirstAboveLongest { first, delay_max } => {
                write!(f, "the first retry delay, {first}, exceeds the longest, {delay_max}")
            }
        }
    }
}

impl std::error::Error for RetryError {}
