//! Records spans up to a bound, and captures packets in a known format. A span states which resource served which
//! message, and when. Both are off by default.

use super::node::NodeId;
use super::time::Time;
use super::units::Bytes;
use std::cell::{Cell, RefCell};

/// A track of a timeline: one resource.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TrackId(pub u32);

/// An interval in which a resource served a message or another request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The resource.
    pub track: TrackId,
    /// The activity, in a word.
    pub what: &'static str,
    /// The message that was served, if any; its spans are connected by a flow.
    pub message: Option<u64>,
    /// The data moved.
    pub bytes: Bytes,
    /// The start.
    pub start: Time,
    /// The end.
    pub end: Time,
}

/// The label of a span: its activity, message and data, without its resource and time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SpanLabel {
    /// The activity, in a word.
    pub what: &'static str,
    /// The message that was served, if any.
    pub message: Option<u64>,
    /// The data moved.
    pub bytes: Bytes,
}

/// A track, which exists only if spans are kept.
#[derive(Clone, Copy, Default, Debug)]
pub struct Track(Option<TrackId>);

/// The spans of a run, in the order in which they ended.
#[derive(Clone, Default, Debug)]
pub struct Timeline {
    /// The names of the tracks, as (group, track): a node and one of its resources.
    pub tracks: Vec<(String, String)>,
    /// The spans.
    pub spans: Vec<Span>,
    /// The number of spans that were not kept because of the bound.
    pub dropped: u64,
}

impl Timeline {
    /// Returns the spans of the track `name` of `group`, or `None` if there is no such track.
    pub fn on(&self, group: &str, name: &str) -> Option<impl Iterator<Item = &Span>> {
        let track = self.tracks.iter().position(|(of, track)| of == group && track == name)?;
        Some(self.spans.iter().filter(move |span| span.track.0 as usize == track))
    }
}

/// A packet that has left a node, byte for byte.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CapturedPacket {
    /// The node.
    pub node: NodeId,
    /// The instant at which its last byte had left.
    pub at: Time,
    /// The bytes of the packet.
    pub bytes: Vec<u8>,
}

/// Records spans, messages and packets, each only if enabled.
#[derive(Default)]
pub struct Recorder {
    spans_max: Cell<usize>,
    timeline: RefCell<Timeline>,
    captures: bool,
    messages: bool,
    packets: RefCell<Vec<CapturedPacket>>,
}

impl Recorder {
    /// Returns a recorder that records nothing.
    pub fn off() -> Recorder {
        Recorder::default()
    }

    /// Returns a recorder that keeps the first `spans_max` spans and counts the rest.
    pub fn keeping(spans_max: usize) -> Recorder {
        Recorder { spans_max: Cell::new(spans_max), ..Recorder::default() }
    }

    /// Returns the recorder set to capture packets.
    pub fn with_packets(self) -> Recorder {
        Recorder { captures: true, ..self }
    }

    /// Returns the recorder set to keep every delivered message, without a limit.
    pub fn with_messages(self) -> Recorder {
        Recorder { messages: true, ..self }
    }

    /// Returns whether every message is kept.
    pub fn keeps_messages(&self) -> bool {
        self.messages
    }

    /// Keeps a packet, if packets are kept.
    pub fn packet(&self, passed: impl FnOnce() -> CapturedPacket) {
        if self.captures {
            self.packets.borrow_mut().push(passed());
        }
    }

    /// Takes the packets recorded so far.
    pub fn take_packets(&self) -> Vec<CapturedPacket> {
        std::mem::take(&mut *self.packets.borrow_mut())
    }

    /// Returns whether spans are kept.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.spans_max.get() > 0
    }

    /// Adds a track for the resource `name` of `group`.
    pub fn track(&self, group: &str, name: &str) -> TrackId {
        let mut timeline = self.timeline.borrow_mut();
        timeline.tracks.push((group.to_owned(), name.to_owned()));
        TrackId(timeline.tracks.len() as u32 - 1)
    }

    /// Adds a track for the resource `name` of `group`, if spans are kept.
    pub fn register_track(&self, group: &str, name: &str) -> Track {
        Track(self.is_on().then(|| self.track(group, name)))
    }

    /// Returns whether spans of a track are kept.
    #[inline]
    pub fn keeps(&self, track: Track) -> bool {
        track.0.is_some()
    }

    /// Records a span on `track`, if spans are kept.
    #[inline]
    pub fn record_span(&self, track: Track, span_label: SpanLabel, start: Time, end: Time) {
        if let Track(Some(track)) = track {
            let SpanLabel { what, message, bytes } = span_label;
            self.keep(Span { track, what, message, bytes, start, end });
        }
    }

    /// Returns whether the number of spans is at its limit, so that further spans are only counted.
    pub fn is_full(&self) -> bool {
        self.timeline.borrow().spans.len() >= self.spans_max.get()
    }

    /// Counts spans that were not created because they would not be kept.
    pub fn drop_spans(&self, spans: u64) {
        self.timeline.borrow_mut().dropped += spans;
    }

    /// Keeps a span.
    #[inline]
    pub fn span(&self, span: Span) {
        if self.is_on() {
            self.keep(span);
        }
    }

    fn keep(&self, span: Span) {
        debug_assert!(span.start <= span.end, "a span does not end before it starts");
        let mut timeline = self.timeline.borrow_mut();
        match timeline.spans.len() < self.spans_max.get() {
            true => timeline.spans.push(span),
            false => timeline.dropped += 1,
        }
    }

    /// Takes the spans recorded so far.
    pub fn take(&self) -> Timeline {
        std::mem::take(&mut *self.timeline.borrow_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(recorder: &Recorder, end: u64) {
        let track = TrackId(0);
        let (start, end) = (Time::ZERO, Time::from_ps(end));
        recorder.span(Span { track, what: "burst", message: None, bytes: Bytes(8), start, end });
    }

    #[test]
    fn a_recorder_keeps_no_more_spans_than_its_bound() {
        let recorder = Recorder::keeping(2);
        assert_eq!(recorder.track("node 0", "bus"), TrackId(0));
        (1..=5).for_each(|end| span(&recorder, end));
        let timeline = recorder.take();
        assert_eq!(timeline.spans.iter().map(|span| span.end.ps()).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((timeline.dropped, timeline.tracks.len()), (3, 1));
    }

    #[test]
    fn a_recorder_that_is_off_keeps_nothing_and_allocates_nothing() {
        let recorder = Recorder::off();
        (1..=5).for_each(|end| span(&recorder, end));
        let timeline = recorder.take();
        assert_eq!((timeline.spans.capacity(), timeline.dropped), (0, 0));
    }
}
