//! Tests of many transfers at once: order, the packet-by-packet reference, and laws.

use super::{parameters, run};
use crate::engine::{Bytes, Rate, Time};
use crate::host::pcie::iommu::IommuParameters;
use crate::host::pcie::link::{PcieLinkParameters, TlpSimulation, WriteOrdering};
use crate::host::pcie::parameters::PcieParameters;
use crate::host::{DmaOperation, DmaRequest, Host, Processor, submit_when_free};
use crate::text::Parameters;
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A transfer of a test, which is a read, or a write of bytes that all have the same value.
#[derive(Clone, Copy, Debug)]
struct Access {
    /// Time from the previous submission.
    gap: Time,
    offset: u64,
    bytes: u64,
    /// Value that is written; `None` for a read.
    write_value: Option<u8>,
}

const AREA_BYTES: u64 = 1 << 16;

/// A transfer as the engine sees it: its submission, its end, and the bytes that it read.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ObservedTransfer {
    submitted_at: Time,
    done_at: Time,
    data: Vec<u8>,
}

/// Runs transfers, each of which is submitted after its gap, as soon as the port accepts it. Returns the observed
/// transfers, the busy time of each part of the host, and the end of the run.
fn run_transfers(
    parameters: &PcieParameters,
    accesses: Vec<Access>,
) -> (Vec<ObservedTransfer>, Vec<(&'static str, Time)>, Time) {
    let ((observed, busy), end) = run(parameters, move |host: Rc<Host>| async move {
        let sim = host.cpu().sim().clone();
        let base = host.allocate(AREA_BYTES as usize);
        let port = host.dma_port().port();
        let observed = Rc::new(RefCell::new(vec![None; accesses.len()]));
        let (running_count, transfer_ended) =
            (Rc::new(Cell::new(accesses.len())), Rc::new(crate::engine::Signal::new(&sim, "the end of a transfer")));
        for (number, access) in accesses.iter().enumerate() {
            sim.delay(access.gap).await;
            let operation = match access.write_value {
                None => DmaOperation::Read(Bytes(access.bytes)),
                Some(value) => DmaOperation::Write(vec![value; access.bytes as usize].into()),
            };
            let request = DmaRequest { address: base + access.offset, operation };
            let mut transfer = submit_when_free(&*port, &request).await;
            let (submitted_at, observed) = (sim.now(), observed.clone());
            let (running_count, transfer_ended) = (running_count.clone(), transfer_ended.clone());
            let transfer_sim = sim.clone();
            sim.spawn("transfer", async move {
                let (mut data, mut beat_bytes) = (Vec::new(), Vec::new());
                while transfer.next_beat(&mut beat_bytes).await.is_some() {
                    data.extend_from_slice(&beat_bytes);
                }
                transfer.done().await;
                let stages: Time = transfer.stages().iter().map(|(_, time)| *time).sum();
                assert_eq!(submitted_at + stages, transfer_sim.now(), "stages add up to the latency");
                observed.borrow_mut()[number] =
                    Some(ObservedTransfer { submitted_at, done_at: transfer_sim.now(), data });
                running_count.set(running_count.get() - 1);
                transfer_ended.notify();
            });
        }
        while running_count.get() > 0 {
            transfer_ended.wait().await;
        }
        let busy: Vec<_> = host.utilization().into_iter().map(|part| (part.part_name, part.busy)).collect();
        let observed = observed.borrow_mut().drain(..).map(|transfer| transfer.expect("each transfer ends")).collect();
        (observed, busy)
    });
    (observed, busy, end)
}

fn access() -> impl Strategy<Value = Access> {
    let gap = prop_oneof![3 => Just(0), 1 => 0..300_000u64];
    (gap, 0..60_000u64, prop_oneof![1..300u64, 1..5000u64], any::<Option<u8>>())
        .prop_map(|(gap, offset, bytes, write_value)| Access { gap: Time::from_ps(gap), offset, bytes, write_value })
}

/// Generates parameters with small buffers, so that transfers wait for each kind of buffer.
fn small_parameters() -> impl Strategy<Value = PcieParameters> {
    let link = (3..=6u32, 0..=4u32, 0..=2u32, 0..=2u32, 1..=16u32, 1..=8u32);
    let buffers = (1..=4u32, 1..=4u32, any::<bool>(), any::<Option<u8>>());
    (link, buffers).prop_map(|((generation, lanes, mps, mrrs, tags, nonposted), (headers, data, relaxed, iommu))| {
        let mut parameters = parameters();
        parameters.link.generation = generation;
        parameters.link.lanes = 1 << lanes;
        parameters.link.payload_max = Bytes(128 << mps);
        parameters.link.read_max = Bytes(128 << (mps + mrrs));
        parameters.link.tags = tags;
        parameters.link.nonposted_credits = nonposted;
        parameters.link.posted_header_credits = headers;
        parameters.link.posted_data_credits = data * 32;
        parameters.link.ordering = if relaxed { WriteOrdering::Relaxed } else { WriteOrdering::Strict };
        parameters.iommu = iommu.map(|entries| IommuParameters {
            entries: 1 + usize::from(entries % 8),
            walkers: 1 + usize::from(entries / 8 % 3),
            ..IommuParameters::defaults()
        });
        parameters
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn packets_accounted_together_take_the_same_time_as_packets_simulated_one_by_one(
        parameters in small_parameters(),
        accesses in prop::collection::vec(access(), 1..40),
    ) {
        prop_assume!(u64::from(parameters.link.posted_data_credits) * 16 >= parameters.link.payload_max.get());
        let link = PcieLinkParameters { tlp: TlpSimulation::Each, ..parameters.link };
        let each = PcieParameters { link, ..parameters.clone() };
        let (accounted, accounted_busy, _) = run_transfers(&parameters, accesses.clone());
        let (simulated, simulated_busy, _) = run_transfers(&each, accesses);
        prop_assert_eq!(accounted, simulated);
        prop_assert_eq!(accounted_busy, simulated_busy);
    }

    #[test]
    fn no_direction_carries_more_than_its_rate(
        parameters in small_parameters(),
        accesses in prop::collection::vec(access(), 1..40),
    ) {
        prop_assume!(u64::from(parameters.link.posted_data_credits) * 16 >= parameters.link.payload_max.get());
        let (_, busy, end) = run_transfers(&parameters, accesses.clone());
        let moved_bytes = |is_read: bool| {
            let matching = accesses.iter().filter(|access| access.write_value.is_none() == is_read);
            matching.map(|access| access.bytes).sum::<u64>()
        };
        for (direction, bytes) in [("PCIe link up", moved_bytes(false)), ("PCIe link down", moved_bytes(true))] {
            let (_, busy) = busy.iter().find(|(name, _)| *name == direction).expect("the link is reported");
            prop_assert!(*busy <= end);
            let data_time = parameters.link.rate().time_for(Bytes(bytes));
            prop_assert!(*busy >= data_time, "{} carries {} B in {:?}", direction, bytes, busy);
        }
    }

    #[test]
    fn reads_pass_no_posted_writes(
        parameters in small_parameters(),
        pairs in prop::collection::vec((prop_oneof![Just(0), 0..400_000u64], 1..2000u64, any::<bool>()), 1..24),
    ) {
        prop_assume!(u64::from(parameters.link.posted_data_credits) * 16 >= parameters.link.payload_max.get());
        // Each range of bytes is written once, and then read once.
        let accesses = pairs.iter().enumerate().flat_map(|(number, (gap, bytes, crosses))| {
            let (offset, value) = (number as u64 * 2048 + if *crosses { 1000 } else { 0 }, number as u8 + 1);
            let bytes = (*bytes).min(1048);
            let write = Access { gap: Time::from_ps(*gap), offset, bytes, write_value: Some(value) };
            [write, Access { gap: Time::ZERO, write_value: None, ..write }]
        });
        let accesses: Vec<Access> = accesses.collect();
        let (observed, _, _) = run_transfers(&parameters, accesses.clone());
        for (pair, observed) in accesses.chunks(2).zip(observed.chunks(2)) {
            let value = pair[0].write_value.expect("the first of a pair writes");
            prop_assert_eq!(&observed[1].data, &vec![value; pair[0].bytes as usize]);
            if parameters.link.ordering == WriteOrdering::Strict {
                prop_assert!(observed[0].done_at <= observed[1].done_at);
            }
        }
    }

    #[test]
    fn writes_to_one_address_are_visible_in_order_unless_relaxed(
        parameters in small_parameters(),
        accesses in prop::collection::vec((0..300_000u64, any::<bool>()), 2..30),
    ) {
        prop_assume!(u64::from(parameters.link.posted_data_credits) * 16 >= parameters.link.payload_max.get());
        let link = PcieLinkParameters { ordering: WriteOrdering::Strict, ..parameters.link };
        let parameters = PcieParameters { link, ..parameters };
        let accesses = accesses.iter().enumerate().map(|(number, (gap, is_write))| Access {
            gap: Time::from_ps(*gap),
            offset: 100,
            bytes: 64,
            write_value: is_write.then_some(number as u8 + 1),
        });
        let accesses: Vec<Access> = accesses.collect();
        let (observed, _, _) = run_transfers(&parameters, accesses.clone());
        let mut last_value = 0;
        for (access, observed) in accesses.iter().zip(&observed) {
            match access.write_value {
                Some(value) => last_value = value,
                None => prop_assert!(
                    observed.data.iter().all(|byte| *byte >= last_value),
                    "{:?} before {}",
                    observed.data,
                    last_value
                ),
            }
        }
    }
}

/// Returns the time of 400 accesses of 64 B to random blocks, and of 40 of 2 KiB.
fn time_of(parameters: &PcieParameters, is_write: bool) -> [Time; 2] {
    [(64, 400), (2048, 40)].map(|(bytes, count)| {
        let block = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let accesses = (0..count).map(|number| Access {
            gap: Time::ZERO,
            offset: block(number) % ((AREA_BYTES - bytes) / 64) * 64,
            bytes,
            write_value: is_write.then_some(1),
        });
        run_transfers(parameters, accesses.collect()).2
    })
}

#[test]
fn a_larger_resource_never_slows_a_run() {
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
        ("walkers", |p| p.iommu.as_mut().expect("the host has an IOMMU").walkers *= 2),
        ("entries", |p| p.iommu.as_mut().expect("the host has an IOMMU").entries *= 4),
        ("I/O ways", |p| p.llc.io_ways *= 2),
        ("memory", |p| p.memory.rate = Rate::from_bits_per_s(p.memory.rate.bits_per_s() * 2)),
    ];
    for is_write in [false, true] {
        let times_before = time_of(&base, is_write);
        for (name, change) in changes {
            let mut changed = base.clone();
            change(&mut changed);
            let times_after = time_of(&changed, is_write);
            let is_not_slower = times_after[0] <= times_before[0] && times_after[1] <= times_before[1];
            assert!(is_not_slower, "{name}, writes: {is_write}: {times_before:?}, {times_after:?}");
        }
    }
    let [small_time, large_time] = time_of(&base, false);
    let mut improved = base.clone();
    improved.link.tags = 16;
    improved.link.nonposted_credits = 16;
    improved.iommu = None;
    let improved_times = time_of(&improved, false);
    assert!(improved_times[0] < small_time && improved_times[1] < large_time, "the test has a bottleneck");
}

#[test]
fn a_stream_of_reads_reaches_the_rate_that_tags_or_link_allow() {
    let p = parameters();
    let read_rate = |tags: u32| {
        let mut p = p.clone();
        p.link.tags = tags;
        let reads =
            (0..2000).map(|number| Access { gap: Time::ZERO, offset: number % 512 * 64, bytes: 64, write_value: None });
        let (_, _, end) = run_transfers(&p, reads.collect());
        2000.0 * 64.0 * 8.0 / (end.as_us() * 1e3)
    };
    let round_trip_ns = 527.0 + 53.0 + 108.0 * 8.0 / 59.55;
    let tag_limit = 8.0 * 64.0 * 8.0 / round_trip_ns;
    let link_limit = 59.55 * 64.0 / 84.0;
    let [few_tags_rate, many_tags_rate] = [read_rate(8), read_rate(256)];
    assert!((few_tags_rate / tag_limit - 1.0).abs() < 0.02, "{few_tags_rate} Gbit/s, not {tag_limit}");
    assert!((many_tags_rate / link_limit - 1.0).abs() < 0.03, "{many_tags_rate} Gbit/s, not {link_limit}");
}
