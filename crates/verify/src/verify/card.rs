//! The card of the model: its firmware, its engines, the contents of its buffers, and the notifications of its host.
//!
//! Units carry marks (the message, and the position in it). If a unit is sent before it is in the buffer, delivered
//! before it has arrived, or taken from a buffer that was refilled, its mark is wrong, which is detected.

use super::actions::Action;
use narrows_core::ni::mcp::threads::{Command, Config, Mcp, Rule, Step, Thread};

/// The largest number of messages of a card.
pub const MESSAGES_MAX: usize = 4;
/// The largest number of units of a message.
pub const UNITS_MAX: usize = 3;
const BUFFERS_MAX: usize = 2;

/// The mark of a unit; 0 represents no unit.
pub type Mark = u8;

/// Returns the mark of a unit of a message.
pub fn mark(message: u8, unit: u8) -> Mark {
    1 + message * UNITS_MAX as u8 + unit
}

/// A transfer over a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crossing {
    /// A unit of a packet.
    Unit(Mark),
    /// The end of a packet: its last symbol, after all units.
    End,
}

/// A position among the units that a card sends: the message, and the unit in it.
pub type UnitPosition = (u8, u8);

/// Returns the next position.
pub fn next_position((message, unit): UnitPosition, lengths: &[u8; MESSAGES_MAX]) -> UnitPosition {
    match unit + 1 == lengths[usize::from(message)] {
        true => (message + 1, 0),
        false => (message, unit + 1),
    }
}

/// The work of the host engine: it fills a send buffer with a packet of a message, or empties a receive buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HostWork {
    message: Option<u8>,
    buffer: u8,
    first_unit: u8,
    units: u8,
    units_moved: u8,
}

/// The work of the send engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SendWork {
    pub message: u8,
    pub buffer: u8,
    pub first_unit: u8,
    pub units: u8,
    pub units_moved: u8,
    pub is_last: bool,
}

/// The work of the receive engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReceiveWork {
    pub buffer: u8,
    pub units_moved: u8,
}

/// A violation of a property by a card.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Violation {
    /// The send engine took a unit that is not the next one to be sent.
    WrongUnitSent,
    /// The host engine took a unit that is not the next one to be delivered.
    WrongUnitDelivered,
    /// The host was notified of a packet or a sent message that is not complete.
    FalseNotification,
    /// An engine was started while busy, or for an empty transfer.
    EngineMisuse,
    /// A thread became ready, or did not become ready, contrary to its watch.
    WrongWakeUp,
    /// Two transitions of a state were enabled.
    AmbiguousTransition,
}

/// The state of a card.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Card {
    pub mcp: Mcp,
    /// The number of messages that the host has posted.
    pub posted_messages: u8,
    /// The length of each message, until the other side has received all of it.
    pub lengths: [u8; MESSAGES_MAX],
    pub host_work: Option<HostWork>,
    pub send_work: Option<SendWork>,
    pub receive_work: Option<ReceiveWork>,
    /// Whether a packet whose end has not been sent is on the link.
    pub is_link_open: bool,
    send_buffers: [[Mark; UNITS_MAX]; BUFFERS_MAX],
    receive_buffers: [[Mark; UNITS_MAX]; BUFFERS_MAX],
    /// The next unit to send.
    pub next_send: UnitPosition,
    /// The number of messages of whose sending the host was notified.
    pub completed_messages: u8,
    /// The next unit that the host is to receive from the other card.
    pub next_delivery: UnitPosition,
    /// The number of units of the current packet that the host has received.
    packet_units: u8,
    /// The largest packet length.
    segment: Option<u32>,
    /// For SDMA and RDMA, the number of consecutive times that the thread wanted the host engine while the other
    /// started it.
    pub times_passed_over: [u8; 2],
    pub violation: Option<Violation>,
}

impl Card {
    pub fn new(config: Config, disabled_rule: Option<Rule>) -> Card {
        let mut mcp = match disabled_rule {
            Some(rule) => Mcp::with_broken_rule(config, rule),
            None => Mcp::new(config),
        };
        // The host posts a receive buffer for every packet, since the firmware relies on it.
        mcp.add_host_buffers(u32::from(u8::MAX));
        Card {
            mcp,
            posted_messages: 0,
            lengths: [0; MESSAGES_MAX],
            host_work: None,
            send_work: None,
            receive_work: None,
            is_link_open: false,
            send_buffers: Default::default(),
            receive_buffers: Default::default(),
            next_send: (0, 0),
            completed_messages: 0,
            next_delivery: (0, 0),
            packet_units: 0,
            segment: config.segment,
            times_passed_over: [0; 2],
            violation: None,
        }
    }

    /// Returns the possible next actions of the card's engines and firmware.
    pub fn actions(&self) -> impl Iterator<Item = Action> + use<> {
        let steps = self.mcp.has_ready_thread().then_some(Action::Step);
        let host = self.host_work.is_some().then_some(Action::MoveHost);
        steps.into_iter().chain(host)
    }

    /// Records a violation, unless one has already been recorded.
    pub fn record_violation(&mut self, violation: Violation) {
        self.violation.get_or_insert(violation);
    }

    /// Posts the next message of the host.
    pub fn post(&mut self, length: u8) {
        self.lengths[usize::from(self.posted_messages)] = length;
        self.mcp.post(u32::from(length), u32::from(self.posted_messages));
        self.posted_messages += 1;
    }

    /// Runs a thread, and returns its step and whether the head of a packet enters the link.
    pub fn step(&mut self) -> (Step, bool) {
        if Thread::ALL.iter().any(|&thread| self.mcp.enabled_rows(thread) > 1) {
            self.record_violation(Violation::AmbiguousTransition);
        }
        let wanted_host = [Thread::Sdma, Thread::Rdma].map(|thread| self.mcp.wants_host(thread));
        let step = self.mcp.step().expect("a thread was ready");
        let head_enters_link =
            step.commands.iter().fold(false, |head_enters_link, command| self.execute(command) | head_enters_link);
        self.count_passing_over(wanted_host, &step.commands);
        (step, head_enters_link)
    }

    /// Counts, for SDMA and RDMA, how often in succession the thread wanted the host engine while the other thread
    /// started it.
    fn count_passing_over(&mut self, wanted_host: [bool; 2], commands: &[Command]) {
        let starts_read = commands.iter().any(|command| matches!(command, Command::StartHostRead { .. }));
        let starts_write = commands.iter().any(|command| matches!(command, Command::StartHostWrite { .. }));
        for (index, (thread, starts_own_work, other_started)) in
            [(Thread::Sdma, starts_read, starts_write), (Thread::Rdma, starts_write, starts_read)]
                .into_iter()
                .enumerate()
        {
            match (wanted_host[index] && self.mcp.wants_host(thread) && !starts_own_work, other_started) {
                (false, _) => self.times_passed_over[index] = 0,
                (true, true) => self.times_passed_over[index] = (self.times_passed_over[index] + 1).min(2),
                (true, false) => {}
            }
        }
    }

    /// Executes a command of the firmware. Returns whether the head of a packet enters the link.
    fn execute(&mut self, command: &Command) -> bool {
        match *command {
            Command::StartHostRead { id, buffer, from, units } => {
                self.send_buffers[usize::from(buffer)] = Default::default();
                self.start_host(Some(id as u8), buffer, from, units);
            }
            Command::StartHostWrite { buffer, from, units, .. } => {
                self.start_host(None, buffer, from, units);
            }
            Command::StartSend { id, buffer, from, units, last } => {
                let [from, units] = [from, units].map(|n| n as u8);
                let send_work =
                    SendWork { message: id as u8, buffer, first_unit: from, units, units_moved: 0, is_last: last };
                if self.send_work.replace(send_work).is_some() || units == 0 {
                    self.record_violation(Violation::EngineMisuse);
                }
                return !std::mem::replace(&mut self.is_link_open, true);
            }
            Command::StartReceive { buffer, .. } => {
                self.receive_buffers[usize::from(buffer)] = Default::default();
                if self.receive_work.replace(ReceiveWork { buffer, units_moved: 0 }).is_some() {
                    self.record_violation(Violation::EngineMisuse);
                }
            }
            Command::SendComplete { id } => self.complete_message(id),
            Command::Received { units, .. } => self.check_notification(units),
        }
        false
    }

    fn start_host(&mut self, message: Option<u8>, buffer: u8, from: u32, units: u32) {
        let work = HostWork { message, buffer, first_unit: from as u8, units: units as u8, units_moved: 0 };
        if self.host_work.replace(work).is_some() || units == 0 {
            self.record_violation(Violation::EngineMisuse);
        }
    }

    fn complete_message(&mut self, id: u32) {
        if id != u32::from(self.completed_messages) || self.next_send.0 <= self.completed_messages {
            self.record_violation(Violation::FalseNotification);
        }
        self.completed_messages += 1;
    }

    /// Checks that the host has received exactly the packet of `units` units of which it is notified.
    fn check_notification(&mut self, units: u32) {
        let unit = u32::from(self.next_delivery.1);
        let is_end = unit == 0 || self.segment.is_some_and(|segment| unit.is_multiple_of(segment));
        if !is_end || units == 0 || u32::from(self.packet_units) != units {
            self.record_violation(Violation::FalseNotification);
        }
        self.packet_units = 0;
    }

    /// Moves a unit with the host engine, which finishes with the last unit of its work; `lengths` are those of the
    /// other side's messages.
    pub fn move_host(&mut self, lengths: &[u8; MESSAGES_MAX]) {
        let (was_idle, watch) = (!self.mcp.has_ready_thread(), self.mcp.watch());
        let work = self.host_work.as_mut().expect("the host engine is busy");
        work.units_moved += 1;
        let (HostWork { buffer, first_unit: first, units_moved: moved_units, .. }, is_last) =
            (*work, work.units_moved == work.units);
        match work.message {
            Some(message) => {
                self.send_buffers[usize::from(buffer)][usize::from(moved_units - 1)] =
                    mark(message, first + moved_units - 1);
                self.mcp.report_fetched(u32::from(moved_units));
                let is_expected = watch.fetched.is_some_and(|count| u32::from(moved_units) >= count);
                self.check_watch(was_idle, is_expected);
            }
            None => {
                let unit_mark =
                    self.receive_buffers[usize::from(buffer)].get(usize::from(first + moved_units - 1)).copied();
                self.deliver(unit_mark, lengths);
            }
        }
        if is_last {
            self.host_work = None;
            self.mcp.report_host_done();
        }
    }

    /// Checks that a thread is ready now exactly if `is_expected`, provided that no thread was ready before.
    fn check_watch(&mut self, was_idle: bool, is_expected: bool) {
        if was_idle && is_expected != self.mcp.has_ready_thread() {
            self.record_violation(Violation::WrongWakeUp);
        }
    }

    /// Delivers a unit with the mark `unit_mark` to the host, which must be the next unit of the other side.
    fn deliver(&mut self, unit_mark: Option<Mark>, lengths: &[u8; MESSAGES_MAX]) {
        let (message, unit) = self.next_delivery;
        if unit_mark != Some(mark(message, unit)) {
            self.record_violation(Violation::WrongUnitDelivered);
            return;
        }
        self.packet_units += 1;
        self.next_delivery = next_position(self.next_delivery, lengths);
    }

    /// Sends the next unit, or the end of the packet. The send engine finishes with the last unit or the end.
    pub fn send_next(&mut self) -> Crossing {
        let sending = self.send_work.as_mut().expect("the send engine is busy");
        if sending.units_moved == sending.units {
            self.is_link_open = false;
            self.finish_send();
            return Crossing::End;
        }
        let unit_mark =
            self.send_buffers[usize::from(sending.buffer)].get(usize::from(sending.first_unit + sending.units_moved));
        let sent_mark = unit_mark.copied().unwrap_or(0);
        sending.units_moved += 1;
        let is_last = sending.units_moved == sending.units && !sending.is_last;
        match sent_mark == mark(self.next_send.0, self.next_send.1) {
            true => self.next_send = next_position(self.next_send, &self.lengths),
            false => self.record_violation(Violation::WrongUnitSent),
        }
        if is_last {
            self.finish_send();
        }
        Crossing::Unit(sent_mark)
    }

    fn finish_send(&mut self) {
        self.send_work = None;
        self.mcp.report_send_done();
    }

    /// Receives a unit or the end of a packet from the link.
    pub fn receive_next(&mut self, crossing: Crossing) {
        let (was_idle, watch) = (!self.mcp.has_ready_thread(), self.mcp.watch());
        let receiving = self.receive_work.as_mut().expect("the receive engine is busy");
        match crossing {
            Crossing::Unit(mark) => {
                let mark_slot =
                    self.receive_buffers[usize::from(receiving.buffer)].get_mut(usize::from(receiving.units_moved));
                let Some(mark_slot) = mark_slot else { return self.record_violation(Violation::WrongUnitDelivered) };
                *mark_slot = mark;
                receiving.units_moved += 1;
                let received_units = u32::from(receiving.units_moved);
                self.mcp.report_received(received_units, false);
                self.check_watch(was_idle, watch.received.is_some_and(|count| received_units >= count));
            }
            Crossing::End => {
                self.mcp.report_received(u32::from(receiving.units_moved), true);
                self.receive_work = None;
                self.mcp.report_receive_done();
            }
        }
    }
}
