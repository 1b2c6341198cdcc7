//! A coherent link between the host's interconnect and the interface, in addition to the PCIe link: CXL.cache or
//! UPI.
//!
//! The interface's agents are at the device's end of the link, and reach the host's interconnect through it. The times
//! of a transaction are:
//!
//! | transaction | crossings | when it takes effect |
//! |---|---|---|
//! | the interface reads a block | request up, data down | at the interconnect, after the delay of both crossings |
//! | the interface takes ownership of blocks | requests up, answers down | at the interconnect, one crossing before the answers |
//! | the interface writes a block, UPI | data up, answer down | at the interconnect, one crossing before the answer |
//! | the interface writes a block, CXL | request up, request for the data down, data up, answer down | likewise |
//! | the interface supplies a block | snoop down, data up | at the interconnect |
//! | the interface loses a copy | snoop down, answer up | at the interconnect |
//!
//! A snoop is directed: an agent behind the link sees only transactions on blocks of which it has a copy or is the
//! home. The agent acts on a snoop one crossing later ([`CoherentPort::snoop_delay`]). The answer to an upgrade reaches
//! the interface before the snoop of any later transaction, so the interface may change its copy when the upgrade takes
//! effect. Requests for the ownership of several blocks are sent one after another, and are answered in this order.
//! With [`DeviceLogic`], each message additionally takes cycles of the interface's clock.
//!
//! Messages share the rate of the link in each direction. CXL moves slots of 16 B, of which a flit of 68 B carries
//! four: a request or an answer takes one slot, and a block takes one slot for its header and four for its data. The
//! parameter `rate` counts bytes in slots; the overhead of flits is already subtracted.
//!
//! With CXL, registers take the PCIe link, as CXL.io does; with UPI they take the link between sockets. DMA and
//! interrupts take the PCIe link. The module leaves out the flow control of the link, the packing of messages into
//! flits, and the occupancy of the link by answers to snoops.

use super::server::Server;
use crate::engine::{Bytes, Hertz, LocalFuture, Rate, Sim, Time};
use crate::host::any_coherent::AnyCoherentPort;
use crate::host::block::{Address, BLOCK_BYTES, Block};
use crate::host::coherent_port::CoherentPort;
use crate::host::memory_bus::{Agent, AgentId, MoesiState, SnoopEffect, TransactionKind};
use crate::text::Parameters;
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// Bytes of a request or an answer without data: a slot of a flit (standard).
pub(super) const MESSAGE_BYTES: u64 = 16;

/// The links by which an interface is attached to a host.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(resource = "coherent link")]
pub enum Attachment {
    /// The PCIe link alone.
    Pcie,
    /// The PCIe link and CXL.cache over the same lanes.
    Cxl {
        /// Time of a crossing, one way.
        ///
        /// 125 ns (remembered: 100 to 150 ns for an ASIC, about twice that for an FPGA).
        #[param(default = "125 ns")]
        crossing: Time,
        /// Rate in each direction.
        ///
        /// 29.6 GB/s (derived: PCIe Gen4 x16, of whose flits of 68 B slots are 64 B).
        #[param(default = "29.6 GB/s")]
        rate: Rate,
    },
    /// A link between processor sockets (Intel UPI) for blocks and registers, and a PCIe link for DMA.
    Upi {
        /// Time of a crossing, one way.
        ///
        /// 60 ns (derived: idle latency of remote memory, 140 ns, less that of local memory, 81 ns).
        #[param(default = "60 ns")]
        crossing: Time,
        /// Rate in each direction.
        ///
        /// 62.4 GB/s (remembered: three links of 20.8 GB/s).
        #[param(default = "62.4 GB/s")]
        rate: Rate,
    },
}

impl Attachment {
    /// Returns the timing of the coherent link, if there is one, for an interface whose logic takes `device_time` for a
    /// message.
    pub fn coherent_link(&self, device_time: Time) -> Option<CoherentLinkTiming> {
        match *self {
            Attachment::Pcie => None,
            Attachment::Cxl { crossing, rate } => {
                Some(CoherentLinkTiming { crossing, rate, pulls_writes: true, device_time })
            }
            Attachment::Upi { crossing, rate } => {
                Some(CoherentLinkTiming { crossing, rate, pulls_writes: false, device_time })
            }
        }
    }
}

/// The logic of the interface behind its links, which has a clock of its own.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(resource = "device logic")]
pub struct DeviceLogic {
    /// Clock of the interface.
    ///
    /// FPGAs run at 0.2 to 0.4 GHz, and ASICs at 1 to 1.5 GHz (remembered).
    #[param(max = "100 GHz")]
    pub clock: Hertz,
    /// Cycles of the clock for each message that the interface sends or receives on a link.
    ///
    /// Requests, answers, snoops and accesses to registers are messages. The cycles are added to the times of the
    /// links.
    #[param(max = 1_000_000, meaning = Work, resource = "device logic")]
    pub cycles: u64,
}

impl DeviceLogic {
    /// Returns the interface's processing time per message.
    pub fn time(&self) -> Time {
        self.clock.cycles(self.cycles)
    }
}

/// The timing of a coherent link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CoherentLinkTiming {
    /// Time of a crossing, one way.
    pub crossing: Time,
    /// Rate in each direction.
    pub rate: Rate,
    /// Whether the host pulls the data of a write, instead of receiving them with the request.
    pub pulls_writes: bool,
    /// Processing time of the interface per message.
    pub device_time: Time,
}

impl CoherentLinkTiming {
    /// Returns the time of a message from one side to the other, without its serialization.
    pub(super) fn one_way_time(&self) -> Time {
        self.crossing + self.device_time
    }
}

/// The port at the far end of the link.
pub struct FarPort {
    sim: Sim,
    bus: AnyCoherentPort,
    timing: CoherentLinkTiming,
    /// The direction to the host.
    up: Server,
    /// The direction to the interface.
    down: Server,
}

impl FarPort {
    /// Creates a port to `bus`.
    pub fn new(sim: &Sim, bus: AnyCoherentPort, timing: CoherentLinkTiming) -> FarPort {
        FarPort { sim: sim.clone(), bus, timing, up: Server::default(), down: Server::default() }
    }

    /// Returns the times for which the link was busy towards the host and towards the interface.
    pub fn busy(&self) -> [Time; 2] {
        [&self.up, &self.down].map(|direction| direction.busy(self.sim.now()))
    }

    /// Sends a message of `bytes` bytes, which is ready at `ready_at`, in `direction`. Returns the time of its arrival.
    fn send(&self, direction: &Server, ready_at: Time, bytes: u64) -> Time {
        let (_, sent_at) = direction.reserve(ready_at, self.timing.rate.time_for(Bytes(bytes)));
        sent_at + self.timing.one_way_time()
    }

    /// Crosses the link with a request, and back with a block.
    async fn fetch(&self) {
        let host_arrival = self.send(&self.up, self.sim.now(), MESSAGE_BYTES);
        let completion = self.send(&self.down, host_arrival, MESSAGE_BYTES + BLOCK_BYTES as u64);
        self.sim.until(completion).await;
    }

    /// Sends a message to the host.
    async fn send_to_host(&self, bytes: u64) {
        let arrival = self.send(&self.up, self.sim.now(), bytes);
        self.sim.until(arrival).await;
    }

    /// Receives answers of the host.
    async fn receive_from_host(&self, bytes: u64) {
        let arrival = self.send(&self.down, self.sim.now(), bytes);
        self.sim.until(arrival).await;
    }

    /// Sends a block to the host.
    async fn send_block(&self) {
        if self.timing.pulls_writes {
            self.send_to_host(MESSAGE_BYTES).await;
            self.receive_from_host(MESSAGE_BYTES).await;
        }
        self.send_to_host(MESSAGE_BYTES + BLOCK_BYTES as u64).await;
    }
}

impl CoherentPort for FarPort {
    fn attach(&self, agent: Rc<dyn Agent>, home: Option<Range<Address>>) -> AgentId {
        let round_trip = self.timing.one_way_time() * 2;
        let far_agent = FarAgent {
            agent,
            home: home.clone(),
            empty_answer_time: round_trip,
            data_answer_time: round_trip + self.timing.rate.time_for(Bytes(BLOCK_BYTES as u64)),
            has_lost_copy: Cell::new(false),
        };
        self.bus.attach(Rc::new(far_agent), home)
    }

    fn snoop_delay(&self) -> Time {
        self.timing.one_way_time()
    }

    fn read_shared<'a>(
        &'a self,
        agent: AgentId,
        block: Address,
        cached_copy: &'a dyn Fn() -> Option<Block>,
    ) -> LocalFuture<'a, Block> {
        Box::pin(async move {
            self.fetch().await;
            self.bus.read_shared(agent, block, cached_copy).await
        })
    }

    fn read_exclusive<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a, Block> {
        Box::pin(async move {
            self.fetch().await;
            self.bus.read_exclusive(agent, block).await
        })
    }

    fn upgrade<'a>(
        &'a self,
        agent: AgentId,
        blocks: &'a [Address],
        on_ownership: &'a dyn Fn(usize),
    ) -> LocalFuture<'a> {
        Box::pin(async move {
            let message_bytes = MESSAGE_BYTES * blocks.len() as u64;
            self.send_to_host(message_bytes).await;
            self.bus.upgrade(agent, blocks, on_ownership).await;
            self.receive_from_host(message_bytes).await;
        })
    }

    fn write_back<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a> {
        Box::pin(async move {
            self.send_block().await;
            self.bus.write_back(agent, block, data).await;
            self.receive_from_host(MESSAGE_BYTES).await;
        })
    }

    fn write_through<'a>(
        &'a self,
        agent: AgentId,
        block: Address,
        data: Block,
        on_visible: &'a dyn Fn(),
    ) -> LocalFuture<'a> {
        Box::pin(async move {
            self.send_block().await;
            self.bus.write_through(agent, block, data, on_visible).await;
            self.receive_from_host(MESSAGE_BYTES).await;
        })
    }
}

/// An agent at the device's end of the link. Each of its answers takes a round trip: the snoop crosses the link to the
/// device, and the answer crosses it to the host.
struct FarAgent {
    agent: Rc<dyn Agent>,
    home: Option<Range<Address>>,
    /// Time of an answer to a snoop that supplies no data.
    empty_answer_time: Time,
    /// Time of an answer to a snoop that supplies the block.
    data_answer_time: Time,
    /// Whether the agent lost its copy in the last snoop.
    has_lost_copy: Cell<bool>,
}

impl FarAgent {
    fn is_home(&self, block: Address) -> bool {
        self.home.as_ref().is_some_and(|range| range.contains(&block))
    }
}

impl Agent for FarAgent {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> SnoopEffect {
        let has_copy = self.agent.state(block).readable();
        self.has_lost_copy.set(false);
        if !has_copy && !self.is_home(block) {
            return SnoopEffect::NO_COPY;
        }
        let snooped = self.agent.snoop(kind, block, data);
        self.has_lost_copy.set(has_copy && !snooped.next_state.readable());
        snooped
    }

    fn snoops(&self) -> bool {
        self.agent.snoops()
    }

    fn requests_bus(&self) -> bool {
        self.agent.requests_bus()
    }

    fn answers_late(&self) -> bool {
        true
    }

    fn answer_time(&self, block: Address) -> Time {
        if self.has_lost_copy.take() || self.is_home(block) { self.empty_answer_time } else { Time::ZERO }
    }

    fn supply_time(&self) -> Time {
        self.agent.supply_time() + self.data_answer_time
    }

    fn state(&self, block: Address) -> MoesiState {
        self.agent.state(block)
    }

    fn home_time(&self, address: Address) -> Time {
        self.agent.home_time(address) + self.data_answer_time
    }

    fn home_posts_writes(&self) -> bool {
        self.agent.home_posts_writes()
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
