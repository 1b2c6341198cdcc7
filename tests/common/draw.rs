//! Random values for the parameters of shipped parts, and programs with random inputs. Each value is valid alone; the
//! checks of descriptions decide whether they are compatible.

use super::parts::{name_without_folder, part_names};
use narrows::machine::combinations::Combination;
use std::collections::BTreeSet;

/// A sequence of random numbers, repeated from its start when it is used up.
pub struct NumberSource<'a> {
    numbers: &'a [u32],
    next: usize,
}

impl NumberSource<'_> {
    pub fn new(numbers: &[u32]) -> NumberSource<'_> {
        NumberSource { numbers, next: 0 }
    }

    /// Draws a number in `least..=most`. The random number zero yields `least`, so that proptest shrinks towards small
    /// values.
    pub fn number_between(&mut self, least: u64, most: u64) -> u64 {
        let number = self.numbers[self.next % self.numbers.len()];
        self.next += 1;
        least + u64::from(number) % (most - least + 1)
    }
}

/// A key, its smallest and its largest value, and the function that writes a value.
type ParameterRange = (&'static str, u64, u64, fn(u64) -> String);

fn integer(value: u64) -> String {
    value.to_string()
}
fn ns(value: u64) -> String {
    format!("{value} ns")
}
fn us(value: u64) -> String {
    format!("{value} us")
}
fn mhz(value: u64) -> String {
    format!("{value} MHz")
}
fn rate(value: u64) -> String {
    format!("{value} MB/s")
}
fn bytes(value: u64) -> String {
    format!("{value} B")
}
fn words(value: u64) -> String {
    format!("{} B", 4 * value)
}
fn double_words(value: u64) -> String {
    format!("{} B", 8 * value)
}
fn power_of_two(value: u64) -> String {
    (1u64 << value).to_string()
}

const MESSAGING: [ParameterRange; 3] =
    [("messaging.send", 0, 400, integer), ("messaging.poll", 1, 100, integer), ("messaging.receive", 0, 400, integer)];

const IO_BUS: [ParameterRange; 9] = [
    ("processor.clock", 20, 400, mhz),
    ("processor.interrupt-latency", 0, 20_000, ns),
    ("bridge.read-setup", 0, 3_000, ns),
    ("bridge.read-rate", 5, 120, rate),
    ("bridge.write-setup", 0, 3_000, ns),
    ("bridge.write-rate", 5, 120, rate),
    ("pio.write-overhead-cycles", 0, 10, integer),
    ("pio.read-overhead-cycles", 0, 20, integer),
    ("pio.posted-writes", 1, 20, integer),
];

const ALEWIFE: [ParameterRange; 6] = [
    ("clock", 14, 20, mhz),
    ("load-cycles", 1, 10, integer),
    ("store-cycles", 1, 10, integer),
    ("miss-cycles", 1, 60, integer),
    ("switch-cycles", 0, 60, integer),
    ("contexts", 2, 8, integer),
];

const CMMU: [ParameterRange; 8] = [
    ("interrupt-cycles", 0, 100, integer),
    ("word-cycles", 0, 10, integer),
    ("dma-cycles", 0, 100, integer),
    ("double-word-cycles", 0, 10, integer),
    ("message-max", 1, 64, double_words),
    ("receive-queue", 1, 16, integer),
    ("overflow-after", 1, 200, us),
    ("overflow-cycles", 0, 300, integer),
];

const COHERENCE: [ParameterRange; 9] = [
    ("request", 0, 30, integer),
    ("home", 0, 40, integer),
    ("reply", 0, 20, integer),
    ("invalidate", 0, 20, integer),
    ("pointers", 1, 6, integer),
    ("trap-read", 0, 400, integer),
    ("waiting", 0, 8, integer),
    ("retry", 10, 100, integer),
    ("write-backs", 1, 4, integer),
];

const MEMORY_BUS: [ParameterRange; 8] = [
    ("processor.clock", 50, 1_000, mhz),
    ("processor.request-cycles", 0, 30, integer),
    ("processor.reply-cycles", 0, 30, integer),
    ("processor.store-buffer-entries", 1, 16, integer),
    ("memory-time", 10, 500, ns),
    ("bus.clock", 20, 250, mhz),
    ("bus.arbitration-cycles", 0, 4, integer),
    ("cache.supply-time", 0, 100, ns),
];

const PCIE: [ParameterRange; 8] = [
    ("processor.clock", 500, 4_000, mhz),
    ("processor.misses", 1, 12, integer),
    ("root-complex", 353, 2_000, ns),
    ("link.generation", 3, 6, integer),
    ("link.lanes", 0, 4, power_of_two),
    ("link.tags", 1, 64, integer),
    ("link.nonposted-credits", 1, 64, integer),
    ("link.posted-header-credits", 1, 64, integer),
];

/// Parameters of rings; a batch of frames fits in the ring.
const RING: [ParameterRange; 10] = [
    ("entries", 8, 64, integer),
    ("engine-reads", 1, 16, integer),
    ("pipeline", 0, 300, ns),
    ("send.fetch-batch", 1, 8, integer),
    ("send.fetches", 1, 4, integer),
    ("send.write-back-batch", 1, 8, integer),
    ("send.doorbell-batch", 1, 8, integer),
    ("receive.fetch-batch", 1, 8, integer),
    ("receive.write-back-batch", 1, 8, integer),
    ("receive.doorbell-batch", 1, 8, integer),
];

const RDMA: [ParameterRange; 9] = [
    ("send-entries", 1, 6, power_of_two),
    ("receive-entries", 3, 8, power_of_two),
    ("inline-max", 0, 220, bytes),
    ("fetches", 1, 8, integer),
    ("packet-buffers", 1, 32, integer),
    ("outstanding-packets", 1, 64, integer),
    ("send-processing", 0, 300, ns),
    ("receive-processing", 0, 300, ns),
    ("ack-every", 1, 8, integer),
];

const TRAPEZE: [ParameterRange; 7] = [
    ("ring-entries", 1, 64, integer),
    ("lanai.clock", 10, 500, mhz),
    ("lanai.sram.rate", 251, 600, rate),
    ("firmware.poll", 1, 100, integer),
    ("firmware.send-begin", 0, 300, integer),
    ("firmware.transfer", 0, 300, integer),
    ("firmware.receive-end", 0, 300, integer),
];

/// Parameters of all interfaces with fifos or queues on a bus.
const BUS_INTERFACE: [ParameterRange; 4] = [
    ("memory-time", 0, 200, ns),
    ("processing-time", 0, 200, ns),
    ("word-cycles", 0, 8, integer),
    ("message-max", 3, 32, double_words),
];

/// Parameters of the interfaces with queues.
const QUEUE_INTERFACE: [ParameterRange; 2] = [("queue-blocks", 3, 9, power_of_two), ("head-poll", 50, 2_000, ns)];

const NO_PROTOCOL: [ParameterRange; 2] = [("send-buffers", 1, 16, integer), ("receive-buffers", 1, 16, integer)];

const RETURN_TO_SENDER: [ParameterRange; 2] =
    [("flow-control-buffers", 1, 16, integer), ("retry-delay", 20, 5_000, ns)];

const NIFDY: [ParameterRange; 6] = [
    ("outstanding", 1, 16, integer),
    ("pool", 1, 16, integer),
    ("dialogs", 0, 2, integer),
    ("window", 1, 3, power_of_two),
    ("receive-buffers", 1, 4, integer),
    ("processing", 0, 20, integer),
];

const WINDOW: [ParameterRange; 5] = [
    ("buffers", 1, 32, integer),
    ("window", 1, 16, integer),
    ("receive-buffers", 1, 16, integer),
    ("acknowledge-delay", 0, 40, us),
    ("timeout", 100, 1_000, us),
];

const IDEAL: [ParameterRange; 2] = [("latency", 0, 5_000, ns), ("rate", 5, 8_000, rate)];

const MYRINET: [ParameterRange; 3] =
    [("link-rate", 10, 400, rate), ("switch-latency", 0, 3_000, ns), ("slack", 0, 512, bytes)];

/// Parameters of routers. Buffers are only enlarged, so that packets that fit in the shipped buffers still fit.
const ROUTER: [ParameterRange; 6] = [
    ("clock", 10, 500, mhz),
    ("buffer-flits", 16, 64, integer),
    ("routing-delay", 0, 3, integer),
    ("wire-delay", 0, 5, integer),
    ("credit-delay", 0, 5, integer),
    ("exit-delay", 0, 20, integer),
];

/// Returns the tables that hold a part's parameters, each with the ranges of its parameters.
fn ranges(part: &str) -> Vec<(String, &'static [ParameterRange])> {
    let name = name_without_folder(part);
    match (part.split('/').next(), name) {
        (Some("hosts"), "cm-5") => vec![(format!("hosts.{name}.software."), &[("clock", 1, 100, mhz)])],
        (Some("hosts"), "p6-natoma") => vec![(format!("hosts.{name}.io-bus."), &IO_BUS)],
        (Some("hosts"), "alewife") => vec![(format!("hosts.{name}.alewife."), &ALEWIFE)],
        (Some("hosts"), "pcie-gen3-x8") => vec![(format!("hosts.{name}.pcie."), &PCIE)],
        (Some("hosts"), _) => vec![(format!("hosts.{name}.memory-bus."), &MEMORY_BUS)],
        (Some("ni"), "queues") => vec![("ni.queues.".into(), &[("packet", 4, 9, words)])],
        (Some("ni"), "cmmu") => vec![("ni.cmmu.".into(), &CMMU), ("ni.cmmu.coherence.".into(), &COHERENCE)],
        (Some("ni"), "trapeze") => vec![("ni.trapeze.".into(), &TRAPEZE)],
        (Some("ni"), "ring" | "ring-kernel" | "ring-polled" | "ring-simple") => vec![("ni.ring.".into(), &RING)],
        (Some("ni"), "rdma") => vec![("ni.rdma.".into(), &RDMA)],
        (Some("ni"), "startjr" | "memory-channel" | "cni512q" | "cni32qm" | "cni32qm-throttle") => {
            vec![(format!("ni.{name}."), &BUS_INTERFACE), (format!("ni.{name}."), &QUEUE_INTERFACE)]
        }
        (Some("ni"), _) => vec![(format!("ni.{name}."), &BUS_INTERFACE)],
        (_, "none") => vec![("protocol.none.".into(), &NO_PROTOCOL)],
        (_, "return-to-sender-1998") => vec![("protocol.return-to-sender.".into(), &RETURN_TO_SENDER)],
        (_, "nifdy") => vec![("protocol.nifdy.".into(), &NIFDY)],
        (_, "window") => vec![("protocol.window.".into(), &WINDOW)],
        (_, "ideal-1998") => vec![("fabric.ideal.".into(), &IDEAL)],
        (_, "myrinet") => vec![("fabric.myrinet.".into(), &MYRINET)],
        _ => vec![("fabric.router.".into(), &ROUTER)],
    }
}

/// Returns random values for a combination's parameters, as settings.
pub fn parameter_settings(combination: &Combination, draw: &mut NumberSource<'_>) -> Vec<String> {
    let mut tables: Vec<(String, &[ParameterRange])> =
        part_names(combination).iter().flat_map(|part| ranges(part)).collect();
    tables.push((String::new(), &MESSAGING));
    let draw_settings =
        |(table, ranges): (String, &'static [ParameterRange]), draw: &mut NumberSource<'_>| -> Vec<String> {
            let drawn_setting = |(key, least, most, write): &ParameterRange| {
                format!("{table}{key}={}", write(draw.number_between(*least, *most)))
            };
            ranges.iter().map(drawn_setting).collect()
        };
    let mut overrides: Vec<String> = tables.into_iter().flat_map(|range| draw_settings(range, draw)).collect();
    if combination.fabric == "fabrics/myrinet" {
        // No protocol retransmits the packets that a watchdog drops.
        overrides.push("fabric.myrinet.watchdog=100 s".into());
    }
    overrides.push(format!("run.seed={}", draw.number_between(0, 1_000)));
    overrides.extend(loss_settings(combination, draw));
    overrides.extend(cache_settings(combination, draw));
    overrides
}

/// Returns the settings of a cache of a processor behind an I/O bus, in half of the cases: a cache of 1 to 256 blocks,
/// in sets of 1 to 4.
fn cache_settings(combination: &Combination, draw: &mut NumberSource<'_>) -> Vec<String> {
    let (sets, ways) = (draw.number_between(0, 6), draw.number_between(0, 2));
    let (hit, supply) = (draw.number_between(1, 4), draw.number_between(0, 300));
    if combination.host != "hosts/p6-natoma" || draw.number_between(0, 1) == 0 {
        return Vec::new();
    }
    let values = [
        format!("size={} B", 64u64 << (sets + ways)),
        format!("ways={}", 1u64 << ways),
        format!("hit-cycles={hit}"),
        format!("supply-time={supply} ns"),
    ];
    values.map(|value| format!("hosts.p6-natoma.io-bus.cache.{value}")).into()
}

/// Returns settings of a loss rate, in half of the cases in which the fabric can lose packets and the protocol
/// retransmits them.
fn loss_settings(combination: &Combination, draw: &mut NumberSource<'_>) -> Vec<String> {
    let percent = draw.number_between(0, 5);
    let is_routed = combination.fabric.starts_with("fabrics/nifdy-");
    // One bit distinguishes a duplicate from a new packet only over one route and one channel.
    let has_one_route = ["fabrics/nifdy-mesh", "fabrics/nifdy-butterfly"].contains(&combination.fabric);
    let retransmission = match combination.protocol {
        "protocols/window" => Vec::new(),
        "protocols/nifdy" if has_one_route => vec!["protocol.nifdy.retransmission.timeout=5 ms".to_owned()],
        _ => return Vec::new(),
    };
    let is_lossy = is_routed && draw.number_between(0, 1) == 1;
    if is_lossy { [retransmission, vec![format!("fabric.loss=0.0{percent}")]].concat() } else { Vec::new() }
}

/// Returns a program that tests RDMA verbs with random input, as in a description.
fn verbs_program(pick: &mut impl FnMut(u64, u64) -> u64) -> String {
    let operation = ["write", "read", "fetch-add"][pick(0, 2) as usize];
    let test = ["latency", "bandwidth"][pick(0, 1) as usize];
    let size = if operation == "fetch-add" { 8 } else { pick(1, 200) };
    let (iterations, pairs) = (pick(1, 12), pick(1, 3));
    format!(
        "verbs = {{ warm-up = 0, operation = \"{operation}\", test = \"{test}\", size = \"{size} B\", \
         iterations = {iterations}, queue-pairs = {pairs} }}"
    )
}

/// Returns a program with random input on four nodes, as in a description.
pub fn program(workload: &str, draw: &mut NumberSource<'_>) -> String {
    let mut pick = |least, most| draw.number_between(least, most);
    match workload {
        "ping-pong" => {
            let (payload, reply_payload, messages) = (pick(0, 1_500), pick(0, 1_500), pick(1, 4));
            format!(
                "ping-pong = {{ warm-up = 0, payload = \"{payload} B\", reply-payload = \"{reply_payload} B\", messages = {messages} }}"
            )
        }
        "stream" => {
            let pair = |from: u64, distance: u64| format!("n{from} -> n{}", (from + distance) % 4);
            // Flows between the same two nodes have no common order.
            let flows: BTreeSet<String> = (0..pick(1, 4)).map(|_| pair(pick(0, 3), pick(1, 3))).collect();
            let flows: Vec<String> = flows.into_iter().collect();
            let (payload, messages, warm_up) = (pick(0, 1_500), pick(2, 12), pick(0, 4));
            let arrivals = arrival_process(pick(0, 4), pick(1, 50));
            format!(
                "stream = {{ flows = {flows:?}, payload = \"{payload} B\", messages = {messages}, warm-up = {warm_up}, \
                 arrivals = {arrivals} }}"
            )
        }
        "page-fetch" => {
            format!("page-fetch = {{ warm-up = 0, page = \"{} B\", faults = {} }}", pick(4, 1_500), pick(1, 4))
        }
        "dma" => format!("dma = {{ warm-up = 0, size = \"{} B\", transfers = {} }}", pick(4, 8_192), pick(1, 5)),
        "verbs" => verbs_program(&mut pick),
        "bursts" => {
            let (fewest, further, phases, unresponsive) = (pick(1, 4), pick(0, 8), pick(1, 2), pick(0, 300));
            format!(
                "bursts = {{ phases = {phases}, packets = [{fewest}, {}], lengths = [1, 3], \
                 unresponsive = [{unresponsive}, 900], cycles = 1000000000 }}",
                fewest + further
            )
        }
        "cyclic-shift" => format!("cyclic-shift = {{ words = {}, barriers = {} }}", pick(1, 60), pick(0, 1) == 1),
        "radix-sort" => {
            format!("radix-sort = {{ keys = {}, bits = {}, passes = {} }}", pick(1, 20), pick(1, 4), pick(1, 2))
        }
        "em3d" => {
            let exchange = if pick(0, 1) == 0 { "transfers" } else { "updates" };
            let (nodes, degree, iterations) = (pick(1, 8), pick(1, 4), pick(1, 2));
            format!(
                "em3d = {{ n-nodes = {nodes}, d-nodes = {degree}, iterations = {iterations}, exchange = \"{exchange}\" }}"
            )
        }
        "spsolve" => {
            let rows_to = if pick(0, 1) == 0 { "near" } else { "dealt" };
            let (rows, iterations) = (pick(20, 40), pick(1, 2));
            format!(
                "spsolve = {{ rows = {rows}, degrees-of-freedom = 1, neighbours = 5, rows-to = \"{rows_to}\", iterations = {iterations} }}"
            )
        }
        "dsmc" => {
            let (steps, molecules, iterations) = (pick(1, 6), pick(1, 60), pick(1, 3));
            format!("dsmc = {{ cells = [{steps}, 2, 2], molecules = {molecules}, iterations = {iterations} }}")
        }
        "unstructured" => format!("unstructured = {{ nodes = {}, iterations = {} }}", pick(8, 40), pick(1, 2)),
        _ => format!("pair = {{ warm-up = 0, packets = {} }}", pick(1, 40)),
    }
}

/// Returns the arrival process number `process` as in a description, with a time of `us` microseconds.
fn arrival_process(process: u64, us: u64) -> String {
    match process {
        0 => "\"closed-loop\"".to_owned(),
        1 => format!("{{ closed-loop = {{ outstanding = {}, think-time = \"{us} us\" }} }}", us % 4 + 1),
        2 => format!("{{ periodic = {{ interval = \"{us} us\" }} }}"),
        3 => format!("{{ poisson = {{ interval = \"{us} us\" }} }}"),
        _ => format!("{{ bursts = {{ length = 3, pause = \"{us} us\" }} }}"),
    }
}
