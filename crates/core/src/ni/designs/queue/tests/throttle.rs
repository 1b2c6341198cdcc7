//! Tests of the throttle between nodes that both send and receive.

use crate::engine::{Outcome, Recorder, Time};
use crate::machine::Registry;
use crate::ni::designs::queue::throttle::Meter;
use crate::testing::RunObservation;
use crate::text::Document;
use std::cell::Cell;
use std::rc::Rc;

#[test]
fn wait_for_the_throttle_is_no_service_time() {
    let throttled_time = Rc::new(Cell::new(Time::ZERO));
    let meter = Meter::new(throttled_time.clone());
    meter.begin(Time::from_ns(50));
    assert_eq!(meter.end(Time::from_ns(146), 1), Time::from_ns(96));
    // The program waits 1000 ns for its own throttle, and then finds that it is behind: 12 ns (one eighth) more.
    throttled_time.set(Time::from_ns(1000));
    meter.begin(Time::from_ns(1200));
    assert_eq!(meter.end(Time::from_ns(146 + 1000 + 96), 1), Time::from_ns(96 + 12));
}

/// Runs bursts of packets between four nodes, each of which sends and receives.
fn run(host: &str, ni: &str) -> RunObservation {
    let text = format!(
        "parts = [\"ni/{ni}\", \"protocols/return-to-sender-1998\", \"fabrics/ideal-1998\"]\n\
         messaging = {{ send = 40, poll = 4, receive = 40 }}\nhosts.host.{host}\n\
         nodes.n0.host = \"host\"\nnodes.n1.host = \"host\"\nnodes.n2.host = \"host\"\nnodes.n3.host = \"host\"\n\
         [run]\ntime-limit = \"20 ms\"\n[workload.bursts]\ncycles = 4000000000\nphases = 30\n"
    );
    let machine = Registry::shared().read(Document::Text("bursts", &text, None), &[]);
    RunObservation::of(&machine.unwrap_or_else(|errors| panic!("{errors}\n{text}")).value, Recorder::off())
}

#[test]
fn throttles_of_nodes_that_send_to_each_other_do_not_lengthen_their_periods_without_bound() {
    for host in ["pcie.attachment.cxl.crossing = \"0 ns\"", "pcie.attachment = \"cxl\""] {
        let [plain, throttled] = ["cni32qm", "cni32qm-throttle"].map(|ni| run(host, ni));
        assert_eq!([&plain.outcome, &throttled.outcome], [&Outcome::Done; 2], "{host}");
        // With periods that grow, the nodes pass fewer than ten phases in this time.
        assert_eq!([&plain, &throttled].map(|run| run.metric("bursts.phases")), [Some(30.0); 2], "{host}");
    }
}
