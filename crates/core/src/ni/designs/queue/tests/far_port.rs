//! Tests of the coherent queues on an interconnect other than the memory bus: a link to the bus with a fixed crossing
//! time.

use crate::engine::{NodeId, Outcome, Rate, Recorder, Sim, Time};
use crate::host::memory_bus::NodeParameters;
use crate::host::pcie::{CoherentLinkTiming, FarPort};
use crate::host::{
    Address, AnyCoherentPort, AnyProcessor, Device, DeviceWindow, HostCapabilities, HostNode, HostSpec,
    InterruptController, MainMemorySize, Window,
};
use crate::machine::Registry;
use crate::part::{Part, PartInfo};
use crate::testing::RunObservation;
use crate::text::{Document, Parameters};
use std::rc::Rc;
use std::sync::Arc;

/// A memory-bus node whose interface is behind a coherent link.
#[derive(Clone, Copy, Debug, Parameters)]
struct LinkedHost {
    /// Time of a crossing of the link.
    crossing: Time,
}

impl LinkedHost {
    fn timing(&self) -> CoherentLinkTiming {
        let rate = Rate::from_bytes_per_s(100_000_000_000);
        CoherentLinkTiming { crossing: self.crossing, rate, pulls_writes: false, device_time: Time::ZERO }
    }
}

impl Part for LinkedHost {
    const INFO: PartInfo = PartInfo::new("linked", "The interface is behind a coherent link");
}

impl HostSpec for LinkedHost {
    fn offered() -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::REGISTERS, HostCapabilities::COHERENT])
    }

    fn capabilities(&self) -> HostCapabilities {
        Self::offered()
    }

    fn main_memory(&self) -> Option<MainMemorySize> {
        NodeParameters::PAPER.main_memory()
    }

    fn start(&self, sim: &Sim, node: NodeId, name: &str) -> Rc<dyn HostNode> {
        let inner = NodeParameters::PAPER.start(sim, node, name);
        let bus = inner.coherent().expect("the memory bus is coherent");
        let port = FarPort::new(sim, bus, self.timing());
        Rc::new(LinkedNode { inner, port: Rc::new(port) })
    }
}

struct LinkedNode {
    inner: Rc<dyn HostNode>,
    port: Rc<FarPort>,
}

impl HostNode for LinkedNode {
    fn cores(&self) -> &[AnyProcessor] {
        self.inner.cores()
    }

    fn map_device(&self, device: Rc<dyn Device>, window: DeviceWindow) -> Option<Window> {
        self.inner.map_device(device, window)
    }

    fn coherent(&self) -> Option<AnyCoherentPort> {
        Some(AnyCoherentPort::custom(self.port.clone()))
    }

    fn interrupts(&self) -> Option<&dyn InterruptController> {
        self.inner.interrupts()
    }

    fn allocate(&self, bytes: usize) -> Address {
        self.inner.allocate(bytes)
    }

    fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.inner.peek(address, bytes)
    }
}

/// Runs a ping-pong over `design` on `host`.
fn run(design: &str, host: &str) -> RunObservation {
    let text = format!(
        "parts = [\"ni/{design}\", \"fabrics/ideal-1998\"]\n\
         hosts.a.{host}\n\
         messaging = {{ send = 40, poll = 4, receive = 40 }}\n\
         [workload.ping-pong]\nmessages = 20\npayload = \"1 KiB\"\n"
    );
    let registry = Arc::new(Registry::shipped().with_host::<LinkedHost>());
    let machine = registry.read(Document::Text("linked", &text, None), &[]).unwrap_or_else(|errors| panic!("{errors}"));
    RunObservation::of(&machine.value, Recorder::off())
}

/// Returns the sum of all latencies.
fn latencies(run: &RunObservation) -> Time {
    run.messages.iter().fold(Time::ZERO, |sum, message| sum + message.latency())
}

#[test]
fn coherent_queues_run_on_a_host_of_today_over_cxl_and_upi() {
    for design in ["cni512q", "cni32qm", "cni32qm-throttle"] {
        let links = [" = \"upi\"", " = \"cxl\"", ".cxl.crossing = \"500 ns\""];
        let [upi, cxl, slow] = links.map(|link| run(design, &format!("pcie.attachment{link}")));
        for run in [&upi, &cxl, &slow] {
            assert_eq!((&run.outcome, run.metric("messages.delivered")), (&Outcome::Done, Some(640.0)), "{design}");
        }
        assert!(latencies(&upi) < latencies(&cxl) && latencies(&cxl) < latencies(&slow), "{design}");
    }
}

#[test]
fn coherent_queues_run_behind_a_link() {
    for design in ["cni512q", "cni32qm", "cni32qm-throttle"] {
        let [near, far, farther] = [0, 50, 400].map(|ns| run(design, &format!("linked.crossing = \"{ns} ns\"")));
        for run in [&near, &far, &farther] {
            assert_eq!((&run.outcome, run.metric("messages.delivered")), (&Outcome::Done, Some(640.0)), "{design}");
            assert!(run.messages.iter().all(|message| message.payload == 1024));
        }
        assert!(latencies(&near) < latencies(&far) && latencies(&far) < latencies(&farther), "{design}");
    }
}
