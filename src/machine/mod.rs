//! From a description to a machine: its shape, its checks, its building.
//!
//! | file | does |
//! |---|---|
//! | `mod.rs` | the description's tables: nodes, hosts, interface, fabric, workload, run |
//! | `check.rs` | what must fit together before time 0 |
//! | `build.rs` | the simulation of a checked description |
//! | `shipped.rs` | the parts and examples that the program carries |

pub mod build;
mod check;
pub mod shipped;

use crate::engine::Time;
use crate::fabric::ideal::IdealParameters;
use crate::fabric::myrinet::MyrinetParameters;
use crate::host::io_bus::IoBusParameters;
use crate::host::memory_bus::NodeParameters;
use crate::messaging::polled::MessagingParameters;
use crate::ni::lanai::LanaiParameters;
use crate::ni::memory_bus::{InterfaceParameters, Kind};
use crate::ni::trapeze::TrapezeParameters;
use crate::program::Workload;
use crate::text::{Document, Problems, Read, Reading, Source, Table, load};

/// A machine and its workload, as described.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The nodes, in the order of the description.
    pub nodes: Vec<NodeDescription>,
    /// The kinds of host, by name.
    pub hosts: Vec<(String, Host)>,
    /// The interface of every node.
    pub ni: Ni,
    /// The fabric between them.
    pub fabric: Fabric,
    /// What runs on them.
    pub workload: Workload,
    /// Seed and limits.
    pub run: Run,
}

/// A node.
#[derive(Clone, Debug)]
pub struct NodeDescription {
    /// Its name.
    pub name: String,
    /// Its kind of host.
    pub host: String,
}

/// A kind of host.
#[derive(Clone, Debug)]
pub enum Host {
    /// The interface sits on an I/O bus.
    IoBus(IoBusParameters),
    /// The interface sits on a coherent memory bus.
    MemoryBus(NodeParameters),
}

/// A network interface.
#[derive(Clone, Debug)]
pub enum Ni {
    /// Trapeze on a LANai.
    Trapeze {
        /// The chip.
        chip: LanaiParameters,
        /// Its firmware and driver.
        trapeze: TrapezeParameters,
    },
    /// An interface on the memory bus, and the messaging layer over it.
    MemoryBus {
        /// The interface.
        interface: InterfaceParameters,
        /// The messaging layer.
        messaging: MessagingParameters,
    },
}

/// A fabric.
#[derive(Clone, Debug)]
pub enum Fabric {
    /// Source-routed wormhole switches.
    Myrinet(MyrinetParameters),
    /// A fixed latency, no topology.
    Ideal(IdealParameters),
}

/// Seed and limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The seed of every random stream.
    pub seed: u64,
    /// The simulated time at which the run ends at the latest.
    pub time_limit: Time,
    /// The simulated time without progress after which the run is stuck.
    pub no_progress_limit: Time,
}

impl Machine {
    /// Reads a description.
    pub fn read(t: &mut Table<'_>) -> Machine {
        let nodes = t.map("nodes", "The nodes, by name", |t| t.text("host", "Which of `hosts` the node is").required());
        let nodes: Vec<_> = nodes.into_iter().map(|(name, host)| NodeDescription { name, host }).collect();
        let names: Vec<String> = nodes.iter().map(|node| node.name.clone()).collect();
        Machine {
            hosts: t.map("hosts", "Kinds of host, by name; each one of several", Host::read),
            ni: Ni::read(t),
            fabric: Fabric::read(t, &names),
            workload: Workload::read(t),
            run: t.table("run", "Seed and limits of the run", Run::read),
            nodes,
        }
    }
}

impl Host {
    fn read(t: &mut Table<'_>) -> Host {
        let kinds = [
            ("io-bus", "The interface sits on an I/O bus"),
            ("memory-bus", "The interface sits on a coherent memory bus"),
        ];
        t.alternatives("Kind of host", &kinds, |kind, t| match kind {
            "io-bus" => Host::IoBus(IoBusParameters::read(t)),
            _ => Host::MemoryBus(NodeParameters::read(t)),
        })
    }
}

impl Ni {
    fn read(t: &mut Table<'_>) -> Ni {
        let interface =
            t.one_of("ni", "The network interface of every node", &NIS, |kind, t| match Kind::of_key(kind) {
                None => Ok(Ni::Trapeze {
                    chip: t.table("lanai", "The chip", LanaiParameters::read),
                    trapeze: TrapezeParameters::read(t),
                }),
                Some(kind) => Err(Box::new(InterfaceParameters::read(t, kind))),
            });
        let layer = "The messaging layer over an interface on the memory bus, in processor cycles";
        match interface {
            Ok(ni) => ni,
            Err(interface) => Ni::MemoryBus {
                interface: *interface,
                messaging: t.table("messaging", layer, MessagingParameters::read),
            },
        }
    }
}

/// The interfaces, by their names in descriptions.
const NIS: [(&str, &str); 10] = [
    ("trapeze", "Trapeze firmware and driver on a LANai"),
    ("ni2w", "CM-5-like: a fifo of two words, by uncached loads and stores"),
    ("udma", "A fifo, with user-level DMA for larger payloads"),
    ("ap3000", "AP3000-like: a fifo, by block loads and stores"),
    ("startjr", "StarT-JR-like (CNI0Qm): coherent queues in main memory"),
    ("memory-channel", "Memory-Channel-like: block stores to send, a queue in main memory to receive"),
    ("cni512q", "Coherent queues of 512 blocks at home in the interface"),
    ("cni32qm", "Coherent queues in main memory, with a cache of 32 blocks in the interface"),
    ("cni32qm-throttle", "The same, with a sender throttled to the receiver's pace"),
    ("single-cycle", "CM-5-like, but accessed in one processor cycle"),
];

impl Fabric {
    fn read(t: &mut Table<'_>, nodes: &[String]) -> Fabric {
        let kinds = [
            ("myrinet", "Source-routed wormhole switches with back-pressure"),
            ("ideal", "A fixed latency, no topology"),
        ];
        t.one_of("fabric", "What joins the nodes", &kinds, |kind, t| match kind {
            "myrinet" => Fabric::Myrinet(MyrinetParameters::read(t, nodes)),
            _ => Fabric::Ideal(IdealParameters::read(t)),
        })
    }
}

impl Run {
    fn read(t: &mut Table<'_>) -> Run {
        Run {
            seed: t.count("seed", "Seed of every random stream").or(1),
            time_limit: t
                .time("time-limit", "Simulated time at which the run ends at the latest")
                .min("1 ns")
                .or("1000 s"),
            no_progress_limit: t
                .time("no-progress-limit", "Simulated time without a delivery or transfer after which the run is stuck")
                .min("1 us")
                .or("1 s"),
        }
    }
}

/// Reads and checks a description, with `sets` (`a.b=c`) over it.
pub fn read(document: Document<'_>, sets: &[String]) -> Result<Read<Machine>, Problems> {
    read_varied(document, sets, &[])
}

/// Reads and checks a point of a sweep: `varied` are settings, too, over all others.
pub fn read_varied(document: Document<'_>, sets: &[String], varied: &[String]) -> Result<Read<Machine>, Problems> {
    let loaded = load(&Source { document, sets, varied, shelf: shipped::shelf() })?;
    let read = Reading::new(loaded).read(Machine::read)?;
    let problems = check::check(&read);
    if problems.is_empty() { Ok(read) } else { Err(read.problems(problems)) }
}
