//! Checks that a node that does not poll for a long time, or that accepts no message while it waits for memory, blocks
//! no other node: its interface's queue overflows into memory.

use super::{PLACEHOLDER_WORKLOAD, START, build_without_workload, machine, space};
use narrows::engine::{EndpointId, Outcome, Time};
use narrows::host::Processor;
use narrows::messaging::active::ActiveMessage;
use narrows::ni::Driver;
use narrows::program::worker::Worker;
use std::cell::Cell;
use std::rc::Rc;

/// Sends 60 messages to an endpoint that ignores the network for 100 000 cycles. Returns the seconds until all were
/// sent, and the receiver's numbers of overflow traps and of messages moved by the traps.
fn send_to_unresponsive_endpoint(reception: &str, overrides: &[&str]) -> (f64, [u64; 2]) {
    let mut all_overrides = vec![format!("ni.cmmu.reception={reception}")];
    all_overrides.extend(overrides.iter().map(|setting| setting.to_string()));
    let built = build_without_workload(&machine("alewife-mesh", 4, 1, PLACEHOLDER_WORKLOAD, &all_overrides));
    let received = Rc::new(Cell::new(0));
    let (space, _) = space(&built, 64);
    let workers = Worker::all(&built.world, &space);
    for endpoint in built.world.active_endpoints() {
        let received = received.clone();
        endpoint.on_message(move |_| received.set(received.get() + 1));
    }
    let sent_at = Rc::new(Cell::new(Time::ZERO));
    for (worker_index, worker) in workers.into_iter().enumerate() {
        let (received, sent_at) = (received.clone(), sent_at.clone());
        built.world.sim.spawn(format!("program {worker_index}"), async move {
            let endpoint = worker.endpoint();
            endpoint.cpu().until(START).await;
            match worker_index {
                0 => {
                    for _ in 0..60 {
                        endpoint.send(ActiveMessage::new(EndpointId(1), 0, &[1; 14])).await;
                    }
                    sent_at.set(endpoint.now());
                }
                1 => {
                    endpoint.ignore(100_000).await;
                    endpoint.wait_until(|| received.get() >= 60).await;
                }
                _ => {}
            }
            worker.barrier().await;
        });
    }
    assert_eq!(built.run(), Outcome::Done);
    assert!(received.get() >= 60, "every message arrives");
    let counts = built.world.nodes[1].endpoint().driver().counts();
    let count_of =
        |name: &str| counts.iter().find(|(known_name, _)| *known_name == name).map_or(0, |(_, count)| *count);
    ((sent_at.get() - START).as_s(), [count_of("ni.overflows"), count_of("ni.overflowed_messages")])
}

#[test]
fn endpoint_that_ignores_the_network_overflows_and_loses_nothing() {
    let (send_seconds, [traps, messages]) = send_to_unresponsive_endpoint("polling", &[]);
    assert!(traps > 0 && messages >= 8 * traps, "{traps} traps, {messages} messages");
    assert!(send_seconds < 5e-3, "the sender does not wait until the receiver polls: {send_seconds} s");
    let (send_seconds, overflows) = send_to_unresponsive_endpoint("polling", &["ni.cmmu.overflow-after=100 ms"]);
    assert_eq!(overflows, [0, 0]);
    assert!(send_seconds > 5e-3, "the network is blocked until the receiver polls: {send_seconds} s");
}

/// Checks that loads complete when every node floods the others with messages over one logical network, and no node
/// polls for messages while its loads wait.
#[test]
fn loads_complete_behind_unread_messages() {
    let overrides =
        ["ni.cmmu.reception=polling", "fabric.router.networks=1", "ni.cmmu.receive-queue=1"].map(String::from);
    let built = build_without_workload(&machine("alewife-mesh", 8, 1, PLACEHOLDER_WORKLOAD, &overrides));
    let (space, base_addresses) = space(&built, 4096);
    let workers = Worker::all(&built.world, &space);
    built.world.active_endpoints().iter().for_each(|endpoint| endpoint.on_message(|_| {}));
    for (worker_index, worker) in workers.into_iter().enumerate() {
        let base_addresses = base_addresses.clone();
        built.world.sim.spawn(format!("program {worker_index}"), async move {
            worker.endpoint().cpu().until(START).await;
            for round in 0..100u32 {
                let other_worker = (worker_index + 1 + round as usize % 7) % 8;
                worker.send(other_worker, 0, &[round; 14]).await;
                let address = base_addresses[(worker_index + round as usize) % 8].plus(16 * (round % 200));
                worker.store(address, u64::from(round)).await;
                worker.load(base_addresses[other_worker].plus(16 * (round % 50))).await;
            }
            worker.barrier().await;
        });
    }
    assert_eq!(built.run(), Outcome::Done);
    let count_of = |name: &str| -> u64 {
        let counts = built.world.nodes.iter().flat_map(|node| node.endpoint().driver().counts());
        counts.filter(|(known_name, _)| *known_name == name).map(|(_, count)| count).sum()
    };
    assert!(count_of("coherence.packets") > 1000, "loads and stores left their nodes");
}
