//! The transition table as a PROMELA model for Spin. The model has a card and a peer; the paper's formulas are in
//! linear temporal logic.
//!
//! Each transition is a separate step, so engines also act between the transitions of a thread. Packets are counted and
//! not marked; the other model checks the marks of units.

use super::firmware::Firmware;
use narrows_core::ni::mcp::threads::{Action, Guard, Pipelining, Rule, TRANSITIONS, Thread, Transition};
use std::fmt::Write;

/// A formula of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formula {
    /// The name of the formula.
    pub name: &'static str,
    /// The formula in linear temporal logic.
    pub ltl: &'static str,
    /// The description of the formula.
    pub description: &'static str,
    expected: Expectation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expectation {
    Holds,
    Fails,
    /// The formula fails for firmwares that overlap transfers; the counterexample is the wanted run.
    FailsForAnyOverlap,
    /// The formula fails for firmwares that overlap transfers within a packet.
    FailsForPacketOverlap,
}

const fn formula(name: &'static str, ltl: &'static str, description: &'static str, expected: Expectation) -> Formula {
    Formula { name, ltl, description, expected }
}

/// All formulas. `never_…` is the negation of a state that must be possible: Spin's counterexample is a run that
/// reaches it.
pub static FORMULAS: [Formula; 12] = [
    formula(
        "never_f1",
        "[] !(sdma && (coarse_send || fine_send))",
        "negation of Formula 1",
        Expectation::FailsForAnyOverlap,
    ),
    formula(
        "never_f1_within",
        "[] !within_out",
        "negation of Formula 1 within one packet",
        Expectation::FailsForPacketOverlap,
    ),
    formula(
        "never_f2",
        "[] !((coarse_rdma || fine_rdma) && recv)",
        "negation of Formula 2",
        Expectation::FailsForAnyOverlap,
    ),
    formula(
        "never_f2_within",
        "[] !within_in",
        "negation of Formula 2 within one packet",
        Expectation::FailsForPacketOverlap,
    ),
    formula("never_f3", "[] !((coarse_send || fine_send) && recv)", "negation of Formula 3", Expectation::Fails),
    formula(
        "f4",
        "[] !(sdma && (coarse_rdma || fine_rdma))",
        "Formula 4 with its missing negation",
        Expectation::Holds,
    ),
    formula("f4_last", "[] !(sdma && last_rdma)", "Formula 4 for a last fragment", Expectation::Holds),
    formula("f1_printed", "<> (sdma && (coarse_send || fine_send))", "Formula 1 as printed", Expectation::Fails),
    formula("f2_printed", "<> ((coarse_rdma || fine_rdma) && recv)", "Formula 2 as printed", Expectation::Fails),
    formula("f3_printed", "<> ((coarse_send || fine_send) && recv)", "Formula 3 as printed", Expectation::Fails),
    formula("f4_printed", "[] (sdma && (coarse_rdma || fine_rdma))", "Formula 4 as printed", Expectation::Fails),
    formula("all_delivered", "<> over", "every run delivers everything", Expectation::Holds),
];

impl Formula {
    /// Returns whether the formula is expected to hold for a firmware with all rules enabled.
    pub fn is_expected(&self, firmware: &Firmware) -> bool {
        match self.expected {
            Expectation::Holds => true,
            Expectation::Fails => false,
            Expectation::FailsForAnyOverlap => firmware.pipelining == Pipelining::Serial,
            Expectation::FailsForPacketOverlap => !matches!(firmware.pipelining, Pipelining::Fine { .. }),
        }
    }
}

/// Returns the model of a firmware.
pub fn promela(firmware: &Firmware, disabled_rule: Option<Rule>) -> String {
    PromelaWriter { pipelining: firmware.pipelining, segment: firmware.segment, disabled_rule }.model(firmware)
}

struct PromelaWriter {
    pipelining: Pipelining,
    segment: Option<u32>,
    disabled_rule: Option<Rule>,
}

/// The number of packets of the peer.
const PEER_PACKETS: u32 = 2;
/// The lengths that a message may have.
const LENGTHS: [u32; 2] = [1, 3];

fn name(thread: Thread) -> &'static str {
    match thread {
        Thread::Sdma => "SDMA",
        Thread::Send => "SEND",
        Thread::Recv => "RECV",
        Thread::Rdma => "RDMA",
    }
}

impl PromelaWriter {
    fn model(&self, firmware: &Firmware) -> String {
        let disabled_rule_text =
            self.disabled_rule.map_or(String::new(), |rule| format!(", without the rule {}", rule.name()));
        let mut text =
            format!("/* The firmware {}{disabled_rule_text}: {}. */\n\n", firmware.name, firmware.description);
        self.write_constants(&mut text);
        text += include_str!("promela.pml");
        text += "\n";
        Thread::ALL.iter().for_each(|&thread| self.write_conditions(&mut text, thread));
        text += "\nactive proctype card() {\n    do\n    /* The rows of the firmware. */\n";
        TRANSITIONS.iter().for_each(|row| self.write_row(&mut text, row));
        let lengths = |target: &str, max: u32| -> String {
            LENGTHS.iter().map(|length| format!(":: {target} = {} ", (*length).min(max))).collect()
        };
        let post_lengths = lengths("length[posted]", u32::MAX);
        let peer_lengths = lengths("peer_length", self.segment.unwrap_or(u32::MAX));
        text += &include_str!("engines.pml")
            .replace("POST_LENGTHS ", &post_lengths)
            .replace("PEER_LENGTHS ", &peer_lengths);
        text += "    od\n}\n\n";
        for formula in &FORMULAS {
            let _ = writeln!(text, "/* {} */\nltl {} {{ {} }}", formula.description, formula.name, formula.ltl);
        }
        text
    }

    fn write_constants(&self, text: &mut String) {
        let packets_per_message = self.segment.map_or(1, |segment| LENGTHS[1].div_ceil(segment));
        // There are more packets than buffers.
        let messages = if packets_per_message > 1 { 2 } else { 3 };
        let packets = messages * packets_per_message;
        for (name, value) in
            [("MESSAGES", messages), ("PEER_PACKETS", PEER_PACKETS), ("PACKETS", packets), ("BUFFERS", 2)]
        {
            let _ = writeln!(text, "#define {name} {value}");
        }
        for (index, thread) in Thread::ALL.into_iter().enumerate() {
            let _ = writeln!(text, "#define {} {index}", name(thread));
        }
        *text += "\n";
    }

    /// Writes the conditions of a thread: that it is ready, that it wants the host engine, and that it may run.
    fn write_conditions(&self, text: &mut String, thread: Thread) {
        let rows = || TRANSITIONS.iter().filter(move |row| row.thread == thread);
        let any_of =
            |conditions: Vec<String>| if conditions.is_empty() { "false".to_owned() } else { conditions.join(" || ") };
        let dispatched = rows().filter(|row| row.from.is_dispatching());
        let ready = any_of(dispatched.map(|row| self.enabled_condition(row, |_| true)).collect());
        let host_rows = rows().filter(|row| row.guards.contains(&Guard::HostFree));
        let wants_host =
            any_of(host_rows.map(|row| self.enabled_condition(row, |guard| guard != Guard::HostFree)).collect());
        let _ = writeln!(text, "#define {0}_READY ({ready})\n#define {0}_WANTS ({wants_host})", name(thread));
        let _ = writeln!(
            text,
            "#define {0}_MAY (running == {0} || (running == NONE{1}))",
            name(thread),
            self.precedence_condition(thread)
        );
    }

    /// Returns the condition that no thread that precedes this one is ready.
    fn precedence_condition(&self, thread: Thread) -> String {
        let index = thread as usize;
        if self.disabled_rule == Some(Rule::Turns) {
            return Thread::ALL[..index].iter().map(|&preceding| format!(" && !{}_READY", name(preceding))).collect();
        }
        // With round robin, the threads between the one that ran last and this one precede it.
        let conditions = (1..4).map(|distance| {
            let other = Thread::ALL[(index + 4 - distance) % 4];
            let may_have_run_last: Vec<String> =
                (distance + 1..=4).map(|k| format!("last == {}", name(Thread::ALL[(index + 4 - k) % 4]))).collect();
            format!(" && !({}_READY && ({}))", name(other), may_have_run_last.join(" || "))
        });
        conditions.collect()
    }

    /// Returns the condition that a transition is enabled, with the guards for which `is_included` holds.
    fn enabled_condition(&self, row: &Transition, is_included: impl Fn(Guard) -> bool) -> String {
        let guards: String = row
            .guards
            .iter()
            .filter(|guard| is_included(**guard))
            .map(|&guard| format!(" && {}", self.guard_condition(guard)))
            .collect();
        format!("({}_state == {}{guards})", name(row.thread), row.from.name())
    }

    fn write_row(&self, text: &mut String, row: &Transition) {
        let thread = name(row.thread);
        let actions: String =
            row.actions.iter().map(|&action| format!("{}; ", self.action_statements(action))).collect();
        let next = if row.to.is_dispatching() { "NONE" } else { thread };
        let enabled = self.enabled_condition(row, |_| true);
        let _ = writeln!(
            text,
            "    :: atomic {{ {thread}_MAY && {enabled} ->\n         {actions}{thread}_state = {}; running = {next}; last = {thread} }}",
            row.to.name()
        );
    }

    fn threshold(&self) -> Option<u32> {
        match self.pipelining {
            Pipelining::Fine { threshold } => Some(threshold),
            Pipelining::Serial | Pipelining::Coarse => None,
        }
    }

    fn has_rule(&self, rule: Rule) -> bool {
        self.disabled_rule != Some(rule)
    }

    /// Returns the number of units of the first packet to be sent that the firmware takes for arrived.
    fn counted_outbound_units(&self) -> &'static str {
        match self.has_rule(Rule::BytesFirst) {
            true => "out_landed[out_first]",
            false => {
                "(out_landed[out_first] < out_length[out_first] -> out_landed[out_first] + 1 : out_length[out_first])"
            }
        }
    }

    /// Returns the number of units of the first packet to be delivered that the firmware takes for arrived.
    fn counted_inbound_units(&self) -> &'static str {
        match self.has_rule(Rule::BytesFirst) {
            true => "in_landed[in_first]",
            false => "(in_ended[in_first] -> in_landed[in_first] : in_landed[in_first] + 1)",
        }
    }

    /// Returns the condition under which the firmware takes the first packet to be sent for complete.
    fn whole_packet_condition(&self) -> String {
        match self.threshold().is_some() || !self.has_rule(Rule::BytesFirst) {
            true => format!("(out_filled[out_first] || {} == out_length[out_first])", self.counted_outbound_units()),
            false => "out_filled[out_first]".to_owned(),
        }
    }

    /// Returns the condition under which the firmware takes the first packet to be delivered for complete.
    fn arrival_condition(&self) -> &'static str {
        match (self.threshold(), self.has_rule(Rule::BytesFirst)) {
            (Some(_), _) => "(in_filled[in_first] || in_ended[in_first])",
            (None, true) => "in_filled[in_first]",
            (None, false) => "(in_filled[in_first] || in_landed[in_first] > 0)",
        }
    }

    /// Returns a guard as a condition.
    fn guard_condition(&self, guard: Guard) -> String {
        let is_serial = self.pipelining == Pipelining::Serial;
        let buffer_is_free = |used: &str| match self.has_rule(Rule::BuffersHeld) {
            true => format!("{used} < BUFFERS"),
            false => "true".to_owned(),
        };
        let is_empty = |first: &str, end: &str| if is_serial { format!("{first} == {end}") } else { "true".to_owned() };
        let exceeds_threshold = |is_present: &str, whole: &str, available: &str, taken: &str| match self.threshold() {
            Some(threshold) => format!("({is_present} && !{whole} && {available} >= {taken} + {threshold})"),
            None => "false".to_owned(),
        };
        let (sends, writes) = ("out_first < out_end", "in_first < in_end");
        match guard {
            Guard::Descriptor => "reading < posted".to_owned(),
            Guard::SendBuffer => buffer_is_free("out_end - out_first"),
            Guard::NoPacketToSend => is_empty("out_first", "out_end"),
            Guard::HostFree if self.has_rule(Rule::EngineExclusive) => "host == RESTS".to_owned(),
            Guard::HostFree => "true".to_owned(),
            Guard::HostDone => "host == ENDED".to_owned(),
            Guard::SendWhole => format!("({sends} && {})", self.whole_packet_condition()),
            Guard::SendEnough => exceeds_threshold(
                sends,
                &self.whole_packet_condition(),
                self.counted_outbound_units(),
                "out_taken[out_first]",
            ),
            Guard::SendEnded => "send == ENDED".to_owned(),
            Guard::PacketAnnounced => "coming".to_owned(),
            Guard::ReceiveBuffer => buffer_is_free("in_end - in_first"),
            Guard::NoPacketReceived => is_empty("in_first", "in_end"),
            Guard::ReceiveEnded => "receive == ENDED".to_owned(),
            // The host always has a receive buffer posted, since the firmware relies on it.
            Guard::HostBuffer => "true".to_owned(),
            Guard::ReceivedWhole => format!("({writes} && {})", self.arrival_condition()),
            Guard::ReceivedEnough => {
                exceeds_threshold(writes, self.arrival_condition(), self.counted_inbound_units(), "in_taken[in_first]")
            }
            Guard::Undelivered => format!("({writes} && in_taken[in_first] < in_landed[in_first])"),
            Guard::AllDelivered => format!("({writes} && in_taken[in_first] >= in_landed[in_first])"),
        }
    }

    /// Returns an action as statements.
    fn action_statements(&self, action: Action) -> String {
        let last = match self.has_rule(Rule::EndsMarked) {
            true => "(send_to == out_length[out_first])",
            false => "false",
        };
        match action {
            Action::Read => self.read_statements(),
            // This has no effect if the whole packet was sent before its end was noticed.
            Action::Filled => {
                "out_landed[out_end - 1] = out_length[out_end - 1]; out_filled[out_end - 1] = true".to_owned()
            }
            Action::Send => format!(
                "check(send == RESTS); send = WORKS; send_packet = out_first; send_at = out_taken[out_first]; \
                 send_to = {}; out_taken[out_first] = send_to; send_last = {last}",
                self.counted_outbound_units()
            ),
            Action::SendEngineIdle => "send = RESTS".to_owned(),
            Action::Sent => "check(out_taken[out_first] == out_length[out_first]); out_first++".to_owned(),
            Action::Receive => "check(receive == RESTS && in_end - in_first < BUFFERS); coming = false; \
                              receive = WORKS; in_end++"
                .to_owned(),
            Action::ReceiveEngineIdle => "receive = RESTS".to_owned(),
            Action::Received => "in_filled[in_end - 1] = true".to_owned(),
            Action::TakeHostBuffer => "skip".to_owned(),
            Action::Write => format!(
                "check(host == RESTS); sdma_passed = (SDMA_WANTS -> sdma_passed + 1 : 0); check(sdma_passed < 2); \
                 rdma_passed = 0; host = WORKS; reads = false; host_packet = in_first; host_at = in_taken[in_first]; \
                 host_to = {}; in_taken[in_first] = host_to",
                self.counted_inbound_units()
            ),
            Action::HostEngineIdle => "host = RESTS".to_owned(),
            Action::Delivered => {
                "check(in_ended[in_first] && in_taken[in_first] == in_landed[in_first]); in_first++".to_owned()
            }
        }
    }

    /// Returns the statements that start to read a packet from host memory.
    fn read_statements(&self) -> String {
        let remaining = "length[reading] - asked";
        let units = match self.segment {
            Some(segment) => format!("({remaining} > {segment} -> {segment} : {remaining})"),
            None => remaining.to_owned(),
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
