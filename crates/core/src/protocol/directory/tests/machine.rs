//! A machine of a few nodes: directories, requesters, the network between them, processors and memories.
//!
//! A block's bytes are a version: the number of stores to it so far. A load must return the latest version, or one that
//! was the latest at some time since the load began to wait. The network delivers in any order, or has a queue of a few
//! packets for each node and class, shared by all senders; packets for a full queue wait in their source node.

use super::super::*;
use super::case::{BrokenRule, Case, ConsumptionRule, Network};
use crate::engine::{Class, NodeId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A message in transit, with the block's bytes if it carries them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Packet {
    pub from: NodeId,
    pub to: NodeId,
    pub message: CoherenceMessage,
    pub bytes: Option<u32>,
}

/// State of a processor's context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Context {
    Idle,
    /// The access waits; the number is the latest version when it began to wait.
    Waits(BlockId, AccessMode, u32),
    Uses(BlockId, AccessMode, u32),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub directory: Directory,
    pub requester: Requester,
    /// Versions in the node's memory and in its copies.
    pub bytes: BTreeMap<BlockId, u32>,
    /// Access rights as last reported to the processor.
    pub tags: BTreeMap<BlockId, Access>,
    /// Granted access rights whose use has not ended.
    pub granted_rights: BTreeMap<BlockId, Access>,
    pub retries: BTreeSet<BlockId>,
    pub contexts: Vec<Context>,
    /// Packets that wait to enter the network, by class.
    pub outbox: [VecDeque<Packet>; 2],
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TestMachine {
    pub nodes: Vec<Node>,
    /// Packets that may arrive in any order.
    pub transit: Vec<Packet>,
    /// Packets that arrive in order.
    pub queues: BTreeMap<(NodeId, Class), VecDeque<Packet>>,
    pub latest_versions: BTreeMap<BlockId, u32>,
    pub violation: Option<&'static str>,
}

/// A call of one side of a node.
pub type Call<'a, R> = &'a dyn Fn(&mut Node, &mut Vec<CoherenceAction>) -> R;

impl TestMachine {
    pub fn new(case: &Case) -> TestMachine {
        let nodes = NodeId::all(case.nodes).map(|node_id| {
            let homes = case.blocks.iter().filter(|block| block.home == node_id);
            Node {
                directory: Directory::new(node_id, case.directory),
                requester: Requester::new(node_id, case.requester),
                bytes: homes.clone().map(|&block| (block, 0)).collect(),
                tags: homes.map(|&block| (block, Access::Writable)).collect(),
                granted_rights: BTreeMap::new(),
                retries: BTreeSet::new(),
                contexts: vec![Context::Idle; case.requester.contexts as usize],
                outbox: Default::default(),
            }
        });
        TestMachine {
            nodes: nodes.collect(),
            transit: Vec::new(),
            queues: BTreeMap::new(),
            latest_versions: case.blocks.iter().map(|&block| (block, 0)).collect(),
            violation: None,
        }
    }

    pub fn node(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.index()]
    }

    pub fn tag(&self, node: NodeId, block: BlockId) -> Access {
        self.nodes[node.index()].tags.get(&block).copied().unwrap_or(Access::Invalid)
    }

    /// Calls one side, and executes its actions.
    pub fn call<R>(
        &mut self,
        case: &Case,
        node_id: NodeId,
        block: BlockId,
        arrived_version: Option<u32>,
        call: Call<R>,
    ) -> R {
        let mut actions = Vec::new();
        let result = call(self.node(node_id), &mut actions);
        for action in actions {
            self.execute_action(case, node_id, block, arrived_version, action);
        }
        let node = self.node(node_id);
        let is_gone = !node.tags.contains_key(&block) && !node.granted_rights.contains_key(&block);
        if is_gone && block.home != node_id {
            node.bytes.remove(&block);
        }
        result
    }

    fn execute_action(
        &mut self,
        case: &Case,
        node_id: NodeId,
        block: BlockId,
        arrived_version: Option<u32>,
        action: CoherenceAction,
    ) {
        let node = self.node(node_id);
        match action {
            CoherenceAction::Send { to, message } => {
                let bytes = message.kind.carries_block().then(|| node.bytes[&block]);
                let decoded = CoherenceMessage::decode(message.encode());
                assert_eq!(decoded, Some(CoherenceMessage { party: None, ..message }));
                case.broken_rule
                    .send(Packet { from: node_id, to, message, bytes }, &mut |packet| self.send(case, packet));
            }
            CoherenceAction::Store => {
                node.bytes.insert(block, arrived_version.expect("the message carries the block"));
            }
            CoherenceAction::Access(access) if case.broken_rule.ignores_change(node_id, block, access) => {}
            CoherenceAction::Access(Access::Invalid) => {
                node.tags.remove(&block);
            }
            CoherenceAction::Access(access) => {
                node.tags.insert(block, access);
            }
            CoherenceAction::Granted(access) => {
                let previous_right = node.granted_rights.insert(block, access);
                assert!(previous_right.is_none(), "a granted right is used before the next is granted");
                for context in &mut node.contexts {
                    match *context {
                        Context::Waits(waiting_block, mode, oldest_version) if waiting_block == block => {
                            *context = Context::Uses(waiting_block, mode, oldest_version)
                        }
                        _ => {}
                    }
                }
            }
            CoherenceAction::Retry => assert!(node.retries.insert(block), "a request is NACKed once"),
            CoherenceAction::Pointer | CoherenceAction::Trap(_) => {}
        }
    }

    fn send(&mut self, case: &Case, packet: Packet) {
        match case.network {
            Network::AnyOrder => {
                let index = self.transit.partition_point(|other| *other < packet);
                self.transit.insert(index, packet);
            }
            Network::Queues { .. } => {
                self.node(packet.from).outbox[packet.message.kind.class().index()].push_back(packet)
            }
        }
    }

    /// Delivers a packet to its node.
    pub fn deliver(&mut self, case: &Case, packet: Packet) {
        let Packet { from, to, message, bytes } = packet;
        let block = message.block(from, to);
        self.call(case, to, block, bytes, &|node, actions| match message.kind.is_for_home() {
            true => node.directory.arrive(from, message, actions),
            false => node.requester.arrive(from, message, actions),
        });
        let home = self.node(to);
        let is_fetching = message.kind == CoherenceKind::WriteBack && home.directory.owner(block.number) == Some(from);
        if case.broken_rule == BrokenRule::CrossingForgotten && is_fetching {
            let message = CoherenceMessage::new(CoherenceKind::Crossed, message.number);
            self.call(case, to, block, None, &|node, actions| node.directory.arrive(from, message, actions));
        }
    }

    /// Performs an access of a context, or begins its wait.
    pub fn access(&mut self, case: &Case, node_id: NodeId, context: usize, block: BlockId, mode: AccessMode) {
        let (oldest_version, tag) = (self.latest_versions[&block], self.tag(node_id, block));
        self.node(node_id).contexts[context] = Context::Waits(block, mode, oldest_version);
        let outcome = self.call(case, node_id, block, None, &|node, actions| match block.home == node_id {
            true => node.directory.access(block.number, mode, actions),
            false => node.requester.access(block, mode, actions),
        });
        if outcome == AccessOutcome::Hit {
            self.require(tag.allows(mode), "a hit has the reported access right");
            self.node(node_id).contexts[context] = Context::Idle;
            self.perform(node_id, block, mode, oldest_version);
        }
    }

    /// Performs all granted accesses to a block, and ends its use.
    pub fn use_granted_block(&mut self, case: &Case, node_id: NodeId, block: BlockId) {
        let access = self.node(node_id).granted_rights[&block];
        for context in 0..case.requester.contexts as usize {
            let Context::Uses(waiting_block, mode, oldest_version) = self.node(node_id).contexts[context] else {
                continue;
            };
            if waiting_block == block {
                self.require(access.allows(mode), "a granted right permits the access");
                // Without an access right the copy may be older than the latest version.
                let oldest_version =
                    if self.tag(node_id, block).allows(mode) { self.latest_versions[&block] } else { oldest_version };
                self.perform(node_id, block, mode, oldest_version);
                self.node(node_id).contexts[context] = Context::Idle;
            }
        }
        self.node(node_id).granted_rights.remove(&block);
        self.call(case, node_id, block, None, &|node, actions| match block.home == node_id {
            true => node.directory.end_use(block.number, actions),
            false => node.requester.end_use(block, actions),
        });
    }

    /// Performs a store, or a load that may see the version `oldest_version` or a later one.
    fn perform(&mut self, node_id: NodeId, block: BlockId, mode: AccessMode, oldest_version: u32) {
        let (version, latest) = (self.node(node_id).bytes[&block], self.latest_versions[&block]);
        match mode {
            AccessMode::Read => {
                self.require((oldest_version..=latest).contains(&version), "a load sees the last store")
            }
            AccessMode::Write => {
                self.require(version == latest, "a store follows the last store");
                self.latest_versions.insert(block, latest + 1);
                self.node(node_id).bytes.insert(block, latest + 1);
            }
        }
    }

    fn require(&mut self, is_satisfied: bool, property: &'static str) {
        if !is_satisfied {
            self.violation.get_or_insert(property);
        }
    }

    /// Returns whether a node consumes arriving packets of `class` now.
    pub fn can_consume(&self, case: &Case, node: NodeId, class: Class) -> bool {
        let [requests, replies] = &self.nodes[node.index()].outbox;
        match case.consumption {
            ConsumptionRule::Always => true,
            ConsumptionRule::RequestsWhenRepliesSent => class == Class::REPLIES || replies.is_empty(),
            ConsumptionRule::WhenAllSent => requests.is_empty() && replies.is_empty(),
        }
    }
}
