//! Enqueueing of packets to send on the two levels of the send queue, and their completion.

use super::card::CardDriver;
use super::layout::{send_slot, state};
use super::queue::Descriptor;
use crate::host::{AnyProcessor, Processor};
use crate::ni::word_copy::bytes_of;

impl CardDriver {
    /// Sends a packet for which a descriptor has been reserved: at once if the interface has a free slot and no other
    /// packet waits, and otherwise after the waiting packets.
    pub(super) async fn enqueue(&self, cpu: &AnyProcessor, packet: Descriptor) {
        let queue = &self.send_queue;
        if queue.free_slots.get() == 0 || !queue.waiting_packets.borrow().is_empty() {
            return queue.waiting_packets.borrow_mut().push_back(packet);
        }
        self.fill_slot(cpu, packet).await;
    }

    /// Fills a slot. The state word is written last, since the firmware takes the slot once the state is set.
    async fn fill_slot(&self, cpu: &AnyProcessor, packet: Descriptor) {
        let queue = &self.send_queue;
        let slot = self.layout.slot_address(queue.next_slot.get());
        queue.next_slot.set(queue.next_slot.get() + 1);
        queue.free_slots.set(queue.free_slots.get() - 1);
        queue.buffers_in_interface.borrow_mut().push_back(packet.freed_buffer);
        self.instruments.sending_journeys.borrow_mut().push_back(packet.journey.clone());
        let checksum_flag = if packet.fills_checksum { send_slot::FILLS_CHECKSUM_FLAG } else { 0 };
        let mut words =
            vec![packet.length as u32, packet.to.0, packet.endpoints, packet.pieces.len() as u32 | checksum_flag];
        words.extend(packet.pieces.iter().flat_map(|piece| [piece.address as u32, piece.bytes as u32]));
        cpu.write_run(self.window.at(slot + send_slot::LENGTH), &bytes_of(&words)).await;
        cpu.write_run(self.window.at(slot + send_slot::STATE), &state::FILLED.to_le_bytes()).await;
    }

    /// Handles the completion of messages: frees the buffers of the messages that were sent since the last call, at a
    /// cost of `cycles` each, and fills their slots with waiting packets. `sent_messages` is the number of messages
    /// sent since the run began.
    pub(super) async fn complete_sends(&self, cpu: &AnyProcessor, sent_messages: u32, cycles: u64) {
        let queue = &self.send_queue;
        let newly_sent = sent_messages.wrapping_sub(queue.handled_messages.replace(sent_messages));
        for _ in 0..newly_sent {
            cpu.work(cycles);
            let buffer =
                queue.buffers_in_interface.borrow_mut().pop_front().expect("a sent message was in the interface");
            self.free_send_buffers.borrow_mut().extend(buffer);
            queue.free_slots.set(queue.free_slots.get() + 1);
            queue.unreserved_descriptors.set(queue.unreserved_descriptors.get() + 1);
        }
        while queue.free_slots.get() > 0 {
            let Some(packet) = queue.waiting_packets.borrow_mut().pop_front() else { break };
            self.fill_slot(cpu, packet).await;
        }
        self.send_wakeup.notify();
    }
}
