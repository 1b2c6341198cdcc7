//! The driver of an interface, as the messaging layer uses it.
//!
//! A send composes a packet from data in memory or in registers. A poll finds a packet, and a receive stores the
//! payload of that packet in memory or in registers. The program holds its processor during both, so that several
//! programs of a node share a driver safely.
//!
//! The trait does not depend on the interface: [`AnyDriver`](super::AnyDriver) dispatches over the built-in interfaces,
//! and [`DynDriver`](super::DynDriver) is the object-safe form for all others.

use super::envelope::Envelope;
use super::extensions::DriverExtensions;
use super::parcel::{Header, ProcessorStage};
use super::port::{Port, TakenPacket};
use super::word_copy::{PayloadSink, PayloadSource, words_of};
use crate::engine::sim::WaitReasonId;
use crate::engine::{Bytes, Class, EndpointId, Journey, Signal, Time};
use crate::fabric::Packet;
use crate::host::{Address, AnyProcessor, CpuLease, Utilization};
use crate::protocol::{Marks, Statistics};
use crate::text::Parameters;
use std::rc::Rc;

/// The costs of messaging on a node, in cycles of its processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Parameters)]
#[param(each(max = COST_MAX), meaning = Work, resource = "messaging library")]
pub struct Costs {
    /// Processor cycles to send a packet, in addition to moving its bytes.
    pub send: u64,
    /// Cycles of a poll that finds nothing, in addition to the access to the interface.
    pub poll: u64,
    /// Cycles to receive a packet, in addition to moving its bytes. They include dispatching to the handler and
    /// returning from it.
    pub receive: u64,
    /// Additional cycles to receive a packet of a transfer whose packets may arrive out of order.
    #[param(default = 0)]
    pub reorder: u64,
}

/// The maximum of each cost of messaging, in cycles.
pub const COST_MAX: u64 = 1_000_000_000;

/// Limits of a driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DriverLimits {
    /// Largest number of 32-bit words of an active message.
    pub words: usize,
    /// Largest payload of a packet, in bytes.
    pub payload: usize,
    /// Maximum number of inline bytes, which a packet carries in addition to its payload.
    pub inline_bytes: usize,
    /// Size of the sequence-number space of messages.
    pub sequences: u32,
    /// Whether the interface stores a payload at the address to which the payload's tag is mapped.
    pub steers_by_tag: bool,
    /// Number of logical networks.
    pub classes: u8,
    /// Whether messages that the interface has no space for are buffered in the user's virtual memory, to which the
    /// processor moves them. Otherwise the interface buffers messages without the processor.
    pub overflows_to_user_memory: bool,
}

impl DriverLimits {
    /// Returns the limits of a driver whose packets carry `payload` bytes of message data or of words, on one logical
    /// network, with 16-bit sequence numbers.
    pub const fn new(payload: usize) -> DriverLimits {
        DriverLimits {
            words: payload / 4,
            payload,
            inline_bytes: 0,
            sequences: 1 << 16,
            steers_by_tag: false,
            classes: 1,
            overflows_to_user_memory: false,
        }
    }
}

/// A packet to send.
#[derive(Clone, Debug)]
pub struct SendRequest<'a> {
    /// Sending endpoint.
    pub from: EndpointId,
    /// Receiving endpoint.
    pub to: EndpointId,
    /// Logical network of the packet.
    pub class: Class,
    /// Hints for the protocol.
    pub marks: Marks,
    /// Header of the messaging layer.
    pub envelope: Envelope,
    /// Payload.
    pub source: PayloadSource<'a>,
    /// Inline bytes, in addition to the payload.
    pub inline_bytes: &'a [u8],
    /// Record of the packet's latency.
    pub journey: Journey,
}

/// A packet that a poll has found and that [`take`](Driver::take) has not yet received.
pub struct RxPacket {
    /// Sending endpoint.
    pub from: EndpointId,
    /// Receiving endpoint: one of the endpoints of the node that share the driver.
    pub to: EndpointId,
    /// Header of the messaging layer.
    pub envelope: Envelope,
    /// Number of bytes of the packet's payload.
    pub bytes: usize,
    /// Record of the packet's latency.
    pub journey: Journey,
    /// State of the driver between the poll and [`take`](Driver::take).
    pub state: DriverState,
    /// The lease of the processor from the poll until the packet is taken, if the driver keeps one.
    pub lease: Option<CpuLease>,
}

impl RxPacket {
    /// Returns a packet for endpoint `to` with `bytes` bytes of payload and no driver state.
    pub fn new([from, to]: [EndpointId; 2], envelope: Envelope, bytes: usize, journey: Journey) -> RxPacket {
        RxPacket { from, to, envelope, bytes, journey, state: DriverState::default(), lease: None }
    }

    /// Adds the state that the driver needs to take the packet.
    #[must_use]
    pub fn with_state(mut self, state: DriverState) -> RxPacket {
        self.state = state;
        self
    }

    /// Adds the lease of the processor, which is held until the packet is taken.
    #[must_use]
    pub fn with_lease(mut self, lease: CpuLease) -> RxPacket {
        self.lease = Some(lease);
        self
    }
}

/// The state that a driver keeps for a packet between the poll that found it and [`Driver::take`]; each driver uses a
/// few of the fields.
#[derive(Default)]
pub struct DriverState {
    /// Header of a parcel.
    pub header: Header,
    /// The record of the processor's part of the packet's latency, if packets have such records.
    pub processor_stage: Option<ProcessorStage>,
    /// The packet, if the driver took it from its port.
    pub taken_packet: Option<TakenPacket>,
    /// The packet, if the interface received it without the processor.
    pub packet: Option<Rc<Packet>>,
    /// Number of the ring entry or buffer that holds the packet.
    pub entry: u64,
    /// Address of the packet, if it is in memory.
    pub address: Address,
    /// Inline bytes, in addition to the payload.
    pub inline_bytes: Vec<u8>,
}

/// The result of [`Driver::take`].
#[derive(Default)]
pub struct RxCompletion {
    /// Address of the packet's payload, if it is in memory.
    pub address: Address,
    /// Inline bytes, in addition to the payload.
    pub inline_bytes: Vec<u8>,
    /// Number of the driver's buffer that stays in use until it is [released](Driver::release), if any.
    pub entry: Option<u64>,
}

impl RxCompletion {
    /// Stores a payload that the processor has read: word by word in memory, or in registers.
    pub async fn store(cpu: &AnyProcessor, payload: &[u8], sink: PayloadSink<'_>) -> RxCompletion {
        match sink {
            PayloadSink::Memory(address) => {
                cpu.store_run(address, payload).await;
                RxCompletion { address, ..RxCompletion::default() }
            }
            PayloadSink::Words(words) => {
                words.extend(words_of(payload));
                RxCompletion::default()
            }
        }
    }
}

/// The state that a driver keeps between [`Driver::begin_send`] and [`Driver::try_send`] of a packet.
#[derive(Clone, Default)]
pub struct TxToken(pub(super) Option<ProcessorStage>);

impl TxToken {
    /// Returns the token of a driver that keeps no state.
    pub const fn none() -> TxToken {
        TxToken(None)
    }
}

/// The times at which a polling program has other work to do.
#[derive(Clone, Copy)]
pub struct Wake<'a> {
    /// Returns the next known time at which the program has other work. Its value may change, so it is called for each
    /// use.
    pub next: &'a dyn Fn() -> Time,
    /// Time at which the program stops polling.
    pub until: Time,
}

/// The method by which a program that shares its processor waits for a packet. Such a program does not call
/// [`Driver::idle`], which would keep the processor busy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitPolicy {
    /// The program sleeps until the signal [`Driver::wakeup`]; only the poll after that takes time.
    OnEvent,
    /// The program polls again after this time, and needs no processor in between.
    Periodic(Time),
    /// The program polls without a pause.
    BusyPoll,
}

/// The driver of an interface, which the messaging layer calls.
pub trait Driver: DriverExtensions {
    /// Returns the driver's limits.
    fn limits(&self) -> DriverLimits;

    /// Begins to send the packet of `journey`. The check for capacity is part of [`try_send`](Self::try_send).
    fn begin_send(&self, cpu: &AnyProcessor, journey: &Journey) -> TxToken;

    /// Sends the packet for which `token` was returned. Returns `false` if there is no capacity for it.
    async fn try_send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>, token: &TxToken) -> bool;

    /// Notifies the interface of all packets that were posted without a notification. The messaging layer calls this
    /// method when a burst of sends ends. While a driver waits for capacity, it decides itself when to notify the
    /// interface.
    async fn flush_sends(&self, _cpu: &AnyProcessor) {}

    /// Waits, after an unsuccessful send and an unsuccessful poll, until either may succeed.
    async fn wait_for_capacity(&self, cpu: &AnyProcessor);

    /// Returns whether packets may be taken in any order, and by another core than the one that polled. If `false`,
    /// each packet is taken before the next poll.
    fn takes_in_any_order(&self) -> bool {
        false
    }

    /// Returns `false` if the driver knows, without a poll, that a poll would find no packet.
    fn may_have_packet(&self) -> bool {
        true
    }

    /// Polls once for a packet. `sends_reply` returns whether the handler with a given number sends a reply.
    async fn poll(&self, cpu: &AnyProcessor, sends_reply: &dyn Fn(u8) -> bool) -> Option<RxPacket>;

    /// Receives the packet that the last poll found. `extra_cycles` are charged in addition to the driver's cost.
    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut RxPacket,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> RxCompletion;

    /// Releases buffer `entry`, which was in use, to the interface.
    async fn release(&self, _cpu: &AnyProcessor, _entry: u64) {}

    /// Ends a round of the polling loop in which no packet was found. If nothing can change earlier, the round ends at
    /// the time that `wake` returns. Returns `true` if a poll within the round has found a packet: the next
    /// [`poll`](Driver::poll) then continues with that packet, and must precede all other calls.
    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool;

    /// Returns how a program that shares the processor with others waits.
    fn wait_policy(&self) -> WaitPolicy;

    /// Charges the processor's part of a poll that found nothing, without the polling access.
    fn charge_poll(&self, _cpu: &AnyProcessor) {}

    /// Returns the signal that wakes a waiting program.
    fn wakeup(&self) -> &Signal;

    /// Returns the wait reason of a program that polls for send capacity, or `None` if
    /// [`wait_for_capacity`](Driver::wait_for_capacity) registers its own.
    fn capacity_wait_reason(&self) -> Option<WaitReasonId> {
        None
    }

    /// Returns the wait reason of a program that polls for a packet, or `None` if [`idle`](Driver::idle) registers its
    /// own.
    fn packet_wait_reason(&self) -> Option<WaitReasonId> {
        None
    }

    /// Returns whether the interface puts payloads into its own buffers.
    fn is_zero_copy(&self) -> bool {
        false
    }

    /// Returns the offset of fragment `fragment` in the buffer of its message.
    fn fragment_offset(&self, fragment: u32) -> Address {
        u64::from(fragment) * self.limits().payload as u64
    }

    /// Returns the size in bytes of a buffer for `fragments` fragments.
    fn buffer_size(&self, fragments: u32) -> usize {
        self.limits().payload * fragments as usize
    }

    /// Returns the address of the payload of a packet that was taken to `into`.
    fn payload_address(&self, into: Address) -> Address {
        into
    }

    /// Maps `tag` of `endpoint` to `address`, if the interface steers payloads by their tags.
    async fn map_tag(&self, _cpu: &AnyProcessor, _endpoint: EndpointId, _tag: u16, _address: Address) {}

    /// Returns the driver's port, if packets go through one.
    fn port(&self) -> Option<&Rc<Port>> {
        None
    }

    /// Returns the protocol's counters and the size of its state in bytes.
    fn accounts(&self) -> Option<(Statistics, usize)> {
        self.port().map(|port| (port.statistics(), port.state_bytes()))
    }

    /// Returns whether an arriving packet interrupts the program. Polling then costs nothing.
    fn interrupts(&self) -> bool {
        false
    }

    /// Returns the driver's own counters, by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Returns the utilisation of each part of the interface.
    fn utilization(&self) -> Vec<Utilization> {
        Vec::new()
    }
}

/// Shortest header of a packet on the wire.
pub const HEADER_BYTES_MIN: Bytes = Bytes(4);
