//! The device's reads of the doorbell records of completion and receive queues, and of the entries of receive queues.

use super::RdmaDevice;
use crate::host::Address;
use crate::ni::rdma::completion_queue::CompletionQueue;
use crate::ni::rdma::receive_queue::{PostedBuffer, ReceiveQueue};
use std::rc::Rc;

impl RdmaDevice {
    /// Reserves the next entry of a completion queue, and first reads its record if the queue seems full. Returns
    /// `None` if the queue has overrun.
    pub(super) async fn reserve_completion(&self, queue: &CompletionQueue) -> Option<u64> {
        if let Some(record) = queue.record_to_read() {
            queue.set_known_taken_entries(self.read_record(record).await);
        }
        queue.reserve()
    }

    /// Takes the next buffer of a receive queue; returns `None` if none is posted.
    pub(super) async fn take_buffer(&self, queue: &Rc<ReceiveQueue>) -> Option<PostedBuffer> {
        if queue.is_empty() {
            self.request_refill(queue);
            queue.wait_refilled().await;
        }
        let buffer = queue.pop();
        if buffer.is_some() && queue.needs_refill() {
            self.request_refill(queue);
        }
        buffer
    }

    /// Requests the reading of buffers of a receive queue, unless it is requested already.
    fn request_refill(&self, queue: &Rc<ReceiveQueue>) {
        if queue.begin_refill() {
            self.queues_to_refill.send(queue.clone());
        }
    }

    pub(super) async fn run_refills(self: Rc<Self>) {
        loop {
            let queue = self.queues_to_refill.receive().await;
            self.refill(&queue).await;
        }
    }

    /// Reads buffers from the ring, and first the record if all known buffers have been read.
    async fn refill(&self, queue: &ReceiveQueue) {
        if let Some(record) = queue.record_to_read() {
            queue.set_known_buffers(self.read_record(record).await);
        }
        if let Some((address, bytes)) = queue.entries_to_read() {
            queue.add_entries(&self.read_memory(address, bytes).await);
        }
        queue.end_refill();
    }

    /// Reads the record of a queue.
    async fn read_record(&self, address: Address) -> u64 {
        let record = self.read_memory(address, 8).await;
        u64::from_le_bytes(record.try_into().expect("eight bytes"))
    }
}
