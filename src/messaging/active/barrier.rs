//! A barrier beside the network, as of a control network: it opens some cycles after the last endpoint
//! has entered. Leaves out: its wires.

use crate::engine::{Hertz, Time};
use crate::messaging::Endpoint;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The barrier of all endpoints.
#[derive(Default)]
pub struct Barrier {
    ends: RefCell<Vec<Rc<Endpoint>>>,
    /// How many have entered the one that is not open yet.
    entered: Cell<usize>,
    /// How many barriers all have entered, and when the last of these opens.
    opened: Cell<(u64, Time)>,
}

impl Barrier {
    /// An endpoint takes part.
    pub(super) fn join(&self, end: Rc<Endpoint>) {
        self.ends.borrow_mut().push(end);
    }

    /// How many endpoints take part.
    pub fn ends(&self) -> usize {
        self.ends.borrow().len()
    }

    /// Enters it at `now`, after the last of which it takes `cycles` to open; its number, from 0.
    pub(super) fn enter(&self, now: Time, clock: Hertz, cycles: u64) -> u64 {
        let number = self.opened.get().0;
        self.entered.set(self.entered.get() + 1);
        if self.entered.get() == self.ends() {
            self.entered.set(0);
            self.opened.set((number + 1, clock.edge_since(now, cycles)));
            self.ends.borrow().iter().for_each(|end| end.attention().notify());
        }
        number
    }

    /// Whether the barrier of this number is open.
    pub(super) fn has_passed(&self, barrier: u64, now: Time) -> bool {
        let (opened, at) = self.opened.get();
        opened > barrier + 1 || (opened == barrier + 1 && now >= at)
    }

    /// When the barrier opens that all have entered.
    pub(super) fn opens_after(&self, now: Time) -> Time {
        let (_, at) = self.opened.get();
        if at > now { at } else { Time::MAX }
    }
}
