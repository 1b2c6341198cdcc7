//! The driver that the messaging layer calls: rings that the program polls, or the kernel's sockets over them.

use super::context::DeviceContext;
use super::device;
use super::driver_queue::{DriverQueue, Steering};
use super::frame::{FRAME_HEADER_BYTES, FrameHeader};
use super::kernel::{RingKernel, cycles_of};
use super::parameters::RingDriverKind;
use super::receive::Receiver;
use super::receive_driver::ReceivedFrame;
use crate::engine::{EndpointMap, Journey, NodeId, Signal, SpanLabel, Time};
use crate::host::{AnyProcessor, Processor, Utilization};
use crate::ni::dma_stages;
use crate::ni::driver::{
    Costs, Driver, DriverLimits, DriverState, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake,
};
use crate::ni::extensions::DriverExtensions;
use crate::ni::handoff::end_poll;
use crate::ni::parcel::{ProcessorStage, RECEIVING_STAGES, SENDING_STAGES};
use crate::ni::port::Port;
use crate::ni::word_copy::PayloadSink;
use std::cell::Cell;
use std::rc::Rc;

/// The driver of a node.
pub struct RingDriver {
    context: Rc<DeviceContext>,
    cores: Vec<AnyProcessor>,
    device_queues: Rc<[device::QueuePair]>,
    receiver: Rc<Receiver>,
    queues: Rc<[DriverQueue]>,
    steering: Steering,
    addresses: Rc<EndpointMap>,
    costs: Costs,
    /// The kernel's part, unless the program polls the rings.
    kernel: Option<Rc<RingKernel>>,
    /// Number of notifications that the device had made before the last unsuccessful send.
    known_notifications: Cell<u64>,
}

impl RingDriver {
    /// Creates the driver of the device's queues.
    pub(super) fn new(
        context: &Rc<DeviceContext>,
        (device_queues, receiver): (Rc<[device::QueuePair]>, Rc<Receiver>),
        (queues, steering): (Rc<[DriverQueue]>, Steering),
        addresses: &Rc<EndpointMap>,
        costs: Costs,
    ) -> RingDriver {
        let kernel = context.parameters.kernel().map(|kernel| RingKernel::start(context, &queues, kernel));
        RingDriver {
            context: context.clone(),
            cores: context.host.get().cores().to_vec(),
            device_queues,
            receiver,
            queues,
            steering,
            addresses: addresses.clone(),
            costs,
            kernel,
            known_notifications: Cell::default(),
        }
    }

    /// Returns the queues from which a core takes frames.
    fn queues_of(&self, cpu: &AnyProcessor) -> &[usize] {
        let cores = &self.cores;
        let is_same_core = |core: &AnyProcessor| std::ptr::eq(core.arbiter(), cpu.arbiter());
        let core = if cores.len() == 1 { 0 } else { cores.iter().position(is_same_core).unwrap_or(0) };
        &self.steering.queues_of_core[core]
    }

    fn burst(&self) -> u64 {
        match &self.context.parameters.driver {
            RingDriverKind::Polled { burst } => *burst,
            RingDriverKind::Kernel { .. } => 1,
        }
    }

    /// Returns the next received frame of the core's rings.
    async fn poll_rings(&self, cpu: &AnyProcessor) -> Option<ReceivedFrame> {
        for queue in self.queues_of(cpu) {
            if let Some(frame) = self.queues[*queue].receive.poll(cpu, self.burst()).await {
                return Some(frame);
            }
        }
        None
    }

    fn frame_of(&self, packet: &SendRequest<'_>, payload: &[u8]) -> Vec<u8> {
        let address = |endpoint| (self.addresses.node(endpoint).0, self.addresses.index_on_node(endpoint));
        let header = FrameHeader { from: address(packet.from), to: address(packet.to), envelope: packet.envelope };
        let mut frame = Vec::with_capacity(FRAME_HEADER_BYTES + payload.len());
        frame.extend_from_slice(&header.encode());
        frame.extend_from_slice(payload);
        frame
    }

    /// Returns whether the driver knows, without a poll, that no frame waits for the core.
    fn is_known_empty(&self, cpu: &AnyProcessor) -> bool {
        match &self.kernel {
            Some(kernel) => kernel.inbox.is_empty(),
            None => self.queues_of(cpu).iter().all(|queue| self.queues[*queue].receive.is_known_empty()),
        }
    }
}

impl DriverExtensions for RingDriver {}

impl Driver for RingDriver {
    fn limits(&self) -> DriverLimits {
        DriverLimits::new(self.context.parameters.payload_max())
    }

    fn begin_send(&self, cpu: &AnyProcessor, journey: &Journey) -> TxToken {
        let processor_stage = ProcessorStage::start(journey, cpu, "send: earlier fragments");
        let call_cycles = self.kernel.as_ref().map_or(0, |kernel| cycles_of(cpu, kernel.parameters.send));
        cpu.work(self.costs.send + call_cycles);
        TxToken(processor_stage)
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>, token: &TxToken) -> bool {
        let lease = cpu.acquire("send").await;
        let queue = &self.queues[self.steering.queue_of_endpoint[self.addresses.index_on_node(packet.from) as usize]];
        let bytes = FRAME_HEADER_BYTES + packet.source.bytes();
        self.known_notifications.set(self.context.notification_count.get());
        if !queue.send.has_entries(cpu, self.context.parameters.entries_of(bytes)).await {
            return false;
        }
        let _works = cpu.sim().works();
        let payload = packet.source.load(cpu).await;
        queue.send.post(cpu, &self.frame_of(packet, &payload), &packet.journey, packet.marks).await;
        if let Some(processor_stage) = token.0.clone() {
            processor_stage.end(&SENDING_STAGES, cpu.now());
        }
        if queue.send.is_batch_posted() {
            queue.send.ring_doorbell(cpu).await;
        }
        lease.record_span("send", packet.journey.id(), bytes);
        true
    }

    async fn flush_sends(&self, cpu: &AnyProcessor) {
        for queue in self.queues_of(cpu) {
            let send = &self.queues[*queue].send;
            if send.has_unannounced_frames() {
                let _lease = cpu.acquire("doorbell").await;
                send.ring_doorbell(cpu).await;
            }
        }
    }

    async fn wait_for_capacity(&self, cpu: &AnyProcessor) {
        for queue in self.queues_of(cpu) {
            let send = &self.queues[*queue].send;
            // Completions of the frames that the device already has will end the wait.
            if send.has_unannounced_frames() && !send.is_device_busy() {
                let _lease = cpu.acquire("doorbell").await;
                send.ring_doorbell(cpu).await;
            }
        }
        cpu.sync().await;
        if self.known_notifications.get() == self.context.notification_count.get() {
            self.context.queue_changed.wait().await;
        }
    }

    fn takes_in_any_order(&self) -> bool {
        true
    }

    fn may_have_packet(&self) -> bool {
        self.kernel.as_ref().is_none_or(|kernel| !kernel.inbox.is_empty())
    }

    async fn poll(&self, cpu: &AnyProcessor, _sends_reply: &dyn Fn(u8) -> bool) -> Option<RxPacket> {
        let frame = match &self.kernel {
            Some(kernel) => {
                let frame = kernel.inbox.try_receive()?;
                // The program's local time may be behind the softirq's local time.
                let _lease = cpu.acquire("poll").await;
                cpu.until(cpu.sim().now()).await;
                frame
            }
            // A load of an unchanged completion hits in the cache, and costs no more than the loop around it.
            None if self.is_known_empty(cpu) => return None,
            None => {
                let _lease = cpu.acquire("poll").await;
                self.poll_rings(cpu).await?
            }
        };
        let ReceivedFrame { queue, buffer, header: FrameHeader { from, to, envelope }, payload_bytes, journey } = frame;
        let endpoints = [from, to].map(|(node, index)| self.addresses.endpoint(NodeId(node), index));
        let processor_stage = ProcessorStage::start(&journey, cpu, dma_stages::POLL.pattern);
        let state = DriverState { processor_stage, entry: queue as u64, address: buffer, ..DriverState::default() };
        Some(RxPacket::new(endpoints, envelope, payload_bytes, journey).with_state(state))
    }

    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut RxPacket,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> RxCompletion {
        let lease = cpu.acquire("receive").await;
        let call_cycles = self.kernel.as_ref().map_or(0, |kernel| cycles_of(cpu, kernel.parameters.receive));
        cpu.work(self.costs.receive + extra_cycles + call_cycles);
        let DriverState { entry, address: buffer, .. } = arrival.state;
        let mut payload = vec![0; arrival.bytes];
        cpu.load_run(buffer + FRAME_HEADER_BYTES as u64, &mut payload).await;
        let completion = RxCompletion::store(cpu, &payload, sink).await;
        self.queues[entry as usize].receive.post(cpu, buffer).await;
        cpu.sync().await;
        if let Some(processor_stage) = arrival.state.processor_stage.take() {
            processor_stage.end(&RECEIVING_STAGES, cpu.now());
        }
        lease.record_span("receive", arrival.journey.id(), arrival.bytes);
        completion
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        let poll_start = cpu.now();
        self.charge_idle_poll(cpu);
        cpu.sync().await;
        let wait_start = cpu.now();
        if self.kernel.is_none() {
            cpu.arbiter().record_span(SpanLabel { activity: "poll", ..SpanLabel::default() }, poll_start, wait_start);
        }
        let wake_time = (wake.next)();
        if !self.is_known_empty(cpu) || wake_time <= wait_start {
            return false;
        }
        self.context.frame_arrived.wait_until(wake_time).await;
        match &self.kernel {
            Some(_) if !self.is_known_empty(cpu) => {
                let _lease = cpu.acquire("wake").await;
                self.charge_poll(cpu);
                cpu.sync().await;
            }
            None if self.costs.poll > 0 && cpu.now() < wake.until => end_poll(cpu, wait_start, self.costs.poll).await,
            _ => {}
        }
        false
    }

    fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy::OnEvent
    }

    fn charge_poll(&self, cpu: &AnyProcessor) {
        match &self.kernel {
            Some(kernel) => cpu.work(cycles_of(cpu, kernel.parameters.wake)),
            None => cpu.work(self.costs.poll),
        }
    }

    fn wakeup(&self) -> &Signal {
        &self.context.frame_arrived
    }

    fn port(&self) -> Option<&Rc<Port>> {
        Some(&self.context.port)
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let driver_sum = |counter_of: &dyn Fn(&DriverQueue) -> u64| self.queues.iter().map(counter_of).sum::<u64>();
        let device_sum =
            |counter_of: &dyn Fn(&device::QueuePair) -> u64| self.device_queues.iter().map(counter_of).sum::<u64>();
        vec![
            (
                "ring.doorbells",
                driver_sum(&|queue| queue.send.doorbell_count.get() + queue.receive.doorbell_count.get()),
            ),
            (
                "ring.fetches",
                device_sum(&|pair| pair.send.descriptors.read_count.get() + pair.receive.descriptors.read_count.get()),
            ),
            ("ring.frames.inline", device_sum(&|pair| pair.send.inline_frames.get())),
            ("ring.frames.sent", device_sum(&|pair| pair.send.sent_frames.get())),
            ("ring.frames.waited", self.receiver.waited_frames.get()),
            (
                "ring.head-reads",
                driver_sum(&|queue| queue.send.head_read_count.get() + queue.receive.head_read_count.get()),
            ),
            (
                "ring.interrupts",
                device_sum(&|pair| pair.moderation.as_ref().map_or(0, |moderation| moderation.raised_interrupts.get())),
            ),
            ("ring.write-backs", self.context.write_back_count.get()),
        ]
    }

    fn utilization(&self) -> Vec<Utilization> {
        let slot_time = self.device_queues.iter().fold(Time::ZERO, |time, pair| time + pair.send.slot_time.get());
        let read_slots = self.context.parameters.engine_reads.max(1);
        vec![Utilization::always_active("payload reads", slot_time / read_slots)]
    }
}

impl RingDriver {
    /// Charges a poll that found nothing. It costs nothing with a kernel, for which the program sleeps.
    fn charge_idle_poll(&self, cpu: &AnyProcessor) {
        if self.kernel.is_none() {
            cpu.work(self.costs.poll);
        }
    }
}
