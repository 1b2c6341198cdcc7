//! What is checked: the paper's formulas as they are meant, and what any firmware owes.
//!
//! The paper's Formulas 1 to 3 read "◇ (…)": on every trace. That is wrong of a message sent alone, and their
//! prose asks "can the thread …?": here each asks whether a state like that can be reached. Formula 4
//! is printed without its negation, and would demand what it is to forbid.

use super::card::Wrong;
use super::pair::{Case, Pair};
use narrows_core::ni::mcp::threads::{Mcp, Pipelining, Thread, ThreadState};
use stateright::Property;

/// A property of the firmware.
pub struct Checked {
    /// Its name: `f1` to `f4` are the paper's formulas.
    pub name: &'static str,
    /// What it says.
    pub says: &'static str,
    /// Whether a state like that is to be reachable, or every state like that.
    pub demand: Demand,
    holds: fn(&Case, &Pair) -> bool,
    /// Whether it is to hold.
    expected: fn(Pipelining) -> bool,
}

/// What a property demands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// In some state.
    Possible,
    /// In every state.
    Always,
}

impl Checked {
    /// Whether it is to hold of a firmware all of whose rules are kept.
    pub fn is_expected(&self, pipelining: Pipelining) -> bool {
        (self.expected)(pipelining)
    }
}

/// All of them.
pub const CHECKED: [Checked; 13] = [
    Checked {
        name: "f1",
        says: "SEND can work while SDMA does",
        demand: Demand::Possible,
        holds: |_, pair| any(pair, |mcp| is_at(mcp, Thread::Sdma, &[ThreadState::Sdma]) && sends(mcp)),
        expected: overlaps,
    },
    Checked {
        name: "f1-within",
        says: "so it can at one packet",
        demand: Demand::Possible,
        holds: |_, pair| any(pair, Mcp::cuts_through_out),
        expected: is_fine,
    },
    Checked {
        name: "f2",
        says: "RDMA can work while RECV does",
        demand: Demand::Possible,
        holds: |_, pair| any(pair, |mcp| writes(mcp) && is_at(mcp, Thread::Recv, &[ThreadState::Recv])),
        expected: overlaps,
    },
    Checked {
        name: "f2-within",
        says: "so it can at one packet",
        demand: Demand::Possible,
        holds: |_, pair| any(pair, Mcp::cuts_through_in),
        expected: is_fine,
    },
    Checked {
        name: "f3",
        says: "SEND can work while RECV does",
        demand: Demand::Possible,
        holds: |_, pair| any(pair, |mcp| sends(mcp) && is_at(mcp, Thread::Recv, &[ThreadState::Recv])),
        expected: |_| true,
    },
    Checked {
        name: "f4",
        says: "SDMA and RDMA never have the host engine at once",
        demand: Demand::Always,
        holds: |_, pair| !any(pair, |mcp| is_at(mcp, Thread::Sdma, &[ThreadState::Sdma]) && writes(mcp)),
        expected: |_| true,
    },
    Checked {
        name: "f4-last",
        says: "nor when RDMA takes a last fragment",
        demand: Demand::Always,
        holds: |_, pair| {
            let last = |mcp: &Mcp| is_at(mcp, Thread::Rdma, &[ThreadState::RdmaLastFragment]);
            !any(pair, |mcp| is_at(mcp, Thread::Sdma, &[ThreadState::Sdma]) && last(mcp))
        },
        expected: |_| true,
    },
    Checked {
        name: "engines",
        says: "no engine is started that works, or for nothing",
        demand: Demand::Always,
        holds: |_, pair| !is_wrong(pair, &[Wrong::Started]),
        expected: |_| true,
    },
    Checked {
        name: "landed-first",
        says: "no unit is sent or delivered before it has landed, or out of order, or twice",
        demand: Demand::Always,
        holds: |_, pair| !is_wrong(pair, &[Wrong::Sent, Wrong::Delivered]),
        expected: |_| true,
    },
    Checked {
        name: "whole",
        says: "what is told as sent or delivered has been, whole",
        demand: Demand::Always,
        holds: |_, pair| !is_wrong(pair, &[Wrong::Told]),
        expected: |_| true,
    },
    Checked {
        name: "no-deadlock",
        says: "nothing stops before every message is delivered",
        demand: Demand::Always,
        holds: |case, pair| case.is_over(pair) || !case.is_stuck(pair),
        expected: |_| true,
    },
    Checked {
        name: "in-turn",
        says: "who wants the host engine is passed by once at most",
        demand: Demand::Always,
        holds: |_, pair| pair.cards().flat_map(|card| card.passed_by).all(|times| times < 2),
        expected: |_| true,
    },
    Checked {
        name: "table",
        says: "a state has one way on at most, and sleepers wake when their watch says",
        demand: Demand::Always,
        holds: |_, pair| !is_wrong(pair, &[Wrong::Choice, Wrong::Watched]),
        expected: |_| true,
    },
];

/// The same as the checker asks for them: all, or one.
pub fn properties(only: Option<&str>) -> Vec<Property<Case>> {
    let property = |checked: &Checked| match checked.demand {
        Demand::Possible => Property::sometimes(checked.name, checked.holds),
        Demand::Always => Property::always(checked.name, checked.holds),
    };
    CHECKED.iter().filter(|checked| only.is_none_or(|only| only == checked.name)).map(property).collect()
}

fn overlaps(pipelining: Pipelining) -> bool {
    pipelining != Pipelining::Serial
}

fn is_fine(pipelining: Pipelining) -> bool {
    matches!(pipelining, Pipelining::Fine { .. })
}

fn any(pair: &Pair, holds: impl Fn(&Mcp) -> bool) -> bool {
    pair.cards().any(|card| holds(&card.mcp))
}

fn is_wrong(pair: &Pair, wrongs: &[Wrong]) -> bool {
    pair.cards().any(|card| card.wrong.is_some_and(|wrong| wrongs.contains(&wrong)))
}

fn is_at(mcp: &Mcp, thread: Thread, states: &[ThreadState]) -> bool {
    states.contains(&mcp.state(thread))
}

/// coarse_send || fine_send
fn sends(mcp: &Mcp) -> bool {
    is_at(mcp, Thread::Send, &[ThreadState::CoarseGrainedSend, ThreadState::FineGrainedSend])
}

/// coarse_rdma || fine_rdma, which the paper prints as fine_sdma
fn writes(mcp: &Mcp) -> bool {
    is_at(mcp, Thread::Rdma, &[ThreadState::CoarseGrainedRdma, ThreadState::FineGrainedRdma])
}
