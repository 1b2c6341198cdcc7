//! Measures the cost of an event with async tasks on the engine, a hand-written state machine on the same queue, and a
//! textbook heap of boxed closures.
//!
//! `cargo bench --bench engine` measures all three in one run and ends with a table.
//! `cargo bench --bench engine -- --count VARIANT TASKS [EVENTS]` runs one of them once, for
//! counting instructions under `valgrind --tool=callgrind` (see docs/engine.md).

use criterion::{BenchmarkId, Criterion, Throughput};
use narrows::engine::queue::{Event, EventQueue, TASK_BITS};
use narrows::engine::record::Recorder;
use narrows::engine::sim::{Limits, Outcome, Simulation};
use narrows::engine::time::Time;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Number of events in one timed run.
const EVENTS: u64 = 1 << 20;
/// Numbers of tasks.
const TASKS: [u64; 3] = [2, 64, 4096];
/// The three implementations, by name.
const VARIANTS: [(&str, Variant); 3] =
    [("async", async_tasks), ("state-machine", state_machine), ("closures", closures)];

/// A function that runs `tasks` tasks for about `events` events, and returns the number of events and the time.
type Variant = fn(tasks: u64, events: u64) -> (u64, Duration);

/// The work of every variant at an event: updates a few integers of state and draws the delay to the next event.
struct TaskWork {
    random: u64,
    steps_left: u64,
    sum: u64,
}

impl TaskWork {
    fn new(task: u64, tasks: u64, events: u64) -> TaskWork {
        TaskWork { random: task * 2 + 1, steps_left: events / tasks, sum: 0 }
    }

    #[inline(always)]
    fn step(&mut self) -> Option<Time> {
        self.steps_left = self.steps_left.checked_sub(1)?;
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let delay = 1 + (self.random >> 44);
        self.sum += delay;
        Some(Time::from_ps(delay))
    }
}

fn async_tasks(tasks: u64, events: u64) -> (u64, Duration) {
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    for task in 0..tasks {
        let mut work = TaskWork::new(task, tasks, events);
        let sim = simulation.sim();
        simulation.sim().spawn("task", async move {
            while let Some(delay) = work.step() {
                sim.delay(delay).await;
            }
            black_box(work.sum);
        });
    }
    let elapsed = timed(|| assert_eq!(simulation.run(Limits::default()), Outcome::Done));
    (sim.events(), elapsed)
}

/// A part as a state machine. Simulators have parts of many kinds, so the loop calls a part through a trait.
trait DynamicTask {
    fn step(&mut self) -> Option<Time>;
    fn sum(&self) -> u64;
}

impl DynamicTask for TaskWork {
    fn step(&mut self) -> Option<Time> {
        TaskWork::step(self)
    }

    fn sum(&self) -> u64 {
        self.sum
    }
}

fn state_machine(tasks: u64, events: u64) -> (u64, Duration) {
    let new_task = |task| -> Box<dyn DynamicTask> { Box::new(TaskWork::new(task, tasks, events)) };
    let mut task_states: Vec<Box<dyn DynamicTask>> = (0..tasks).map(new_task).collect();
    let mut queue = EventQueue::default();
    let mut sequence = 0;
    let mut next_event_id = |task: u64| {
        sequence += 1;
        sequence << TASK_BITS | task
    };
    for task in 0..tasks {
        queue.push_now(Event { time: Time::ZERO, id: next_event_id(task) });
    }
    let mut count = 0;
    let elapsed = timed(|| {
        while let Some(event) = queue.pop() {
            count += 1;
            let task = event.task();
            if let Some(delay) = task_states[task as usize].step() {
                queue.push(Event { time: event.time + delay, id: next_event_id(u64::from(task)) });
            }
        }
    });
    task_states.iter().for_each(|work| _ = black_box(work.sum()));
    (count, elapsed)
}

/// The textbook simulator: a heap of closures by time and sequence number.
#[derive(Default)]
struct Closures {
    now: u64,
    sequence: u64,
    events: u64,
    heap: BinaryHeap<Reverse<ScheduledAction>>,
}

struct ScheduledAction {
    time: u64,
    sequence: u64,
    action: Box<dyn FnOnce(&mut Closures)>,
}

impl Ord for ScheduledAction {
    fn cmp(&self, other: &ScheduledAction) -> std::cmp::Ordering {
        (self.time, self.sequence).cmp(&(other.time, other.sequence))
    }
}

impl PartialOrd for ScheduledAction {
    fn partial_cmp(&self, other: &ScheduledAction) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ScheduledAction {
    fn eq(&self, other: &ScheduledAction) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ScheduledAction {}

impl Closures {
    fn schedule(&mut self, delay: u64, action: impl FnOnce(&mut Closures) + 'static) {
        self.sequence += 1;
        let entry = ScheduledAction { time: self.now + delay, sequence: self.sequence, action: Box::new(action) };
        self.heap.push(Reverse(entry));
    }

    fn step_task(&mut self, mut work: TaskWork) {
        match work.step() {
            Some(delay) => self.schedule(delay.ps(), move |closures| closures.step_task(work)),
            None => _ = black_box(work.sum),
        }
    }

    fn run(&mut self) {
        while let Some(Reverse(entry)) = self.heap.pop() {
            self.now = entry.time;
            self.events += 1;
            (entry.action)(self);
        }
    }
}

fn closures(tasks: u64, events: u64) -> (u64, Duration) {
    let mut closures = Closures::default();
    for task in 0..tasks {
        let work = TaskWork::new(task, tasks, events);
        closures.schedule(0, move |closures| closures.step_task(work));
    }
    let elapsed = timed(|| closures.run());
    (closures.events, elapsed)
}

/// Runs `run` and returns the time that it took. This is the only function whose instructions are counted.
#[inline(never)]
fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().position(|argument| argument == "--count") {
        Some(position) => run_once(&arguments[position + 1..]),
        None => compare(),
    }
}

/// Runs one variant once.
fn run_once(arguments: &[String]) {
    let usage = "--count async|state-machine|closures TASKS [EVENTS]";
    let number = |position: usize| arguments.get(position).and_then(|text| text.parse::<u64>().ok());
    let name = arguments.first().expect(usage);
    let (_, variant) = VARIANTS.iter().find(|(variant_name, _)| variant_name == name).expect(usage);
    let (events, elapsed) = variant(number(1).expect(usage), number(2).unwrap_or(EVENTS));
    println!("{events} events in {elapsed:?}: {:.1} ns/event", elapsed.as_nanos() as f64 / events as f64);
}

/// Measures all variants, and prints the best sample of each in one table.
fn compare() {
    let best_ns = RefCell::new(BTreeMap::<(u64, &str), f64>::new());
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .configure_from_args();
    let mut group = criterion.benchmark_group("event");
    for tasks in TASKS {
        for (name, variant) in VARIANTS {
            group.throughput(Throughput::Elements(EVENTS));
            group.bench_function(BenchmarkId::new(name, tasks), |bencher| {
                bencher.iter_custom(|runs| {
                    let mut sum = Duration::ZERO;
                    for _ in 0..runs {
                        let (events, elapsed) = variant(tasks, EVENTS);
                        let ns = elapsed.as_nanos() as f64 / events as f64;
                        best_ns
                            .borrow_mut()
                            .entry((tasks, name))
                            .and_modify(|best_ns| *best_ns = best_ns.min(ns))
                            .or_insert(ns);
                        sum += elapsed;
                    }
                    sum
                });
            });
        }
    }
    group.finish();

    let best_ns = best_ns.into_inner();
    println!("\nns/event, best sample\n");
    println!("| tasks | async | state machine | closures | async / state machine | closures / async |");
    println!("|---:|---:|---:|---:|---:|---:|");
    for tasks in TASKS {
        let [async_ns, state_machine_ns, closures_ns] =
            VARIANTS.map(|(name, _)| best_ns.get(&(tasks, name)).copied().unwrap_or(f64::NAN));
        println!(
            "| {tasks} | {async_ns:.1} | {state_machine_ns:.1} | {closures_ns:.1} | {:.2} | {:.2} |",
            async_ns / state_machine_ns,
            closures_ns / async_ns
        );
    }
}
