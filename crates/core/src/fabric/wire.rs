//! One direction of a link, as instruments know it: for how long packets held it, how long of that their
//! bytes crossed it, and a span for each packet, from its first byte to its last.
//!
//! One packet at a time. Leaves out the link itself, which is the fabric's.

use super::packet::Packet;
use super::port::LinkUse;
use crate::engine::{Busy, Sim, SpanLabel, Time, Track};
use std::cell::Cell;

/// The group of the tracks of links.
pub(super) const GROUP: &str = "fabric";

/// One direction of a link.
pub(super) struct Wire {
    sim: Sim,
    name: String,
    held: Busy,
    since: Cell<Time>,
    moved: Cell<Time>,
    /// Once it was crossed, and spans are kept.
    track: Cell<Option<Track>>,
}

impl Wire {
    /// An idle one.
    pub fn new(sim: &Sim, name: String) -> Wire {
        let (held, since, moved, track) = Default::default();
        Wire { sim: sim.clone(), name, held, since, moved, track }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A packet has it.
    pub fn take(&self) {
        self.take_since(self.sim.now());
    }

    /// A packet has had it since an instant.
    pub fn take_since(&self, since: Time) {
        self.since.set(since);
        self.held.begin(since);
    }

    /// Bytes have crossed it, which takes so long at its rate.
    pub fn moves(&self, time: Time) {
        self.moved.set(self.moved.get() + time);
    }

    /// The packet has left it.
    pub fn let_go(&self, packet: &Packet) {
        let now = self.sim.now();
        self.held.end(now);
        let recorder = self.sim.recorder();
        if recorder.is_on() {
            recorder.record_span(self.track(), span_label(packet), self.since.get(), now);
        }
    }

    fn track(&self) -> Track {
        let track = self.track.get().unwrap_or_else(|| self.sim.recorder().register_track(GROUP, &self.name));
        self.track.set(Some(track));
        track
    }

    /// How it was used.
    pub fn used(&self) -> LinkUse {
        LinkUse { name: self.name.clone(), held: self.held.total(self.sim.now()), moving: self.moved.get() }
    }
}

/// What spans tell of a packet: one without bytes is a protocol's.
pub(super) fn span_label(packet: &Packet) -> SpanLabel {
    let what = if packet.bytes().is_empty() { "control" } else { "packet" };
    SpanLabel { what, message: packet.journey.id(), bytes: packet.label().length }
}
