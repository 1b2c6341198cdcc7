//! The requests of a requester, its limits, and its results.

use crate::ni::rdma::wire::bth::Psn;
use crate::text::ParameterChoice;

/// The rule for the packets that are sent again after a loss.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, ParameterChoice)]
pub enum Recovery {
    /// All packets from the lost one on.
    GoBackN,
    /// Only packets that are missing.
    Selective,
}

/// The limits of a requester.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RequesterLimits {
    /// Recovery from losses.
    pub recovery: Recovery,
    /// Largest number of reads and atomic operations without a complete response.
    pub outstanding_reads: u32,
    /// Largest number of packets without an acknowledgement.
    pub window: u32,
    /// Number of time-outs in a row after which the queue pair fails.
    pub retries: u32,
    /// Number of times in a row that the receiver may be not ready; `None` for no limit.
    pub not_ready_retries: Option<u32>,
}

/// The kind of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RequestKind {
    /// A send or write, which is acknowledged.
    OneWay,
    /// A read or atomic operation, which has a response.
    WithResponse,
}

/// A packet to send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transmission<W> {
    /// The request.
    pub work: W,
    /// Number of the packet in its request, or in the response of the request.
    pub number: u32,
    /// Sequence number.
    pub psn: Psn,
    /// Whether the packet was sent before.
    pub is_retransmission: bool,
}

/// The result of a response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResponseVerdict<W> {
    /// The response is the next one of this request.
    Accepted {
        /// The request.
        work: W,
        /// Number of the packet in the response.
        number: u32,
    },
    /// The response is a duplicate, or one before it is missing.
    Ignored,
}

/// The error of a requester that has used up its retries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetriesExhausted;
