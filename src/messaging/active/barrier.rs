//! A barrier beside the network, as of a control network: it opens some cycles after the last endpoint
//! has entered. Who has not is told where a run is stuck. Leaves out: its wires.

use crate::engine::sim::{NO_TASK, PointId, TaskId};
use crate::engine::{EndId, Hertz, NodeId, Time};
use crate::host::Processor;
use crate::messaging::Endpoint;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The barrier of all endpoints.
#[derive(Default)]
pub struct Barrier {
    members: RefCell<Vec<Member>>,
    /// How many have entered the one that is not open yet.
    entered: Cell<usize>,
    /// The first that has not.
    missing: Cell<usize>,
    /// How many barriers all have entered, and when the last of these opens.
    opened: Cell<(u64, Time)>,
    /// What is waited for in it.
    point: OnceCell<PointId>,
}

/// An endpoint that takes part.
struct Member {
    end: Rc<Endpoint>,
    /// Its program.
    task: Cell<TaskId>,
    /// How many barriers it has entered.
    entered: Cell<u64>,
    /// What is waited for by those who wait for its program.
    answer: PointId,
}

impl Barrier {
    /// An endpoint takes part.
    pub(super) fn join(&self, end: Rc<Endpoint>) {
        let sim = end.cpu().sim();
        let answer = sim.point(format!("an answer of {}", end.name()));
        self.point.get_or_init(|| sim.point("the barrier"));
        self.members.borrow_mut().push(Member { end, task: Cell::new(NO_TASK), entered: Cell::default(), answer });
    }

    /// How many endpoints take part.
    pub fn ends(&self) -> usize {
        self.members.borrow().len()
    }

    /// The node of an end.
    pub(super) fn node_of(&self, end: EndId) -> NodeId {
        self.members.borrow()[end.index()].end.node()
    }

    /// Says which task an endpoint's program is.
    pub(super) fn runs(&self, end: EndId, task: TaskId) {
        let member = &self.members.borrow()[end.index()];
        member.task.set(task);
        member.end.cpu().sim().set_holder(member.answer, task);
    }

    /// What is waited for by those who wait for the program of `end`.
    pub(super) fn answer(&self, end: EndId) -> PointId {
        self.members.borrow()[end.index()].answer
    }

    /// What is waited for in it.
    pub(super) fn point(&self) -> PointId {
        *self.point.get().expect("who waits has joined")
    }

    /// Enters it at `now`, after the last of which it takes `cycles` to open; its number, from 0.
    pub(super) fn enter(&self, end: EndId, now: Time, clock: Hertz, cycles: u64) -> u64 {
        let number = self.opened.get().0;
        let members = self.members.borrow();
        self.entered.set(self.entered.get() + 1);
        members[end.index()].entered.set(number + 1);
        if self.entered.get() == members.len() {
            self.entered.set(0);
            self.missing.set(0);
            self.opened.set((number + 1, clock.edge_since(now, cycles)));
            members.iter().for_each(|member| member.end.attention().notify());
            return number;
        }
        while members[self.missing.get()].entered.get() > number {
            self.missing.set(self.missing.get() + 1);
        }
        let missing = &members[self.missing.get()];
        missing.end.cpu().sim().set_holder(self.point(), missing.task.get());
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
