//! What the messaging layer sees of any interface: a driver.
//!
//! A packet is composed from memory or registers and sent; one that a poll found is taken into
//! memory or registers. Whoever runs on the processor holds it meanwhile, so that several programs of
//! a node share a driver safely.

use super::moving::{PayloadSink, PayloadSource};
use super::parcel::{Header, Ticket};
use super::port::{Port, TakenPacket};
use crate::engine::sim::PointId;
use crate::engine::{Bytes, Class, EndId, Journey, Signal, Time};
use crate::fabric::Packet;
use crate::host::{Address, AnyProcessor, CpuLease, Utilization};
use crate::protocol::{Marks, Statistics};
use crate::text::Parameters;
use std::rc::Rc;

/// What the messaging layer says of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Envelope {
    /// Whether it is a part of a message with a payload; else an active message by itself.
    pub is_part: bool,
    /// What runs at the receiver; of a part, the message's tag.
    pub handler: u8,
    /// The message it is part of, counted by its sender.
    pub sequence: u16,
    /// Its number among the fragments of that message.
    pub fragment: u32,
    /// It is the last fragment.
    pub last: bool,
}

/// What messaging costs on a node, in cycles of its processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Parameters)]
#[param(each(max = COST_MAX))]
pub struct Costs {
    /// Processor cycles to send a packet, beside moving its bytes.
    pub send: u64,
    /// Cycles of a poll that finds nothing, beside looking.
    pub poll: u64,
    /// Cycles to receive a packet, beside moving its bytes: dispatch, handle, return.
    pub receive: u64,
    /// Cycles more to receive a packet of a transfer that may come out of order.
    #[param(default = 0)]
    pub reorder: u64,
}

/// The most cycles that anything of messaging may cost.
pub const COST_MAX: u64 = 1_000_000_000;

/// What a driver can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DriverLimits {
    /// The most 32-bit words of an active message.
    pub words: usize,
    /// The most payload of a packet.
    pub payload: usize,
    /// Bytes that travel beside a payload.
    pub beside: usize,
    /// Sequence numbers of messages.
    pub sequences: u32,
    /// Whether a tag steers a payload to the address it is mapped to.
    pub steers: bool,
    /// Logical networks.
    pub classes: u8,
}

/// A packet to send.
#[derive(Clone, Debug)]
pub struct Compose<'a> {
    /// Who sends it.
    pub from: EndId,
    /// Whom it is for.
    pub to: EndId,
    /// Its class.
    pub class: Class,
    /// What the protocol is told.
    pub marks: Marks,
    /// What the messaging layer says.
    pub envelope: Envelope,
    /// Its payload.
    pub source: PayloadSource<'a>,
    /// Bytes beside the payload.
    pub beside: &'a [u8],
    /// Its way.
    pub journey: Journey,
}

/// A packet that a poll found; to be taken.
pub struct Arrival {
    /// Who sent it.
    pub from: EndId,
    /// Whom it is for: one of the node's endpoints, which may share a driver.
    pub to: EndId,
    /// What the messaging layer said.
    pub envelope: Envelope,
    /// Bytes of its payload.
    pub bytes: usize,
    /// Its way.
    pub journey: Journey,
    /// What the driver knows of it.
    pub(super) known: Known,
    /// The processor, held from the poll on.
    pub(super) turn: Option<CpuLease>,
}

/// What a driver knows of a packet that was found.
#[derive(Default)]
pub struct Known {
    /// Its header.
    pub header: Header,
    /// What names it, where packets carry tickets.
    pub ticket: Option<Ticket>,
    /// It, where the driver took it out of the interface.
    pub taken: Option<TakenPacket>,
    /// It, where the interface took it in without the processor.
    pub whole: Option<Rc<Packet>>,
    /// The entry or the buffer that it is in.
    pub entry: u64,
    /// Where it lies, if it is in memory.
    pub address: Address,
    /// Bytes that travelled beside it.
    pub beside: Vec<u8>,
}

/// A packet that was taken.
#[derive(Default)]
pub struct Landed {
    /// Where its payload lies, if it is in memory.
    pub address: Address,
    /// Bytes that travelled beside it.
    pub beside: Vec<u8>,
    /// The driver's buffer that is in use until it is given back, if one is.
    pub entry: Option<u64>,
}

/// A packet whose sending has begun.
#[derive(Clone, Default)]
pub struct Begun(pub(super) Option<Ticket>);

/// When a program that polls will have something else to do.
#[derive(Clone, Copy)]
pub struct Wake<'a> {
    /// The next instant at which it is known to; asked anew each time.
    pub next: &'a dyn Fn() -> Time,
    /// When it stops polling.
    pub until: Time,
}

/// How a program that shares its processor learns of a packet, where [`Driver::idle`] would keep that busy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// [`Driver::attention`] tells it; no poll but the one after that takes time.
    Told,
    /// It looks again after so long, and needs no processor meanwhile.
    Looks(Time),
    /// It looks again and again.
    Polls,
}

/// A driver half, whatever its device.
pub trait Driver {
    /// What it can do.
    fn limits(&self) -> DriverLimits;

    /// Begins to send the packet of `journey`, before there need be room for it.
    fn begin_send(&self, cpu: &AnyProcessor, journey: &Journey) -> Begun;

    /// Sends a packet that was begun, if there is room for it.
    async fn try_send(&self, cpu: &AnyProcessor, packet: &Compose<'_>, begun: &Begun) -> bool;

    /// Waits, when there was no room and nothing has come either, until that may be otherwise.
    async fn wait_for_room(&self, cpu: &AnyProcessor);

    /// Whether a poll may find a packet, as far as that is known without one.
    fn may_find(&self) -> bool {
        true
    }

    /// Looks for a packet once; `answers` says of a handler whether it answers.
    async fn poll(&self, cpu: &AnyProcessor, answers: &dyn Fn(u8) -> bool) -> Option<Arrival>;

    /// Takes the packet just found.
    async fn take(&self, cpu: &AnyProcessor, arrival: &mut Arrival, extra_cycles: u64, sink: PayloadSink<'_>)
    -> Landed;

    /// Gives a buffer back that was in use.
    async fn release(&self, _cpu: &AnyProcessor, _entry: u64) {}

    /// Ends a round of the polling loop in which nothing was found; where nothing can change before,
    /// it ends when `wake` says. True if a look has just shown a packet: the next [`poll`](Driver::poll) goes on with
    /// that, and comes before all else.
    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool;

    /// How a program waits that shares the processor with others.
    fn rest(&self) -> Rest;

    /// The processor's part of a poll that found nothing, beside looking.
    fn round(&self, _cpu: &AnyProcessor) {}

    /// What a program that waits is told by.
    fn attention(&self) -> &Signal;

    /// What a program looks for again and again that finds no room; none where
    /// [`wait_for_room`](Driver::wait_for_room) waits for it.
    fn polled_room(&self) -> Option<PointId> {
        None
    }

    /// What a program looks for again and again that finds no packet; none where
    /// [`idle`](Driver::idle) waits for it.
    fn polled_packet(&self) -> Option<PointId> {
        None
    }

    /// Whether it puts payloads into buffers of its own.
    fn places_itself(&self) -> bool {
        false
    }

    /// Where fragment `fragment` of a message goes in its buffer.
    fn place(&self, fragment: u32) -> Address {
        u64::from(fragment) * self.limits().payload as u64
    }

    /// Bytes of a buffer for `fragments` fragments.
    fn buffer_bytes(&self, fragments: u32) -> usize {
        self.limits().payload * fragments as usize
    }

    /// Where the payload of what was taken to `into` lies.
    fn payload_at(&self, into: Address) -> Address {
        into
    }

    /// Has payloads with `tag` for an endpoint delivered to `address`, where it steers.
    async fn map_tag(&self, _cpu: &AnyProcessor, _end: EndId, _tag: u16, _address: Address) {}

    /// Its port, if packets go by one.
    fn port(&self) -> Option<&Rc<Port>> {
        None
    }

    /// What its protocol counted, and the bytes of that one's state.
    fn accounts(&self) -> Option<(Statistics, usize)> {
        self.port().map(|port| (port.statistics(), port.state_bytes()))
    }

    /// Whether what comes interrupts a program: looking for it costs nothing, and is worth it at any time.
    fn interrupts(&self) -> bool {
        false
    }

    /// What it counted beside its protocol, by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// For how long each of its parts was at work.
    fn utilization(&self) -> Vec<Utilization> {
        Vec::new()
    }
}

/// The least that a packet says of itself on the wire.
pub const HEAD_WORD: Bytes = Bytes(4);
