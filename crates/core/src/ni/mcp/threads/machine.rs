//! The machine: what it is told, and the dispatcher that takes ready threads in turn.
//!
//! Who wins the host engine is left to the dispatcher: a thread that ends a transfer yields, all others are
//! asked before it is again, so the other direction, if it waits, has the engine next. Neither starves: the
//! checker counts how often one is passed by.

use super::{Config, Guard, Rule, Step, TRANSITIONS, Thread, ThreadState, Transition, Watch};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The firmware of a card: its four threads, and what lies in its buffers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mcp {
    pub(super) config: Config,
    pub(super) broken: Option<Rule>,
    pub(super) states: [ThreadState; 4],
    /// Who ran last.
    last: Thread,
    pub(super) host: Engine,
    pub(super) send: Engine,
    pub(super) receive: Engine,
    pub(super) queue: VecDeque<Descriptor>,
    /// How much of the first message has been asked for.
    pub(super) asked: u32,
    /// Packets in send buffers, in order. The last may be on its way in, the first on its way out.
    pub(super) outgoing: VecDeque<Outbound>,
    pub(super) send_buffer: u8,
    /// The packet whose head is on the link, until the receive engine takes it.
    pub(super) coming: Option<u32>,
    /// Packets in receive buffers, in order.
    pub(super) incoming: VecDeque<Inbound>,
    pub(super) receive_buffer: u8,
    /// How many packets the host has places for.
    pub(super) places: u32,
}

/// What the firmware knows of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Engine {
    Rests,
    Works,
    /// It has ended, which nobody has noticed.
    Ended,
}

/// A message to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Descriptor {
    pub(super) id: u32,
    pub(super) length: u32,
}

/// A packet in a send buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Outbound {
    pub(super) id: u32,
    pub(super) buffer: u8,
    pub(super) length: u32,
    pub(super) landed: u32,
    pub(super) taken: u32,
    /// SDMA has noticed that all of it has landed.
    pub(super) filled: bool,
    /// Its message ends with it.
    pub(super) ends_message: bool,
}

/// A packet in a receive buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Inbound {
    pub(super) id: u32,
    pub(super) buffer: u8,
    pub(super) landed: u32,
    pub(super) taken: u32,
    /// Its end has come.
    pub(super) ended: bool,
    /// RECV has noticed.
    pub(super) filled: bool,
}

impl Mcp {
    /// At rest.
    pub fn new(config: Config) -> Mcp {
        assert!(config.send_buffers > 0 && config.receive_buffers > 0, "a direction has a buffer");
        assert!(config.segment != Some(0), "a packet has a unit");
        Mcp {
            config,
            broken: None,
            states: [ThreadState::Idle; 4],
            // The first thread is asked first.
            last: Thread::Rdma,
            host: Engine::Rests,
            send: Engine::Rests,
            receive: Engine::Rests,
            queue: VecDeque::new(),
            asked: 0,
            outgoing: VecDeque::new(),
            send_buffer: 0,
            coming: None,
            incoming: VecDeque::new(),
            receive_buffer: 0,
            places: 0,
        }
    }

    /// The same, with a rule broken: for checkers.
    pub fn without(config: Config, rule: Rule) -> Mcp {
        Mcp { broken: Some(rule), ..Mcp::new(config) }
    }

    /// A descriptor is in the L2 queue: a message of so many units.
    pub fn post(&mut self, length: u32, id: u32) {
        debug_assert!(length > 0, "a packet has a unit: its header");
        self.queue.push_back(Descriptor { id, length });
    }

    /// The host has places for so many packets more.
    pub fn posted_receive(&mut self, packets: u32) {
        self.places = self.places.saturating_add(packets);
    }

    /// So many units of the current host read have landed.
    pub fn fetched(&mut self, to: u32) {
        // None, if all of it has been sent already: then all of it was told.
        if let Some(packet) = self.outgoing.back_mut() {
            packet.landed = to;
        }
    }

    /// The host engine has ended what it was started for: all of it has landed.
    pub fn host_done(&mut self) {
        self.host = Engine::Ended;
    }

    /// The send engine has ended what it was started for.
    pub fn send_done(&mut self) {
        self.send = Engine::Ended;
    }

    /// A packet's head is on the link. Its length shows when its end comes.
    pub fn comes(&mut self, id: u32) {
        debug_assert!(self.coming.is_none(), "a link holds one head");
        self.coming = Some(id);
    }

    /// So many units of the packet that comes have landed, its end among them or not.
    pub fn received(&mut self, to: u32, ended: bool) {
        if let Some(packet) = self.incoming.back_mut() {
            packet.landed = to;
            packet.ended |= ended;
        }
    }

    /// The receive engine has taken a packet, with its end.
    pub fn receive_done(&mut self) {
        self.receive = Engine::Ended;
    }

    /// The state of a thread.
    pub fn state(&self, thread: Thread) -> ThreadState {
        self.states[thread as usize]
    }

    /// Whether some thread can step.
    pub fn ready(&self) -> bool {
        Thread::ALL.iter().any(|&thread| self.open(thread).is_some())
    }

    /// Whether nothing is left to do, and nothing under way.
    pub fn rests(&self) -> bool {
        let idle = self.states.iter().all(|&state| state == ThreadState::Idle);
        idle && self.queue.is_empty() && self.outgoing.is_empty() && self.incoming.is_empty() && self.coming.is_none()
    }

    /// How many rows of a thread are open: never more than one.
    pub fn choices(&self, thread: Thread) -> usize {
        self.rows(thread).filter(|row| self.may(row)).count()
    }

    /// Whether a thread lacks nothing but the host engine.
    pub fn wants_host(&self, thread: Thread) -> bool {
        let takes = |row: &&Transition| row.guards.contains(&Guard::HostFree);
        let other = |guard: &&Guard| **guard != Guard::HostFree;
        self.rows(thread).filter(takes).any(|row| row.guards.iter().filter(other).all(|&guard| self.holds(guard)))
    }

    /// At which counts of landed units a thread becomes ready that sleeps now. An engine's end is told as such.
    pub fn watch(&self) -> Watch {
        let (send, rdma) = (self.state(Thread::Send), self.state(Thread::Rdma));
        let waits = |state, done| state == ThreadState::Idle || state == done;
        let fetched = waits(send, ThreadState::FineGrainedSendDone).then(|| self.send_starts_at()).flatten();
        let received = waits(rdma, ThreadState::FineGrainedRdmaDone).then(|| self.write_starts_at()).flatten();
        Watch { fetched, received }
    }

    /// Has the next ready thread run to where it yields; none if none is ready.
    pub fn step(&mut self) -> Option<Step> {
        let first = match self.keeps(Rule::Turns) {
            true => self.last as usize + 1,
            false => 0,
        };
        let in_turn = (first..first + 4).map(|at| Thread::ALL[at % 4]);
        let (thread, row) = in_turn.into_iter().find_map(|thread| Some((thread, self.open(thread)?)))?;
        self.last = thread;
        Some(self.run(thread, row))
    }

    fn run(&mut self, thread: Thread, row: &'static Transition) -> Step {
        let mut step = Step { thread, from: row.from, states: SmallVec::new(), acts: SmallVec::new() };
        let mut next = Some(row);
        while let Some(row) = next {
            row.deeds.iter().for_each(|&deed| step.acts.extend(self.does(deed)));
            self.states[thread as usize] = row.to;
            step.states.push(row.to);
            next = match row.to.is_dispatching() {
                true => None,
                false => self.open(thread),
            };
        }
        step
    }

    fn rows(&self, thread: Thread) -> impl Iterator<Item = &'static Transition> {
        let from = self.state(thread);
        TRANSITIONS.iter().filter(move |row| row.thread == thread && row.from == from)
    }

    /// The row of a thread that is open.
    pub fn open(&self, thread: Thread) -> Option<&'static Transition> {
        self.rows(thread).find(|row| self.may(row))
    }

    fn may(&self, row: &Transition) -> bool {
        row.guards.iter().all(|&guard| self.holds(guard))
    }

    pub(super) fn keeps(&self, rule: Rule) -> bool {
        self.broken != Some(rule)
    }
}
