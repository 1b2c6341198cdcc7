//! A made-up stream of 8 KiB packets through four engines, for tests and for looking at pictures.

use super::*;

/// The transfers of one packet, cut through in growing pieces.
fn packet(packet: u64, at_us: f64, pieces: &[u64]) -> Vec<Transfer> {
    let us = |x: f64| Time::from_ps((x * 1e6).round() as u64);
    let transfer =
        |band, bytes, start: f64, long: f64| Transfer { band, packet, bytes, start: us(start), end: us(start + long) };
    let mut all = vec![transfer(0, 8192, at_us, 68.0)];
    let (mut tx, mut rx) = (at_us + 6.0, at_us + 9.0);
    all.push(transfer(1, 128, at_us + 1.0, 2.0));
    all.push(transfer(2, 128, at_us + 1.5, 2.0));
    let arrival = tx + 1.0;
    for &bytes in pieces {
        let long = 1.5 + bytes as f64 / 140.0;
        all.push(transfer(1, bytes, tx, long));
        rx = f64::max(rx, tx + long) + 1.0;
        let drain = 2.0 + bytes as f64 / 125.0;
        all.push(transfer(3, bytes, rx, drain));
        (tx, rx) = (tx + long + 2.0, rx + drain);
    }
    all.push(transfer(2, 8192, arrival, tx - 1.5 - arrival));
    all
}

/// `packets` packets, one every 84 µs.
pub fn stream(packets: u64) -> PacketFlow {
    let pieces: [&[u64]; 3] = [&[368, 512, 700, 980, 1384, 1900, 2348], &[1384, 2420, 2844, 1544], &[3900, 4292]];
    let of = |i: u64| packet(i + 1, i as f64 * 84.0, pieces[(i as usize).min(2)]);
    let transfers: Vec<Transfer> = (0..packets).flat_map(of).collect();
    PacketFlow {
        title: "Adaptive cut-through: a stream of 8 KiB payloads (made-up data)".to_owned(),
        bands: ["hostTx", "netTx", "netRcv", "hostRcv"].map(str::to_owned).to_vec(),
        window: PacketFlow::whole(&transfers),
        transfers,
    }
}
