//! Tests of the coherent queues on an interconnect other than the memory bus: a link to the bus with a fixed crossing
//! time.

use crate::engine::{LocalFuture, NodeId, Outcome, Recorder, Sim, Time};
use crate::host::memory_bus::{Agent, AgentId, NodeParameters, Snooped, State, TransactionKind};
use crate::host::{
    Address, AnyCoherentPort, AnyProcessor, Block, CoherentPort, Device, DeviceWindow, HostCapabilities, HostNode,
    HostSpec, InterruptController, MainMemorySize, Window,
};
use crate::machine::Registry;
use crate::part::{Part, PartInfo};
use crate::testing::RunObservation;
use crate::text::{Document, Parameters};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// A memory-bus node whose interface is behind a coherent link.
#[derive(Clone, Copy, Debug, Parameters)]
struct LinkedHost {
    /// Time of a crossing of the link.
    crossing: Time,
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
        Rc::new(LinkedNode { inner, port: Rc::new(FarPort { sim: sim.clone(), bus, crossing: self.crossing }) })
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

/// The port at the far side of the link. A transaction crosses the link to the bus and back; both crossings are charged
/// before the bus is requested, so that ownership changes when the transaction ends on the bus.
struct FarPort {
    sim: Sim,
    bus: AnyCoherentPort,
    crossing: Time,
}

impl FarPort {
    async fn cross(&self) {
        self.sim.delay(self.crossing * 2).await;
    }
}

impl CoherentPort for FarPort {
    fn attach(&self, agent: Rc<dyn Agent>, home: Option<Range<Address>>) -> AgentId {
        self.bus.attach(Rc::new(FarAgent { agent, crossings: self.crossing * 2 }), home)
    }

    fn read_shared<'a>(
        &'a self,
        agent: AgentId,
        block: Address,
        held: &'a dyn Fn() -> Option<Block>,
    ) -> LocalFuture<'a, Block> {
        Box::pin(async move {
            self.cross().await;
            self.bus.read_shared(agent, block, held).await
        })
    }

    fn read_own<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a, Block> {
        Box::pin(async move {
            self.cross().await;
            self.bus.read_own(agent, block).await
        })
    }

    fn upgrade<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a> {
        Box::pin(async move {
            self.cross().await;
            self.bus.upgrade(agent, block).await;
        })
    }

    fn write_back<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a> {
        Box::pin(async move {
            self.cross().await;
            self.bus.write_back(agent, block, data).await;
        })
    }

    fn write_through<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a> {
        Box::pin(async move {
            self.cross().await;
            self.bus.write_through(agent, block, data).await;
        })
    }
}

/// An agent behind the link. Its answers cross the link twice: the snoop to it, and the answer back.
struct FarAgent {
    agent: Rc<dyn Agent>,
    crossings: Time,
}

impl Agent for FarAgent {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> Snooped {
        self.agent.snoop(kind, block, data)
    }

    fn snoops(&self) -> bool {
        self.agent.snoops()
    }

    fn requests_bus(&self) -> bool {
        self.agent.requests_bus()
    }

    fn supply_time(&self) -> Time {
        self.agent.supply_time() + self.crossings
    }

    fn state(&self, block: Address) -> State {
        self.agent.state(block)
    }

    fn home_time(&self, address: Address) -> Time {
        self.agent.home_time(address) + self.crossings
    }

    fn home_posts(&self) -> bool {
        self.agent.home_posts()
    }

    fn home_read(&self, address: Address, bytes: usize, data: &mut Block) {
        self.agent.home_read(address, bytes, data);
    }

    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        self.agent.home_write(address, bytes, data);
    }

    fn peek(&self, block: Address) -> Option<Block> {
        self.agent.peek(block)
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
    let machine = registry.read(Document::Text("linked", &text, None), &[]).unwrap_or_else(|all| panic!("{all}"));
    RunObservation::of(&machine.value, Recorder::off())
}

/// Returns the sum of all latencies.
fn latencies(run: &RunObservation) -> Time {
    run.messages.iter().fold(Time::ZERO, |sum, message| sum + message.latency())
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
