//! Puts the spans of a track on lanes, so that any two spans of a lane are nested or disjoint: a
//! viewer draws nothing else correctly. Leaves out names and output.

use narrows_core::engine::{Span, Time, Timeline};
use std::cmp::Reverse;

/// Where each span is drawn.
pub struct Lanes {
    /// The spans by start, the longer first: the order in which they are written.
    pub order: Vec<usize>,
    /// The lane of each span within its track, by the span's place in the timeline.
    pub lane: Vec<usize>,
    /// How many lanes each track has; at least one.
    pub count: Vec<usize>,
}

impl Lanes {
    /// The lanes of `timeline`.
    pub fn of(timeline: &Timeline) -> Lanes {
        let spans = &timeline.spans;
        let tracks = spans.iter().map(|span| span.track.0 as usize + 1).max().unwrap_or(0).max(timeline.tracks.len());
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by_key(|&i| (spans[i].start, Reverse(spans[i].end)));
        let mut open: Vec<Vec<Vec<Time>>> = vec![vec![Vec::new()]; tracks];
        let mut lane = vec![0; spans.len()];
        for &i in &order {
            lane[i] = place(&mut open[spans[i].track.0 as usize], &spans[i]);
        }
        Lanes { order, lane, count: open.iter().map(Vec::len).collect() }
    }
}

/// The first lane on which `span` lies within what is open there, or beside it; opens it there.
fn place(lanes: &mut Vec<Vec<Time>>, span: &Span) -> usize {
    let fits = |ends: &mut Vec<Time>| {
        while ends.last().is_some_and(|&end| end <= span.start) {
            ends.pop();
        }
        ends.last().is_none_or(|&end| span.end <= end)
    };
    let lane = lanes.iter_mut().position(fits).unwrap_or_else(|| {
        lanes.push(Vec::new());
        lanes.len() - 1
    });
    lanes[lane].push(span.end);
    lane
}
