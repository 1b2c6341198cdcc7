//! Checks the DMA test with an interface that consists of a DMA engine only: its latencies and bandwidths follow from
//! those of the engine's stages and of the host.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{RunResult, run};
use narrows::machine;
use narrows::text::Document;

/// The bridge's time for the set-up of a transfer, and for each byte, in ns.
const SETUP_NS: f64 = 1_000.0;
const BYTE_NS: f64 = 10.0;

/// A host with an I/O bus, whose bridge takes [`SETUP_NS`] and [`BYTE_NS`].
const IO_BUS: &str = r#"
[hosts.h.io-bus]
processor = { clock = "100 MHz", interrupt-latency = "1 us" }
memory = { block = "32 B", access = "100 ns", copy = "50 ns" }
pci = { clock = "33 MHz", width = "4 B" }
bridge = { read-setup = "1 us", read-rate = "100 MB/s", write-setup = "1 us", write-rate = "100 MB/s", burst = "128 B", competition = "dma-first" }
pio = { write-overhead-cycles = 1, read-overhead-cycles = 1, write-burst = "4 B", read-burst = "4 B", posted-writes = 4 }
"#;

/// Runs a workload on one node with the host `h`.
fn run_on(host: &str, engine: &str, workload: &str) -> RunResult {
    let text = format!(
        "{host}\n[nodes.n]\nhost = \"h\"\n[ni.dma-engine]\n{engine}\n[fabric.ideal]\nlatency = \"1 us\"\n\
         rate = \"1 GB/s\"\n[messaging]\nsend = 0\npoll = 0\nreceive = 0\n[workload.dma]\n{workload}\n"
    );
    let read = machine::read(Document::Text("dma", &text, None), &[]).unwrap_or_else(|error| panic!("{error}"));
    let result = run(&read.value, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done);
    result
}

fn dma(engine: &str, workload: &str) -> RunResult {
    run_on(IO_BUS, engine, workload)
}

/// Returns a host with a PCIe link, a last-level cache of 1 MiB with two of sixteen ways for devices, and
/// `further_keys`.
fn pcie(further_keys: &str) -> String {
    format!("[hosts.h.pcie]\nllc = {{ size = \"1 MiB\", ways = 16, io-ways = 2 }}\n{further_keys}\n")
}

fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no {name}"))
}

fn assert_near(actual: f64, expected: f64) {
    assert!((actual - expected).abs() <= 1e-3 * expected, "{actual}, expected {expected}");
}

const ENGINE: &str = "slots = 4\noverhead = \"200 ns\"\nsizes = [\"64 B\"]\nread-times = [\"50 ns\"]\n\
                      write-times = [\"30 ns\"]\nrate = \"2 GB/s\"\nwrite-rate = \"1 GB/s\"\npiece = \"64 B\"\n";

#[test]
fn latency_is_the_sum_of_overhead_transfer_and_copy() {
    for size in [64.0, 256.0] {
        let workload = |operation: &str| format!("operation = \"{operation}\"\nsize = \"{size} B\"\nwarm-up = 0\n");
        let latency = |operation| 1e3 * metric(&dma(ENGINE, &workload(operation)), "dma.latency_p50");
        let bus = SETUP_NS + size * BYTE_NS;
        // The bus is slower than the engine's copies, so only the copy of the last piece of a read is not hidden. A
        // lone transfer does not wait for the issue stage.
        let read = 200.0 + bus + 64.0 / 2.0;
        let write = 200.0 + bus;
        assert_near(latency("read"), read);
        assert_near(latency("write"), write);
        assert_near(latency("write-read"), read + write);
    }
}

#[test]
fn a_bus_with_one_tag_carries_one_transfer_at_a_time() {
    let workload = "operation = \"read\"\nsize = \"256 B\"\noutstanding = 16\ntransfers = 200\n";
    let result = dma(ENGINE, workload);
    assert_near(metric(&result, "dma.bandwidth"), 256.0 * 1e3 / (SETUP_NS + 256.0 * BYTE_NS));
    assert_near(metric(&result, "dma.bandwidth_bits"), 8.0 * 256.0 / (SETUP_NS + 256.0 * BYTE_NS));
}

#[test]
fn the_issue_stage_limits_the_rate_of_transfers() {
    let engine = ENGINE.replace("50 ns", "5 us").replace("30 ns", "4 us");
    for (operation, issue_ns) in [("read", 5_000.0), ("write", 4_000.0)] {
        let workload = format!("operation = \"{operation}\"\nsize = \"64 B\"\noutstanding = 16\ntransfers = 200\n");
        assert_near(metric(&dma(&engine, &workload), "dma.bandwidth"), 64.0 * 1e3 / issue_ns);
    }
}

#[test]
fn more_operations_outstanding_never_slow_a_stream() {
    let bandwidth = |outstanding: u32| {
        let workload = format!("operation = \"read\"\nsize = \"64 B\"\noutstanding = {outstanding}\ntransfers = 200\n");
        metric(&dma(ENGINE, &workload), "dma.bandwidth")
    };
    let bandwidths = [1, 2, 4, 8].map(bandwidth);
    assert!(bandwidths.is_sorted(), "{bandwidths:?}");
    assert!(bandwidths[0] < bandwidths[3], "{bandwidths:?}");
}

#[test]
fn latencies_are_whole_ticks_of_the_timer() {
    let engine = format!("{ENGINE}timer-tick = \"70 ns\"\n");
    let result = dma(&engine, "operation = \"read\"\nsize = \"64 B\"\ntransfers = 100\n");
    for statistic in ["_min", "_p50", "_max"] {
        let ns = 1e3 * metric(&result, &format!("dma.latency{statistic}"));
        assert!((ns / 70.0 - (ns / 70.0).round()).abs() < 1e-6, "{ns}");
    }
    assert_near(1e3 * metric(&result, "dma.latency"), 1_872.0);
}

#[test]
fn a_stream_in_one_direction_reports_only_its_bandwidth() {
    let result = dma(ENGINE, "direction = \"write\"\nsize = \"64 B\"\n");
    assert!(result.metric("dma.bandwidth").is_some());
    assert!(result.metrics.iter().all(|metric| !metric.name.starts_with("dma.latency")));
}

#[test]
fn random_accesses_depend_on_the_seed_alone() {
    let workload = "operation = \"both\"\nsize = \"64 B\"\nwindow = \"8 KiB\"\naccess = \"random\"\noutstanding = 4\n";
    let [first, second] = [(); 2].map(|()| dma(ENGINE, workload));
    assert_eq!(format!("{:?}", first.metrics), format!("{:?}", second.metrics));
}

#[test]
fn a_stream_of_reads_follows_little_s_law() {
    for further_keys in ["", "iommu = { page = \"2 MiB\" }", "memory-socket = \"remote\""] {
        let host = pcie(further_keys);
        let workload =
            "operation = \"read\"\nsize = \"64 B\"\nwindow = \"64 KiB\"\ncache = \"cold\"\ntransfers = 2000\n";
        let latency_ns = 1e3 * metric(&run_on(&host, ENGINE, workload), "dma.latency_p50");
        let stream = run_on(&host, ENGINE, &format!("{workload}outstanding = 32\n"));
        // The overhead of 200 ns needs none of the four slots. The link's packets delay each other a little.
        let expected = 4.0 * 64.0 * 1e3 / (latency_ns - 200.0);
        let actual = metric(&stream, "dma.bandwidth");
        assert!((actual / expected - 1.0).abs() < 0.02, "{further_keys}: {actual}, expected {expected}");
    }
}

#[test]
fn device_warm_windows_go_cold_beyond_the_io_ways() {
    let latency = |window: &str, cache: &str| {
        let workload = format!(
            "operation = \"read\"\nsize = \"64 B\"\nwindow = \"{window}\"\naccess = \"random\"\n\
             cache = \"{cache}\"\ntransfers = 1000\n"
        );
        metric(&run_on(&pcie(""), ENGINE, &workload), "dma.latency_p50")
    };
    // Two of sixteen ways are 128 KiB; more than half of the accesses to 512 KiB miss them.
    assert!(latency("128 KiB", "device-warm") < latency("128 KiB", "host-warm"));
    assert!(latency("512 KiB", "host-warm") < latency("512 KiB", "device-warm"));
    assert_near(latency("512 KiB", "device-warm"), latency("512 KiB", "cold"));
}

#[test]
fn earlier_writes_leave_their_blocks_in_the_io_ways() {
    let workload = |further_keys: &str| {
        format!(
            "operation = \"read\"\nsize = \"64 B\"\nwindow = \"64 KiB\"\ncache = \"cold\"\ntransfers = 1000\n\
             warm-up = 0\n{further_keys}"
        )
    };
    let latency = |further_keys: &str| metric(&run_on(&pcie(""), ENGINE, &workload(further_keys)), "dma.latency_p50");
    let (cold, written) = (latency(""), latency("earlier-writes = 1024\n"));
    assert_near(cold - written, 0.080);
}
