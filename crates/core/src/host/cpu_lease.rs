//! The lease of a processor that a program or an interrupt handler holds while it runs.

use super::any_processor::AnyProcessor;
use super::processor::Processor;
use crate::engine::resource::Acquire;
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, SpanLabel, Time};
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The exclusive use of a processor, until the lease is dropped.
#[must_use = "a processor is held while its lease lives"]
pub struct CpuLease {
    cpu: AnyProcessor,
    /// Activity of the span that is recorded when the lease is dropped.
    activity: &'static str,
    /// Start of the span that is recorded next.
    span_start: Cell<Time>,
    /// Task that acquired the lease. While the lease exists, the task's time is accounted as work, except in loops that
    /// poll.
    task: TaskId,
}

/// The future of [`AnyProcessor::acquire`].
#[must_use = "a request is granted only when awaited"]
pub struct AcquireCpu<'a> {
    cpu: &'a AnyProcessor,
    request: Acquire<'a>,
    activity: &'static str,
}

impl AnyProcessor {
    /// Acquires the processor until the lease is dropped, and names the recorded span of the lease `activity`. Programs
    /// and interrupt handlers share the processor.
    pub fn acquire(&self, activity: &'static str) -> AcquireCpu<'_> {
        AcquireCpu { cpu: self, request: self.arbiter().request(), activity }
    }
}

impl Future for AcquireCpu<'_> {
    type Output = CpuLease;
    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CpuLease> {
        // `CpuLease::drop` releases the resource.
        ready!(Pin::new(&mut self.request).poll(context)).into_raw();
        self.cpu.enter();
        let span_start = Cell::new(self.cpu.arbiter().begin_lease());
        let (sim, task) = (self.cpu.sim(), self.cpu.sim().current());
        sim.add_work(task, true);
        Poll::Ready(CpuLease { cpu: self.cpu.clone(), activity: self.activity, span_start, task })
    }
}

impl CpuLease {
    /// Records a span named `activity`, for `message` if there is one, from the end of the last recorded span until
    /// now.
    pub fn record_span(&self, activity: &'static str, message: Option<u64>, bytes: usize) {
        if self.cpu.arbiter().is_recorded() {
            self.record_labelled_span(SpanLabel { activity, message, bytes: Bytes(bytes as u64) });
        }
    }

    #[cold]
    fn record_labelled_span(&self, label: SpanLabel) {
        let (start, end) = (self.span_start.get(), self.cpu.now());
        self.cpu.arbiter().record_span(label, start, end);
        self.span_start.set(end);
    }
}

impl Drop for CpuLease {
    fn drop(&mut self) {
        self.record_span(self.activity, None, 0);
        self.cpu.sim().add_work(self.task, false);
        self.cpu.leave();
        self.cpu.arbiter().end_lease(self.cpu.now());
    }
}
