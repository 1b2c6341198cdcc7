//! A case of the model: the machine, the permitted steps of its processors, and a rule that may be broken.

use super::super::*;
use super::machine::Packet;
use crate::engine::NodeId;

#[derive(Clone, Debug)]
pub struct Case {
    pub nodes: usize,
    pub blocks: Vec<BlockId>,
    pub directory: DirectoryParameters,
    pub requester: RequesterParameters,
    pub network: Network,
    pub consumption: ConsumptionRule,
    pub broken_rule: BrokenRule,
    /// Number of nodes that write; the nodes from this number on only read.
    pub writers: usize,
    /// Number of the first node that prefetches, if there is a prefetch buffer.
    pub first_prefetcher: usize,
    /// Situations that must occur in some run.
    pub situations: &'static [Situation],
}

/// The network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    AnyOrder,
    /// Each node has a queue of `packets` packets for each class.
    Queues {
        packets: usize,
    },
}

/// Condition on which a node consumes arriving packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConsumptionRule {
    Always,
    /// The node consumes replies always, and requests after all its own replies were sent.
    RequestsWhenRepliesSent,
    /// The node consumes packets only after all its own packets were sent, as if a handler waited for space to send.
    WhenAllSent,
}

/// A situation that must occur in some run, because otherwise the case would not test it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Situation {
    /// A write-back crosses a fetch.
    Crossing,
    /// A fetch arrives before the block that it fetches.
    FetchOvertakes,
    /// A copy arrives that may be read once, by the accesses that waited.
    Once,
    /// A copy is invalidated while its upgrade is outstanding.
    UpgradeLost,
    /// A request is NACKed.
    Nack,
    /// A request waits at its home.
    Waiting,
    /// The owner's block reaches the requester after the home has its answer, and the next recall is in transit.
    RecallOvertakes,
    /// The requester writes a forwarded block back before the home has the owner's answer.
    Returned,
}

/// A broken rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BrokenRule {
    Nothing,
    /// Invalidations are not acknowledged.
    Unacknowledged,
    /// The home considers an invalidation acknowledged as soon as it is sent.
    GrantedBeforeAcknowledgement,
    /// A node acknowledges an invalidation but keeps its copy.
    KeptStale,
    /// The home does not wait for the answer that fetch and write-back crossed.
    CrossingForgotten,
    /// The home considers the only copy transferred as soon as it has forwarded the request.
    TransferredBeforeAnswer,
}

impl BrokenRule {
    /// Sends `packet`, or the packets that the broken rule sends in place of it.
    pub fn send(self, packet: Packet, send: &mut dyn FnMut(Packet)) {
        let kind = packet.message.kind;
        let answer_packet = |kind| Packet {
            from: packet.to,
            to: packet.from,
            message: CoherenceMessage::new(kind, packet.message.number),
            bytes: None,
        };
        match (self, kind) {
            (
                BrokenRule::Unacknowledged
                | BrokenRule::GrantedBeforeAcknowledgement
                | BrokenRule::TransferredBeforeAnswer,
                CoherenceKind::Invalidated,
            ) => {}
            (BrokenRule::CrossingForgotten, CoherenceKind::Crossed) => {}
            (BrokenRule::TransferredBeforeAnswer, CoherenceKind::FetchInvalidate) => {
                send(packet);
                send(answer_packet(CoherenceKind::Invalidated));
            }
            (BrokenRule::GrantedBeforeAcknowledgement, CoherenceKind::Invalidate) => {
                send(packet);
                send(answer_packet(CoherenceKind::Invalidated));
            }
            _ => send(packet),
        }
    }

    /// Returns whether the processor ignores a change of its access right.
    pub fn ignores_change(self, node_id: NodeId, block: BlockId, access: Access) -> bool {
        self == BrokenRule::KeptStale && node_id != block.home && access == Access::Invalid
    }
}

pub const A: NodeId = NodeId(0);
pub const B: NodeId = NodeId(1);
pub const C: NodeId = NodeId(2);

/// Returns block `number` of node `home`.
pub const fn block(home: NodeId, number: u32) -> BlockId {
    BlockId { home, number }
}

impl Case {
    /// Returns a case with one block of node A, one context per node, no prefetches, and delivery in any order.
    pub fn new(nodes: usize) -> Case {
        let requester = RequesterParameters { contexts: 1, prefetches: 0, write_backs: 1 };
        Case {
            nodes,
            blocks: vec![block(A, 0)],
            directory: DirectoryParameters::unlimited(nodes as u32, requester.requests()),
            requester,
            network: Network::AnyOrder,
            consumption: ConsumptionRule::Always,
            broken_rule: BrokenRule::Nothing,
            writers: nodes,
            first_prefetcher: 0,
            situations: &[],
        }
    }

    /// Returns the largest number of requests that the machine may have outstanding, including those of homes for their
    /// own blocks.
    pub fn requests(&self) -> usize {
        self.nodes * self.requester.requests() as usize + self.blocks.len()
    }
}
