//! Messages of the messaging layer.

use super::observe;

fn ping_pong(fabric: &str, bytes: u64, overrides: &[&str]) -> f64 {
    let program = format!("workload.ping-pong = {{ warm-up = 20, messages = 20, payload = \"{bytes} B\" }}");
    let run = observe(fabric, 2, &program, overrides);
    assert!(!run.messages.is_empty());
    run.metrics[0].value
}

#[test]
fn messages_arrive_with_both_doorbells() {
    for bytes in [4, 128, 700, 4096, 20_000] {
        let [blue_flame, fetch] = ["blue-flame", "fetch"].map(|doorbell| {
            let doorbell_override = format!("ni.rdma.doorbell={doorbell}");
            ping_pong("ideal-1998", bytes, &[&doorbell_override])
        });
        eprintln!("{bytes} B: blue-flame {blue_flame}, fetch {fetch}");
        assert!(blue_flame < fetch, "{bytes} B: BlueFlame saves a read of the request");
    }
}

#[test]
fn messages_arrive_through_queues_that_wrap_around() {
    let overrides = ["ni.rdma.send-entries=4", "ni.rdma.receive-entries=4", "ni.rdma.rnr-timer=1 us"];
    let stream = "workload.stream = { warm-up = 10, messages = 300, payload = \"600 B\" }";
    let run = observe("ideal-1998", 2, stream, &overrides);
    assert!(!run.messages.is_empty());
}

#[test]
fn messages_that_were_acknowledged_together_do_not_hasten_the_next_acknowledgement() {
    let packets = |delay: &str| {
        let delay = format!("ni.rdma.ack-delay={delay}");
        let stream = "workload.stream = { warm-up = 0, messages = 40, payload = \"64 B\" }";
        observe("ideal-1998", 2, stream, &["ni.rdma.ack-every=2", &delay]).packets.injected
    };
    // Messages follow one another in less than a microsecond, so that each second one is acknowledged.
    let pairwise = packets("1 ms");
    assert_eq!(["1 us", "1500 ns", "2 us", "3 us", "10 us"].map(packets), [pairwise; 5]);
    let one_by_one = packets("10 ns");
    assert!(one_by_one > pairwise, "{one_by_one} packets with an acknowledgement of each message, {pairwise} of pairs");
}
