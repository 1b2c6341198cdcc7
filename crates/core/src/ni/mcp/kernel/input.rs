//! The kernel's receive path: interrupts, and the bottom half, which turns packets into datagrams in the socket's
//! queue.

use super::super::buffers::RxDestination;
use super::super::card::RxEvent;
use super::super::firmware::cause;
use super::super::headers::{ENVELOPE_BYTES, Headers, decode_envelope};
use super::super::layout::SENT_COUNT_ADDRESS;
use super::super::stage;
use super::Kernel;
use super::reassembly::{DatagramPart, ReassemblyOutcome, ReceivedDatagram};
use crate::engine::{Journey, NodeId, Time};
use crate::host::{AnyProcessor, Processor};
use crate::protocol::udp_ip::{
    self, DatagramKey, DropReason, IPV4_HEADER, Parsed, Sum, UDP_HEADER, UdpHead, addresses,
};
use std::net::SocketAddrV4;

impl Kernel {
    /// Handles an interrupt for `causes`.
    pub(super) async fn handle_interrupt(&self, cpu: &AnyProcessor, causes: u32) {
        let _lease = cpu.acquire("interrupt").await;
        cpu.work(self.costs.interrupt);
        if causes & cause::SENT != 0 {
            let [sent_messages] = self.card.read_words::<1>(cpu, SENT_COUNT_ADDRESS).await;
            self.card.complete_sends(cpu, sent_messages, self.costs.completion).await;
        }
        if causes & cause::RECEIVED != 0 {
            self.read_events(cpu).await;
        }
        cpu.sync().await;
    }

    /// Reads the interface's events and puts them into the backlog of the bottom half.
    async fn read_events(&self, cpu: &AnyProcessor) {
        while let Some(event) = self.card.read_event(cpu).await {
            self.backlog.send(event);
        }
    }

    /// Runs the bottom half, which holds the processor while the backlog is not empty.
    pub(super) async fn run_bottom_half(&self, cpu: &AnyProcessor) {
        loop {
            let next_timer = self.reassembly.borrow().next_timer().unwrap_or(Time::MAX);
            if self.backlog.is_empty() && next_timer > cpu.sim().now() {
                self.backlog.arrival_signal().wait_until(next_timer).await;
            }
            let lease = cpu.acquire("bottom half").await;
            while let Some(event) = self.backlog.try_receive() {
                let (id, length) = (event.journey.id(), event.length as usize);
                self.process_packet(cpu, event).await;
                cpu.sync().await;
                lease.record_span("packet", id, length);
            }
            self.drop_expired(cpu).await;
            cpu.sync().await;
        }
    }

    /// Drops datagrams whose reassembly time has expired.
    async fn drop_expired(&self, cpu: &AnyProcessor) {
        let expired_datagrams = self.reassembly.borrow_mut().take_expired(cpu.sim().now());
        for parts in expired_datagrams {
            parts.first().inspect(|first| self.record_drop(DropReason::Expired, &first.journey));
            self.release_parts(cpu, parts).await;
        }
    }

    /// Posts the buffers of these parts again, except those that still hold a part of an incomplete datagram.
    pub(in super::super) async fn release_parts(&self, cpu: &AnyProcessor, parts: Vec<DatagramPart>) {
        let mut buffers: Vec<u32> = parts.iter().map(|part| part.buffer).collect();
        buffers.dedup();
        for buffer in buffers {
            if !self.reassembly.borrow().holds_part_in(buffer) {
                self.card.repost(cpu, buffer).await;
            }
        }
    }

    async fn process_packet(&self, cpu: &AnyProcessor, event: RxEvent) {
        let start = cpu.now();
        cpu.work(self.costs.bottom_half);
        let RxEvent { is_lost, ref journey, .. } = event;
        let header_result = if is_lost { Err(None) } else { self.read_headers(cpu, &event).await.map_err(Some) };
        let (packet, part) = match header_result {
            Ok((packet, part)) => (packet, part),
            Err(reason) => {
                // A packet that the network dropped was already counted as lost there.
                if let Some(reason) = reason {
                    self.record_drop(reason, journey);
                }
                let journey = journey.clone();
                let part = DatagramPart { buffer: event.buffer, address: 0, range: 0..0, sum: Sum::ZERO, journey };
                return self.release_parts(cpu, vec![part]).await;
            }
        };
        let part = match self.card.parameters.offloads.checksum_offload {
            true => part,
            false => DatagramPart { sum: self.checksum_memory(cpu, part.address, part.range.len()).await, ..part },
        };
        cpu.sync().await;
        journey.add_service(start, cpu.now());
        let outcome = self.reassembly.borrow_mut().arrive(&packet, part, cpu.now());
        match outcome {
            ReassemblyOutcome::Kept => {}
            ReassemblyOutcome::Dropped(reason, parts) => {
                self.record_drop(reason, journey);
                self.release_parts(cpu, parts).await;
            }
            ReassemblyOutcome::Complete(key, udp, parts) => self.complete(cpu, (key, udp), parts, journey).await,
        }
    }

    /// Returns a packet's headers and the location of its data, or the reason why it is dropped.
    async fn read_headers(&self, cpu: &AnyProcessor, event: &RxEvent) -> Result<(Parsed, DatagramPart), DropReason> {
        let at = self.card.buffers.kernel_address(event.buffer, event.fragment);
        let mut head = vec![0; (event.length as usize).min(IPV4_HEADER + UDP_HEADER + ENVELOPE_BYTES)];
        cpu.load_run(at, &mut head).await;
        let headers = Headers::parse(&head).ok_or(DropReason::TooShort)?;
        let zero_copy = self.card.parameters.offloads.zero_copy;
        let destination = match zero_copy {
            true => self.card.buffers.for_fragment(event.buffer, &headers),
            false => RxDestination::unsplit(event.buffer),
        };
        let pieces = self.card.buffers.pieces(&destination, 0..event.length);
        let pieces = pieces.iter().map(|piece| self.card.host.peek(piece.address, piece.bytes as usize));
        let packet = pieces.collect::<Vec<_>>().concat();
        let parsed = udp_ip::parse(&packet)?;
        // With zero copy the data is in the program's buffer and the envelope in the kernel's header slot.
        let (address, range) = match zero_copy {
            true => {
                let range = parsed.payload_range();
                let data = range.start.max(ENVELOPE_BYTES)..range.end.max(ENVELOPE_BYTES);
                (self.card.buffers.program_address(event.buffer) + (data.start - ENVELOPE_BYTES) as u64, data)
            }
            false => (at + parsed.payload.start as u64, parsed.payload_range()),
        };
        let (buffer, journey) = (event.buffer, event.journey.clone());
        let sum = Sum::of_bytes(&(event.checksum as u16).to_be_bytes());
        Ok((parsed, DatagramPart { buffer, address, range, sum, journey }))
    }

    /// Delivers a complete datagram to the socket if its checksum and its endpoints are valid, and drops it otherwise.
    async fn complete(
        &self,
        cpu: &AnyProcessor,
        (key, udp): (DatagramKey, UdpHead),
        parts: Vec<DatagramPart>,
        journey: &Journey,
    ) {
        let envelope = self.envelope_bytes(&parts);
        let endpoints = [(key.from, udp.from), (key.to, udp.to)]
            .map(|(ip, port)| addresses::endpoint_of(SocketAddrV4::new(ip, port)))
            .map(|endpoint| endpoint.filter(|(node, index)| self.endpoint_exists(*node, *index)));
        let sum = self.payload_checksum(&parts, &envelope);
        let envelope_result = match udp.is_valid(key.from, key.to, sum) {
            true => decode_envelope(&envelope).ok_or(DropReason::TooShort),
            false => Err(DropReason::BadUdpChecksum),
        };
        let (envelope, from, to) = match (envelope_result, endpoints) {
            (Ok(envelope), [Some(from), Some(to)]) => (envelope, from, to),
            (envelope_result, _) => {
                self.record_drop(envelope_result.err().unwrap_or(DropReason::NoSocket), journey);
                return self.release_parts(cpu, parts).await;
            }
        };
        let [from, to] = [from, to].map(|(node, index)| self.card.addresses.endpoint(node, index));
        journey.close(stage::BOTTOM_HALF, cpu.now());
        let bytes = udp.payload;
        self.inbox.send(ReceivedDatagram { from, to, envelope, parts, bytes, journey: journey.clone() });
        self.card.send_wakeup.notify();
    }

    /// Records a dropped packet or datagram; its message is lost, unless the packet is a duplicate.
    fn record_drop(&self, reason: DropReason, journey: &Journey) {
        let card = &self.card;
        card.tally.count_dropped_packet(reason.words());
        if reason != DropReason::Duplicate {
            card.tally.record_loss(journey);
            card.sim.record_loss(|| {
                let subject = journey.id().map_or("a packet".to_owned(), |message| format!("message {message}"));
                format!("{subject}, dropped by {} at {}: {reason}", card.name, card.sim.now())
            });
        }
    }

    /// Returns the envelope, which is in the kernel's header slot or precedes the first part's data.
    fn envelope_bytes(&self, parts: &[DatagramPart]) -> Vec<u8> {
        let Some(first) = parts.first() else { return Vec::new() };
        match self.card.parameters.offloads.zero_copy {
            true => {
                let headers = self.card.buffers.kernel_address(first.buffer, 0);
                self.card.host.peek(headers + (IPV4_HEADER + UDP_HEADER) as u64, ENVELOPE_BYTES)
            }
            false => self.card.host.peek(first.address, ENVELOPE_BYTES.min(first.range.len())),
        }
    }

    /// Returns the checksum of a datagram's payload.
    fn payload_checksum(&self, parts: &[DatagramPart], envelope: &[u8]) -> Sum {
        let offloads = self.card.parameters.offloads;
        // The interface's checksum includes the envelope, and so does the checksum over the kernel's copy of the
        // packet.
        let is_envelope_separate = offloads.zero_copy && !offloads.checksum_offload;
        let envelope_sum = if is_envelope_separate { Sum::of_bytes(envelope) } else { Sum::ZERO };
        // Parts begin at even offsets, so that their checksums can be added.
        envelope_sum + parts.iter().map(|part| part.sum).sum()
    }

    fn endpoint_exists(&self, node: NodeId, index: u32) -> bool {
        node.index() < self.card.addresses.nodes() && index < self.card.addresses.endpoint_count(node)
    }
}
