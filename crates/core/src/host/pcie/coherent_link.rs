//! A coherent link between the host's interconnect and the interface, in addition to the PCIe link: CXL.cache or
//! UPI.
//!
//! The interface's agents are attached to the interconnect at the far end of the link. A transaction of theirs crosses
//! the link to the interconnect and back. Both crossings are charged before the interconnect is requested, so that
//! ownership changes when the transaction ends. A snoop that the interface answers, and a read of its memory, cross the
//! link twice. Blocks share the rate of the link in each direction; requests and answers without data are short.
//!
//! Registers, DMA and interrupts take the PCIe link, as CXL.io does. The module leaves out the flits of the link, its
//! flow control, and the occupancy of the link by answers to snoops.

use super::server::Server;
use crate::engine::{Bytes, LocalFuture, Rate, Sim, Time};
use crate::host::any_coherent::AnyCoherentPort;
use crate::host::block::{Address, BLOCK_BYTES, Block};
use crate::host::coherent_port::CoherentPort;
use crate::host::memory_bus::{Agent, AgentId, Snooped, State, TransactionKind};
use crate::text::Parameters;
use std::ops::Range;
use std::rc::Rc;

/// Bytes of a request or an answer without data, chosen.
const MESSAGE_BYTES: u64 = 16;

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
        /// 29.6 GB/s (derived: PCIe Gen4 x16, of which flits of 68 B carry 64 B).
        #[param(default = "29.6 GB/s")]
        rate: Rate,
    },
    /// A PCIe link for registers, and a link between processor sockets (Intel UPI).
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
    /// Returns the time of a crossing and the rate of the coherent link, if there is one.
    pub fn coherent_link(&self) -> Option<(Time, Rate)> {
        match *self {
            Attachment::Pcie => None,
            Attachment::Cxl { crossing, rate } | Attachment::Upi { crossing, rate } => Some((crossing, rate)),
        }
    }
}

/// The port at the far end of the link.
pub struct FarPort {
    sim: Sim,
    bus: AnyCoherentPort,
    crossing: Time,
    rate: Rate,
    /// The direction to the host.
    up: Server,
    /// The direction to the interface.
    down: Server,
}

impl FarPort {
    /// Creates a port to `bus`.
    pub fn new(sim: &Sim, bus: AnyCoherentPort, (crossing, rate): (Time, Rate)) -> FarPort {
        FarPort { sim: sim.clone(), bus, crossing, rate, up: Server::default(), down: Server::default() }
    }

    /// Returns the times for which the link was busy towards the host and towards the interface.
    pub fn busy(&self) -> [Time; 2] {
        [&self.up, &self.down].map(|direction| direction.busy(self.sim.now()))
    }

    /// Crosses the link to the host with `up` bytes and back with `down` bytes.
    async fn cross(&self, up: u64, down: u64) {
        let time = |bytes| self.rate.time_for(Bytes(bytes));
        let (_, at_host) = self.up.reserve(self.sim.now(), time(up));
        let (_, back) = self.down.reserve(at_host + self.crossing, time(down));
        self.sim.until(back + self.crossing).await;
    }

    async fn fetch(&self) {
        self.cross(MESSAGE_BYTES, MESSAGE_BYTES + BLOCK_BYTES as u64).await;
    }

    async fn send(&self) {
        self.cross(MESSAGE_BYTES + BLOCK_BYTES as u64, MESSAGE_BYTES).await;
    }
}

impl CoherentPort for FarPort {
    fn attach(&self, agent: Rc<dyn Agent>, home: Option<Range<Address>>) -> AgentId {
        let crossings = self.crossing * 2 + self.rate.time_for(Bytes(BLOCK_BYTES as u64));
        self.bus.attach(Rc::new(FarAgent { agent, crossings }), home)
    }

    fn read_shared<'a>(
        &'a self,
        agent: AgentId,
        block: Address,
        held: &'a dyn Fn() -> Option<Block>,
    ) -> LocalFuture<'a, Block> {
        Box::pin(async move {
            self.fetch().await;
            self.bus.read_shared(agent, block, held).await
        })
    }

    fn read_own<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a, Block> {
        Box::pin(async move {
            self.fetch().await;
            self.bus.read_own(agent, block).await
        })
    }

    fn upgrade<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a> {
        Box::pin(async move {
            self.cross(MESSAGE_BYTES, MESSAGE_BYTES).await;
            self.bus.upgrade(agent, block).await;
        })
    }

    fn write_back<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a> {
        Box::pin(async move {
            self.send().await;
            self.bus.write_back(agent, block, data).await;
        })
    }

    fn write_through<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a> {
        Box::pin(async move {
            self.send().await;
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
