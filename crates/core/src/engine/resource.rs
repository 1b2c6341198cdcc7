//! Resources, which one task holds at a time, and pools of interchangeable units.
//!
//! Both serve requests in the order of arrival. A resource records the time for which it was held, and the part of it
//! in which it moved data; utilisation is computed from these. If spans are kept, each hold is recorded as a span. The
//! module does not model priorities or preemption; they belong to the part that uses the resource.

use super::record::{SpanLabel, Track};
use super::sim::{NO_TASK, Sim, TaskId, WaitReasonId};
use super::time::Time;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// A resource that one task holds at a time.
pub struct Resource {
    sim: Sim,
    reason: WaitReasonId,
    /// The task that holds the resource or held it last, which deadlock reports name.
    holder: Rc<Cell<Option<TaskId>>>,
    is_held: Cell<bool>,
    held_since: Cell<Time>,
    held_total: Cell<Time>,
    moved_total: Cell<Time>,
    span_label: Cell<SpanLabel>,
    track: Track,
    grants: Cell<u64>,
    waiters: RefCell<VecDeque<TaskId>>,
    /// Whether a task waits. A release checks only this if none does.
    has_waiters: Cell<bool>,
}

impl Resource {
    /// Returns a free resource.
    pub fn new(sim: &Sim, name: impl Into<String>) -> Resource {
        let reason = sim.register_wait_reason(name);
        Resource {
            sim: sim.clone(),
            reason,
            holder: sim.holder(reason),
            is_held: Cell::new(false),
            held_since: Cell::default(),
            held_total: Cell::default(),
            moved_total: Cell::default(),
            span_label: Cell::default(),
            track: Track::default(),
            grants: Cell::new(0),
            waiters: RefCell::default(),
            has_waiters: Cell::new(false),
        }
    }

    /// Returns this resource, set to record a span for each hold on the track `name` of `group`.
    pub fn traced(mut self, group: &str, name: &str) -> Resource {
        self.track = self.sim.recorder().register_track(group, name);
        self
    }

    /// Waits for the resource and holds it until the guard is dropped.
    pub fn acquire(&self) -> Acquire<'_> {
        Acquire { resource: self, waiter: NO_TASK }
    }

    /// Takes the resource if it is free.
    #[inline]
    pub fn try_acquire(&self) -> Option<ResourceHold<'_>> {
        (!self.is_held.get()).then(|| {
            self.grant(self.sim.current());
            ResourceHold(self)
        })
    }

    /// Returns whether a task waits for the resource.
    pub fn is_wanted(&self) -> bool {
        self.has_waiters.get()
    }

    /// Returns whether a task holds the resource.
    pub fn is_held(&self) -> bool {
        self.is_held.get()
    }

    /// Returns the number of grants.
    pub fn grants(&self) -> u64 {
        self.grants.get()
    }

    /// Returns the total time for which the resource was held.
    pub fn held_total(&self) -> Time {
        let current_hold = match self.is_held.get() {
            true => self.sim.now().since(self.held_since.get()),
            false => Time::ZERO,
        };
        self.held_total.get() + current_hold
    }

    /// Records `times` uncontended holds of duration `time` each.
    pub fn add_holds(&self, time: Time, times: u64) {
        self.grants.set(self.grants.get() + times);
        self.held_total.set(self.held_total.get() + time * times);
    }

    /// Records that the resource moved data for `time` while it was held.
    pub fn add_moved_time(&self, time: Time) {
        self.moved_total.set(self.moved_total.get() + time);
    }

    /// Returns the total time for which the resource moved data.
    pub fn moved_total(&self) -> Time {
        self.moved_total.get()
    }

    #[inline]
    fn grant(&self, task: TaskId) {
        self.is_held.set(true);
        self.held_since.set(self.sim.now());
        self.grants.set(self.grants.get() + 1);
        self.holder.set((task != NO_TASK).then_some(task));
    }

    /// Excludes the part of the current hold before `start` from the totals.
    pub fn exclude_hold_before(&self, start: Time) {
        self.held_since.set(start);
    }

    /// Releases a hold that [`ResourceHold::into_raw`] detached from its guard.
    pub fn release_raw(&self) {
        self.release();
    }

    fn release(&self) {
        let now = self.sim.now();
        self.held_total.set(self.held_total.get() + now.since(self.held_since.get()));
        if self.sim.recorder().keeps_spans_of(self.track) {
            self.sim.recorder().record_span(self.track, self.span_label.take(), self.held_since.get(), now);
        }
        match self.has_waiters.get() {
            false => self.is_held.set(false),
            true => self.grant_next(),
        }
    }

    /// Grants the resource to the first waiting task.
    fn grant_next(&self) {
        let mut waiters = self.waiters.borrow_mut();
        let task = waiters.pop_front().expect("a task waits");
        self.has_waiters.set(!waiters.is_empty());
        drop(waiters);
        self.grant(task);
        self.sim.wake(task);
    }
}

/// Holds a [`Resource`] until dropped.
#[must_use = "a resource is held while its guard lives"]
pub struct ResourceHold<'a>(&'a Resource);

impl ResourceHold<'_> {
    /// Sets the label of the hold's span.
    pub fn set_span_label(&self, span_label: SpanLabel) {
        if self.0.sim.recorder().keeps_spans_of(self.0.track) {
            self.0.span_label.set(span_label);
        }
    }

    /// Drops the guard without releasing the resource, which stays held until [`Resource::release_raw`].
    pub fn into_raw(self) {
        std::mem::forget(self);
    }
}

impl Drop for ResourceHold<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Holds a [`Resource`] until dropped, without borrowing it.
#[must_use = "a resource is held while its guard lives"]
pub struct OwnedHold(Rc<Resource>);

impl OwnedHold {
    /// Waits for the resource and holds it.
    pub async fn acquire(resource: &Rc<Resource>) -> OwnedHold {
        // This guard releases the resource in place of the borrowing one.
        resource.acquire().await.into_raw();
        OwnedHold(resource.clone())
    }
}

impl Drop for OwnedHold {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// The wait of [`Resource::acquire`].
#[must_use = "a wait waits only when awaited"]
pub struct Acquire<'a> {
    resource: &'a Resource,
    /// The waiting task, if any.
    waiter: TaskId,
}

impl<'a> Future for Acquire<'a> {
    type Output = ResourceHold<'a>;
    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<ResourceHold<'a>> {
        let resource = self.resource;
        if self.waiter != NO_TASK {
            // The release that granted the resource woke this task.
            resource.sim.set_waiting(self.waiter, None);
            self.waiter = NO_TASK;
            return Poll::Ready(ResourceHold(resource));
        }
        let current = resource.sim.current();
        if !resource.is_held.get() {
            resource.grant(current);
            return Poll::Ready(ResourceHold(resource));
        }
        self.waiter = current;
        resource.waiters.borrow_mut().push_back(current);
        resource.has_waiters.set(true);
        resource.sim.set_waiting(current, Some(resource.reason));
        Poll::Pending
    }
}

impl Drop for Acquire<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.waiter != NO_TASK {
            self.cancel_wait();
        }
    }
}

impl Acquire<'_> {
    #[cold]
    fn cancel_wait(&self) {
        self.resource.sim.set_waiting(self.waiter, None);
        let mut waiters = self.resource.waiters.borrow_mut();
        match waiters.iter().position(|&task| task == self.waiter) {
            Some(index) => {
                waiters.remove(index);
                self.resource.has_waiters.set(!waiters.is_empty());
            }
            None => {
                // The resource was granted, but the task was dropped before it resumed.
                drop(waiters);
                self.resource.release();
            }
        }
    }
}

/// A pool of interchangeable units: buffers, credits, queue entries.
pub struct Pool {
    sim: Sim,
    reason: WaitReasonId,
    free: Cell<u64>,
    size: u64,
    waiters: RefCell<VecDeque<(TaskId, u64)>>,
}

impl Pool {
    /// Returns a pool of `size` free units.
    pub fn new(sim: &Sim, name: impl Into<String>, size: u64) -> Pool {
        Pool {
            sim: sim.clone(),
            reason: sim.register_wait_reason(name),
            free: Cell::new(size),
            size,
            waiters: RefCell::default(),
        }
    }

    /// Returns the number of free units.
    pub fn free(&self) -> u64 {
        self.free.get()
    }

    /// Returns the wait reason that deadlock reports name.
    pub fn wait_reason(&self) -> WaitReasonId {
        self.reason
    }

    /// Waits for `units` and takes them; they are returned with [`release`](Pool::release).
    pub fn acquire(&self, units: u64) -> PoolAcquire<'_> {
        assert!(units <= self.size, "a pool of {} can never give {units}", self.size);
        PoolAcquire { pool: self, units, deadline: Time::MAX, waiter: NO_TASK }
    }

    /// Acquires `units` as [`acquire`](Pool::acquire) does, but gives up at `deadline` without taking any.
    pub fn acquire_until(&self, units: u64, deadline: Time) -> PoolAcquire<'_> {
        let mut acquisition = self.acquire(units);
        acquisition.deadline = deadline;
        acquisition
    }

    /// Returns `units` to the pool, and serves waiting tasks.
    pub fn release(&self, units: u64) {
        let free = self.free.get() + units;
        assert!(free <= self.size, "more units were released to a pool than were acquired from it");
        self.free.set(free);
        self.serve_waiters();
    }

    /// Removes `task` from the waiting tasks. Returns `true` if it was served already.
    fn remove_waiter(&self, task: TaskId) -> bool {
        self.sim.set_waiting(task, None);
        let mut waiters = self.waiters.borrow_mut();
        let Some(index) = waiters.iter().position(|&(waiter, _)| waiter == task) else { return true };
        waiters.remove(index);
        drop(waiters);
        // Tasks behind the removed one may need fewer units.
        self.serve_waiters();
        false
    }

    /// Serves waiting tasks in the order of their requests, while the free units suffice.
    fn serve_waiters(&self) {
        let mut waiters = self.waiters.borrow_mut();
        while let Some(&(task, units)) = waiters.front() {
            let Some(remaining) = self.free.get().checked_sub(units) else { break };
            self.free.set(remaining);
            waiters.pop_front();
            self.sim.wake(task);
        }
    }
}

/// The wait of [`Pool::acquire`]; the result is `true` if the units were taken.
#[must_use = "a wait waits only when awaited"]
pub struct PoolAcquire<'a> {
    pool: &'a Pool,
    units: u64,
    deadline: Time,
    /// The waiting task, if any.
    waiter: TaskId,
}

impl Future for PoolAcquire<'_> {
    type Output = bool;
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<bool> {
        let (pool, current) = (self.pool, self.pool.sim.current());
        if self.waiter != NO_TASK {
            let waiter = std::mem::replace(&mut self.waiter, NO_TASK);
            return Poll::Ready(pool.remove_waiter(waiter));
        }
        if pool.waiters.borrow().is_empty() && pool.free.get() >= self.units {
            pool.free.set(pool.free.get() - self.units);
            return Poll::Ready(true);
        }
        self.waiter = current;
        pool.waiters.borrow_mut().push_back((current, self.units));
        pool.sim.set_waiting(current, Some(pool.reason));
        if self.deadline < Time::MAX {
            pool.sim.wake_at(self.deadline);
        }
        Poll::Pending
    }
}

impl Drop for PoolAcquire<'_> {
    fn drop(&mut self) {
        // If the wait was served but its task never resumed, the units are returned.
        if self.waiter != NO_TASK && self.pool.remove_waiter(self.waiter) {
            self.pool.release(self.units);
        }
    }
}
