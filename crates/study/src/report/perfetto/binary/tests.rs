//! Tests of the writer: errors, blocks and memory. `tests/traces.rs` compares its traces with the JSON form.

use super::*;
use narrows_core::engine::{Bytes, TrackId};

/// An output that counts its writes, and fails after some.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<(Vec<usize>, usize)>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (writes, remaining_writes) = &mut *self.0.lock().expect("no thread panicked");
        writes.push(bytes.len());
        *remaining_writes = remaining_writes.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn span(start: u64, end: u64) -> Span {
    let (start, end) = (Time::from_ns(start), Time::from_ns(end));
    Span { track: TrackId(0), activity: "burst", message: Some(start.ps()), bytes: Bytes(8), start, end }
}

fn tracks() -> Vec<(String, String)> {
    vec![("node 0".to_owned(), "bus".to_owned())]
}

/// Writes `blocks` blocks of consecutive spans.
fn write_trace(sink: &Sink, blocks: u64) -> io::Result<u64> {
    let mut trace = BinaryTrace::new(sink.clone());
    for block in 0..blocks {
        let spans: Vec<Span> = (block * 4096..(block + 1) * 4096).map(|i| span(10 * i, 10 * i + 5)).collect();
        trace.consume(&tracks(), &spans);
        let writer = trace.0.lock().expect("no thread panicked");
        let held_spans: usize = writer.tracks.iter().map(|track| track.held_spans.len()).sum();
        assert!(held_spans <= HELD_BLOCKS as usize * 4096, "{held_spans} spans are held");
        assert!(writer.packets.bytes().len() <= WRITE_BYTES);
    }
    trace.finish(0)
}

#[test]
fn first_error_is_returned_and_nothing_is_written_after_it() {
    let sink = Sink(Arc::new(Mutex::new((Vec::new(), 1))));
    assert_eq!(write_trace(&sink, 12).expect_err("the output is full").kind(), io::ErrorKind::StorageFull);
    assert_eq!(sink.0.lock().expect("no thread panicked").0.len(), 2);
}

#[test]
fn held_spans_and_packets_are_bounded_and_spans_are_counted() {
    let sink = Sink(Arc::new(Mutex::new((Vec::new(), usize::MAX))));
    assert_eq!(write_trace(&sink, 20).expect("the output accepts all bytes"), 20 * 4096);
    let written_bytes: usize = sink.0.lock().expect("no thread panicked").0.iter().sum();
    assert!(written_bytes > 20 * 4096 * 30, "{written_bytes} bytes");
}

#[test]
fn crossing_and_late_spans_go_to_further_lanes() {
    let mut track = TrackState::new("node 0", "bus");
    let (mut identifiers, mut packets) = (Identifiers::default(), Packets::default());
    // The third span crosses the second, and is nested in the first.
    for span in [span(2, 6), span(4, 8), span(0, 10)] {
        track.hold_span(0, &span);
    }
    track.write_spans(0, 1, &mut identifiers, &mut packets);
    assert_eq!(track.lanes.len(), 2);
    // This span starts before the last span that was written to either lane.
    track.hold_span(1, &span(1, 2));
    track.write_spans(0, 2, &mut identifiers, &mut packets);
    let open_ends_ns = |lane: &Lane| lane.open_ends.iter().map(|end| end.ps() / 1000).collect::<Vec<_>>();
    assert_eq!(track.lanes.iter().map(open_ends_ns).collect::<Vec<_>>(), [vec![10, 6], vec![8], vec![2]]);
}
