//! A recorder keeps spans up to a bound, and captures packets whose byte format is known. A span states which resource
//! served which message, and when. Recording and capturing are off by default. Spans are kept in memory, or leave in
//! blocks for a [`SpanSink`], so that the memory does not grow with their number.

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
    pub activity: &'static str,
    /// The message that was served, if any; a trace viewer connects all spans of a message.
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
    pub activity: &'static str,
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
    pub fn spans_on(&self, group: &str, name: &str) -> Option<impl Iterator<Item = &Span>> {
        let track = self.tracks.iter().position(|(known_group, track)| known_group == group && track == name)?;
        Some(self.spans.iter().filter(move |span| span.track.0 as usize == track))
    }
}

/// The number of spans that leave a recorder together for a [`SpanSink`].
pub const SPANS_PER_BLOCK: usize = 4096;

/// A consumer of spans, which leave the recorder in blocks while the simulation runs.
pub trait SpanSink: Send {
    /// Consumes the next spans, in the order in which they ended. `tracks` has the names of all tracks created so far.
    fn consume(&mut self, tracks: &[(String, String)], spans: &[Span]);
}

/// A packet that has left a node, byte for byte.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CapturedPacket {
    /// The node.
    pub node: NodeId,
    /// The instant at which the packet's last byte had left.
    pub time: Time,
    /// The bytes of the packet.
    pub bytes: Vec<u8>,
}

/// Records spans, messages and packets, each only if enabled.
#[derive(Default)]
pub struct Recorder {
    spans_max: usize,
    /// The number of spans that the timeline holds before they leave for the sink, or before further ones are dropped.
    buffered_max: Cell<usize>,
    /// The number of spans that left for the sink.
    consumed_count: Cell<usize>,
    timeline: RefCell<Timeline>,
    sink: RefCell<Option<Box<dyn SpanSink>>>,
    captures_packets: bool,
    messages_max: usize,
    packets: RefCell<Vec<CapturedPacket>>,
}

impl Recorder {
    /// Returns a recorder that records nothing.
    pub fn off() -> Recorder {
        Recorder::default()
    }

    /// Returns a recorder that keeps the first `spans_max` spans and counts the rest.
    pub fn with_spans_max(spans_max: usize) -> Recorder {
        Recorder { spans_max, buffered_max: Cell::new(spans_max), ..Recorder::default() }
    }

    /// Returns a recorder whose first `spans_max` spans leave for `sink` in blocks, and which counts the rest.
    pub fn streaming(spans_max: usize, sink: Box<dyn SpanSink>) -> Recorder {
        let buffered_max = Cell::new(spans_max.min(SPANS_PER_BLOCK));
        Recorder { spans_max, buffered_max, sink: RefCell::new(Some(sink)), ..Recorder::default() }
    }

    /// Returns this recorder, set to capture packets.
    pub fn with_packets(self) -> Recorder {
        Recorder { captures_packets: true, ..self }
    }

    /// Returns this recorder, set to keep every delivered message with its ledger.
    pub fn with_messages(self) -> Recorder {
        self.with_first_messages(usize::MAX)
    }

    /// Returns this recorder, set to keep the first `messages_max` delivered messages with their ledgers.
    pub fn with_first_messages(self, messages_max: usize) -> Recorder {
        Recorder { messages_max, ..self }
    }

    /// Returns the number of delivered messages that are kept: the first ones.
    pub fn messages_max(&self) -> usize {
        self.messages_max
    }

    /// Keeps a packet, if packets are captured.
    pub fn capture_packet(&self, packet: impl FnOnce() -> CapturedPacket) {
        if self.captures_packets {
            self.packets.borrow_mut().push(packet());
        }
    }

    /// Takes the packets recorded so far.
    pub fn take_packets(&self) -> Vec<CapturedPacket> {
        std::mem::take(&mut *self.packets.borrow_mut())
    }

    /// Returns whether spans are kept.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.spans_max > 0
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
    pub fn keeps_spans_of(&self, track: Track) -> bool {
        track.0.is_some()
    }

    /// Records a span on `track`, if spans are kept.
    #[inline]
    pub fn record_span(&self, track: Track, span_label: SpanLabel, start: Time, end: Time) {
        if let Track(Some(track)) = track {
            let SpanLabel { activity, message, bytes } = span_label;
            self.keep_span(Span { track, activity, message, bytes, start, end });
        }
    }

    /// Returns whether the number of spans is at its limit, so that further spans are only counted.
    pub fn is_full(&self) -> bool {
        self.consumed_count.get() + self.timeline.borrow().spans.len() >= self.spans_max
    }

    /// Counts spans that were not created because they would not be kept.
    pub fn drop_spans(&self, spans: u64) {
        self.timeline.borrow_mut().dropped += spans;
    }

    /// Keeps a span.
    #[inline]
    pub fn span(&self, span: Span) {
        if self.is_on() {
            self.keep_span(span);
        }
    }

    fn keep_span(&self, span: Span) {
        debug_assert!(span.start <= span.end, "a span does not end before it starts");
        let mut timeline = self.timeline.borrow_mut();
        if timeline.spans.len() >= self.buffered_max.get() && !self.pass_to_sink(&mut timeline) {
            timeline.dropped += 1;
            return;
        }
        timeline.spans.push(span);
    }

    /// Passes the spans of `timeline` to the sink, if there is one. Returns whether another span can be kept.
    #[cold]
    fn pass_to_sink(&self, timeline: &mut Timeline) -> bool {
        let Some(sink) = &mut *self.sink.borrow_mut() else { return false };
        if !timeline.spans.is_empty() {
            sink.consume(&timeline.tracks, &timeline.spans);
            self.consumed_count.set(self.consumed_count.get() + timeline.spans.len());
            timeline.spans.clear();
            self.buffered_max.set(SPANS_PER_BLOCK.min(self.spans_max - self.consumed_count.get()));
        }
        self.buffered_max.get() > 0
    }

    /// Takes the spans recorded so far. If there is a sink, it has all spans afterwards, and the timeline has none.
    pub fn take(&self) -> Timeline {
        let mut timeline = self.timeline.borrow_mut();
        self.pass_to_sink(&mut timeline);
        std::mem::take(&mut *timeline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    fn record_span_until(recorder: &Recorder, end: u64) {
        let track = TrackId(0);
        let (start, end) = (Time::ZERO, Time::from_ps(end));
        recorder.span(Span { track, activity: "burst", message: None, bytes: Bytes(8), start, end });
    }

    #[test]
    fn a_recorder_keeps_no_more_spans_than_its_bound() {
        let recorder = Recorder::with_spans_max(2);
        assert_eq!(recorder.track("node 0", "bus"), TrackId(0));
        (1..=5).for_each(|end| record_span_until(&recorder, end));
        let timeline = recorder.take();
        assert_eq!(timeline.spans.iter().map(|span| span.end.ps()).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((timeline.dropped, timeline.tracks.len()), (3, 1));
    }

    /// A sink that keeps the ends of its spans, by block.
    #[derive(Clone, Default)]
    struct EndSink(Arc<Mutex<Vec<Vec<u64>>>>);

    impl SpanSink for EndSink {
        fn consume(&mut self, tracks: &[(String, String)], spans: &[Span]) {
            assert!(spans.iter().all(|span| (span.track.0 as usize) < tracks.len()));
            self.0.lock().expect("the lock is not poisoned").push(spans.iter().map(|span| span.end.ps()).collect());
        }
    }

    #[test]
    fn a_sink_receives_the_first_spans_in_blocks_and_the_timeline_has_none() {
        let (end_sink, spans_max) = (EndSink::default(), 2 * SPANS_PER_BLOCK as u64 + 5);
        let recorder = Recorder::streaming(spans_max as usize, Box::new(end_sink.clone()));
        recorder.track("node 0", "bus");
        (1..=spans_max - 5).for_each(|end| record_span_until(&recorder, end));
        assert!(!recorder.is_full());
        (spans_max - 4..=spans_max + 3).for_each(|end| record_span_until(&recorder, end));
        assert!(recorder.is_full());
        let timeline = recorder.take();
        assert_eq!((timeline.spans.len(), timeline.tracks.len(), timeline.dropped), (0, 1, 3));
        let blocks = end_sink.0.lock().expect("the lock is not poisoned");
        let sizes: Vec<usize> = blocks.iter().map(Vec::len).collect();
        assert_eq!(sizes, [SPANS_PER_BLOCK, SPANS_PER_BLOCK, 5]);
        assert_eq!(blocks.concat(), (1..=spans_max).collect::<Vec<_>>());
    }

    #[test]
    fn a_recorder_that_is_off_keeps_nothing_and_allocates_nothing() {
        let recorder = Recorder::off();
        (1..=5).for_each(|end| record_span_until(&recorder, end));
        let timeline = recorder.take();
        assert_eq!((timeline.spans.capacity(), timeline.dropped), (0, 0));
    }
}
