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
use crate::fabric::myrinet::MyrinetParameters;
use crate::host::io_bus::IoBusParameters;
use crate::ni::lanai::LanaiParameters;
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
}

/// A fabric.
#[derive(Clone, Debug)]
pub enum Fabric {
    /// Source-routed wormhole switches.
    Myrinet(MyrinetParameters),
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
        let kinds = [("io-bus", "The interface sits on an I/O bus")];
        t.alternatives("Kind of host", &kinds, |_, t| Host::IoBus(IoBusParameters::read(t)))
    }
}

impl Ni {
    fn read(t: &mut Table<'_>) -> Ni {
        let kinds = [("trapeze", "Trapeze firmware and driver on a LANai")];
        t.one_of("ni", "The network interface of every node", &kinds, |_, t| Ni::Trapeze {
            chip: t.table("lanai", "The chip", LanaiParameters::read),
            trapeze: TrapezeParameters::read(t),
        })
    }
}

impl Fabric {
    fn read(t: &mut Table<'_>, nodes: &[String]) -> Fabric {
        let kinds = [("myrinet", "Source-routed wormhole switches with back-pressure")];
        t.one_of("fabric", "What joins the nodes", &kinds, |_, t| Fabric::Myrinet(MyrinetParameters::read(t, nodes)))
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
