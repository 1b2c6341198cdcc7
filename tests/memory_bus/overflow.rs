//! Checks what happens to messages that arrive while a send inside a handler blocks.

use super::*;
use narrows::messaging::active::{ActiveEndpoint, ActiveMessage};
use std::cell::Cell;

const WITH_ONE_BUFFER: [&str; 2] = ["messaging.overflow=20", "protocol.return-to-sender.flow-control-buffers=1"];
const MESSAGES: u32 = 40;
const TRANSFER_WORDS: u32 = 500;

/// Returns settings with one flow-control buffer and short queues, so that sends block.
fn settings(design: Design, overrides: &[&str]) -> Vec<String> {
    let queues = if design.has_queue() { block_settings(design, 32, 8) } else { Vec::new() };
    overrides.iter().map(|setting| (*setting).to_owned()).chain(queues).collect()
}

/// The record of a node's handlers.
#[derive(Default)]
struct HandlerRecord {
    /// First words of the messages, in the order of handlers.
    first_words: RefCell<Vec<u32>>,
    transfers: Cell<u32>,
    /// Whether the program is inside a send.
    is_sending: Cell<bool>,
    /// Number of handlers that ran inside a send.
    nested_handlers: Cell<u32>,
}

fn record_handlers(endpoint: &ActiveEndpoint) -> Rc<HandlerRecord> {
    let record = Rc::<HandlerRecord>::default();
    let (message_record, transfer_record) = (record.clone(), record.clone());
    endpoint.on_message(move |received| {
        assert_eq!(received.words[1..], [received.words[0] * 3, 7], "the bytes are those that were sent");
        message_record.first_words.borrow_mut().push(received.words[0]);
        message_record
            .nested_handlers
            .set(message_record.nested_handlers.get() + u32::from(message_record.is_sending.get()));
    });
    endpoint.on_transfer(move |_, _, words| {
        assert_eq!(words, (0..TRANSFER_WORDS).collect::<Vec<_>>());
        transfer_record.transfers.set(transfer_record.transfers.get() + 1);
    });
    record
}

/// Lets two nodes send to each other inside handlers, and then handle what has arrived. The first node also
/// transfers words in bulk. Returns the numbers of packets that were moved to memory, and of handlers that ran inside
/// a send.
fn exchange(design: Design, overrides: &[String]) -> (u64, u32) {
    let (built, _) = build_with_two_idle_nodes(design, overrides);
    let endpoints = [0, 1].map(|node| built.world.active_endpoints()[node].clone());
    let records = [0, 1].map(|node: usize| record_handlers(&endpoints[node]));
    for node in 0..2 {
        let (endpoint, record, to) = (endpoints[node].clone(), records[node].clone(), EndpointId(1 - node as u32));
        built.world.sim.spawn(["n0 program", "n1 program"][node], async move {
            for number in 0..MESSAGES {
                record.is_sending.set(true);
                endpoint.send_in_handler(ActiveMessage::new(to, 3, &[number, number * 3, 7])).await;
                record.is_sending.set(false);
                if node == 0 && number == MESSAGES / 2 {
                    endpoint.transfer(to, 5, &(0..TRANSFER_WORDS).collect::<Vec<_>>()).await;
                }
            }
            let transfers = u32::from(node == 1);
            let has_all =
                || record.first_words.borrow().len() == MESSAGES as usize && record.transfers.get() == transfers;
            endpoint.wait_until(has_all).await;
        });
    }
    assert_eq!(built.world.sim.now(), Time::ZERO);
    let outcome = built.run();
    assert_eq!(outcome, Outcome::Done, "{}", design.name());
    for record in &records {
        let order: Vec<u32> = (0..MESSAGES).collect();
        assert_eq!(*record.first_words.borrow(), order, "{}: handlers run in the order of arrival", design.name());
    }
    let sum = |count: fn(&ActiveEndpoint) -> u64| endpoints.iter().map(|endpoint| count(endpoint)).sum::<u64>();
    assert_eq!(sum(ActiveEndpoint::sent_packets), sum(ActiveEndpoint::accepted_packets), "{}", design.name());
    (sum(ActiveEndpoint::overflowed_packets), records.iter().map(|record| record.nested_handlers.get()).sum())
}

#[test]
fn packets_overflow_to_memory_or_are_handled_inside_the_send() {
    // A throttled sender with short queues and one buffer deadlocks with a receiver that also sends.
    for design in Design::ALL.into_iter().filter(|design| *design != Design::Cni32qmThrottle) {
        let (moved_packets, nested_handlers) = exchange(design, &settings(design, &WITH_ONE_BUFFER));
        match design.overflows_to_user_memory() {
            true => assert!(
                moved_packets > 0 && nested_handlers == 0,
                "{}: {moved_packets} moved, {nested_handlers} nested",
                design.name()
            ),
            false => assert!(
                moved_packets == 0 && nested_handlers > 0,
                "{}: {moved_packets} moved, {nested_handlers} nested",
                design.name()
            ),
        }
        let (moved_packets, nested_handlers) = exchange(design, &settings(design, &WITH_ONE_BUFFER[1..]));
        assert!(moved_packets == 0 && nested_handlers > 0, "{}: without the key arrivals are handled", design.name());
    }
}

fn run_workload(design: Design, overrides: &[&str], workload: &str) -> RunResult {
    let result = run(&machine(&text(design, 4, workload), &settings(design, overrides)));
    assert_eq!(result.outcome, Outcome::Done, "{} {workload}", design.name());
    result
}

/// The programs check their results against serial runs.
#[test]
fn programs_whose_handlers_send_give_the_results_of_serial_runs() {
    const SPSOLVE: &str = "spsolve = { rows = 90, neighbours = 14, iterations = 2 }";
    const OTHER_PROGRAMS: [&str; 3] = [
        "appbt = { points = 4, iterations = 1 }",
        "dsmc = { cells = [4, 4, 2], molecules = 300, iterations = 3 }",
        "unstructured = { nodes = 150, iterations = 2 }",
    ];
    for design in Design::ALL {
        let solved = run_workload(design, &WITH_ONE_BUFFER, SPSOLVE);
        let moved_packets = solved.metric("packets.overflowed");
        assert_eq!(
            moved_packets.is_some_and(|moved_packets| moved_packets > 0.0),
            design.overflows_to_user_memory(),
            "{}",
            design.name()
        );
        for workload in OTHER_PROGRAMS {
            run_workload(design, &WITH_ONE_BUFFER, workload);
        }
    }
}

/// Checks that a send outside a handler handles arrivals, whether `overflow` is set or not.
#[test]
fn overflow_does_not_change_sends_outside_handlers() {
    const EM3D: &str = "em3d = { n-nodes = 40, d-nodes = 5, local-p = 50, iterations = 2, exchange = \"updates\" }";
    for design in [Design::Ni2w, Design::Ap3000, Design::Cni512q] {
        let with_overflow = run_workload(design, &WITH_ONE_BUFFER, EM3D);
        let without_overflow = run_workload(design, &WITH_ONE_BUFFER[1..], EM3D);
        assert_eq!(with_overflow.metrics, without_overflow.metrics, "{}", design.name());
    }
}

#[test]
fn managing_the_queue_takes_the_stated_cycles() {
    const SPSOLVE: &str = "spsolve = { rows = 90, neighbours = 14, iterations = 2 }";
    let receive_cycles = |overflow: &str| {
        let result = run_workload(Design::Ni2w, &[overflow, WITH_ONE_BUFFER[1]], SPSOLVE);
        result.metric("time.receive").expect("the metric exists")
            + result.metric("time.wait_for_capacity").expect("the metric exists")
    };
    assert!(receive_cycles("messaging.overflow=500") > receive_cycles("messaging.overflow=0"));
}
