//! Runs as text: the action of each step, its side, and the transitions of the firmware.

use super::actions::{Action, SideAction};
use super::pair::Case;
use narrows_core::ni::mcp::threads::{Command, Step, Thread};

/// Returns the lines of a run.
pub fn trace_lines(case: &Case, moves: &[SideAction]) -> Vec<String> {
    let mut pair = case.start();
    let mut lines = vec![case_text(case)];
    for &next in moves {
        let is_end = pair.sides[next.side].is_at_end();
        let step = pair.apply(next);
        lines.push(action_text(case, next, step, is_end));
    }
    lines
}

fn case_text(case: &Case) -> String {
    let [left, right] = case.messages;
    let other_name = if case.has_two_cards { "card B" } else { "the peer" };
    let buffers = case.config.send_buffers;
    format!("card A sends {left}, {other_name} sends {right}; buffers each way: {buffers}")
}

fn action_text(
    case: &Case,
    SideAction { side, action }: SideAction,
    executed_step: Option<Step>,
    is_end: bool,
) -> String {
    let [this, other] = match (side, case.has_two_cards) {
        (0, true) => ["A", "B"],
        (0, false) => ["A", "peer"],
        (_, true) => ["B", "A"],
        (_, false) => ["peer", "A"],
    };
    let event = match (action, executed_step) {
        (Action::Post(units), _) => format!("posts a message of {}", units_text(u32::from(units))),
        (Action::MoveHost, _) => "host engine moves a unit".to_owned(),
        (Action::Cross, _) if is_end => format!("the packet's end crosses to {other}"),
        (Action::Cross, _) => format!("a unit crosses to {other}"),
        (Action::Step, Some(step)) => step_text(&step),
        (Action::Step, None) => "no thread runs".to_owned(),
    };
    format!("{this:<5}{event}")
}

fn units_text(units: u32) -> String {
    if units == 1 { "1 unit".to_owned() } else { format!("{units} units") }
}

fn step_text(step: &Step) -> String {
    let thread = match step.thread {
        Thread::Sdma => "SDMA",
        Thread::Send => "SEND",
        Thread::Recv => "RECV",
        Thread::Rdma => "RDMA",
    };
    let states: Vec<&str> = step.states.iter().map(|state| state.name()).collect();
    let commands: String = step.commands.iter().map(|command| format!("; {}", command_text(command))).collect();
    format!("{thread} {} → {}{commands}", step.from.name(), states.join(" → "))
}

fn command_text(command: &Command) -> String {
    match *command {
        Command::StartHostRead { id, buffer, from, units } => {
            format!("reads {} of message {id} from {from} into send buffer {buffer}", units_text(units))
        }
        Command::StartSend { buffer, from, units, last, .. } => {
            let register = if last { "SMLT" } else { "SML" };
            format!("sends {} of send buffer {buffer} from {from} ({register})", units_text(units))
        }
        Command::StartReceive { buffer, .. } => format!("receives into receive buffer {buffer}"),
        Command::StartHostWrite { buffer, from, units, .. } => {
            format!("writes {} of receive buffer {buffer} from {from}", units_text(units))
        }
        Command::SendComplete { id } => format!("notifies the host that message {id} was sent"),
        Command::Received { units, .. } => format!("notifies the host of a packet of {}", units_text(units)),
    }
}
