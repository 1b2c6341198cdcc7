//! The memory bus: one transaction at a time, snooped by every agent, answered by an owner or a home.
//!
//! Models: a circuit-switched bus. A transaction holds the bus from arbitration to turnaround,
//! the access at the home or owner included, and begins at a clock edge:
//!
//! | kind | moves | cycles (Table 3's width, defaults) | and the bus is held for |
//! |---|---|---|---|
//! | `Read`, `ReadExclusive`, `ReadBlock` | 64 B | 4 + 2 | the access at the owner or home |
//! | `ReadWord`, `WriteWord` | 1–8 B | 4 + 1 | the access at the home |
//! | `WriteBlock`, `WriteBack` | 64 B | 4 + 2 | the access at the home, if that does not post |
//! | `Invalidate` | nothing | 4 | nothing |
//!
//! A home that posts takes a block into a buffer, one deep, and writes it to its memory afterwards,
//! which the next block access to it waits for with the bus held. Main memory does not post. Word
//! accesses are strongly ordered and end when the device has done them.
//!
//! All copies change state when the bus is granted, all data arrives when the transaction ends;
//! in between no other agent can look, and a program that looks at its memory in no time ([`Bus::peek`])
//! is shown what is under way. Requests are served in the order of asking. Data of a
//! transaction lies at its place in the block (word 3 at bytes 24 to 31), whatever its size.
//!
//! Leaves out: split transactions and pipelining (the paper says nothing; a held bus is what its
//! contemporaries with this processor, MBus machines, had), retries, errors, priorities.
//!
//! Parameters: [`BusParameters`]. Statistics: transactions by kind, blocks read by who supplied them; time held.

mod granted;
mod word_reads;

pub use granted::{AcquireBus, Granted, Transaction};
pub(super) use word_reads::WordReads;

use super::agent::{Agent, AgentId, TransactionKind};
use super::moesi::State;
use super::parameters::BusParameters;
use crate::engine::{Busy, Rate, Resource, Sim, Time, record};
use crate::host::block::{Address, BLOCK_BYTES, Block};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

/// How a transaction ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Done {
    /// Another agent keeps a copy.
    pub shared: bool,
    /// The agent that supplied or took the data, if any was moved.
    pub by: Option<AgentId>,
    /// When a posted write has reached its home's memory; for all else, the end.
    pub settled: Time,
}

/// The bus.
pub struct Bus {
    sim: Sim,
    parameters: BusParameters,
    /// What every transaction takes.
    fixed_cycles: u64,
    held: Resource,
    agents: RefCell<Vec<Rc<dyn Agent>>>,
    /// Those that snoop.
    snooping: RefCell<Vec<(AgentId, Rc<dyn Agent>)>>,
    homes: RefCell<Vec<(Range<Address>, AgentId)>>,
    /// How many may ask for it.
    asking: Cell<usize>,
    counts: [Cell<u64>; TransactionKind::ALL.len()],
    /// By the agent that asked, then by the one that supplied: blocks that were read.
    fetched: RefCell<Vec<Vec<u64>>>,
    /// Until when each agent's memory is at work on a posted write.
    writing_until: RefCell<Vec<Time>>,
    accessed: [Busy; 3],
    /// The block that a transaction moves, while neither who gave it nor who gets it has it.
    under_way: Cell<Option<Address>>,
    moved: Cell<Block>,
    track: Option<record::TrackId>,
}

impl Bus {
    /// A bus without agents.
    pub fn new(sim: &Sim, name: &str, parameters: BusParameters) -> Bus {
        let (recorder, p) = (sim.recorder(), &parameters);
        Bus {
            sim: sim.clone(),
            fixed_cycles: p.arbitration_cycles + p.address_cycles + p.snoop_cycles + p.turnaround_cycles,
            parameters,
            held: Resource::new(sim, format!("{name} bus")),
            agents: RefCell::default(),
            snooping: RefCell::default(),
            homes: RefCell::default(),
            asking: Cell::new(0),
            counts: Default::default(),
            fetched: RefCell::default(),
            writing_until: RefCell::default(),
            accessed: Default::default(),
            under_way: Cell::new(None),
            moved: Cell::new(Block::ZERO),
            track: recorder.is_on().then(|| recorder.track(name, "memory bus")),
        }
    }

    /// Attaches an agent, the home of `addresses`.
    pub fn attach(&self, agent: Rc<dyn Agent>, addresses: Option<Range<Address>>) -> AgentId {
        let id = AgentId(self.agents.borrow().len());
        if agent.snoops() {
            self.snooping.borrow_mut().push((id, agent.clone()));
        }
        self.asking.set(self.asking.get() + usize::from(agent.asks()));
        self.agents.borrow_mut().push(agent);
        self.fetched.borrow_mut().push(Vec::new());
        self.fetched.borrow_mut().iter_mut().for_each(|by| by.resize(id.0 + 1, 0));
        self.writing_until.borrow_mut().push(Time::ZERO);
        let mut homes = self.homes.borrow_mut();
        if let Some(range) = addresses {
            let apart = homes.iter().all(|(other, _)| range.end <= other.start || other.end <= range.start);
            assert!(apart, "an address has one home");
            homes.push((range, id));
        }
        id
    }

    /// Waits for the bus.
    pub fn acquire(&self, by: AgentId) -> AcquireBus<'_> {
        AcquireBus::new(self, by)
    }

    /// Waits for the bus and runs one transaction.
    pub async fn transact(
        &self,
        by: AgentId,
        kind: TransactionKind,
        address: Address,
        bytes: usize,
        data: &mut Block,
    ) -> Done {
        self.acquire(by).await.run(kind, address, bytes, data).await
    }

    /// The transactions so far, by [`TransactionKind`].
    pub fn counts(&self) -> [u64; TransactionKind::ALL.len()] {
        std::array::from_fn(|kind| self.counts[kind].get())
    }

    /// How many blocks `agent` has read, by the agent that supplied them.
    pub fn fetched(&self, agent: AgentId) -> Vec<u64> {
        self.fetched.borrow()[agent.0].clone()
    }

    /// For how long the bus has been held.
    pub fn held_total(&self) -> Time {
        self.held.held_total()
    }

    /// For how long it has moved addresses and data, and not only waited for who gave or took them.
    pub fn moved_total(&self) -> Time {
        self.held.moved_total()
    }

    /// For how long accesses from the bus, posted ones among them, kept the agents' memories at work:
    /// that of the first agent, of the second, and of all others together, which are an interface's.
    pub fn accessed(&self) -> [Time; 3] {
        self.accessed.each_ref().map(|busy| busy.total(self.sim.now()))
    }

    /// What it moves at most: a full width every cycle.
    pub fn peak(&self) -> Rate {
        Rate::from_bytes_per_s(self.parameters.clock.0 * self.parameters.width.get())
    }

    /// Whether a transaction is going on.
    pub fn is_held(&self) -> bool {
        self.held.is_held()
    }

    /// The block as a program would find it, without a transaction: as its owner has it, or the
    /// transaction that moves it, or its home.
    pub fn peek(&self, block: Address) -> Block {
        let agents = self.agents.borrow();
        if let Some(owned) = agents.iter().find_map(|agent| agent.peek(block)) {
            return owned;
        }
        if self.under_way.get() == Some(block) {
            return self.moved.get();
        }
        let mut data = Block::ZERO;
        agents[self.home(block).0].home_read(block, BLOCK_BYTES, &mut data);
        data
    }

    /// An agent by its number.
    pub fn agent(&self, id: AgentId) -> Rc<dyn Agent> {
        self.agents.borrow()[id.0].clone()
    }

    fn home(&self, address: Address) -> AgentId {
        let homes = self.homes.borrow();
        let home = homes.iter().find(|(range, _)| range.contains(&address));
        home.unwrap_or_else(|| panic!("no agent is the home of {address:#x}")).1
    }

    /// Lets every other agent snoop; says who supplies, and whether a copy stays.
    fn snoop(&self, by: AgentId, kind: TransactionKind, block: Address, data: &mut Block) -> (Option<AgentId>, bool) {
        let (mut supplier, mut shared) = (None, false);
        for (id, agent) in self.snooping.borrow().iter().filter(|(id, _)| *id != by) {
            let snooped = agent.snoop(kind, block, data);
            shared |= snooped.shared;
            if snooped.supplies {
                assert!(supplier.is_none(), "two agents answer for block {block:#x}");
                supplier = Some(*id);
            }
        }
        (supplier, shared)
    }

    fn memory_of(&self, agent: AgentId) -> &Busy {
        &self.accessed[agent.0.min(2)]
    }

    /// When a transaction that begins at `start` ends.
    fn end(&self, start: Time, kind: TransactionKind, bytes: usize, access: Time) -> Time {
        let p = &self.parameters;
        let moved = match kind {
            TransactionKind::Invalidate => 0,
            _ => bytes.div_ceil(p.width.len()) as u64 + p.clock.cycle_at(access),
        };
        p.clock.edge_after(start, self.fixed_cycles + moved)
    }

    /// Counts a transaction that one agent asked for and another, if any, answered in the time of `access`.
    fn account(
        &self,
        kind: TransactionKind,
        (asked, by): (AgentId, Option<AgentId>),
        access: Time,
        (start, end): (Time, Time),
    ) {
        self.held.moves((end - start).since(access));
        if let Some(by) = by {
            self.memory_of(by).cover(end.since(access), end);
        }
        let count = &self.counts[kind as usize];
        count.set(count.get() + 1);
        if let (TransactionKind::Read | TransactionKind::ReadExclusive, Some(by)) = (kind, by) {
            self.fetched.borrow_mut()[asked.0][by.0] += 1;
        }
    }

    fn record(&self, kind: TransactionKind, bytes: usize, start: Time, end: Time) {
        if let Some(track) = self.track {
            let bytes = crate::engine::Bytes(bytes as u64);
            self.sim.recorder().span(record::Span { track, what: kind.name(), message: None, bytes, start, end });
        }
    }

    /// One writer and no reader, or any readers and at most one that answers for the block.
    pub fn assert_single_writer(&self, block: Address) {
        let agents = self.agents.borrow();
        let states: Vec<State> = agents.iter().map(|agent| agent.state(block)).collect();
        let copies = states.iter().filter(|state| state.readable()).count();
        let passed_by = agents.iter().zip(&states).find(|(agent, state)| !agent.snoops() && state.readable());
        assert!(passed_by.is_none(), "an agent that does not snoop has a copy of block {block:#x}");
        let sole = states.iter().any(|state| state.writable());
        let answering = states.iter().filter(|state| state.answers()).count();
        assert!(!(sole && copies > 1) && answering <= 1, "block {block:#x} is held as {states:?}");
    }

    /// The part of a transaction that depends on who answers.
    fn access_time(
        &self,
        start: Time,
        kind: TransactionKind,
        supplier: Option<AgentId>,
        by: Option<AgentId>,
        address: Address,
    ) -> Time {
        let agents = self.agents.borrow();
        match (supplier, by) {
            (Some(supplier), _) => agents[supplier.0].supply_time(),
            (None, Some(home)) => {
                let busy = if kind.is_word() { Time::ZERO } else { self.writing_until.borrow()[home.0] };
                let wait = busy.since(start);
                let posts = kind.may_be_posted() && agents[home.0].home_posts();
                wait + if posts { Time::ZERO } else { agents[home.0].home_time(address) }
            }
            (None, None) => Time::ZERO,
        }
    }

    /// A transaction ends; a posted write keeps its home's memory at work.
    fn settle(&self, kind: TransactionKind, by: Option<AgentId>, address: Address) -> Time {
        let now = self.sim.now();
        let Some(home) = by.filter(|_| kind.may_be_posted()) else { return now };
        let agents = self.agents.borrow();
        if !agents[home.0].home_posts() {
            return now;
        }
        let until = now + agents[home.0].home_time(address);
        self.memory_of(home).cover(now, until);
        self.writing_until.borrow_mut()[home.0] = until;
        until
    }
}
