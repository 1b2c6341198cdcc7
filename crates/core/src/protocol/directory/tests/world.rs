//! A few nodes, the network between them, and what their processors and memories hold.
//!
//! A block's bytes are a version: the number of stores to it so far. A load must give the latest, or
//! one that was the latest at some time since it began to wait. The network delivers in any order, or
//! has a queue of a few packets for each node and class, shared by all senders, before which whatever
//! finds no room waits in its node.

use super::super::*;
use super::case::{Broken, Case, Consumes, Network};
use crate::engine::{Class, NodeId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A message on its way, and the bytes behind it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Packet {
    pub from: NodeId,
    pub to: NodeId,
    pub message: CoherenceMessage,
    pub bytes: Option<u32>,
}

/// What a context of a processor does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Context {
    Idle,
    /// Since when this version was the latest.
    Waits(BlockId, Want, u32),
    Uses(BlockId, Want, u32),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub directory: Directory,
    pub requester: Requester,
    /// Of its own memory, and of copies.
    pub bytes: BTreeMap<BlockId, u32>,
    /// What its processor was told that it may do.
    pub tags: BTreeMap<BlockId, Access>,
    /// What was granted, and is not used yet.
    pub granted: BTreeMap<BlockId, Access>,
    pub retries: BTreeSet<BlockId>,
    pub contexts: Vec<Context>,
    /// What finds no room in the network, by class.
    pub outbox: [VecDeque<Packet>; 2],
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    pub nodes: Vec<Node>,
    /// In any order.
    pub transit: Vec<Packet>,
    /// In order.
    pub queues: BTreeMap<(NodeId, Class), VecDeque<Packet>>,
    pub latest: BTreeMap<BlockId, u32>,
    pub wrong: Option<&'static str>,
}

/// A call of one side of a node.
pub type Ask<'a, R> = &'a dyn Fn(&mut Node, &mut Vec<CoherenceAction>) -> R;

impl World {
    pub fn new(case: &Case) -> World {
        let nodes = NodeId::all(case.nodes).map(|own| {
            let homes = case.blocks.iter().filter(|block| block.home == own);
            Node {
                directory: Directory::new(own, case.directory),
                requester: Requester::new(own, case.requester),
                bytes: homes.clone().map(|&block| (block, 0)).collect(),
                tags: homes.map(|&block| (block, Access::Writable)).collect(),
                granted: BTreeMap::new(),
                retries: BTreeSet::new(),
                contexts: vec![Context::Idle; case.requester.contexts as usize],
                outbox: Default::default(),
            }
        });
        World {
            nodes: nodes.collect(),
            transit: Vec::new(),
            queues: BTreeMap::new(),
            latest: case.blocks.iter().map(|&block| (block, 0)).collect(),
            wrong: None,
        }
    }

    pub fn node(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.index()]
    }

    pub fn tag(&self, node: NodeId, block: BlockId) -> Access {
        self.nodes[node.index()].tags.get(&block).copied().unwrap_or(Access::Invalid)
    }

    /// Calls one side, and does what it says.
    pub fn call<R>(&mut self, case: &Case, own: NodeId, block: BlockId, came: Option<u32>, ask: Ask<R>) -> R {
        let mut actions = Vec::new();
        let result = ask(self.node(own), &mut actions);
        for action in actions {
            self.act(case, own, block, came, action);
        }
        let node = self.node(own);
        let is_gone = !node.tags.contains_key(&block) && !node.granted.contains_key(&block);
        if is_gone && block.home != own {
            node.bytes.remove(&block);
        }
        result
    }

    fn act(&mut self, case: &Case, own: NodeId, block: BlockId, came: Option<u32>, action: CoherenceAction) {
        let node = self.node(own);
        match action {
            CoherenceAction::Send { to, message } => {
                let bytes = message.kind.carries_block().then(|| node.bytes[&block]);
                assert_eq!(CoherenceMessage::decode(message.encode()), Some(message));
                case.broken.send(Packet { from: own, to, message, bytes }, &mut |packet| self.send(case, packet));
            }
            CoherenceAction::Store => {
                node.bytes.insert(block, came.expect("bytes came"));
            }
            CoherenceAction::Access(access) if case.broken.keeps(own, block, access) => {}
            CoherenceAction::Access(Access::Invalid) => {
                node.tags.remove(&block);
            }
            CoherenceAction::Access(access) => {
                node.tags.insert(block, access);
            }
            CoherenceAction::Granted(access) => {
                let before = node.granted.insert(block, access);
                assert!(before.is_none(), "what is granted was used before");
                for context in &mut node.contexts {
                    match *context {
                        Context::Waits(of, want, since) if of == block => *context = Context::Uses(of, want, since),
                        _ => {}
                    }
                }
            }
            CoherenceAction::Retry => assert!(node.retries.insert(block), "turned away once"),
            CoherenceAction::Pointer | CoherenceAction::Trap(_) => {}
        }
    }

    fn send(&mut self, case: &Case, packet: Packet) {
        match case.network {
            Network::AnyOrder => {
                let place = self.transit.partition_point(|other| *other < packet);
                self.transit.insert(place, packet);
            }
            Network::Queues { .. } => {
                self.node(packet.from).outbox[packet.message.kind.class().index()].push_back(packet)
            }
        }
    }

    /// A packet comes to its node.
    pub fn deliver(&mut self, case: &Case, packet: Packet) {
        let Packet { from, to, message, bytes } = packet;
        let block = message.block(from, to);
        self.call(case, to, block, bytes, &|node, actions| match message.kind.is_for_home() {
            true => node.directory.arrive(from, message, actions),
            false => node.requester.arrive(from, message, actions),
        });
        let home = self.node(to);
        let is_fetching = message.kind == CoherenceKind::WriteBack && home.directory.owner(block.number) == Some(from);
        if case.broken == Broken::CrossingForgotten && is_fetching {
            let message = CoherenceMessage { kind: CoherenceKind::Crossed, ..message };
            self.call(case, to, block, None, &|node, actions| node.directory.arrive(from, message, actions));
        }
    }

    /// A context wants a block.
    pub fn access(&mut self, case: &Case, own: NodeId, context: usize, block: BlockId, want: Want) {
        let (since, tag) = (self.latest[&block], self.tag(own, block));
        self.node(own).contexts[context] = Context::Waits(block, want, since);
        let touch = self.call(case, own, block, None, &|node, actions| match block.home == own {
            true => node.directory.access(block.number, want, actions),
            false => node.requester.access(block, want, actions),
        });
        if touch == AccessOutcome::Hit {
            self.hold(tag.allows(want), "a hit is one that the processor was told of");
            self.node(own).contexts[context] = Context::Idle;
            self.perform(own, block, want, since);
        }
    }

    /// What was granted is used by all who waited.
    pub fn uses(&mut self, case: &Case, own: NodeId, block: BlockId) {
        let access = self.node(own).granted[&block];
        for context in 0..case.requester.contexts as usize {
            let Context::Uses(of, want, since) = self.node(own).contexts[context] else { continue };
            if of == block {
                self.hold(access.allows(want), "what is granted is enough");
                // What may not be read by others may be older than they could bear.
                let since = if self.tag(own, block).allows(want) { self.latest[&block] } else { since };
                self.perform(own, block, want, since);
                self.node(own).contexts[context] = Context::Idle;
            }
        }
        self.node(own).granted.remove(&block);
        self.call(case, own, block, None, &|node, actions| match block.home == own {
            true => node.directory.used(block.number, actions),
            false => node.requester.used(block, actions),
        });
    }

    /// A load that may see what was the latest at `since` or later, or a store.
    fn perform(&mut self, own: NodeId, block: BlockId, want: Want, since: u32) {
        let (version, latest) = (self.node(own).bytes[&block], self.latest[&block]);
        match want {
            Want::Read => self.hold((since..=latest).contains(&version), "a load sees the last store"),
            Want::Write => {
                self.hold(version == latest, "a store follows the last store");
                self.latest.insert(block, latest + 1);
                self.node(own).bytes.insert(block, latest + 1);
            }
        }
    }

    fn hold(&mut self, holds: bool, what: &'static str) {
        if !holds {
            self.wrong.get_or_insert(what);
        }
    }

    /// Whether a node takes what comes of this class.
    pub fn consumes(&self, case: &Case, node: NodeId, class: Class) -> bool {
        let [requests, replies] = &self.nodes[node.index()].outbox;
        match case.consumes {
            Consumes::Always => true,
            Consumes::RequestsWhenRepliesLeft => class == Class::REPLIES || replies.is_empty(),
            Consumes::WhenAllLeft => requests.is_empty() && replies.is_empty(),
        }
    }
}
