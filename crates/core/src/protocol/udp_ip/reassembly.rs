//! Reassembly of datagrams from fragments that arrive in any order, without their bytes.
//!
//! The module handles only the ranges of fragments. The caller stores each fragment's bytes at
//! [`Parsed::payload_range`], for example directly in the reader's buffer, and learns from [`Reassembled`] when the
//! datagram is complete.
//!
//! * **Datagram key**: source, destination and identification; all fragments are UDP.
//! * **Duplicates** of a fragment, with the same range, are dropped without effect on the datagram (RFC 8200, section
//!   4.5, allows this). A duplicate that arrives after its datagram is complete starts a new datagram, which expires.
//! * **Overlaps** abandon the whole datagram, "including those not yet received" (RFC 5722, for IPv6): further
//!   fragments with its identification are dropped until the timer expires. Fragments that contradict each other, or
//!   the UDP header, about the datagram's length have the same effect.
//! * **The timer** runs from the arrival of the first fragment, in whatever order fragments arrive, and is not
//!   restarted (RFC 1122, section 3.3.2).
//! * **Memory**: the number of datagrams, including abandoned ones, and the number of their bytes are limited. A new
//!   datagram may replace an abandoned one. A fragment that exceeds a limit is dropped, and its datagram is abandoned,
//!   because no sender retransmits a fragment.
//!
//! Duplicates with different bytes, ICMP messages to the sender, and fairness between senders are not modelled.

use super::{DropCounts, DropReason, Parsed, UDP_HEADER, UdpHead};
use crate::engine::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

/// Key common to the fragments of a datagram.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DatagramKey {
    /// Source address.
    pub from: Ipv4Addr,
    /// Destination address.
    pub to: Ipv4Addr,
    /// Identification of the datagram, which distinguishes datagrams between the same two addresses.
    pub identification: u16,
}

/// Capacity and time-out of a reassembly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReassemblyParameters {
    /// Largest number of incomplete datagrams, including abandoned ones.
    pub datagrams: usize,
    /// Largest number of bytes in stored fragments, including UDP headers.
    pub bytes: usize,
    /// Time after which an incomplete datagram is abandoned, counted from the arrival of its first fragment.
    pub lifetime: Time,
}

/// Outcome of a fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reassembled {
    /// The fragment completes its datagram.
    Complete {
        /// Key of the datagram.
        key: DatagramKey,
        /// Length of the payload in bytes.
        length: usize,
        /// UDP header.
        header: UdpHead,
    },
    /// The fragment is stored until the other fragments of its datagram arrive.
    Kept,
    /// The fragment is dropped.
    Dropped {
        /// Reason of the drop.
        reason: DropReason,
        /// Whether the datagram's other fragments are dropped, too, so that the datagram's buffer is free.
        abandons_datagram: bool,
    },
}

/// A datagram whose fragments are being collected.
#[derive(Clone, Debug)]
struct PartialDatagram {
    expires_at: Time,
    /// Ranges of the stored fragments, in order and disjoint.
    ranges: Vec<(u16, u16)>,
    /// Number of stored bytes.
    bytes: usize,
    /// Length of the datagram including the UDP header, once known.
    end: Option<usize>,
    /// Largest end among the fragments that are not the last.
    inner_end: usize,
    header: Option<UdpHead>,
    is_abandoned: bool,
}

/// The incomplete datagrams of all senders.
#[derive(Clone, Debug)]
pub struct Reassembly {
    parameters: ReassemblyParameters,
    partial_datagrams: BTreeMap<DatagramKey, PartialDatagram>,
    timers: BTreeSet<(Time, DatagramKey)>,
    /// Number of stored bytes of all datagrams.
    bytes: usize,
    drops: DropCounts,
}

impl Reassembly {
    /// Returns a reassembly without datagrams.
    pub fn new(parameters: ReassemblyParameters) -> Reassembly {
        let (partial_datagrams, timers) = (BTreeMap::new(), BTreeSet::new());
        Reassembly { parameters, partial_datagrams, timers, bytes: 0, drops: DropCounts::default() }
    }

    /// Handles a fragment or a whole datagram that arrived. The caller must first have called [`Reassembly::expire`]
    /// for `now`.
    pub fn arrive(&mut self, packet: &Parsed, now: Time) -> Reassembled {
        let key = packet.key();
        if let (true, Some(header)) = (packet.is_whole(), packet.udp) {
            return Reassembled::Complete { key, length: header.payload, header };
        }
        if !self.partial_datagrams.contains_key(&key) && !self.start_datagram(key, now) {
            return self.count_drop(DropReason::NoSpace, false);
        }
        let free_bytes = self.parameters.bytes - self.bytes;
        let Some(partial) = self.partial_datagrams.get_mut(&key) else {
            return self.count_drop(DropReason::NoSpace, false);
        };
        match partial.check(packet, free_bytes) {
            Err(reason @ (DropReason::GivenUp | DropReason::Duplicate)) => self.count_drop(reason, false),
            Err(reason) => {
                self.bytes -= partial.abandon();
                self.count_drop(reason, true)
            }
            Ok(index) => {
                self.bytes += partial.store_range(index, packet);
                match partial.header_if_complete() {
                    Some(header) => {
                        self.remove_datagram(&key);
                        Reassembled::Complete { key, length: header.payload, header }
                    }
                    None => Reassembled::Kept,
                }
            }
        }
    }

    /// Starts a datagram, in place of an abandoned one if the table is full. Returns whether the datagram was started.
    fn start_datagram(&mut self, key: DatagramKey, now: Time) -> bool {
        if self.partial_datagrams.len() >= self.parameters.datagrams {
            let mut oldest = self.timers.iter().map(|(_, key)| *key);
            match oldest.find(|key| self.partial_datagrams.get(key).is_some_and(|partial| partial.is_abandoned)) {
                Some(abandoned_key) => self.remove_datagram(&abandoned_key),
                None => return false,
            }
        }
        let expires_at = now.saturating_add(self.parameters.lifetime);
        self.timers.insert((expires_at, key));
        self.partial_datagrams.insert(key, PartialDatagram::new(expires_at));
        true
    }

    fn remove_datagram(&mut self, key: &DatagramKey) {
        if let Some(partial) = self.partial_datagrams.remove(key) {
            self.timers.remove(&(partial.expires_at, *key));
            self.bytes -= partial.bytes;
        }
    }

    fn count_drop(&mut self, reason: DropReason, abandons_datagram: bool) -> Reassembled {
        self.drops.count(reason);
        Reassembled::Dropped { reason, abandons_datagram }
    }

    /// Returns the time of the next timer, at which [`Reassembly::expire`] is to be called.
    pub fn next_timer(&self) -> Option<Time> {
        self.timers.first().map(|(expires_at, _)| *expires_at)
    }

    /// Abandons the datagrams whose timer expired. Returns those whose bytes can be freed, oldest first.
    pub fn expire(&mut self, now: Time) -> Vec<DatagramKey> {
        let mut expired_keys = Vec::new();
        while let Some((_, key)) = self.timers.first().copied().filter(|(expires_at, _)| *expires_at <= now) {
            if self.partial_datagrams.get(&key).is_some_and(|partial| !partial.is_abandoned) {
                self.drops.count(DropReason::Expired);
                expired_keys.push(key);
            }
            self.remove_datagram(&key);
        }
        expired_keys
    }

    /// Returns the number of incomplete datagrams, including abandoned ones.
    pub fn datagrams(&self) -> usize {
        self.partial_datagrams.len()
    }

    /// Returns the number of stored bytes of all datagrams.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the counts of dropped fragments and datagrams.
    pub fn drops(&self) -> &DropCounts {
        &self.drops
    }
}

impl PartialDatagram {
    fn new(expires_at: Time) -> PartialDatagram {
        PartialDatagram {
            expires_at,
            ranges: Vec::new(),
            bytes: 0,
            end: None,
            inner_end: 0,
            header: None,
            is_abandoned: false,
        }
    }

    /// Returns the index at which the fragment's range belongs among the stored ranges, or the reason why the fragment
    /// is dropped.
    fn check(&self, packet: &Parsed, free_bytes: usize) -> Result<usize, DropReason> {
        let carried_range = packet.datagram_range();
        let range = (carried_range.start as u16, carried_range.end as u16);
        let index = self.ranges.partition_point(|(start, _)| *start < range.0);
        if self.is_abandoned {
            return Err(DropReason::GivenUp);
        }
        let is_last = self.end == Some(carried_range.end);
        if self.ranges.get(index) == Some(&range) && packet.more_fragments != is_last {
            return Err(DropReason::Duplicate);
        }
        self.check_length(packet)?;
        let starts_after_previous = index == 0 || self.ranges[index - 1].1 <= range.0;
        let ends_before_next = self.ranges.get(index).is_none_or(|(start, _)| range.1 <= *start);
        if !starts_after_previous || !ends_before_next {
            Err(DropReason::Overlap)
        } else if carried_range.len() > free_bytes {
            Err(DropReason::NoSpace)
        } else {
            Ok(index)
        }
    }

    /// Checks that a fragment agrees with the stored fragments and the UDP header about the datagram's length.
    fn check_length(&self, packet: &Parsed) -> Result<(), DropReason> {
        let carried_range = packet.datagram_range();
        let inner_end = if packet.more_fragments { self.inner_end.max(carried_range.end) } else { self.inner_end };
        let stated_ends = [
            self.end,
            (!packet.more_fragments).then_some(carried_range.end),
            packet.udp.map(|udp| UDP_HEADER + udp.payload),
        ];
        let mut ends = stated_ends.into_iter().flatten();
        let Some(end) = ends.next() else { return Ok(()) };
        if ends.all(|other| other == end) && inner_end < end { Ok(()) } else { Err(DropReason::Inconsistent) }
    }

    /// Stores the range of a fragment at index `index`, and returns its length.
    fn store_range(&mut self, index: usize, packet: &Parsed) -> usize {
        let carried_range = packet.datagram_range();
        self.ranges.insert(index, (carried_range.start as u16, carried_range.end as u16));
        self.bytes += carried_range.len();
        if packet.more_fragments {
            self.inner_end = self.inner_end.max(carried_range.end);
        } else {
            self.end = Some(carried_range.end);
        }
        if let Some(header) = packet.udp {
            (self.header, self.end) = (Some(header), Some(UDP_HEADER + header.payload));
        }
        carried_range.len()
    }

    /// Returns the UDP header if the datagram is complete.
    fn header_if_complete(&self) -> Option<UdpHead> {
        self.header.filter(|_| self.end == Some(self.bytes))
    }

    /// Drops the stored fragments, and returns the number of their bytes.
    fn abandon(&mut self) -> usize {
        let abandoned = PartialDatagram { is_abandoned: true, ..PartialDatagram::new(self.expires_at) };
        std::mem::replace(self, abandoned).bytes
    }
}
