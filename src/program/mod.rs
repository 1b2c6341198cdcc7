//! What runs on the simulated processors. Every program checks the bytes it receives.
//!
//! | file | program |
//! |---|---|
//! | `ping_pong.rs` | one message at a time, there and back |
//! | `stream.rs` | messages one way, as fast as possible or paced, over any number of flows |
//! | `page_fetch.rs` | a request, and a page in answer: a fault of network memory |
//! | `dma.rs` | the interface's host DMA alone, with or without a copying processor |
//! | `copy.rs` | a processor that copies blocks |
//! | `fabric_alone/` | packets through a routed fabric, without hosts and interfaces |
//! | `bursts/` | pseudo-random traffic in phases, on all nodes |
//! | `cyclic_shift/` | all nodes send to all others, in order |
//! | `radix_sort/` | a sort of keys on all nodes |
//! | `em3d/` | waves on an irregular graph, on all nodes |
//! | `appbt/` | a gas in a cube, by sweeps: shared points at the faces of subcubes |
//! | `barnes/` | gravity among bodies: a shared tree, made under locks and walked through |
//! | `moldyn/` | molecules of a liquid: shared positions, and forces added up in bulk |
//! | `worker.rs` | what a program of shared memory runs on |
//! | `spsolve/` | a sparse triangular solve, on all nodes |
//! | `dsmc/` | molecules of a gas that fly from node to node |
//! | `unstructured/` | a sweep of fluid dynamics over a mesh, on all nodes |
//! | `input/` | matrices and meshes of programs, from files or drawn, and who gets what of them |
//! | `destinations.rs` | whom a node sends to |
//! | `pair.rs` | single packets from one node to another, as fast as they go |
//! | `costs.rs` | what a message costs, or an access to shared memory, one at a time |
//! | `parallel.rs` | what programs on all nodes have in common |
//! | `collective.rs` | barriers and reductions by messages |
//! | `metrics.rs` | metrics that several programs tell |
//! | `ends.rs` | the two nodes of a pair program |
//! | `pattern.rs` | payloads that can be told apart |

pub mod appbt;
pub mod barnes;
pub mod bursts;
mod collective;
pub mod copy;
pub mod costs;
pub mod cyclic_shift;
pub mod destinations;
pub mod dma;
pub mod dsmc;
pub mod em3d;
mod ends;
pub mod fabric_alone;
pub mod input;
mod metrics;
pub mod moldyn;
pub mod page_fetch;
pub mod pair;
mod parallel;
mod pattern;
pub mod ping_pong;
pub mod radix_sort;
pub mod spsolve;
pub mod stream;
#[cfg(test)]
mod tests;
pub mod unstructured;
pub mod worker;

pub use ends::EndpointPair;
pub use pattern::PATTERNS;

use crate::engine::{Bytes, Map, Metric, Outcome};
use crate::messaging::World;
use crate::text::Table;
use metrics::{counted, fate_metrics, latency_metrics, latency_metrics_in, once};
use std::rc::Rc;

/// A workload, by kind.
#[derive(Clone, Debug)]
pub enum Workload {
    /// One message at a time, there and back.
    PingPong(ping_pong::PingPong),
    /// Messages one way.
    Stream(stream::Stream),
    /// Requests and pages.
    PageFetch(page_fetch::PageFetch),
    /// Host DMA alone.
    Dma(dma::DmaTest),
    /// A packet trace, through the fabric alone.
    Replay(fabric_alone::replay::Replay),
    /// Packets at an offered load, through the fabric alone.
    Offered(fabric_alone::offered::Offered),
    /// One packet at a time, through the fabric alone.
    ZeroLoad(fabric_alone::zero_load::ZeroLoad),
    /// Pseudo-random traffic in phases.
    Bursts(bursts::Bursts),
    /// All nodes send to all others.
    CyclicShift(cyclic_shift::CyclicShift),
    /// A sort of keys.
    RadixSort(radix_sort::RadixSort),
    /// Waves on an irregular graph.
    Em3d(em3d::Em3d),
    /// A gas in a cube.
    Appbt(appbt::Appbt),
    /// Gravity among bodies.
    Barnes(barnes::Barnes),
    /// Molecules of a liquid.
    Moldyn(moldyn::Moldyn),
    /// A sparse triangular solve.
    Spsolve(spsolve::Spsolve),
    /// Molecules that fly from node to node.
    Dsmc(dsmc::Dsmc),
    /// Fluid dynamics on a mesh.
    Unstructured(unstructured::Unstructured),
    /// Single packets from one node to another.
    Pair(pair::Pair),
    /// What single operations cost.
    Costs(costs::SingleCosts),
}

/// The programs that run on nodes, by their keys; all others drive the fabric alone.
pub const ON_NODES: [&str; 16] = [
    "appbt",
    "barnes",
    "ping-pong",
    "stream",
    "page-fetch",
    "dma",
    "bursts",
    "cyclic-shift",
    "radix-sort",
    "em3d",
    "moldyn",
    "spsolve",
    "dsmc",
    "unstructured",
    "pair",
    "costs",
];

/// A workload that was started in a world; asked for its metrics when the run has ended.
pub trait Running {
    /// What it measured.
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric>;

    /// How the run ended, as the program sees what the engine saw end.
    fn ended(&self, outcome: Outcome) -> Outcome {
        outcome
    }

    /// What is to be known of how the run ended, in a sentence or two.
    fn note(&self, _world: &World, _outcome: &Outcome) -> Option<String> {
        None
    }

    /// What it sampled over time, if it did.
    fn map(&self) -> Option<Map> {
        None
    }
}

impl Workload {
    /// Reads the workload from the description's `[workload]`.
    pub fn read(t: &mut Table<'_>) -> Workload {
        let kinds = [
            ("ping-pong", "One message at a time, there and back"),
            ("stream", "Messages one way, as fast as possible or paced"),
            ("page-fetch", "A request, and a page in answer"),
            ("dma", "The interface's host DMA alone"),
            ("replay", "A packet trace, through the fabric alone"),
            ("offered", "Packets at an offered load, through the fabric alone"),
            ("zero-load", "One packet at a time between all pairs, through the fabric alone"),
            ("bursts", "Pseudo-random traffic in phases, on all nodes"),
            ("cyclic-shift", "All nodes send to all others, in order"),
            ("radix-sort", "A sort of keys on all nodes"),
            ("em3d", "Waves on an irregular graph, on all nodes"),
            ("appbt", "A gas in a cube, by shared memory, on all nodes"),
            ("barnes", "Gravity among bodies, by a tree in shared memory, on all nodes"),
            ("moldyn", "Molecules of a liquid, by shared memory and bulk transfers, on all nodes"),
            ("spsolve", "A sparse triangular solve, on all nodes"),
            ("dsmc", "Molecules of a gas that fly from node to node"),
            ("unstructured", "A sweep of fluid dynamics over a mesh, on all nodes"),
            ("pair", "Single packets from one node to another, as fast as they go"),
            ("costs", "What a message costs, or an access to shared memory, one at a time"),
        ];
        t.one_of("workload", "What runs on the machine", &kinds, |kind, t| match kind {
            "ping-pong" => Workload::PingPong(ping_pong::PingPong::read(t)),
            "stream" => Workload::Stream(stream::Stream::read(t)),
            "page-fetch" => Workload::PageFetch(page_fetch::PageFetch::read(t)),
            "dma" => Workload::Dma(dma::DmaTest::read(t)),
            "replay" => Workload::Replay(fabric_alone::replay::Replay::read(t)),
            "offered" => Workload::Offered(fabric_alone::offered::Offered::read(t)),
            "zero-load" => Workload::ZeroLoad(fabric_alone::zero_load::ZeroLoad::read(t)),
            "bursts" => Workload::Bursts(bursts::Bursts::read(t)),
            "cyclic-shift" => Workload::CyclicShift(cyclic_shift::CyclicShift::read(t)),
            "radix-sort" => Workload::RadixSort(radix_sort::RadixSort::read(t)),
            "em3d" => Workload::Em3d(em3d::Em3d::read(t)),
            "appbt" => Workload::Appbt(appbt::Appbt::read(t)),
            "barnes" => Workload::Barnes(barnes::Barnes::read(t)),
            "moldyn" => Workload::Moldyn(moldyn::Moldyn::read(t)),
            "spsolve" => Workload::Spsolve(spsolve::Spsolve::read(t)),
            "dsmc" => Workload::Dsmc(dsmc::Dsmc::read(t)),
            "unstructured" => Workload::Unstructured(unstructured::Unstructured::read(t)),
            "pair" => Workload::Pair(pair::Pair::read(t)),
            _ => Workload::Costs(costs::SingleCosts::read(t)),
        })
    }

    /// The endpoints it names, each with the key that names it.
    pub fn names(&self) -> Vec<(&'static str, &str)> {
        match self {
            Workload::PingPong(workload) => workload.ends.names("workload.ping-pong.from", "workload.ping-pong.to"),
            Workload::PageFetch(workload) => workload.ends.names("workload.page-fetch.from", "workload.page-fetch.to"),
            Workload::Stream(workload) => {
                let ends = workload.flows.iter().flat_map(|(from, to)| [from, to]);
                ends.map(|name| ("workload.stream.flows", name.as_str())).collect()
            }
            Workload::Dma(workload) => workload.node.iter().map(|name| ("workload.dma.node", name.as_str())).collect(),
            _ => Vec::new(),
        }
    }

    /// Who would send to whom, by their names or `defaults`, with the key that says so.
    pub fn pairs<'a>(&'a self, defaults: [Option<&'a str>; 2]) -> Vec<(&'static str, (&'a str, &'a str))> {
        match self {
            Workload::PingPong(workload) => workload.ends.pair(defaults, "workload.ping-pong.to"),
            Workload::PageFetch(workload) => workload.ends.pair(defaults, "workload.page-fetch.to"),
            Workload::Stream(workload) => {
                let read = workload.flows.iter().filter(|(from, _)| !from.is_empty());
                read.map(|(from, to)| ("workload.stream.flows", (from.as_str(), to.as_str()))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The largest payload it sends over the network, and the key that says so.
    pub fn payload_max(&self) -> Option<(&'static str, Bytes)> {
        match self {
            Workload::PingPong(workload) if workload.answer > workload.payload => {
                Some(("workload.ping-pong.answer", workload.answer))
            }
            Workload::PingPong(workload) => Some(("workload.ping-pong.payload", workload.payload)),
            Workload::PageFetch(workload) => Some(("workload.page-fetch.page", workload.page)),
            Workload::Stream(workload) => Some(("workload.stream.payload", workload.payload)),
            _ => None,
        }
    }

    /// The largest buffer that it has in a node's memory, and the key that says so.
    pub fn buffer_max(&self) -> Option<(&'static str, Bytes)> {
        match self {
            Workload::Dma(workload) => Some(("workload.dma.size", workload.size)),
            workload => workload.payload_max(),
        }
    }

    /// What so many endpoints cannot do: the key, and the reason.
    pub fn check(&self, nodes: usize) -> Vec<(String, String)> {
        let (table, wrong) = match self {
            Workload::Bursts(workload) => ("workload.bursts", workload.check(nodes)),
            Workload::Appbt(workload) => ("workload.appbt", workload.check(nodes)),
            Workload::Em3d(workload) => ("workload.em3d", workload.check(nodes)),
            Workload::Moldyn(workload) => ("workload.moldyn", workload.check(nodes)),
            Workload::Spsolve(workload) => ("workload.spsolve", workload.check(nodes)),
            Workload::Dsmc(workload) => ("workload.dsmc", workload.check(nodes)),
            Workload::Unstructured(workload) => ("workload.unstructured", workload.check(nodes)),
            Workload::Pair(workload) => ("workload.pair", workload.check(nodes)),
            Workload::Costs(workload) => ("workload.costs", workload.check(nodes)),
            _ => return Vec::new(),
        };
        wrong.into_iter().map(|(key, reason)| (format!("{table}.{key}"), reason)).collect()
    }

    /// Chooses what is not said by the largest message of the machine.
    pub fn fit(&mut self, message_max: Bytes) {
        if let Workload::PageFetch(workload) = self {
            workload.fit(message_max);
        }
    }

    /// How many nodes it needs.
    pub fn nodes_min(&self) -> usize {
        match self {
            Workload::Dma(_) => 1,
            workload if workload.drives_fabric_alone() => 0,
            _ => 2,
        }
    }

    /// Whether its programs share memory.
    pub fn shares_memory(&self) -> bool {
        match self {
            Workload::Em3d(workload) => workload.sends == em3d::Sends::Loads,
            Workload::Spsolve(workload) => workload.sends == spsolve::Contributing::Changes,
            Workload::Unstructured(workload) => workload.sends == unstructured::Passing::Loads,
            Workload::Moldyn(workload) => {
                matches!(workload.sends, moldyn::Carrying::Ring | moldyn::Carrying::Loads)
            }
            Workload::Appbt(_) | Workload::Barnes(_) | Workload::Dsmc(_) | Workload::Costs(_) => true,
            _ => false,
        }
    }

    /// Whether it needs no hosts and no interfaces.
    pub fn drives_fabric_alone(&self) -> bool {
        matches!(self, Workload::Replay(_) | Workload::Offered(_) | Workload::ZeroLoad(_))
    }

    /// The name of its table.
    pub fn key(&self) -> &'static str {
        match self {
            Workload::PingPong(_) => "ping-pong",
            Workload::Stream(_) => "stream",
            Workload::PageFetch(_) => "page-fetch",
            Workload::Dma(_) => "dma",
            Workload::Bursts(_) => "bursts",
            Workload::CyclicShift(_) => "cyclic-shift",
            Workload::RadixSort(_) => "radix-sort",
            Workload::Em3d(_) => "em3d",
            Workload::Appbt(_) => "appbt",
            Workload::Barnes(_) => "barnes",
            Workload::Moldyn(_) => "moldyn",
            Workload::Spsolve(_) => "spsolve",
            Workload::Dsmc(_) => "dsmc",
            Workload::Unstructured(_) => "unstructured",
            Workload::Pair(_) => "pair",
            Workload::Costs(_) => "costs",
            Workload::Replay(_) => "replay",
            Workload::Offered(_) => "offered",
            Workload::ZeroLoad(_) => "zero-load",
        }
    }

    /// The most flits of its packets, if it drives the fabric alone.
    pub fn packet_flits_max(&self) -> u16 {
        match self {
            Workload::Replay(workload) => workload.packet_flits_max(),
            Workload::Offered(workload) => workload.packet_flits,
            Workload::ZeroLoad(workload) => workload.packet_flits,
            _ => 0,
        }
    }

    /// Starts its programs.
    pub fn start(&self, world: &World) -> Rc<dyn Running> {
        match self {
            Workload::PingPong(workload) => workload.start(world),
            Workload::Stream(workload) => workload.start(world),
            Workload::PageFetch(workload) => workload.start(world),
            Workload::Dma(workload) => workload.start(world),
            Workload::Replay(workload) => workload.start(world),
            Workload::Offered(workload) => workload.start(world),
            Workload::ZeroLoad(workload) => workload.start(world),
            Workload::Bursts(workload) => workload.start(world),
            Workload::CyclicShift(workload) => workload.start(world),
            Workload::RadixSort(workload) => workload.start(world),
            Workload::Em3d(workload) => workload.start(world),
            Workload::Appbt(workload) => workload.start(world),
            Workload::Barnes(workload) => workload.start(world),
            Workload::Moldyn(workload) => workload.start(world),
            Workload::Spsolve(workload) => workload.start(world),
            Workload::Dsmc(workload) => workload.start(world),
            Workload::Unstructured(workload) => workload.start(world),
            Workload::Pair(workload) => workload.start(world),
            Workload::Costs(workload) => workload.start(world),
        }
    }
}

/// A flow written as `"from -> to"`.
fn flow(text: &str) -> Option<(String, String)> {
    let (from, to) = text.split_once("->")?;
    Some((from.trim().to_owned(), to.trim().to_owned()))
}

fn wrong_flow(t: &mut Table<'_>, flow: &str) -> (String, String) {
    t.wrong("flows", format!("`{flow}` is not a flow"), "a flow is written as \"from -> to\"");
    Default::default()
}
