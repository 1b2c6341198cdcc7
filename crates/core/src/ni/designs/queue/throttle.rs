//! The throttle: a sender adapts to the period at which its receiver serves messages (Mukherjee and Hill 1998, §6.1.2).
//!
//! The receiving driver measures the service time of each message. The time starts at the end of the previous message
//! if no unsuccessful poll came in between, and otherwise at the poll that found the message. The driver keeps a moving
//! average per block, in which a new sample has the weight 1/8. Acknowledgements carry the average back to the sender.
//! If the message had already arrived at the end of the previous one, the receiver is behind, and the average is
//! increased by one eighth so that the backlog shrinks.
//!
//! A program that sends between two messages waits for its own throttle. This wait is no service of messages, and is not
//! part of the sample: otherwise the waits of two nodes that send to each other would lengthen each other's periods
//! without bound. The paper does not mention this.
//!
//! The sending driver starts two successive messages at least one period per block of the first message apart. Until
//! it has received a period, it has at most one unacknowledged message.
//!
//! Two nodes can deadlock while neither has received a period. A sender then waits, without polling, for the
//! acknowledgement of its last message. The other interface sends that acknowledgement when its receive queue has a
//! free slot. If both senders have filled the other's receive queue, each waits for a slot that only the other,
//! waiting processor would free. Programs that receive between their sends do not reach this state, and queues of 32
//! blocks, which hold eight messages of 256 B, are the smallest in which they might reach it. The paper describes no
//! remedy.
//!
//! The model does not describe several receivers at once: the sender uses only the period of the present message's
//! destination.

use crate::engine::{EndpointId, Time};
use crate::host::{AnyProcessor, Processor};
use crate::ni::parcel::Header;
use crate::ni::port::Port;
use std::cell::Cell;
use std::rc::Rc;

/// The receiver's part: the measurement of the period.
#[derive(Default)]
pub struct Meter {
    /// Total time for which the node's senders have waited for their throttle.
    throttled_time: Rc<Cell<Time>>,
    /// `throttled_time` at `start_time` or, between messages, at the end of the previous message.
    start_throttled_time: Cell<Time>,
    start_time: Cell<Time>,
    previous_end: Cell<Option<Time>>,
    is_behind: Cell<bool>,
    period: Cell<Time>,
}

impl Meter {
    /// Creates a meter on a node whose throttle adds its waits to `throttled_time`.
    pub fn new(throttled_time: Rc<Cell<Time>>) -> Meter {
        Meter { throttled_time, ..Meter::default() }
    }

    /// Starts the measurement of a message that a poll, begun at `at`, has found.
    pub fn begin(&self, at: Time) {
        let previous_end = self.previous_end.take();
        self.is_behind.set(previous_end.is_some());
        if previous_end.is_none() {
            self.start_throttled_time.set(self.throttled_time.get());
        }
        self.start_time.set(previous_end.unwrap_or(at));
    }

    /// Records an unsuccessful poll.
    pub fn idle(&self) {
        self.previous_end.set(None);
    }

    /// Ends the measurement of a message of `blocks` blocks; returns the period per block that is reported to the
    /// sender.
    pub fn end(&self, at: Time, blocks: usize) -> Time {
        let throttled_time = self.throttled_time.get() - self.start_throttled_time.replace(self.throttled_time.get());
        let sample = at.since(self.start_time.get() + throttled_time) / blocks as u64;
        let average = self.period.get();
        self.period.set(if average == Time::ZERO { sample } else { (average * 7 + sample) / 8 });
        self.previous_end.set(Some(at));
        let period = self.period.get();
        if self.is_behind.get() { period + period / 8 } else { period }
    }
}

/// The sender's part: the delay of messages.
#[derive(Default)]
pub struct Throttle {
    /// Total time of all waits.
    throttled_time: Rc<Cell<Time>>,
    start_time: Cell<Time>,
    previous_blocks: Cell<u64>,
}

impl Throttle {
    /// Creates a throttle that adds its waits to `throttled_time`.
    pub fn new(throttled_time: Rc<Cell<Time>>) -> Throttle {
        Throttle { throttled_time, ..Throttle::default() }
    }

    /// Waits until the next packet may be started.
    pub async fn wait(&self, cpu: &AnyProcessor, port: &Port, next: &Header) {
        let wait_start = cpu.now();
        let period = Time::from_ps(port.feedback_from(port.addresses().node(EndpointId(next.destination))));
        if period == Time::ZERO {
            cpu.sync().await;
            while port.unacknowledged(None) > 0 {
                port.freed.wait().await;
            }
            cpu.until(cpu.sim().now()).await;
        }
        cpu.until(self.start_time.get() + period * self.previous_blocks.get()).await;
        self.start_time.set(cpu.now());
        self.throttled_time.set(self.throttled_time.get() + (cpu.now() - wait_start));
        self.previous_blocks.set(next.blocks() as u64);
    }
}
