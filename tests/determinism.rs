//! Checks that runs are deterministic: the same descriptions, run by one thread, by four at once and in reverse order,
//! give results that are equal to the last bit. The first machines are Trapeze's, and the others are combinations that
//! together have every part.

use crate::common::parts::{pairwise_combinations, read_valid, text};
use crate::common::*;
use narrows::engine::Recorder;
use narrows::experiment::run;
use narrows::machine::Machine;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// Returns descriptions that together use every engine and policy of Trapeze, and random intervals between messages.
fn test_machines() -> Vec<TestMachine> {
    let workloads = [
        r#"ping-pong = { warm-up = 0, messages = 20, payload = "3000 B" }"#,
        r#"stream = { warm-up = 0, messages = 30, payload = "8 KiB", arrivals.poisson.interval = "60 us" }"#,
        r#"stream = { warm-up = 0, flows = ["n0 -> n2", "n1 -> n2", "n2 -> n0"], messages = 20, payload = "4 KiB" }"#,
        r#"stream = { warm-up = 0, messages = 20, payload = "8 KiB", copying = true }"#,
        r#"page-fetch = { warm-up = 0, from = "n2", faults = 10 }"#,
        r#"dma = { warm-up = 0, size = "1 KiB", copying = true }"#,
    ];
    let hosts = [DMA_FIRST, ALTERNATE, BUFFERED].map(|competition| Host { competition, ..Host::default() });
    let test_machine = |policy: &str, workload: &str| {
        TestMachine::default().hosts(&hosts).policy(policy).workload(workload.to_owned())
    };
    let policies = [STORE_AND_FORWARD, CUT_THROUGH, ADAPTIVE];
    let mut test_machines: Vec<_> =
        policies.iter().flat_map(|policy| workloads.iter().map(|workload| test_machine(policy, workload))).collect();
    for (number, test_machine) in test_machines.iter_mut().enumerate() {
        test_machine.seed = number as u64;
        if number % 2 == 1 {
            test_machine.notification = r#"{ polling = { interval = "3 us" } }"#.into();
        }
    }
    test_machines
}

/// Returns all results of a run as text: outcome, metrics, ledgers, resources, timeline.
fn result_text(machine: &Machine) -> String {
    format!("{:?}", run(machine, Recorder::with_spans_max(1 << 20)))
}

/// Returns machines in which each two compatible shipped parts occur together, under a stream of messages and under
/// random active messages of all nodes.
fn machines() -> Vec<Machine> {
    let programs = [
        (
            "stream",
            r#"stream = { warm-up = 0, flows = ["n0 -> n1", "n2 -> n1"], payload = "200 B", messages = 4, arrivals.poisson.interval = "9 us" }"#,
        ),
        ("bursts", "bursts = { phases = 1, packets = [2, 4], lengths = [1, 3] }"),
    ];
    let machines_of = |(workload, program): (&'static str, &'static str)| {
        let combinations = pairwise_combinations(workload);
        combinations
            .into_iter()
            .map(move |combination| read_valid(&text(&combination, 4, &format!("workload.{program}")), &[]))
    };
    programs.into_iter().flat_map(machines_of).collect()
}

/// Runs the machines by one thread, by four at once, and in reverse order; each must give the same results every time.
fn assert_equal_for_any_thread_count(machines: &[Machine]) {
    let with_threads = |threads| -> Vec<String> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
        pool.install(|| machines.par_iter().map(result_text).collect())
    };
    let (with_one_thread, with_four_threads) = (with_threads(1), with_threads(4));
    let mut in_reverse_order: Vec<String> = machines.iter().rev().map(result_text).collect();
    in_reverse_order.reverse();
    for (number, machine) in machines.iter().enumerate() {
        assert!(
            with_one_thread[number] == with_four_threads[number] && with_one_thread[number] == in_reverse_order[number],
            "{machine:#?}"
        );
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    assert_equal_for_any_thread_count(&test_machines().iter().map(TestMachine::machine).collect::<Vec<_>>());
}

#[test]
fn results_of_no_combination_depend_on_threads() {
    let machines = machines();
    assert!(machines.len() > 200, "{} machines", machines.len());
    assert_equal_for_any_thread_count(&machines);
}

#[test]
fn random_numbers_depend_on_the_seed_alone() {
    let workload = r#"stream = { warm-up = 0, messages = 30, payload = "8 KiB", arrivals.poisson.interval = "60 us" }"#;
    let with_seed =
        |seed| result_text(&TestMachine { seed, ..TestMachine::default() }.workload(workload.to_owned()).machine());
    assert_eq!(with_seed(1), with_seed(1));
    assert_ne!(with_seed(1), with_seed(2));
}
