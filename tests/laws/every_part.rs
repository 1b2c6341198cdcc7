//! Laws that hold for every part, checked on a set of combinations in which each two compatible hosts, interfaces,
//! protocols and fabrics occur together.

use crate::common::parts::{
    self, accepted, bus_time, link_time, name_without_folder, pairwise_combinations, part_names, read_valid,
    run_to_completion, text,
};
use crate::common::{DeliveredMessage, in_ns};
use narrows::engine::Time;
use narrows::machine::combinations::Combination;
use std::collections::BTreeSet;

/// Largest fraction by which the phase of polling may change a latency.
const PHASE_FRACTION: f64 = 0.03;

/// Returns the mean latency, in ns, of messages that are sent one at a time.
fn single_message_latency_ns(combination: &Combination, payload: u64, overrides: &[String]) -> f64 {
    let program = format!(
        "workload.ping-pong = {{ warm-up = 0, payload = \"{payload} B\", reply-payload = \"{payload} B\", messages = 4 }}"
    );
    let observation = run_to_completion(&read_valid(&text(combination, 2, &program), overrides), combination);
    observation.messages.iter().map(DeliveredMessage::latency).sum::<f64>() / observation.messages.len() as f64
}

#[test]
fn the_latency_of_a_lone_message_does_not_fall_when_its_payload_grows() {
    let combinations = pairwise_combinations("ping-pong");
    assert!(combinations.len() > 100, "{} combinations", combinations.len());
    let mut errors = Vec::new();
    for combination in &combinations {
        let payloads = [4, 16, 48, 120, 250, 700, 1_500, 3_500];
        let latencies = payloads.map(|payload| single_message_latency_ns(combination, payload, &[]));
        for (pair, payloads) in latencies.windows(2).zip(payloads.windows(2)) {
            if pair[1] < pair[0] * (1.0 - PHASE_FRACTION) {
                errors.push(format!("{:?}: {payloads:?} B take {pair:?} ns", part_names(combination)));
            }
        }
        assert!(latencies[7] > latencies[0], "{combination:?}: {latencies:?}");
    }
    assert!(errors.is_empty(), "{} latencies fall:\n{}", errors.len(), errors.join("\n"));
}

const SOFTWARE: [&str; 1] = ["clock=10 MHz"];

const IO_BUS: [&str; 9] = [
    "processor.clock=60 MHz",
    "processor.interrupt-latency=30 us",
    "memory.access=900 ns",
    "bridge.read-setup=6 us",
    "bridge.read-rate=30 MB/s",
    "bridge.write-setup=6 us",
    "bridge.write-rate=30 MB/s",
    "pio.write-overhead-cycles=20",
    "pio.read-overhead-cycles=60",
];

const MEMORY_BUS: [&str; 11] = [
    "processor.clock=300 MHz",
    "processor.request-cycles=60",
    "processor.reply-cycles=60",
    "processor.hit-cycles=5",
    "memory-time=600 ns",
    "cache.supply-time=200 ns",
    "bus.clock=80 MHz",
    "bus.arbitration-cycles=6",
    "bus.address-cycles=6",
    "bus.snoop-cycles=6",
    "bus.turnaround-cycles=6",
];

const PCIE: [&str; 9] = [
    "processor.clock=300 MHz",
    "processor.request-cycles=60",
    "processor.reply-cycles=60",
    "processor.hit-cycles=50",
    "processor.uncached-write=2 us",
    "root-complex=4 us",
    "write-visible=3 us",
    "interconnect.clock=80 MHz",
    "link.efficiency=0.1",
];

const TRAPEZE: [&str; 9] = [
    "lanai.clock=10 MHz",
    "lanai.sram.rate=140 MB/s",
    "firmware.poll=200",
    "firmware.send-begin=900",
    "firmware.transfer=900",
    "firmware.send-end=900",
    "firmware.receive-post=900",
    "firmware.receive-begin=900",
    "firmware.receive-end=900",
];

const MCP: [&str; 8] = [
    "lanai.clock=8 MHz",
    "lanai.sram.rate=140 MB/s",
    "firmware.poll=200",
    "firmware.state=500",
    "firmware.start=600",
    "firmware.piece=600",
    "firmware.header=800",
    "firmware.notify=900",
];
const KERNEL: [&str; 8] = [
    "kernel.send=9000",
    "kernel.packet=9000",
    "kernel.page=3000",
    "kernel.checksum-word=20",
    "kernel.copy-word=20",
    "kernel.interrupt=9000",
    "kernel.bottom-half=9000",
    "kernel.receive=9000",
];
/// Costs of the library. Its polling interval is not a cost: with a longer interval, a poll may find a message sooner.
const LIBRARY: [&str; 2] = ["library.send=9000", "library.receive=9000"];

const RING: [&str; 1] = ["pipeline=9 us"];
const RING_KERNEL: [&str; 5] = [
    "driver.kernel.send=90 us",
    "driver.kernel.receive=90 us",
    "driver.kernel.interrupt=90 us",
    "driver.kernel.packet=90 us",
    "driver.kernel.wake=90 us",
];

const ALEWIFE: [&str; 2] = ["clock=14 MHz", "miss-cycles=200"];
const CMMU: [&str; 4] = ["interrupt-cycles=900", "word-cycles=90", "dma-cycles=900", "double-word-cycles=60"];

/// Costs of every interface on a bus. The constants below list the costs of some of these interfaces.
const BUS_INTERFACE: [&str; 3] = ["memory-time=700 ns", "processing-time=700 ns", "word-cycles=30"];
const FIFO: [&str; 1] = ["receive-accesses=20"];
/// An access of the single-cycle interface takes one cycle.
const SINGLE_CYCLE: [&str; 1] = ["receive-accesses=200"];
const BLOCK_BUFFER: [&str; 1] = ["block-buffer-cycles=200"];
const UDMA: [&str; 2] = ["udma-start=2 us", "udma-switch=2 us"];

const RDMA: [&str; 3] = ["send-processing=2 us", "receive-processing=2 us", "doorbell=fetch"];

const ACKNOWLEDGEMENT: [&str; 1] = ["acknowledgement=32 B"];
const PROCESSING: [&str; 1] = ["processing=60"];

const IDEAL: [&str; 2] = ["latency=4 us", "rate=20 MB/s"];
const MYRINET: [&str; 2] = ["link-rate=20 MB/s", "switch-latency=9 us"];
const ROUTER: [&str; 10] = [
    "clock=10 MHz",
    "link-bits=2",
    "routing-delay=6",
    "vc-allocation-delay=6",
    "switch-allocation-delay=6",
    "switch-traversal-delay=6",
    "wire-delay=6",
    "credit-delay=12",
    "interface-delay=60",
    "exit-delay=60",
];

/// Returns settings that each raise one cost of a part.
fn costs(part: &str) -> Vec<String> {
    let name = name_without_folder(part);
    let (table, costs): (String, &[&[&str]]) = match (part.split('/').next(), name) {
        (Some("hosts"), "cm-5") => (format!("hosts.{name}.software"), &[&SOFTWARE]),
        (Some("hosts"), "p6-natoma") => (format!("hosts.{name}.io-bus"), &[&IO_BUS]),
        (Some("hosts"), "pcie-gen3-x8") => (format!("hosts.{name}.pcie"), &[&PCIE]),
        (Some("hosts"), "alewife") => (format!("hosts.{name}.alewife"), &[&ALEWIFE]),
        (Some("hosts"), _) => (format!("hosts.{name}.memory-bus"), &[&MEMORY_BUS]),
        (Some("ni"), "queues") => return Vec::new(),
        (Some("ni"), "cmmu") => ("ni.cmmu".into(), &[&CMMU]),
        (Some("ni"), "ring" | "ring-polled") => ("ni.ring".into(), &[&RING]),
        (Some("ni"), "ring-kernel" | "ring-simple") => ("ni.ring".into(), &[&RING, &RING_KERNEL]),
        (Some("ni"), "trapeze") => ("ni.trapeze".into(), &[&TRAPEZE]),
        (Some("ni"), "udp-ip" | "e-udp") => ("ni.mcp".into(), &[&MCP, &KERNEL]),
        (Some("ni"), "gm" | "berkeley-via") => ("ni.mcp".into(), &[&MCP, &LIBRARY]),
        (Some("ni"), "rdma") => ("ni.rdma".into(), &[&RDMA]),
        (Some("ni"), "udma") => ("ni.udma".into(), &[&BUS_INTERFACE, &FIFO, &UDMA]),
        (Some("ni"), "ap3000") => (format!("ni.{name}"), &[&BUS_INTERFACE, &FIFO, &BLOCK_BUFFER]),
        (Some("ni"), "memory-channel") => (format!("ni.{name}"), &[&BUS_INTERFACE, &BLOCK_BUFFER]),
        (Some("ni"), "ni2w") => (format!("ni.{name}"), &[&BUS_INTERFACE, &FIFO]),
        (Some("ni"), "single-cycle") => (format!("ni.{name}"), &[&BUS_INTERFACE, &SINGLE_CYCLE]),
        (Some("ni"), _) => (format!("ni.{name}"), &[&BUS_INTERFACE]),
        (_, "none") => return Vec::new(),
        (_, "nifdy") => ("protocol.nifdy".into(), &[&PROCESSING, &ACKNOWLEDGEMENT]),
        (_, "return-to-sender-1998") => ("protocol.return-to-sender".into(), &[&ACKNOWLEDGEMENT]),
        (_, "window") => ("protocol.window".into(), &[&ACKNOWLEDGEMENT]),
        (_, "ideal-1998") => ("fabric.ideal".into(), &[&IDEAL]),
        (_, "myrinet") => ("fabric.myrinet".into(), &[&MYRINET]),
        _ => ("fabric.router".into(), &[&ROUTER]),
    };
    costs.iter().flat_map(|costs| costs.iter()).map(|cost| format!("{table}.{cost}")).collect()
}

#[test]
fn no_cost_that_rises_makes_a_lone_message_faster() {
    let (mut errors, mut all_costs, mut effective_costs) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for (index, combination) in pairwise_combinations("ping-pong").iter().enumerate() {
        let payload = [40, 600][index % 2];
        let base_ns = single_message_latency_ns(combination, payload, &[]);
        // Polls occupy the bus, and fewer polls may reduce the latency: their cost is checked on hosts without a bus.
        let polls = (combination.host == "hosts/cm-5").then_some("poll=300");
        let messaging = ["send=3000", "receive=3000"].into_iter().chain(polls);
        let messaging = messaging.map(|cost| format!("messaging.{cost}"));
        let names = part_names(combination);
        for cost in names.iter().flat_map(|part| costs(part)).chain(messaging) {
            let raised_ns = single_message_latency_ns(combination, payload, std::slice::from_ref(&cost));
            if raised_ns < base_ns * (1.0 - PHASE_FRACTION) {
                errors.push(format!("{names:?}, {payload} B: {base_ns} ns, {raised_ns} ns with {cost}"));
            }
            if raised_ns > base_ns * (1.0 + PHASE_FRACTION) {
                effective_costs.insert(cost.clone());
            }
            all_costs.insert(cost);
        }
    }
    assert!(errors.is_empty(), "{} messages are faster:\n{}", errors.len(), errors.join("\n"));
    let ineffective_costs: Vec<&String> = all_costs.difference(&effective_costs).collect();
    assert!(ineffective_costs.is_empty(), "costs that change no latency: {ineffective_costs:?}");
}

/// A cache behind an I/O bus that is so small that blocks are replaced all the time.
const IO_BUS_CACHE: &str =
    "hosts.p6-natoma.io-bus.cache={ size = \"1 KiB\", ways = 2, hit-cycles = 2, supply-time = \"50 ns\" }";

/// Costs that a machine with the cache [`IO_BUS_CACHE`] has.
const CACHE_COSTS: [&str; 4] =
    ["processor.clock=60 MHz", "memory.access=900 ns", "cache.hit-cycles=60", "cache.supply-time=4 us"];

#[test]
fn lone_messages_keep_the_laws_with_a_cache_behind_an_io_bus() {
    let (mut errors, mut effective_costs) = (Vec::new(), BTreeSet::new());
    let is_io_bus = |combination: &Combination| combination.host == "hosts/p6-natoma";
    for combination in pairwise_combinations("ping-pong").into_iter().filter(is_io_bus) {
        let latency = |payload, costs: &[String]| {
            single_message_latency_ns(&combination, payload, &[&[IO_BUS_CACHE.to_owned()], costs].concat())
        };
        let latencies = [4, 48, 250, 1_500].map(|payload| latency(payload, &[]));
        if latencies.windows(2).any(|pair| pair[1] < pair[0] * (1.0 - PHASE_FRACTION)) {
            errors.push(format!("{:?}: {latencies:?} ns", part_names(&combination)));
        }
        for cost in CACHE_COSTS {
            let raised_ns = latency(1_500, &[format!("hosts.p6-natoma.io-bus.{cost}")]);
            if raised_ns < latencies[3] * (1.0 - PHASE_FRACTION) {
                errors.push(format!("{:?}: {} ns, {raised_ns} ns with {cost}", part_names(&combination), latencies[3]));
            }
            if raised_ns > latencies[3] * (1.0 + PHASE_FRACTION) {
                effective_costs.insert(cost);
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert_eq!(effective_costs.len(), CACHE_COSTS.len(), "{effective_costs:?}");
}

/// Interfaces whose longest packet is a parameter, with the further settings that make them move whole blocks.
const PACKET_SIZE_PARTS: [(&str, &[&str]); 11] = [
    ("ni2w", &[]),
    ("udma", &["udma-threshold=0 B"]),
    ("ap3000", &[]),
    ("single-cycle", &[]),
    ("startjr", &[]),
    ("memory-channel", &[]),
    ("cni512q", &[]),
    ("cni32qm", &[]),
    ("cni32qm-throttle", &[]),
    ("cmmu", &[]),
    ("queues", &[]),
];

#[test]
fn packets_that_fill_no_block_are_moved_whole() {
    let programs = [
        ("ping-pong", "ping-pong = { warm-up = 0, payload = \"101 B\", reply-payload = \"3 B\", messages = 2 }"),
        ("radix-sort", "radix-sort = { keys = 8, bits = 2, passes = 1 }"),
        ("em3d", "em3d = { n-nodes = 4, d-nodes = 2, iterations = 1, exchange = \"updates\" }"),
    ];
    let mut covered_cases = BTreeSet::new();
    for (workload, program) in programs {
        for combination in pairwise_combinations(workload) {
            let Some((ni, keys)) = PACKET_SIZE_PARTS.iter().find(|(ni, _)| *ni == name_without_folder(combination.ni))
            else {
                continue;
            };
            let key = if *ni == "queues" { "packet" } else { "message-max" };
            for bytes in [24, 32, 40, 72, 104] {
                let settings = [format!("{key}={bytes} B")].into_iter().chain(keys.iter().map(ToString::to_string));
                let overrides: Vec<String> = settings.map(|setting| format!("ni.{ni}.{setting}")).collect();
                if let Ok(machine) = parts::read(&text(&combination, 4, &format!("workload.{program}")), &overrides) {
                    run_to_completion(&machine, &combination);
                    covered_cases.insert((combination.host, *ni, bytes));
                }
            }
        }
    }
    assert!(covered_cases.len() > 40, "{covered_cases:?}");
}

#[test]
fn messages_of_a_pair_arrive_in_order_if_order_is_guaranteed() {
    let program = "workload.stream = { warm-up = 0, payload = \"600 B\", messages = 10, \
                   flows = [\"n0 -> n3\", \"n1 -> n3\", \"n3 -> n0\"] }";
    let mut counts_by_order = [0, 0];
    for combination in pairwise_combinations("stream") {
        let machine = read_valid(&text(&combination, 4, program), &[]);
        let keeps_order = parts::keeps_order(&machine);
        counts_by_order[usize::from(keeps_order)] += 1;
        let observation = run_to_completion(&machine, &combination);
        assert_eq!(observation.messages.len(), 30, "{combination:?}");
        let out_of_order = parts::first_out_of_order(&observation.messages);
        assert!(!keeps_order || out_of_order.is_none(), "{combination:?}: {out_of_order:?}");
    }
    assert!(counts_by_order.iter().all(|count| *count > 10), "{counts_by_order:?} combinations without and with order");
}

/// Returns settings of the fabric that make its links slower than any host and interface.
fn slow_link_settings(combination: &Combination) -> Vec<String> {
    vec![match combination.fabric {
        "fabrics/ideal-1998" => "fabric.ideal.rate=4 MB/s".to_owned(),
        "fabrics/myrinet" => "fabric.myrinet.link-rate=4 MB/s".to_owned(),
        _ => "fabric.router.clock=4 MHz".to_owned(),
    }]
}

/// Asserts a lower bound of each delivery time: the bytes of all messages delivered so far must have crossed a shared
/// resource one after the other. `time` returns the time that the resource takes for a number of bytes. Returns the
/// fraction of the run in which the resource carried payload.
fn payload_share(messages: &[&DeliveredMessage], time: impl Fn(u64) -> Time, combination: &Combination) -> f64 {
    let mut delivery_times: Vec<Time> = messages.iter().map(|message| message.at).collect();
    delivery_times.sort_unstable();
    let start = messages.iter().map(|message| message.ledger.start()).min().expect("there are messages");
    let mut bytes = 0;
    for (message, delivery_time) in messages.iter().zip(&delivery_times) {
        bytes += message.payload;
        assert!(
            *delivery_time >= start + time(bytes),
            "{bytes} B in {} ns: {combination:?}",
            in_ns(*delivery_time - start)
        );
    }
    in_ns(time(bytes)) / in_ns(*delivery_times.last().expect("there are messages") - start)
}

/// Runs flows on slow links, and checks that the bandwidth is at most the rate of the link of node `n0`. In most runs
/// this link must carry payload for more than half of the time, so that the check has an effect.
fn check_link_of_n0(flows: &str, is_receiver: bool) {
    let program = format!("workload.stream = {{ warm-up = 0, flows = {flows}, payload = \"240 B\", messages = 16 }}");
    let combinations = pairwise_combinations("stream");
    let share = |combination: &Combination| {
        let machine = read_valid(&text(combination, 4, &program), &slow_link_settings(combination));
        let observation = run_to_completion(&machine, combination);
        let at_n0 = |message: &&DeliveredMessage| (if is_receiver { message.destination } else { message.source }) == 0;
        let messages: Vec<&DeliveredMessage> = observation.messages.iter().filter(at_n0).collect();
        assert_eq!(messages.len(), 48, "{combination:?}");
        let megabyte_ns = in_ns(link_time(&machine, 1_000_000));
        let (bandwidth, link_rate) = (observation.metric("message.bandwidth"), 1e9 / megabyte_ns);
        assert!(bandwidth <= link_rate, "{bandwidth} MB/s over a link of {link_rate}: {combination:?}");
        payload_share(&messages, |bytes| link_time(&machine, bytes), combination)
    };
    let shares: Vec<f64> = combinations.iter().map(share).collect();
    let busy_link_count = shares.iter().filter(|share| **share > 0.5).count();
    assert!(busy_link_count > shares.len() / 2, "{busy_link_count} of {} links are busy: {shares:?}", shares.len());
}

#[test]
fn no_node_receives_faster_than_its_link() {
    check_link_of_n0(r#"["n1 -> n0", "n2 -> n0", "n3 -> n0"]"#, true);
}

#[test]
fn no_node_sends_faster_than_its_link() {
    check_link_of_n0(r#"["n0 -> n1", "n0 -> n2", "n0 -> n3"]"#, false);
}

#[test]
fn no_stream_is_faster_than_a_bus_that_it_crosses() {
    let program = "workload.stream = { warm-up = 0, payload = \"1000 B\", messages = 20 }";
    let mut shares = Vec::new();
    let hosts: BTreeSet<&str> = accepted("stream").iter().map(|combination| combination.host).collect();
    assert_eq!(hosts.len(), 5, "{hosts:?}");
    // `ni/queues` does not use its host's bus, and `ni/single-cycle` is not attached to it.
    let interfaces_off_bus = ["ni/queues", "ni/single-cycle"];
    let hosts_without_bus = ["hosts/cm-5", "hosts/alewife"];
    let has_bus = |combination: &&Combination| {
        !hosts_without_bus.contains(&combination.host) && !interfaces_off_bus.contains(&combination.ni)
    };
    for combination in pairwise_combinations("stream").iter().filter(has_bus) {
        let slow_keys: &[&str] = match combination.host {
            "hosts/p6-natoma" => {
                &["io-bus.pci.clock=2 MHz", "io-bus.bridge.read-rate=8 MB/s", "io-bus.bridge.write-rate=8 MB/s"]
            }
            "hosts/pcie-gen3-x8" => &["pcie.link.efficiency=0.1", "pcie.link.lanes=1"],
            _ => &["memory-bus.bus.clock=200 kHz"],
        };
        let slow_keys: Vec<String> =
            slow_keys.iter().map(|key| format!("hosts.{}.{key}", name_without_folder(combination.host))).collect();
        let machine = read_valid(&text(combination, 4, program), &slow_keys);
        let observation = run_to_completion(&machine, combination);
        let messages: Vec<&DeliveredMessage> = observation.messages.iter().collect();
        shares.push(payload_share(&messages, |bytes| bus_time(&machine, bytes), combination));
    }
    assert!(shares.iter().any(|share| *share > 0.5), "the bus is the bottleneck in some runs: {shares:?}");
}
