//! What single operations cost: an active message, or an access to shared memory, one at a time, nothing else under
//! way.
//!
//! A message is counted from the call that sends it to the return of its handler, which does nothing. An access is
//! counted by the clock of its processor, from before it until the next instruction; each is to a block that its
//! node has no copy of, in the memory of `home`. Before, `writer` has stored to each block, and then `readers` nodes
//! have loaded it; so what the protocol has to do is known. Values must be those that were stored.
//!
//! Leaves out: what waits for something else, which only other programs tell.

use super::worker::{self, Worker};
use super::{RunningWorkload, parallel};
use crate::engine::{EndId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::Active;
use crate::messaging::shared::{SharedAddress, Space};
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::{ParameterChoice, Parameters};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Operation {
    /// An active message.
    Message,
    /// A load.
    Read,
    /// A store.
    Write,
}

/// What is measured, where, and what was before.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct SingleCosts {
    /// What is measured.
    #[param(default = "message")]
    pub operation: Operation,
    /// Number of the node that does it, or where nodes have several, endpoint.
    #[param(default = 0)]
    pub node: u64,
    /// Number of the node that it is for, or in whose memory the blocks are.
    #[param(default = 1)]
    pub home: u64,
    /// Number of a node that stored to the blocks before.
    pub writer: Option<u64>,
    /// How many other nodes have loaded the blocks since.
    #[param(default = 0)]
    pub readers: u64,
    /// Words of a message.
    #[param(max = 1024, default = 0)]
    pub words: u64,
    /// How many times it is done.
    #[param(min = 1, max = 10_000, default = 20)]
    pub times: u64,
}

impl Part for SingleCosts {
    const INFO: PartInfo = PartInfo::new("costs", "What a message costs, or an access to shared memory, one at a time")
        .small_input("operation = \"read\"\nwriter = 2\nreaders = 1\ntimes = 3");
}

impl WorkloadSpec for SingleCosts {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: true, ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        let named = [("node", Some(self.node)), ("home", Some(self.home)), ("writer", self.writer)];
        let beyond = named.into_iter().filter(|(_, node)| node.is_some_and(|node| node >= nodes as u64));
        let mut wrong: Vec<_> = beyond
            .map(|(key, node)| (key, format!("there is no node {} among {nodes}", node.unwrap_or_default())))
            .collect();
        let others = (nodes as u64).saturating_sub(2);
        if self.readers > others {
            wrong.push(("readers", format!("beside `node` and `home` there are {others} nodes")));
        }
        if self.operation == Operation::Message && self.node == self.home {
            wrong.push(("home", "a node does not send to itself".to_owned()));
        }
        if self.writer == Some(self.node) {
            wrong.push(("writer", "a node that stored to a block has it".to_owned()));
        }
        wrong.into_iter().map(ParameterError::from).collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let ends = world.addresses.len();
        let space = Rc::new(Space::new(ends, world.shared_memory.block));
        let home = EndId(self.home as u32);
        let blocks = (0..self.times).map(|_| space.allocate(home, world.shared_memory.block.get())).collect();
        let workers = Worker::all(world, &space);
        let run = Rc::new(Costing {
            parameters: self.clone(),
            blocks,
            workers,
            handled: Cell::new(0),
            cycles: RefCell::default(),
        });
        for end in world.actives() {
            // An end that held itself would never be gone.
            let (run, own) = (Rc::downgrade(&run), Rc::downgrade(end));
            end.on_message(move |_| {
                let both = run.upgrade().zip(own.upgrade());
                both.into_iter().for_each(|(run, own)| run.handled.set(own.now().ps()));
            });
        }
        worker::start(world, &run.workers, |worker| run.clone().program(worker));
        run
    }
}

struct Costing {
    parameters: SingleCosts,
    blocks: Vec<SharedAddress>,
    workers: Vec<Rc<Worker>>,
    /// When the last message was handled, in picoseconds.
    handled: Cell<u64>,
    cycles: RefCell<Vec<f64>>,
}

/// What was stored in a block before.
fn value(block: usize) -> u64 {
    0x5EED_0000 + block as u64
}

/// Cycles in which nothing is under way any more.
const PAUSE: u64 = 5_000;

impl Costing {
    async fn program(self: Rc<Self>, worker: Rc<Worker>) {
        let SingleCosts { operation, node, writer, .. } = self.parameters;
        let own = worker.id() as u64;
        if writer == Some(own) {
            for (number, block) in self.blocks.iter().enumerate() {
                worker.store(*block, value(number)).await;
            }
        }
        worker.barrier().await;
        if self.reads_before(own) {
            for (number, block) in self.blocks.iter().enumerate() {
                self.check(number, worker.load(*block).await);
            }
        }
        worker.barrier().await;
        if own == node {
            worker.compute(PAUSE).await;
            match operation {
                Operation::Message => self.messages(worker.end()).await,
                Operation::Read | Operation::Write => self.accesses(&worker).await,
            }
        }
        worker.barrier().await;
    }

    /// Whether a node is one of those that have loaded the blocks.
    fn reads_before(&self, own: u64) -> bool {
        let p = &self.parameters;
        let others = (0..self.workers.len() as u64).filter(|other| ![p.node, p.home].contains(other));
        others.take(p.readers as usize).any(|other| other == own)
    }

    fn check(&self, number: usize, loaded: u64) {
        let stored = if self.parameters.writer.is_some() { value(number) } else { 0 };
        assert_eq!(loaded, stored, "block {number} holds what was stored");
    }

    async fn messages(&self, end: &Active) {
        let words = vec![0; self.parameters.words as usize];
        for _ in 0..self.parameters.times {
            let begun = end.now();
            parallel::send(end, self.parameters.home as usize, 0, &words).await;
            end.compute(PAUSE).await;
            self.tell(end, self.handled.get().saturating_sub(begun.ps()));
        }
    }

    async fn accesses(&self, worker: &Worker) {
        for (number, block) in self.blocks.iter().enumerate() {
            // What was asked of others before is over.
            worker.compute(PAUSE / 10).await;
            let begun = worker.end().now();
            match self.parameters.operation {
                Operation::Write => worker.store(*block, value(number)).await,
                _ => self.check(number, worker.load(*block).await),
            }
            self.tell(worker.end(), (worker.end().now() - begun).ps());
        }
    }

    fn tell(&self, end: &Active, time_ps: u64) {
        self.cycles.borrow_mut().push(time_ps as f64 * end.clock().0 as f64 / 1e12);
    }
}

impl RunningWorkload for Costing {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let cycles = self.cycles.borrow();
        let mean = cycles.iter().sum::<f64>() / cycles.len() as f64;
        let of = |choose: fn(f64, f64) -> f64| cycles.iter().copied().fold(f64::NAN, choose);
        let told = [("costs.cycles", mean), ("costs.cycles_min", of(f64::min)), ("costs.cycles_max", of(f64::max))];
        let own = told.map(|(name, value)| Metric::new(name, value, "cycles"));
        parallel::metrics(world, own.into_iter().chain([worker::fault_metric(&self.workers)]))
    }
}
