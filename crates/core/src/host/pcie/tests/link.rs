//! Tests of the link's arithmetic against the analytic model of the pcie-bench authors.

use super::super::link::{PacketBurst, PcieLinkParameters, UnitPool, split_transfer};
use super::parameters;
use crate::engine::{Bytes, Time};
use proptest::prelude::*;

/// Payload in bytes, and the rates in Gbit/s of writes, of reads, and of both at once in each direction, of a Gen3 x8
/// link with an MPS of 256 B and an MRRS of 512 B. Source: pcie-bench/pcie-model, revision 40703cf, Apache-2.0.
const PCIE_MODEL: [(u64, f64, f64, f64); 18] = [
    (1, 2.32, 2.41, 1.18),
    (4, 8.27, 9.65, 4.45),
    (8, 14.47, 16.54, 8.27),
    (16, 23.15, 25.73, 14.47),
    (32, 33.08, 35.62, 23.15),
    (64, 42.10, 44.10, 33.08),
    (128, 48.75, 50.06, 42.10),
    (192, 51.45, 52.42, 46.31),
    (255, 52.91, 53.67, 48.71),
    (256, 52.92, 53.69, 48.75),
    (257, 48.78, 50.09, 45.22),
    (320, 50.33, 51.45, 47.25),
    (384, 51.45, 52.42, 48.75),
    (511, 52.91, 53.68, 50.74),
    (512, 52.92, 53.69, 50.75),
    (513, 50.76, 51.82, 46.91),
    (768, 52.92, 53.69, 50.06),
    (1024, 52.92, 53.69, 50.75),
];

fn analytic_model_link() -> PcieLinkParameters {
    // The model subtracts flow control and acknowledgements, which leaves this share.
    PcieLinkParameters { efficiency: 0.9186, ..parameters().link }
}

fn write_bytes(link: &PcieLinkParameters, bytes: u64) -> u64 {
    let part_wire_bytes = |(_, part): (u64, Bytes)| link.write_packets(part) * link.write_header.get() + part.get();
    split_transfer(0, Bytes(bytes), 4096).map(part_wire_bytes).sum()
}

fn read_bytes(link: &PcieLinkParameters, bytes: u64) -> [u64; 2] {
    let requests = split_transfer(0, Bytes(bytes), link.read_max.get());
    let request_wire_bytes = |(at, part)| {
        let packets = link.completion_packets(at, part);
        [link.read_header.get(), PacketBurst { packets, header: link.completion_header, data: part }.wire_bytes().get()]
    };
    requests.map(request_wire_bytes).fold([0, 0], |[up, down], [request, completion]| [up + request, down + completion])
}

#[test]
fn rates_equal_those_of_the_analytic_model() {
    let link = analytic_model_link();
    let rate = link.rate().bits_per_s() as f64 / 1e9;
    for (bytes, write, read, both) in PCIE_MODEL {
        let share = |wire: u64| rate * bytes as f64 / wire as f64;
        let [up, down] = read_bytes(&link, bytes);
        let write_up = write_bytes(&link, bytes);
        for (name, expected, simulated) in [
            ("write", write, share(write_up)),
            ("read", read, share(down.max(up))),
            ("both", both, share((write_up + up).max(down))),
        ] {
            // The model's rates are published with two digits after the decimal point.
            let tolerance = 0.001 * expected + 0.005;
            assert!((simulated - expected).abs() <= tolerance, "{name} of {bytes} B: {simulated:.3}, not {expected}");
        }
    }
}

#[test]
fn raw_rates_equal_those_of_the_standard() {
    let rate = |generation, lanes| PcieLinkParameters { generation, lanes, ..parameters().link }.raw_rate() / 1e9;
    let rates = [rate(3, 8), rate(4, 16), rate(5, 16), rate(6, 16)].map(|rate| (rate * 10.0).round() / 10.0);
    assert_eq!(rates, [63.0, 252.1, 504.1, 944.0]);
}

#[test]
fn packets_cross_no_page_and_completions_end_at_read_boundaries() {
    let link = parameters().link;
    let split_parts: Vec<_> =
        split_transfer(4096 - 100, Bytes(5000), 4096).map(|(at, part)| (at, part.get())).collect();
    assert_eq!(split_parts, [(0, 100), (100, 4096), (4196, 804)]);
    let completions = |at, bytes| link.completion_packets(at, Bytes(bytes));
    assert_eq!([completions(0, 256), completions(0, 257), completions(0, 1)], [1, 2, 1]);
    assert_eq!([completions(16, 240), completions(16, 256), completions(60, 512)], [1, 2, 3]);
    assert_eq!([link.write_credits(Bytes(256)), link.write_credits(Bytes(300))], [(1, 16), (2, 19)]);
}

#[test]
fn units_return_at_their_instants() {
    let units = UnitPool::new(3);
    units.acquire(3);
    units.return_units(Time::from_ns(20), 1);
    units.return_units(Time::from_ns(10), 2);
    let free_at = |ns| units.free_count(Time::from_ns(ns));
    assert_eq!(units.next_return(Time::ZERO), Some(Time::from_ns(10)));
    assert_eq!([free_at(9), free_at(10), free_at(19), free_at(20)], [0, 2, 2, 3]);
}

proptest! {
    #[test]
    fn parts_cover_a_transfer_once(address in 0..10_000u64, bytes in 0..20_000u64, bytes_max in 1..5000u64) {
        let mut expected_offset = 0;
        for (at, part) in split_transfer(address, Bytes(bytes), bytes_max) {
            prop_assert_eq!(at, expected_offset);
            prop_assert!(part.get() > 0 && part.get() <= bytes_max);
            prop_assert_eq!((address + at) / 4096, (address + at + part.get() - 1) / 4096);
            expected_offset += part.get();
        }
        prop_assert_eq!(expected_offset, bytes);
    }
}
