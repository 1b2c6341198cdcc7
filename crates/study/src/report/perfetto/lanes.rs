//! Assignment of the spans of a track to lanes, so that any two spans of a lane are nested or disjoint, as viewers
//! require.

use narrows_core::engine::{Span, Time, Timeline};
use std::cmp::Reverse;

/// The lane of each span.
pub struct Lanes {
    /// The indices of the spans by start, the longer first: the order in which they are written.
    pub order: Vec<usize>,
    /// The lane of each span within its track, by the span's index in the timeline.
    pub lane_of_span: Vec<usize>,
    /// The number of lanes of each track; at least one.
    pub lanes_of_track: Vec<usize>,
}

impl Lanes {
    /// Assigns the spans of `timeline` to lanes.
    pub fn new(timeline: &Timeline) -> Lanes {
        let spans = &timeline.spans;
        let track_count =
            spans.iter().map(|span| span.track.0 as usize + 1).max().unwrap_or(0).max(timeline.tracks.len());
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by_key(|&i| (spans[i].start, Reverse(spans[i].end)));
        let mut open_ends: Vec<Vec<Vec<Time>>> = vec![vec![Vec::new()]; track_count];
        let mut lane_of_span = vec![0; spans.len()];
        for &i in &order {
            lane_of_span[i] = assign_lane(&mut open_ends[spans[i].track.0 as usize], &spans[i]);
        }
        Lanes { order, lane_of_span, lanes_of_track: open_ends.iter().map(Vec::len).collect() }
    }
}

/// Adds `span` to the first lane on which it is nested in the open spans or disjoint from them, and returns that lane.
fn assign_lane(lanes: &mut Vec<Vec<Time>>, span: &Span) -> usize {
    let is_free = |ends: &mut Vec<Time>| {
        while ends.last().is_some_and(|&end| end <= span.start) {
            ends.pop();
        }
        ends.last().is_none_or(|&end| span.end <= end)
    };
    let lane = lanes.iter_mut().position(is_free).unwrap_or_else(|| {
        lanes.push(Vec::new());
        lanes.len() - 1
    });
    lanes[lane].push(span.end);
    lane
}
