//! A server that works on one request at a time, and is described by the instant at which it is free again.
//!
//! A reservation takes no event: requests are served in the order in which they are reserved, and the end of each is
//! known at once.

use crate::engine::Time;
use std::cell::Cell;

/// A server of requests in the order of their reservation.
#[derive(Default)]
pub struct Server {
    free_at: Cell<Time>,
    busy_time: Cell<Time>,
}

impl Server {
    /// Reserves the server for `time`, from `ready_at` on or as soon as the server is free. Returns the start and the
    /// end of the service.
    #[inline]
    pub fn reserve(&self, ready_at: Time, time: Time) -> (Time, Time) {
        let start = ready_at.max(self.free_at.get());
        let end = start + time;
        self.free_at.set(end);
        self.busy_time.set(self.busy_time.get() + time);
        (start, end)
    }

    /// Returns the time for which the server has worked until `now`.
    pub fn busy(&self, now: Time) -> Time {
        self.busy_time.get().since(self.free_at.get().since(now))
    }
}
