//! Writers of a timeline as a trace, which opens in ui.perfetto.dev: in Perfetto's binary form while the simulation
//! runs ([`BinaryTrace`]), or as Chrome's JSON after it ([`write`]).
//!
//! The JSON trace has a process for each group, a thread for each track in the order in which the tracks were created,
//! a complete event for each span, and arrows that join the spans of a message in order of time. Times are exact: µs
//! with six decimals. Spans of a track that overlap without nesting go to further threads, named "name (2)" and so on.
//! Counters are not written; the number of spans that were not recorded is in `otherData`.

mod binary;
mod lanes;
mod packet;

pub use binary::BinaryTrace;

use super::number::{exact_us, mb_per_s};
use lanes::Lanes;
use narrows_core::engine::{Span, Timeline};
use std::collections::HashMap;
use std::io::{self, Write};

/// Writes `timeline` to `out`, which should be buffered. Equal timelines give equal bytes.
pub fn write(timeline: &Timeline, out: &mut impl Write) -> io::Result<()> {
    JsonTrace { timeline, threads: Threads::new(timeline), flows: Flows::new(timeline) }.write(out)
}

struct JsonTrace<'a> {
    timeline: &'a Timeline,
    threads: Threads,
    flows: Flows,
}

/// The numbers and names of processes and threads.
struct Threads {
    lanes: Lanes,
    groups: Vec<String>,
    /// The process of each track.
    process_of_track: Vec<usize>,
    /// The first thread of each track, which has a thread for each of its lanes.
    first_thread_of_track: Vec<usize>,
}

impl Threads {
    fn new(timeline: &Timeline) -> Threads {
        let lanes = Lanes::new(timeline);
        let (mut groups, mut process_of_track, mut first_thread_of_track) =
            (Vec::<String>::new(), Vec::new(), Vec::new());
        let mut processes = HashMap::new();
        let mut next_thread = 1;
        for (track, lane_count) in lanes.lanes_of_track.iter().enumerate() {
            let group = timeline.tracks.get(track).map_or("", |(group, _)| group);
            process_of_track.push(*processes.entry(group.to_owned()).or_insert_with(|| {
                groups.push(group.to_owned());
                groups.len()
            }));
            first_thread_of_track.push(next_thread);
            next_thread += lane_count;
        }
        Threads { lanes, groups, process_of_track, first_thread_of_track }
    }

    /// Returns the process and thread of the span with the index `index` in the timeline.
    fn process_and_thread(&self, span: &Span, index: usize) -> String {
        let track = span.track.0 as usize;
        format!(
            "\"pid\":{},\"tid\":{}",
            self.process_of_track[track],
            self.first_thread_of_track[track] + self.lanes.lane_of_span[index]
        )
    }
}

/// The arrows that join the spans of each message.
struct Flows {
    /// For each message, the number of its spans that are not yet written, and of all its spans.
    span_counts: HashMap<u64, (usize, usize)>,
}

impl Flows {
    fn new(timeline: &Timeline) -> Flows {
        let mut span_counts = HashMap::new();
        for message in timeline.spans.iter().filter_map(|span| span.message) {
            let (remaining, all) = span_counts.entry(message).or_insert((0, 0));
            *remaining += 1;
            *all += 1;
        }
        Flows { span_counts }
    }

    /// Returns the phase of the flow event of the next span of `message`: start, step or finish. Returns `None` if the
    /// message has only one span, which no arrow joins.
    fn next_phase(&mut self, message: u64) -> Option<&'static str> {
        let (remaining, all) = self.span_counts.get_mut(&message)?;
        let phase = match (*remaining, *all) {
            (_, 1) => None,
            (1, _) => Some("\"f\",\"bp\":\"e\""),
            (first, all) if first == all => Some("\"s\""),
            _ => Some("\"t\""),
        };
        *remaining -= 1;
        phase
    }
}

impl JsonTrace<'_> {
    fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        let dropped = self.timeline.dropped;
        write!(out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"dropped_spans\":{dropped}}},\"traceEvents\":[")?;
        self.write_names(out)?;
        for index in std::mem::take(&mut self.threads.lanes.order) {
            self.write_span(index, out)?;
        }
        out.write_all(b"\n]}\n")
    }

    fn write_names(&self, out: &mut impl Write) -> io::Result<()> {
        let mut separator = "";
        for (i, group) in self.threads.groups.iter().enumerate() {
            let ids = format!("\"pid\":{}", i + 1);
            write_name(out, &mut separator, "process", &ids, group, i)?;
        }
        for (track, &lane_count) in self.threads.lanes.lanes_of_track.iter().enumerate() {
            let track_name = self.timeline.tracks.get(track).map_or("", |(_, name)| name);
            for lane in 0..lane_count {
                let tid = self.threads.first_thread_of_track[track] + lane;
                let ids = format!("\"pid\":{},\"tid\":{tid}", self.threads.process_of_track[track]);
                let lane_name = if lane == 0 { track_name.to_owned() } else { format!("{track_name} ({})", lane + 1) };
                write_name(out, &mut separator, "thread", &ids, &lane_name, tid)?;
            }
        }
        Ok(())
    }

    /// Writes a span, immediately followed by its flow event. A flow event belongs to the slice that began last on its
    /// thread, which is this span even if others are nested in it or have no length.
    fn write_span(&mut self, index: usize, out: &mut impl Write) -> io::Result<()> {
        let span = &self.timeline.spans[index];
        let ids = self.threads.process_and_thread(span, index);
        let (start, duration) = (exact_us(span.start.ps()), (span.end - span.start).ps());
        let activity = json_string(span.activity);
        write!(out, ",\n{{\"ph\":\"X\",\"name\":{activity},\"cat\":\"span\",{ids},\"ts\":{start},")?;
        write!(out, "\"dur\":{},\"args\":{{\"bytes\":{}", exact_us(duration), span.bytes.get())?;
        if let Some(message) = span.message {
            write!(out, ",\"message\":{message}")?;
        }
        if let Some(rate) = mb_per_s(span.bytes.get(), duration).filter(|&rate| rate > 0.0) {
            write!(out, ",\"MB/s\":{rate:.3}")?;
        }
        write!(out, "}}}}")?;
        let Some(message) = span.message else { return Ok(()) };
        let Some(phase) = self.flows.next_phase(message) else { return Ok(()) };
        write!(
            out,
            ",\n{{\"ph\":{phase},\"name\":\"message\",\"cat\":\"message\",\"id\":{message},{ids},\"ts\":{start}}}"
        )
    }
}

fn write_name(
    out: &mut impl Write,
    separator: &mut &str,
    metadata: &str,
    ids: &str,
    name: &str,
    sort_index: usize,
) -> io::Result<()> {
    let name = json_string(name);
    write!(out, "{separator}\n{{\"ph\":\"M\",\"name\":\"{metadata}_name\",{ids},\"args\":{{\"name\":{name}}}}}")?;
    *separator = ",";
    write!(out, ",\n{{\"ph\":\"M\",\"name\":\"{metadata}_sort_index\",{ids},\"args\":{{\"sort_index\":{sort_index}}}}}")
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
