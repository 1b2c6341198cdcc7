//! The device: its registers, and what the send and the receive side share.
//!
//! | offset in the 64 bytes of a queue | register | access |
//! |---|---|---|
//! | 0, 4 | tail of the send ring, of the receive ring: the number of posted descriptors | write, 4 B |
//! | 8, 12 | head of the send ring, of the receive ring: the number of completed descriptors | read, 4 B |
//! | 16 | unmask interrupts: the numbers of received and of sent frames that the driver has handled | write, 8 B |

use super::moderation::Moderation;
use super::parameters::RingParameters;
use super::receive::ReceiveQueue;
use super::send::SendQueue;
use crate::engine::{Bytes, Signal, Sim};
use crate::host::{
    Address, Device, DmaCompletion, DmaOperation, DmaPort, DmaRequest, DmaSource, Host, submit_when_free,
};
use crate::ni::port::Port;
use std::cell::Cell;
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

/// A direction of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RingSide {
    /// The send ring.
    Send,
    /// The receive ring.
    Receive,
}

/// What all queues of the device share.
pub struct DeviceContext {
    pub sim: Sim,
    pub name: String,
    pub host: Host,
    pub parameters: RingParameters,
    pub port: Rc<Port>,
    pub dma: Rc<dyn DmaPort>,
    /// Whether writes and interrupts become visible in the order of their submission.
    pub orders_writes: bool,
    /// Notified when the driver may find a received frame.
    pub arrived: Signal,
    /// Notified when the driver may find a received frame or a completed send.
    pub changed: Signal,
    /// Number of notifications of `changed`, and of those for the send side.
    pub changes: Cell<u64>,
    pub send_changes: Cell<u64>,
    /// Writes of completions.
    pub write_backs: Cell<u64>,
}

impl DeviceContext {
    /// Notifies a waiting driver of a change on `side`.
    pub fn notify(&self, side: RingSide) {
        self.changes.set(self.changes.get() + 1);
        match side {
            RingSide::Receive => self.arrived.notify(),
            RingSide::Send => self.send_changes.set(self.send_changes.get() + 1),
        }
        self.changed.notify();
    }

    /// Submits a write as soon as the port accepts it.
    pub async fn submit_write(&self, address: Address, source: DmaSource) -> DmaCompletion {
        submit_when_free(&*self.dma, &DmaRequest { address, operation: DmaOperation::Write(source) }).await
    }
}

/// Submits a read as soon as the port accepts it.
pub async fn submit_read(dma: &dyn DmaPort, address: Address, bytes: u64) -> DmaCompletion {
    submit_when_free(dma, &DmaRequest { address, operation: DmaOperation::Read(Bytes(bytes)) }).await
}

/// Waits for the end of a read, and returns its bytes.
pub async fn read_bytes(mut read: DmaCompletion) -> Vec<u8> {
    read.read_to_end().await
}

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
