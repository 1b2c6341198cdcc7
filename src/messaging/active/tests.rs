//! Does the ideal end keep its promises, to the cycle? Costs, polling, barriers, transfers.

use super::*;
use crate::engine::{Bytes, Limits, Outcome, Recorder, Simulation};

/// A clock of 1 GHz: a cycle is 1000 ps.
const SYNTHETIC: Parameters = Parameters {
    clock: Hertz(1_000_000_000),
    send: 40,
    poll: 0,
    receive: 60,
    barrier: 10,
    reorder: 20,
    packet: Bytes(32),
    in_order: true,
    latency: 30,
    jitter: 0,
};

fn pair(parameters: Parameters) -> (Simulation, Vec<Rc<Endpoint>>) {
    let simulation = Simulation::new(Recorder::off());
    let ends = connect(&simulation.sim(), 2, parameters, 1);
    (simulation, ends)
}

/// When the second of two nodes has handled `packets` packets.
fn handled(parameters: Parameters, packets: usize) -> u64 {
    let (simulation, ends) = pair(parameters);
    let (sender, receiver) = (ends[0].clone(), ends[1].clone());
    let count = Rc::new(Cell::new(0));
    let counting = count.clone();
    receiver.on_message(move |received| {
        assert_eq!((received.from, received.handler, received.words[0]), (0, 3, counting.get()));
        counting.set(counting.get() + 1);
    });
    let end = receiver.clone();
    simulation.sim().spawn("sends", async move {
        for number in 0..packets as u32 {
            sender.send(Packet::new(1, 3, &[number])).await;
        }
    });
    simulation.sim().spawn("receives", async move { receiver.wait_until(|| count.get() == packets as u32).await });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    assert_eq!((end.accepted(), end.pending()), (packets as u64, 0));
    end.cycle()
}

#[test]
fn a_packet_costs_what_is_stated() {
    assert_eq!(handled(SYNTHETIC, 1), 40 + 30 + 60);
    assert_eq!(handled(SYNTHETIC, 3), 40 + 30 + 3 * 60, "receiving is slower than sending");
    // Polls at 0, 22, 44, 66: the packet of cycle 70 is found by the one at 88.
    assert_eq!(handled(Parameters { poll: 22, ..SYNTHETIC }, 1), 88 + 60);
}

/// The packets of a transfer of `length` words, and when it is whole.
fn transferred(parameters: Parameters, length: u32) -> (u64, u64) {
    let (simulation, ends) = pair(parameters);
    let (sender, receiver) = (ends[0].clone(), ends[1].clone());
    let whole = Rc::new(Cell::new(0));
    let (coming, end) = (whole.clone(), receiver.clone());
    receiver.on_transfer(move |from, handler, words| {
        assert_eq!((from, handler), (0, 7));
        assert_eq!(words, (0..length).collect::<Vec<_>>());
        coming.set(coming.get() + 1);
    });
    simulation.sim().spawn("sends", async move {
        let words: Vec<u32> = (0..length).collect();
        sender.transfer(1, 7, &words).await;
        sender.transfer(1, 7, &words).await;
    });
    simulation.sim().spawn("receives", async move { receiver.wait_until(|| whole.get() == 2).await });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    (ends[0].sent(), end.cycle())
}

#[test]
fn transfers_are_packed_as_stated_and_come_whole() {
    // Seven words in a packet, one of them for what the transfer is.
    assert_eq!(transferred(SYNTHETIC, 6).0, 2);
    assert_eq!(transferred(SYNTHETIC, 7).0, 4);
    assert_eq!(transferred(SYNTHETIC, 0).0, 2);
    // A round trip first, then six words in a packet.
    let unordered = Parameters { in_order: false, jitter: 500, ..SYNTHETIC };
    assert_eq!(transferred(unordered, 0).0, 2);
    assert_eq!(transferred(unordered, 6).0, 4);
    assert_eq!(transferred(unordered, 61).0, 24);
    let slow = transferred(Parameters { in_order: false, ..SYNTHETIC }, 60).1;
    assert!(slow > transferred(SYNTHETIC, 60).1, "order is worth something");
}

#[test]
fn a_barrier_opens_when_all_have_entered() {
    let (simulation, ends) = pair(SYNTHETIC);
    for (node, end) in ends.into_iter().enumerate() {
        simulation.sim().spawn("enters", async move {
            for barrier in 1..=3 {
                end.compute([100, 7][node]).await;
                end.barrier().await;
                assert_eq!(end.cycle(), barrier * 110);
            }
            assert!(!end.wait_until_cycle(400, || false).await);
            assert_eq!(end.cycle(), 400);
        });
    }
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
}
