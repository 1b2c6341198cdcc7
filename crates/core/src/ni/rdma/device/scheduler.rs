//! The scheduler: queue pairs take turns, each with one packet. Successive packets of the device are at least the
//! packet gap apart, and those of a queue pair at least the queue-pair gap. The DMA read of a packet's payload begins
//! as soon as the packet is scheduled.

use super::queue_pair::{FetchedRequest, QueuePair};
use super::transmit::{PayloadRead, ScheduledPacket};
use super::{RdmaDevice, count};
use crate::engine::{Journey, NodeId, Time};
use crate::host::Address;
use crate::ni::rdma::transport::requester::{Recovery, Transmission};
use crate::ni::rdma::wire::bth::{BaseHeader, OperationCode, Psn};
use crate::ni::rdma::wire::reth::{AtomicHeader, RdmaHeader};
use crate::ni::rdma::wire::{ExtendedHeader, RocePacket};
use crate::ni::rdma::work_request::{LocalData, RemoteOperand};
use std::rc::Rc;

/// Codes of the packets of a send.
const SEND_CODES: [OperationCode; 4] =
    [OperationCode::SendFirst, OperationCode::SendMiddle, OperationCode::SendLast, OperationCode::SendOnly];
/// Codes of the packets of a write.
const WRITE_CODES: [OperationCode; 4] =
    [OperationCode::WriteFirst, OperationCode::WriteMiddle, OperationCode::WriteLast, OperationCode::WriteOnly];

/// First of the UDP source ports that distinguish flows.
const PORT_BASE: u16 = 0xc000;

impl RdmaDevice {
    /// Has the scheduler examine a queue pair at `at`, unless an examination is pending already.
    pub(super) fn schedule(&self, pair: &Rc<QueuePair>, at: Time) {
        let mut state = pair.state.borrow_mut();
        if pair.peer.get().is_some() && !std::mem::replace(&mut state.is_scheduled, true) {
            self.ready_pairs.send_at(at.max(state.next_packet_time), pair.clone());
        }
    }

    /// Connects a queue pair with queue pair `number` of `node`, to which it may send from now on.
    pub fn connect(&self, pair: &Rc<QueuePair>, node: NodeId, number: u32) {
        pair.peer.set(Some((node, number)));
        self.schedule(pair, self.sim.now());
    }

    pub(super) async fn run_scheduler(self: Rc<Self>) {
        let mut free_at = Time::ZERO;
        loop {
            let pair = self.ready_pairs.receive().await;
            let next_packet_time = {
                let mut state = pair.state.borrow_mut();
                state.is_scheduled = false;
                state.next_packet_time
            };
            if next_packet_time > self.sim.now() {
                self.schedule(&pair, next_packet_time);
                continue;
            }
            if free_at > self.sim.now() {
                self.sim.until(free_at).await;
            }
            if !self.has_packet(&pair) {
                continue;
            }
            self.packet_buffers.acquire(1).await;
            let transmission = pair.state.borrow_mut().requester.next(&self.limits);
            let Some(transmission) = transmission else {
                self.packet_buffers.release(1);
                continue;
            };
            let now = self.sim.now();
            free_at = now + self.parameters.packet_gap;
            pair.state.borrow_mut().next_packet_time = now + self.parameters.queue_pair_gap;
            count(&self.counts.packets);
            if transmission.is_retransmission {
                count(&self.counts.retransmissions);
            }
            self.begin_packet(&pair, &transmission).await;
            self.arm_timer(&pair);
            self.schedule(&pair, now + self.parameters.queue_pair_gap);
        }
    }

    /// Returns whether the queue pair has a packet to send, without taking it.
    fn has_packet(&self, pair: &QueuePair) -> bool {
        let state = pair.state.borrow();
        !state.is_failed && state.requester.may_send(&self.limits)
    }

    /// Composes the headers of a packet, and begins to read its payload.
    async fn begin_packet(&self, pair: &Rc<QueuePair>, transmission: &Transmission<Rc<FetchedRequest>>) {
        let Transmission { work, number, psn, is_retransmission } = transmission;
        let (bytes, mtu) = (work.entry.bytes(), self.parameters.mtu.get());
        let packets = self.parameters.packets_of(bytes);
        let offset = u64::from(*number) * mtu;
        let payload_bytes = (bytes - offset).min(mtu);
        let rdma_header = |address, key, length| ExtendedHeader::Rdma(RdmaHeader { address, key, length });
        let atomic_header = |address, key, swap_or_add, compare| {
            ExtendedHeader::Atomic(AtomicHeader { address, key, swap_or_add, compare })
        };
        let (code, extended_header, payload_bytes) = match work.entry.remote {
            RemoteOperand::Send => {
                (OperationCode::of_packet(SEND_CODES, *number, packets), ExtendedHeader::None, payload_bytes)
            }
            RemoteOperand::Write(address, key) => {
                let code = OperationCode::of_packet(WRITE_CODES, *number, packets);
                let extended_header =
                    if code.has_reth() { rdma_header(address, key, bytes as u32) } else { ExtendedHeader::None };
                (code, extended_header, payload_bytes)
            }
            RemoteOperand::Read(address, key) => {
                (OperationCode::ReadRequest, rdma_header(address + offset, key, (bytes - offset) as u32), 0)
            }
            RemoteOperand::FetchAdd(address, key, add) => {
                (OperationCode::FetchAdd, atomic_header(address, key, add, 0), 0)
            }
            RemoteOperand::CompareSwap(address, key, expected, new) => {
                (OperationCode::CompareSwap, atomic_header(address, key, new, expected), 0)
            }
        };
        let asks_acknowledgement = code.is_last() || self.asks_within_message(*psn, *is_retransmission);
        let header = self.header(pair, code, *psn, asks_acknowledgement, extended_header);
        let payload = match &work.entry.data {
            _ if payload_bytes == 0 => PayloadRead::Bytes(Vec::new()),
            LocalData::Inline(data) => PayloadRead::Bytes(data[offset as usize..][..payload_bytes as usize].to_vec()),
            LocalData::Memory(address, _) => self.begin_read(address + offset, payload_bytes).await,
        };
        let is_last = *number + 1 == packets;
        let journey = if is_last { work.journey.fork() } else { Journey::NONE };
        if *is_retransmission {
            journey.close("retry", self.sim.now());
        }
        self.scheduled_packets.send(ScheduledPacket { header, payload, journey, ends_responses: None });
    }

    /// Returns whether a packet within a message asks for an acknowledgement, so that the window keeps moving.
    fn asks_within_message(&self, psn: Psn, is_retransmission: bool) -> bool {
        let is_selective = self.parameters.recovery == Recovery::Selective;
        (is_selective && is_retransmission) || psn.number().is_multiple_of((self.limits.window / 4).max(1))
    }

    /// Returns the headers of a packet of `pair`.
    pub(super) fn header(
        &self,
        pair: &QueuePair,
        code: OperationCode,
        psn: Psn,
        asks_acknowledgement: bool,
        extended_header: ExtendedHeader,
    ) -> RocePacket {
        let (to, queue_pair) = pair.peer.get().expect("a queue pair that sends is connected");
        let base = BaseHeader { code, queue_pair, asks_acknowledgement, psn, padding: 0 };
        RocePacket { from: self.node, to, port: PORT_BASE | pair.number as u16 & 0x3fff, base, extended_header }
    }

    /// Begins to read a payload from host memory.
    pub(super) async fn begin_read(&self, address: Address, bytes: u64) -> PayloadRead {
        self.translate(address, bytes).await;
        self.start_payload_read(address, bytes).await
    }
}
