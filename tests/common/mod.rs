//! Descriptions of small Trapeze machines, their runs, and the results that tests compare.
//!
//! A test sets the parameters that it depends on. The other parts of the machine take almost no time, so that laws can
//! be computed from the stated numbers. The shipped machines are not used: their constants are calibrated, and may
//! change.
#![allow(dead_code)]

pub mod cli;
pub mod draw;
pub mod parts;
pub mod small;

use narrows::engine::{Ledger, Message, Outcome, Recorder, Span, Time};
use narrows::experiment::RunResult;
use narrows::machine::Machine;
use narrows::machine::build::build;
use narrows::text::Document;
use std::fmt::Write;

/// The parameters of a host that tests vary. Times are in ns, rates in MB/s, sizes in bytes.
#[derive(Clone, Debug)]
pub struct Host {
    pub read_setup: u64,
    pub read_rate: u64,
    pub write_setup: u64,
    pub write_rate: u64,
    /// The value in the form of the description, such as `"dma-first"`.
    pub competition: &'static str,
    pub interrupt_latency: u64,
    pub write_overhead_cycles: u64,
    pub read_overhead_cycles: u64,
    pub pio_burst: u64,
    pub posted_writes: u64,
}

pub const DMA_FIRST: &str = r#""dma-first""#;
pub const ALTERNATE: &str = r#"{ alternate = { grain = "32 B", read-restart = "200 ns", write-restart = "100 ns" } }"#;
pub const BUFFERED: &str = r#"{ buffered = { memory-rate = "500 MB/s" } }"#;

impl Host {
    /// Returns a host whose DMA has `rate` in both directions after `setup`.
    pub fn with_dma(setup: u64, rate: u64) -> Host {
        Host { read_setup: setup, read_rate: rate, write_setup: setup, write_rate: rate, ..Host::default() }
    }

    /// Returns the time of an uncontended DMA read of `bytes`, in ns.
    pub fn read_ns(&self, bytes: u64) -> f64 {
        self.read_setup as f64 + transfer_ns(bytes, self.read_rate)
    }

    /// Returns the time of an uncontended DMA write of `bytes`, in ns.
    pub fn write_ns(&self, bytes: u64) -> f64 {
        self.write_setup as f64 + transfer_ns(bytes, self.write_rate)
    }
}

impl Default for Host {
    fn default() -> Host {
        Host {
            read_setup: 1_000,
            read_rate: 100,
            write_setup: 1_000,
            write_rate: 100,
            competition: DMA_FIRST,
            interrupt_latency: 2_000,
            write_overhead_cycles: 3,
            read_overhead_cycles: 15,
            pio_burst: 4,
            posted_writes: 4,
        }
    }
}

/// Returns the time that the transfer of `bytes` takes at a rate in MB/s, in ns.
pub fn transfer_ns(bytes: u64, rate: u64) -> f64 {
    bytes as f64 * 1e3 / rate as f64
}

/// The description of a Trapeze machine. Nodes are called `n0`, `n1`, …, and each has the host with its number. Times
/// are in ns, rates in MB/s and sizes in bytes, unless a field states another unit.
#[derive(Clone, Debug)]
pub struct TestMachine {
    pub hosts: Vec<Host>,
    /// The value in the form of the description, such as `"store-and-forward"`.
    pub policy: String,
    pub notification: String,
    pub ring_entries: u64,
    pub payload_max: u64,
    pub shadow: bool,
    pub keep_buffers: bool,
    pub logging: bool,
    /// Cycles of every step of the firmware except its poll, which takes one cycle.
    pub firmware_cycles: u64,
    /// Cycles of the driver, at 100 MHz, for sending and for receiving.
    pub software_cycles: u64,
    pub lanai_mhz: u64,
    pub sram_rate: u64,
    pub link_rate: u64,
    pub switch_latency: u64,
    pub slack: u64,
    pub flit: u64,
    /// Time in µs.
    pub watchdog: u64,
    pub switches: Vec<String>,
    /// Links of nodes and switches; if empty, one switch joins all nodes.
    pub links: Vec<String>,
    /// The keys under `[workload]`.
    pub workload: String,
    /// Time in µs.
    pub no_progress_limit: u64,
    pub seed: u64,
}

pub const STORE_AND_FORWARD: &str = r#""store-and-forward""#;
pub const CUT_THROUGH: &str = r#""pure-cut-through""#;
pub const ADAPTIVE: &str = r#""adaptive-cut-through""#;

impl Default for TestMachine {
    fn default() -> TestMachine {
        TestMachine {
            hosts: vec![Host::default(), Host::default()],
            policy: ADAPTIVE.into(),
            notification: r#""interrupt""#.into(),
            ring_entries: 16,
            payload_max: 65_536,
            shadow: false,
            keep_buffers: false,
            logging: false,
            firmware_cycles: 0,
            software_cycles: 100,
            lanai_mhz: 1_000,
            sram_rate: 10_000,
            link_rate: 160,
            switch_latency: 1_000,
            slack: 128,
            flit: 128,
            watchdog: 50_000,
            switches: vec!["s0".into()],
            links: Vec::new(),
            workload: String::new(),
            no_progress_limit: 1_000_000,
            seed: 1,
        }
    }
}

impl TestMachine {
    pub fn ping_pong(self, messages: u64, payload: u64) -> TestMachine {
        self.workload(format!(r#"ping-pong = {{ warm-up = 0, messages = {messages}, payload = "{payload} B" }}"#))
    }

    pub fn stream(self, messages: u64, payload: u64) -> TestMachine {
        self.workload(format!(r#"stream = {{ warm-up = 0, messages = {messages}, payload = "{payload} B" }}"#))
    }

    /// Sets the workload to a stream over flows such as `"n0 -> n2"`.
    pub fn flows(self, flows: &[&str], messages: u64, payload: u64) -> TestMachine {
        self.workload(format!(
            r#"stream = {{ warm-up = 0, flows = {flows:?}, messages = {messages}, payload = "{payload} B" }}"#
        ))
    }

    pub fn workload(mut self, workload: String) -> TestMachine {
        self.workload = workload;
        self
    }

    pub fn policy(mut self, policy: &str) -> TestMachine {
        self.policy = policy.into();
        self
    }

    pub fn hosts(mut self, hosts: &[Host]) -> TestMachine {
        self.hosts = hosts.to_vec();
        self
    }

    /// Returns the description as a user would write it.
    pub fn text(&self) -> String {
        let mut text = format!(
            "[run]\nseed = {}\nno-progress-limit = \"{} us\"\n[workload]\n{}\n",
            self.seed, self.no_progress_limit, self.workload
        );
        for (number, host) in self.hosts.iter().enumerate() {
            writeln!(text, "[nodes.n{number}]\nhost = \"h{number}\"\n{}", host.text(number)).unwrap();
        }
        text + &self.interface() + &self.fabric()
    }

    fn interface(&self) -> String {
        let TestMachine { ring_entries, payload_max, shadow, keep_buffers, logging, lanai_mhz, sram_rate, .. } = self;
        let (cycles, software, policy, notification) =
            (self.firmware_cycles, self.software_cycles, &self.policy, &self.notification);
        format!(
            r#"
[ni.trapeze]
ring-entries = {ring_entries}
payload-max = "{payload_max} B"
tags = 8
policy = {policy}
notification = {notification}
ring-poll = "100 us"
shadow = {shadow}
keep-buffers = {keep_buffers}
logging = {logging}
lanai = {{ clock = "{lanai_mhz} MHz", sram = {{ size = "64 MiB", rate = "{sram_rate} MB/s" }} }}
[ni.trapeze.firmware]
poll = 1
send-begin = {cycles}
transfer = {cycles}
send-end = {cycles}
receive-post = {cycles}
receive-begin = {cycles}
receive-end = {cycles}
log = {cycles}
[messaging]
send = {software}
poll = 0
receive = {software}
"#
        )
    }

    fn fabric(&self) -> String {
        let TestMachine { link_rate, switch_latency, slack, flit, watchdog, switches, .. } = self;
        let links = if self.links.is_empty() { String::new() } else { format!("links = {:?}\n", self.links) };
        format!(
            "[fabric.myrinet]\nlink-rate = \"{link_rate} MB/s\"\nswitch-latency = \"{switch_latency} ns\"\n\
             slack = \"{slack} B\"\nflit = \"{flit} B\"\nwatchdog = \"{watchdog} us\"\nswitches = {switches:?}\n{links}"
        )
    }

    /// Reads and checks the description.
    pub fn machine(&self) -> Machine {
        let text = self.text();
        match narrows::machine::read(Document::Text("test.toml", &text, None), &[]) {
            Ok(read) => read.value,
            Err(problems) => panic!("{problems}\n{text}"),
        }
    }

    /// Runs the machine, recording all spans.
    pub fn run(&self) -> Run {
        let machine = self.machine();
        let built = build(&machine, Recorder::off().with_messages());
        built.run();
        let delivered = built.world.tally.delivered();
        let messages = delivered.iter().map(|(message, at)| DeliveredMessage::new(message, *at));
        Run {
            messages: messages.collect(),
            result: narrows::experiment::run(&machine, Recorder::with_spans_max(1 << 20).with_messages()),
        }
    }

    /// Runs the machine, and asserts that the run completes.
    pub fn run_to_completion(&self) -> Run {
        let run = self.run();
        assert_eq!(run.result.outcome, Outcome::Done, "{self:#?}");
        run
    }
}

impl Host {
    fn text(&self, number: usize) -> String {
        let Host { read_setup, read_rate, write_setup, write_rate, competition, interrupt_latency, .. } = self;
        // The bus is as wide as its DMA needs; a word takes one cycle at any width.
        let width = read_rate.max(write_rate).div_ceil(33).next_power_of_two().max(4);
        let (write_overhead, read_overhead, burst, posted) =
            (self.write_overhead_cycles, self.read_overhead_cycles, self.pio_burst, self.posted_writes);
        format!(
            r#"
[hosts.h{number}.io-bus]
processor = {{ clock = "100 MHz", interrupt-latency = "{interrupt_latency} ns" }}
memory = {{ block = "32 B", access = "100 ns", copy = "50 ns" }}
pci = {{ clock = "33 MHz", width = "{width} B" }}
[hosts.h{number}.io-bus.bridge]
read-setup = "{read_setup} ns"
read-rate = "{read_rate} MB/s"
write-setup = "{write_setup} ns"
write-rate = "{write_rate} MB/s"
burst = "128 B"
competition = {competition}
[hosts.h{number}.io-bus.pio]
write-overhead-cycles = {write_overhead}
read-overhead-cycles = {read_overhead}
write-burst = "{burst} B"
read-burst = "{burst} B"
posted-writes = {posted}
"#
        )
    }
}

/// A message that was delivered; the nodes are identified by the numbers in their names.
#[derive(Clone, Debug)]
pub struct DeliveredMessage {
    pub id: u64,
    pub source: usize,
    pub destination: usize,
    pub payload: u64,
    pub ledger: Ledger,
    /// Time at which the message was delivered.
    pub at: Time,
}

impl DeliveredMessage {
    /// Records a message that was delivered at the time `at`.
    pub fn new(message: &Message, at: Time) -> DeliveredMessage {
        DeliveredMessage {
            id: message.id,
            source: message.source.index(),
            destination: message.destination.index(),
            payload: message.payload.get(),
            ledger: message.ledger(),
            at,
        }
    }

    /// Returns the time from the send call to the receiving program, by the simulation's clock, in ns.
    pub fn latency(&self) -> f64 {
        in_ns(self.at - self.ledger.start())
    }

    /// Returns the time of a stage, in ns; zero if it was skipped.
    pub fn stage(&self, name: &str) -> f64 {
        self.ledger.stages().iter().filter(|stage| stage.name == name).map(|stage| in_ns(stage.total())).sum()
    }
}

/// The results of a run.
pub struct Run {
    pub messages: Vec<DeliveredMessage>,
    pub result: RunResult,
}

impl Run {
    pub fn metric(&self, name: &str) -> f64 {
        self.result.metric(name).unwrap_or_else(|| panic!("no metric {name} in {:?}", self.result.metrics))
    }

    /// Returns the message `id`.
    pub fn message(&self, id: u64) -> &DeliveredMessage {
        self.messages.iter().find(|message| message.id == id).expect("the message was delivered")
    }

    /// Returns the spans during which an engine of a node was busy, in order of time.
    pub fn spans(&self, node: usize, engine: &str) -> Vec<&Span> {
        let timeline = &self.result.timeline;
        let is_track = |span: &&Span| timeline.tracks[span.track.0 as usize] == (format!("n{node}"), engine.to_owned());
        timeline.spans.iter().filter(is_track).collect()
    }

    /// Returns the spans that served a message on an engine of a node.
    pub fn message_spans(&self, message: u64, node: usize, engine: &str) -> Vec<&Span> {
        self.spans(node, engine).into_iter().filter(|span| span.message == Some(message)).collect()
    }
}

/// Returns a time in ns.
pub fn in_ns(time: Time) -> f64 {
    time.ps() as f64 / 1e3
}

/// Asserts that `measured` is within `tolerance` of `expected`; all three have the same unit.
#[track_caller]
pub fn assert_near(measured: f64, expected: f64, tolerance: f64) {
    assert!((measured - expected).abs() <= tolerance, "measured {measured}, expected {expected} ± {tolerance}");
}
