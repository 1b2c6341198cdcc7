//! A barrier over a separate network, like the CM-5's control network. The barrier opens some cycles after the last
//! endpoint has entered. A deadlock report names an endpoint that has not entered. The wires of that network are not
//! modelled.

use crate::engine::sim::{NO_TASK, TaskId, WaitReasonId};
use crate::engine::{EndpointId, Hertz, NodeId, Time};
use crate::host::Processor;
use crate::messaging::endpoint::Endpoint;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The barrier of all endpoints.
#[derive(Default)]
pub struct Barrier {
    members: RefCell<Vec<Member>>,
    /// Number of members that have entered the barrier that is closed now.
    entered_members: Cell<usize>,
    /// Index of the first member that has not entered that barrier.
    first_missing: Cell<usize>,
    /// Number of barriers that all members have entered, and the time at which the last of these barriers opens.
    last_opening: Cell<(u64, Time)>,
    /// The reason for waits in the barrier.
    wait_reason: OnceCell<WaitReasonId>,
}

/// An endpoint that takes part in the barrier.
struct Member {
    endpoint: Rc<Endpoint>,
    /// Task of the endpoint's program.
    task: Cell<TaskId>,
    /// Number of barriers that the member has entered.
    entered_barriers: Cell<u64>,
    /// The reason for waits for the member's program.
    answer_reason: WaitReasonId,
}

impl Barrier {
    /// Adds an endpoint. All endpoints are added before any endpoint enters.
    pub(super) fn join(&self, endpoint: Rc<Endpoint>) {
        let sim = endpoint.cpu().sim();
        let answer_reason = sim.register_wait_reason(format!("an answer of {}", endpoint.name()));
        self.wait_reason.get_or_init(|| sim.register_wait_reason("the barrier"));
        let (task, entered_barriers) = (Cell::new(NO_TASK), Cell::default());
        self.members.borrow_mut().push(Member { endpoint, task, entered_barriers, answer_reason });
    }

    /// Returns the number of endpoints that take part.
    pub fn member_count(&self) -> usize {
        self.members.borrow().len()
    }

    /// Returns the node of an endpoint.
    pub(super) fn node_of(&self, id: EndpointId) -> NodeId {
        self.members.borrow()[id.index()].endpoint.node()
    }

    /// Registers `task` as the program of an endpoint.
    pub(super) fn set_program(&self, id: EndpointId, task: TaskId) {
        let member = &self.members.borrow()[id.index()];
        member.task.set(task);
        member.endpoint.cpu().sim().set_holder(member.answer_reason, task);
    }

    /// Returns the reason for waits for the program of an endpoint.
    pub(super) fn answer_reason(&self, id: EndpointId) -> WaitReasonId {
        self.members.borrow()[id.index()].answer_reason
    }

    /// Returns the reason for waits in the barrier.
    pub(super) fn wait_reason(&self) -> WaitReasonId {
        *self.wait_reason.get().expect("a waiting endpoint has joined")
    }

    /// Enters the barrier at `now`, and returns the barrier's number, from 0. The barrier opens `cycles` after the last
    /// member has entered.
    pub(super) fn enter(&self, id: EndpointId, now: Time, clock: Hertz, cycles: u64) -> u64 {
        let number = self.last_opening.get().0;
        let members = self.members.borrow();
        self.entered_members.set(self.entered_members.get() + 1);
        members[id.index()].entered_barriers.set(number + 1);
        if self.entered_members.get() == members.len() {
            self.entered_members.set(0);
            self.first_missing.set(0);
            let opening_time = clock.edge_since(now, cycles);
            self.last_opening.set((number + 1, opening_time));
            members[id.index()].endpoint.cpu().sim().expect_progress_at(opening_time);
            members.iter().for_each(|member| member.endpoint.wakeup().notify());
            return number;
        }
        while members[self.first_missing.get()].entered_barriers.get() > number {
            self.first_missing.set(self.first_missing.get() + 1);
        }
        let missing_member = &members[self.first_missing.get()];
        missing_member.endpoint.cpu().sim().set_holder(self.wait_reason(), missing_member.task.get());
        number
    }

    /// Returns whether barrier `number` is open at `now`.
    pub(super) fn is_open(&self, number: u64, now: Time) -> bool {
        let (opened_barriers, opening_time) = self.last_opening.get();
        opened_barriers > number + 1 || (opened_barriers == number + 1 && now >= opening_time)
    }

    /// Returns the time after `now` at which the next barrier opens that all members have entered, or [`Time::MAX`] if
    /// no barrier is left.
    pub(super) fn next_opening(&self, now: Time) -> Time {
        let (_, opening_time) = self.last_opening.get();
        if opening_time > now { opening_time } else { Time::MAX }
    }
}
