//! Tests of a host that another crate adds, with its own parameters, processor and node.

mod dma;
mod interrupts;
mod mapping;

use super::{
    Address, AnyProcessor, CpuArbiter, ExecPriority, Fault, HostCapabilities, HostNode, HostSpec, LocalTimeLag,
    Processor, Stalls,
};
use crate::engine::{Hertz, NodeId, Outcome, Recorder, Sim, Simulation, Time};
use crate::machine::Registry;
use crate::part::{Part, PartInfo};
use crate::testing::RunObservation;
use crate::text::{Document, Parameters};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// A processor on which every access takes the same number of cycles.
#[derive(Clone, Copy, Debug, Parameters)]
struct Abacus {
    /// Clock of the processor.
    clock: Hertz,
    /// Cycles of a load or store.
    #[param(default = 2)]
    access_cycles: u64,
}

impl Part for Abacus {
    const INFO: PartInfo = PartInfo::new("abacus", "Beads on rods");
}

impl HostSpec for Abacus {
    fn offered() -> HostCapabilities {
        HostCapabilities::of(["beads"])
    }

    fn capabilities(&self) -> HostCapabilities {
        Self::offered()
    }

    fn start(&self, sim: &Sim, _node: NodeId, name: &str) -> Rc<dyn HostNode> {
        let cpu = AbacusProcessor::new(sim, name, *self);
        Rc::new(AbacusNode { cores: [AnyProcessor::custom(cpu.clone())], cpu })
    }
}

#[derive(Clone)]
struct AbacusProcessor(Rc<Core>);

struct Core {
    sim: Sim,
    parameters: Abacus,
    arbiter: CpuArbiter,
    pending_cycles: Cell<u64>,
    memory: RefCell<Vec<u8>>,
    leases: Cell<u64>,
}

impl AbacusProcessor {
    fn new(sim: &Sim, name: &str, parameters: Abacus) -> AbacusProcessor {
        AbacusProcessor(Rc::new(Core {
            sim: sim.clone(),
            parameters,
            arbiter: CpuArbiter::new(sim, name),
            pending_cycles: Cell::default(),
            memory: RefCell::default(),
            leases: Cell::default(),
        }))
    }
}

impl Processor for AbacusProcessor {
    fn sim(&self) -> &Sim {
        &self.0.sim
    }

    fn clock(&self) -> Hertz {
        self.0.parameters.clock
    }

    fn now(&self) -> Time {
        self.0.sim.now() + self.clock().cycles(self.0.pending_cycles.get())
    }

    fn work(&self, cycles: u64) {
        self.0.pending_cycles.set(self.0.pending_cycles.get() + cycles);
    }

    fn begin_sync(&self) -> LocalTimeLag<'_> {
        let cycles = self.0.pending_cycles.take();
        if cycles == 0 {
            return LocalTimeLag::Nothing;
        }
        self.0.arbiter.begin_work();
        LocalTimeLag::Until(self.0.sim.now() + self.clock().cycles(cycles))
    }

    fn end_sync(&self) {
        self.0.arbiter.end_work();
    }

    fn arbiter(&self) -> &CpuArbiter {
        &self.0.arbiter
    }

    fn enter(&self) {
        self.0.leases.set(self.0.leases.get() + 1);
    }

    fn try_load(&self, _: Address, _: usize) -> Option<u64> {
        None
    }

    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault> {
        self.work(self.0.parameters.access_cycles);
        self.sync().await;
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(&self.0.memory.borrow()[address as usize..][..bytes]);
        Ok(u64::from_le_bytes(word))
    }

    fn try_store(&self, _: Address, _: usize, _: u64) -> bool {
        false
    }

    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault> {
        self.work(self.0.parameters.access_cycles);
        self.sync().await;
        self.0.memory.borrow_mut()[address as usize..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        Ok(())
    }

    async fn copy_block(&self, from: Address, to: Address) -> u64 {
        let value = self.load(from, 8).await.expect("an abacus has no tags");
        self.store(to, 8, value).await.expect("an abacus has no tags");
        8
    }

    fn stalls(&self) -> Stalls {
        Stalls::default()
    }
}

struct AbacusNode {
    cpu: AbacusProcessor,
    cores: [AnyProcessor; 1],
}

impl HostNode for AbacusNode {
    fn cores(&self) -> &[AnyProcessor] {
        &self.cores
    }

    fn allocate(&self, bytes: usize) -> Address {
        let mut memory = self.cpu.0.memory.borrow_mut();
        let start = memory.len();
        memory.resize(start + bytes.next_multiple_of(64), 0);
        start as Address
    }

    fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.cpu.0.memory.borrow()[address as usize..][..bytes].to_vec()
    }
}

#[test]
fn a_custom_processor_uses_its_methods_and_the_trait_defaults() {
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    let abacus = AbacusProcessor::new(&sim, "n", Abacus { clock: Hertz(1_000_000_000), access_cycles: 3 });
    abacus.0.memory.borrow_mut().resize(64, 0);
    let cpu = AnyProcessor::custom(abacus.clone());
    sim.spawn("program", async move {
        let lease = cpu.acquire("program").await;
        cpu.store_run(0, &[1, 2, 3, 4, 5, 6, 7, 8, 9]).await;
        assert_eq!(cpu.now(), Time::from_ns(6), "each of two words takes three cycles");
        let mut bytes = [0; 9];
        cpu.at(ExecPriority::Interrupt).load_run(0, &mut bytes).await;
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(cpu.copy_block(0, 32).await, 8);
        assert_eq!(cpu.load_word(32, 8).await, 0x0807_0605_0403_0201);
        cpu.work(5);
        cpu.until(Time::from_us(1)).await;
        drop(lease);
        assert_eq!(cpu.sim().now(), Time::from_us(1));
        assert_eq!((cpu.context_switch_cycles(), cpu.coherent().is_none()), (0, true));
    });
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
    assert_eq!(abacus.0.leases.get(), 1, "`enter` is forwarded");
}

const MACHINE: &str = r#"
    parts = ["ni/queues", "fabrics/ideal-1998"]
    hosts.a.abacus.clock = "100 MHz"
    messaging = { send = 0, poll = 0, receive = 0 }
    [workload.ping-pong]
    warm-up = 0
    payload = "64 B"
"#;

fn registry() -> Arc<Registry> {
    Arc::new(Registry::shipped().with_host::<Abacus>())
}

#[test]
fn a_custom_host_is_described_and_run() {
    let machine = registry().read(Document::Text("abacus", MACHINE, None), &[]).expect("a valid description").value;
    let (name, host) = &machine.hosts[0];
    assert_eq!((name.as_str(), host.table().as_str()), ("a", "hosts.a.abacus"));
    let latency = |access_cycles: u64| {
        let setting = format!("hosts.a.abacus.access-cycles={access_cycles}");
        let machine =
            registry().read(Document::Text("abacus", MACHINE, None), &[setting]).expect("a valid description");
        let run = RunObservation::of(&machine.value, Recorder::off());
        assert_eq!(run.outcome, Outcome::Done);
        run.messages[0].latency()
    };
    assert!(latency(20) > latency(2), "accesses take time");
}

#[test]
fn missing_capabilities_of_a_custom_host_are_an_error() {
    let sets = ["parts=[\"ni/ni2w\", \"fabrics/ideal-1998\"]".to_owned()];
    let Err(problems) = registry().read(Document::Text("abacus", MACHINE, None), &sets) else { panic!("no error") };
    let errors = problems.to_string();
    assert!(errors.contains("`a` is a host of kind [hosts.NAME.abacus] and lacks what [ni.ni2w] needs: registers"));
    assert!(errors.contains("interfaces for this host: single-cycle, queues"));
}
