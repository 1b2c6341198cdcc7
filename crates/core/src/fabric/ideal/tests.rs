//! Tests of the arrival times of whole packets.

use super::*;
use crate::engine::{Journey, Limits, Outcome, Recorder, Simulation};
use crate::fabric::packet::Label;
use crate::fabric::{FabricEvent, FabricSpec};
use std::cell::RefCell;

/// Returns the length and the arrival time in nanoseconds of each packet, in the order of arrival.
fn arrivals(lengths: &'static [u64], cut_through: bool) -> Vec<(u64, u64)> {
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    let rate = Rate::from_bytes_per_s(1_000_000_000);
    let parameters = IdealParameters { latency: Time::from_ns(40), rate, cut_through };
    let names = ["a", "b"].map(str::to_owned);
    let fabric = parameters.join(&sim, &names, 1);
    let [sender, receiver] = [0, 1].map(|node| fabric.packet_port(&sim, NodeId(node), "end"));
    let (arrived_packets, all_lengths) = (Rc::new(RefCell::new(Vec::new())), lengths.iter());
    let (recorded_arrivals, clock, next_length) =
        (arrived_packets.clone(), sim.clone(), Rc::new(RefCell::new(all_lengths)));
    receiver.attach(Box::new(move |event| {
        if let FabricEvent::PacketArrived(packet) = event {
            recorded_arrivals.borrow_mut().push((packet.label().length.0, clock.now().ps() / 1000));
        }
    }));
    let send = {
        let sender = sender.clone();
        move || {
            if let Some(length) = next_length.borrow_mut().next() {
                let (source, destination, length) = (NodeId(0), NodeId(1), Bytes(*length));
                let label = Label { source, destination, length, ..Label::default() };
                sender.send(Packet::with_bytes(label, Journey::default(), &[]));
            }
        }
    };
    let send_next = send.clone();
    sender.attach(Box::new(move |event| {
        if let FabricEvent::TxReady(_) = event {
            send_next();
        }
    }));
    send();
    let waiting_sim = sim.clone();
    sim.spawn("wait", async move { waiting_sim.delay(Time::from_ns(10_000)).await });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    arrived_packets.take()
}

#[test]
fn packets_arrive_in_the_order_in_which_they_were_sent() {
    assert_eq!(arrivals(&[100], false), [(100, 240)]);
    assert_eq!(arrivals(&[100, 10, 10], false), [(100, 240), (10, 250), (10, 260)]);
    assert_eq!(arrivals(&[10, 100, 10], false), [(10, 60), (100, 250), (10, 260)]);
}

#[test]
fn a_packet_that_is_cut_through_is_transmitted_once() {
    assert_eq!(arrivals(&[100], true), [(100, 140)]);
    assert_eq!(arrivals(&[100, 10, 10], true), [(100, 140), (10, 150), (10, 160)]);
    assert_eq!(arrivals(&[10, 100], true), [(10, 50), (100, 150)]);
}
