//! A run in words: what happened, to whom, and what the firmware did.

use super::moves::{Action, Move};
use super::pair::Case;
use narrows_core::ni::mcp::threads::{Act, Step, Thread};

/// The lines of a run.
pub fn told(case: &Case, moves: &[Move]) -> Vec<String> {
    let mut pair = case.start();
    let mut lines = vec![setting(case)];
    for &next in moves {
        let is_end = pair.sides[next.side].is_at_end();
        let ran = pair.happens(next);
        lines.push(line(case, next, ran, is_end));
    }
    lines
}

fn setting(case: &Case) -> String {
    let [left, right] = case.messages;
    let others = if case.is_pair { "card B" } else { "the peer" };
    let buffers = case.config.send_buffers;
    format!("card A sends {left}, {others} sends {right}; buffers each way: {buffers}")
}

fn line(case: &Case, Move { side, what }: Move, ran: Option<Step>, is_end: bool) -> String {
    let [this, other] = match (side, case.is_pair) {
        (0, true) => ["A", "B"],
        (0, false) => ["A", "peer"],
        (_, true) => ["B", "A"],
        (_, false) => ["peer", "A"],
    };
    let happens = match (what, ran) {
        (Action::Post(units), _) => format!("posts a message of {}", counted(u32::from(units))),
        (Action::MoveHost, _) => "host engine moves a unit".to_owned(),
        (Action::Cross, _) if is_end => format!("the packet's end crosses to {other}"),
        (Action::Cross, _) => format!("a unit crosses to {other}"),
        (Action::Step, Some(step)) => stepped(&step),
        (Action::Step, None) => "no thread runs".to_owned(),
    };
    format!("{this:<5}{happens}")
}

fn counted(units: u32) -> String {
    if units == 1 { "1 unit".to_owned() } else { format!("{units} units") }
}

fn stepped(step: &Step) -> String {
    let thread = match step.thread {
        Thread::Sdma => "SDMA",
        Thread::Send => "SEND",
        Thread::Recv => "RECV",
        Thread::Rdma => "RDMA",
    };
    let states: Vec<&str> = step.states.iter().map(|state| state.name()).collect();
    let acts: String = step.acts.iter().map(|act| format!("; {}", acted(act))).collect();
    format!("{thread} {} → {}{acts}", step.from.name(), states.join(" → "))
}

fn acted(act: &Act) -> String {
    match *act {
        Act::StartHostRead { id, buffer, from, units } => {
            format!("reads {} of message {id} from {from} into send buffer {buffer}", counted(units))
        }
        Act::StartSend { buffer, from, units, last, .. } => {
            let register = if last { "SMLT" } else { "SML" };
            format!("sends {} of send buffer {buffer} from {from} ({register})", counted(units))
        }
        Act::StartReceive { buffer, .. } => format!("receives into receive buffer {buffer}"),
        Act::StartHostWrite { buffer, from, units, .. } => {
            format!("writes {} of receive buffer {buffer} from {from}", counted(units))
        }
        Act::SendComplete { id } => format!("tells that message {id} has gone"),
        Act::Received { units, .. } => format!("tells of a packet of {}", counted(units)),
    }
}
