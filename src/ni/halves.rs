//! The loop of every fifo and queue: a driver made of a sending and a receiving half.
//!
//! Models: the messaging layer's cycles for each packet, a header composed and read, and a round of
//! polling where nothing is found. Who runs on the processor holds it from a poll that finds a packet
//! until that is taken. The halves are each design's own.

use super::Site;
use super::driver::{Arrival, Begun, Compose, Costs, Driver, DriverLimits, Known, Landed, Rest, Wake};
use super::fifo::device::ReceiveFifo;
use super::fifo::{blocks, udma, words};
use super::moving::{PayloadSink, behind_header};
use super::parameters::{Design, InterfaceParameters};
use super::parcel::{HEADER_BYTES, Header, RECEIVING, Ticket};
use super::port::Port;
use super::queue::{cached, direct_memory, driver as queue, in_interface};
use super::wiring::Stages;
use crate::engine::sim::PointId;
use crate::engine::{EndId, Journey, Signal, Sim};
use crate::host::memory_bus::MemoryBusNode;
use crate::host::{Address, AnyProcessor, BLOCK_BYTES, Host, Processor};
use std::rc::Rc;

/// A driver that sends.
pub trait SendHalf {
    /// Whether a packet may be sent now.
    async fn can_send(&self, cpu: &AnyProcessor) -> bool;
    /// Sends a packet; only where `can_send` said so.
    async fn send(&self, cpu: &AnyProcessor, header: Header, packet: &Compose<'_>, ticket: Option<Ticket>);
}

/// A packet that a poll found.
pub struct Found {
    /// Its header.
    pub header: Header,
    /// Its way.
    pub journey: Journey,
    /// What else is known of it.
    pub(super) known: Known,
}

/// A driver that receives.
pub trait ReceiveHalf {
    /// Looks for a packet once.
    async fn poll(&self, cpu: &AnyProcessor) -> Option<Found>;
    /// Moves the packet just found to where it goes, and frees its place.
    async fn take(&self, cpu: &AnyProcessor, header: Header, sink: &mut PayloadSink<'_>);
    /// Ends a round of the polling loop in which nothing was found; true as [`Driver::idle`] says.
    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool;
    /// The processor's part of such a round, where `idle` would wait.
    fn round(&self, cpu: &AnyProcessor);
    /// What is polled for on this processor; none where `idle` waits for it.
    fn polled(&self, cpu: &AnyProcessor) -> Option<PointId>;
}

/// The sending halves.
pub enum Sender {
    /// Uncached words.
    Words(words::WordSender),
    /// User-level DMA, and words below the threshold.
    Udma(udma::UdmaSender),
    /// Block stores.
    Blocks(blocks::BlockSender),
    /// A queue in memory.
    Queue(queue::QueueSender),
}

/// The receiving halves.
pub enum Receiver {
    /// Uncached words.
    Words(words::WordReceiver),
    /// User-level DMA, and words below the threshold.
    Udma(udma::UdmaReceiver),
    /// Block loads.
    Blocks(blocks::BlockReceiver),
    /// A queue in memory.
    Queue(queue::QueueReceiver),
}

impl Receiver {
    /// The fifo whose status is polled, where one is.
    fn fifo(&self) -> Option<&ReceiveFifo> {
        match self {
            Receiver::Words(half) => Some(&half.fifo),
            Receiver::Udma(half) => Some(&half.words.fifo),
            Receiver::Blocks(half) => Some(&half.fifo),
            Receiver::Queue(_) => None,
        }
    }
}

/// Evaluates an expression for the half that there is.
macro_rules! on_half {
    ($half:expr, $family:ident, $name:ident => $call:expr) => {
        match $half {
            $family::Words($name) => $call,
            $family::Udma($name) => $call,
            $family::Blocks($name) => $call,
            $family::Queue($name) => $call,
        }
    };
}

/// What a half needs to be built.
pub struct HalfSite<'a> {
    site: &'a Site<'a>,
    /// The port to the network.
    pub port: &'a Rc<Port>,
    /// The parameters.
    pub parameters: &'a InterfaceParameters,
}

impl HalfSite<'_> {
    /// The simulation.
    pub fn sim(&self) -> &Sim {
        self.site.sim
    }

    /// The node's name.
    pub fn name(&self) -> &str {
        self.site.name()
    }

    /// The host.
    pub fn host(&self) -> &Host {
        self.site.host
    }

    /// The node whose bus snoops.
    pub fn coherent(&self) -> Rc<MemoryBusNode> {
        self.host().coherent().expect("a checked interface that needs a coherent bus finds one")
    }

    /// Cycles of a round of polling.
    pub fn poll_cycles(&self) -> u64 {
        self.site.costs.poll
    }
}

/// The driver.
pub struct Halves {
    parameters: InterfaceParameters,
    costs: Costs,
    cpu: AnyProcessor,
    port: Rc<Port>,
    sender: Sender,
    receiver: Receiver,
}

/// The stages between two of these.
const STAGES: Stages = Stages { pool: "send: admission", always: false, fabric: "wire" };

/// Builds an interface from checked parameters.
pub fn start(site: &Site<'_>, parameters: &InterfaceParameters) -> Halves {
    let wiring = site.wiring(parameters.message_bytes_max);
    let port = Port::start(wiring, false, STAGES);
    let (sender, receiver) = halves(&HalfSite { site, port: &port, parameters });
    Halves { parameters: *parameters, costs: site.costs, cpu: site.host.cpu(), port, sender, receiver }
}

fn halves(site: &HalfSite<'_>) -> (Sender, Receiver) {
    match site.parameters.design {
        Design::Ni2w => (Sender::Words(words::sender(site, true)), Receiver::Words(words::receiver(site, true))),
        Design::SingleCycle => {
            (Sender::Words(words::sender(site, false)), Receiver::Words(words::receiver(site, false)))
        }
        Design::Udma => (Sender::Udma(udma::sender(site)), Receiver::Udma(udma::receiver(site))),
        Design::Ap3000 => (Sender::Blocks(blocks::sender(site)), Receiver::Blocks(blocks::receiver(site))),
        Design::MemoryChannel => (Sender::Blocks(blocks::sender(site)), Receiver::Queue(direct_memory::receiver(site))),
        Design::StartJr => (Sender::Queue(direct_memory::sender(site)), Receiver::Queue(direct_memory::receiver(site))),
        Design::Cni512q => (Sender::Queue(in_interface::sender(site)), Receiver::Queue(in_interface::receiver(site))),
        Design::Cni32qm => (Sender::Queue(cached::sender(site, false)), Receiver::Queue(cached::receiver(site))),
        Design::Cni32qmThrottle => (Sender::Queue(cached::sender(site, true)), Receiver::Queue(cached::receiver(site))),
    }
}

impl Halves {
    fn header(&self, packet: &Compose<'_>) -> Header {
        Header {
            payload_bytes: u8::try_from(packet.source.bytes()).expect("a payload of a packet has at most 248 bytes"),
            source: packet.from.0 as u16,
            destination: packet.to.0 as u16,
            envelope: packet.envelope,
            sense: 0,
        }
    }

    /// Whether payloads lie in memory behind their headers, in places that begin at a block.
    fn moves_headers(&self) -> bool {
        matches!(self.receiver, Receiver::Udma(_))
    }
}

impl Driver for Halves {
    fn limits(&self) -> DriverLimits {
        let payload = self.parameters.message_bytes_max.len() - HEADER_BYTES;
        DriverLimits { words: payload / 4, payload, beside: 0, sequences: Header::SEQUENCES, steers: false, classes: 1 }
    }

    fn begin_send(&self, cpu: &AnyProcessor, journey: &Journey) -> Begun {
        let ticket = Ticket::start(journey, cpu, "send: earlier fragments");
        cpu.work(self.costs.send);
        Begun(ticket)
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &Compose<'_>, begun: &Begun) -> bool {
        let turn = cpu.acquire("look for room").await;
        if !on_half!(&self.sender, Sender, half => half.can_send(cpu).await) {
            return false;
        }
        let header = self.header(packet);
        on_half!(&self.sender, Sender, half => half.send(cpu, header, packet, begun.0.clone()).await);
        turn.did("send", packet.journey.id(), header.packet_bytes());
        true
    }

    async fn wait_for_room(&self, cpu: &AnyProcessor) {
        cpu.work(self.costs.poll);
        cpu.sync().await;
    }

    async fn poll(&self, cpu: &AnyProcessor, _answers: &dyn Fn(u8) -> bool) -> Option<Arrival> {
        let turn = cpu.acquire("poll").await;
        let Found { header, journey, known } = on_half!(&self.receiver, Receiver, half => half.poll(cpu).await)?;
        Some(Arrival {
            from: EndId(header.source.into()),
            to: EndId(header.destination.into()),
            envelope: header.envelope,
            bytes: header.payload_bytes.into(),
            journey,
            known: Known { header, ..known },
            turn: Some(turn),
        })
    }

    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut Arrival,
        extra_cycles: u64,
        mut sink: PayloadSink<'_>,
    ) -> Landed {
        cpu.work(self.costs.receive + extra_cycles);
        let header = arrival.known.header;
        let address = if let PayloadSink::Memory(into) = sink { into } else { 0 };
        on_half!(&self.receiver, Receiver, half => half.take(cpu, header, &mut sink).await);
        if let Some(ticket) = arrival.known.ticket.take() {
            ticket.end(&RECEIVING, cpu.now());
        }
        if let Some(turn) = arrival.turn.take() {
            turn.did("receive", arrival.journey.id(), header.packet_bytes());
        }
        Landed { address, ..Landed::default() }
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        on_half!(&self.receiver, Receiver, half => half.idle(cpu, wake).await)
    }

    fn rest(&self) -> Rest {
        Rest::Polls
    }

    fn round(&self, cpu: &AnyProcessor) {
        on_half!(&self.receiver, Receiver, half => half.round(cpu));
    }

    fn attention(&self) -> &Signal {
        // A poller of a cached block waits for its loss, one of a status for a packet.
        match (self.cpu.coherent(), self.receiver.fifo()) {
            (Some(_), Some(fifo)) => &fifo.visible,
            (Some(processor), None) => processor.attention(),
            (None, _) => &self.port.changed,
        }
    }

    fn polled_room(&self) -> Option<PointId> {
        Some(self.port.freed.point())
    }

    fn polled_packet(&self) -> Option<PointId> {
        on_half!(&self.receiver, Receiver, half => half.polled(&self.cpu))
    }

    fn place(&self, fragment: u32) -> Address {
        let whole = self.parameters.message_bytes_max.len();
        let apart = if self.moves_headers() { whole.next_multiple_of(BLOCK_BYTES) } else { whole - HEADER_BYTES };
        u64::from(fragment) * apart as u64
    }

    fn buffer_bytes(&self, fragments: u32) -> usize {
        fragments as usize * self.parameters.message_bytes_max.len().next_multiple_of(BLOCK_BYTES)
    }

    fn payload_at(&self, into: Address) -> Address {
        if self.moves_headers() { behind_header(into) } else { into }
    }

    fn port(&self) -> Option<&Rc<Port>> {
        Some(&self.port)
    }
}
