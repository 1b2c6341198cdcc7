//! Times of each packet in each layer of a traced burst, for the time-flow charts of Jin et al. (2005).

use crate::study::points::Results;
use narrows_core::engine::Time;

/// Returns, for each packet, the interval from the start of its first span on a track to the end of its last span, in
/// order of the starts. The arguments are POINT/NODE/TRACK.
fn packet_intervals(results: &Results, arguments: &[&str]) -> Option<Vec<(Time, Time)>> {
    let [point, node, track] = arguments else { return None };
    let mut packets: Vec<(u64, Time, Time)> = Vec::new();
    for span in results.get(*point)?.timeline.spans_on(node, track)? {
        let Some(message) = span.message else { continue };
        match packets.iter_mut().find(|(number, ..)| *number == message) {
            Some((_, start, end)) => (*start, *end) = ((*start).min(span.start), (*end).max(span.end)),
            None => packets.push((message, span.start, span.end)),
        }
    }
    packets.sort_by_key(|(_, start, _)| *start);
    Some(packets.into_iter().map(|(_, start, end)| (start, end)).collect())
}

/// Returns the duration of each packet on a track, from the start of its first span to the end of its last span, in µs.
/// The arguments are POINT/NODE/TRACK.
pub fn packet_times(results: &Results, arguments: &[&str]) -> Option<Vec<f64>> {
    Some(packet_intervals(results, arguments)?.into_iter().map(|(start, end)| (end - start).as_us()).collect())
}

/// Returns the end of the last span of each packet on a track, in µs, in order of the packets' starts. The arguments
/// are POINT/NODE/TRACK.
pub fn packet_ends(results: &Results, arguments: &[&str]) -> Option<Vec<f64>> {
    Some(packet_intervals(results, arguments)?.into_iter().map(|(_, end)| end.as_us()).collect())
}
