//! The requester of a queue pair as a state machine: sequence numbers, acknowledgements, and recovery (InfiniBand
//! Architecture Specification, volume 1, section 9.7.5). It knows no bytes and no time: the device builds the packets,
//! and reports what arrives and when a timer expires.
//!
//! With go-back-N, a lost packet is sent again with all packets behind it. With selective repeat, the responder keeps
//! packets that arrive early and names one in each negative acknowledgement, and only missing packets are sent again.
//! If a packet that was first sent after a retransmission arrives early, the retransmission is presumed lost, and is
//! repeated without a time-out. TCP's RACK makes this decision by time (RFC 8985, section 7.2). A read whose response
//! has a gap is requested again from the first missing packet on.
//!
//! The state machine numbers packets by counts, which wrap around at 2³² and not at 2²⁴ as sequence numbers do.

pub use super::request::{Recovery, RequestKind, RequesterLimits, ResponseVerdict, RetriesExhausted, Transmission};
use crate::ni::rdma::wire::bth::Psn;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A request that is not complete.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct PendingRequest<W> {
    work: W,
    kind: RequestKind,
    first_psn: Psn,
    /// Number of sequence numbers: packets of the request, or of its response.
    packets: u32,
    /// Number of packets of the response that have arrived.
    received_packets: u32,
    is_sent: bool,
}

impl<W> PendingRequest<W> {
    fn end(&self) -> Psn {
        self.first_psn.plus(self.packets)
    }

    fn lacks_response(&self) -> bool {
        self.kind == RequestKind::WithResponse && self.received_packets < self.packets
    }
}

/// The state of selective repeat.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
struct SelectiveState {
    /// Packets that have arrived early.
    early_packets: BTreeSet<u32>,
    /// Packets to be sent again.
    lost_packets: BTreeSet<u32>,
    /// Packets that were sent again, each with the first packet that had never been sent at its last retransmission.
    retransmitted: BTreeMap<u32, u32>,
}

/// The requester of a queue pair. `W` is the type of the work request.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PairRequester<W> {
    requests: VecDeque<PendingRequest<W>>,
    /// Oldest packet that is not acknowledged.
    oldest_packet: u32,
    /// Next packet to send.
    next_to_send: u32,
    /// First packet that was never sent.
    first_unsent: u32,
    /// First packet of the next request.
    next_request_packet: u32,
    /// Number of reads and atomic operations that were sent and have no complete response.
    outstanding_reads: u32,
    time_outs: u32,
    not_ready_count: u32,
    /// Whether a gap in a response was acted upon, and no response has been accepted since.
    is_gap_handled: bool,
    selective_state: Option<Box<SelectiveState>>,
}

impl<W> Default for PairRequester<W> {
    fn default() -> PairRequester<W> {
        PairRequester {
            requests: VecDeque::new(),
            oldest_packet: 0,
            next_to_send: 0,
            first_unsent: 0,
            next_request_packet: 0,
            outstanding_reads: 0,
            time_outs: 0,
            not_ready_count: 0,
            is_gap_handled: false,
            selective_state: None,
        }
    }
}

impl<W: Clone> PairRequester<W> {
    /// Adds a request that takes `packets` sequence numbers.
    pub fn add(&mut self, work: W, kind: RequestKind, packets: u32) {
        let first_psn = Psn::new(self.next_request_packet);
        self.requests.push_back(PendingRequest { work, kind, first_psn, packets, received_packets: 0, is_sent: false });
        self.next_request_packet = self.next_request_packet.wrapping_add(packets);
    }

    /// Returns whether packets wait for an acknowledgement or a response.
    pub fn is_waiting(&self) -> bool {
        self.oldest_packet != self.first_unsent
    }

    /// Returns whether no request is pending.
    pub fn is_idle(&self) -> bool {
        self.requests.is_empty()
    }

    /// Returns the count of the packet with sequence number `psn`, which is near the oldest packet.
    fn count_of(&self, psn: Psn) -> u32 {
        let oldest_psn = Psn::new(self.oldest_packet);
        match psn.is_before(oldest_psn) {
            true => self.oldest_packet.wrapping_sub(oldest_psn.since(psn)),
            false => self.oldest_packet.wrapping_add(psn.since(oldest_psn)),
        }
    }

    /// Returns the index of the request that packet `count` belongs to.
    fn index_of(&self, count: u32) -> usize {
        let offset = Psn::new(count).since(self.requests[0].first_psn);
        let base = self.requests[0].first_psn;
        self.requests.partition_point(|request| request.end().since(base) <= offset)
    }

    /// Returns the next packet to send, if any may be sent.
    pub fn next(&mut self, limits: &RequesterLimits) -> Option<Transmission<W>> {
        if let Some(lost) = self.selective_state.as_mut().and_then(|state| state.lost_packets.pop_first())
            && let Some(retransmission) = self.retransmit(lost)
        {
            return Some(retransmission);
        }
        if self.next_to_send == self.next_request_packet
            || self.next_to_send.wrapping_sub(self.oldest_packet) >= limits.window
        {
            return None;
        }
        let (count, index) = (self.next_to_send, self.index_of(self.next_to_send));
        let request = &mut self.requests[index];
        let number = Psn::new(count).since(request.first_psn);
        match request.kind {
            RequestKind::OneWay => self.next_to_send = count.wrapping_add(1),
            RequestKind::WithResponse => {
                if !request.is_sent {
                    if self.outstanding_reads == limits.outstanding_reads {
                        return None;
                    }
                    self.outstanding_reads += 1;
                }
                self.next_to_send = count.wrapping_add(request.packets - number);
            }
        }
        request.is_sent = true;
        let is_retransmission = (count.wrapping_sub(self.first_unsent) as i32) < 0;
        if (self.next_to_send.wrapping_sub(self.first_unsent) as i32) > 0 {
            self.first_unsent = self.next_to_send;
        }
        Some(Transmission { work: request.work.clone(), number, psn: Psn::new(count), is_retransmission })
    }

    /// Returns whether [`next`](Self::next) may return a packet.
    pub fn may_send(&self, limits: &RequesterLimits) -> bool {
        let has_lost = self.selective_state.as_ref().is_some_and(|state| !state.lost_packets.is_empty());
        has_lost
            || self.next_to_send != self.next_request_packet
                && self.next_to_send.wrapping_sub(self.oldest_packet) < limits.window
    }

    /// Returns the packet `count` to be sent again by selective repeat, if it still lacks an acknowledgement.
    fn retransmit(&mut self, count: u32) -> Option<Transmission<W>> {
        if (count.wrapping_sub(self.oldest_packet) as i32) < 0 {
            return None;
        }
        let index = self.index_of(count);
        let request = self.requests.get(index)?;
        let number = match request.kind {
            RequestKind::OneWay => Psn::new(count).since(request.first_psn),
            RequestKind::WithResponse => request.received_packets,
        };
        let (psn, work) = (request.first_psn.plus(number), request.work.clone());
        if request.kind == RequestKind::WithResponse && !request.lacks_response() {
            return None;
        }
        let end = count.wrapping_add(request.end().since(Psn::new(count)));
        let resends_response = request.kind == RequestKind::WithResponse;
        let state = self.selective_state.as_mut().expect("selective repeat has state");
        state.retransmitted.insert(count, self.first_unsent);
        if resends_response {
            state.lost_packets.retain(|lost| (lost.wrapping_sub(end) as i32) >= 0);
        }
        Some(Transmission { work, number, psn, is_retransmission: true })
    }

    /// Handles an acknowledgement of all packets up to `psn`, and appends the requests that are complete to
    /// `completed_requests`. Returns whether it acknowledges any packet.
    pub fn acknowledge(&mut self, psn: Psn, completed_requests: &mut Vec<W>) -> bool {
        let acknowledged_end = self.count_of(psn).wrapping_add(1);
        let is_new = (acknowledged_end.wrapping_sub(self.oldest_packet) as i32) > 0
            && (acknowledged_end.wrapping_sub(self.first_unsent) as i32) <= 0;
        if !is_new {
            return false;
        }
        let previous_oldest = self.oldest_packet;
        while let Some(front) = self.requests.front() {
            let first = self.oldest_packet.wrapping_sub(Psn::new(self.oldest_packet).since(front.first_psn));
            let end = first.wrapping_add(front.packets);
            if (acknowledged_end.wrapping_sub(first) as i32) <= 0 {
                break;
            }
            if front.lacks_response() {
                // A later request was acknowledged, so responses of this one were lost.
                self.oldest_packet = first.wrapping_add(front.received_packets);
                if !self.is_gap_handled {
                    self.is_gap_handled = true;
                    self.next_to_send = self.oldest_packet;
                }
                break;
            }
            if (acknowledged_end.wrapping_sub(end) as i32) < 0 {
                self.oldest_packet = acknowledged_end;
                break;
            }
            self.oldest_packet = end;
            completed_requests.extend(self.requests.pop_front().map(|request| request.work));
        }
        self.finish_acknowledgement(previous_oldest)
    }

    /// Ends the handling of an acknowledgement or response, before which the oldest packet was `previous_oldest`.
    /// Returns whether another packet is the oldest now.
    fn finish_acknowledgement(&mut self, previous_oldest: u32) -> bool {
        if (self.next_to_send.wrapping_sub(self.oldest_packet) as i32) < 0 {
            self.next_to_send = self.oldest_packet;
        }
        let oldest = self.oldest_packet;
        if oldest == previous_oldest {
            return false;
        }
        (self.time_outs, self.not_ready_count) = (0, 0);
        if let Some(state) = &mut self.selective_state {
            for packets in [&mut state.early_packets, &mut state.lost_packets] {
                packets.retain(|count| (count.wrapping_sub(oldest) as i32) >= 0);
            }
            state.retransmitted.retain(|count, _| (count.wrapping_sub(oldest) as i32) >= 0);
        }
        true
    }

    /// Handles a response with sequence number `psn`.
    pub fn respond(&mut self, psn: Psn, completed_requests: &mut Vec<W>) -> ResponseVerdict<W> {
        let count = self.count_of(psn);
        let is_sent =
            (count.wrapping_sub(self.oldest_packet) as i32) >= 0 && (count.wrapping_sub(self.first_unsent) as i32) < 0;
        if !is_sent {
            return ResponseVerdict::Ignored;
        }
        let first_psn = self.requests[self.index_of(count)].first_psn;
        // A response acknowledges all earlier requests.
        self.acknowledge(first_psn.previous(), completed_requests);
        if self.requests.is_empty() {
            return ResponseVerdict::Ignored;
        }
        let index = self.index_of(count);
        let previous_oldest = self.oldest_packet;
        let Some(request) = self.requests.get_mut(index) else { return ResponseVerdict::Ignored };
        let number = psn.since(request.first_psn);
        if request.kind == RequestKind::OneWay || number != request.received_packets {
            let is_gap = request.kind == RequestKind::WithResponse && number > request.received_packets;
            if is_gap && !self.is_gap_handled && index == 0 {
                self.is_gap_handled = true;
                self.next_to_send = self.oldest_packet;
            }
            return ResponseVerdict::Ignored;
        }
        request.received_packets += 1;
        let work = request.work.clone();
        if !request.lacks_response() {
            self.outstanding_reads -= 1;
        }
        self.is_gap_handled = false;
        self.complete_responses(completed_requests);
        self.finish_acknowledgement(previous_oldest);
        ResponseVerdict::Accepted { work, number }
    }

    /// Removes the requests at the front whose responses are complete.
    fn complete_responses(&mut self, completed_requests: &mut Vec<W>) {
        while let Some(front) = self.requests.front().filter(|front| front.kind == RequestKind::WithResponse) {
            let first = self.oldest_packet.wrapping_sub(Psn::new(self.oldest_packet).since(front.first_psn));
            self.oldest_packet = first.wrapping_add(front.received_packets);
            if front.lacks_response() {
                break;
            }
            completed_requests.extend(self.requests.pop_front().map(|request| request.work));
        }
    }

    /// Handles a negative acknowledgement: packet `expected` has not arrived. `early` is a later packet that the
    /// responder keeps, if it keeps any.
    pub fn retransmit_from(&mut self, expected: Psn, early: Option<Psn>, completed_requests: &mut Vec<W>) {
        self.acknowledge(expected.previous(), completed_requests);
        let from = self.count_of(expected);
        let is_pending =
            (from.wrapping_sub(self.oldest_packet) as i32) >= 0 && (from.wrapping_sub(self.first_unsent) as i32) < 0;
        if !is_pending {
            return;
        }
        match early {
            None => {
                if (from.wrapping_sub(self.next_to_send) as i32) < 0 {
                    self.next_to_send = from;
                }
            }
            Some(early) => {
                let early = self.count_of(early);
                let state = self.selective_state.get_or_insert_default();
                state.early_packets.insert(early);
                let mut count = from;
                while (count.wrapping_sub(early) as i32) < 0 {
                    let first_unsent_then = state.retransmitted.get(&count);
                    let is_overtaken = first_unsent_then.is_none_or(|unsent| (early.wrapping_sub(*unsent) as i32) >= 0);
                    if !state.early_packets.contains(&count) && is_overtaken {
                        state.lost_packets.insert(count);
                    }
                    count = count.wrapping_add(1);
                }
            }
        }
    }

    /// Handles the notice that the receiver is not ready for packet `psn`, which is sent again.
    ///
    /// # Errors
    ///
    /// Returns an error if that has happened too often in a row.
    pub fn not_ready(
        &mut self,
        psn: Psn,
        limits: &RequesterLimits,
        completed_requests: &mut Vec<W>,
    ) -> Result<(), RetriesExhausted> {
        self.acknowledge(psn.previous(), completed_requests);
        let from = self.count_of(psn);
        if (from.wrapping_sub(self.oldest_packet) as i32) >= 0 && (from.wrapping_sub(self.next_to_send) as i32) < 0 {
            self.next_to_send = from;
        }
        self.not_ready_count += 1;
        match limits.not_ready_retries {
            Some(retries) if self.not_ready_count > retries => Err(RetriesExhausted),
            _ => Ok(()),
        }
    }

    /// Handles a time-out: all packets that are not known to have arrived are sent again.
    ///
    /// # Errors
    ///
    /// Returns an error if that has happened too often in a row.
    pub fn time_out(&mut self, limits: &RequesterLimits) -> Result<(), RetriesExhausted> {
        self.time_outs += 1;
        self.is_gap_handled = false;
        self.next_to_send = self.oldest_packet;
        if let Some(state) = &mut self.selective_state {
            state.lost_packets.clear();
            state.retransmitted.clear();
        }
        if self.time_outs > limits.retries { Err(RetriesExhausted) } else { Ok(()) }
    }

    /// Removes all pending requests, the oldest first.
    pub fn drain(&mut self) -> Vec<W> {
        let requests = std::mem::take(&mut self.requests);
        (self.oldest_packet, self.next_to_send, self.first_unsent, self.outstanding_reads) =
            (self.next_request_packet, self.next_request_packet, self.next_request_packet, 0);
        self.selective_state = None;
        requests.into_iter().map(|request| request.work).collect()
    }
}
