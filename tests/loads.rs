//! Checks open and closed loops on every kind of interface: an open loop has the waiting times of a queue with its
//! arrivals and its service time, reports saturation, and agrees with a closed loop at low load.
//!
//! The service time of a machine is the interval of its deliveries, measured with a closed loop. If the service time is
//! constant, the waiting times follow from the arrivals alone (Lindley's recursion), and their mean from the load (the
//! Pollaczek-Khinchine formula).

use narrows::engine::{Limits, Outcome, Recorder, Resource, Simulation, Time};
use narrows::experiment::{RunResult, run};
use narrows::machine;
use narrows::program::arrivals::Arrivals;
use narrows::text::Document;
use rand::RngExt;
use std::cell::RefCell;
use std::rc::Rc;

/// Interfaces whose service time is constant on the host of 1998.
const INTERFACES: [&str; 6] = ["ni2w", "udma", "ap3000", "memory-channel", "startjr", "single-cycle"];
/// Fabrics, with the protocol that each needs.
const FABRICS: [&str; 3] =
    [r#""protocols/return-to-sender-1998", "fabrics/ideal-1998""#, r#""fabrics/nifdy-mesh""#, r#""fabrics/myrinet""#];
const PAYLOAD: u64 = 64;
const WARM_UP: usize = 200;

/// Runs a stream from one node to another.
fn stream(interface: &str, fabric: &str, arrivals: &str, messages: u64, seed: u64) -> RunResult {
    let text = format!(
        "parts = [\"hosts/memory-bus-1998\", \"ni/{interface}\", {fabric}]\nrun.seed = {seed}\n\
         nodes.a.host = \"memory-bus-1998\"\nnodes.b.host = \"memory-bus-1998\"\n[workload.stream]\n\
         messages = {messages}\nwarm-up = {WARM_UP}\npayload = \"{PAYLOAD} B\"\narrivals.{arrivals}\n"
    );
    let read = machine::read(Document::Text("stream", &text, None), &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&read.value, Recorder::off())
}

fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no {name} in {:?}", result.metrics))
}

/// Returns the service time of a machine, and the latency of a message that waits for no other message, both in µs. The
/// latency is the mean over random phases of polling.
fn service_time_and_latency(interface: &str, fabric: &str) -> (f64, f64) {
    let saturated_run = stream(interface, fabric, "closed-loop = {}", 1_000, 1);
    let service = PAYLOAD as f64 / metric(&saturated_run, "message.bandwidth");
    let light_run = stream(interface, fabric, &poisson(service, 0.005).1, 300, 1);
    (service, metric(&light_run, "message.latency_one_way"))
}

fn poisson(service_us: f64, load: f64) -> (Time, String) {
    let interval = Time::from_ps((service_us / load * 1e6) as u64);
    (interval, format!("poisson.interval = \"{} ps\"", interval.ps()))
}

/// Returns the mean waiting time of the messages after the warm-up of a queue with one server, by Lindley's recursion.
fn lindley(arrivals: &Arrivals, seed: u64, messages: usize, mut service_us: impl FnMut() -> f64) -> f64 {
    let times: Vec<f64> = arrivals.schedule(seed, 0).take(messages + WARM_UP).map(Time::as_us).collect();
    let (mut wait, mut sum) = (0.0, 0.0);
    for (index, pair) in times.windows(2).enumerate() {
        sum += if index >= WARM_UP { wait } else { 0.0 };
        wait = f64::max(0.0, wait + service_us() - (pair[1] - pair[0]));
    }
    (sum + wait) / messages as f64
}

#[test]
fn open_loop_has_the_waiting_times_of_lindley_s_recursion() {
    for (interface, fabric) in INTERFACES.iter().flat_map(|interface| FABRICS.map(|fabric| (interface, fabric))) {
        let (service, unloaded_latency) = service_time_and_latency(interface, fabric);
        for load in [0.3, 0.6, 0.9] {
            let (interval, process) = poisson(service, load);
            let result = stream(interface, fabric, &process, 1_000, 1);
            assert_eq!(result.outcome, Outcome::Done, "{interface}, {fabric}, {load}");
            let waiting_time = metric(&result, "message.latency_one_way") - unloaded_latency;
            let expected = lindley(&Arrivals::Poisson { interval }, 1, 1_000, || service);
            // Phases of polling and of clocks shift single messages by a fraction of a service time.
            let error = (waiting_time - expected).abs();
            assert!(
                error < 0.06 * expected + 0.06 * service,
                "{interface}, {fabric}, {load}: waits {waiting_time} us, {expected} us by Lindley's recursion, service {service} us"
            );
        }
    }
}

#[test]
fn backlog_beyond_saturation_grows_linearly_and_saturation_is_reported() {
    for (interface, fabric) in INTERFACES.iter().flat_map(|interface| FABRICS.map(|fabric| (interface, fabric))) {
        let (service, _) = service_time_and_latency(interface, fabric);
        let runs = [4_000, 8_000].map(|messages| stream(interface, fabric, &poisson(service, 1.2).1, messages, 1));
        for result in &runs {
            let Outcome::Saturated(reason) = &result.outcome else {
                panic!("{interface}, {fabric}: {:?}", result.outcome);
            };
            assert!(reason.contains("the backlog of a -> b grew"), "{reason}");
            let [offered, accepted] = ["offered", "accepted"].map(|name| metric(result, &format!("message.{name}")));
            assert!((accepted * service / PAYLOAD as f64 - 1.0).abs() < 0.03, "{interface}, {fabric}: {accepted} MB/s");
            assert!((offered / accepted / 1.2 - 1.0).abs() < 0.1, "{interface}, {fabric}: {offered}, {accepted} MB/s");
            // The backlog grows by the messages that are not accepted, in a short run as in a long one.
            let growth = metric(result, "message.backlog_growth") * PAYLOAD as f64 / 1e6;
            let error = (growth - (offered - accepted)).abs();
            assert!(error < 0.05 * offered, "{interface}, {fabric}: grows by {growth} MB/s, {offered} - {accepted}");
        }
    }
}

#[test]
fn open_and_closed_loops_agree_at_low_load() {
    for (interface, fabric) in INTERFACES.iter().flat_map(|interface| FABRICS.map(|fabric| (interface, fabric))) {
        let (_, open_latency) = service_time_and_latency(interface, fabric);
        let arrivals = "closed-loop = { outstanding = 1, think-time = \"53 us\" }";
        let closed_latency = metric(&stream(interface, fabric, arrivals, 300, 1), "message.latency_one_way");
        // The closed loop encounters fewer phases of the receiver's polling.
        assert!(
            (open_latency / closed_latency - 1.0).abs() < 0.05,
            "{interface}, {fabric}: open {open_latency} us, closed {closed_latency} us"
        );
    }
}

/// Returns the mean and half the width of the 99 % interval of values from independent runs.
fn interval_99(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    // Student's t for 19 degrees of freedom.
    assert_eq!(values.len(), 20, "the quantile is that of 20 values");
    (mean, 2.861 * (variance / count).sqrt())
}

#[test]
fn constant_service_time_has_the_waiting_time_of_m_d_1() {
    let (service, unloaded_latency) = service_time_and_latency("single-cycle", FABRICS[0]);
    for load in [0.3, 0.6, 0.9] {
        let (_, process) = poisson(service, load);
        let waiting_time = |seed| {
            let result = stream("single-cycle", FABRICS[0], &process, 4_000, seed);
            (metric(&result, "message.latency_one_way") - unloaded_latency) / service
        };
        let (mean, half_width) = interval_99(&(1..=20).map(waiting_time).collect::<Vec<_>>());
        let expected = load / (2.0 * (1.0 - load));
        // The phase of the receiver's polling may change the waiting time by up to 2 % of a service time.
        assert!((mean - expected).abs() < half_width + 0.02, "load {load}: {mean} ± {half_width}, {expected} expected");
    }
}

/// Returns the mean waiting time for a resource that is held for exponentially distributed times of 1 µs.
fn wait_for_a_resource(load: f64, seed: u64) -> f64 {
    const MESSAGES: usize = 20_000;
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    let resource = Rc::new(Resource::new(&sim, "server"));
    let waits = Rc::new(RefCell::new(Vec::new()));
    let interval = Time::from_ps((1e6 / load) as u64);
    let (server, waits_of_server, clock) = (resource.clone(), waits.clone(), sim.clone());
    sim.spawn("server", async move {
        let mut random = narrows::engine::rng::stream(seed, "service");
        for arrival in (Arrivals::Poisson { interval }).schedule(seed, 0).take(MESSAGES + WARM_UP) {
            clock.until(arrival).await;
            let guard = server.acquire().await;
            waits_of_server.borrow_mut().push(clock.now().since(arrival).as_us());
            let uniform: f64 = random.random();
            clock.delay(Time::from_ps((-(1.0 - uniform).ln() * 1e6) as u64)).await;
            drop(guard);
        }
    });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    let waits = waits.borrow();
    waits[WARM_UP..].iter().sum::<f64>() / MESSAGES as f64
}

#[test]
fn exponential_service_time_has_the_waiting_time_of_m_m_1() {
    for load in [0.3, 0.6, 0.9] {
        let (mean, half_width) = interval_99(&(1..=20).map(|seed| wait_for_a_resource(load, seed)).collect::<Vec<_>>());
        let expected = load / (1.0 - load);
        assert!((mean - expected).abs() < half_width + 0.01, "load {load}: {mean} ± {half_width}, {expected} expected");
    }
}

#[test]
fn closed_loop_is_bounded_by_its_outstanding_messages() {
    let run = |outstanding: u64| {
        let arrivals = format!("closed-loop.outstanding = {outstanding}");
        stream("single-cycle", FABRICS[0], &arrivals, 500, 1)
    };
    let (service, unloaded_latency) = service_time_and_latency("single-cycle", FABRICS[0]);
    for outstanding in [1, 2] {
        let bandwidth = metric(&run(outstanding), "message.bandwidth");
        // The expected value follows from Little's law, unless the machine permits fewer outstanding messages.
        let expected = f64::min(PAYLOAD as f64 * outstanding as f64 / unloaded_latency, PAYLOAD as f64 / service);
        assert!((bandwidth / expected - 1.0).abs() < 0.1, "{outstanding}: {bandwidth} MB/s, {expected} expected");
    }
    let note = run(400).note.expect("a limit that is never reached causes a note");
    assert!(note.contains("`workload.stream.arrivals.closed-loop.outstanding`, 400, has no effect"), "{note}");
}

/// Returns the names, in metrics, of the endpoints of the flows between `nodes` equal nodes called `n`.
fn flow_names(nodes: u32, flows: &str) -> Vec<String> {
    let text = format!(
        "parts = [\"hosts/memory-bus-1998\", \"ni/single-cycle\", {}]\n\
         nodes.n = {{ host = \"memory-bus-1998\", count = {nodes} }}\n\
         [workload.stream]\nwarm-up = 0\nflows = {flows}\nmessages = 2\npayload = \"8 B\"\n",
        FABRICS[0]
    );
    let read = machine::read(Document::Text("flows", &text, None), &[]).unwrap_or_else(|error| panic!("{error}"));
    let result = run(&read.value, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done);
    let names = result.metrics.iter().filter_map(|metric| metric.name.strip_prefix("flow."));
    names.map(|name| name.trim_end_matches(".bandwidth").to_owned()).collect()
}

#[test]
fn one_line_is_an_incast() {
    let incast: Vec<String> = (1..32).map(|sender| format!("n{sender}.n0")).collect();
    assert_eq!(flow_names(32, r#"["n[1..31] -> n0"]"#), incast);
    assert_eq!(flow_names(32, r#"["* -> n0"]"#), incast);
    assert_eq!(flow_names(3, r#"["* -> *"]"#), ["n0.n1", "n0.n2", "n1.n0", "n1.n2", "n2.n0", "n2.n1"]);
}

#[test]
fn flows_of_one_pair_share_its_bandwidth() {
    let text = format!(
        "parts = [\"hosts/memory-bus-1998\", \"ni/single-cycle\", {}]\n\
         nodes.a.host = \"memory-bus-1998\"\nnodes.b.host = \"memory-bus-1998\"\n\
         [workload.stream]\nwarm-up = 0\nflows = [\"a -> b\", \"a -> b\"]\nmessages = 50\npayload = \"64 B\"\n\
         arrivals.closed-loop = {{ outstanding = 2, think-time = \"1 us\" }}\n",
        FABRICS[0]
    );
    let read = machine::read(Document::Text("flows", &text, None), &[]).unwrap_or_else(|error| panic!("{error}"));
    let result = run(&read.value, Recorder::off());
    assert_eq!((&result.outcome, metric(&result, "messages.delivered")), (&Outcome::Done, 100.0));
}
