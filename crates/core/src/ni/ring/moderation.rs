//! Interrupts of a queue, and their moderation.
//!
//! The device counts the completions of each ring that it has not announced. It raises an interrupt when there are
//! `moderation-packets` of them, or `moderation-time` after the first. An interrupt may mask further interrupts. To
//! unmask them, the driver writes the numbers of completions that it has handled. If there are more completions, the
//! device raises an interrupt at once.

use super::context::RingSide;
use super::parameters::KernelDriverParameters;
use crate::engine::{Signal, Sim, Time};
use crate::host::{Host, InterruptVector, WeakHost};
use std::cell::Cell;
use std::rc::Rc;

/// The interrupts of a queue.
pub struct Moderation {
    sim: Sim,
    host: WeakHost,
    vector: InterruptVector,
    parameters: KernelDriverParameters,
    /// Completions of the send and of the receive ring.
    completed_counts: [Cell<u64>; 2],
    /// Completions that no interrupt has announced.
    unannounced_completions: [Cell<u64>; 2],
    /// Latest instant at which these completions are announced.
    deadlines: [Cell<Time>; 2],
    is_masked: Cell<bool>,
    /// Number of received frames that the driver has handled, as it last reported.
    handled_frames: Cell<u32>,
    timer_armed: Signal,
    /// Number of interrupts.
    pub raised_interrupts: Cell<u64>,
}

impl RingSide {
    const ALL: [RingSide; 2] = [RingSide::Send, RingSide::Receive];

    /// Returns the cause bit of this side's interrupts.
    pub fn cause(self) -> u32 {
        1 << self as u32
    }
}

impl Moderation {
    /// Creates the interrupts of the queue `name`, which are raised at `vector`.
    pub fn start(
        (sim, host): (&Sim, &Host),
        name: &str,
        vector: InterruptVector,
        parameters: &KernelDriverParameters,
    ) -> Rc<Moderation> {
        let moderation = Rc::new(Moderation {
            sim: sim.clone(),
            host: host.downgrade(),
            vector,
            parameters: parameters.clone(),
            completed_counts: Default::default(),
            unannounced_completions: Default::default(),
            deadlines: [const { Cell::new(Time::MAX) }; 2],
            is_masked: Cell::new(false),
            handled_frames: Cell::default(),
            timer_armed: Signal::new(sim, format!("{name}: a completion to announce")),
            raised_interrupts: Cell::default(),
        });
        if parameters.moderation_time > Time::ZERO {
            let timer = moderation.clone();
            sim.spawn_server(format!("{name} interrupt moderation"), async move { timer.run_timers().await });
        }
        moderation
    }

    /// Counts completions of `side`, whose writes the device has posted.
    pub fn count_completions(&self, side: RingSide, count: u64) {
        let (completed_counts, unannounced) =
            (&self.completed_counts[side as usize], &self.unannounced_completions[side as usize]);
        completed_counts.set(completed_counts.get() + count);
        let is_first = unannounced.replace(unannounced.get() + count) == 0;
        if self.is_masked.get() {
            return;
        }
        if self.parameters.moderation_time == Time::ZERO || unannounced.get() >= self.parameters.moderation_packets {
            return self.raise(side);
        }
        if is_first {
            self.deadlines[side as usize].set(self.sim.now() + self.parameters.moderation_time);
            self.timer_armed.notify();
        }
    }

    /// Records the lower 32 bits of the number of received frames that the driver has handled.
    pub fn note_received(&self, handled_frames: u32) {
        self.handled_frames.set(handled_frames);
    }

    /// Unmasks interrupts. `sent_frames` holds the lower 32 bits of the number of sent frames that the driver has
    /// handled.
    pub fn unmask(&self, sent_frames: u32) {
        let handled_counts = [sent_frames, self.handled_frames.get()];
        self.is_masked.set(false);
        for side in RingSide::ALL {
            let unannounced =
                (self.completed_counts[side as usize].get() as u32).wrapping_sub(handled_counts[side as usize]);
            self.unannounced_completions[side as usize].set(u64::from(unannounced));
            if unannounced > 0 && !self.is_masked.get() {
                self.raise(side);
            }
        }
    }

    fn raise(&self, side: RingSide) {
        self.raised_interrupts.set(self.raised_interrupts.get() + 1);
        let announced_completions =
            self.unannounced_completions[side as usize].get().min(match self.parameters.moderation_time {
                Time::ZERO => u64::MAX,
                _ => self.parameters.moderation_packets,
            });
        self.unannounced_completions[side as usize]
            .set(self.unannounced_completions[side as usize].get() - announced_completions);
        self.deadlines[side as usize].set(Time::MAX);
        self.is_masked.set(self.parameters.masks_interrupts);
        self.host.get().interrupts().raise(self.vector, side.cause());
        if self.unannounced_completions[side as usize].get() > 0 && !self.is_masked.get() {
            self.announce_remaining(side);
        }
    }

    /// Raises further interrupts, or arms the timer, for completions beyond those that were announced.
    fn announce_remaining(&self, side: RingSide) {
        if self.unannounced_completions[side as usize].get() >= self.parameters.moderation_packets {
            return self.raise(side);
        }
        self.deadlines[side as usize].set(self.sim.now() + self.parameters.moderation_time);
        self.timer_armed.notify();
    }

    async fn run_timers(&self) {
        loop {
            let next_deadline = self.deadlines[0].get().min(self.deadlines[1].get());
            if next_deadline > self.sim.now() {
                self.timer_armed.wait_until(next_deadline).await;
                continue;
            }
            for side in RingSide::ALL {
                if self.deadlines[side as usize].get() <= self.sim.now() {
                    match self.is_masked.get() {
                        true => self.deadlines[side as usize].set(Time::MAX),
                        false => self.raise(side),
                    }
                }
            }
        }
    }
}
