//! Replay: the packets of a trace, on any routed fabric, each arrival held against the trace's.

use super::trace::{self, FLITS_MAX, Traced};
use super::{Latencies, Traffic, drive, fabric_only, link_metrics};
use crate::engine::{Metric, Outcome};
use crate::fabric::router::{EventKind, Injection, Network, PacketEvent};
use crate::messaging::World;
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::RunningWorkload;
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::file::SHIPPED;
use crate::text::{Parameters, Table};
use include_dir::{Dir, include_dir};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The traces of the shipped examples.
static TRACES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../examples/traces");

/// The parameters of a replay.
#[derive(Clone, Debug, Parameters)]
pub struct Replay {
    /// The packet trace: generated_cycle,source,destination[,arrived_cycle][,flits].
    pub file: PathBuf,
    /// Length of packets whose trace does not tell it, in flits.
    #[param(min = 1, max = FLITS_MAX, default = 1)]
    pub packet_flits: u16,
    /// The packets, in the order of the trace.
    #[param(with(read = |t| load(t, &file), write = |_, _| ()))]
    pub packets: Arc<[Traced]>,
}

fn load(t: &mut Table<'_>, file: &Path) -> Arc<[Traced]> {
    if t.describing() || !t.has("file") {
        return Arc::default();
    }
    let packets = match text(file) {
        Err(message) => {
            t.wrong("file", format!("the trace cannot be read: {message}"), "name a file of comma-separated values");
            Vec::new()
        }
        Ok(text) => trace::read(&text).unwrap_or_else(|error| {
            t.wrong("file", format!("the trace is wrong in {error}"), COLUMNS);
            Vec::new()
        }),
    };
    packets.into()
}

/// A replay in progress.
struct Replaying {
    parameters: Replay,
    /// The first packet not yet offered.
    next: usize,
    /// Packets whose last flit arrived, in all and of those whose arrival the trace tells.
    arrived: u64,
    compared: u64,
    /// Of those, how many did not arrive in the trace's cycle, and the line of the first.
    mismatches: u64,
    latencies: Latencies,
    end: u64,
}

impl Replay {
    /// The length of its longest packet, in flits.
    pub fn packet_flits_max(&self) -> u16 {
        self.packets.iter().map(|packet| packet.flits.unwrap_or(self.packet_flits)).max().unwrap_or(self.packet_flits)
    }

    /// The first packet with an end that is none of `nodes` nodes.
    pub fn stranger(&self, nodes: u32) -> Option<(u64, u32)> {
        let ends =
            self.packets.iter().flat_map(|packet| [(packet.line, packet.source), (packet.line, packet.destination)]);
        ends.into_iter().find(|(_, node)| *node >= nodes)
    }
}

impl Part for Replay {
    const INFO: PartInfo = PartInfo::new("replay", "A packet trace, through the fabric alone")
        .example("file = \"traces/mesh8x8-v4-b8-p8-r020.csv\"");
}

impl WorkloadSpec for Replay {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::fabric_only(self.packet_flits_max())
    }

    fn check_routers(&self, nodes: u32, _: f64) -> Vec<ParameterError> {
        let Some((line, node)) = self.stranger(nodes) else { return Vec::new() };
        let message = format!("line {line} of the trace names node {node}, but the last node is {}", nodes - 1);
        vec![ParameterError::new("file", message).help("choose a larger shape, or another trace")]
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let fabric = fabric_only(world);
        let replaying = Replaying {
            parameters: self.clone(),
            next: 0,
            arrived: 0,
            compared: 0,
            mismatches: 0,
            latencies: Latencies::default(),
            end: 0,
        };
        let replaying = Rc::new(RefCell::new(replaying));
        world.sim.spawn("replay", drive(world.sim.clone(), fabric, replaying.clone()));
        Rc::new(Replayed(replaying))
    }
}

const COLUMNS: &str =
    "its first line names the columns: generated_cycle,source,destination and, if known, arrived_cycle and flits";

/// The text of a trace: a file's, or that of a shipped example.
fn text(path: &Path) -> Result<String, String> {
    let text = match path.strip_prefix(SHIPPED) {
        Err(_) => fs::read_to_string(path).map_err(|error| error.to_string()),
        Ok(name) => {
            let file = name.strip_prefix("traces").ok().and_then(|name| TRACES.get_file(name));
            let text = file.and_then(|file| file.contents_utf8()).map(str::to_owned);
            text.ok_or("there is no such trace".to_owned())
        }
    };
    text.map_err(|error| format!("`{}`: {error}", path.display()))
}

impl Traffic for Replaying {
    fn next(&self, _: u64) -> Option<u64> {
        self.parameters.packets.get(self.next).map(|packet| packet.generated)
    }

    fn offer(&mut self, network: &mut Network) {
        let cycle = network.cycle();
        while let Some(packet) = self.parameters.packets.get(self.next).filter(|packet| packet.generated <= cycle) {
            let flits = packet.flits.unwrap_or(self.parameters.packet_flits);
            network.offer(Injection::whole(packet.source, packet.destination, flits, self.next as u32));
            self.next += 1;
        }
    }

    fn hear(&mut self, event: &PacketEvent) {
        if event.kind != EventKind::Delivered {
            return;
        }
        let packet = &self.parameters.packets[event.tag as usize];
        let latency = event.cycle - packet.generated;
        self.arrived += 1;
        self.latencies.add(latency);
        self.end = event.cycle;
        if let Some(arrived) = packet.arrived {
            self.compared += 1;
            self.mismatches += u64::from(arrived != event.cycle);
        }
    }
}

/// A replay's results.
struct Replayed(Rc<RefCell<Replaying>>);

impl RunningWorkload for Replayed {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let replay = self.0.borrow();
        let untold = replay.parameters.packets.iter().filter(|packet| packet.arrived.is_some()).count() as u64;
        let mut metrics = vec![
            Metric::new("replay.packets", replay.arrived as f64, ""),
            Metric::new("replay.compared", replay.compared as f64, ""),
            // A packet that never arrived did not arrive in its cycle.
            Metric::new("replay.mismatches", (replay.mismatches + untold - replay.compared) as f64, ""),
        ];
        metrics.extend(replay.latencies.metrics("replay.latency"));
        metrics.push(Metric::new("cycles", replay.end as f64, "cycles"));
        metrics.extend(link_metrics(world));
        metrics
    }
}
