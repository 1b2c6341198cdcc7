//! Checks the descriptor-ring interface: bytes and order through rings of every size, what a packet costs on the PCIe
//! link, the drop of frames without a buffer, and the ring size from which the device's writes miss the last-level
//! cache.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine::combinations::part_lines;
use narrows::machine::{self, Machine, Registry};
use narrows::text::Document;
use proptest::prelude::*;

const PCIE: &str = "hosts/pcie-gen3-x8";

fn read(host: &str, ni: &str, endpoints: u32, workload: &str, overrides: &[String]) -> Result<Machine, String> {
    let parts = [host, &format!("ni/{ni}"), "protocols/none", "fabrics/ideal-1998"];
    let name = host.rsplit('/').next().unwrap_or(host);
    let node = |node| format!("[nodes.n{node}]\nhost = \"{name}\"\nendpoints = {endpoints}\n");
    let nodes: String = (0..2).map(node).collect();
    let text = format!("{}{nodes}[workload]\n{workload}\n", part_lines(Registry::shared(), &parts));
    let read = machine::read(Document::Text("rings.toml", &text, None), overrides);
    read.map(|read| read.value).map_err(|problems| format!("{problems}\n{text}"))
}

#[track_caller]
fn run(host: &str, ni: &str, workload: &str, overrides: &[String]) -> RunResult {
    let machine = read(host, ni, 1, workload, overrides).unwrap_or_else(|problems| panic!("{problems}"));
    experiment::run(&machine, Recorder::off())
}

#[track_caller]
fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no metric {name}"))
}

#[track_caller]
fn assert_conserved(result: &RunResult, case: &dyn std::fmt::Debug) {
    assert_eq!(result.outcome, Outcome::Done, "{case:?}");
    assert_eq!(metric(result, "messages.sent"), metric(result, "messages.delivered"), "{case:?}");
}

/// Settings of rings whose batches do not divide each other.
#[derive(Clone, Debug)]
struct RingSettings {
    entries: u64,
    batches: [u64; 6],
    fetches: u64,
    inline: u64,
    frame: u64,
    descriptor: u64,
    completion_and_driver: [&'static str; 2],
    engine_reads: u64,
}

impl RingSettings {
    fn overrides(&self) -> Vec<String> {
        let RingSettings { entries, batches, fetches, inline, frame, descriptor, completion_and_driver, engine_reads } =
            self;
        let [send_fetch, send_write_back, send_doorbell, receive_fetch, receive_write_back, receive_doorbell] = batches;
        let overrides = format!(
            "entries={entries} descriptor={descriptor}B inline-max={inline}B frame={frame}B completion={} driver={} \
             engine-reads={engine_reads} send.fetch-batch={send_fetch} send.fetches={fetches} \
             send.write-back-batch={send_write_back} send.doorbell-batch={send_doorbell} \
             receive.fetch-batch={receive_fetch} receive.write-back-batch={receive_write_back} \
             receive.doorbell-batch={receive_doorbell}",
            completion_and_driver[0], completion_and_driver[1]
        );
        overrides.split_whitespace().map(|set| format!("ni.ring.{}", set.replace("B ", " B"))).collect()
    }
}

prop_compose! {
    fn rings()(
        entries in 8u64..70,
        fetches in 1u64..5,
        engine_reads in 1u64..9,
        inline in prop::sample::select(vec![0u64, 0, 64, 100, 200]),
        frame in prop::sample::select(vec![64u64, 72, 128, 512, 1528]),
        descriptor in prop::sample::select(vec![16u64, 32, 64]),
        completion_and_driver in (prop::sample::select(vec!["write-back", "queue"]), prop::sample::select(vec!["polled", "kernel"])),
    )(
        batches in prop::array::uniform6(1..entries + 1),
        (entries, fetches, engine_reads, inline, frame, descriptor, completion_and_driver) in
            Just((entries, fetches, engine_reads, inline, frame, descriptor, completion_and_driver)),
    ) -> RingSettings {
        RingSettings { entries, batches, fetches, inline, frame, descriptor, completion_and_driver: [completion_and_driver.0, completion_and_driver.1], engine_reads }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Programs compare every byte and the order of messages.
    #[test]
    fn every_ring_moves_all_bytes_in_order_through_its_wrap_around(
        rings in rings(),
        payload in prop::sample::select(vec![0u64, 1, 8, 40, 41, 64, 300, 1500, 1505, 4000]),
        host in prop::sample::select(vec![PCIE, PCIE, "hosts/memory-bus-1998", "hosts/p6-natoma"]),
    ) {
        let flows = "stream = { warm-up = 0, messages = 150, payload = \"PAYLOAD B\", flows = [\"n0 -> n1\", \"n1 -> n0\"] }";
        let workload = flows.replace("PAYLOAD", &payload.to_string());
        if let Ok(machine) = read(host, "ring", 1, &workload, &rings.overrides()) {
            let result = experiment::run(&machine, Recorder::off());
            assert_conserved(&result, &(&rings, payload, host));
        }
    }
}

/// A frame that waits for a buffer blocks the frames behind it. The frames before it may not fill a batch of
/// completions: the device must write their completions nevertheless, because the driver posts new buffers only after
/// them.
#[test]
fn a_frame_that_waits_for_a_buffer_does_not_hold_up_the_completions_of_frames_before_it() {
    let rings = RingSettings {
        entries: 38,
        batches: [4, 32, 26, 8, 13, 38],
        fetches: 4,
        inline: 64,
        frame: 128,
        descriptor: 16,
        completion_and_driver: ["queue", "polled"],
        engine_reads: 3,
    };
    let workload = "stream = { warm-up = 0, messages = 150, payload = \"64 B\", flows = [\"n0 -> n1\", \"n1 -> n0\"] }";
    for setting in ["write-back-batch=13", "write-back-batch=38"] {
        let overrides = [rings.overrides(), vec![format!("ni.ring.receive.{setting}")]].concat();
        let result = run("hosts/memory-bus-1998", "ring", workload, &overrides);
        assert_conserved(&result, &setting);
        assert!(metric(&result, "ring.frames.waited") > 0.0, "{setting}");
    }
}

/// Returns a machine whose throughput is limited by the PCIe link or the wire only: the interface named `ni` on both
/// sides of a wire with the rate `wire`.
fn link_limited_machine(ni: &str, wire: &str, messages: u64) -> Machine {
    let costs = match ni {
        "ring-polled" => String::new(),
        _ => ["send", "receive", "interrupt", "packet", "wake"].map(|cost| format!("{cost} = \"0 ns\"\n")).concat(),
    };
    let driver = if costs.is_empty() { String::new() } else { format!("[ni.ring.driver.kernel]\n{costs}") };
    let text = format!(
        "parts = [\"ni/{ni}\", \"fabrics/ideal-1998\"]\n\
         [nodes.left]\nhost = \"server\"\nendpoints = 2\n[nodes.right]\nhost = \"server\"\nendpoints = 2\n\
         [hosts.server.pcie]\ncores = 2\nroot-complex = \"2 ps\"\nwrite-visible = \"0 ns\"\n\
         [hosts.server.pcie.link]\ngeneration = 3\nlanes = 8\nefficiency = 0.9185\ncrossing = \"1 ps\"\ntags = 4096\n\
         posted-header-credits = 4096\nposted-data-credits = 65536\nnonposted-credits = 4096\n\
         [hosts.server.pcie.processor]\nclock = \"100 GHz\"\nrequest-cycles = 0\nreply-cycles = 0\n\
         uncached-write = \"0 ns\"\ninterrupt-latency = \"0 ns\"\nfence = \"0 ns\"\n\
         [hosts.server.pcie.interconnect]\nclock = \"100 GHz\"\ncycles = 1\n\
         [hosts.server.pcie.cache]\nsize = \"64 MiB\"\nways = 16\nsupply-time = \"0 ns\"\n\
         [hosts.server.pcie.llc]\nhit-to-dram = \"0 ns\"\ndevice-warm = \"0 ns\"\nwrite-allocate = \"0 ns\"\n\
         rate = \"10000 GB/s\"\naccess = \"0 ns\"\n\
         [hosts.server.pcie.memory]\naccess = \"0 ns\"\nrate = \"10000 GB/s\"\n\
         [ni.ring]\npipeline = \"0 ns\"\n{driver}\
         [fabric.ideal]\nlatency = \"0 ns\"\nrate = \"{wire}\"\n[messaging]\nsend = 0\npoll = 0\nreceive = 0\n\
         [workload.stream]\nwarm-up = 0\nmessages = {messages}\npayload = \"36 B\"\n\
         flows = [\"left:1 -> right:0\", \"right:1 -> left:0\"]\n\
         [workload.stream.arrivals.closed-loop]\noutstanding = 1900\n"
    );
    let read = machine::read(Document::Text("link.toml", &text, None), &[]);
    read.unwrap_or_else(|problems| panic!("{problems}")).value
}

/// Rate of the packets of the analytic model: 57.88 Gbit/s.
const LINK_BITS_PER_S: f64 = 8e9 * 8.0 * 128.0 / 130.0 * 0.9185;

/// Returns the bytes towards the host and towards the device that a packet of 64 B, sent and received, costs in steady
/// state. Reads of a head pointer that has not advanced are subtracted: a driver whose ring is full makes a few of
/// them.
fn bytes_per_packet(ni: &str, wire: &str, head_reads: f64) -> [f64; 2] {
    let [short_run, long_run] = [2_560, 5_120].map(|messages| {
        let result = experiment::run(&link_limited_machine(ni, wire, messages), Recorder::off());
        assert_conserved(&result, &ni);
        let bytes = |name: &str| {
            let resource = result.resources.iter().find(|resource| resource.name == name);
            resource.unwrap_or_else(|| panic!("no {name}")).busy.as_s() * LINK_BITS_PER_S / 8.0
        };
        [bytes("left PCIe link up"), bytes("left PCIe link down"), metric(&result, "ring.head-reads") / 2.0]
    });
    let [up, down, reads] = [0, 1, 2].map(|quantity| (long_run[quantity] - short_run[quantity]) / 2_560.0);
    // A read costs 24 B in each direction: its request, and its completion with 4 B of data.
    [up, down].map(|bytes| bytes - 24.0 * (reads - head_reads))
}

/// Checks the bytes of a packet against those of the model, which leaves out the request of a receive descriptor
/// towards the host.
#[test]
fn packets_of_64_bytes_cost_the_bytes_of_the_analytic_model() {
    let request = 24.0;
    // The rings of the drivers with batches are full, since the wire is the limit: the device finds whole batches.
    let models = [
        ("ring-simple", "1000 GB/s", [276.0 + request, 256.0], 2.0),
        ("ring-kernel", "1 GB/s", [196.95 + request / 32.0, 191.625], 2.0),
        ("ring-polled", "1 GB/s", [168.2 + request / 32.0, 116.5], 0.0),
    ];
    for (ni, wire, model, head_reads) in models {
        let simulated = bytes_per_packet(ni, wire, head_reads);
        for (bytes, expected) in simulated.into_iter().zip(model) {
            assert!((bytes / expected - 1.0).abs() < 0.003, "{ni}: {simulated:?} B, the model {model:?} B");
        }
    }
}

#[test]
fn a_frame_without_a_receive_buffer_is_dropped_and_counted() {
    let overrides =
        ["missing-buffer=drop", "entries=8", "send.fetch-batch=8", "receive.fetch-batch=8", "receive.doorbell-batch=8"];
    let overrides: Vec<String> = overrides.iter().map(|setting| format!("ni.ring.{setting}")).collect();
    let stream = "stream = { warm-up = 0, messages = 400, payload = \"1 B\" }";
    let result = run(PCIE, "ring", stream, &[overrides, vec!["messaging.receive=20000".to_owned()]].concat());
    let dropped = metric(&result, "packets.dropped.no_receive_buffer");
    assert!(dropped > 0.0 && dropped == metric(&result, "messages.dropped"), "{dropped}");
    assert_eq!(metric(&result, "messages.sent"), metric(&result, "messages.delivered") + dropped);
}

/// The I/O ways of a cache of 1280 KiB hold 128 KiB, which is 85 frames of 1504 B.
#[test]
fn device_writes_miss_the_cache_if_the_ring_exceeds_the_io_ways() {
    let misses_per_frame = |entries: u64| {
        let [short_run, long_run] = [600, 1_200].map(|messages| {
            let batches =
                ["send.fetch-batch", "receive.fetch-batch", "receive.doorbell-batch"].map(|key| format!("{key}=8"));
            let rings =
                batches.into_iter().chain([format!("entries={entries}")]).map(|setting| format!("ni.ring.{setting}"));
            let cache =
                ["cache.size=64 KiB", "llc.size=1280 KiB"].map(|setting| format!("hosts.pcie-gen3-x8.pcie.{setting}"));
            let stream = format!(
                "stream = {{ warm-up = 0, messages = {messages}, payload = \"1480 B\", \
                 arrivals.closed-loop.outstanding = 8 }}"
            );
            let result = run(PCIE, "ring", &stream, &rings.chain(cache).collect::<Vec<_>>());
            metric(&result, "llc.device.write.misses")
        });
        (long_run - short_run) / 600.0
    };
    let [misses_of_small_ring, misses_of_large_ring] = [48, 256].map(misses_per_frame);
    assert!(misses_of_small_ring < 2.0, "{misses_of_small_ring} misses per frame");
    assert!(misses_of_large_ring > 20.0, "{misses_of_large_ring} misses per frame");
}
