//! The device reads requests: it finds the context of the queue pair, takes a request from BlueFlame or reads
//! requests from the send queue, and admits them to the transport after its processing time.

use super::RdmaDevice;
use super::doorbell::DoorbellWrite;
use super::queue_pair::{FetchedRequest, QueuePair};
use crate::engine::Time;
use crate::ni::dma_stages;
use crate::ni::rdma::transport::requester::RequestKind;
use crate::ni::rdma::work_request::{BLOCK_BYTES, RemoteOperand, WorkEntry};
use crate::ni::verbs::WorkStatus;
use std::rc::Rc;

/// Largest number of blocks that one DMA read fetches.
const BLOCKS_PER_READ: u16 = 8;

impl RdmaDevice {
    pub(super) async fn run_fetch(self: Rc<Self>) {
        loop {
            // Several tasks take doorbells, and only one task may call `receive` of a mailbox.
            let doorbell = loop {
                match self.doorbells.try_receive() {
                    Some(doorbell) => break doorbell,
                    None => self.doorbells.arrival_signal().wait().await,
                };
            };
            if let Some(pair) = self.queue_pair(doorbell.queue_pair) {
                self.fetch(&pair, doorbell).await;
            }
        }
    }

    /// Reads the requests that a doorbell announces, unless another task reads requests of the queue pair already.
    async fn fetch(&self, pair: &Rc<QueuePair>, doorbell: DoorbellWrite) {
        self.find_context(pair.number).await;
        {
            let mut state = pair.state.borrow_mut();
            if (doorbell.producer.wrapping_sub(state.producer) as i16) > 0 {
                state.producer = doorbell.producer;
                state.doorbell_writes.push_back((doorbell.producer, doorbell.arrival_time));
            }
            if std::mem::replace(&mut state.is_fetching, true) {
                return;
            }
        }
        if let Some(request) = doorbell.request {
            let consumer = pair.state.borrow().consumer;
            let entry = WorkEntry::decode(&request);
            if entry.index == consumer {
                pair.state.borrow_mut().consumer = doorbell.producer;
                self.admit(pair, entry, doorbell.producer, self.sim.now());
            }
        }
        while let Some((from, blocks)) = next_blocks(pair) {
            let read_start = self.sim.now();
            let mut bytes = self.read_memory(pair.block(from), u64::from(blocks) * BLOCK_BYTES as u64).await;
            let mut offset = 0;
            while offset < bytes.len() {
                let length = usize::from(WorkEntry::blocks(&bytes[offset..])) * BLOCK_BYTES;
                if offset + length > bytes.len() {
                    // The rest of the request is at the beginning of the queue, or behind the blocks that were read.
                    let next = from.wrapping_add((bytes.len() / BLOCK_BYTES) as u16);
                    bytes.extend(self.read_memory(pair.block(next), BLOCK_BYTES as u64).await);
                    continue;
                }
                let entry = WorkEntry::decode(&bytes[offset..offset + length]);
                offset += length;
                self.admit(pair, entry, from.wrapping_add((offset / BLOCK_BYTES) as u16), read_start);
            }
            pair.state.borrow_mut().consumer = from.wrapping_add((bytes.len() / BLOCK_BYTES) as u16);
        }
        pair.state.borrow_mut().is_fetching = false;
    }

    /// Starts the processing of a request whose read began at `read_start`; `end` is the index of the block behind the
    /// request.
    fn admit(&self, pair: &Rc<QueuePair>, entry: WorkEntry, end: u16, read_start: Time) {
        let (journey, doorbell_time) = {
            let mut state = pair.state.borrow_mut();
            (state.journeys.pop_front().unwrap_or_default(), state.doorbell_arrival(end).unwrap_or(self.sim.now()))
        };
        let (now, admission_time) = (self.sim.now(), self.sim.now() + self.parameters.send_processing);
        journey.add_service(Time::ZERO, doorbell_time);
        journey.close(dma_stages::DOORBELL.pattern, doorbell_time);
        journey.add_service(read_start, now);
        journey.close(dma_stages::DESCRIPTOR.pattern, now);
        journey.add_service(now, admission_time);
        let request = Rc::new(FetchedRequest { entry, journey });
        self.requests_to_admit.send_at(admission_time, (pair.clone(), request));
    }

    pub(super) async fn run_admission(self: Rc<Self>) {
        loop {
            let (pair, request) = self.requests_to_admit.receive().await;
            request.journey.close_if_lasted("send processing", self.sim.now());
            if pair.state.borrow().is_failed {
                self.end_work(&pair, &request, WorkStatus::Flushed);
                continue;
            }
            let (kind, packets) = match request.entry.remote {
                RemoteOperand::Send | RemoteOperand::Write(..) => {
                    (RequestKind::OneWay, self.parameters.packets_of(request.entry.bytes()))
                }
                RemoteOperand::Read(..) => {
                    (RequestKind::WithResponse, self.parameters.packets_of(request.entry.bytes()))
                }
                RemoteOperand::FetchAdd(..) | RemoteOperand::CompareSwap(..) => (RequestKind::WithResponse, 1),
            };
            pair.state.borrow_mut().requester.add(request, kind, packets);
            self.schedule(&pair, self.sim.now());
        }
    }
}

/// Returns the index of the first block that was announced and not read, and the number of blocks to read from there
/// on. The blocks do not extend beyond the end of the queue.
fn next_blocks(pair: &QueuePair) -> Option<(u16, u16)> {
    let state = pair.state.borrow();
    let announced_blocks = state.producer.wrapping_sub(state.consumer);
    let blocks_to_end = pair.send_blocks - u32::from(state.consumer) % pair.send_blocks;
    let blocks = announced_blocks.min(blocks_to_end.min(BLOCKS_PER_READ.into()) as u16);
    (blocks > 0).then_some((state.consumer, blocks))
}
