//! Every interface moves every size intact, with few buffers and many, through small queues and
//! caches; journeys add up; what cannot work is refused, and what cannot go on is named.

use super::{Counts, Measured, Pair, PairParameters, bandwidth, round_trip};
use crate::engine::{Bytes, Limits, Outcome, Recorder, Time};
use crate::host::memory_bus::parameters::Spin;
use crate::host::memory_bus::processor::Stalls;
use crate::ni::memory_bus::message::Header;
use crate::ni::memory_bus::parameters::flow_control_buffers;
use crate::ni::memory_bus::*;
use crate::protocol::return_to_sender::{Buffers, Parameters, Retry};
use std::cell::RefCell;
use std::rc::Rc;

const SIZES: [usize; 24] =
    [0, 1, 2, 7, 8, 9, 15, 16, 47, 48, 49, 55, 56, 57, 64, 120, 200, 247, 248, 249, 256, 500, 1000, 4096];

fn limits() -> Limits {
    Limits { no_progress: Time::from_us(1_000), ..Limits::default() }
}

/// Runs both microbenchmarks, which check every byte.
fn assert_intact(parameters: &PairParameters, bytes: usize, messages: u64) {
    let counts = Counts { warm_up: 0, measured: messages };
    for benchmark in [round_trip, bandwidth] {
        let pair = Pair::new(parameters, Recorder::off()).expect("parameters that can be");
        let measured: Measured = benchmark(&pair, bytes, counts, limits());
        assert_eq!(measured.outcome, Outcome::Done, "{} {bytes} B", parameters.interface.kind.name());
    }
}

#[test]
fn every_size_arrives_intact_through_every_interface() {
    for kind in Kind::ALL {
        for bytes in SIZES {
            assert_intact(&PairParameters::paper(kind), bytes, 6);
        }
    }
}

#[test]
fn few_buffers_lose_and_double_nothing() {
    let retry = Retry::constant(Time::from_ns(200));
    for kind in Kind::ALL {
        for buffers in [Buffers::finite(1).unwrap(), Buffers::finite(2).unwrap(), Buffers::Infinite] {
            let mut parameters = PairParameters::paper(kind);
            parameters.interface.flow = Parameters::symmetric(buffers, retry);
            for bytes in [8, 64, 600] {
                assert_intact(&parameters, bytes, 40);
            }
        }
    }
}

#[test]
fn small_queues_and_caches_hold_through_many_laps() {
    for kind in [Kind::StartJr, Kind::MemoryChannel, Kind::Cni512q, Kind::Cni32qm, Kind::Cni32qmThrottle] {
        for (queue_blocks, cache_blocks) in [(4, 4), (8, 4), (16, 8), (16, 32)] {
            let mut parameters = PairParameters::paper(kind);
            parameters.interface.queue_blocks = queue_blocks;
            parameters.interface.cache_blocks = cache_blocks;
            for (bytes, messages) in [(8, 1_500), (64, 300), (300, 200)] {
                assert_intact(&parameters, bytes, messages);
            }
        }
    }
}

#[test]
fn headers_left_in_memory_are_not_taken_for_messages_by_a_processor_that_forgets() {
    // A processor cache of two blocks forgets every header, so polls read what is in memory.
    for kind in [Kind::StartJr, Kind::Cni512q, Kind::Cni32qm] {
        let mut parameters = PairParameters::paper(kind);
        parameters.node.cache.size = Bytes(128);
        parameters.interface.queue_blocks = 16;
        parameters.interface.cache_blocks = 8;
        assert_intact(&parameters, 8, 2_000);
        assert_intact(&parameters, 100, 300);
    }
}

#[test]
fn narrow_accesses_and_the_threshold_move_the_same_bytes() {
    for access_bytes in [1, 2, 4] {
        let mut parameters = PairParameters::paper(Kind::Ni2w);
        parameters.interface.access_bytes = access_bytes;
        assert_intact(&parameters, 77, 3);
    }
    let mut parameters = PairParameters::paper(Kind::Udma);
    parameters.interface.udma_threshold = Bytes(96);
    for bytes in [8, 96, 97, 300] {
        assert_intact(&parameters, bytes, 6);
    }
}

#[test]
fn polls_skipped_and_polls_simulated_give_the_same_times() {
    for kind in [Kind::StartJr, Kind::Cni512q, Kind::Cni32qm, Kind::Cni32qmThrottle] {
        for bytes in [8, 100, 256] {
            let time = |spin| {
                let mut parameters = PairParameters::paper(kind);
                parameters.node.processor.spin = spin;
                let pair = Pair::new(&parameters, Recorder::off()).unwrap();
                round_trip(&pair, bytes, Counts { warm_up: 10, measured: 50 }, limits()).time
            };
            assert_eq!(time(Spin::Skipped), time(Spin::Each), "{} {bytes} B", kind.name());
        }
    }
}

#[test]
fn a_run_repeats_to_the_picosecond() {
    for kind in Kind::ALL {
        let run = || {
            let pair = Pair::new(&PairParameters::paper(kind), Recorder::off()).unwrap();
            let measured = bandwidth(&pair, 64, Counts { warm_up: 50, measured: 200 }, limits());
            (measured.time, measured.bus_transactions)
        };
        assert_eq!(run(), run());
    }
}

/// Sends messages one way and compares each ledger with the times that the programs saw.
fn assert_ledgers_sum(kind: Kind, bytes: usize) {
    let mut parameters = PairParameters::paper(kind);
    parameters.messaging.ledgers = true;
    let pair = Pair::new(&parameters, Recorder::off()).unwrap();
    let [first, second] = pair.ends.clone();
    let sent = Rc::new(RefCell::new(Vec::new()));
    let (log, sim) = (sent.clone(), pair.simulation.sim());
    sim.spawn("node 0 program", async move {
        let buffer = first.node().allocate(bytes);
        for _ in 0..30 {
            log.borrow_mut().push(first.processor().time());
            first.send(1, 0, buffer, bytes).await;
            first.processor().work(300);
        }
    });
    sim.spawn("node 1 program", async move {
        for message in 0..30 {
            let received = second.receive().await;
            let ledger = received.ledger.clone().expect("ledgers are on");
            assert_eq!(ledger.start() + ledger.total(), second.processor().time(), "the ledger ends with the message");
            if bytes <= 64 {
                assert_eq!(ledger.start(), sent.borrow()[message], "the ledger begins with the call to send");
            }
            let stages: Time = ledger.stages().iter().map(|stage| stage.waiting + stage.service).sum();
            assert_eq!(stages, ledger.total());
            let names: Vec<&str> = ledger.stages().iter().map(|stage| stage.name).collect();
            assert!(names.contains(&"wire") && names.last() == Some(&"receive: bus"), "{names:?}");
            second.free(received);
        }
    });
    assert_eq!(pair.simulation.run(limits()), Outcome::Done);
}

#[test]
fn the_ledger_of_each_message_sums_to_its_latency() {
    for kind in Kind::ALL {
        for bytes in [8, 64, 256, 1000] {
            assert_ledgers_sum(kind, bytes);
        }
    }
}

#[test]
fn a_receiver_that_never_polls_is_a_named_deadlock() {
    for kind in Kind::ALL {
        let mut parameters = PairParameters::paper(kind);
        parameters.interface.queue_blocks = 32;
        parameters.interface.cache_blocks = 8;
        let pair = Pair::new(&parameters, Recorder::off()).unwrap();
        let [first, _] = pair.ends.clone();
        pair.simulation.sim().spawn("node 0 program", async move {
            let buffer = first.node().allocate(64);
            for _ in 0..1_000 {
                first.send(1, 0, buffer, 64).await;
            }
        });
        let outcome = pair.simulation.run(limits());
        let Outcome::Deadlock(stuck) = &outcome else { panic!("{}: {outcome:?}", kind.name()) };
        let told = stuck.to_string();
        assert!(told.contains("node 0 program waits for an outgoing flow-control buffer of node 0"), "{told}");
    }
}

fn problems(change: impl Fn(&mut InterfaceParameters), kind: Kind) -> Vec<String> {
    let mut parameters = InterfaceParameters::paper(kind);
    change(&mut parameters);
    parameters.check().iter().map(ToString::to_string).collect()
}

#[test]
fn what_cannot_work_is_refused_with_the_reason() {
    assert_eq!(problems(|p| p.queue_blocks = 500, Kind::Cni512q), ["queue-blocks: 500 blocks is not a power of two"]);
    assert_eq!(
        problems(|p| p.queue_blocks = 2, Kind::StartJr),
        ["queue-blocks: a message of 256 B needs 4 blocks, more than the queue's 2"]
    );
    assert_eq!(
        problems(|p| p.window_bytes = 4, Kind::Ni2w),
        ["access-bytes: 8 B is wider than the 4 B of the fifo that the processor sees"]
    );
    assert_eq!(
        problems(|p| p.access_bytes = 16, Kind::Ni2w),
        ["access-bytes: 16 B: an uncached access moves 1, 2, 4 or 8 bytes"]
    );
    assert_eq!(
        problems(|p| p.cache_blocks = 0, Kind::Cni32qm),
        ["cache-blocks: 0 blocks: a power of two of at least the 4 blocks of a message"]
    );
    let none = flow_control_buffers(0, Retry::constant(Time::from_ns(1))).unwrap_err();
    assert_eq!(none.to_string(), "flow-control-buffers: 0 buffers: a node without any could never communicate");
    let mut pair = PairParameters::paper(Kind::Ni2w);
    pair.messaging.message_bytes_max = 1 << 20;
    assert!(Pair::new(&pair, Recorder::off()).is_err_and(|problems| problems.len() == 1));
    for kind in Kind::ALL {
        assert_eq!(PairParameters::paper(kind).check(), []);
    }
}

#[test]
fn a_header_survives_its_encoding() {
    let header = Header {
        payload_bytes: 248,
        source: 1_023,
        destination: 512,
        sequence: 32_767,
        fragment: 255,
        last: true,
        handler: 31,
        sense: 127,
    };
    assert_eq!(Header::decode(header.encode()), header);
    assert_eq!(Header::decode(0), Header::default());
}

#[test]
fn a_processor_that_never_left_its_cache_never_stalled() {
    let pair = Pair::new(&PairParameters::paper(Kind::Cni32qm), Recorder::off()).unwrap();
    assert_eq!(pair.ends[0].processor().stalls(), Stalls::default());
}
