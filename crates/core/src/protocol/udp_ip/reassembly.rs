//! Datagrams put together from fragments that come in any order, without their bytes.
//!
//! Models: ranges only. Whoever has the bytes puts each fragment's where [`Parsed::place`] says,
//! straight into the reader's buffer if he likes, and is told when all are there.
//!
//! * **Which belong together**: source, destination, identification (and UDP: nothing else comes here).
//! * **Duplicates** of a fragment, of the same range, are dropped alone (RFC 8200, section 4.5, allows
//!   it). One that comes after its datagram is complete begins a new one, which the timer ends.
//! * **Overlaps** give the whole datagram up, "including those not yet received" (RFC 5722, there for
//!   IPv6): its identification is dropped until the timer. So do fragments that contradict each
//!   other, or UDP's header, about where the datagram ends.
//! * **The timer** runs from the first fragment that came, whichever that is, and is not set anew
//!   (RFC 1122, section 3.3.2).
//! * **Memory**: at most so many datagrams, those given up counted, and so many bytes of theirs. A
//!   datagram given up makes room for a new one; otherwise what finds no room is dropped, a
//!   datagram under way with it, since nobody sends its fragment again.
//!
//! What it leaves out: bytes that differ between duplicates; ICMP's word to the sender; fairness
//! between senders.

use super::{DropReason, Drops, Parsed, UDP_HEADER, UdpHead};
use crate::engine::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

/// What the fragments of a datagram have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DatagramKey {
    /// Who sent it.
    pub from: Ipv4Addr,
    /// Whom it is for.
    pub to: Ipv4Addr,
    /// What tells it from the others between these two.
    pub identification: u16,
}

/// What a reassembly has room for, and how long it waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReassemblyParameters {
    /// The datagrams that are known at once, those given up counted.
    pub datagrams: usize,
    /// The bytes of fragments that are kept at once, UDP's headers counted.
    pub bytes: usize,
    /// How long after its first fragment a datagram is given up.
    pub lifetime: Time,
}

/// What became of a fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reassembled {
    /// All of its datagram is there.
    Complete {
        /// Which it is.
        key: DatagramKey,
        /// The bytes of its payload.
        length: usize,
        /// UDP's header.
        header: UdpHead,
    },
    /// It is kept for the others of its datagram.
    Kept,
    /// It is dropped.
    Dropped {
        /// Why.
        reason: DropReason,
        /// All that was kept of its datagram is dropped with it: its buffer is free.
        gives_up: bool,
    },
}

/// A datagram of which fragments came.
#[derive(Clone, Debug)]
struct Gathering {
    due: Time,
    /// What came, in order; no two touch a byte in common.
    ranges: Vec<(u16, u16)>,
    /// The bytes that came.
    bytes: usize,
    /// Where it ends, once that is known.
    end: Option<usize>,
    /// The furthest end of fragments that others follow.
    reach: usize,
    header: Option<UdpHead>,
    given_up: bool,
}

/// The datagrams that are not complete, of all senders.
#[derive(Clone, Debug)]
pub struct Reassembly {
    parameters: ReassemblyParameters,
    gathering: BTreeMap<DatagramKey, Gathering>,
    timers: BTreeSet<(Time, DatagramKey)>,
    /// The bytes of all datagrams.
    bytes: usize,
    drops: Drops,
}

impl Reassembly {
    /// One that knows no datagram yet.
    pub fn new(parameters: ReassemblyParameters) -> Reassembly {
        let (gathering, timers) = (BTreeMap::new(), BTreeSet::new());
        Reassembly { parameters, gathering, timers, bytes: 0, drops: Drops::default() }
    }

    /// A fragment came, or a datagram that is whole. Whoever calls has asked [`Reassembly::expires`] before.
    pub fn arrive(&mut self, packet: &Parsed, now: Time) -> Reassembled {
        let key = packet.key();
        if let (true, Some(header)) = (packet.is_whole(), packet.udp) {
            return Reassembled::Complete { key, length: header.payload, header };
        }
        if !self.gathering.contains_key(&key) && !self.begins(key, now) {
            return self.dropped(DropReason::NoRoom, false);
        }
        let room = self.parameters.bytes - self.bytes;
        let Some(gathering) = self.gathering.get_mut(&key) else { return self.dropped(DropReason::NoRoom, false) };
        match gathering.check(packet, room) {
            Err(reason @ (DropReason::GivenUp | DropReason::Duplicate)) => self.dropped(reason, false),
            Err(reason) => {
                self.bytes -= gathering.give_up();
                self.dropped(reason, true)
            }
            Ok(place) => {
                self.bytes += gathering.take(place, packet);
                match gathering.complete() {
                    Some(header) => {
                        self.forget(&key);
                        Reassembled::Complete { key, length: header.payload, header }
                    }
                    None => Reassembled::Kept,
                }
            }
        }
    }

    /// Makes room for one more datagram, of one that was given up if need be.
    fn begins(&mut self, key: DatagramKey, now: Time) -> bool {
        if self.gathering.len() >= self.parameters.datagrams {
            let mut oldest = self.timers.iter().map(|(_, key)| *key);
            match oldest.find(|key| self.gathering.get(key).is_some_and(|of| of.given_up)) {
                Some(given_up) => self.forget(&given_up),
                None => return false,
            }
        }
        let due = now.saturating_add(self.parameters.lifetime);
        self.timers.insert((due, key));
        self.gathering.insert(key, Gathering::new(due));
        true
    }

    fn forget(&mut self, key: &DatagramKey) {
        if let Some(gathering) = self.gathering.remove(key) {
            self.timers.remove(&(gathering.due, *key));
            self.bytes -= gathering.bytes;
        }
    }

    fn dropped(&mut self, reason: DropReason, gives_up: bool) -> Reassembled {
        self.drops.count(reason);
        Reassembled::Dropped { reason, gives_up }
    }

    /// When to ask [`Reassembly::expires`] next, if at all.
    pub fn next_timer(&self) -> Option<Time> {
        self.timers.first().map(|(due, _)| *due)
    }

    /// Gives up what has waited for too long: the datagrams whose bytes nobody needs any more, oldest first.
    pub fn expires(&mut self, now: Time) -> Vec<DatagramKey> {
        let mut expired = Vec::new();
        while let Some((_, key)) = self.timers.first().copied().filter(|(due, _)| *due <= now) {
            if self.gathering.get(&key).is_some_and(|of| !of.given_up) {
                self.drops.count(DropReason::Expired);
                expired.push(key);
            }
            self.forget(&key);
        }
        expired
    }

    /// How many datagrams are known, those given up counted.
    pub fn datagrams(&self) -> usize {
        self.gathering.len()
    }

    /// How many bytes of theirs came.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What it dropped.
    pub fn drops(&self) -> &Drops {
        &self.drops
    }
}

impl Gathering {
    fn new(due: Time) -> Gathering {
        Gathering { due, ranges: Vec::new(), bytes: 0, end: None, reach: 0, header: None, given_up: false }
    }

    /// Where a fragment's range goes among the others, or why it cannot.
    fn check(&self, packet: &Parsed, room: usize) -> Result<usize, DropReason> {
        let carried = packet.carried();
        let range = (carried.start as u16, carried.end as u16);
        let place = self.ranges.partition_point(|(start, _)| *start < range.0);
        if self.given_up {
            return Err(DropReason::GivenUp);
        }
        let is_last = self.end == Some(carried.end);
        if self.ranges.get(place) == Some(&range) && packet.more != is_last {
            return Err(DropReason::Duplicate);
        }
        self.agrees(packet)?;
        let is_before = place == 0 || self.ranges[place - 1].1 <= range.0;
        let is_behind = self.ranges.get(place).is_none_or(|(start, _)| range.1 <= *start);
        if !is_before || !is_behind {
            Err(DropReason::Overlap)
        } else if carried.len() > room {
            Err(DropReason::NoRoom)
        } else {
            Ok(place)
        }
    }

    /// Whether a fragment ends the datagram where the others do, and UDP's header, or lies before that end.
    fn agrees(&self, packet: &Parsed) -> Result<(), DropReason> {
        let carried = packet.carried();
        let reach = if packet.more { self.reach.max(carried.end) } else { self.reach };
        let told = [self.end, (!packet.more).then_some(carried.end), packet.udp.map(|udp| UDP_HEADER + udp.payload)];
        let mut ends = told.into_iter().flatten();
        let Some(end) = ends.next() else { return Ok(()) };
        if ends.all(|other| other == end) && reach < end { Ok(()) } else { Err(DropReason::Inconsistent) }
    }

    /// Takes a fragment that fits; tells its bytes.
    fn take(&mut self, place: usize, packet: &Parsed) -> usize {
        let carried = packet.carried();
        self.ranges.insert(place, (carried.start as u16, carried.end as u16));
        self.bytes += carried.len();
        if packet.more {
            self.reach = self.reach.max(carried.end);
        } else {
            self.end = Some(carried.end);
        }
        if let Some(header) = packet.udp {
            (self.header, self.end) = (Some(header), Some(UDP_HEADER + header.payload));
        }
        carried.len()
    }

    /// UDP's header, if all is there.
    fn complete(&self) -> Option<UdpHead> {
        self.header.filter(|_| self.end == Some(self.bytes))
    }

    /// Drops what came; tells how many bytes that was.
    fn give_up(&mut self) -> usize {
        let given_up = Gathering { given_up: true, ..Gathering::new(self.due) };
        std::mem::replace(self, given_up).bytes
    }
}
