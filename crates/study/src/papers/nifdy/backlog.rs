//! The duration of a backlog of packets for a receiver in the cyclic shift (Figure 5).

use crate::study::points::Results;
use narrows_core::engine::HeatMapData;

/// Returns the longest time, in cycles, for which at least PACKETS packets were pending for one receiver. The arguments
/// are POINT/PACKETS.
pub fn longest_backlog(results: &Results, arguments: &[&str]) -> Option<f64> {
    let [point, packets] = arguments else { return None };
    let map = results.get(*point)?.map.as_ref()?;
    Some(longest_backlog_cycles(map, packets.parse().ok()?) as f64)
}

fn longest_backlog_cycles(map: &HeatMapData, packets: u32) -> u64 {
    let longest_run = |row: &[u32]| {
        let sequences = row.split(|pending| *pending < packets);
        sequences.map(<[u32]>::len).max().unwrap_or(0)
    };
    (0..map.rows).map(|row| longest_run(map.row(row))).max().unwrap_or(0) as u64 * map.every_cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backlog_lasts_as_long_as_its_longest_run_of_samples() {
        let values = vec![0, 10, 12, 3, 30, 0, 9, 9, 9, 9, 11, 10];
        let map = HeatMapData { name: "pending", unit: "", rows: 2, columns: 6, every_cycles: 100, values };
        assert_eq!(longest_backlog_cycles(&map, 10), 200);
    }
}
