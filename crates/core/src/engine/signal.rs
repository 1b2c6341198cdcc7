//! Synchronisation of tasks: signals, which carry no value, and mailboxes.

use super::sim::{NO_TASK, Sim, TaskId, WaitReasonId};
use super::time::Time;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Wakes waiting tasks when something has changed; each then checks its condition again.
pub struct Signal {
    sim: Sim,
    reason: WaitReasonId,
    waiters: Waiters,
}

/// The tasks that wait for a signal, in the order in which they began to wait. Most signals have one waiter at most, so
/// the first is kept apart from the others.
struct Waiters {
    first: Cell<TaskId>,
    /// The others; empty if there is no first one.
    others: RefCell<Vec<TaskId>>,
}

impl Waiters {
    #[inline]
    fn is_empty(&self) -> bool {
        self.first.get() == NO_TASK
    }

    #[inline]
    fn push(&self, task: TaskId) {
        match self.is_empty() {
            true => self.first.set(task),
            false => self.others.borrow_mut().push(task),
        }
    }

    /// Takes at most `tasks_max` tasks, and calls `wake` for each.
    #[inline]
    fn wake_first(&self, tasks_max: usize, mut wake: impl FnMut(TaskId)) {
        if tasks_max == 0 || self.is_empty() {
            return;
        }
        wake(self.first.replace(NO_TASK));
        let mut others = self.others.borrow_mut();
        if !others.is_empty() {
            let taken_count = (tasks_max - 1).min(others.len());
            others.drain(..taken_count).for_each(wake);
            self.first.set(if others.is_empty() { NO_TASK } else { others.remove(0) });
        }
    }

    /// Removes `task`. Returns whether the task was waiting.
    #[inline]
    fn remove(&self, task: TaskId) -> bool {
        let first = self.first.get();
        if first == NO_TASK {
            return false;
        }
        let mut others = self.others.borrow_mut();
        if first == task {
            self.first.set(if others.is_empty() { NO_TASK } else { others.remove(0) });
            return true;
        }
        let index = others.iter().position(|&waiter| waiter == task);
        index.map(|index| others.remove(index)).is_some()
    }
}

impl Signal {
    /// Creates a signal. Deadlock reports call a wait for it `name`.
    pub fn new(sim: &Sim, name: impl Into<String>) -> Signal {
        let waiters = Waiters { first: Cell::new(NO_TASK), others: RefCell::default() };
        Signal { sim: sim.clone(), reason: sim.register_wait_reason(name), waiters }
    }

    /// Returns the wait reason that deadlock reports name.
    pub fn wait_reason(&self) -> WaitReasonId {
        self.reason
    }

    /// Wakes every waiting task.
    #[inline]
    pub fn notify(&self) {
        if !self.waiters.is_empty() {
            self.wake_all();
        }
    }

    /// Wakes at most `tasks_max` waiting tasks, in the order in which they began to wait.
    pub fn notify_first(&self, tasks_max: usize) {
        self.waiters.wake_first(tasks_max, |task| self.sim.wake(task));
    }

    /// Wakes every waiting task at `instant`.
    pub fn notify_at(&self, instant: Time) {
        self.waiters.wake_first(usize::MAX, |task| self.sim.wake_task_at(task, instant));
    }

    fn wake_all(&self) {
        self.waiters.wake_first(usize::MAX, |task| self.sim.wake(task));
    }

    /// Waits for the next [`notify`](Signal::notify).
    pub fn wait(&self) -> SignalWait<'_> {
        self.wait_until(Time::MAX)
    }

    /// Waits for the next [`notify`](Signal::notify), or until `deadline`. The future returns whether the signal was
    /// notified.
    pub fn wait_until(&self, deadline: Time) -> SignalWait<'_> {
        self.wait_for(self.reason, deadline)
    }

    /// Waits as [`wait_until`](Signal::wait_until) does; deadlock reports name `reason`.
    pub fn wait_for(&self, reason: WaitReasonId, deadline: Time) -> SignalWait<'_> {
        SignalWait { signal: self, reason, deadline, waiter: NO_TASK }
    }

    /// Removes `task` from the waiting tasks. Returns whether the task had already been notified.
    #[inline]
    fn remove_waiter(&self, task: TaskId) -> bool {
        self.sim.set_waiting(task, None);
        !self.waiters.remove(task)
    }
}

/// The future of [`Signal::wait`].
#[must_use = "a wait waits only when awaited"]
pub struct SignalWait<'a> {
    signal: &'a Signal,
    reason: WaitReasonId,
    deadline: Time,
    /// The waiting task, if any.
    waiter: TaskId,
}

impl Future for SignalWait<'_> {
    type Output = bool;
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<bool> {
        let sim = &self.signal.sim;
        if self.waiter != NO_TASK {
            let waiter = std::mem::replace(&mut self.waiter, NO_TASK);
            return Poll::Ready(self.signal.remove_waiter(waiter));
        }
        // If no other task acts before the deadline, none notifies the signal.
        if self.deadline < Time::MAX && sim.try_advance(self.deadline) {
            return Poll::Ready(false);
        }
        let current = sim.current();
        self.signal.waiters.push(current);
        sim.set_waiting(current, Some(self.reason));
        if self.deadline < Time::MAX {
            sim.request_wakeup(self.deadline);
        }
        self.waiter = current;
        Poll::Pending
    }
}

impl Drop for SignalWait<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.waiter != NO_TASK {
            self.signal.remove_waiter(self.waiter);
        }
    }
}

/// A queue of values for one receiving task; sending never waits. A value may have an instant of arrival, before which
/// it is not received: a wire is a mailbox whose values take time.
pub struct Mailbox<T> {
    sim: Sim,
    arrival_signal: Signal,
    values: RefCell<VecDeque<(Time, T)>>,
    latest_arrival: Cell<Time>,
    /// The task that waits for the first value, if any.
    receiver: Cell<TaskId>,
}

impl<T> Mailbox<T> {
    /// Creates an empty mailbox. Deadlock reports call a wait for a value `name`.
    pub fn new(sim: &Sim, name: impl Into<String>) -> Mailbox<T> {
        Mailbox {
            sim: sim.clone(),
            arrival_signal: Signal::new(sim, name),
            values: RefCell::default(),
            latest_arrival: Cell::default(),
            receiver: Cell::new(NO_TASK),
        }
    }

    /// Adds a value that arrives now.
    pub fn send(&self, value: T) {
        self.send_at(self.sim.now(), value);
    }

    /// Adds a value that arrives at `instant`, or with the previous value if that arrives later.
    pub fn send_at(&self, instant: Time, value: T) {
        let instant = instant.max(self.latest_arrival.get());
        self.latest_arrival.set(instant);
        self.values.borrow_mut().push_back((instant, value));
        // The receiver is woken when this value arrives, because no other value arrives earlier.
        let receiver = self.receiver.replace(NO_TASK);
        if receiver != NO_TASK {
            self.sim.set_waiting(receiver, None);
            self.sim.wake_task_at(receiver, instant);
        }
        self.arrival_signal.notify();
    }

    /// Waits for the oldest value to arrive, and takes it.
    pub fn receive(&self) -> Receive<'_, T> {
        Receive { mailbox: self, waiter: NO_TASK }
    }

    /// Returns the signal that is notified when a value is sent.
    pub fn arrival_signal(&self) -> &Signal {
        &self.arrival_signal
    }

    /// Takes the oldest value if it has arrived.
    pub fn try_receive(&self) -> Option<T> {
        let mut values = self.values.borrow_mut();
        let has_arrived = values.front().is_some_and(|(instant, _)| *instant <= self.sim.now());
        has_arrived.then(|| values.pop_front().expect("the mailbox has a value").1)
    }

    /// Returns the number of values in the mailbox, including those that have not arrived yet.
    pub fn len(&self) -> usize {
        self.values.borrow().len()
    }

    /// Returns whether the mailbox is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the wait reason that deadlock reports name.
    pub fn wait_reason(&self) -> WaitReasonId {
        self.arrival_signal.wait_reason()
    }
}

/// The future of [`Mailbox::receive`].
#[must_use = "a wait waits only when awaited"]
pub struct Receive<'a, T> {
    mailbox: &'a Mailbox<T>,
    /// The task that waits for the first value while the mailbox is empty.
    waiter: TaskId,
}

impl<T> Future for Receive<'_, T> {
    type Output = T;
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        let (mailbox, sim) = (self.mailbox, &self.mailbox.sim);
        self.waiter = NO_TASK;
        let first_arrival = mailbox.values.borrow().front().map(|(instant, _)| *instant);
        match first_arrival {
            None => {
                self.waiter = sim.current();
                mailbox.receiver.set(self.waiter);
                sim.set_waiting(self.waiter, Some(mailbox.wait_reason()));
                Poll::Pending
            }
            // If no other task acts before the value arrives, the clock advances without an event.
            Some(instant) if instant > sim.now() && !sim.try_advance(instant) => {
                sim.request_wakeup(instant);
                Poll::Pending
            }
            Some(_) => Poll::Ready(mailbox.values.borrow_mut().pop_front().expect("the mailbox has a value").1),
        }
    }
}

impl<T> Drop for Receive<'_, T> {
    fn drop(&mut self) {
        if self.waiter != NO_TASK && self.mailbox.receiver.get() == self.waiter {
            self.mailbox.receiver.set(NO_TASK);
            self.mailbox.sim.set_waiting(self.waiter, None);
        }
    }
}
