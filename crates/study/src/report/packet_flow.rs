//! Packet-flow graphs: one band per engine from top to bottom, one stripe per transfer.
//!
//! The width of a stripe is the duration of its transfer. A packet has the same shade in every band. The size of a
//! transfer is written in its stripe if it fits. A thin line follows the last byte of each packet from band to band. To
//! the right of a band is its data rate, including idle time. The form follows Yocum, Anderson, Chase, Gadde, Gallatin
//! and Lebeck, "Balancing DMA Latency and Bandwidth in a High-Speed Network Adapter" (Duke CS-1997-20), with sizes,
//! lines and rates added. The reasons why an engine waits are not shown.

mod draw;

use super::number::mb_per_s;
use narrows_core::engine::{Span, Time, Timeline};

/// A transfer by an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The index of the engine in `PacketFlow::bands`.
    pub band: usize,
    /// The number of the packet.
    pub packet: u64,
    /// The size of the transfer, in bytes.
    pub bytes: u64,
    /// The start of the transfer.
    pub start: Time,
    /// The end of the transfer.
    pub end: Time,
}

/// The transfers of several engines, and the time window to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PacketFlow {
    /// The title of the graph.
    pub title: String,
    /// The names of the engines, in the order in which packets pass them.
    pub bands: Vec<String>,
    /// The transfers, in any order.
    pub transfers: Vec<Transfer>,
    /// The start and end of the time window.
    pub window: (Time, Time),
}

/// The rate of an engine from the start of its first transfer to the end of its last.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BandRate {
    /// The rate in 10⁶ bytes per second, including idle time between transfers.
    pub mb_per_s: f64,
    /// The fraction of the time in which a transfer ran.
    pub busy: f64,
}

impl PacketFlow {
    /// Returns the graph as an SVG document.
    pub fn svg(&self) -> String {
        draw::draw(self)
    }

    /// Returns the graph of a recorded run. Each entry of `bands` is the name of a band, and the group and the name of
    /// its track; the transfers of the band are the spans of this track that belong to a message. The window contains
    /// all transfers. A track that does not exist gives an empty band.
    pub fn new(title: impl Into<String>, timeline: &Timeline, bands: &[(&str, &str, &str)]) -> PacketFlow {
        let band_of_track: Vec<Option<usize>> = timeline
            .tracks
            .iter()
            .map(|(group, track)| bands.iter().position(|band| (band.1, band.2) == (group, track)))
            .collect();
        let transfer = |span: &Span| {
            let band = *band_of_track.get(span.track.0 as usize)?;
            Some(Transfer {
                band: band?,
                packet: span.message?,
                bytes: span.bytes.get(),
                start: span.start,
                end: span.end,
            })
        };
        let transfers: Vec<Transfer> = timeline.spans.iter().filter_map(transfer).collect();
        let bands = bands.iter().map(|band| band.0.to_owned()).collect();
        PacketFlow { title: title.into(), bands, window: PacketFlow::full_window(&transfers), transfers }
    }

    /// Returns the window that holds all transfers.
    pub fn full_window(transfers: &[Transfer]) -> (Time, Time) {
        let start = transfers.iter().map(|t| t.start).min().unwrap_or(Time::ZERO);
        (start, transfers.iter().map(|t| t.end).max().unwrap_or(start))
    }

    /// Returns the transfers of `band` that are completely within the window, in order of their ends.
    pub fn transfers_of_band(&self, band: usize) -> Vec<&Transfer> {
        let is_in_window = |transfer: &&Transfer| {
            transfer.band == band && transfer.start >= self.window.0 && transfer.end <= self.window.1
        };
        let mut transfers: Vec<&Transfer> = self.transfers.iter().filter(is_in_window).collect();
        transfers.sort_by_key(|transfer| (transfer.end, transfer.start));
        transfers
    }

    /// Returns the rate of `band` in the window, or `None` if it has no transfer there.
    pub fn rate(&self, band: usize) -> Option<BandRate> {
        let transfers = self.transfers_of_band(band);
        let first = transfers.iter().map(|t| t.start).min()?;
        let span = transfers.last()?.end - first;
        let bytes = transfers.iter().map(|t| t.bytes).sum();
        let (mut busy, mut busy_until) = (Time::ZERO, first);
        for transfer in &transfers {
            busy += transfer.end.since(transfer.start.max(busy_until));
            busy_until = busy_until.max(transfer.end);
        }
        Some(BandRate { mb_per_s: mb_per_s(bytes, span.ps())?, busy: busy.ps() as f64 / span.ps() as f64 })
    }

    /// Returns the numbers of the packets in ascending order.
    fn packets(&self) -> Vec<u64> {
        let mut packets: Vec<u64> = self.transfers.iter().map(|t| t.packet).collect();
        packets.sort_unstable();
        packets.dedup();
        packets
    }
}

#[cfg(test)]
pub(crate) mod samples;

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_core::engine::{Bytes, TrackId};

    #[test]
    fn every_stripe_has_a_tooltip_and_the_shade_of_its_packet() {
        let flow = samples::stream(3);
        let svg = flow.svg();
        let parsed = roxmltree::Document::parse(&svg).unwrap();
        let tooltips: Vec<&str> =
            parsed.descendants().filter(|n| n.has_tag_name("title")).map(|n| n.text().unwrap()).collect();
        assert_eq!(tooltips.len(), flow.transfers.len());
        assert!(tooltips[0].starts_with("packet 1 · hostTx\n8192 B"), "{}", tooltips[0]);
        let fills = |packet: &str| {
            let is_title_of_packet =
                |n: &roxmltree::Node| n.text().is_some_and(|t| t.starts_with(packet)) && n.has_tag_name("title");
            let fills = parsed.descendants().filter(is_title_of_packet).filter_map(|n| n.parent()?.attribute("fill"));
            fills.collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(fills("packet 1 ").len(), 1);
        assert_ne!(fills("packet 1 "), fills("packet 2 "));
        assert_eq!(svg, flow.svg());
    }

    #[test]
    fn graph_has_the_spans_of_the_named_tracks() {
        let span = |track, message, end| Span {
            track: TrackId(track),
            activity: "dma",
            message,
            bytes: Bytes(64),
            start: Time::ZERO,
            end: Time::from_us(end),
        };
        let track = |group: &str, name: &str| (group.to_owned(), name.to_owned());
        let timeline = Timeline {
            tracks: vec![track("a", "cpu"), track("b", "pci"), track("a", "pci")],
            spans: vec![span(0, Some(1), 1), span(1, Some(1), 2), span(2, Some(1), 3), span(2, None, 4)],
            dropped: 0,
        };
        let flow =
            PacketFlow::new("t", &timeline, &[("hostTx", "a", "pci"), ("none", "a", "x"), ("hostRcv", "b", "pci")]);
        let transfers: Vec<_> = flow.transfers.iter().map(|t| (t.band, t.packet, t.end)).collect();
        assert_eq!(transfers, [(2, 1, Time::from_us(2)), (0, 1, Time::from_us(3))]);
        assert_eq!(flow.window, (Time::ZERO, Time::from_us(3)));
        assert!(roxmltree::Document::parse(&flow.svg()).is_ok());
    }

    #[test]
    fn rates_include_idle_time() {
        let transfer_us = |start, end| Transfer {
            band: 0,
            packet: 1,
            bytes: 1000,
            start: Time::from_us(start),
            end: Time::from_us(end),
        };
        let flow = PacketFlow {
            title: String::new(),
            bands: vec!["bus".into()],
            transfers: vec![transfer_us(0, 10), transfer_us(30, 40), transfer_us(35, 50), transfer_us(100, 110)],
            window: (Time::ZERO, Time::from_us(60)),
        };
        assert_eq!(flow.rate(0), Some(BandRate { mb_per_s: 60.0, busy: 0.6 }));
        assert_eq!(flow.rate(1), None);
    }
}
