//! Writer of a timeline in Perfetto's binary form, while the simulation runs and in bounded memory.
//!
//! The trace has a group of tracks for each group of the timeline, a track for each lane of a track, and the same
//! slices and flows as the JSON form. Timestamps are whole nanoseconds, Perfetto's unit, rounded down. If the duration
//! of a span is not a whole number of nanoseconds, the span has its duration as the annotation `duration_ps`. A span
//! of zero length is an instant event. The annotations `bytes` and `message` are left out where there is no data or
//! message; the rate follows from bytes and duration.
//!
//! A recorder passes spans in the order in which they ended, and a track's events are written in order of time. A span
//! is therefore held until eight further blocks of spans have arrived. If a span ends so late that spans of its track
//! with later starts have already been written, it goes to another lane; this happens in no shipped example.

use super::packet::{self, EventType, Packets, SpanEvent};
use narrows_core::engine::{Span, SpanSink, Time};
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The size in bytes from which the encoded packets are written.
const WRITE_BYTES: usize = 64 << 10;

/// The number of further blocks of spans after which a span is written. In `nifdy` a packet may wait for so long that
/// five blocks of spans end before it leaves its port.
const HELD_BLOCKS: u64 = 8;

/// The largest number of spans of a track that are held.
const HELD_MAX: usize = 64 << 10;

/// The number of lanes of a track that have separate sort ranks; further lanes share the last rank.
const LANE_RANKS: u64 = 64;

/// A trace that is written while its spans are recorded. Clones write to the same trace.
pub struct BinaryTrace<W>(Arc<Mutex<Writer<W>>>);

impl<W> Clone for BinaryTrace<W> {
    fn clone(&self) -> BinaryTrace<W> {
        BinaryTrace(self.0.clone())
    }
}

impl<W: Write> BinaryTrace<W> {
    /// Starts a trace, which is written to `out` in blocks of at least 64 KiB.
    pub fn new(out: W) -> BinaryTrace<W> {
        BinaryTrace(Arc::new(Mutex::new(Writer::new(out))))
    }

    /// Writes the rest of the trace after its last span, and returns the number of spans. `dropped` is the number
    /// of spans that were not recorded. Equal spans give equal bytes.
    ///
    /// # Errors
    ///
    /// Returns the first error of writing the trace.
    pub fn finish(self, dropped: u64) -> io::Result<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).finish(dropped)
    }
}

impl<W: Write + Send> SpanSink for BinaryTrace<W> {
    fn consume(&mut self, tracks: &[(String, String)], spans: &[Span]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).consume(tracks, spans);
    }
}

struct Writer<W> {
    out: W,
    /// The first error of `out`; nothing is written after it.
    error: Option<io::Error>,
    /// The encoded packets that are not written yet.
    packets: Packets,
    tracks: Vec<TrackState>,
    /// The numbers of the tracks with held spans.
    tracks_with_held_spans: Vec<usize>,
    /// The number of blocks of spans that arrived before the current one.
    block_index: u64,
    span_count: u64,
    identifiers: Identifiers,
}

/// The UUIDs of groups, and the numbers of tracks and sequences that have been assigned.
#[derive(Default)]
struct Identifiers {
    groups: HashMap<String, u64>,
    track_count: u64,
    sequence_count: u32,
}

/// A track of the timeline.
struct TrackState {
    group: String,
    name: String,
    /// The spans that are not written yet, by start, the longer first, with the blocks in which they arrived.
    held_spans: VecDeque<(u64, Span)>,
    lanes: Vec<Lane>,
}

/// A lane of a track: spans that are nested or disjoint.
struct Lane {
    sequence: u32,
    /// The timestamp of the last event, in nanoseconds.
    last_ns: u64,
    /// The time of the last event.
    last_time: Time,
    /// The ends of the spans that have not ended, all of them after `last_time`; the innermost is last.
    open_ends: Vec<Time>,
    /// The names that the sequence has defined, whose numbers start from 1.
    names: Vec<&'static str>,
}

impl<W: Write> Writer<W> {
    fn new(out: W) -> Writer<W> {
        let mut packets = Packets::default();
        packet::push_root(&mut packets);
        Writer {
            out,
            error: None,
            packets,
            tracks: Vec::new(),
            tracks_with_held_spans: Vec::new(),
            block_index: 0,
            span_count: 0,
            identifiers: Identifiers::default(),
        }
    }

    fn consume(&mut self, tracks: &[(String, String)], spans: &[Span]) {
        if self.error.is_some() {
            return;
        }
        let new_tracks = tracks[self.tracks.len()..].iter().map(|(group, name)| TrackState::new(group, name));
        self.tracks.extend(new_tracks);
        for span in spans {
            let index = span.track.0 as usize;
            let track = &mut self.tracks[index];
            if track.held_spans.is_empty() {
                self.tracks_with_held_spans.push(index);
            }
            track.hold_span(self.block_index, span);
        }
        self.span_count += spans.len() as u64;
        self.block_index += 1;
        self.write_spans(self.block_index.saturating_sub(HELD_BLOCKS));
    }

    fn finish(&mut self, dropped: u64) -> io::Result<u64> {
        self.write_spans(u64::MAX);
        for track in &mut self.tracks {
            for lane in &mut track.lanes {
                lane.write_ends(Time::MAX, &mut self.packets);
            }
            write_if_long(&mut self.out, &mut self.error, &mut self.packets);
        }
        packet::push_dropped_spans(&mut self.packets, dropped);
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.write_all(self.packets.bytes()).and_then(|()| self.out.flush()).map(|()| self.span_count),
        }
    }

    /// Writes the held spans that arrived before `block_index`.
    fn write_spans(&mut self, block_index: u64) {
        let mut tracks_with_held_spans = std::mem::take(&mut self.tracks_with_held_spans);
        tracks_with_held_spans.retain(|&index| {
            let track = &mut self.tracks[index];
            track.write_spans(index, block_index, &mut self.identifiers, &mut self.packets);
            write_if_long(&mut self.out, &mut self.error, &mut self.packets);
            !track.held_spans.is_empty()
        });
        self.tracks_with_held_spans = tracks_with_held_spans;
    }
}

/// Writes `packets` if they are long enough, and empties them. After an error they are only emptied.
fn write_if_long(out: &mut impl Write, error: &mut Option<io::Error>, packets: &mut Packets) {
    if packets.bytes().len() >= WRITE_BYTES {
        if error.is_none() {
            *error = out.write_all(packets.bytes()).err();
        }
        packets.clear();
    }
}

impl TrackState {
    fn new(group: &str, name: &str) -> TrackState {
        TrackState { group: group.to_owned(), name: name.to_owned(), held_spans: VecDeque::new(), lanes: Vec::new() }
    }

    /// Holds `span`, after those that start before it.
    #[inline]
    fn hold_span(&mut self, block_index: u64, span: &Span) {
        let key = |span: &Span| (span.start, Reverse(span.end));
        if self.held_spans.back().is_none_or(|(_, last)| key(last) <= key(span)) {
            return self.held_spans.push_back((block_index, span.clone()));
        }
        let position = self.held_spans.partition_point(|(_, held_span)| key(held_span) <= key(span));
        self.held_spans.insert(position, (block_index, span.clone()));
    }

    /// Writes held spans in order of start, as long as the next one arrived before the block `block_index`, or more
    /// than [`HELD_MAX`] spans are held.
    fn write_spans(&mut self, index: usize, block_index: u64, identifiers: &mut Identifiers, packets: &mut Packets) {
        while self.held_spans.front().is_some_and(|&(arrival_block, _)| arrival_block < block_index)
            || self.held_spans.len() > HELD_MAX
        {
            let Some((_, span)) = self.held_spans.pop_front() else { return };
            let lane = self.lanes.iter_mut().position(|lane| lane.prepare_for_span(&span, packets));
            let lane = lane.unwrap_or_else(|| {
                let lane = self.add_lane(index, identifiers, packets);
                self.lanes.push(lane);
                self.lanes.len() - 1
            });
            self.lanes[lane].write(&span, packets);
        }
    }

    /// Creates a further lane of this track, and writes the description of the lane; `index` is the number of the track
    /// in the timeline.
    fn add_lane(&self, index: usize, identifiers: &mut Identifiers, packets: &mut Packets) -> Lane {
        let group = identifiers.group(&self.group, packets);
        let name = match self.lanes.len() {
            0 => self.name.clone(),
            lanes => format!("{} ({})", self.name, lanes + 1),
        };
        let rank = index as u64 * LANE_RANKS + (self.lanes.len() as u64).min(LANE_RANKS - 1);
        let uuid = identifiers.next_uuid();
        packet::push_track(packets, uuid, group, &name, rank.min(i32::MAX as u64));
        identifiers.sequence_count += 1;
        packet::push_sequence(packets, identifiers.sequence_count, uuid);
        Lane {
            sequence: identifiers.sequence_count,
            last_ns: 0,
            last_time: Time::ZERO,
            open_ends: Vec::new(),
            names: Vec::new(),
        }
    }
}

impl Identifiers {
    fn next_uuid(&mut self) -> u64 {
        self.track_count += 1;
        self.track_count
    }

    /// Returns the number of the group `name`, which is described if it is new.
    fn group(&mut self, name: &str, packets: &mut Packets) -> u64 {
        if let Some(&group) = self.groups.get(name) {
            return group;
        }
        let (uuid, rank) = (self.next_uuid(), self.groups.len() as u64);
        packet::push_group(packets, uuid, name, rank);
        self.groups.insert(name.to_owned(), uuid);
        uuid
    }
}

impl Lane {
    /// Writes the ends up to the start of `span`. Returns whether the span can be written to this lane: it must start
    /// no earlier than the last event, and must be nested in the spans that have not ended.
    #[inline]
    fn prepare_for_span(&mut self, span: &Span, packets: &mut Packets) -> bool {
        self.write_ends(span.start, packets);
        span.start >= self.last_time && self.open_ends.last().is_none_or(|&end| span.end <= end)
    }

    /// Writes the ends of the spans that have ended by `time`.
    #[inline]
    fn write_ends(&mut self, time: Time, packets: &mut Packets) {
        while let Some(end) = self.open_ends.pop_if(|end| *end <= time) {
            let delta = self.advance(end);
            packet::push_end(packets, self.sequence, delta);
        }
    }

    /// Writes the start of a span for which [`Lane::prepare_for_span`] returned true, or an instant event if the length
    /// of the span is zero.
    #[inline]
    fn write(&mut self, span: &Span, packets: &mut Packets) {
        let duration = (span.end - span.start).ps();
        let name_index = self.names.iter().position(|&name| std::ptr::eq(name, span.activity) || name == span.activity);
        let name = name_index.unwrap_or_else(|| {
            self.names.push(span.activity);
            self.names.len() - 1
        });
        let event = SpanEvent {
            event_type: if duration == 0 { EventType::Instant } else { EventType::Begin },
            name: name as u64 + 1,
            bytes: span.bytes.get(),
            message: span.message,
            duration_ps: (!duration.is_multiple_of(1000)).then_some(duration),
        };
        let delta = self.advance(span.start);
        packet::push_span(packets, self.sequence, delta, &event, name_index.is_none().then_some(span.activity));
        if duration > 0 {
            self.open_ends.push(span.end);
        }
    }

    /// Moves to the time of the next event, and returns its distance from the last one in whole nanoseconds.
    #[inline]
    fn advance(&mut self, time: Time) -> u64 {
        let now_ns = time.ps() / 1000;
        self.last_time = time;
        now_ns - std::mem::replace(&mut self.last_ns, now_ns)
    }
}

#[cfg(test)]
mod tests;
