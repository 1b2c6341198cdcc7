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

    fn write(&self, at: u64, bytes: &[u8]) {
        let queue = &self.queues[(at / QUEUE_BYTES) as usize];
        let word = |offset: usize| {
            let bytes = bytes.get(offset..offset + 4).expect("a register has its bytes");
            u32::from_le_bytes(bytes.try_into().expect("four bytes"))
        };
        match at % QUEUE_BYTES {
            SEND_TAIL => queue.send.ring(word(0)),
            RECEIVE_TAIL => queue.receive.descriptors.ring(word(0)),
            UNMASK => {
                let moderation = queue.moderation.as_ref().expect("a driver with interrupts unmasks them");
                moderation.unmask([word(4), word(0)]);
            }
            other => panic!("register {other} of a descriptor ring is not written"),
        }
    }
}
