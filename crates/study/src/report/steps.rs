//! The effective bandwidth of each engine over time, as a step chart. The bandwidth of a transfer is its bytes divided
//! by the time since the end of the engine's previous transfer, including idle time. The steps are not smoothed.

use super::chart::{Axis, LineChart, Series, Style};
use super::number::mb_per_s;
use super::packet_flow::{PacketFlow, Transfer};
use narrows_core::engine::Time;

/// Returns a step chart of the transfers of `flow` in its window, with a series for each band. A transfer of less than
/// `bytes_min` (a control message) is merged with the next one.
pub fn steps(flow: &PacketFlow, title: impl Into<String>, bytes_min: u64) -> LineChart {
    let series = |(band, name): (usize, &String)| {
        Series::line(name, effective_bandwidth(&flow.transfers_of_band(band), bytes_min)).style(Style::Step)
    };
    LineChart {
        title: title.into(),
        x: Axis::new("time [µs]").range(flow.window.0.as_us(), flow.window.1.as_us()),
        y: Axis::new("effective bandwidth [MB/s]"),
        series: flow.bands.iter().enumerate().map(series).collect(),
        notes: Vec::new(),
    }
}

/// Returns the end of each transfer (µs) and the bandwidth (MB/s) since the end of the previous one. A first point of
/// bandwidth 0 is at the start. Transfers that end together are merged, and a transfer of less than `bytes_min` is
/// merged with the next one.
pub fn effective_bandwidth(transfers: &[&Transfer], bytes_min: u64) -> Vec<(f64, f64)> {
    let Some(first_start) = transfers.iter().map(|t| t.start).min() else { return Vec::new() };
    let mut points = vec![(first_start.as_us(), 0.0)];
    let (mut previous_end, mut bytes): (Time, u64) = (first_start, 0);
    for (i, transfer) in transfers.iter().enumerate() {
        bytes += transfer.bytes;
        let is_last_at_this_time = transfers.get(i + 1).is_none_or(|next| next.end > transfer.end);
        let is_step = is_last_at_this_time && (bytes >= bytes_min || i + 1 == transfers.len());
        if let (true, Some(rate)) = (is_step, mb_per_s(bytes, transfer.end.since(previous_end).ps())) {
            points.push((transfer.end.as_us(), rate));
            (previous_end, bytes) = (transfer.end, 0);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::packet_flow::samples;

    #[test]
    fn bandwidth_includes_idle_time() {
        let transfer = |start, end| Transfer {
            band: 0,
            packet: 1,
            bytes: 1000,
            start: Time::from_us(start),
            end: Time::from_us(end),
        };
        let transfers = [transfer(10, 20), transfer(20, 30), transfer(40, 50), transfer(45, 50)];
        let points = effective_bandwidth(&transfers.each_ref(), 0);
        assert_eq!(points, [(10.0, 0.0), (20.0, 100.0), (30.0, 100.0), (50.0, 100.0)]);
        assert_eq!(effective_bandwidth(&transfers.each_ref(), 1500), [(10.0, 0.0), (30.0, 100.0), (50.0, 100.0)]);
        assert!(effective_bandwidth(&[], 0).is_empty());
    }

    #[test]
    fn chart_has_one_series_per_band() {
        let chart = steps(&samples::stream(4), "steps", 256);
        assert_eq!(chart.series.len(), 4);
        assert!(roxmltree::Document::parse(&chart.svg()).is_ok());
    }
}
