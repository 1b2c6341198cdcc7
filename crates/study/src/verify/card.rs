//! A card of the model: its firmware, its engines, what lies in its buffers, and what its host has seen.
//!
//! Units carry marks (which message, which place in it), so what is sent before it landed, or delivered
//! before it came, or from a buffer that was filled again, is seen as the wrong mark.

use super::moves::Action;
use narrows_core::ni::mcp::threads::{Act, Config, Mcp, Rule, Step, Thread};

/// Messages of a card at most.
pub const MESSAGES_MAX: usize = 4;
/// Units of a message at most.
pub const UNITS_MAX: usize = 3;
const BUFFERS_MAX: usize = 2;

/// A unit: 0 is none.
pub type Mark = u8;

/// The mark of a unit of a message.
pub fn mark(message: u8, unit: u8) -> Mark {
    1 + message * UNITS_MAX as u8 + unit
}

/// What crosses a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crossing {
    /// A unit.
    Unit(Mark),
    /// The end of a packet: its last symbol, after all units.
    End,
}

/// A place in what a card sends: message, unit.
pub type Place = (u8, u8);

/// The place after it.
pub fn next((message, unit): Place, lengths: &[u8; MESSAGES_MAX]) -> Place {
    match unit + 1 == lengths[usize::from(message)] {
        true => (message + 1, 0),
        false => (message, unit + 1),
    }
}

/// What the host engine is at: it fills a send buffer with a message's packet, or empties a receive buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HostWork {
    message: Option<u8>,
    buffer: u8,
    from: u8,
    units: u8,
    moved: u8,
}

/// What the send engine is at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sending {
    pub message: u8,
    pub buffer: u8,
    pub from: u8,
    pub units: u8,
    pub moved: u8,
    pub last: bool,
}

/// What the receive engine is at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Receiving {
    pub buffer: u8,
    pub moved: u8,
}

/// What went wrong, first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrong {
    /// The send engine took a unit that is not the next of what is sent.
    Sent,
    /// The host engine took a unit that is not the next of what is delivered.
    Delivered,
    /// A packet was told as delivered, or a message as sent, that was not, or not all of it.
    Told,
    /// An engine was started that worked, or for nothing.
    Started,
    /// A thread became ready, or did not, otherwise than its watch said.
    Watched,
    /// A state had two rows open.
    Choice,
}

/// A card.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Card {
    pub mcp: Mcp,
    /// How many messages the host has posted.
    pub posted: u8,
    /// How long each is, as long as the other side has not got all of it.
    pub lengths: [u8; MESSAGES_MAX],
    pub host: Option<HostWork>,
    pub send: Option<Sending>,
    pub receive: Option<Receiving>,
    /// A packet is on the link, its end is not.
    pub link_open: bool,
    send_buffers: [[Mark; UNITS_MAX]; BUFFERS_MAX],
    receive_buffers: [[Mark; UNITS_MAX]; BUFFERS_MAX],
    /// The next unit that is to leave.
    pub sent: Place,
    /// Messages that the host was told have gone.
    pub completed: u8,
    /// The next unit that the host is to get from the other card.
    pub got: Place,
    /// How much of a packet it has got.
    of_packet: u8,
    /// How long packets are at most.
    segment: Option<u32>,
    /// How often each of SDMA and RDMA saw the other start the host engine while it wanted it.
    pub passed_by: [u8; 2],
    pub wrong: Option<Wrong>,
}

impl Card {
    pub fn new(config: Config, without: Option<Rule>) -> Card {
        let mut mcp = match without {
            Some(rule) => Mcp::without(config, rule),
            None => Mcp::new(config),
        };
        // A place for every packet: a host that gives none is at fault itself.
        mcp.posted_receive(u32::from(u8::MAX));
        Card {
            mcp,
            posted: 0,
            lengths: [0; MESSAGES_MAX],
            host: None,
            send: None,
            receive: None,
            link_open: false,
            send_buffers: Default::default(),
            receive_buffers: Default::default(),
            sent: (0, 0),
            completed: 0,
            got: (0, 0),
            of_packet: 0,
            segment: config.segment,
            passed_by: [0; 2],
            wrong: None,
        }
    }

    /// All that its engines and its firmware can do next by themselves.
    pub fn moves(&self) -> impl Iterator<Item = Action> + use<> {
        let steps = self.mcp.ready().then_some(Action::Step);
        let host = self.host.is_some().then_some(Action::MoveHost);
        steps.into_iter().chain(host)
    }

    /// What is seen first is told.
    pub fn goes_wrong(&mut self, wrong: Wrong) {
        self.wrong.get_or_insert(wrong);
    }

    /// The host posts its next message.
    pub fn post(&mut self, length: u8) {
        self.lengths[usize::from(self.posted)] = length;
        self.mcp.post(u32::from(length), u32::from(self.posted));
        self.posted += 1;
    }

    /// A thread runs. True if a packet's head goes on the link.
    pub fn step(&mut self) -> (Step, bool) {
        if Thread::ALL.iter().any(|&thread| self.mcp.choices(thread) > 1) {
            self.goes_wrong(Wrong::Choice);
        }
        let wanted = [Thread::Sdma, Thread::Rdma].map(|thread| self.mcp.wants_host(thread));
        let step = self.mcp.step().expect("a thread was ready");
        let head = step.acts.iter().fold(false, |head, act| self.act(act) | head);
        self.count_passing(wanted, &step.acts);
        (step, head)
    }

    fn count_passing(&mut self, wanted: [bool; 2], acts: &[Act]) {
        let read = acts.iter().any(|act| matches!(act, Act::StartHostRead { .. }));
        let write = acts.iter().any(|act| matches!(act, Act::StartHostWrite { .. }));
        for (at, (thread, mine, others)) in
            [(Thread::Sdma, read, write), (Thread::Rdma, write, read)].into_iter().enumerate()
        {
            match (wanted[at] && self.mcp.wants_host(thread) && !mine, others) {
                (false, _) => self.passed_by[at] = 0,
                (true, true) => self.passed_by[at] = (self.passed_by[at] + 1).min(2),
                (true, false) => {}
            }
        }
    }

    fn act(&mut self, act: &Act) -> bool {
        match *act {
            Act::StartHostRead { id, buffer, from, units } => {
                self.send_buffers[usize::from(buffer)] = Default::default();
                self.start_host(Some(id as u8), buffer, from, units);
            }
            Act::StartHostWrite { buffer, from, units, .. } => {
                self.start_host(None, buffer, from, units);
            }
            Act::StartSend { id, buffer, from, units, last } => {
                let [from, units] = [from, units].map(|n| n as u8);
                let sending = Sending { message: id as u8, buffer, from, units, moved: 0, last };
                if self.send.replace(sending).is_some() || units == 0 {
                    self.goes_wrong(Wrong::Started);
                }
                return !std::mem::replace(&mut self.link_open, true);
            }
            Act::StartReceive { buffer, .. } => {
                self.receive_buffers[usize::from(buffer)] = Default::default();
                if self.receive.replace(Receiving { buffer, moved: 0 }).is_some() {
                    self.goes_wrong(Wrong::Started);
                }
            }
            Act::SendComplete { id } => self.completes(id),
            Act::Received { units, .. } => self.is_told(units),
        }
        false
    }

    fn start_host(&mut self, message: Option<u8>, buffer: u8, from: u32, units: u32) {
        let work = HostWork { message, buffer, from: from as u8, units: units as u8, moved: 0 };
        if self.host.replace(work).is_some() || units == 0 {
            self.goes_wrong(Wrong::Started);
        }
    }

    fn completes(&mut self, id: u32) {
        if id != u32::from(self.completed) || self.sent.0 <= self.completed {
            self.goes_wrong(Wrong::Told);
        }
        self.completed += 1;
    }

    /// The host is told of a packet: it has got all of it, and no more.
    fn is_told(&mut self, units: u32) {
        let unit = u32::from(self.got.1);
        let is_end = unit == 0 || self.segment.is_some_and(|segment| unit.is_multiple_of(segment));
        if !is_end || units == 0 || u32::from(self.of_packet) != units {
            self.goes_wrong(Wrong::Told);
        }
        self.of_packet = 0;
    }

    /// The host engine moves a unit, and ends with its last; `lengths` are those of the other's messages.
    pub fn move_host(&mut self, lengths: &[u8; MESSAGES_MAX]) {
        let (asleep, watch) = (!self.mcp.ready(), self.mcp.watch());
        let work = self.host.as_mut().expect("the host engine works");
        work.moved += 1;
        let (HostWork { buffer, from, moved, .. }, is_last) = (*work, work.moved == work.units);
        match work.message {
            Some(message) => {
                self.send_buffers[usize::from(buffer)][usize::from(moved - 1)] = mark(message, from + moved - 1);
                self.mcp.fetched(u32::from(moved));
                let due = watch.fetched.is_some_and(|count| u32::from(moved) >= count);
                self.check_watch(asleep, due);
            }
            None => {
                let found = self.receive_buffers[usize::from(buffer)].get(usize::from(from + moved - 1)).copied();
                self.gets(found, lengths);
            }
        }
        if is_last {
            self.host = None;
            self.mcp.host_done();
        }
    }

    fn check_watch(&mut self, asleep: bool, due: bool) {
        if asleep && due != self.mcp.ready() {
            self.goes_wrong(Wrong::Watched);
        }
    }

    fn gets(&mut self, found: Option<Mark>, lengths: &[u8; MESSAGES_MAX]) {
        let (message, unit) = self.got;
        if found != Some(mark(message, unit)) {
            self.goes_wrong(Wrong::Delivered);
            return;
        }
        self.of_packet += 1;
        self.got = next(self.got, lengths);
    }

    /// What the send engine takes next: a unit, or the packet's end. It ends with the last of it.
    pub fn leave(&mut self) -> Crossing {
        let sending = self.send.as_mut().expect("the send engine works");
        if sending.moved == sending.units {
            self.link_open = false;
            self.sends_no_more();
            return Crossing::End;
        }
        let found = self.send_buffers[usize::from(sending.buffer)].get(usize::from(sending.from + sending.moved));
        let found = found.copied().unwrap_or(0);
        sending.moved += 1;
        let is_last = sending.moved == sending.units && !sending.last;
        match found == mark(self.sent.0, self.sent.1) {
            true => self.sent = next(self.sent, &self.lengths),
            false => self.goes_wrong(Wrong::Sent),
        }
        if is_last {
            self.sends_no_more();
        }
        Crossing::Unit(found)
    }

    fn sends_no_more(&mut self) {
        self.send = None;
        self.mcp.send_done();
    }

    /// Something comes from the link.
    pub fn take(&mut self, crossing: Crossing) {
        let (asleep, watch) = (!self.mcp.ready(), self.mcp.watch());
        let receiving = self.receive.as_mut().expect("the receive engine works");
        match crossing {
            Crossing::Unit(mark) => {
                let cell = self.receive_buffers[usize::from(receiving.buffer)].get_mut(usize::from(receiving.moved));
                let Some(cell) = cell else { return self.goes_wrong(Wrong::Delivered) };
                *cell = mark;
                receiving.moved += 1;
                let landed = u32::from(receiving.moved);
                self.mcp.received(landed, false);
                self.check_watch(asleep, watch.received.is_some_and(|count| landed >= count));
            }
            Crossing::End => {
                self.mcp.received(u32::from(receiving.moved), true);
                self.receive = None;
                self.mcp.receive_done();
            }
        }
    }
}
