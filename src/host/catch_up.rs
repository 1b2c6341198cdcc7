//! The simulation catches up with a processor whose own clock runs ahead of it.

use super::cpu::Processor;
use crate::engine::Time;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// How far the simulation is behind a processor.
pub enum Behind<'a> {
    /// It has seen all that the processor did.
    Nothing,
    /// The processor works until an instant.
    Until(Time),
    /// It works in stretches, as those above it let it.
    Stretches(Pin<Box<dyn Future<Output = ()> + 'a>>),
}

/// The wait of [`Processor::sync`]. One for all processors, for programs wait here more than anywhere.
#[must_use = "the simulation catches up only when awaited"]
pub struct CatchUp<'a, C> {
    cpu: &'a C,
    wait: Option<Wait<'a>>,
}

impl<'a, C> CatchUp<'a, C> {
    /// The simulation catches up with `cpu`.
    pub(super) fn new(cpu: &'a C) -> CatchUp<'a, C> {
        CatchUp { cpu, wait: None }
    }
}

enum Wait<'a> {
    Delay,
    Stretches(Pin<Box<dyn Future<Output = ()> + 'a>>),
}

impl<C: Processor> Future for CatchUp<'_, C> {
    type Output = ();
    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let cpu = self.cpu;
        let wait = match &mut self.wait {
            Some(Wait::Delay) => {
                cpu.end_sync();
                return Poll::Ready(());
            }
            Some(Wait::Stretches(work)) => return work.as_mut().poll(context),
            wait => wait,
        };
        match cpu.begin_sync() {
            Behind::Nothing => Poll::Ready(()),
            Behind::Until(instant) => {
                let passed = Pin::new(&mut cpu.sim().until(instant)).poll(context);
                match passed {
                    Poll::Ready(()) => cpu.end_sync(),
                    Poll::Pending => *wait = Some(Wait::Delay),
                }
                passed
            }
            Behind::Stretches(mut work) => {
                let polled = work.as_mut().poll(context);
                *wait = Some(Wait::Stretches(work));
                polled
            }
        }
    }
}
