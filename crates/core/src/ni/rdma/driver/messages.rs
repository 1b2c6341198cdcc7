//! Messages of the messaging layer. Each packet of a message is one send.

use super::RdmaDriver;
use crate::engine::sim::WaitReasonId;
use crate::engine::{Bytes, Journey, NodeId, Signal};
use crate::host::{Address, AnyProcessor, Processor, Utilization};
use crate::ni::dma_stages;
use crate::ni::driver::{
    Driver, DriverLimits, DriverState, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake,
};
use crate::ni::extensions::DriverExtensions;
use crate::ni::packet_header::PacketHeader;
use crate::ni::rdma::completion_entry::CompletionEntry;
use crate::ni::rdma::work_request::{LocalData, RemoteOperand, WorkEntry};
use crate::ni::verbs::{Verbs, WorkId, WorkKind, WorkStatus};
use crate::ni::word_copy::{PayloadSink, PayloadSource};

impl DriverExtensions for RdmaDriver {
    fn verbs(&self) -> Option<&dyn Verbs> {
        Some(self)
    }
}

impl RdmaDriver {
    /// Handles the completion of a send, and frees the send's buffer.
    fn end_send(&self, entry: &CompletionEntry) {
        let queue = self.message_queues.send_queues.borrow().get(&entry.queue_pair).cloned();
        let ended_requests = queue.map(|queue| queue.take_ended(entry.index)).unwrap_or_default();
        self.message_queues
            .free_buffers
            .borrow_mut()
            .extend(ended_requests.into_iter().filter_map(|request| request.buffer));
        self.message_queues.ended_sends.set(self.message_queues.ended_sends.get() + 1);
        // Another program of the node may wait for capacity.
        self.message_queues.completion_queue.entry_written.notify();
    }

    /// Returns whether the next inline request reports its success. At least one request in a quarter of the queue
    /// does, so the queue never fills with requests whose end is not reported.
    fn is_next_signaled(&self) -> bool {
        let sent_count = self.message_queues.inline_sends.get();
        self.message_queues.inline_sends.set(sent_count + 1);
        sent_count.is_multiple_of(u64::from(self.device.parameters.send_entries / 4).max(1))
    }

    fn receive_buffer(&self, index: u64) -> Address {
        let buffers = self.message_queues.receive_buffers.borrow();
        buffers[index as usize % buffers.len()]
    }
}

impl Driver for RdmaDriver {
    fn limits(&self) -> DriverLimits {
        DriverLimits::new(PacketHeader::payload_max(self.device.parameters.mtu))
    }

    fn begin_send(&self, cpu: &AnyProcessor, _journey: &Journey) -> TxToken {
        cpu.work(self.costs.send);
        TxToken::none()
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>, _token: &TxToken) -> bool {
        let lease = cpu.acquire("check for a free slot").await;
        let node = self.addresses.node(packet.to);
        let queue = self.message_queues.send_queue_to(node);
        let bytes = PacketHeader::BYTES + packet.source.bytes();
        let is_inline = bytes <= self.device.parameters.inline_max.len();
        if queue.is_full() || !is_inline && self.message_queues.free_buffers.borrow().is_empty() {
            self.message_queues.ended_sends_when_full.set(self.message_queues.ended_sends.get());
            return false;
        }
        let (_works, start) = (cpu.sim().works(), cpu.now());
        let endpoints = [packet.from, packet.to].map(|endpoint| self.addresses.index_on_node(endpoint));
        let mut message = PacketHeader::encode(packet.envelope, endpoints).to_vec();
        message.extend(packet.source.load(cpu).await);
        let (data, buffer, is_signaled) = match is_inline {
            true => (LocalData::Inline(message), None, self.is_next_signaled()),
            false => {
                let buffer = self.message_queues.free_buffers.borrow_mut().pop().expect("a buffer was free");
                cpu.store_run(buffer, &message).await;
                (LocalData::Memory(buffer, bytes as u64), Some(buffer), true)
            }
        };
        let (index, queue_pair) = (queue.next_index(), queue.pair.number);
        let entry = WorkEntry { remote: RemoteOperand::Send, data, index, queue_pair, is_signaled };
        queue.pair.state.borrow_mut().journeys.push_back(packet.journey.clone());
        queue.post(cpu, &entry, WorkId(0), buffer).await;
        cpu.sync().await;
        self.in_flight.add(node);
        packet.journey.add_service(start, cpu.now());
        packet.journey.close("send", cpu.now());
        queue.ring_doorbell(cpu, &self.registers).await;
        cpu.sync().await;
        lease.record_span("send", packet.journey.id(), bytes);
        true
    }

    async fn wait_for_capacity(&self, cpu: &AnyProcessor) {
        cpu.work(self.costs.poll);
        cpu.sync().await;
        let has_new_ended_send =
            self.message_queues.ended_sends.get() != self.message_queues.ended_sends_when_full.get();
        if !has_new_ended_send && !self.message_queues.completion_queue.needs_poll() {
            self.message_queues.completion_queue.entry_written.wait().await;
        }
    }

    async fn poll(&self, cpu: &AnyProcessor, _sends_reply: &dyn Fn(u8) -> bool) -> Option<RxPacket> {
        let lease = cpu.acquire("poll").await;
        loop {
            let (entry, journey) = self.message_queues.completion_queue.poll(cpu).await?;
            if entry.kind == WorkKind::Send {
                self.end_send(&entry);
                continue;
            }
            if entry.status != WorkStatus::Success {
                continue;
            }
            let buffer = self.receive_buffer(entry.index.into());
            let mut header = [0; PacketHeader::BYTES];
            cpu.load_run(buffer, &mut header).await;
            let PacketHeader { envelope, endpoints, length } = PacketHeader::decode(&header);
            self.in_flight.remove(self.device.node);
            cpu.sim().progress();
            journey.close(dma_stages::POLL.pattern, cpu.now());
            let nodes = [NodeId(entry.queue_pair - super::MESSAGE_PAIRS), self.device.node];
            let packet_endpoints = [0, 1].map(|side| self.addresses.endpoint(nodes[side], endpoints[side]));
            let state = DriverState { entry: entry.index.into(), address: buffer, ..DriverState::default() };
            let packet = RxPacket::new(packet_endpoints, envelope, entry.bytes.len() - length, journey);
            return Some(packet.with_state(state).with_lease(lease));
        }
    }

    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut RxPacket,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> RxCompletion {
        let start = cpu.now();
        cpu.work(self.costs.receive + extra_cycles);
        let buffer = arrival.state.address;
        let source = PayloadSource::Memory(buffer + PacketHeader::BYTES as u64, arrival.bytes);
        let payload = source.load(cpu).await;
        let completion = RxCompletion::store(cpu, &payload, sink).await;
        let receive_queue = &self.message_queues.receive_queue;
        let position = receive_queue.posted_count();
        {
            let mut buffers = self.message_queues.receive_buffers.borrow_mut();
            let entries = buffers.len();
            buffers[position as usize % entries] = buffer;
        }
        receive_queue.post(cpu, buffer, Bytes(self.device.parameters.mtu.get())).await;
        receive_queue.announce(cpu).await;
        cpu.sync().await;
        arrival.journey.add_service(start, cpu.now());
        arrival.journey.close("receive", cpu.now());
        if let Some(lease) = arrival.lease.take() {
            lease.record_span("receive", arrival.journey.id(), arrival.bytes);
        }
        completion
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        let completion_queue = &self.message_queues.completion_queue;
        match cpu.snooping() {
            Some(processor) => {
                let reason = completion_queue.entry_written.wait_reason();
                processor.spin(completion_queue.polled_block(), self.costs.poll, reason, wake.next).await;
            }
            None => {
                self.charge_poll(cpu);
                cpu.sync().await;
            }
        }
        false
    }

    fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy::BusyPoll
    }

    fn charge_poll(&self, cpu: &AnyProcessor) {
        cpu.work(self.costs.poll);
    }

    fn wakeup(&self) -> &Signal {
        // A program that polls a cached block waits for its invalidation.
        match self.cpu.snooping() {
            Some(processor) => processor.wakeup(),
            None => &self.message_queues.completion_queue.entry_written,
        }
    }

    fn packet_wait_reason(&self) -> Option<WaitReasonId> {
        match self.cpu.snooping() {
            Some(_) => None,
            None => Some(self.message_queues.completion_queue.entry_written.wait_reason()),
        }
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let counts = &self.device.counts;
        let [contexts, translations] = self.device.cache_misses();
        vec![
            ("rdma.packets", counts.packets.get()),
            ("rdma.retransmissions", counts.retransmissions.get()),
            ("rdma.sequence_errors", counts.sequence_errors.get()),
            ("rdma.receiver_not_ready", counts.not_ready_receives.get()),
            ("rdma.time_outs", counts.time_outs.get()),
            ("rdma.dropped", counts.dropped_packets.get()),
            ("rdma.failed_queue_pairs", counts.failed_queue_pairs.get()),
            ("rdma.context_misses", contexts),
            ("rdma.translation_misses", translations),
        ]
    }

    fn utilization(&self) -> Vec<Utilization> {
        let names = ["payload reads", "payload writes"];
        let times = names.into_iter().zip(self.device.engine_times());
        times.map(|(name, busy)| Utilization::always_active(name, busy)).collect()
    }
}
