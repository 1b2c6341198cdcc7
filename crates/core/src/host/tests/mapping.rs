//! Tests of the windows and devices that hosts can map.

use crate::engine::{Bytes, NodeId, Outcome, Recorder, Simulation};
use crate::host::memory_bus::NodeParameters;
use crate::host::{Device, DeviceWindow, Host, HostCapabilities, HostSpec};
use crate::machine::{Machine, Registry};
use crate::ni::direct::QueuesParameters;
use crate::ni::{AnyDriver, BuildContext, InterfaceLimits, InterfaceSpec, MemoryFootprint};
use crate::part::{Part, PartInfo};
use crate::testing::RunObservation;
use crate::text::{Document, Parameters};
use std::rc::Rc;
use std::sync::Arc;

struct Registers;

impl Device for Registers {
    fn read(&self, _: u64, _: &mut [u8]) {}
    fn write(&self, _: u64, _: &[u8]) {}
}

#[test]
fn a_memory_bus_host_maps_uncached_and_write_combined_windows() {
    let simulation = Simulation::new(Recorder::off());
    let node = NodeParameters::PAPER.start(&simulation.sim(), NodeId(0), "node");
    for window in [DeviceWindow::uncached(64), DeviceWindow::write_combined(64)] {
        assert!(node.map_device(Rc::new(Registers), window).is_some());
    }
    let host = Host::new(NodeId(0), "node", node);
    assert_ne!(
        host.map_device(Rc::new(Registers), DeviceWindow::write_combined(64)),
        host.attach(Rc::new(Registers), 8)
    );
}

/// Queues that require a write-combined window.
#[derive(Clone, Copy, Debug, Parameters)]
struct CombiningQueues {
    /// Length of a packet.
    #[param(default = "32 B")]
    packet: Bytes,
}

impl CombiningQueues {
    fn queues(self) -> QueuesParameters {
        QueuesParameters { packet: self.packet }
    }
}

impl Part for CombiningQueues {
    const INFO: PartInfo = PartInfo::new("combining", "Queues that ask for a write-combined window");
}

impl InterfaceSpec for CombiningQueues {
    fn needs(&self) -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::WRITE_COMBINING])
    }

    fn limits(&self) -> InterfaceLimits {
        self.queues().limits()
    }

    fn memory_footprint(&self) -> MemoryFootprint {
        self.queues().memory_footprint()
    }

    fn packet_key(&self) -> &'static str {
        "packet"
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        context.host.map_device(Rc::new(Registers), DeviceWindow::write_combined(64));
        self.queues().start(context)
    }
}

const MACHINE: &str = r#"
    parts = ["hosts/memory-bus-1998", "fabrics/ideal-1998"]
    ni.combining.packet = "32 B"
    messaging = { send = 0, poll = 0, receive = 0 }
    [workload.ping-pong]
    warm-up = 0
    payload = "64 B"
"#;

fn read_machine(host: &str) -> Result<Machine, String> {
    let registry = Arc::new(Registry::shipped().with_interface::<CombiningQueues>());
    let text = MACHINE.replace("memory-bus-1998", host);
    let read = registry.read(Document::Text("combining", &text, None), &[]);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

#[test]
fn missing_write_combining_is_an_error_for_an_interface_that_requires_it() {
    let machine = read_machine("memory-bus-1998").expect("the host combines writes");
    assert_eq!(RunObservation::of(&machine, Recorder::off()).outcome, Outcome::Done);
    for host in ["p6-natoma", "cm-5"] {
        let errors = read_machine(host).expect_err("the host does not combine writes");
        assert!(errors.contains("lacks what [ni.combining] needs: write-combined windows"), "{errors}");
    }
}
