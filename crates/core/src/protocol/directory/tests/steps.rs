//! The possible steps of a machine, and the properties that hold after every step.

use super::super::*;
use super::case::{Case, Network, Situation};
use super::machine::{Context, Node, Packet, TestMachine};
use crate::engine::{Class, NodeId};

/// A step; the variants are in the order in which a fair schedule prefers them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// The packet at this index of the transit list arrives.
    Deliver(usize),
    /// The first packet of a queue arrives.
    Consume(NodeId, Class),
    /// The first packet of an outbox enters the network.
    Depart(NodeId, Class),
    Use(NodeId, BlockId),
    Retry(NodeId, BlockId),
    Access(NodeId, usize, BlockId, AccessMode),
    Prefetch(NodeId, BlockId, AccessMode),
    Evict(NodeId, BlockId),
}

impl TestMachine {
    pub fn step(&mut self, case: &Case, step: Step) {
        match step {
            Step::Deliver(index) => {
                let packet = self.transit.remove(index);
                self.deliver(case, packet);
            }
            Step::Consume(node, class) => {
                let queue = self.queues.get_mut(&(node, class)).expect("the queue exists");
                let packet = queue.pop_front().expect("the queue has a packet");
                if queue.is_empty() {
                    self.queues.remove(&(node, class));
                }
                self.deliver(case, packet);
            }
            Step::Depart(node, class) => {
                let packet = self.node(node).outbox[class.index()].pop_front().expect("a packet waits");
                self.queues.entry((packet.to, class)).or_default().push_back(packet);
            }
            Step::Use(node, block) => self.use_granted_block(case, node, block),
            Step::Retry(node, block) => {
                self.node(node).retries.remove(&block);
                self.call(case, node, block, None, &|node, actions| node.requester.retry(block, actions));
            }
            Step::Access(node, context, block, mode) => self.access(case, node, context, block, mode),
            Step::Prefetch(node_id, block, mode) => {
                self.call(case, node_id, block, None, &|node, actions| match block.home == node_id {
                    true => node.directory.prefetch(block.number, mode, actions),
                    false => node.requester.prefetch(block, mode, actions),
                });
            }
            Step::Evict(node, block) => {
                let _ = self.call(case, node, block, None, &|node, actions| node.requester.evict(block, actions));
            }
        }
    }

    /// Returns the possible protocol steps, which need no further access of a program.
    pub fn pending_steps(&self, case: &Case) -> Vec<Step> {
        let mut steps: Vec<Step> = (0..self.transit.len()).map(Step::Deliver).collect();
        let queues = self.queues.keys().filter(|(node, class)| self.can_consume(case, *node, *class));
        steps.extend(queues.map(|&(node, class)| Step::Consume(node, class)));
        for (node_id, node) in NodeId::all(case.nodes).zip(&self.nodes) {
            steps.extend(
                Class::all(2)
                    .filter(|&class| self.can_depart(case, node_id, class))
                    .map(|class| Step::Depart(node_id, class)),
            );
            steps.extend(node.granted_rights.keys().map(|&block| Step::Use(node_id, block)));
            steps.extend(node.retries.iter().map(|&block| Step::Retry(node_id, block)));
        }
        steps
    }

    fn can_depart(&self, case: &Case, node_id: NodeId, class: Class) -> bool {
        let Network::Queues { packets } = case.network else { return false };
        let first = self.nodes[node_id.index()].outbox[class.index()].front();
        first.is_some_and(|packet| self.queues.get(&(packet.to, class)).is_none_or(|queue| queue.len() < packets))
    }

    /// Returns the possible steps of programs, without those that change no state.
    pub fn program_steps(&self, case: &Case) -> Vec<Step> {
        let mut steps = Vec::new();
        for (node_id, node) in NodeId::all(case.nodes).zip(&self.nodes) {
            let modes = if node_id.index() < case.writers {
                &[AccessMode::Read, AccessMode::Write][..]
            } else {
                &[AccessMode::Read]
            };
            for &block in &case.blocks {
                let access = self.tag(node_id, block);
                let idle = node.contexts.iter().position(|context| *context == Context::Idle);
                // A load that hits changes no state, except that it may remove a block from the prefetch buffer.
                let changes_state =
                    |mode| mode == AccessMode::Write || case.requester.prefetches > 0 || !access.allows(mode);
                let modes = modes.iter().copied();
                let accesses = modes.clone().filter(|&mode| changes_state(mode));
                steps.extend(
                    accesses.filter_map(|mode| idle.map(|context| Step::Access(node_id, context, block, mode))),
                );
                if case.requester.prefetches > 0 && node_id.index() >= case.first_prefetcher {
                    steps.extend(modes.map(|mode| Step::Prefetch(node_id, block, mode)));
                }
                if case.requester.write_backs > 0 && block.home != node_id && access > Access::Invalid {
                    steps.push(Step::Evict(node_id, block));
                }
            }
        }
        steps
    }

    /// Returns whether no access waits and no packet is in transit.
    pub fn is_quiet(&self) -> bool {
        let is_quiet = |node: &Node| {
            node.directory.is_quiet()
                && node.requester.is_quiet()
                && node.outbox.iter().all(|outbox| outbox.is_empty())
                && node.retries.is_empty()
                && node.contexts.iter().all(|context| *context == Context::Idle)
        };
        self.transit.is_empty() && self.queues.is_empty() && self.nodes.iter().all(is_quiet)
    }

    /// Returns whether a fair schedule of protocol steps leads to a quiet machine if no program step intervenes.
    pub fn becomes_quiet(&self, case: &Case) -> bool {
        let mut machine = self.clone();
        for _ in 0..100 * case.requests() {
            match machine.pending_steps(case).into_iter().min() {
                Some(step) => machine.step(case, step),
                None => return machine.is_quiet(),
            }
        }
        false
    }

    /// Returns whether a node that may store is the only one with access, and every readable copy is the latest.
    pub fn is_coherent(&self, case: &Case) -> bool {
        case.blocks.iter().all(|block| {
            let nodes_with_access = |mode: AccessMode| {
                self.nodes.iter().filter(move |node| node.tags.get(block).is_some_and(|access| access.allows(mode)))
            };
            let is_exclusive =
                nodes_with_access(AccessMode::Write).count() == 0 || nodes_with_access(AccessMode::Read).count() == 1;
            is_exclusive
                && nodes_with_access(AccessMode::Read)
                    .all(|node| node.bytes.get(block) == self.latest_versions.get(block))
        })
    }

    /// Returns whether each processor has the access rights that its node's directory or requester last reported.
    pub fn access_is_reported(&self, case: &Case) -> bool {
        NodeId::all(case.nodes).zip(&self.nodes).all(|(node_id, node)| {
            case.blocks.iter().all(|&block| {
                let allowed = match block.home == node_id {
                    true => node.directory.allowed(block.number),
                    false => node.requester.allowed(block),
                };
                self.tag(node_id, block) == allowed
            })
        })
    }

    /// Returns whether homes know of every copy, and memory has the latest version of blocks without an owner.
    pub fn directories_are_correct(&self, case: &Case) -> bool {
        case.blocks.iter().all(|block| {
            let home = &self.nodes[block.home.index()];
            let (owner, sharers) = (home.directory.owner(block.number), home.directory.sharers(block.number));
            let agrees_with_directory = |node_id: NodeId| match self.tag(node_id, *block) {
                Access::Writable => owner == Some(node_id),
                Access::ReadOnly => sharers.contains(&node_id),
                Access::Invalid => owner != Some(node_id),
            };
            let others = NodeId::all(case.nodes).filter(|node_id| *node_id != block.home);
            others.into_iter().all(agrees_with_directory)
                && (owner.is_some() || home.bytes[block] == self.latest_versions[block])
        })
    }

    /// Returns whether the outboxes are within the bounds that the documentation of the module `directory` states.
    pub fn outboxes_are_bounded(&self, case: &Case) -> bool {
        let requests = case.requests();
        self.nodes.iter().all(|node| {
            let invalidations = case.blocks.len() * (case.nodes - 1);
            let sends = case.requester.requests() as usize + invalidations;
            // The owner answers a forwarded fetch twice.
            let replies = if case.directory.forwarding { 2 * requests } else { requests };
            node.outbox[0].len() <= sends && node.outbox[1].len() <= replies
        })
    }

    pub fn has_situation(&self, situation: Situation) -> bool {
        let is_in_transit = |kind| self.transit.iter().any(|packet| packet.message.kind == kind);
        let are_in_transit = |first_kind: CoherenceKind, other: CoherenceKind| {
            self.transit.iter().filter(|packet| packet.message.kind == first_kind).any(|packet| {
                let to = packet.to;
                self.transit.iter().any(|packet| packet.message.kind == other && packet.to == to)
            })
        };
        match situation {
            Situation::Crossing => is_in_transit(CoherenceKind::Crossed),
            Situation::FetchOvertakes => are_in_transit(CoherenceKind::Fetch, CoherenceKind::Exclusive),
            Situation::Once => {
                self.nodes.iter().any(|node| node.granted_rights.keys().any(|block| !node.tags.contains_key(block)))
            }
            Situation::UpgradeLost => are_in_transit(CoherenceKind::Upgrade, CoherenceKind::Invalidated),
            Situation::Nack => is_in_transit(CoherenceKind::Nack),
            Situation::Waiting => self.nodes.iter().any(|node| node.directory.waiting() > 0),
            Situation::RecallOvertakes => self.transit.iter().any(|packet| {
                let is_forwarded = packet.message.party.is_some() && packet.bytes.is_some();
                let recalls = [CoherenceKind::Invalidate, CoherenceKind::Fetch, CoherenceKind::FetchInvalidate];
                let is_recall = |other: &Packet| other.to == packet.to && recalls.contains(&other.message.kind);
                is_forwarded && self.transit.iter().any(is_recall)
            }),
            Situation::Returned => {
                let packets_of_kind = |kind| self.transit.iter().filter(move |packet| packet.message.kind == kind);
                let is_from_owner = |home: &Node, from| home.directory.owner(0) == Some(from);
                packets_of_kind(CoherenceKind::WriteBack).any(|packet| {
                    !is_from_owner(&self.nodes[packet.to.index()], packet.from)
                        && packets_of_kind(CoherenceKind::Invalidated).any(|other| other.from != packet.from)
                })
            }
        }
    }
}
