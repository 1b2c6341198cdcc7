//! The driver of every fifo and queue, which combines a sending and a receiving half.
//!
//! The module models the messaging layer's cycles for each packet, the composing and reading of the header, and an
//! unsuccessful polling round. A program holds the processor from the poll that finds a packet until the packet is
//! taken. The work of the halves is defined by each design.

use super::design::Design;
use super::fifo::device::ReceiveFifo;
use super::fifo::{blocks, udma, words};
use super::half::{HalfContext, ReceiveHalf, RxHit, SendHalf};
use super::parameters::InterfaceParameters;
use super::queue::remote_memory::RemoteOperations;
use super::queue::throttle::{Meter, Throttle};
use super::queue::{cached, direct_memory, driver as queue, in_interface};
use crate::engine::sim::WaitReasonId;
use crate::engine::{EndpointId, Journey, Signal, Time};
use crate::host::{Address, AnyProcessor, BLOCK_BYTES, Processor};
use crate::ni::build_context::BuildContext;
use crate::ni::driver::{
    Costs, Driver, DriverLimits, DriverState, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake,
};
use crate::ni::extensions::DriverExtensions;
use crate::ni::parcel::{Header, ProcessorStage, RECEIVING_STAGES};
use crate::ni::port::Port;
use crate::ni::port_config::Stages;
use crate::ni::verbs::Verbs;
use crate::ni::word_copy::{PayloadSink, payload_after_header};
use std::cell::Cell;
use std::rc::Rc;

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
    /// Returns the fifo whose status is polled, if there is one.
    fn fifo(&self) -> Option<&ReceiveFifo> {
        match self {
            Receiver::Words(half) => Some(&half.fifo),
            Receiver::Udma(half) => Some(&half.words.fifo),
            Receiver::Blocks(half) => Some(&half.fifo),
            Receiver::Queue(_) => None,
        }
    }
}

/// Evaluates an expression for the present variant of a half.
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

/// The driver of a fifo or queue.
pub struct SplitDriver {
    pub(super) parameters: InterfaceParameters,
    pub(super) costs: Costs,
    cpu: AnyProcessor,
    pub(super) port: Rc<Port>,
    sender: Sender,
    receiver: Receiver,
}

/// Stages of a packet between two of these interfaces.
const STAGES: Stages = Stages { pool: "send: admission", records_zero_pool_time: false, fabric: "wire" };

/// Starts an interface from checked parameters.
pub fn start(context: &BuildContext<'_>, parameters: &InterfaceParameters) -> SplitDriver {
    let port = context.port(parameters.message_bytes_max, STAGES);
    let (sender, receiver) = build_halves(&HalfContext { context, port: &port, parameters });
    SplitDriver { parameters: *parameters, costs: context.costs, cpu: context.host.cpu(), port, sender, receiver }
}

fn build_halves(context: &HalfContext<'_>) -> (Sender, Receiver) {
    match context.parameters.design {
        Design::Ni2w => (Sender::Words(words::sender(context, true)), Receiver::Words(words::receiver(context, true))),
        Design::SingleCycle => {
            (Sender::Words(words::sender(context, false)), Receiver::Words(words::receiver(context, false)))
        }
        Design::Udma => (Sender::Udma(udma::sender(context)), Receiver::Udma(udma::receiver(context))),
        Design::Ap3000 => (Sender::Blocks(blocks::sender(context)), Receiver::Blocks(blocks::receiver(context))),
        Design::MemoryChannel => {
            (Sender::Blocks(blocks::sender(context)), Receiver::Queue(direct_memory::receiver(context, false)))
        }
        Design::StartJr => {
            (Sender::Queue(direct_memory::sender(context)), Receiver::Queue(direct_memory::receiver(context, true)))
        }
        Design::Cni512q => {
            (Sender::Queue(in_interface::sender(context)), Receiver::Queue(in_interface::receiver(context)))
        }
        Design::Cni32qm => (Sender::Queue(cached::sender(context, None)), Receiver::Queue(cached::receiver(context))),
        Design::Cni32qmThrottle => {
            let throttled_time = Rc::new(Cell::new(Time::ZERO));
            let (throttle, meter) = (Throttle::new(throttled_time.clone()), Meter::new(throttled_time));
            let receiver = cached::receiver(context).with_meter(meter);
            (Sender::Queue(cached::sender(context, Some(throttle))), Receiver::Queue(receiver))
        }
    }
}

impl SplitDriver {
    /// Returns the sending queue and the one-sided operations, if the sending and the receiving device execute them.
    pub(super) fn one_sided_operations(&self) -> Option<(&queue::QueueSender, &RemoteOperations)> {
        match (&self.sender, &self.receiver) {
            (Sender::Queue(sender), Receiver::Queue(receiver)) => Some((sender, receiver.operations()?)),
            _ => None,
        }
    }

    fn header(&self, packet: &SendRequest<'_>) -> Header {
        Header {
            format: self.parameters.header_format(),
            payload_bytes: u16::try_from(packet.source.bytes()).expect("the payload fits in a packet"),
            source: packet.from.0,
            destination: packet.to.0,
            envelope: packet.envelope,
            sense: 0,
            marks: 0,
        }
    }

    /// Returns whether packets are stored in memory with their headers, each from the beginning of a block.
    fn stores_headers(&self) -> bool {
        matches!(self.receiver, Receiver::Udma(_))
    }
}

impl DriverExtensions for SplitDriver {
    fn verbs(&self) -> Option<&dyn Verbs> {
        self.one_sided_operations().is_some().then_some(self as &dyn Verbs)
    }
}

impl Driver for SplitDriver {
    fn limits(&self) -> DriverLimits {
        let format = self.parameters.header_format();
        let payload = self.parameters.message_bytes_max.len() - format.bytes();
        DriverLimits {
            words: payload / 4,
            payload,
            inline_bytes: 0,
            sequences: format.sequences(),
            steers_by_tag: false,
            classes: 1,
            overflows_to_user_memory: self.parameters.design.overflows_to_user_memory(),
        }
    }

    fn begin_send(&self, cpu: &AnyProcessor, journey: &Journey) -> TxToken {
        let processor_stage = ProcessorStage::start(journey, cpu, "send: earlier fragments");
        cpu.work(self.costs.send);
        TxToken(processor_stage)
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>, token: &TxToken) -> bool {
        let lease = cpu.acquire("check for a free slot").await;
        if !on_half!(&self.sender, Sender, half => half.can_send(cpu).await) {
            return false;
        }
        let _works = cpu.sim().works();
        let header = self.header(packet);
        on_half!(&self.sender, Sender, half => half.send(cpu, header, packet, token.0.clone()).await);
        lease.record_span("send", packet.journey.id(), header.packet_bytes());
        true
    }

    async fn wait_for_capacity(&self, cpu: &AnyProcessor) {
        cpu.work(self.costs.poll);
        cpu.sync().await;
    }

    async fn poll(&self, cpu: &AnyProcessor, _sends_reply: &dyn Fn(u8) -> bool) -> Option<RxPacket> {
        let lease = cpu.acquire("poll").await;
        let RxHit { header, journey, processor_stage } =
            on_half!(&self.receiver, Receiver, half => half.poll(cpu).await)?;
        // The packet is built in one step, because it is large to move.
        Some(RxPacket {
            from: EndpointId(header.source),
            to: EndpointId(header.destination),
            envelope: header.envelope,
            bytes: header.payload_bytes.into(),
            journey,
            state: DriverState { header, processor_stage, ..DriverState::default() },
            lease: Some(lease),
        })
    }

    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut RxPacket,
        extra_cycles: u64,
        mut sink: PayloadSink<'_>,
    ) -> RxCompletion {
        cpu.work(self.costs.receive + extra_cycles);
        let header = arrival.state.header;
        let address = if let PayloadSink::Memory(into) = sink { into } else { 0 };
        on_half!(&self.receiver, Receiver, half => half.take(cpu, header, &mut sink).await);
        if let Some(processor_stage) = arrival.state.processor_stage.take() {
            processor_stage.end(&RECEIVING_STAGES, cpu.now());
        }
        if let Some(lease) = arrival.lease.take() {
            lease.record_span("receive", arrival.journey.id(), header.packet_bytes());
        }
        RxCompletion { address, ..RxCompletion::default() }
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        on_half!(&self.receiver, Receiver, half => half.idle(cpu, wake).await)
    }

    fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy::BusyPoll
    }

    fn charge_poll(&self, cpu: &AnyProcessor) {
        on_half!(&self.receiver, Receiver, half => half.charge_poll(cpu));
    }

    fn wakeup(&self) -> &Signal {
        // A program that polls a cached block waits for its invalidation; one that polls a status register waits for a
        // packet.
        match (self.cpu.snooping(), self.receiver.fifo()) {
            (Some(_), Some(fifo)) => &fifo.packet_visible,
            (Some(processor), None) => processor.wakeup(),
            (None, _) => &self.port.changed,
        }
    }

    fn capacity_wait_reason(&self) -> Option<WaitReasonId> {
        Some(self.port.freed.wait_reason())
    }

    fn packet_wait_reason(&self) -> Option<WaitReasonId> {
        on_half!(&self.receiver, Receiver, half => half.poll_wait_reason(&self.cpu))
    }

    fn fragment_offset(&self, fragment: u32) -> Address {
        let packet_bytes = self.parameters.message_bytes_max.len();
        let fragment_stride = if self.stores_headers() {
            packet_bytes.next_multiple_of(BLOCK_BYTES)
        } else {
            packet_bytes - self.parameters.header_format().bytes()
        };
        u64::from(fragment) * fragment_stride as u64
    }

    fn buffer_size(&self, fragments: u32) -> usize {
        fragments as usize * self.parameters.message_bytes_max.len().next_multiple_of(BLOCK_BYTES)
    }

    fn payload_address(&self, into: Address) -> Address {
        if self.stores_headers() { payload_after_header(into) } else { into }
    }

    fn port(&self) -> Option<&Rc<Port>> {
        Some(&self.port)
    }
}
