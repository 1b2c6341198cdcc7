//! Tests of many transfers at once: order, the packet-by-packet reference, and laws.

use super::{parameters, run};
use crate::engine::{Bytes, Rate, Time};
use crate::host::pcie::iommu::IommuParameters;
use crate::host::pcie::link::{TlpSimulation, WriteOrdering};
use crate::host::pcie::parameters::PcieParameters;
use crate::host::{DmaOperation, DmaRequest, Host, Processor, submit_when_free};
use crate::text::Parameters;
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A transfer of a test: a write of bytes of one value, or a read.
#[derive(Clone, Copy, Debug)]
struct Access {
    /// Time from the previous submission.
    gap: Time,
    offset: u64,
    bytes: u64,
    /// Value that is written; `None` for a read.
    writes: Option<u8>,
}

const AREA: u64 = 1 << 16;

/// A transfer as the engine sees it: its submission, its end, and the bytes that it read.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Seen {
    submitted: Time,
    done: Time,
    data: Vec<u8>,
}

/// Runs transfers, each of which is submitted as soon as the port takes it after its gap. Returns what was seen of
/// each, and the utilization of the link's directions.
fn transfers(parameters: &PcieParameters, all: Vec<Access>) -> (Vec<Seen>, Vec<(&'static str, Time)>, Time) {
    let ((seen, busy), end) = run(parameters, move |host: Rc<Host>| async move {
        let sim = host.cpu().sim().clone();
        let base = host.allocate(AREA as usize);
        let port = host.dma_port().port();
        let seen = Rc::new(RefCell::new(vec![None; all.len()]));
        let (left, changed) =
            (Rc::new(Cell::new(all.len())), Rc::new(crate::engine::Signal::new(&sim, "the end of a transfer")));
        for (number, access) in all.iter().enumerate() {
            sim.delay(access.gap).await;
            let operation = match access.writes {
                None => DmaOperation::Read(Bytes(access.bytes)),
                Some(value) => DmaOperation::Write(vec![value; access.bytes as usize].into()),
            };
            let request = DmaRequest { address: base + access.offset, operation };
            let mut transfer = submit_when_free(&*port, &request).await;
            let (submitted, seen, left, changed) = (sim.now(), seen.clone(), left.clone(), changed.clone());
            let clock = sim.clone();
            sim.spawn("transfer", async move {
                let (mut data, mut part) = (Vec::new(), Vec::new());
                while transfer.next_beat(&mut part).await.is_some() {
                    data.extend_from_slice(&part);
                }
                transfer.done().await;
                let stages: Time = transfer.stages().iter().map(|(_, time)| *time).sum();
                assert_eq!(submitted + stages, clock.now(), "stages add up to the latency");
                seen.borrow_mut()[number] = Some(Seen { submitted, done: clock.now(), data });
                left.set(left.get() - 1);
                changed.notify();
            });
        }
        while left.get() > 0 {
            changed.wait().await;
        }
        let busy: Vec<_> = host.utilization().into_iter().map(|part| (part.what, part.busy)).collect();
        let seen: Vec<Seen> = seen.borrow_mut().drain(..).map(|seen| seen.expect("each transfer ends")).collect();
        (seen, busy)
    });
    (seen, busy, end)
}

fn access() -> impl Strategy<Value = Access> {
    let gap = prop_oneof![3 => Just(0), 1 => 0..300_000u64];
    (gap, 0..60_000u64, prop_oneof![1..300u64, 1..5000u64], any::<Option<u8>>())
        .prop_map(|(gap, offset, bytes, writes)| Access { gap: Time::from_ps(gap), offset, bytes, writes })
}

/// Parameters with small buffers, so that transfers wait for each of them.
fn described() -> impl Strategy<Value = PcieParameters> {
    let link = (3..=6u32, 0..=4u32, 0..=2u32, 0..=2u32, 1..=16u32, 1..=8u32);
    let rest = (1..=4u32, 1..=4u32, any::<bool>(), any::<Option<u8>>());
    (link, rest).prop_map(|((generation, lanes, mps, mrrs, tags, nonposted), (headers, data, relaxed, iommu))| {
        let mut p = parameters();
        p.link.generation = generation;
        p.link.lanes = 1 << lanes;
        p.link.payload_max = Bytes(128 << mps);
        p.link.read_max = Bytes(128 << (mps + mrrs));
        p.link.tags = tags;
        p.link.nonposted_credits = nonposted;
        p.link.posted_header_credits = headers;
        p.link.posted_data_credits = data * 32;
        p.link.ordering = if relaxed { WriteOrdering::Relaxed } else { WriteOrdering::Strict };
        p.iommu = iommu.map(|entries| IommuParameters {
            entries: 1 + usize::from(entries % 8),
            walkers: 1 + usize::from(entries / 8 % 3),
            ..IommuParameters::defaults()
        });
        p
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn packets_that_are_accounted_together_end_when_each_is_simulated(
        p in described(),
        all in prop::collection::vec(access(), 1..40),
    ) {
        prop_assume!(u64::from(p.link.posted_data_credits) * 16 >= p.link.payload_max.get());
        let each = PcieParameters { link: crate::host::pcie::PcieLinkParameters { tlp: TlpSimulation::Each, ..p.link }, ..p.clone() };
        let (accounted, accounted_busy, _) = transfers(&p, all.clone());
        let (simulated, simulated_busy, _) = transfers(&each, all);
        prop_assert_eq!(accounted, simulated);
        prop_assert_eq!(accounted_busy, simulated_busy);
    }

    #[test]
    fn no_direction_carries_more_than_its_rate(p in described(), all in prop::collection::vec(access(), 1..40)) {
        prop_assume!(u64::from(p.link.posted_data_credits) * 16 >= p.link.payload_max.get());
        let (_, busy, end) = transfers(&p, all.clone());
        let moved = |reads: bool| all.iter().filter(|one| one.writes.is_none() == reads).map(|one| one.bytes).sum::<u64>();
        for (what, bytes) in [("PCIe link up", moved(false)), ("PCIe link down", moved(true))] {
            let (_, busy) = busy.iter().find(|(name, _)| *name == what).expect("the link is reported");
            prop_assert!(*busy <= end);
            prop_assert!(*busy >= p.link.rate().time_for(Bytes(bytes)), "{} carries {} B in {:?}", what, bytes, busy);
        }
    }

    #[test]
    fn reads_pass_no_posted_writes(
        p in described(),
        gaps in prop::collection::vec((prop_oneof![Just(0), 0..400_000u64], 1..2000u64, any::<bool>()), 1..24),
    ) {
        prop_assume!(u64::from(p.link.posted_data_credits) * 16 >= p.link.payload_max.get());
        // Each place is written once, and read once after that.
        let pairs = gaps.iter().enumerate().flat_map(|(number, (gap, bytes, crosses))| {
            let (offset, value) = (number as u64 * 2048 + if *crosses { 1000 } else { 0 }, number as u8 + 1);
            let write = Access { gap: Time::from_ps(*gap), offset, bytes: (*bytes).min(1048), writes: Some(value) };
            [write, Access { gap: Time::ZERO, writes: None, ..write }]
        });
        let all: Vec<Access> = pairs.collect();
        let (seen, _, _) = transfers(&p, all.clone());
        for (pair, seen) in all.chunks(2).zip(seen.chunks(2)) {
            let value = pair[0].writes.expect("the first of a pair writes");
            prop_assert_eq!(&seen[1].data, &vec![value; pair[0].bytes as usize]);
            if p.link.ordering == WriteOrdering::Strict {
                prop_assert!(seen[0].done <= seen[1].done);
            }
        }
    }

    #[test]
    fn writes_to_one_address_are_visible_in_order_unless_relaxed(
        p in described(),
        all in prop::collection::vec((0..300_000u64, any::<bool>()), 2..30),
    ) {
        prop_assume!(u64::from(p.link.posted_data_credits) * 16 >= p.link.payload_max.get());
        let p = PcieParameters { link: crate::host::pcie::PcieLinkParameters { ordering: WriteOrdering::Strict, ..p.link }, ..p };
        let accesses = all.iter().enumerate().map(|(number, (gap, writes))| Access {
            gap: Time::from_ps(*gap),
            offset: 100,
            bytes: 64,
            writes: writes.then_some(number as u8 + 1),
        });
        let accesses: Vec<Access> = accesses.collect();
        let (seen, _, _) = transfers(&p, accesses.clone());
        let mut least = 0;
        for (access, seen) in accesses.iter().zip(&seen) {
            match access.writes {
                Some(value) => least = value,
                None => prop_assert!(seen.data.iter().all(|byte| *byte >= least), "{:?} before {}", seen.data, least),
            }
        }
    }
}

/// Returns the time of 400 accesses of 64 B to random blocks, and of 40 of 2 KiB.
fn time_of(p: &PcieParameters, writes: bool) -> [Time; 2] {
    [(64, 400), (2048, 40)].map(|(bytes, count)| {
        let block = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let all = (0..count).map(|number| Access {
            gap: Time::ZERO,
            offset: block(number) % ((AREA - bytes) / 64) * 64,
            bytes,
            writes: writes.then_some(1),
        });
        transfers(p, all.collect()).2
    })
}

#[test]
fn more_of_a_resource_never_slows_a_run() {
    let mut base = parameters();
    base.link.tags = 8;
    base.link.nonposted_credits = 4;
    base.link.posted_header_credits = 8;
    base.link.posted_data_credits = 64;
    base.llc.size = Bytes(10 * 64 * 20);
    base.iommu = Some(IommuParameters { entries: 4, walkers: 2, ..IommuParameters::defaults() });
    type Change = fn(&mut PcieParameters);
    let changes: [(&str, Change); 10] = [
        ("lanes", |p| p.link.lanes *= 2),
        ("generation", |p| p.link.generation += 1),
        ("tags", |p| p.link.tags *= 2),
        ("nonposted credits", |p| p.link.nonposted_credits *= 2),
        ("posted headers", |p| p.link.posted_header_credits *= 2),
        ("posted data", |p| p.link.posted_data_credits *= 2),
        ("walkers", |p| p.iommu.as_mut().expect("there is one").walkers *= 2),
        ("entries", |p| p.iommu.as_mut().expect("there is one").entries *= 4),
        ("I/O ways", |p| p.llc.io_ways *= 2),
        ("memory", |p| p.memory.rate = Rate::from_bits_per_s(p.memory.rate.bits_per_s() * 2)),
    ];
    for writes in [false, true] {
        let before = time_of(&base, writes);
        for (name, change) in changes {
            let mut changed = base.clone();
            change(&mut changed);
            let after = time_of(&changed, writes);
            assert!(after[0] <= before[0] && after[1] <= before[1], "{name}, writes: {writes}: {before:?}, {after:?}");
        }
    }
    let [small, large] = time_of(&base, false);
    let mut tags = base.clone();
    tags.link.tags = 16;
    tags.link.nonposted_credits = 16;
    tags.iommu = None;
    let faster = time_of(&tags, false);
    assert!(faster[0] < small && faster[1] < large, "the test has a bottleneck");
}

#[test]
fn a_stream_of_reads_reaches_the_rate_that_tags_or_link_allow() {
    let p = parameters();
    let stream = |tags: u32| {
        let mut p = p.clone();
        p.link.tags = tags;
        let reads =
            (0..2000).map(|number| Access { gap: Time::ZERO, offset: number % 512 * 64, bytes: 64, writes: None });
        let (_, _, end) = transfers(&p, reads.collect());
        2000.0 * 64.0 * 8.0 / (end.as_us() * 1e3)
    };
    let round_trip_ns = 527.0 + 53.0 + 108.0 * 8.0 / 59.55;
    let by_tags = 8.0 * 64.0 * 8.0 / round_trip_ns;
    let by_link = 59.55 * 64.0 / 84.0;
    let [few, many] = [stream(8), stream(256)];
    assert!((few / by_tags - 1.0).abs() < 0.02, "{few} Gbit/s, not {by_tags}");
    assert!((many / by_link - 1.0).abs() < 0.03, "{many} Gbit/s, not {by_link}");
}
