//! Tests that endpoints of active messages take the stated cycles for sends, polls, barriers and transfers, on queues
//! without a bus and over an ideal fabric.

use super::transfer::{CompleteTransfer, Transfers};
use super::{ActiveEndpoint, ActiveMessage, Barrier, Received};
use crate::engine::{
    Bytes, EndpointId, EndpointMap, Hertz, Limits, MessageTally, NodeId, Outcome, Recorder, Simulation, Time,
};
use crate::fabric::FabricSpec;
use crate::fabric::ideal::IdealParameters;
use crate::host::software::SoftwareParameters;
use crate::host::{Host, HostSpec};
use crate::messaging::active_message::{TRANSFER_BEGIN, TRANSFER_DATA};
use crate::messaging::{Endpoint, MessagingParameters};
use crate::ni::direct::QueuesParameters;
use crate::ni::{BuildContext, ConnectionTable, Costs, InFlight, InterfaceSpec};
use crate::protocol::{ProtocolBinding, ProtocolEnvironment, plain};
use std::cell::Cell;
use std::rc::Rc;

/// A fabric on which packets of 32 bytes take 4 cycles into a link and 4 out of it.
const FABRIC: IdealParameters = IdealParameters { latency: Time::from_ns(22), ..IdealParameters::PAPER };

/// Cycles from one interface to the other.
const WIRE_CYCLES: u64 = 4 + 22 + 4;

const COSTS: Costs = Costs { send: 40, poll: 0, receive: 60, reorder: 20 };

const IN_ORDER: MessagingParameters = MessagingParameters {
    costs: COSTS,
    in_order: true,
    drain_first: true,
    dispatch: 0,
    overflow: None,
    barrier: 10,
    message_max: None,
};

const UNORDERED: MessagingParameters = MessagingParameters { in_order: false, ..IN_ORDER };

/// Queues with capacity for more packets than any test sends.
const QUEUES: plain::PlainParameters = plain::PlainParameters { outgoing: 64, arrivals: 64 };

/// Builds two endpoints with a clock of 1 GHz, so that a cycle is 1 ns.
fn endpoint_pair(parameters: MessagingParameters) -> (Simulation, Vec<Rc<ActiveEndpoint>>) {
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    let fabric = FABRIC.join(&sim, &["a", "b"].map(str::to_owned), 1);
    let addresses = Rc::new(EndpointMap::new([1, 1]));
    let (tally, in_flight, barrier) = (MessageTally::new(&sim), InFlight::new(2), Rc::<Barrier>::default());
    let connections = ConnectionTable::new();
    let host_parameters = SoftwareParameters { clock: Hertz(1_000_000_000), cores: 1 };
    let protocol = ProtocolBinding::new(std::sync::Arc::new(QUEUES), ProtocolEnvironment::new(1, true));
    let interface = QueuesParameters { packet: Bytes(32) };
    let active_endpoint = |node: NodeId| {
        let name = format!("n{node}");
        let host = Host::new(node, &name, host_parameters.start(&sim, node, &name));
        let context = BuildContext {
            sim: &sim,
            host: &host,
            fabric: &fabric,
            protocol: &protocol,
            costs: parameters.costs,
            tally: &tally,
            in_flight: &in_flight,
            addresses: &addresses,
            connections: &connections,
        };
        let driver = interface.start(&context);
        let endpoints = Endpoint::for_node(&host, driver, parameters, Bytes(64), (&tally, &in_flight, &addresses));
        ActiveEndpoint::new(&endpoints[0], &barrier)
    };
    let active_endpoints = NodeId::all(2).map(active_endpoint).collect();
    (simulation, active_endpoints)
}

/// Returns the cycle in which the second of two nodes has handled `packets` packets.
fn cycle_when_handled(parameters: MessagingParameters, packets: usize) -> u64 {
    let (simulation, endpoints) = endpoint_pair(parameters);
    let (sender, receiver) = (endpoints[0].clone(), endpoints[1].clone());
    let count = Rc::new(Cell::new(0));
    let handler_count = count.clone();
    receiver.on_message(move |received| {
        assert_eq!((received.from, received.handler, received.words[0]), (EndpointId(0), 3, handler_count.get()));
        handler_count.set(handler_count.get() + 1);
    });
    let receiving_endpoint = receiver.clone();
    simulation.sim().spawn("sends", async move {
        for number in 0..packets as u32 {
            sender.send(ActiveMessage::new(EndpointId(1), 3, &[number])).await;
        }
    });
    simulation.sim().spawn("receives", async move { receiver.wait_until(|| count.get() == packets as u32).await });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    let counts =
        (endpoints[0].sent_packets(), receiving_endpoint.accepted_packets(), receiving_endpoint.pending_packets());
    assert_eq!(counts, (packets as u64, packets as u64, 0));
    receiving_endpoint.cycle()
}

#[test]
fn a_packet_takes_the_stated_cycles() {
    assert_eq!(cycle_when_handled(IN_ORDER, 1), 40 + WIRE_CYCLES + 60);
    assert_eq!(cycle_when_handled(IN_ORDER, 3), 40 + WIRE_CYCLES + 3 * 60, "receiving is slower than sending");
    // The processor polls at 0, 22, 44 and 66: the packet of cycle 70 is found by the poll at 88.
    let polls = MessagingParameters { costs: Costs { poll: 22, ..COSTS }, ..IN_ORDER };
    assert_eq!(cycle_when_handled(polls, 1), 88 + 60);
}

/// Returns the number of packets of two transfers of `length` words, and the cycle in which the second transfer is
/// complete.
fn packets_and_completion_cycle(parameters: MessagingParameters, length: u32) -> (u64, u64) {
    let (simulation, endpoints) = endpoint_pair(parameters);
    let (sender, receiver) = (endpoints[0].clone(), endpoints[1].clone());
    let complete_transfers = Rc::new(Cell::new(0));
    let (counter, receiving_endpoint) = (complete_transfers.clone(), receiver.clone());
    receiver.on_transfer(move |from, handler, words| {
        assert_eq!((from, handler), (EndpointId(0), 7));
        assert_eq!(words, (0..length).collect::<Vec<_>>());
        counter.set(counter.get() + 1);
    });
    simulation.sim().spawn("sends", async move {
        let words: Vec<u32> = (0..length).collect();
        sender.transfer(EndpointId(1), 7, &words).await;
        sender.transfer(EndpointId(1), 7, &words).await;
    });
    simulation.sim().spawn("receives", async move { receiver.wait_until(|| complete_transfers.get() == 2).await });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    (endpoints[0].sent_packets(), receiving_endpoint.cycle())
}

#[test]
fn transfers_have_the_stated_packets_and_are_complete() {
    // A packet has seven words, one of which describes the transfer.
    assert_eq!(packets_and_completion_cycle(IN_ORDER, 6).0, 2);
    assert_eq!(packets_and_completion_cycle(IN_ORDER, 7).0, 4);
    assert_eq!(packets_and_completion_cycle(IN_ORDER, 0).0, 2);
    // A round trip comes first, and then packets of six words.
    assert_eq!(packets_and_completion_cycle(UNORDERED, 0).0, 2);
    assert_eq!(packets_and_completion_cycle(UNORDERED, 6).0, 4);
    assert_eq!(packets_and_completion_cycle(UNORDERED, 61).0, 24);
    assert!(
        packets_and_completion_cycle(UNORDERED, 60).1 > packets_and_completion_cycle(IN_ORDER, 60).1,
        "in-order delivery saves time"
    );
}

/// Tests that the setup of a sender's second transfer is answered when the last packet of the first has arrived,
/// however late.
#[test]
fn a_transfer_waits_for_late_packets_of_the_one_before() {
    let (transfers, from) = (Transfers::default(), EndpointId(0));
    let accept = |handler: u8, words: &[u32]| transfers.accept(&Received { from, handler, words }, false).is_some();
    assert!(accept(TRANSFER_BEGIN, &[7 << 24 | 3]), "the first setup is answered");
    assert!(!accept(TRANSFER_DATA, &[2, 30]));
    assert!(!accept(TRANSFER_BEGIN, &[8 << 24]), "the second setup is not answered yet");
    assert_eq!(transfers.take_complete(from), None);
    assert!(!accept(TRANSFER_DATA, &[0, 10, 20]));
    let first = transfers.take_complete(from).expect("all words of the first have arrived");
    assert_eq!((first.handler, first.words, first.reply.is_some()), (7, vec![10, 20, 30], true));
    let second = CompleteTransfer { handler: 8, words: vec![], reply: None };
    assert_eq!(transfers.take_complete(from), Some(second), "a transfer without words is complete at once");
    assert_eq!(transfers.take_complete(from), None);
}

/// Tests the order of a send and of two packets that arrived while the program computed. With `drain-first`, the
/// program first receives both packets. Without it, the program sends first, and continues after the first packet.
#[test]
fn drain_first_receives_arrivals_before_a_send() {
    let send_and_continue_times = |drain_first: bool| {
        let (simulation, endpoints) = endpoint_pair(MessagingParameters { drain_first, ..IN_ORDER });
        let (computing_endpoint, sending_endpoint, arrived_packets) =
            (endpoints[0].clone(), endpoints[1].clone(), Rc::new(Cell::new(0)));
        let (counter, send_cycle, continue_cycle) =
            (arrived_packets.clone(), Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        endpoints[0].on_message(move |_| counter.set(counter.get() + 1));
        endpoints[1].on_message(|_| {});
        let recorded_cycles = (send_cycle.clone(), continue_cycle.clone());
        simulation.sim().spawn("computes", async move {
            computing_endpoint.compute(500).await;
            computing_endpoint.send(ActiveMessage::new(EndpointId(1), 1, &[])).await;
            recorded_cycles.0.set(computing_endpoint.cycle());
            computing_endpoint.wait_until(|| arrived_packets.get() > 0).await;
            recorded_cycles.1.set(computing_endpoint.cycle());
        });
        simulation.sim().spawn("sends", async move {
            for _ in 0..2 {
                sending_endpoint.send(ActiveMessage::new(EndpointId(0), 1, &[])).await;
            }
        });
        simulation.run(Limits::default());
        (send_cycle.get(), continue_cycle.get())
    };
    assert_eq!(send_and_continue_times(true), (500 + 2 * 60 + 40, 500 + 2 * 60 + 40));
    assert_eq!(send_and_continue_times(false), (500 + 40, 500 + 40 + 60));
}

#[test]
fn a_packet_that_may_arrive_out_of_order_costs_its_reordering() {
    let without_cost = MessagingParameters { costs: Costs { reorder: 0, ..COSTS }, ..UNORDERED };
    // Each transfer has two packets of words, neither of which the sender waits for.
    let (cycle_with_cost, cycle_without_cost) =
        (packets_and_completion_cycle(UNORDERED, 12).1, packets_and_completion_cycle(without_cost, 12).1);
    assert_eq!(cycle_with_cost - cycle_without_cost, 2 * 2 * 20);
}

#[test]
fn dispatch_is_charged_for_messages_and_not_for_data() {
    let slower_by = |parameters: MessagingParameters| {
        let slower = MessagingParameters { dispatch: 100, ..parameters };
        packets_and_completion_cycle(slower, 12).1 - packets_and_completion_cycle(parameters, 12).1
    };
    // Without in-order delivery, each of the two transfers begins with a setup and its answer, which are dispatched.
    assert_eq!((slower_by(IN_ORDER), slower_by(UNORDERED)), (0, 4 * 100));
}

/// Tests that a deadlock report names the program that never enters a barrier, and the wait-for cycle.
#[test]
fn a_deadlock_names_the_programs_that_wait_for_each_other() {
    let (simulation, endpoints) = endpoint_pair(IN_ORDER);
    for (node, endpoint) in endpoints.iter().cloned().enumerate() {
        endpoint.clone().set_program(simulation.sim().spawn(["a program", "b program"][node], async move {
            match node {
                0 => endpoint.barrier().await,
                _ => endpoint.wait_for_answer(EndpointId(0), || false).await,
            }
        }));
    }
    let Outcome::Deadlock(deadlock) = simulation.run(Limits::default()) else { panic!("the run deadlocks") };
    let chain: Vec<String> = deadlock.chain.iter().map(ToString::to_string).collect();
    assert_eq!(
        chain,
        [
            "a program waits for the barrier held by b program",
            "b program waits for an answer of nnode 0 held by a program, which closes the cycle",
        ]
    );
}

#[test]
fn a_barrier_opens_when_all_have_entered() {
    let (simulation, endpoints) = endpoint_pair(IN_ORDER);
    for (node, endpoint) in endpoints.into_iter().enumerate() {
        simulation.sim().spawn("enters", async move {
            for barrier in 1..=3 {
                endpoint.compute([100, 7][node]).await;
                endpoint.barrier().await;
                assert_eq!(endpoint.cycle(), barrier * 110);
            }
            assert!(!endpoint.wait_until_cycle(400, || false).await);
            assert_eq!(endpoint.cycle(), 400);
        });
    }
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
}
