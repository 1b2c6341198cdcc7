//! A case: the machine, what its processors may do, and what is broken in it.

use super::super::*;
use super::world::Packet;
use crate::engine::NodeId;

#[derive(Clone, Debug)]
pub struct Case {
    pub nodes: usize,
    pub blocks: Vec<BlockId>,
    pub directory: DirectoryParameters,
    pub requester: RequesterParameters,
    pub network: Network,
    pub consumes: Consumes,
    pub broken: Broken,
    /// Nodes from this one on only read.
    pub writers: usize,
    /// Nodes from this one on prefetch, if there is a buffer.
    pub prefetchers: usize,
    /// What must come to pass.
    pub sees: &'static [Sight],
}

/// The network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    AnyOrder,
    /// So many packets to each node in each class.
    Queues {
        packets: usize,
    },
}

/// When a node takes what comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consumes {
    Always,
    /// Replies always; requests when all its replies have left.
    RequestsWhenRepliesLeft,
    /// Anything when all it sends has left: a handler that waits for room.
    WhenAllLeft,
}

/// What must come to pass at some time: else a case says nothing of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// A write-back crosses a fetch.
    Crossing,
    /// A fetch comes before what it fetches.
    FetchOvertakes,
    /// A copy may be read once, by who waited.
    Once,
    /// A copy to be upgraded is invalidated.
    UpgradeLost,
    /// A request is turned away.
    Nack,
    /// A request waits at its home.
    Waiting,
}

/// A rule that is not kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    Nothing,
    /// Who invalidates its copy does not say so.
    Unacknowledged,
    /// The home takes an invalidation for acknowledged when it has sent it.
    GrantedBefore,
    /// Who acknowledges an invalidation keeps its copy.
    KeptStale,
    /// The home does not wait for the word that fetch and write-back crossed.
    CrossingForgotten,
}

impl Broken {
    /// What is sent in a packet's place.
    pub fn send(self, packet: Packet, send: &mut dyn FnMut(Packet)) {
        let kind = packet.message.kind;
        let answers = |kind| Packet {
            from: packet.to,
            to: packet.from,
            message: CoherenceMessage { kind, ..packet.message },
            bytes: None,
        };
        match (self, kind) {
            (Broken::Unacknowledged | Broken::GrantedBefore, CoherenceKind::Invalidated) => {}
            (Broken::CrossingForgotten, CoherenceKind::Crossed) => {}
            (Broken::GrantedBefore, CoherenceKind::Invalidate) => {
                send(packet);
                send(answers(CoherenceKind::Invalidated));
            }
            _ => send(packet),
        }
    }

    /// Whether the processor goes on as before.
    pub fn keeps(self, own: NodeId, block: BlockId, access: Access) -> bool {
        self == Broken::KeptStale && own != block.home && access == Access::Invalid
    }
}

pub const A: NodeId = NodeId(0);
pub const B: NodeId = NodeId(1);
pub const C: NodeId = NodeId(2);

/// A block of this home.
pub const fn block(home: NodeId, number: u32) -> BlockId {
    BlockId { home, number }
}

impl Case {
    /// One block of A's, one context a node, no prefetches; any order.
    pub fn new(nodes: usize) -> Case {
        let requester = RequesterParameters { contexts: 1, prefetches: 0, write_backs: 1 };
        Case {
            nodes,
            blocks: vec![block(A, 0)],
            directory: DirectoryParameters::unlimited(nodes as u32, requester.requests()),
            requester,
            network: Network::AnyOrder,
            consumes: Consumes::Always,
            broken: Broken::Nothing,
            writers: nodes,
            prefetchers: 0,
            sees: &[],
        }
    }

    /// Requests that may be under way in the whole machine, those of homes for their own blocks too.
    pub fn requests(&self) -> usize {
        self.nodes * self.requester.requests() as usize + self.blocks.len()
    }
}
