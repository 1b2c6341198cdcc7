//! The same rows as PROMELA, for Spin: a card and a peer, with the paper's formulas in linear temporal logic.
//!
//! Each row is a step of its own here, so engines act between the rows of a thread, too. Packets are counted,
//! not marked: that a unit is the right one is the other checker's matter.

use super::firmware::Firmware;
use narrows_core::ni::mcp::threads::{Deed, Guard, Pipelining, Rule, TRANSITIONS, Thread, Transition};
use std::fmt::Write;

/// A formula of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formula {
    /// Its name.
    pub name: &'static str,
    /// In linear temporal logic.
    pub ltl: &'static str,
    /// What it is.
    pub says: &'static str,
    expected: Expected,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Holds,
    Fails,
    /// It fails where transfers overlap: what breaks it is the run that was asked for.
    FailsWhereOverlapped,
    /// It fails where they do so within a packet.
    FailsWithin,
}

const fn formula(name: &'static str, ltl: &'static str, says: &'static str, expected: Expected) -> Formula {
    Formula { name, ltl, says, expected }
}

/// All of them. `never_…` is the negation of what shall be possible: Spin's counterexample is the run that was
/// asked for.
pub static FORMULAS: [Formula; 12] = [
    formula("never_f1", "[] !(sdma && (coarse_send || fine_send))", "not Formula 1", Expected::FailsWhereOverlapped),
    formula("never_f1_within", "[] !within_out", "the same, at one packet", Expected::FailsWithin),
    formula("never_f2", "[] !((coarse_rdma || fine_rdma) && recv)", "not Formula 2", Expected::FailsWhereOverlapped),
    formula("never_f2_within", "[] !within_in", "the same, at one packet", Expected::FailsWithin),
    formula("never_f3", "[] !((coarse_send || fine_send) && recv)", "not Formula 3", Expected::Fails),
    formula("f4", "[] !(sdma && (coarse_rdma || fine_rdma))", "Formula 4, with its negation", Expected::Holds),
    formula("f4_last", "[] !(sdma && last_rdma)", "the same of a last fragment", Expected::Holds),
    formula("f1_printed", "<> (sdma && (coarse_send || fine_send))", "Formula 1 as printed", Expected::Fails),
    formula("f2_printed", "<> ((coarse_rdma || fine_rdma) && recv)", "Formula 2 as printed", Expected::Fails),
    formula("f3_printed", "<> ((coarse_send || fine_send) && recv)", "Formula 3 as printed", Expected::Fails),
    formula("f4_printed", "[] (sdma && (coarse_rdma || fine_rdma))", "Formula 4 as printed", Expected::Fails),
    formula("all_delivered", "<> over", "every run delivers everything", Expected::Holds),
];

impl Formula {
    /// Whether it is to hold of a firmware all of whose rules are kept.
    pub fn is_expected(&self, firmware: &Firmware) -> bool {
        match self.expected {
            Expected::Holds => true,
            Expected::Fails => false,
            Expected::FailsWhereOverlapped => firmware.pipelining == Pipelining::Serial,
            Expected::FailsWithin => !matches!(firmware.pipelining, Pipelining::Fine { .. }),
        }
    }
}

/// The model of a firmware.
pub fn promela(firmware: &Firmware, without: Option<Rule>) -> String {
    Writer { pipelining: firmware.pipelining, segment: firmware.segment, without }.model(firmware)
}

struct Writer {
    pipelining: Pipelining,
    segment: Option<u32>,
    without: Option<Rule>,
}

/// Packets of the peer.
const PEER_PACKETS: u32 = 2;
/// How long a message may be.
const LENGTHS: [u32; 2] = [1, 3];

fn name(thread: Thread) -> &'static str {
    match thread {
        Thread::Sdma => "SDMA",
        Thread::Send => "SEND",
        Thread::Recv => "RECV",
        Thread::Rdma => "RDMA",
    }
}

impl Writer {
    fn model(&self, firmware: &Firmware) -> String {
        let broken = self.without.map_or(String::new(), |rule| format!(", without the rule {}", rule.name()));
        let mut text = format!("/* The firmware {}{broken}: {}. */\n\n", firmware.name, firmware.says);
        self.numbers(&mut text);
        text += include_str!("promela.pml");
        text += "\n";
        Thread::ALL.iter().for_each(|&thread| self.conditions(&mut text, thread));
        text += "\nactive proctype card() {\n    do\n    /* The rows of the firmware. */\n";
        TRANSITIONS.iter().for_each(|row| self.row(&mut text, row));
        let lengths = |target: &str, max: u32| -> String {
            LENGTHS.iter().map(|length| format!(":: {target} = {} ", (*length).min(max))).collect()
        };
        let posts = lengths("length[posted]", u32::MAX);
        let peers = lengths("peer_length", self.segment.unwrap_or(u32::MAX));
        text += &include_str!("engines.pml").replace("POST_LENGTHS ", &posts).replace("PEER_LENGTHS ", &peers);
        text += "    od\n}\n\n";
        for formula in &FORMULAS {
            let _ = writeln!(text, "/* {} */\nltl {} {{ {} }}", formula.says, formula.name, formula.ltl);
        }
        text
    }

    fn numbers(&self, text: &mut String) {
        let of_message = self.segment.map_or(1, |segment| LENGTHS[1].div_ceil(segment));
        // More packets than buffers.
        let messages = if of_message > 1 { 2 } else { 3 };
        let packets = messages * of_message;
        for (name, value) in
            [("MESSAGES", messages), ("PEER_PACKETS", PEER_PACKETS), ("PACKETS", packets), ("BUFFERS", 2)]
        {
            let _ = writeln!(text, "#define {name} {value}");
        }
        for (at, thread) in Thread::ALL.into_iter().enumerate() {
            let _ = writeln!(text, "#define {} {at}", name(thread));
        }
        *text += "\n";
    }

    /// When a thread is ready, and when it wants the host engine; and when it may run.
    fn conditions(&self, text: &mut String, thread: Thread) {
        let rows = || TRANSITIONS.iter().filter(move |row| row.thread == thread);
        let any = |of: Vec<String>| if of.is_empty() { "false".to_owned() } else { of.join(" || ") };
        let dispatched = rows().filter(|row| row.from.is_dispatching());
        let ready = any(dispatched.map(|row| self.open(row, |_| true)).collect());
        let takes = rows().filter(|row| row.guards.contains(&Guard::HostFree));
        let wants = any(takes.map(|row| self.open(row, |guard| guard != Guard::HostFree)).collect());
        let _ = writeln!(text, "#define {0}_READY ({ready})\n#define {0}_WANTS ({wants})", name(thread));
        let _ =
            writeln!(text, "#define {0}_MAY (running == {0} || (running == NONE{1}))", name(thread), self.turn(thread));
    }

    /// That no other that comes before it is ready.
    fn turn(&self, thread: Thread) -> String {
        let at = thread as usize;
        if self.without == Some(Rule::Turns) {
            return Thread::ALL[..at].iter().map(|&before| format!(" && !{}_READY", name(before))).collect();
        }
        // Who comes before it depends on who ran last: all from that one's next.
        let before = (1..4).map(|back| {
            let other = Thread::ALL[(at + 4 - back) % 4];
            let ran: Vec<String> =
                (back + 1..=4).map(|k| format!("last == {}", name(Thread::ALL[(at + 4 - k) % 4]))).collect();
            format!(" && !({}_READY && ({}))", name(other), ran.join(" || "))
        });
        before.collect()
    }

    fn open(&self, row: &Transition, counts: impl Fn(Guard) -> bool) -> String {
        let guards: String = row
            .guards
            .iter()
            .filter(|guard| counts(**guard))
            .map(|&guard| format!(" && {}", self.guard(guard)))
            .collect();
        format!("({}_state == {}{guards})", name(row.thread), row.from.name())
    }

    fn row(&self, text: &mut String, row: &Transition) {
        let thread = name(row.thread);
        let deeds: String = row.deeds.iter().map(|&deed| format!("{}; ", self.deed(deed))).collect();
        let next = if row.to.is_dispatching() { "NONE" } else { thread };
        let open = self.open(row, |_| true);
        let _ = writeln!(
            text,
            "    :: atomic {{ {thread}_MAY && {open} ->\n         {deeds}{thread}_state = {}; running = {next}; last = {thread} }}",
            row.to.name()
        );
    }

    fn threshold(&self) -> Option<u32> {
        match self.pipelining {
            Pipelining::Fine { threshold } => Some(threshold),
            Pipelining::Serial | Pipelining::Coarse => None,
        }
    }

    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    fn counted_out(&self) -> &'static str {
        match self.keeps(Rule::BytesFirst) {
            true => "out_landed[out_first]",
            false => {
                "(out_landed[out_first] < out_length[out_first] -> out_landed[out_first] + 1 : out_length[out_first])"
            }
        }
    }

    fn counted_in(&self) -> &'static str {
        match self.keeps(Rule::BytesFirst) {
            true => "in_landed[in_first]",
            false => "(in_ended[in_first] -> in_landed[in_first] : in_landed[in_first] + 1)",
        }
    }

    fn is_whole(&self) -> String {
        match self.threshold().is_some() || !self.keeps(Rule::BytesFirst) {
            true => format!("(out_filled[out_first] || {} == out_length[out_first])", self.counted_out()),
            false => "out_filled[out_first]".to_owned(),
        }
    }

    fn has_come(&self) -> &'static str {
        match (self.threshold(), self.keeps(Rule::BytesFirst)) {
            (Some(_), _) => "(in_filled[in_first] || in_ended[in_first])",
            (None, true) => "in_filled[in_first]",
            (None, false) => "(in_filled[in_first] || in_landed[in_first] > 0)",
        }
    }

    fn guard(&self, guard: Guard) -> String {
        let serial = self.pipelining == Pipelining::Serial;
        let free = |used: &str| match self.keeps(Rule::BuffersHeld) {
            true => format!("{used} < BUFFERS"),
            false => "true".to_owned(),
        };
        let alone = |first: &str, end: &str| if serial { format!("{first} == {end}") } else { "true".to_owned() };
        let enough = |there: &str, whole: &str, lies: &str, taken: &str| match self.threshold() {
            Some(threshold) => format!("({there} && !{whole} && {lies} >= {taken} + {threshold})"),
            None => "false".to_owned(),
        };
        let (sends, writes) = ("out_first < out_end", "in_first < in_end");
        match guard {
            Guard::Descriptor => "reading < posted".to_owned(),
            Guard::SendBuffer => free("out_end - out_first"),
            Guard::SenderAlone => alone("out_first", "out_end"),
            Guard::HostFree if self.keeps(Rule::EngineExclusive) => "host == RESTS".to_owned(),
            Guard::HostFree => "true".to_owned(),
            Guard::HostDone => "host == ENDED".to_owned(),
            Guard::SendWhole => format!("({sends} && {})", self.is_whole()),
            Guard::SendEnough => enough(sends, &self.is_whole(), self.counted_out(), "out_taken[out_first]"),
            Guard::SendEnded => "send == ENDED".to_owned(),
            Guard::Comes => "coming".to_owned(),
            Guard::ReceiveBuffer => free("in_end - in_first"),
            Guard::ReceiverAlone => alone("in_first", "in_end"),
            Guard::ReceiveEnded => "receive == ENDED".to_owned(),
            // The host always has a place: one that gives none is at fault itself.
            Guard::Place => "true".to_owned(),
            Guard::ReceivedWhole => format!("({writes} && {})", self.has_come()),
            Guard::ReceivedEnough => enough(writes, self.has_come(), self.counted_in(), "in_taken[in_first]"),
            Guard::Rest => format!("({writes} && in_taken[in_first] < in_landed[in_first])"),
            Guard::NoRest => format!("({writes} && in_taken[in_first] >= in_landed[in_first])"),
        }
    }

    fn deed(&self, deed: Deed) -> String {
        let last = match self.keeps(Rule::EndsMarked) {
            true => "(send_to == out_length[out_first])",
            false => "false",
        };
        match deed {
            Deed::Read => self.read(),
            // Nothing, if all of it was sent before its end was noticed.
            Deed::Filled => {
                "out_landed[out_end - 1] = out_length[out_end - 1]; out_filled[out_end - 1] = true".to_owned()
            }
            Deed::Send => format!(
                "check(send == RESTS); send = WORKS; send_packet = out_first; send_at = out_taken[out_first]; \
                 send_to = {}; out_taken[out_first] = send_to; send_last = {last}",
                self.counted_out()
            ),
            Deed::SendRests => "send = RESTS".to_owned(),
            Deed::Sent => "check(out_taken[out_first] == out_length[out_first]); out_first++".to_owned(),
            Deed::Receive => "check(receive == RESTS && in_end - in_first < BUFFERS); coming = false; \
                              receive = WORKS; in_end++"
                .to_owned(),
            Deed::ReceiveRests => "receive = RESTS".to_owned(),
            Deed::Received => "in_filled[in_end - 1] = true".to_owned(),
            Deed::TakePlace => "skip".to_owned(),
            Deed::Write => format!(
                "check(host == RESTS); sdma_passed = (SDMA_WANTS -> sdma_passed + 1 : 0); check(sdma_passed < 2); \
                 rdma_passed = 0; host = WORKS; reads = false; host_packet = in_first; host_at = in_taken[in_first]; \
                 host_to = {}; in_taken[in_first] = host_to",
                self.counted_in()
            ),
            Deed::HostRests => "host = RESTS".to_owned(),
            Deed::Delivered => {
                "check(in_ended[in_first] && in_taken[in_first] == in_landed[in_first]); in_first++".to_owned()
            }
        }
    }

    fn read(&self) -> String {
        let left = "length[reading] - asked";
        let units = match self.segment {
            Some(segment) => format!("({left} > {segment} -> {segment} : {left})"),
            None => left.to_owned(),
        };
        format!(
            "check(host == RESTS && out_end - out_first < BUFFERS); \
             rdma_passed = (RDMA_WANTS -> rdma_passed + 1 : 0); check(rdma_passed < 2); sdma_passed = 0; \
             host = WORKS; reads = true; host_packet = out_end; host_at = 0; host_to = {units}; \
             out_length[out_end] = host_to; asked = asked + host_to; out_end++; \
             if :: asked == length[reading] -> asked = 0; reading++ :: else -> skip fi"
        )
    }
}
