//! What a traced burst says of each layer and packet: the time-flow charts of Jin et al. (2005).

use crate::study::experiments::Results;
use narrows_core::engine::Time;

/// From the beginning of a packet's first span on a track to the end of its last, in order of their
/// beginnings: POINT/NODE/TRACK.
fn rectangles(results: &Results, arguments: &[&str]) -> Option<Vec<(Time, Time)>> {
    let [point, node, track] = arguments else { return None };
    let mut packets: Vec<(u64, Time, Time)> = Vec::new();
    for span in results.get(*point)?.timeline.on(node, track)? {
        let Some(message) = span.message else { continue };
        match packets.iter_mut().find(|(of, ..)| *of == message) {
            Some((_, start, end)) => (*start, *end) = ((*start).min(span.start), (*end).max(span.end)),
            None => packets.push((message, span.start, span.end)),
        }
    }
    packets.sort_by_key(|(_, start, _)| *start);
    Some(packets.into_iter().map(|(_, start, end)| (start, end)).collect())
}

/// How long each packet is on a track, in µs: POINT/NODE/TRACK.
pub fn packet_times(results: &Results, arguments: &[&str]) -> Option<Vec<f64>> {
    Some(rectangles(results, arguments)?.into_iter().map(|(start, end)| (end - start).as_us()).collect())
}

/// When each packet ends on a track, in µs: POINT/NODE/TRACK.
pub fn packet_ends(results: &Results, arguments: &[&str]) -> Option<Vec<f64>> {
    Some(rectangles(results, arguments)?.into_iter().map(|(_, end)| end.as_us()).collect())
}
