//! The simulation engine: time, units, tasks, the event queue, resources, mailboxes, random streams, latency ledgers
//! and recorded spans. It is independent of hardware.

#[doc(hidden)]
pub mod busy;
#[doc(hidden)]
pub mod deadlock;
#[doc(hidden)]
pub mod delay;
#[doc(hidden)]
pub mod distribution;
#[doc(hidden)]
pub mod endpoint;
#[doc(hidden)]
pub mod flow_series;
#[doc(hidden)]
pub mod histogram;
#[doc(hidden)]
pub mod interval;
#[doc(hidden)]
pub mod journey;
#[doc(hidden)]
pub mod ledger;
#[doc(hidden)]
pub mod ledger_sums;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod map;
#[doc(hidden)]
pub mod metric;
#[doc(hidden)]
pub mod milestones;
#[doc(hidden)]
pub mod node;
#[doc(hidden)]
pub mod queue;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod resource;
#[doc(hidden)]
pub mod rng;
mod sample;
#[doc(hidden)]
pub mod signal;
#[doc(hidden)]
pub mod sim;
#[doc(hidden)]
pub mod stats;
#[doc(hidden)]
pub mod tally;
mod task_info;
#[doc(hidden)]
pub mod time;
#[doc(hidden)]
pub mod time_series;
#[doc(hidden)]
pub mod transient;
#[doc(hidden)]
pub mod units;
mod wakeups;

#[cfg(test)]
mod tests;

/// A simulation, and the handle through which its tasks read the time, wait and start other tasks.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Limits, Outcome, Recorder, Sim, Simulation, Time};
///
/// async fn timer(sim: Sim) {
///     sim.delay(Time::from_us(3)).await;
///     assert_eq!(sim.now(), Time::from_us(3));
/// }
///
/// let simulation = Simulation::new(Recorder::off());
/// let sim: Sim = simulation.sim();
/// sim.spawn("timer", timer(sim.clone()));
/// assert_eq!(simulation.run(Limits::default()), Outcome::Done);
/// ```
pub use sim::{Sim, Simulation};

/// Synchronisation between tasks: a signal wakes all tasks that wait for it; a mailbox passes values in order.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Limits, Mailbox, Outcome, Recorder, Signal, Simulation, Time};
/// use std::rc::Rc;
///
/// let simulation = Simulation::new(Recorder::off());
/// let sim = simulation.sim();
/// let mailbox = Rc::new(Mailbox::new(&sim, "packets"));
/// let done = Rc::new(Signal::new(&sim, "the packet was read"));
/// let (inbox, read, clock) = (mailbox.clone(), done.clone(), sim.clone());
/// sim.spawn("reader", async move {
///     assert_eq!(inbox.receive().await, 42);
///     read.notify_at(clock.now() + Time::from_ns(10));
/// });
/// let clock = sim.clone();
/// sim.spawn("writer", async move {
///     mailbox.send_at(Time::from_ns(5), 42);
///     done.wait().await;
///     assert_eq!(clock.now(), Time::from_ns(15));
/// });
/// assert_eq!(simulation.run(Limits::default()), Outcome::Done);
/// ```
pub use signal::{Mailbox, Signal};

/// Shared resources: a [`Resource`], such as a bus, is held by one task at a time; a [`Pool`] has a number of units,
/// such as credits, which tasks take and return.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Limits, Outcome, Pool, Recorder, Resource, Simulation, Time};
/// use std::rc::Rc;
///
/// let simulation = Simulation::new(Recorder::off());
/// let sim = simulation.sim();
/// let (bus, credits) = (Rc::new(Resource::new(&sim, "bus")), Rc::new(Pool::new(&sim, "credits", 8)));
/// for _ in 0..2 {
///     let (bus, credits, clock) = (bus.clone(), credits.clone(), sim.clone());
///     sim.spawn("initiator", async move {
///         credits.acquire(2).await;
///         let _hold = bus.acquire().await;
///         clock.delay(Time::from_ns(30)).await;
///     });
/// }
/// assert_eq!(simulation.run(Limits::default()), Outcome::Done);
/// assert_eq!((sim.now(), bus.grants(), credits.free()), (Time::from_ns(60), 2, 4));
/// ```
pub use resource::{Pool, Resource};

/// A point in simulated time, or a duration, in whole picoseconds.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::Time;
///
/// let time = Time::from_us(2) + Time::from_ns(500);
/// assert_eq!(time.ps(), 2_500_000);
/// assert_eq!(time.as_us(), 2.5);
/// ```
pub use time::Time;

/// An amount of data, and a data rate.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Bytes, Rate, Time};
///
/// let link = Rate::from_bytes_per_s(160_000_000);
/// assert_eq!(link.time_for(Bytes(4096)), Time::from_ns(25_600));
/// assert_eq!(link.bytes_in(Time::from_us(1)), Bytes(160));
/// ```
pub use units::{Bytes, Rate};

/// A clock frequency, which converts cycles to time.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Hertz, Time};
///
/// assert_eq!(Hertz(33_000_000).cycles(33), Time::from_us(1));
/// assert_eq!(Hertz(100_000_000).period(), Some(Time::from_ns(10)));
/// ```
pub use units::Hertz;

/// The number of an endpoint, which is the address of a program. A node has one or several endpoints.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::EndpointId;
///
/// assert_eq!(EndpointId(3).index(), 3);
/// ```
pub use endpoint::EndpointId;

/// The number of a node, and the number of a logical network of the fabric.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Class, NodeId};
///
/// assert_eq!(NodeId::all(2).collect::<Vec<_>>(), [NodeId(0), NodeId(1)]);
/// assert_eq!(Class::all(2).collect::<Vec<_>>(), [Class::REQUESTS, Class::REPLIES]);
/// ```
pub use node::{Class, NodeId};

/// The number of a connection between two nodes, if a protocol keeps separate state for several connections; 0
/// otherwise.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{FlowKey, NodeId, Time};
/// use narrows::protocol::window::{LinkParameters, Peer, WindowLink};
///
/// let parameters = LinkParameters { window: 1, reorder: 1, ..LinkParameters::default() };
/// let mut link = WindowLink::new(NodeId(0), &parameters);
/// for (flow, packet) in [(1, "a"), (1, "b"), (2, "c")] {
///     assert!(link.reserve());
///     link.offer(Peer { node: NodeId(1), flow: FlowKey(flow) }, packet);
/// }
/// // Each connection has a window of one packet.
/// let sent = std::iter::from_fn(|| link.next(Time::ZERO)).map(|frame| frame.body);
/// assert_eq!(sent.collect::<Vec<_>>(), [Some("a"), Some("c")]);
/// ```
pub use node::FlowKey;

/// The header of a protocol in a frame, and the marks that switches set on a packet.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Head, PacketMarks};
///
/// let (head, mut marks) = (Head([7, 0]), PacketMarks::default());
/// marks.priority = 1;
/// assert!(head.0[0] == 7 && !marks.congestion && !marks.trimmed);
/// ```
pub use node::{Head, PacketMarks};

/// The limits of a run, and its outcome: completed, stopped at a limit of simulated time, or deadlocked.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Limits, Outcome, Recorder, Signal, Simulation, Time};
///
/// let simulation = Simulation::new(Recorder::off());
/// let sim = simulation.sim();
/// let answer = Signal::new(&sim, "an answer");
/// sim.spawn("client", async move {
///     answer.wait().await;
/// });
/// let limits = Limits { time: Time::from_us(1), ..Limits::default() };
/// let Outcome::Deadlock(report) = simulation.run(limits) else { panic!("no task answers") };
/// assert_eq!((&*report.chain[0].task, &*report.chain[0].awaited), ("client", "an answer"));
/// ```
pub use limits::{Limits, Outcome};

/// A record of a message's latency, which travels with the message's packets. The record does nothing if the message is
/// not measured.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Bytes, EndpointId, Journey, Time};
///
/// let journey = Journey::new(1, EndpointId(0), EndpointId(1), Bytes(64), Time::ZERO);
/// journey.add_service(Time::from_ns(10), Time::from_ns(50));
/// journey.close("bus", Time::from_ns(50));
/// assert_eq!(journey.id(), Some(1));
/// ```
pub use journey::Journey;

/// The latency breakdown of a message: a ledger has stages, each with a waiting time and a service time.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Ledger, Stage, Time};
///
/// let mut ledger = Ledger::new(Time::ZERO);
/// ledger.add_service(Time::from_ns(10), Time::from_ns(50));
/// ledger.close("bus", Time::from_ns(50));
/// let bus: &Stage = &ledger.stages()[0];
/// assert_eq!((bus.waiting, bus.service), (Time::from_ns(10), Time::from_ns(40)));
/// ```
pub use ledger::{Ledger, Stage};

/// A recorder of the activity of parts, as time spans on named tracks.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Recorder, Resource, Simulation, Limits, Time};
///
/// let simulation = Simulation::new(Recorder::with_spans_max(100));
/// let sim = simulation.sim();
/// let bus = Resource::new(&sim, "bus").traced("node 0", "bus");
/// let clock = sim.clone();
/// sim.spawn("initiator", async move {
///     let _hold = bus.acquire().await;
///     clock.delay(Time::from_ns(30)).await;
/// });
/// simulation.run(Limits::default());
/// let timeline = sim.recorder().take();
/// assert_eq!(timeline.spans_on("node 0", "bus").unwrap().count(), 1);
/// ```
pub use record::{Recorder, Timeline};

/// A number that a run has measured, with its name, kind and unit.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Metric, MetricKind};
///
/// let metric = Metric::latency("potato.hop", 1.5, "us");
/// assert!(metric.is_measured());
/// assert_eq!(metric.kind.more_is_better(), Some(false));
/// assert!(metric.kind != MetricKind::Fact);
/// ```
pub use metric::{Metric, MetricKind};

/// Returns the current name of a metric that may have been renamed.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::current_metric_name;
///
/// assert_eq!(current_metric_name("dsmc.handed_over"), "dsmc.migrations");
/// ```
pub use metric::current_metric_name;

/// Statistics of durations: mean, extremes and percentiles.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::{Summary, Time};
///
/// let mut latencies = Summary::with_exact_max(1000);
/// (1..=100).for_each(|us| latencies.add(Time::from_us(us)));
/// assert_eq!((latencies.count(), latencies.max()), (100, Time::from_us(100)));
/// assert_eq!(latencies.mean_us(), 50.5);
/// ```
pub use stats::Summary;

// Internal to the crates of this workspace.
#[doc(hidden)]
pub use busy::BusyTime;
#[doc(hidden)]
pub use deadlock::DeadlockReport;
#[doc(hidden)]
pub use distribution::{Distribution, SampleUnit};
#[doc(hidden)]
pub use endpoint::EndpointMap;
#[doc(hidden)]
pub use histogram::Histogram;
#[doc(hidden)]
pub use journey::Message;
#[doc(hidden)]
pub use ledger_sums::LedgerSums;
#[doc(hidden)]
pub use map::HeatMapData;
#[doc(hidden)]
pub use milestones::Milestones;
#[doc(hidden)]
pub use record::{CapturedPacket, Span, SpanLabel, SpanSink, Track, TrackId};
#[doc(hidden)]
pub use sim::LocalFuture;
#[doc(hidden)]
pub use tally::{Deliveries, ExpectedMessages, FlowTally, MessageTally};
#[doc(hidden)]
pub use time_series::TimeSeries;
