//! The sending half: the pool of buffers, the windows, and the timers.
//!
//! ```text
//!           reserve            offer           send_new            acknowledge
//!  (free) ──────────► reserved ─────► waiting ─────────► outgoing ─────────────► (free)
//!                                                         │    ▲
//!                                             timer: due  ▼    │ send_copy
//!                                                         (oldest)
//! ```

use super::outgoing::Outgoing;
use super::peer::Peer;
use super::timers::Timers;
use super::{FabricOrder, LinkParameters};
use crate::engine::{NodeId, Time};
use std::collections::{BTreeMap, VecDeque};

/// The sending half of a link.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct WindowSender<P> {
    parameters: LinkParameters,
    reserved_buffers: u32,
    /// Offered packets that were not sent yet, in order.
    waiting_packets: VecDeque<(Peer, P)>,
    /// Number of unacknowledged packets to all destinations.
    outstanding: u32,
    destinations: BTreeMap<Peer, Outgoing<P>>,
    timers: Timers,
    /// Destinations whose oldest packet is to be retransmitted, in order.
    destinations_of_due_copies: VecDeque<Peer>,
    /// Time of the last new packet to each destination, if the fabric's order requires a spacing.
    last_new_packet_times: BTreeMap<Peer, Time>,
}

impl<P: Clone> WindowSender<P> {
    pub(super) fn new(parameters: &LinkParameters) -> WindowSender<P> {
        WindowSender {
            parameters: *parameters,
            reserved_buffers: 0,
            waiting_packets: VecDeque::new(),
            outstanding: 0,
            destinations: BTreeMap::new(),
            timers: Timers::default(),
            destinations_of_due_copies: VecDeque::new(),
            last_new_packet_times: BTreeMap::new(),
        }
    }

    pub(super) fn free_send_slots(&self) -> u32 {
        let used_buffers = self.reserved_buffers + self.waiting_packets.len() as u32 + self.outstanding;
        self.parameters.buffers.checked_sub(used_buffers).expect("no more buffers are in use than there are")
    }

    pub(super) fn reserve(&mut self) -> bool {
        let is_free = self.free_send_slots() > 0;
        self.reserved_buffers += u32::from(is_free);
        is_free
    }

    pub(super) fn offer(&mut self, to: Peer, body: P) {
        self.reserved_buffers =
            self.reserved_buffers.checked_sub(1).expect("a packet is offered into a reserved buffer");
        self.waiting_packets.push_back((to, body));
    }

    /// Returns the index of the oldest waiting packet whose window is open.
    fn first_sendable(&self) -> Option<usize> {
        self.waiting_packets.iter().position(|(to, _)| self.destinations.get(to).is_none_or(Outgoing::can_send))
    }

    pub(super) fn has_next(&self) -> bool {
        !self.destinations_of_due_copies.is_empty() || self.first_sendable().is_some()
    }

    /// Returns the next copy that is due: its destination, sequence number and body.
    pub(super) fn send_copy(&mut self, now: Time) -> Option<(Peer, u32, P)> {
        let to = self.destinations_of_due_copies.pop_front()?;
        let outgoing = &self.destinations[&to];
        self.timers.set_timer(to, now.saturating_add(outgoing.timeout()));
        let (number, body) = outgoing.oldest();
        Some((to, number, body))
    }

    /// Returns the next new packet: its destination, sequence number and body.
    pub(super) fn send_new(&mut self, now: Time) -> Option<(Peer, u32, P)> {
        let (to, body) = self.waiting_packets.remove(self.first_sendable()?).expect("the packet is at this index");
        self.check_numbers(to, now);
        let outgoing = self.destinations.entry(to).or_insert_with(|| Outgoing::new(&self.parameters));
        let number = outgoing.send(body.clone());
        self.outstanding += 1;
        if !self.timers.is_running(to) {
            assert!(!self.destinations_of_due_copies.contains(&to), "copies leave before new packets");
            self.timers.set_timer(to, now.saturating_add(outgoing.timeout()));
        }
        Some((to, number, body))
    }

    /// Asserts the assumptions about sequence numbers that the head of the parent module states.
    fn check_numbers(&mut self, to: Peer, now: Time) {
        match self.parameters.order {
            FabricOrder::Kept => {}
            FabricOrder::Any { packets } => {
                let position = self.destinations.get(&to).map_or(0, Outgoing::next_position);
                assert!(
                    position < packets,
                    "{to} is sent more than the {packets} packets that `FabricOrder::Any` allows"
                );
            }
            FabricOrder::Lifetime { spacing, .. } => {
                let previous = self.last_new_packet_times.insert(to, now);
                let is_spaced = previous.is_none_or(|previous| now >= previous.saturating_add(spacing));
                assert!(is_spaced, "new packets to {to} leave closer together than the spacing of {spacing}");
            }
        }
    }

    /// Handles an acknowledgement by `from` of all packets before `next`, and returns the number of freed buffers.
    pub(super) fn acknowledge(&mut self, from: Peer, next: u32, now: Time) -> u32 {
        let outgoing = self.destinations.get_mut(&from).expect("a peer that acknowledges was sent a packet");
        let freed = outgoing.acknowledge(next, self.parameters.timeout) as u32;
        if freed == 0 {
            return 0;
        }
        self.outstanding -= freed;
        self.timers.stop(from);
        self.destinations_of_due_copies.retain(|to| *to != from);
        if outgoing.is_recovering() {
            self.destinations_of_due_copies.push_back(from);
        } else if outgoing.len() > 0 {
            self.timers.set_timer(from, now.saturating_add(outgoing.timeout()));
        }
        freed
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.timers.first_expiry()
    }

    pub(super) fn on_time(&mut self, now: Time) {
        while let Some(to) = self.timers.pop_expired(now) {
            let outgoing = self.destinations.get_mut(&to).expect("each timer belongs to a destination");
            outgoing.handle_timeout(self.parameters.timeout_max);
            self.destinations_of_due_copies.push_back(to);
        }
    }

    pub(super) fn unacknowledged(&self, to: Option<NodeId>) -> u32 {
        let Some(to) = to else { return self.waiting_packets.len() as u32 + self.outstanding };
        let waiting_packets = self.waiting_packets.iter().filter(|(other, _)| other.node == to).count();
        let outstanding: usize = self.destinations.range(Peer::all_of(to)).map(|(_, outgoing)| outgoing.len()).sum();
        (waiting_packets + outstanding) as u32
    }

    pub(super) const fn reserved_buffers(&self) -> u32 {
        self.reserved_buffers
    }

    pub(super) const fn destinations(&self) -> &BTreeMap<Peer, Outgoing<P>> {
        &self.destinations
    }

    /// Asserts the invariants.
    pub(super) fn check(&self) {
        let outstanding: usize = self.destinations.values().map(Outgoing::len).sum();
        assert_eq!(outstanding, self.outstanding as usize, "send buffers are conserved");
        assert!(self.free_send_slots() <= self.parameters.buffers);
        for (to, outgoing) in &self.destinations {
            let due_copies = self.destinations_of_due_copies.iter().filter(|other| *other == to).count();
            let timers_and_copies = usize::from(self.timers.is_running(*to)) + due_copies;
            assert_eq!(
                timers_and_copies,
                usize::from(outgoing.len() > 0),
                "an outstanding packet has one timer or copy"
            );
        }
    }
}
