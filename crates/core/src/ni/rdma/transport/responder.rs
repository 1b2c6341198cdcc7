//! The responder of a queue pair as a state machine: it accepts packets in the order of their sequence numbers
//! (InfiniBand Architecture Specification, volume 1, section 9.7.4).

use crate::ni::rdma::wire::bth::Psn;
use std::collections::VecDeque;

/// The order in which a request packet arrives, relative to the expected packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RequestArrival {
    /// The packet is the next one.
    Expected,
    /// The packet was executed before.
    Duplicate,
    /// An earlier packet is missing.
    Early {
        /// Whether this is the first packet behind the gap, which is reported to the requester.
        is_first: bool,
    },
}

/// The responder of a queue pair.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Responder {
    expected: Psn,
    messages: u32,
    /// Whether the present gap was reported.
    is_gap_reported: bool,
    /// Results of the last atomic operations, by sequence number, for duplicates of their requests.
    results: VecDeque<(Psn, u64)>,
}

impl Responder {
    /// Returns the sequence number that is expected next.
    pub fn expected(&self) -> Psn {
        self.expected
    }

    /// Returns the number of messages that were completed.
    pub fn messages(&self) -> u32 {
        self.messages
    }

    /// Compares the sequence number of an arriving packet with the expected one.
    pub fn arrive(&mut self, psn: Psn) -> RequestArrival {
        if psn == self.expected {
            return RequestArrival::Expected;
        }
        if psn.is_before(self.expected) {
            return RequestArrival::Duplicate;
        }
        RequestArrival::Early { is_first: !std::mem::replace(&mut self.is_gap_reported, true) }
    }

    /// Accepts the expected packet, which takes `packets` sequence numbers, and ends a message if `is_last`.
    pub fn accept(&mut self, packets: u32, is_last: bool) {
        self.expected = self.expected.plus(packets);
        self.messages = (self.messages + u32::from(is_last)) % Psn::SPACE;
        self.is_gap_reported = false;
    }

    /// Refuses the expected packet for now; the packets behind it are not reported as a gap.
    pub fn postpone(&mut self) {
        self.is_gap_reported = true;
    }

    /// Keeps the result of the atomic operation with sequence number `psn`, for the last `results_max` operations.
    pub fn keep_result(&mut self, psn: Psn, value: u64, results_max: usize) {
        if self.results.len() >= results_max {
            self.results.pop_front();
        }
        self.results.push_back((psn, value));
    }

    /// Returns the result of the atomic operation with sequence number `psn`, if it is kept.
    pub fn result(&self, psn: Psn) -> Option<u64> {
        self.results.iter().find(|(kept, _)| *kept == psn).map(|(_, value)| *value)
    }
}
