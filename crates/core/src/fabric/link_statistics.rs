//! Statistics of one direction of a link that carries one packet at a time. The statistics are the time for which
//! packets held the link, the time for which bytes crossed it, and a span for each packet from its first byte to its
//! last.
//!
//! The fabric, not this module, models arbitration and delays.

use super::packet::Packet;
use super::port::LinkUse;
use crate::engine::{BusyTime, Sim, SpanLabel, Time, Track};
use std::cell::Cell;

/// The group of the tracks of links.
pub(super) const TRACK_GROUP: &str = "fabric";

/// One direction of a link.
pub(super) struct LinkStatistics {
    sim: Sim,
    name: String,
    busy: BusyTime,
    hold_start: Cell<Time>,
    active_time: Cell<Time>,
    /// Track of the link's spans, which is registered with the first span.
    track: Cell<Option<Track>>,
}

impl LinkStatistics {
    /// Creates an idle link.
    pub fn new(sim: &Sim, name: String) -> LinkStatistics {
        let (busy, hold_start, active_time, track) = Default::default();
        LinkStatistics { sim: sim.clone(), name, busy, hold_start, active_time, track }
    }

    /// Returns the link's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Records that a packet holds the link from now on.
    pub fn hold(&self) {
        self.hold_since(self.sim.now());
    }

    /// Records that a packet has held the link since `since`.
    pub fn hold_since(&self, since: Time) {
        self.hold_start.set(since);
        self.busy.begin(since);
    }

    /// Records that bytes crossed the link for `time`.
    pub fn add_transfer(&self, time: Time) {
        self.active_time.set(self.active_time.get() + time);
    }

    /// Records that the packet has left the link.
    pub fn release(&self, packet: &Packet) {
        let now = self.sim.now();
        self.busy.end(now);
        let recorder = self.sim.recorder();
        if recorder.is_on() {
            recorder.record_span(self.track(), span_label(packet), self.hold_start.get(), now);
        }
    }

    fn track(&self) -> Track {
        let track = self.track.get().unwrap_or_else(|| self.sim.recorder().register_track(TRACK_GROUP, &self.name));
        self.track.set(Some(track));
        track
    }

    /// Returns the use of the link until now.
    pub fn link_use(&self) -> LinkUse {
        LinkUse { name: self.name.clone(), busy: self.busy.total(self.sim.now()), active: self.active_time.get() }
    }
}

/// Returns the label of a packet's spans. A packet without bytes is a control packet of the protocol.
pub(super) fn span_label(packet: &Packet) -> SpanLabel {
    let label = if packet.bytes().is_empty() { "control" } else { "packet" };
    SpanLabel { activity: label, message: packet.journey.id(), bytes: packet.label().length }
}
