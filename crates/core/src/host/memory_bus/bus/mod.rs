//! The memory bus. Every agent snoops a transaction, and an owner or a home serves it.
//!
//! The module models a circuit-switched bus, which runs one transaction at a time, and a split-transaction bus. A
//! transaction begins at a clock edge. On a circuit-switched bus it holds the bus from arbitration to turnaround,
//! including the access at the home or owner. On a split bus it holds the bus for the same cycles without the access;
//! the latency is the same, and transactions on other blocks may begin during the access. Transactions on the same
//! block follow each other without overlap.
//!
//! | kind | moves | cycles (Table 3's width, defaults) | and the bus is held for |
//! |---|---|---|---|
//! | `Read`, `ReadExclusive`, `ReadBlock` | 64 B | 4 + 2 | the access at the owner or home |
//! | `ReadWord`, `WriteWord` | 1–8 B | 4 + 1 | the access at the home |
//! | `WriteBlock`, `WriteBack` | 64 B | 4 + 2 | the access at the home, unless the home posts |
//! | `Invalidate` | nothing | 4 | nothing |
//!
//! A home that posts writes takes a block into a buffer for one block, and writes it to its memory afterwards. The next
//! block access to this home waits for the write and holds the bus during the wait. Main memory does not post. Word
//! accesses are strongly ordered. A word access ends when the device has completed it.
//!
//! All copies change state when the bus is granted, and all data arrives when the transaction ends. No other
//! transaction can access the block in between; [`Bus::peek`], which takes no simulated time, returns the data in
//! flight. Requests are served in the order of their arrival. The data of a transaction is at its offset in the block
//! (word 3 at bytes 24 to 31), whatever its size.
//!
//! The machine of the paper is circuit-switched: the paper does not mention split transactions, and the contemporary
//! machines with this processor had a circuit-switched MBus. The module leaves out retries, errors and priorities, and
//! on a split bus the separate arbitration for the data.
//!
//! Parameters: [`BusParameters`]. Statistics: the number of transactions of each kind, the number of blocks from each
//! supplier, and the time for which the bus was held.

mod grant;
mod in_flight;
mod off_bus;
mod word_reads;

pub use grant::{AcquireBus, BusGrant, Transaction};
pub(super) use word_reads::WordReads;

use super::agent::{Agent, AgentId, TransactionKind};
use super::moesi::MoesiState;
use super::parameters::{BusParameters, BusTransactions};
use crate::engine::signal::SignalWait;
use crate::engine::{BusyTime, Rate, Resource, Sim, Time, record};
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of};
use in_flight::InFlight;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

/// The result of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransactionResult {
    /// Whether another agent keeps a copy.
    pub is_shared: bool,
    /// Agent that supplied or received the data; `None` if no data were moved.
    pub responder: Option<AgentId>,
    /// Time at which a posted write reaches its home's memory. For any other transaction, it is the end of the
    /// transaction.
    pub completed_at: Time,
}

/// The bus.
pub struct Bus {
    sim: Sim,
    parameters: BusParameters,
    /// Cycles that every transaction takes.
    fixed_cycles: u64,
    resource: Resource,
    agents: RefCell<Vec<Rc<dyn Agent>>>,
    /// Whether some agent needs time to answer a snoop for which it supplies no data.
    has_late_answers: Cell<bool>,
    /// Agents that snoop.
    snoopers: RefCell<Vec<(AgentId, Rc<dyn Agent>)>>,
    homes: RefCell<Vec<(Range<Address>, AgentId)>>,
    /// Number of agents that may request the bus.
    requesters: Cell<usize>,
    counts: [Cell<u64>; TransactionKind::ALL.len()],
    /// For each requesting agent, the number of blocks that it read from each supplying agent.
    fetched_blocks: RefCell<Vec<Vec<u64>>>,
    /// For each agent, the time until which its memory works on a posted write.
    posted_write_ends: RefCell<Vec<Time>>,
    /// Times for which accesses from the bus kept busy main memory, the caches, and all other agents.
    access_busy: [BusyTime; 3],
    /// Number of caches, which are the agents after main memory.
    cache_count: Cell<usize>,
    in_flight: InFlight,
    track: Option<record::TrackId>,
}

impl Bus {
    /// Creates a bus without agents.
    pub fn new(sim: &Sim, name: &str, parameters: BusParameters) -> Bus {
        let recorder = sim.recorder();
        let BusParameters { arbitration_cycles, address_cycles, snoop_cycles, turnaround_cycles, .. } = parameters;
        Bus {
            sim: sim.clone(),
            fixed_cycles: arbitration_cycles + address_cycles + snoop_cycles + turnaround_cycles,
            parameters,
            resource: Resource::new(sim, format!("{name} bus")),
            agents: RefCell::default(),
            has_late_answers: Cell::new(false),
            snoopers: RefCell::default(),
            homes: RefCell::default(),
            requesters: Cell::new(0),
            counts: Default::default(),
            fetched_blocks: RefCell::default(),
            posted_write_ends: RefCell::default(),
            access_busy: Default::default(),
            cache_count: Cell::new(1),
            in_flight: InFlight::new(sim, name),
            track: recorder.is_on().then(|| recorder.track(name, "memory bus")),
        }
    }

    /// Attaches an agent, which is the home of `addresses`.
    ///
    /// # Panics
    ///
    /// Panics if another agent is the home of any of these addresses.
    pub fn attach(&self, agent: Rc<dyn Agent>, addresses: Option<Range<Address>>) -> AgentId {
        let id = AgentId(self.agents.borrow().len());
        if agent.snoops() {
            self.snoopers.borrow_mut().push((id, agent.clone()));
        }
        self.has_late_answers.set(self.has_late_answers.get() || agent.answers_late());
        self.requesters.set(self.requesters.get() + usize::from(agent.requests_bus()));
        self.agents.borrow_mut().push(agent);
        self.fetched_blocks.borrow_mut().push(Vec::new());
        self.fetched_blocks
            .borrow_mut()
            .iter_mut()
            .for_each(|blocks_by_supplier| blocks_by_supplier.resize(id.0 + 1, 0));
        self.posted_write_ends.borrow_mut().push(Time::ZERO);
        let mut homes = self.homes.borrow_mut();
        if let Some(range) = addresses {
            let are_disjoint = homes.iter().all(|(other, _)| range.end <= other.start || other.end <= range.start);
            assert!(are_disjoint, "an address has one home");
            homes.push((range, id));
        }
        id
    }

    /// Waits for the bus, for a transaction on the block of `address`. On a split bus it is granted when no other
    /// transaction moves the block.
    pub fn acquire(&self, requester: AgentId, address: Address) -> AcquireBus<'_> {
        AcquireBus::new(self, requester, block_of(address))
    }

    /// Returns a wait for the end of a transaction, if a transaction moves the block of `address`. On a
    /// circuit-switched bus, no transaction is in progress when the bus is granted.
    #[inline]
    pub(super) fn conflict(&self, address: Address) -> Option<SignalWait<'_>> {
        (self.is_split() && self.in_flight.moves(block_of(address))).then(|| self.next_end())
    }

    /// Returns whether other transactions may use the bus during the access of a transaction at its home or owner.
    #[inline]
    pub fn is_split(&self) -> bool {
        self.parameters.transactions == BusTransactions::Split
    }

    /// Returns a wait for the end of any transaction.
    pub(super) fn next_end(&self) -> SignalWait<'_> {
        self.in_flight.transaction_ended().wait()
    }

    /// Returns the number of transactions, by [`TransactionKind`].
    pub fn counts(&self) -> [u64; TransactionKind::ALL.len()] {
        std::array::from_fn(|kind| self.counts[kind].get())
    }

    /// Returns the number of blocks that `agent` has read from each supplying agent.
    pub fn fetched_blocks(&self, agent: AgentId) -> Vec<u64> {
        self.fetched_blocks.borrow()[agent.0].clone()
    }

    /// Returns the time for which the bus was held.
    pub fn held_total(&self) -> Time {
        self.resource.held_total()
    }

    /// Returns the time for which the bus moved addresses and data. Accesses at homes and owners are not included.
    pub fn moved_total(&self) -> Time {
        self.resource.moved_total()
    }

    /// Returns the times for which accesses from the bus, including posted writes, kept the memories of agents busy:
    /// the time of main memory, the total of the caches, and the total of all other agents, which belong to an
    /// interface.
    pub fn access_times(&self) -> [Time; 3] {
        self.access_busy.each_ref().map(|busy| busy.total(self.sim.now()))
    }

    /// Returns the peak rate of the bus, which moves its full width in every cycle.
    pub fn peak(&self) -> Rate {
        Rate::from_bytes_per_s(self.parameters.clock.0 * self.parameters.width.get())
    }

    /// Returns whether a transaction is in progress.
    pub fn is_busy(&self) -> bool {
        self.resource.is_held() || self.is_split() && !self.in_flight.is_empty()
    }

    /// Returns a block as a program would read it, without a transaction. The block is read from its owner, from the
    /// transaction that moves it, or from its home.
    pub fn peek(&self, block: Address) -> Block {
        let agents = self.agents.borrow();
        if let Some(owned) = agents.iter().find_map(|agent| agent.peek(block)) {
            return owned;
        }
        if let Some(moved) = self.in_flight.data(block) {
            return moved;
        }
        let mut data = Block::ZERO;
        agents[self.home(block).0].home_read(block, BLOCK_BYTES, &mut data);
        data
    }

    /// Returns an agent by its number.
    pub fn agent(&self, id: AgentId) -> Rc<dyn Agent> {
        self.agents.borrow()[id.0].clone()
    }

    fn home(&self, address: Address) -> AgentId {
        let homes = self.homes.borrow();
        let home = homes.iter().find(|(range, _)| range.contains(&address));
        home.unwrap_or_else(|| panic!("no agent is the home of {address:#x}")).1
    }

    /// Lets every other agent snoop. Returns the agent that supplies the block, and whether another agent keeps a copy.
    fn snoop(
        &self,
        requester: AgentId,
        kind: TransactionKind,
        block: Address,
        data: &mut Block,
    ) -> (Option<AgentId>, bool) {
        let (mut supplier, mut is_shared) = (None, false);
        for (id, agent) in self.snoopers.borrow().iter().filter(|(id, _)| *id != requester) {
            let snooped = agent.snoop(kind, block, data);
            is_shared |= snooped.is_shared;
            if snooped.supplies {
                assert!(supplier.is_none(), "two agents own block {block:#x}");
                supplier = Some(*id);
            }
        }
        (supplier, is_shared)
    }

    /// Returns the time until the last agent has answered a snoop without data. Only transactions that invalidate
    /// copies wait for the answers of agents that lose their copies, and of a home behind a link, which has to know the
    /// owner.
    fn answer_time(&self, requester: AgentId, kind: TransactionKind, block: Address) -> Time {
        let invalidates_copies =
            matches!(kind, TransactionKind::ReadExclusive | TransactionKind::Invalidate | TransactionKind::WriteBlock);
        if !self.has_late_answers.get() || !invalidates_copies {
            return Time::ZERO;
        }
        let snoopers = self.snoopers.borrow();
        let others = snoopers.iter().filter(|(id, _)| *id != requester);
        others.map(|(_, agent)| agent.answer_time(block)).max().unwrap_or_default()
    }

    /// Sets the number of caches, which were attached after main memory.
    pub(super) fn set_cache_count(&self, cache_count: usize) {
        self.cache_count.set(cache_count);
    }

    /// Returns whether several cores use the bus.
    pub(super) fn has_several_caches(&self) -> bool {
        self.cache_count.get() > 1
    }

    fn memory_of(&self, agent: AgentId) -> &BusyTime {
        let kind = match agent.0 {
            0 => 0,
            cache if cache <= self.cache_count.get() => 1,
            _ => 2,
        };
        &self.access_busy[kind]
    }

    /// Returns the end of a transaction that begins at `start` and whose access takes `access_time`.
    fn transaction_end(&self, start: Time, kind: TransactionKind, bytes: usize, access_time: Time) -> Time {
        let (clock, width) = (self.parameters.clock, self.parameters.width);
        let further_cycles = match kind {
            TransactionKind::Invalidate if access_time == Time::ZERO => 0,
            TransactionKind::Invalidate => clock.cycle_at(access_time),
            _ => bytes.div_ceil(width.len()) as u64 + clock.cycle_at(access_time),
        };
        clock.edge_after(start, self.fixed_cycles + further_cycles)
    }

    /// Returns the time until which a transaction from `start` to `end` holds the bus.
    #[inline]
    fn release_time(&self, (start, end): (Time, Time), kind: TransactionKind, bytes: usize) -> Time {
        if self.is_split() { self.transaction_end(start, kind, bytes, Time::ZERO) } else { end }
    }

    /// Accounts for a transaction of `requester` that `responder`, if there is one, served in `access_time`. The
    /// transaction held the bus until `release_time`.
    fn account(
        &self,
        kind: TransactionKind,
        (requester, responder): (AgentId, Option<AgentId>),
        access_time: Time,
        (start, release_time, end): (Time, Time, Time),
    ) {
        self.resource.add_moved_time(self.moving_time((start, release_time), access_time));
        if let Some(responder) = responder {
            self.memory_of(responder).add_interval(end.since(access_time), end);
        }
        let counter = &self.counts[kind as usize];
        counter.set(counter.get() + 1);
        if let (TransactionKind::Read | TransactionKind::ReadExclusive, Some(supplier)) = (kind, responder) {
            self.fetched_blocks.borrow_mut()[requester.0][supplier.0] += 1;
        }
    }

    /// Returns the part of a hold of the bus in which addresses and data move.
    fn moving_time(&self, (start, release_time): (Time, Time), access_time: Time) -> Time {
        let hold_time = release_time - start;
        if self.is_split() { hold_time } else { hold_time.since(access_time) }
    }

    fn record(&self, kind: TransactionKind, bytes: usize, start: Time, end: Time) {
        if let Some(track) = self.track {
            let bytes = crate::engine::Bytes(bytes as u64);
            self.sim.recorder().span(record::Span { track, activity: kind.name(), message: None, bytes, start, end });
        }
    }

    /// Checks that a block has either one writer and no reader, or any number of readers and at most one owner.
    ///
    /// # Panics
    ///
    /// Panics if this does not hold.
    pub fn assert_single_writer(&self, block: Address) {
        let agents = self.agents.borrow();
        let (mut copies, mut owners, mut has_writable_copy) = (0, 0, false);
        for agent in &*agents {
            let state = agent.state(block);
            if state.readable() {
                assert!(agent.snoops(), "an agent that does not snoop has a copy of block {block:#x}");
                copies += 1;
                owners += u32::from(state.owns());
                has_writable_copy |= state.writable();
            }
        }
        let states = || agents.iter().map(|agent| agent.state(block)).collect::<Vec<MoesiState>>();
        assert!(!(has_writable_copy && copies > 1) && owners <= 1, "block {block:#x} is held as {:?}", states());
    }

    /// Returns the access time of the owner or home that serves a transaction, including the wait for a posted write.
    fn access_time(
        &self,
        start: Time,
        kind: TransactionKind,
        supplier: Option<AgentId>,
        responder: Option<AgentId>,
        address: Address,
    ) -> Time {
        let agents = self.agents.borrow();
        match (supplier, responder) {
            (Some(supplier), _) => agents[supplier.0].supply_time(),
            (None, Some(home)) => {
                let busy_until = if kind.is_word() { Time::ZERO } else { self.posted_write_ends.borrow()[home.0] };
                let wait = busy_until.since(start);
                let is_posted = kind.may_be_posted() && agents[home.0].home_posts_writes();
                wait + if is_posted { Time::ZERO } else { agents[home.0].home_time(address) }
            }
            (None, None) => Time::ZERO,
        }
    }

    /// Ends a transaction. A posted write keeps the memory of its home busy. Returns the time at which a posted write
    /// reaches the memory, or the current time for any other transaction.
    fn finish_posted_write(&self, kind: TransactionKind, responder: Option<AgentId>, address: Address) -> Time {
        let now = self.sim.now();
        let Some(home) = responder.filter(|_| kind.may_be_posted()) else { return now };
        let agents = self.agents.borrow();
        if !agents[home.0].home_posts_writes() {
            return now;
        }
        let write_end = now + agents[home.0].home_time(address);
        self.memory_of(home).add_interval(now, write_end);
        self.posted_write_ends.borrow_mut()[home.0] = write_end;
        write_end
    }
}
