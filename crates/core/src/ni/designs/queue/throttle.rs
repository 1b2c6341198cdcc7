//! The throttle: a sender keeps to the period at which its receiver serves messages (§6.1.2).
//!
//! One rule. The receiving driver measures how long it takes over a message, from the end of the
//! one before where it came from that straight away, else from the poll that found it, and keeps
//! a moving average (one eighth of each new value) per block. Acknowledgments carry it back, an
//! eighth longer if the receiver has fallen behind (the message was there already when it came
//! from the one before), so that what has piled up is worked off. The sending driver begins a
//! message no earlier than that period, for the blocks of the message before, after it began that
//! one; before it has been told a period it has one message unacknowledged at a time.
//!
//! Leaves out: several receivers at once (the period is the one of the message's destination).

use crate::engine::{EndpointId, Time};
use crate::host::{AnyProcessor, Processor};
use crate::ni::parcel::Header;
use crate::ni::port::Port;
use std::cell::Cell;

/// The receiving side: measures.
#[derive(Default)]
pub struct Meter {
    begun: Cell<Time>,
    ended: Cell<Option<Time>>,
    behind: Cell<bool>,
    period: Cell<Time>,
}

impl Meter {
    /// A poll that began at `at` found a message.
    pub fn begin(&self, at: Time) {
        let ended = self.ended.take();
        self.behind.set(ended.is_some());
        self.begun.set(ended.unwrap_or(at));
    }

    /// A poll found nothing.
    pub fn idle(&self) {
        self.ended.set(None);
    }

    /// The message of `blocks` blocks was served; gives the period to be told, for a block.
    pub fn end(&self, at: Time, blocks: usize) -> Time {
        let sample = at.since(self.begun.get()) / blocks as u64;
        let average = self.period.get();
        self.period.set(if average == Time::ZERO { sample } else { (average * 7 + sample) / 8 });
        self.ended.set(Some(at));
        let period = self.period.get();
        if self.behind.get() { period + period / 8 } else { period }
    }
}

/// The sending side: waits.
#[derive(Default)]
pub struct Throttle {
    began: Cell<Time>,
    blocks: Cell<u64>,
}

impl Throttle {
    /// Waits until the next packet may be begun.
    pub async fn wait(&self, cpu: &AnyProcessor, port: &Port, next: &Header) {
        let period = Time::from_ps(port.heard(port.addresses().node(EndpointId(next.destination.into()))));
        if period == Time::ZERO {
            cpu.sync().await;
            while port.unacknowledged(None) > 0 {
                port.freed.wait().await;
            }
            cpu.until(cpu.sim().now()).await;
        }
        cpu.until(self.began.get() + period * self.blocks.get()).await;
        self.began.set(cpu.now());
        self.blocks.set(next.blocks() as u64);
    }
}
