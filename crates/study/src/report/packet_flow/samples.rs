//! A sample stream of 8 KiB packets through four engines, for tests and for viewing charts.

use super::*;

/// The state of four engines.
#[derive(Default)]
struct Engines {
    free_at_us: [f64; 4],
    transfers: Vec<Transfer>,
}

impl Engines {
    /// Adds a transfer by `band` that starts when the engine is free, but not before `earliest`, and that does not end
    /// before `end_min`.
    fn add_transfer(&mut self, band: usize, packet: u64, bytes: u64, earliest: f64, end_min: f64) -> f64 {
        let start = earliest.max(self.free_at_us[band] + 1.5);
        let end = end_min.max(start + 2.0 + bytes as f64 / [126.0, 150.0, 150.0, 122.0][band]);
        let us = |x: f64| Time::from_ps((x * 1e6).round() as u64);
        self.transfers.push(Transfer { band, packet, bytes, start: us(start), end: us(end) });
        self.free_at_us[band] = end;
        end
    }

    /// Adds a packet that is cut through in `pieces`, both on its way to the wire and on its way to the host.
    fn add_packet(&mut self, packet: u64, pieces: &[u64]) {
        let post_start = self.free_at_us[0];
        let host_tx_end = self.add_transfer(0, packet, 8192, post_start, post_start);
        let post_end = self.add_transfer(1, packet, 128, post_start, post_start);
        self.add_transfer(2, packet, 128, post_start, post_end + 0.5);
        let mut last_piece_end = 0.0;
        let first_host_piece = (packet - 1) as usize % 2;
        for (i, &bytes) in pieces.iter().enumerate() {
            let ready = if i + 1 == pieces.len() { host_tx_end } else { 0.0 };
            let piece_end = self.add_transfer(1, packet, bytes, post_end + 2.0, ready);
            last_piece_end = piece_end;
            if i >= first_host_piece {
                self.add_transfer(
                    3,
                    packet,
                    bytes + if i == first_host_piece && i > 0 { pieces[0] } else { 0 },
                    piece_end + 1.0,
                    0.0,
                );
            }
        }
        self.add_transfer(2, packet, 8192, post_end + 3.0, last_piece_end + 0.5);
    }
}

/// Returns a stream of `packets` packets without gaps, the first few of which are cut through in small pieces.
pub fn stream(packets: u64) -> PacketFlow {
    let pieces: [&[u64]; 3] = [&[368, 512, 700, 980, 1384, 1900, 2348], &[1384, 2420, 2844, 1544], &[3900, 4292]];
    let mut engines = Engines::default();
    for i in 0..packets {
        engines.add_packet(i + 1, pieces[(i as usize).min(2)]);
    }
    let transfers = engines.transfers;
    PacketFlow {
        title: "Adaptive cut-through: a stream of 8 KiB payloads (made-up data)".to_owned(),
        bands: ["hostTx", "netTx", "netRcv", "hostRcv"].map(str::to_owned).to_vec(),
        window: PacketFlow::full_window(&transfers),
        transfers,
    }
}
