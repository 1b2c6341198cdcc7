//! The possible steps of a world, and the properties that hold after every step.

use super::super::*;
use super::case::{Case, Network, Situation};
use super::world::{Context, Node, Packet, World};
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

impl World {
    pub fn step(&mut self, case: &Case, step: Step) {
        match step {
            Step::Deliver(index) => {
                let packet = self.transit.remove(index);
                self.deliver(case, packet);
            }
            Step::Consume(node, class) => {
                let queue = self.queues.get_mut(&(node, class)).expect("a queue");
                let packet = queue.pop_front().expect("a packet");
                if queue.is_empty() {
                    self.queues.remove(&(node, class));
                }
                self.deliver(case, packet);
            }
            Step::Depart(node, class) => {
                let packet = self.node(node).outbox[class.index()].pop_front().expect("a packet waits");
                self.queues.entry((packet.to, class)).or_default().push_back(packet);
            }
            Step::Use(node, block) => self.uses(case, node, block),
            Step::Retry(node, block) => {
                self.node(node).retries.remove(&block);
                self.call(case, node, block, None, &|node, actions| node.requester.retry(block, actions));
            }
            Step::Access(node, context, block, want) => self.access(case, node, context, block, want),
            Step::Prefetch(own, block, want) => {
                self.call(case, own, block, None, &|node, actions| match block.home == own {
                    true => node.directory.prefetch(block.number, want, actions),
                    false => node.requester.prefetch(block, want, actions),
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
        for (own, node) in NodeId::all(case.nodes).zip(&self.nodes) {
            steps
                .extend(Class::all(2).filter(|&class| self.can_depart(case, own, class)).map(|c| Step::Depart(own, c)));
            steps.extend(node.granted.keys().map(|&block| Step::Use(own, block)));
            steps.extend(node.retries.iter().map(|&block| Step::Retry(own, block)));
        }
        steps
    }

    fn can_depart(&self, case: &Case, own: NodeId, class: Class) -> bool {
        let Network::Queues { packets } = case.network else { return false };
        let first = self.nodes[own.index()].outbox[class.index()].front();
        first.is_some_and(|packet| self.queues.get(&(packet.to, class)).is_none_or(|queue| queue.len() < packets))
    }

    /// Returns the possible steps of programs, without those that change no state.
    pub fn program_steps(&self, case: &Case) -> Vec<Step> {
        let mut steps = Vec::new();
        for (own, node) in NodeId::all(case.nodes).zip(&self.nodes) {
            let wants = if own.index() < case.writers {
                &[AccessMode::Read, AccessMode::Write][..]
            } else {
                &[AccessMode::Read]
            };
            for &block in &case.blocks {
                let may = self.tag(own, block);
                let idle = node.contexts.iter().position(|context| *context == Context::Idle);
                // A load that hits changes no state, except that it may remove a block from the prefetch buffer.
                let changes_state =
                    |want| want == AccessMode::Write || case.requester.prefetches > 0 || !may.allows(want);
                let wants = wants.iter().copied();
                let accesses = wants.clone().filter(|&want| changes_state(want));
                steps.extend(accesses.filter_map(|want| idle.map(|context| Step::Access(own, context, block, want))));
                if case.requester.prefetches > 0 && own.index() >= case.prefetchers {
                    steps.extend(wants.map(|want| Step::Prefetch(own, block, want)));
                }
                if case.requester.write_backs > 0 && block.home != own && may > Access::Invalid {
                    steps.push(Step::Evict(own, block));
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

    /// Returns whether a fair schedule of protocol steps leads to a quiet world if no program step intervenes.
    pub fn becomes_quiet(&self, case: &Case) -> bool {
        let mut world = self.clone();
        for _ in 0..100 * case.requests() {
            match world.pending_steps(case).into_iter().min() {
                Some(step) => world.step(case, step),
                None => return world.is_quiet(),
            }
        }
        false
    }

    /// Returns whether a node that may store is the only one with access, and every readable copy is the latest.
    pub fn is_coherent(&self, case: &Case) -> bool {
        case.blocks.iter().all(|block| {
            let may = |want: AccessMode| {
                self.nodes.iter().filter(move |node| node.tags.get(block).is_some_and(|a| a.allows(want)))
            };
            let alone = may(AccessMode::Write).count() == 0 || may(AccessMode::Read).count() == 1;
            alone && may(AccessMode::Read).all(|node| node.bytes.get(block) == self.latest.get(block))
        })
    }

    /// Returns whether each processor has the access rights that its node's directory or requester last reported.
    pub fn access_is_reported(&self, case: &Case) -> bool {
        NodeId::all(case.nodes).zip(&self.nodes).all(|(own, node)| {
            case.blocks.iter().all(|&block| {
                let allowed = match block.home == own {
                    true => node.directory.allowed(block.number),
                    false => node.requester.allowed(block),
                };
                self.tag(own, block) == allowed
            })
        })
    }

    /// Returns whether homes know of every copy, and memory has the latest version of blocks without an owner.
    pub fn directories_are_correct(&self, case: &Case) -> bool {
        case.blocks.iter().all(|block| {
            let home = &self.nodes[block.home.index()];
            let (owner, sharers) = (home.directory.owner(block.number), home.directory.sharers(block.number));
            let fits = |own: NodeId| match self.tag(own, *block) {
                Access::Writable => owner == Some(own),
                Access::ReadOnly => sharers.contains(&own),
                Access::Invalid => owner != Some(own),
            };
            let others = NodeId::all(case.nodes).filter(|own| *own != block.home);
            others.into_iter().all(fits) && (owner.is_some() || home.bytes[block] == self.latest[block])
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
        let under_way = |kind| self.transit.iter().any(|packet| packet.message.kind == kind);
        let are_in_transit = |one: CoherenceKind, other: CoherenceKind| {
            self.transit.iter().filter(|packet| packet.message.kind == one).any(|packet| {
                let to = packet.to;
                self.transit.iter().any(|packet| packet.message.kind == other && packet.to == to)
            })
        };
        match situation {
            Situation::Crossing => under_way(CoherenceKind::Crossed),
            Situation::FetchOvertakes => are_in_transit(CoherenceKind::Fetch, CoherenceKind::Exclusive),
            Situation::Once => {
                self.nodes.iter().any(|node| node.granted.keys().any(|block| !node.tags.contains_key(block)))
            }
            Situation::UpgradeLost => are_in_transit(CoherenceKind::Upgrade, CoherenceKind::Invalidated),
            Situation::Nack => under_way(CoherenceKind::Nack),
            Situation::Waiting => self.nodes.iter().any(|node| node.directory.waiting() > 0),
            Situation::RecallOvertakes => self.transit.iter().any(|packet| {
                let is_forwarded = packet.message.party.is_some() && packet.bytes.is_some();
                let recalls = [CoherenceKind::Invalidate, CoherenceKind::Fetch, CoherenceKind::FetchInvalidate];
                let is_recall = |other: &Packet| other.to == packet.to && recalls.contains(&other.message.kind);
                is_forwarded && self.transit.iter().any(is_recall)
            }),
            Situation::Returned => {
                let written_back = |kind| self.transit.iter().filter(move |packet| packet.message.kind == kind);
                let is_from_owner = |home: &Node, from| home.directory.owner(0) == Some(from);
                written_back(CoherenceKind::WriteBack).any(|packet| {
                    !is_from_owner(&self.nodes[packet.to.index()], packet.from)
                        && written_back(CoherenceKind::Invalidated).any(|other| other.from != packet.from)
                })
            }
        }
    }
}
