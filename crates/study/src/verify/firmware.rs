//! The firmwares that are checked, and with how much traffic.
//!
//! Small numbers reach every state of the threads: a packet shorter than the threshold and one longer, more
//! packets than buffers in either direction, both directions at once. One card is joined with a peer that
//! sends and takes whenever it likes, which is all that any card can do to it; and two cards with each other,
//! so that each can hold up the other.

use super::pair::Case;
use narrows_core::ni::mcp::threads::{Config, Pipelining, Rule};

/// A firmware.
#[derive(Debug)]
pub struct Firmware {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub says: &'static str,
    pub(super) pipelining: Pipelining,
    pub(super) segment: Option<u32>,
    loads: &'static [Load],
}

/// Traffic of a case.
#[derive(Debug)]
struct Load {
    is_pair: bool,
    messages: [u8; 2],
    lengths: &'static [u8],
    buffers: u8,
    /// Of fine pipelining.
    threshold: u32,
}

const fn with_peer(messages: [u8; 2], lengths: &'static [u8], buffers: u8) -> Load {
    Load { is_pair: false, messages, lengths, buffers, threshold: 2 }
}

const fn two_cards(messages: [u8; 2], lengths: &'static [u8], buffers: u8) -> Load {
    Load { is_pair: true, messages, lengths, buffers, threshold: 2 }
}

const WHOLE: &[Load] = &[
    with_peer([3, 2], &[1, 2], 2),
    with_peer([2, 3], &[1, 2], 2),
    with_peer([2, 2], &[1, 2], 1),
    two_cards([3, 3], &[1], 1),
    two_cards([2, 1], &[1], 2),
];

/// All of them.
pub static FIRMWARES: [Firmware; 4] = [
    Firmware {
        name: "berkeley-via",
        says: "a direction has one packet and one engine at work",
        pipelining: Pipelining::Serial,
        segment: None,
        loads: WHOLE,
    },
    Firmware {
        name: "gm",
        says: "coarse pipelining of messages that travel as packets of 2 units",
        pipelining: Pipelining::Coarse,
        segment: Some(2),
        loads: &[
            with_peer([2, 2], &[1, 3], 2),
            with_peer([1, 3], &[1, 3], 2),
            with_peer([2, 2], &[3], 1),
            two_cards([1, 1], &[3], 1),
        ],
    },
    Firmware {
        name: "coarse",
        says: "a packet leaves memory when it is whole, the next comes meanwhile",
        pipelining: Pipelining::Coarse,
        segment: None,
        loads: WHOLE,
    },
    Firmware {
        name: "fine",
        says: "a packet leaves memory while it comes, in fragments of 2 units or more",
        pipelining: Pipelining::Fine { threshold: 2 },
        segment: None,
        loads: &[
            with_peer([3, 1], &[1, 3], 2),
            with_peer([1, 3], &[1, 3], 2),
            with_peer([2, 2], &[3], 2),
            with_peer([2, 2], &[1, 3], 1),
            Load { threshold: 1, ..with_peer([1, 2], &[3], 1) },
            two_cards([1, 1], &[3], 1),
            two_cards([2, 1], &[2], 2),
        ],
    },
];

impl Firmware {
    /// What is explored of it.
    pub(super) fn cases(&self, without: Option<Rule>) -> Vec<Case> {
        let case = |load: &Load| {
            let (pipelining, segment, buffers) = (self.pipelining, self.segment, load.buffers);
            let pipelining = match pipelining {
                Pipelining::Fine { .. } => Pipelining::Fine { threshold: load.threshold },
                whole => whole,
            };
            let config = Config { pipelining, send_buffers: buffers, receive_buffers: buffers, segment };
            Case { config, without, lengths: load.lengths, messages: load.messages, is_pair: load.is_pair, only: None }
        };
        self.loads.iter().map(case).collect()
    }
}
