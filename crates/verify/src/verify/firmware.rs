//! The firmwares that are checked, and the traffic with which they are checked.
//!
//! Little traffic suffices to reach every state of the threads: packets shorter and longer than the threshold, more
//! packets than buffers in either direction, both directions at once. In one kind of case, a card is connected to a
//! peer that sends and receives at any time, which covers the behaviour of any other card. In the other kind, two cards
//! are connected to each other, so that each can block the other.

use super::pair::Case;
use narrows_core::ni::mcp::threads::{Config, Pipelining, Rule};

/// A firmware to check.
#[derive(Debug)]
pub struct Firmware {
    /// The name of the firmware.
    pub name: &'static str,
    /// The description of the firmware.
    pub description: &'static str,
    pub(super) pipelining: Pipelining,
    pub(super) segment: Option<u32>,
    traffic: &'static [CaseTraffic],
}

/// The traffic of a case.
#[derive(Debug)]
struct CaseTraffic {
    /// Whether both sides are cards, and the other side is not a peer.
    has_two_cards: bool,
    /// The number of messages that each side sends.
    messages: [u8; 2],
    /// The lengths that each message may have, in units.
    lengths: &'static [u8],
    /// The number of buffers of a card in each direction.
    buffers: u8,
    /// The threshold of fine-grained pipelining.
    threshold: u32,
}

const fn with_peer(messages: [u8; 2], lengths: &'static [u8], buffers: u8) -> CaseTraffic {
    CaseTraffic { has_two_cards: false, messages, lengths, buffers, threshold: 2 }
}

const fn two_cards(messages: [u8; 2], lengths: &'static [u8], buffers: u8) -> CaseTraffic {
    CaseTraffic { has_two_cards: true, messages, lengths, buffers, threshold: 2 }
}

const WHOLE_PACKETS: &[CaseTraffic] = &[
    with_peer([3, 2], &[1, 2], 2),
    with_peer([2, 3], &[1, 2], 2),
    with_peer([2, 2], &[1, 2], 1),
    two_cards([3, 3], &[1], 1),
    two_cards([2, 1], &[1], 2),
];

/// All firmwares.
pub static FIRMWARES: [Firmware; 4] = [
    Firmware {
        name: "berkeley-via",
        description: "one packet and one busy engine in each direction",
        pipelining: Pipelining::Serial,
        segment: None,
        traffic: WHOLE_PACKETS,
    },
    Firmware {
        name: "gm",
        description: "coarse-grained pipelining, with messages in packets of 2 units",
        pipelining: Pipelining::Coarse,
        segment: Some(2),
        traffic: &[
            with_peer([2, 2], &[1, 3], 2),
            with_peer([1, 3], &[1, 3], 2),
            with_peer([2, 2], &[3], 1),
            two_cards([1, 1], &[3], 1),
        ],
    },
    Firmware {
        name: "coarse",
        description: "coarse-grained pipelining: a packet leaves memory when it is complete, while the next arrives",
        pipelining: Pipelining::Coarse,
        segment: None,
        traffic: WHOLE_PACKETS,
    },
    Firmware {
        name: "fine",
        description: "fine-grained pipelining: a packet leaves memory while it arrives, in fragments of at least 2 units",
        pipelining: Pipelining::Fine { threshold: 2 },
        segment: None,
        traffic: &[
            with_peer([3, 1], &[1, 3], 2),
            with_peer([1, 3], &[1, 3], 2),
            with_peer([2, 2], &[3], 2),
            with_peer([2, 2], &[1, 3], 1),
            CaseTraffic { threshold: 1, ..with_peer([1, 2], &[3], 1) },
            two_cards([1, 1], &[3], 1),
            two_cards([2, 1], &[2], 2),
        ],
    },
];

impl Firmware {
    /// Returns the cases that are explored.
    pub(super) fn cases(&self, disabled_rule: Option<Rule>) -> Vec<Case> {
        let case = |traffic: &CaseTraffic| {
            let (pipelining, segment, buffers) = (self.pipelining, self.segment, traffic.buffers);
            let pipelining = match pipelining {
                Pipelining::Fine { .. } => Pipelining::Fine { threshold: traffic.threshold },
                pipelining => pipelining,
            };
            let config = Config { pipelining, send_buffers: buffers, receive_buffers: buffers, segment };
            Case {
                config,
                disabled_rule,
                lengths: traffic.lengths,
                messages: traffic.messages,
                has_two_cards: traffic.has_two_cards,
                only_property: None,
            }
        };
        self.traffic.iter().map(case).collect()
    }
}
