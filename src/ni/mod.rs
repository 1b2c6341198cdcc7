//! Network interfaces: each a device half and a driver half, side by side.
//!
//! ```text
//!   driver half (runs on the processor)          device half
//!   Driver::try_send ── stores, block stores ──►  fifo, queue ─► Port ─► protocol ─► fabric
//!   Driver::poll, take ◄─ loads, cached polls ──  fifo, queue ◄─ Port ◄─ protocol ◄─ fabric
//! ```
//!
//! | folder or file | holds |
//! |---|---|
//! | `driver.rs` | what the messaging layer sees of any interface |
//! | `room.rs` | what an interface takes of main memory |
//! | `port/` | the network side of all that move whole packets: a protocol over a fabric |
//! | `site.rs`, `wiring.rs` | what an interface is built on, what a port is wired to |
//! | `pending.rs` | packets under way, for each node |
//! | `parcel.rs`, `moving.rs` | their header, and the loops that move a packet's words |
//! | `parameters.rs`, `halves.rs` | the designs of fifos and queues, and the loop that they share |
//! | `direct.rs` | queues without a bus |
//! | `cmmu/` | Alewife's unit: messages and coherent memory in one |
//! | `fifo/` | memory in the interface, by words, blocks or user-level DMA |
//! | `queue/` | coherent queues in cacheable memory |
//! | `lanai/` | Myricom's programmable interface chip: processor, SRAM, three DMA engines |
//! | `mcp/` | the Myrinet control program: firmware of four threads, as data; sockets over UDP/IP, and GM, on it |
//! | `trapeze/` | the Trapeze firmware on it, with its delivery policies, and its driver |
//!
//! An interface names the capabilities that it needs of a host ([`NiParameters::needs`]), never a host. A new
//! one is its file or folder, and a variant of [`NiParameters`] and of [`AnyDriver`] here.

// A simulation lives in one thread, so its futures need not be `Send`.
#![allow(async_fn_in_trait)]

pub mod cmmu;
pub mod direct;
pub mod driver;
pub mod fifo;
pub mod halves;
pub mod lanai;
pub mod mcp;
pub mod moving;
pub mod parameters;
pub mod parcel;
mod pending;
pub mod port;
pub mod queue;
mod room;
mod site;
pub mod trapeze;
pub mod wiring;
mod without_bus;

pub use driver::{Arrival, Begun, COST_MAX, Compose, Costs, Driver, DriverLimits, Envelope, Landed, Rest, Wake};
pub use moving::{PayloadSink, PayloadSource};
pub use parameters::{Design, InterfaceParameters};
pub use pending::Pending;
pub use port::Port;
pub use room::{PacketRoom, Room, in_blocks};
pub use site::Site;

use crate::engine::sim::PointId;
use crate::engine::{Bytes, EndId, Journey, Signal, Time};
use crate::host::{Address, AnyProcessor, HostCapabilities, Utilization};
use crate::protocol::{ProtocolSpec, Statistics};
use cmmu::{CmmuDriver, CmmuParameters};
use direct::{DirectDriver, QueuesParameters};
use halves::Halves;
use lanai::LanaiParameters;
use mcp::{McpDriver, McpParameters};
use std::rc::Rc;
use trapeze::{TrapezeDriver, TrapezeParameters};

/// The parameters of an interface, by kind.
#[derive(Clone, Debug)]
pub enum NiParameters {
    /// Trapeze on a LANai.
    Trapeze(Box<(LanaiParameters, TrapezeParameters)>),
    /// Sockets over the Myrinet control program, on a LANai.
    Mcp(Box<(LanaiParameters, McpParameters)>),
    /// A fifo or a queue.
    Design(Box<InterfaceParameters>),
    /// Queues without a bus.
    Queues(QueuesParameters),
    /// Alewife's unit.
    Cmmu(Box<CmmuParameters>),
}

/// What an interface can carry, before time 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// The largest packet, the interface's headers and all.
    pub packet: Bytes,
    /// The largest message of a program.
    pub message: Bytes,
    /// The most nodes that its header can name.
    pub nodes: u32,
    /// The most endpoints that it can name.
    pub ends: EndsMax,
    /// Whether the host DMA can be tried alone.
    pub has_host_dma: bool,
}

/// The longest message between nodes with these interfaces: one packet's, where they cut messages up differently.
pub fn message_reach<'a>(interfaces: impl Iterator<Item = &'a NiParameters> + Clone) -> Bytes {
    let cuts = interfaces.clone().map(|ni| ni.room().packet.map(|packet| packet.carries));
    let is_one_cut = cuts.clone().min() == cuts.max();
    let reach = |ni: &NiParameters| if is_one_cut { ni.reach().message } else { ni.carries() };
    interfaces.map(reach).min().unwrap_or(Bytes::ZERO)
}

/// How many endpoints a header can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndsMax {
    /// So many in all.
    InAll(u32),
    /// So many of each node.
    OfNode(u32),
}

impl NiParameters {
    /// What it needs of a host.
    pub fn needs(&self) -> HostCapabilities {
        match self {
            NiParameters::Trapeze(parts) => parts.1.notification.needs(),
            NiParameters::Mcp(parts) => parts.1.needs(),
            NiParameters::Design(parameters) => parameters.design.needs(),
            NiParameters::Queues(_) => HostCapabilities::NONE,
            NiParameters::Cmmu(_) => CmmuParameters::needs(),
        }
    }

    /// What it can carry.
    pub fn reach(&self) -> Reach {
        match self {
            NiParameters::Trapeze(parts) => trapeze::reach(&parts.1),
            NiParameters::Mcp(parts) => mcp::reach(&parts.1),
            NiParameters::Design(parameters) => parameters.reach(),
            NiParameters::Queues(parameters) => parameters.reach(),
            NiParameters::Cmmu(parameters) => parameters.reach(),
        }
    }

    /// The format of its packets, where other interfaces have the same.
    pub fn format(&self) -> Option<&'static str> {
        match self {
            NiParameters::Mcp(_) if self.sends_ip() => Some("UDP/IP"),
            NiParameters::Mcp(_) | NiParameters::Trapeze(_) | NiParameters::Cmmu(_) => None,
            NiParameters::Design(_) | NiParameters::Queues(_) => Some("parcel"),
        }
    }

    /// The most of a message that a packet carries; all of it where the interface itself places messages.
    fn carries(&self) -> Bytes {
        self.room().packet.map_or(self.reach().message, |packet| Bytes(packet.carries))
    }

    /// The memory that it needs to run a protocol, if that is bounded, and what it has; nothing where
    /// what the protocol keeps is in memory of its own. `ends` endpoints share it.
    pub fn room_for(&self, protocol: &dyn ProtocolSpec, ends: u32) -> Option<(Option<Bytes>, Bytes)> {
        match self {
            NiParameters::Trapeze(parts) => Some(trapeze::room_for(&parts.0, &parts.1, (protocol, ends))),
            NiParameters::Mcp(_) | NiParameters::Design(_) | NiParameters::Queues(_) | NiParameters::Cmmu(_) => None,
        }
    }

    /// Whether it keeps memory coherent that nodes share.
    pub fn shares_memory(&self) -> bool {
        matches!(self, NiParameters::Cmmu(_))
    }

    /// Whether its packets are of a format that others know: IPv4.
    pub fn sends_ip(&self) -> bool {
        matches!(self, NiParameters::Mcp(parts) if parts.1.sends_ip())
    }

    /// Whether it runs the machine's protocol, where there is one.
    pub fn runs_protocols(&self) -> bool {
        !matches!(self, NiParameters::Mcp(_))
    }

    /// The key that says how long its packets are.
    pub fn packet_key(&self) -> String {
        let key = match self {
            NiParameters::Trapeze(_) => "payload-max",
            NiParameters::Mcp(_) => "mtu",
            NiParameters::Design(_) | NiParameters::Cmmu(_) => "message-max",
            NiParameters::Queues(_) => "packet",
        };
        format!("ni.{}.{key}", self.key())
    }

    /// What it takes of main memory.
    pub fn room(&self) -> Room {
        match self {
            NiParameters::Trapeze(parts) => trapeze::room(&parts.1),
            NiParameters::Mcp(parts) => mcp::room(&parts.1),
            NiParameters::Design(parameters) => parameters.room(),
            NiParameters::Queues(parameters) => parameters.room(),
            NiParameters::Cmmu(parameters) => parameters.room(),
        }
    }

    /// The name of its table.
    pub fn key(&self) -> &'static str {
        match self {
            NiParameters::Trapeze(_) => "trapeze",
            NiParameters::Mcp(_) => "mcp",
            NiParameters::Design(parameters) => parameters.design.key(),
            NiParameters::Queues(_) => "queues",
            NiParameters::Cmmu(_) => "cmmu",
        }
    }
}

/// What every interface needs of a host at least, by the name of its table.
pub fn least_needs() -> impl Iterator<Item = (&'static str, HostCapabilities)> {
    let designs = Design::ALL.into_iter().map(|design| (design.key(), design.needs()));
    let polled = trapeze::Notification::Polling(Time::ZERO);
    designs.chain([
        ("trapeze", polled.needs()),
        ("mcp", mcp::parameters::least_needs()),
        ("queues", HostCapabilities::NONE),
        ("cmmu", CmmuParameters::needs()),
    ])
}

/// Builds an interface from checked parameters: its driver.
pub fn start(site: &Site<'_>, parameters: &NiParameters) -> AnyDriver {
    match parameters {
        NiParameters::Trapeze(parts) => AnyDriver::Trapeze(trapeze::start(site, parts.0, &parts.1)),
        NiParameters::Mcp(parts) => AnyDriver::Mcp(Box::new(mcp::start(site, parts.0, &parts.1))),
        NiParameters::Design(parameters) => AnyDriver::Halves(Box::new(halves::start(site, parameters))),
        NiParameters::Queues(parameters) => AnyDriver::Direct(direct::start(site, parameters)),
        NiParameters::Cmmu(parameters) => AnyDriver::Cmmu(Box::new(cmmu::start(site, parameters))),
    }
}

/// The drivers.
pub enum AnyDriver {
    /// Trapeze on a LANai.
    Trapeze(Rc<TrapezeDriver>),
    /// Sockets over the Myrinet control program, on a LANai.
    Mcp(Box<McpDriver>),
    /// A sending and a receiving half, of fifos and queues.
    Halves(Box<Halves>),
    /// Queues without a bus.
    Direct(DirectDriver),
    /// Alewife's unit.
    Cmmu(Box<CmmuDriver>),
}

/// Evaluates an expression for the driver that there is.
macro_rules! on_driver {
    ($any:expr, $name:ident => $call:expr) => {
        match $any {
            AnyDriver::Trapeze($name) => $call,
            AnyDriver::Mcp($name) => $call,
            AnyDriver::Halves($name) => $call,
            AnyDriver::Direct($name) => $call,
            AnyDriver::Cmmu($name) => $call,
        }
    };
}

impl Driver for AnyDriver {
    fn limits(&self) -> DriverLimits {
        on_driver!(self, driver => driver.limits())
    }
    fn begin_send(&self, cpu: &AnyProcessor, journey: &Journey) -> Begun {
        on_driver!(self, driver => driver.begin_send(cpu, journey))
    }
    async fn try_send(&self, cpu: &AnyProcessor, packet: &Compose<'_>, begun: &Begun) -> bool {
        on_driver!(self, driver => driver.try_send(cpu, packet, begun).await)
    }
    async fn wait_for_room(&self, cpu: &AnyProcessor) {
        on_driver!(self, driver => driver.wait_for_room(cpu).await)
    }
    fn may_find(&self) -> bool {
        on_driver!(self, driver => driver.may_find())
    }
    async fn poll(&self, cpu: &AnyProcessor, answers: &dyn Fn(u8) -> bool) -> Option<Arrival> {
        on_driver!(self, driver => driver.poll(cpu, answers).await)
    }
    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut Arrival,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> Landed {
        on_driver!(self, driver => driver.take(cpu, arrival, extra_cycles, sink).await)
    }
    async fn release(&self, cpu: &AnyProcessor, entry: u64) {
        on_driver!(self, driver => driver.release(cpu, entry).await)
    }
    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        on_driver!(self, driver => driver.idle(cpu, wake).await)
    }
    fn rest(&self) -> Rest {
        on_driver!(self, driver => driver.rest())
    }
    fn round(&self, cpu: &AnyProcessor) {
        on_driver!(self, driver => driver.round(cpu))
    }
    fn attention(&self) -> &Signal {
        on_driver!(self, driver => driver.attention())
    }
    fn polled_room(&self) -> Option<PointId> {
        on_driver!(self, driver => driver.polled_room())
    }
    fn polled_packet(&self) -> Option<PointId> {
        on_driver!(self, driver => driver.polled_packet())
    }
    fn places_itself(&self) -> bool {
        on_driver!(self, driver => driver.places_itself())
    }
    fn place(&self, fragment: u32) -> Address {
        on_driver!(self, driver => driver.place(fragment))
    }
    fn buffer_bytes(&self, fragments: u32) -> usize {
        on_driver!(self, driver => driver.buffer_bytes(fragments))
    }
    fn payload_at(&self, into: Address) -> Address {
        on_driver!(self, driver => driver.payload_at(into))
    }
    async fn map_tag(&self, cpu: &AnyProcessor, end: EndId, tag: u16, address: Address) {
        on_driver!(self, driver => driver.map_tag(cpu, end, tag, address).await)
    }
    fn port(&self) -> Option<&Rc<Port>> {
        on_driver!(self, driver => driver.port())
    }
    fn accounts(&self) -> Option<(Statistics, usize)> {
        on_driver!(self, driver => driver.accounts())
    }
    fn interrupts(&self) -> bool {
        on_driver!(self, driver => driver.interrupts())
    }
    fn counts(&self) -> Vec<(&'static str, u64)> {
        on_driver!(self, driver => driver.counts())
    }
    fn utilization(&self) -> Vec<Utilization> {
        on_driver!(self, driver => driver.utilization())
    }
}

impl AnyDriver {
    /// The chip of an interface whose host DMA can be tried alone.
    pub fn lanai(&self) -> Option<&Rc<lanai::Lanai>> {
        match self {
            AnyDriver::Trapeze(driver) => Some(driver.chip()),
            AnyDriver::Mcp(driver) => Some(driver.chip()),
            AnyDriver::Halves(_) | AnyDriver::Direct(_) | AnyDriver::Cmmu(_) => None,
        }
    }

    /// Memory that hardware shares with other nodes.
    pub fn coherence(&self) -> Option<&Rc<cmmu::Coherence>> {
        match self {
            AnyDriver::Cmmu(driver) => Some(driver.coherence()),
            _ => None,
        }
    }
}
