//! Checks that programs on all nodes produce correct results on any network. Each program compares the received data
//! with the sent data, or its result with that of a serial run, and panics if they differ.
//!
//! The hosts take time for software only, and their queues hold all packets in flight. Some networks keep packets in
//! order, and others do not.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine;
use narrows::text::Document;

#[path = "../examples/heat.rs"]
#[allow(dead_code)]
mod heat;

#[test]
fn heat_example_runs() {
    assert!(heat::time("ni2w") > heat::time("cni32qm"));
}

/// The machine that a program runs on. Costs are in cycles.
#[derive(Clone, Copy)]
struct Machine {
    nodes: usize,
    send: u64,
    poll: u64,
    receive: u64,
    /// Size of a packet in bytes.
    packet: u64,
    in_order: bool,
    barrier: u64,
    fabric: &'static str,
}

const BARRIER: u64 = 20;

/// A link with a latency of 30 cycles at 33 MHz.
const LINK: &str = "[fabric.ideal]\nlatency = \"909 ns\"\nrate = \"8 GB/s\"";

/// A link with a latency of 200 cycles.
const SLOW_LINK: &str = "[fabric.ideal]\nlatency = \"6061 ns\"\nrate = \"8 GB/s\"";

/// A multibutterfly, in which the packets of a pair take several routes and may overtake each other.
const MULTIPATH_FABRIC: &str = "[fabric.butterfly]\nnodes = 8\nradix = 2\ndilation = 2\n\
     [fabric.router]\nvirtual-channels = 1\nbuffer-flits = 16\nlink-bits = 8\nclock = \"33 MHz\"";

/// The overheads of the synthetic traffic of Callahan and Goldstein (1995), on a network that keeps packets in order.
const SYNTHETIC: Machine =
    Machine { nodes: 8, send: 40, poll: 0, receive: 60, packet: 32, in_order: true, barrier: BARRIER, fabric: LINK };

/// The same overheads on a network that does not keep packets in order.
const UNORDERED: Machine = Machine { in_order: false, fabric: MULTIPATH_FABRIC, ..SYNTHETIC };

/// The overheads and packets of the CM-5.
const CM5: Machine = Machine { send: 46, poll: 22, receive: 56, packet: 24, ..SYNTHETIC };

impl Machine {
    /// Returns the machine with this number of nodes, and with a link as its fabric if they are not eight.
    fn nodes(self, nodes: usize) -> Machine {
        let fabric = if nodes == 8 { self.fabric } else { LINK };
        Machine { nodes, fabric, ..self }
    }

    fn text(&self, workload: &str) -> String {
        let Machine { nodes, send, poll, receive, packet, in_order, barrier, fabric } = self;
        let node_tables: String = (0..*nodes).map(|node| format!("[nodes.n{node}]\nhost = \"h\"\n")).collect();
        format!(
            "[run]\nno-progress-limit = \"100 ms\"\n{node_tables}[hosts.h.software]\nclock = \"33 MHz\"\n\
             [messaging]\nsend = {send}\npoll = {poll}\nreceive = {receive}\nbarrier = {barrier}\nreorder = 30\n\
             in-order = {in_order}\n[ni.queues]\npacket = \"{packet} B\"\n\
             [protocol.none]\nsend-buffers = 4096\nreceive-buffers = 4096\n{fabric}\n[workload.{workload}"
        )
    }

    fn run_to_end_or_failure(&self, workload: &str) -> RunResult {
        let text = self.text(workload);
        let read = machine::read(Document::Text("test.toml", &text, None), &[]);
        let machine = read.unwrap_or_else(|problems| panic!("{problems}\n{text}")).value;
        experiment::run(&machine, Recorder::off())
    }

    /// Runs a program to its end; `workload` completes the header `[workload.` and adds the keys of the table.
    fn run(&self, workload: &str) -> RunResult {
        let result = self.run_to_end_or_failure(workload);
        assert_eq!(result.outcome, Outcome::Done, "{workload}");
        result
    }
}

fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no metric {name} in {:?}", result.metrics))
}

mod bursts {
    use super::*;

    #[test]
    fn every_packet_arrives_once_within_the_cycles() {
        let ordered = SYNTHETIC.run("bursts]\ncycles = 100000");
        assert_eq!(metric(&ordered, "cycles"), 100_000.0);
        assert!(metric(&ordered, "bursts.phases") >= 2.0);
        // In 100 cycles, a node sends a packet and receives one, provided that it never waits.
        let delivered = metric(&ordered, "packets.delivered");
        assert!((5_000.0..8_000.0).contains(&delivered), "{delivered}");
        assert_eq!(metric(&ordered, "bursts.out_of_order"), 0.0);
        let unordered = UNORDERED.run("bursts]\ncycles = 100000");
        assert!(metric(&unordered, "bursts.out_of_order") > 0.0);
    }

    #[test]
    fn bursts_do_not_depend_on_the_network() {
        for text in ["bursts]\nphases = 3", "bursts]\nphases = 6\ntraffic = \"light\""] {
            let (in_order, slow_network, unordered) =
                (SYNTHETIC.run(text), Machine { fabric: SLOW_LINK, ..CM5 }.run(text), UNORDERED.run(text));
            for name in ["packets.sent", "packets.delivered", "bursts.messages", "bursts.phases"] {
                assert_eq!(metric(&in_order, name), metric(&slow_network, name), "{name}");
                assert_eq!(metric(&in_order, name), metric(&unordered, name), "{name}");
            }
            assert!(metric(&in_order, "cycles") < metric(&slow_network, "cycles"));
            assert_eq!(metric(&in_order, "packets.in_flight"), 0.0);
            assert_eq!(in_order.metrics, SYNTHETIC.run(text).metrics, "runs are reproducible");
        }
    }

    #[test]
    fn nodes_that_ignore_the_network_slow_it_down() {
        let text = "bursts]\nphases = 3\nsending = 0.5";
        let test_machine = SYNTHETIC.nodes(4);
        let (responsive, unresponsive) =
            (test_machine.run(text), test_machine.run(&format!("{text}\nunresponsive = [1500, 2500]")));
        assert!(metric(&responsive, "cycles") * 1.2 < metric(&unresponsive, "cycles"), "a third of the time is lost");
    }

    #[test]
    fn patterns_have_the_expected_contention() {
        let run_pattern = |pattern| SYNTHETIC.run(&format!("bursts]\nphases = 2\npattern = {pattern}"));
        let (shuffled, incast) = (run_pattern("\"shuffle\""), run_pattern("\"incast\"\nhot-node = 3"));
        assert!(metric(&incast, "cycles") > 3.0 * metric(&shuffled, "cycles"), "one node receives all packets");
    }

    #[test]
    fn run_without_further_acceptance_is_deadlocked() {
        let workload = "bursts]\ncycles = 200000\nunresponsive-nodes = [1, 2, 3]";
        let outcome = SYNTHETIC.nodes(4).run_to_end_or_failure(workload).outcome;
        assert!(
            matches!(&outcome, Outcome::Deadlock(deadlock) if deadlock.to_string().contains("a long time without one")),
            "{outcome:?}"
        );
    }

    #[test]
    fn run_with_late_acceptance_is_not_deadlocked() {
        let workload = "bursts]\ncycles = 200000\nresponsive = [2000, 6000]\nunresponsive = [900000000, 900000000]";
        let end = metric(&SYNTHETIC.nodes(4).run(workload), "cycles");
        assert!(end > 9e8, "the run ends with the first packet accepted after the quiet period");
    }

    #[test]
    fn phases_without_senders_take_a_cycle() {
        // Neither polls nor barriers have a cost, so nothing else takes time.
        let without_costs = Machine { barrier: 0, ..SYNTHETIC.nodes(4) };
        let result = without_costs.run("bursts]\ncycles = 5000\nsending = 1e-9");
        assert_eq!((metric(&result, "cycles"), metric(&result, "packets.sent")), (5_000.0, 0.0));
        assert!(metric(&result, "bursts.phases") >= 4_999.0, "one per cycle");
        let seven_phases = without_costs.run("bursts]\nphases = 7\nsending = 1e-9");
        assert_eq!(metric(&seven_phases, "bursts.phases"), 7.0);
    }
}

mod cyclic_shift {
    use super::*;

    #[test]
    fn all_words_arrive_at_all_nodes() {
        for test_machine in [SYNTHETIC, UNORDERED, CM5] {
            for nodes in [2, 5, 8] {
                let result = test_machine.nodes(nodes).run("cyclic-shift]\nwords = 100");
                assert_eq!(metric(&result, "packets.in_flight"), 0.0);
            }
        }
        // Each of 8 nodes sends 101 words to each of the 7 others, in packets of 7 words.
        assert_eq!(metric(&SYNTHETIC.run("cyclic-shift]\nwords = 100"), "packets.sent"), (8 * 7 * 15) as f64);
    }

    #[test]
    fn in_order_delivery_saves_packets_and_time() {
        let run_with_order = |in_order| Machine { in_order, ..CM5 }.run("cyclic-shift]\nwords = 120");
        let (ordered, unordered) = (run_with_order(true), run_with_order(false));
        assert_eq!(metric(&ordered, "packets.sent"), (56 * 25) as f64);
        assert_eq!(metric(&unordered, "packets.sent"), (56 * 32) as f64);
        assert!(metric(&ordered, "shift.cycles") < metric(&unordered, "shift.cycles"));
    }

    #[test]
    fn barriers_limit_receivers_to_one_sender() {
        // The program itself panics if phases are not received in order.
        let pending_max = metric(&CM5.nodes(16).run("cyclic-shift]\nbarriers = true"), "shift.pending_max");
        assert!(pending_max <= 513_f64.div_euclid(5.0) + 1.0, "no more than one message: {pending_max}");
        UNORDERED.run("cyclic-shift]\nbarriers = true");
    }

    #[test]
    fn map_contains_the_pending_packets() {
        let run = || SYNTHETIC.nodes(4).run("cyclic-shift]\nsample = 500");
        let result = run();
        let map = result.map.as_ref().expect("a cyclic shift has a map");
        assert_eq!((map.rows, map.columns as u64), (4, metric(&result, "cycles") as u64 / 500));
        assert_eq!(
            f64::from(*map.values.iter().max().expect("the map has samples")),
            metric(&result, "shift.pending_max")
        );
        assert_eq!(map.row(3).len(), map.columns);
        assert!(map.row(1).iter().any(|pending| *pending > 0));
        let repeated = run();
        assert_eq!((&repeated.metrics, &repeated.map), (&result.metrics, &result.map), "runs are reproducible");
    }
}

mod em3d;

mod radix_sort {
    use super::*;

    #[test]
    fn keys_are_sorted_on_any_network() {
        for test_machine in [SYNTHETIC, UNORDERED, CM5] {
            for nodes in [2, 3, 8] {
                test_machine.nodes(nodes).run("radix-sort]\nkeys = 50");
                test_machine.nodes(nodes).run("radix-sort]\nkeys = 7\nbits = 3\npasses = 5\ndelay = 90");
            }
        }
        let run = || UNORDERED.run("radix-sort]\nkeys = 50");
        assert_eq!(run().metrics, run().metrics, "runs are reproducible");
    }

    #[test]
    fn scan_sends_a_sum_and_a_total_for_each_bucket() {
        // There is one key on each of 4 nodes, so the coalesce phase sends at most 4 packets.
        let one_key = metric(&SYNTHETIC.nodes(4).run("radix-sort]\nkeys = 1\npasses = 1"), "packets.sent");
        let scan = 256.0 * (3.0 + 3.0);
        assert!((scan..=scan + 4.0).contains(&one_key), "{one_key}");
    }

    #[test]
    fn delay_between_sends_pipelines_the_scan() {
        let scan = |delay| {
            let text = format!("radix-sort]\nkeys = 8\npasses = 1\ndelay = {delay}");
            metric(&CM5.nodes(16).run(&text), "radix.scan_cycles")
        };
        let (without_delay, with_delay) = (scan(0), scan(50));
        assert!(
            with_delay < 0.7 * without_delay,
            "a node that keeps receiving cannot send: {with_delay} and {without_delay} cycles"
        );
    }

    #[test]
    fn phases_are_timed_separately() {
        let result = CM5.run("radix-sort]\nkeys = 100");
        let phases = metric(&result, "radix.scan_cycles") + metric(&result, "radix.coalesce_cycles");
        // The remainder of each pass is the counting, and the cycles of a barrier.
        let remaining_cycles = metric(&result, "radix.cycles") - 2.0 * phases;
        assert!((2.0 * 1_000.0..2.0 * 1_200.0).contains(&remaining_cycles), "{remaining_cycles}");
    }
}

/// Returns the mean time of the processors in cycles, by its cause.
fn cycles_by_cause(result: &RunResult) -> [f64; 5] {
    ["compute", "send", "receive", "wait_for_capacity", "wait_for_message"]
        .map(|cause| metric(result, &format!("time.{cause}")))
}

mod solvers {
    use super::*;

    const SPSOLVE: &str = "spsolve]\nrows = 90\nneighbours = 14\niterations = 2";
    const DSMC: &str = "dsmc]\ncells = [6, 4, 3]\nmolecules = 400\niterations = 5";
    const UNSTRUCTURED: &str = "unstructured]\nnodes = 150\niterations = 3";

    #[test]
    fn results_equal_those_of_serial_runs() {
        for program in [SPSOLVE, DSMC, UNSTRUCTURED] {
            for test_machine in [SYNTHETIC, UNORDERED, CM5] {
                test_machine.run(program);
                test_machine.nodes(2).run(program);
                test_machine.nodes(5).run(program);
            }
            assert_eq!(UNORDERED.run(program).metrics, UNORDERED.run(program).metrics, "runs are reproducible");
        }
        SYNTHETIC.run(&format!("{SPSOLVE}\nrows-to = \"dealt\""));
    }

    /// Checks the messages, which are contributions, barriers, and reductions up and down the tree.
    #[test]
    fn solve_sends_a_20_byte_message_for_each_edge_between_processors() {
        let result = SYNTHETIC.run(SPSOLVE);
        let messages_of_size = |bytes| metric(&result, &format!("messages.size.{bytes}"));
        assert_eq!(messages_of_size(20), metric(&result, "spsolve.contributions"));
        assert_eq!(messages_of_size(12), (2 * 2 * 7) as f64);
        assert_eq!(messages_of_size(8), ((2 + 2 * 2) * 3 * 8) as f64);
        assert_eq!(messages_of_size(8) + messages_of_size(12) + messages_of_size(20), metric(&result, "packets.sent"));
    }

    #[test]
    fn gas_sends_molecules_and_their_counts() {
        let result = Machine { packet: 36, ..SYNTHETIC }.run(DSMC);
        let messages_of_size = |bytes| metric(&result, &format!("messages.size.{bytes}"));
        assert_eq!(messages_of_size(44), metric(&result, "dsmc.migrations"));
        // In each iteration, each processor reports its count to every other; two reductions add up collisions. A block
        // is requested in each iteration, and invalidated and acknowledged in all but the last; it arrives in parts,
        // the last of 24 bytes.
        let (counts, reductions, blocks) = ((5 * 8 * 7) as f64, (2 * 2 * 7) as f64, messages_of_size(24));
        assert!(blocks > 0.0);
        assert_eq!(messages_of_size(12), counts + reductions + blocks + 2.0 * blocks * 4.0 / 5.0);
        // With check-ins, a block is requested and returned in each iteration; few check-ins cross an invalidation.
        let with_check_ins = Machine { packet: 36, ..SYNTHETIC }.run(&format!("{DSMC}\ncheck-in = true"));
        let control_messages = metric(&with_check_ins, "messages.size.12") - counts - reductions;
        assert_eq!(metric(&with_check_ins, "messages.size.24"), blocks);
        assert!((2.0 * blocks..2.05 * blocks).contains(&control_messages), "{control_messages} for {blocks} blocks");
        // A molecule that does not fit in a packet counts as one message.
        assert_eq!(metric(&CM5.run(DSMC), "messages.size.44"), messages_of_size(44));
    }

    #[test]
    fn sweep_sends_batches_of_values_and_of_sums_to_each_neighbour() {
        let result = SYNTHETIC.run(UNSTRUCTURED);
        let sizes = result.metrics.iter().filter_map(|metric| {
            let bytes: u64 = metric.name.strip_prefix("messages.size.")?.parse().ok()?;
            Some((bytes, metric.value))
        });
        let (barriers, batches): (Vec<_>, Vec<_>) = sizes.partition(|(bytes, _)| *bytes == 8);
        assert_eq!(barriers, [(8, (2 * 3 * 8) as f64)]);
        assert!(batches.iter().all(|(bytes, _)| bytes % 12 == 8), "three words for each node: {batches:?}");
        assert_eq!(batches.iter().map(|(_, count)| count).sum::<f64>(), metric(&result, "unstructured.batches"));
    }

    #[test]
    fn solve_reads_a_matrix_from_a_file() {
        let grid = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/matrices/grid.mtx");
        let result = SYNTHETIC.run(&format!("spsolve]\nmatrix = {grid:?}"));
        assert_eq!(metric(&result, "spsolve.rows"), 12.0);
        // A row of the grid waits for the rows before it and above it, so each diagonal is a level.
        assert_eq!(metric(&result, "spsolve.levels"), 6.0);
    }
}

mod time {
    use super::*;

    #[test]
    fn causes_add_up_to_the_total() {
        let programs = ["em3d]\nn-nodes = 20\niterations = 3\nexchange = \"updates\"", "radix-sort]\nkeys = 50"];
        for program in programs {
            for test_machine in [SYNTHETIC, UNORDERED, CM5] {
                let result = test_machine.run(program);
                // Each processor ends within a few polls of the last one.
                let (sum, cycles) = (cycles_by_cause(&result).iter().sum::<f64>(), metric(&result, "cycles"));
                assert!(sum <= cycles + 1.0 && sum > 0.97 * cycles, "{sum} of {cycles}");
            }
        }
    }

    #[test]
    fn causes_match_the_stated_costs() {
        // Values are sent and received at stated costs, and no processor waits for space in its interface.
        let result =
            SYNTHETIC.run("em3d]\nn-nodes = 20\nd-nodes = 6\niterations = 3\narc-cycles = 50\nexchange = \"updates\"");
        let [compute, send, receive, wait_for_capacity, _] = cycles_by_cause(&result);
        let (packets, values) = (metric(&result, "packets.sent") / 8.0, metric(&result, "messages.size.20") / 8.0);
        let barriers = packets - values;
        let compute_cycles = (3 * 2 * 20 * 6 * 50) as f64 + 9.0 * values + 8.0 * barriers;
        for (time, expected) in [(compute, compute_cycles), (send, 40.0 * packets), (wait_for_capacity, 0.0)] {
            // A cycle is not a whole number of picoseconds, so each interval may be off by one.
            assert!((time - expected).abs() <= 1e-6 * expected, "{time} cycles, {expected} are stated");
        }
        // A packet that arrives within a cycle is received from the beginning of that cycle on.
        let expected = 60.0 * packets;
        assert!(receive <= expected + 0.01 && receive > expected - packets, "{receive} cycles, {expected} are stated");
    }

    #[test]
    fn small_queues_add_waiting_time_only() {
        let text = SYNTHETIC.text("em3d]\nn-nodes = 20\nlocal-p = 0\niterations = 2\nexchange = \"updates\"");
        let run = |outgoing: u32| {
            let text =
                text.replace("send-buffers = 4096", &format!("send-buffers = {outgoing}")).replace("8 GB/s", "4 MB/s");
            let read = machine::read(Document::Text("test.toml", &text, None), &[]);
            experiment::run(&read.unwrap_or_else(|problems| panic!("{problems}")).value, Recorder::off())
        };
        let (one_buffer, many_buffers) = (cycles_by_cause(&run(1)), cycles_by_cause(&run(4096)));
        assert!(one_buffer[3] > 1000.0 && many_buffers[3] == 0.0, "{one_buffer:?} {many_buffers:?}");
        for cause in [0, 1] {
            let ratio = one_buffer[cause] / many_buffers[cause];
            assert!(
                (ratio - 1.0).abs() < 1e-6,
                "the times of computing and sending are equal: {one_buffer:?} {many_buffers:?}"
            );
        }
    }
}
