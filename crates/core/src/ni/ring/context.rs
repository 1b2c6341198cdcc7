//! The state that both sides of the device share, and the transfers of the device.

use super::parameters::RingParameters;
use crate::engine::{Bytes, Signal, Sim};
use crate::host::{Address, DmaCompletion, DmaOperation, DmaPort, DmaRequest, DmaSource, WeakHost, submit_when_free};
use crate::ni::port::Port;
use std::cell::Cell;
use std::rc::Rc;

/// A direction of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RingSide {
    /// The send ring.
    Send,
    /// The receive ring.
    Receive,
}

/// The state that all queues of the device share.
pub struct DeviceContext {
    pub sim: Sim,
    pub name: String,
    pub host: WeakHost,
    pub parameters: RingParameters,
    pub port: Rc<Port>,
    pub dma: Rc<dyn DmaPort>,
    /// Whether writes and interrupts become visible in the order of their submission.
    pub orders_writes: bool,
    /// Notified when the driver may find a received frame.
    pub frame_arrived: Signal,
    /// Notified when the driver may find a received frame or a completed send.
    pub queue_changed: Signal,
    /// Number of notifications of `queue_changed`, and number of those that concern the send side.
    pub notification_count: Cell<u64>,
    pub send_notification_count: Cell<u64>,
    /// Writes of completions.
    pub write_back_count: Cell<u64>,
}

impl DeviceContext {
    /// Notifies a waiting driver of a change on `side`.
    pub fn notify(&self, side: RingSide) {
        self.notification_count.set(self.notification_count.get() + 1);
        match side {
            RingSide::Receive => self.frame_arrived.notify(),
            RingSide::Send => self.send_notification_count.set(self.send_notification_count.get() + 1),
        }
        self.queue_changed.notify();
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
