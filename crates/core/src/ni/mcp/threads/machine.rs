//! The state machine of the firmware: the events that are reported to it, and the dispatcher, which runs ready threads
//! in turn.
//!
//! The dispatcher arbitrates the host engine: a thread that ends a transfer yields, and the dispatcher tries all other
//! threads before that thread runs again. If the other direction waits for the engine, it gets the engine next, so
//! neither direction starves. The checker counts how often a waiting direction is bypassed.

use super::{Config, Guard, Rule, Step, Thread, ThreadState, Transition, Watch};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The firmware of a card: its four threads and the packets in its buffers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mcp {
    pub(super) config: Config,
    pub(super) broken_rule: Option<Rule>,
    pub(super) states: [ThreadState; 4],
    /// The thread that ran last.
    last_thread: Thread,
    pub(super) host_engine: EngineState,
    pub(super) send_engine: EngineState,
    pub(super) receive_engine: EngineState,
    pub(super) send_queue: VecDeque<Descriptor>,
    /// The number of units of the first message for which host reads have been started.
    pub(super) started_read_units: u32,
    /// Packets in send buffers, in order. The last may still be read from the host; the first may be leaving on the
    /// link.
    pub(super) outgoing: VecDeque<OutboundPacket>,
    pub(super) next_send_buffer: u8,
    /// The packet whose head is on the link, until the receive engine takes it.
    pub(super) announced_packet: Option<u32>,
    /// Packets in receive buffers, in order.
    pub(super) incoming: VecDeque<InboundPacket>,
    pub(super) next_receive_buffer: u8,
    /// Number of packets for which the host has posted receive buffers.
    pub(super) host_buffers: u32,
}

/// The state of an engine as far as the firmware knows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum EngineState {
    Idle,
    Busy,
    /// The engine has ended, and no thread has noticed that yet.
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
pub(super) struct OutboundPacket {
    pub(super) id: u32,
    pub(super) buffer: u8,
    pub(super) length: u32,
    pub(super) landed_units: u32,
    /// Number of units for which the send engine has been started.
    pub(super) started_units: u32,
    /// Whether SDMA has noticed that the whole packet has landed.
    pub(super) is_filled: bool,
    /// Whether the packet is the last one of its message.
    pub(super) ends_message: bool,
}

/// A packet in a receive buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct InboundPacket {
    pub(super) id: u32,
    pub(super) buffer: u8,
    pub(super) landed_units: u32,
    /// Number of units for which the host engine has been started.
    pub(super) started_units: u32,
    /// Whether the tail of the packet has arrived.
    pub(super) has_tail: bool,
    /// Whether RECV has noticed the arrival of the tail.
    pub(super) is_filled: bool,
}

impl Mcp {
    /// Creates an idle machine.
    pub fn new(config: Config) -> Mcp {
        assert!(config.send_buffers > 0 && config.receive_buffers > 0, "each direction has a buffer");
        assert!(config.segment != Some(0), "a segment has at least one unit");
        Mcp {
            config,
            broken_rule: None,
            states: [ThreadState::Idle; 4],
            // The dispatcher starts after this thread, so it tries the first one first.
            last_thread: Thread::Rdma,
            host_engine: EngineState::Idle,
            send_engine: EngineState::Idle,
            receive_engine: EngineState::Idle,
            send_queue: VecDeque::new(),
            started_read_units: 0,
            outgoing: VecDeque::new(),
            next_send_buffer: 0,
            announced_packet: None,
            incoming: VecDeque::new(),
            next_receive_buffer: 0,
            host_buffers: 0,
        }
    }

    /// Creates an idle machine that breaks `rule`, for checkers.
    pub fn with_broken_rule(config: Config, rule: Rule) -> Mcp {
        Mcp { broken_rule: Some(rule), ..Mcp::new(config) }
    }

    /// Adds the descriptor of a message of `length` units to the L2 queue.
    pub fn post(&mut self, length: u32, id: u32) {
        debug_assert!(length > 0, "a packet has a unit: its header");
        self.send_queue.push_back(Descriptor { id, length });
    }

    /// Adds receive buffers of the host for `packets` more packets.
    pub fn add_host_buffers(&mut self, packets: u32) {
        self.host_buffers = self.host_buffers.saturating_add(packets);
    }

    /// Reports that the first `landed_units` units of the current host read have landed.
    pub fn report_fetched(&mut self, landed_units: u32) {
        // The queue is empty if the whole packet has already been sent; all of its units were reported then.
        if let Some(packet) = self.outgoing.back_mut() {
            packet.landed_units = landed_units;
        }
    }

    /// Reports that the host engine has ended its transfer: all of its units have landed.
    pub fn report_host_done(&mut self) {
        self.host_engine = EngineState::Ended;
    }

    /// Reports that the send engine has ended its transfer.
    pub fn report_send_done(&mut self) {
        self.send_engine = EngineState::Ended;
    }

    /// Reports that a packet's head is on the link. The packet's length is known only when its tail arrives.
    pub fn announce(&mut self, id: u32) {
        debug_assert!(self.announced_packet.is_none(), "the receive engine has taken the previous packet");
        self.announced_packet = Some(id);
    }

    /// Reports that the first `landed_units` units of the arriving packet have landed, and whether they include its
    /// tail.
    pub fn report_received(&mut self, landed_units: u32, has_tail: bool) {
        if let Some(packet) = self.incoming.back_mut() {
            packet.landed_units = landed_units;
            packet.has_tail |= has_tail;
        }
    }

    /// Reports that the receive engine has taken a packet completely.
    pub fn report_receive_done(&mut self) {
        self.receive_engine = EngineState::Ended;
    }

    /// Returns the state of a thread.
    pub fn state(&self, thread: Thread) -> ThreadState {
        self.states[thread as usize]
    }

    /// Returns whether some thread can step.
    pub fn has_ready_thread(&self) -> bool {
        Thread::ALL.iter().any(|&thread| self.enabled_row(thread).is_some())
    }

    /// Returns whether no work is queued or under way.
    pub fn is_idle(&self) -> bool {
        let are_threads_idle = self.states.iter().all(|&state| state == ThreadState::Idle);
        are_threads_idle
            && self.send_queue.is_empty()
            && self.outgoing.is_empty()
            && self.incoming.is_empty()
            && self.announced_packet.is_none()
    }

    /// Returns the number of enabled rows of a thread, at most one if the table is correct.
    pub fn enabled_rows(&self, thread: Thread) -> usize {
        self.rows(thread).iter().filter(|row| self.is_enabled(row)).count()
    }

    /// Returns whether a thread waits for the host engine only.
    pub fn wants_host(&self, thread: Thread) -> bool {
        let needs_host = |row: &&Transition| row.guards.contains(&Guard::HostFree);
        let is_not_host_free = |guard: &&Guard| **guard != Guard::HostFree;
        self.rows(thread)
            .iter()
            .filter(needs_host)
            .any(|row| row.guards.iter().filter(is_not_host_free).all(|&guard| self.holds(guard)))
    }

    /// Returns the counts of landed units at which a waiting thread becomes ready. The end of a transfer is reported
    /// separately.
    pub fn watch(&self) -> Watch {
        let (send, rdma) = (self.state(Thread::Send), self.state(Thread::Rdma));
        let is_waiting = |state, done| state == ThreadState::Idle || state == done;
        let fetched = is_waiting(send, ThreadState::FineGrainedSendDone).then(|| self.send_threshold()).flatten();
        let received = is_waiting(rdma, ThreadState::FineGrainedRdmaDone).then(|| self.write_threshold()).flatten();
        Watch { fetched, received }
    }

    /// Runs the next ready thread until it yields; returns `None` if no thread is ready.
    pub fn step(&mut self) -> Option<Step> {
        let first = match self.obeys(Rule::Turns) {
            true => self.last_thread as usize + 1,
            false => 0,
        };
        let threads_in_turn = (first..first + 4).map(|index| Thread::ALL[index % 4]);
        let (thread, row) = threads_in_turn.into_iter().find_map(|thread| Some((thread, self.enabled_row(thread)?)))?;
        self.last_thread = thread;
        Some(self.run(thread, row))
    }

    fn run(&mut self, thread: Thread, row: &'static Transition) -> Step {
        let mut step = Step { thread, from: row.from, states: SmallVec::new(), commands: SmallVec::new() };
        let mut next = Some(row);
        while let Some(row) = next {
            row.actions.iter().for_each(|&action| step.commands.extend(self.perform(action)));
            self.states[thread as usize] = row.to;
            step.states.push(row.to);
            next = match row.to.is_dispatching() {
                true => None,
                false => self.enabled_row(thread),
            };
        }
        step
    }

    /// Returns the rows of a thread in its state.
    fn rows(&self, thread: Thread) -> &'static [Transition] {
        Transition::of_state(thread, self.state(thread))
    }

    /// Returns the enabled row of a thread, if there is one.
    pub fn enabled_row(&self, thread: Thread) -> Option<&'static Transition> {
        self.rows(thread).iter().find(|row| self.is_enabled(row))
    }

    fn is_enabled(&self, row: &Transition) -> bool {
        row.guards.iter().all(|&guard| self.holds(guard))
    }

    pub(super) fn obeys(&self, rule: Rule) -> bool {
        self.broken_rule != Some(rule)
    }
}
