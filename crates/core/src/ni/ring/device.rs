//! The registers of the device.
//!
//! | offset in the 64 bytes of a queue | register | access |
//! |---|---|---|
//! | 0, 4 | tail of the send ring, of the receive ring: the number of posted descriptors | write, 4 B |
//! | 8, 12 | head of the send ring, of the receive ring: the number of completed descriptors | read, 4 B |
//! | 16 | unmask interrupts: the numbers of received and of sent frames that the driver has handled | write, 8 B |

use super::moderation::Moderation;
use super::receive::ReceiveQueue;
use super::send::SendQueue;
use crate::host::Device;
use std::rc::Rc;

/// Bytes of the registers of a queue.
pub const QUEUE_BYTES: u64 = 64;
/// Register of the tail of the send ring.
pub const SEND_TAIL: u64 = 0;
/// Register of the tail of the receive ring.
pub const RECEIVE_TAIL: u64 = 4;
/// Register of the head of the send ring.
pub const SEND_HEAD: u64 = 8;
/// Register of the head of the receive ring.
pub const RECEIVE_HEAD: u64 = 12;
/// Register that unmasks interrupts.
pub const UNMASK: u64 = 16;
/// Upper half of the register [`UNMASK`]; the write of this half unmasks the interrupts.
const UNMASK_SENT: u64 = 20;

/// A pair of rings of the device.
pub struct QueuePair {
    pub send: Rc<SendQueue>,
    pub receive: Rc<ReceiveQueue>,
    /// Moderation of interrupts, if the driver takes interrupts.
    pub moderation: Option<Rc<Moderation>>,
}

/// The registers of all queues.
pub struct RingRegisters {
    pub queues: Rc<[QueuePair]>,
}

impl Device for RingRegisters {
    fn read(&self, at: u64, into: &mut [u8]) {
        let queue = &self.queues[(at / QUEUE_BYTES) as usize];
        let value = match at % QUEUE_BYTES {
            SEND_HEAD => queue.send.head(),
            RECEIVE_HEAD => queue.receive.head(),
            other => panic!("register {other} of a descriptor ring is not read"),
        };
        into.copy_from_slice(&value.to_le_bytes()[..into.len()]);
    }

    /// Buses may divide a write, or combine writes of adjacent registers.
    fn write(&self, at: u64, bytes: &[u8]) {
        let (words, _) = bytes.as_chunks::<4>();
        for (at, word) in (at..).step_by(4).zip(words) {
            self.write_word(at, u32::from_le_bytes(*word));
        }
    }
}

impl RingRegisters {
    fn write_word(&self, at: u64, value: u32) {
        let queue = &self.queues[(at / QUEUE_BYTES) as usize];
        let moderation = || queue.moderation.as_ref().expect("a driver with interrupts unmasks them");
        match at % QUEUE_BYTES {
            SEND_TAIL => queue.send.on_doorbell(value),
            RECEIVE_TAIL => queue.receive.descriptors.set_tail(value),
            UNMASK => moderation().note_received(value),
            UNMASK_SENT => moderation().unmask(value),
            other => panic!("register {other} of a descriptor ring is not written"),
        }
    }
}
