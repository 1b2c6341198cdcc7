//! The unit's implementation of the directory protocol, which keeps memory that nodes share coherent.
//!
//! The protocol's rules are in [`protocol::directory`](crate::protocol::directory). The module models the protocol's
//! packets, which have eight bytes, or 24 with a block. The module also models the unit's cycles for received packets,
//! which the unit processes one at a time, and for the processor's requests. If a block has more readers than pointers,
//! the home's processor traps. Copies of other nodes' blocks are only in the processor's cache: an evicted block goes
//! to its home. A block that has arrived after a request or a prefetch waits in a buffer next to the cache until the
//! processor accesses it.
//!
//! Packets that the unit sends wait in one queue per class, whose lengths the protocol's rules bound. Received packets
//! are always consumed. The module leaves out contention between the unit, the processor and messages for access to
//! memory.

use super::block_waiters::BlockWaiters;
use super::parameters::{CmmuParameters, CoherenceCosts};
use super::traffic_volume::TrafficVolume;
use super::wire::{self, HEADER_BYTES};
use crate::engine::{Bytes, Class, FlowKey, Hertz, Journey, LocalFuture, Mailbox, NodeId, Signal, Sim};
use crate::fabric::{Label, Packet};
use crate::host::alewife::{AlewifeNode, CoherenceController, LINE_BYTES, LineBytes, home_of, remote};
use crate::host::{Address, Processor};
use crate::ni::extensions::{AccessCosts, CoherenceUnit, Grant};
use crate::ni::port::Port;
use crate::protocol::directory::{
    Access, AccessMode, AccessOutcome, BlockId, CoherenceAction, CoherenceKind, CoherenceMessage, Directory,
    DirectoryParameters, EvictionOutcome, Requester, RequesterParameters, Trap,
};
use crate::protocol::{Marks, Offer};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

/// A message of the protocol that is to be sent.
struct OutgoingMessage {
    to: NodeId,
    message: CoherenceMessage,
    data: Option<LineBytes>,
}

/// The messages that the protocol sends in response to an event, and the unit's cycles before it sends them.
#[derive(Default)]
struct PendingReplies {
    messages: Vec<OutgoingMessage>,
    cycles: u64,
}

/// A unit's implementation of the directory protocol.
pub struct Coherence {
    sim: Sim,
    clock: Hertz,
    node: NodeId,
    host: Rc<AlewifeNode>,
    port: Rc<Port>,
    costs: CoherenceCosts,
    directory: RefCell<Directory>,
    requester: RefCell<Requester>,
    waiters: RefCell<BlockWaiters>,
    incoming: Mailbox<(NodeId, Rc<Packet>)>,
    /// One queue per class.
    outgoing: Vec<Mailbox<OutgoingMessage>>,
    /// Blocks whose requests were refused and are to be repeated.
    retries: Mailbox<BlockId>,
    /// Notified when a block has been granted or invalidated.
    changed: Signal,
    packets_sent: Cell<u64>,
    traffic_volume: TrafficVolume,
    traps: Cell<u64>,
}

/// The cache's view of the unit: the permissions of the home's blocks, and evictions.
struct UnitController(Weak<Coherence>);

impl CoherenceController for UnitController {
    fn allows(&self, block: Address, stores: bool) -> bool {
        let Some(unit) = self.0.upgrade() else { return true };
        let number = (block / LINE_BYTES as u64) as u32;
        unit.directory.borrow().allowed(number).allows(access_mode(stores))
    }

    fn evict(&self, block: Address) -> bool {
        self.0.upgrade().is_none_or(|unit| unit.evict(block))
    }
}

const fn access_mode(stores: bool) -> AccessMode {
    if stores { AccessMode::Write } else { AccessMode::Read }
}

impl Coherence {
    /// Creates the protocol's side of a node's unit and starts its tasks.
    pub(super) fn start(
        sim: &Sim,
        name: &str,
        (node, host): (NodeId, &Rc<AlewifeNode>),
        port: &Rc<Port>,
        parameters: &CmmuParameters,
    ) -> Rc<Coherence> {
        let costs = parameters.coherence;
        let CoherenceCosts { pointers, waiting, forwarding, prefetches, write_backs, .. } = costs;
        let directory = DirectoryParameters { pointers: Some(pointers), waiting, forwarding };
        let contexts = host.processor.parameters().contexts;
        let class_mailbox = |_| Mailbox::new(sim, format!("{name}: a coherence packet to send"));
        let unit = Rc::new(Coherence {
            sim: sim.clone(),
            clock: host.processor.clock(),
            node,
            host: host.clone(),
            port: port.clone(),
            costs,
            directory: RefCell::new(Directory::new(node, directory)),
            requester: RefCell::new(Requester::new(node, RequesterParameters { contexts, prefetches, write_backs })),
            waiters: RefCell::default(),
            incoming: Mailbox::new(sim, format!("{name}: a coherence packet")),
            outgoing: Class::all(port.classes()).map(class_mailbox).collect(),
            retries: Mailbox::new(sim, format!("{name}: a request to repeat")),
            changed: Signal::new(sim, format!("a block of shared memory for {name}")),
            packets_sent: Cell::new(0),
            traffic_volume: TrafficVolume::default(),
            traps: Cell::new(0),
        });
        host.set_coherence_controller(Rc::new(UnitController(Rc::downgrade(&unit))));
        sim.spawn_server(format!("{name} coherence"), unit.clone().serve());
        sim.spawn_server(format!("{name} coherence retries"), unit.clone().repeat_requests());
        for class in Class::all(port.classes()) {
            sim.spawn_server(format!("{name} coherence sender"), unit.clone().send_messages(class));
        }
        unit
    }

    /// Queues a packet of the protocol that has arrived.
    pub(super) fn arrive(&self, from: NodeId, packet: Rc<Packet>) {
        self.incoming.send((from, packet));
    }

    /// Returns the counters of packets, bytes and traps.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = [
            ("coherence.packets", self.packets_sent.get()),
            ("coherence.bytes", self.traffic_volume.counts().map(|(_, bytes)| bytes).iter().sum()),
            ("coherence.traps", self.traps.get()),
        ];
        counts.into_iter().chain(self.traffic_volume.counts())
    }

    async fn serve(self: Rc<Self>) {
        loop {
            let (from, packet) = self.incoming.receive().await;
            let message = wire::decode_coherence(&packet).expect("the packet belongs to the coherence protocol");
            self.sim.delay(self.clock.cycles(self.service_cycles(message.kind))).await;
            let data = message.kind.carries_block().then(|| {
                let bytes = packet.bytes();
                bytes[HEADER_BYTES.len()..].try_into().expect("the data is one block")
            });
            let (block, mut actions) = (message.block(from, self.node), Vec::new());
            match message.kind.is_for_home() {
                true => self.directory.borrow_mut().arrive(from, message, &mut actions),
                false => self.requester.borrow_mut().arrive(from, message, &mut actions),
            }
            let pending = self.perform(block, data, &actions);
            self.send_after_cycles(pending).await;
        }
    }

    /// Returns the unit's cycles for a received message.
    fn service_cycles(&self, kind: CoherenceKind) -> u64 {
        use CoherenceKind::*;
        match kind {
            Read | Write | Upgrade => self.costs.home,
            WriteBack | Invalidated | Fetched | Crossed => self.costs.acknowledge,
            Invalidate | Fetch | FetchInvalidate => self.costs.invalidate,
            Shared | Exclusive | Upgraded | Nack | WrittenBack => self.costs.reply,
        }
    }

    /// Waits for the cycles of `pending` and enqueues its messages.
    async fn send_after_cycles(&self, pending: PendingReplies) {
        if pending.cycles > 0 {
            self.sim.delay(self.clock.cycles(pending.cycles)).await;
        }
        self.enqueue(pending.messages);
    }

    fn enqueue(&self, messages: Vec<OutgoingMessage>) {
        for outgoing in messages {
            let class = outgoing.message.kind.class().index().min(self.outgoing.len() - 1);
            self.outgoing[class].send(outgoing);
        }
    }

    async fn send_messages(self: Rc<Self>, class: Class) {
        loop {
            let OutgoingMessage { to, message, data } = self.outgoing[class.index()].receive().await;
            let slot = self.port.reserve(class).await;
            let mut bytes = wire::encode_coherence(message).to_vec();
            bytes.extend(data.iter().flatten());
            let length = Bytes(bytes.len() as u64);
            self.packets_sent.set(self.packets_sent.get() + 1);
            self.traffic_volume.count_coherence(message.kind, length.get());
            let marks = Marks { answers: message.kind.class() == Class::REPLIES, ..Marks::SINGLE_PACKET };
            let body = Packet::from_owned_bytes(Label::default(), Journey::NONE, bytes);
            self.port.offer(slot, Offer { to, flow: FlowKey(0), class, marks, bytes: length, body });
        }
    }

    async fn repeat_requests(self: Rc<Self>) {
        loop {
            let block = self.retries.receive().await;
            let mut actions = Vec::new();
            self.requester.borrow_mut().retry(block, &mut actions);
            let pending = self.perform(block, None, &actions);
            self.send_after_cycles(pending).await;
        }
    }

    /// Returns the address at which this node's processor accesses a block.
    fn address(&self, block: BlockId) -> Address {
        let offset = u64::from(block.number) * LINE_BYTES as u64;
        if block.home == self.node { offset } else { remote(block.home, offset) }
    }

    fn block(&self, address: Address) -> BlockId {
        let (home, offset) = home_of(address);
        BlockId { home: home.unwrap_or(self.node), number: (offset / LINE_BYTES as u64) as u32 }
    }

    /// Performs the protocol's actions on a block, and returns the messages to be sent. `block_bytes` holds the block's
    /// bytes if the message contained them.
    fn perform(&self, block: BlockId, block_bytes: Option<LineBytes>, actions: &[CoherenceAction]) -> PendingReplies {
        let (address, mut pending, mut is_invalidated) = (self.address(block), PendingReplies::default(), false);
        for &action in actions {
            match action {
                CoherenceAction::Send { to, message } => {
                    let data = message.kind.carries_block().then(|| self.host.read_block_to_send(address));
                    pending.messages.push(OutgoingMessage { to, message, data });
                }
                CoherenceAction::Store => {
                    let data = block_bytes.expect("the message contained the block");
                    match block.home == self.node {
                        true => self.host.store_returned_block(address, &data),
                        false => self.host.take_copy(address, data),
                    }
                }
                CoherenceAction::Access(access) => {
                    is_invalidated = access == Access::Invalid;
                    let was_modified = !is_invalidated && self.host.set_writable(address, access == Access::Writable);
                    pending.cycles += if was_modified { self.costs.recall } else { 0 };
                }
                CoherenceAction::Granted(_) => self.waiters.borrow_mut().grant(block),
                CoherenceAction::Retry => {
                    self.retries.send_at(self.sim.now() + self.clock.cycles(self.costs.retry), block);
                }
                CoherenceAction::Pointer => {}
                CoherenceAction::Trap(trap) => pending.cycles += self.trap(trap, actions),
            }
        }
        // An invalidated block stays until all programs that were granted it have used it.
        if is_invalidated && !self.waiters.borrow().is_granted(block) && self.host.drop_line(address) {
            pending.cycles += self.costs.recall;
        }
        self.changed.notify();
        self.port.changed.notify();
        pending
    }

    /// Runs the directory's software on the home's processor; returns the cycles that it takes.
    fn trap(&self, trap: Trap, actions: &[CoherenceAction]) -> u64 {
        let is_recall = |action: &&CoherenceAction| match action {
            CoherenceAction::Send { message, .. } => message.kind == CoherenceKind::Invalidate,
            _ => false,
        };
        let cycles = match trap {
            Trap::Pointers => self.costs.trap_read,
            Trap::Write => {
                self.costs.trap_write + self.costs.trap_each * actions.iter().filter(is_recall).count() as u64
            }
        };
        self.traps.set(self.traps.get() + 1);
        self.host.processor.steal(cycles);
        cycles
    }

    fn evict(&self, address: Address) -> bool {
        let (block, mut actions) = (self.block(address), Vec::new());
        let outcome = self.requester.borrow_mut().evict(block, &mut actions);
        if outcome != EvictionOutcome::NotEvicted {
            let pending = self.perform(block, None, &actions);
            self.enqueue(pending.messages);
        }
        outcome != EvictionOutcome::NotEvicted
    }
}

impl Coherence {
    fn allowed_access(&self, address: Address) -> Access {
        let block = self.block(address);
        match block.home == self.node {
            true => self.directory.borrow().allowed(block.number),
            false => self.requester.borrow().allowed(block),
        }
    }

    async fn request(&self, address: Address, mode: AccessMode) -> Option<Grant> {
        let (block, mut actions) = (self.block(address), Vec::new());
        let outcome = match block.home == self.node {
            true => self.directory.borrow_mut().access(block.number, mode, &mut actions),
            false => self.requester.borrow_mut().access(block, mode, &mut actions),
        };
        if outcome == AccessOutcome::Hit {
            self.host.move_to_cache(address);
            return None;
        }
        let grant = self.waiters.borrow_mut().register(block);
        let pending = self.perform(block, None, &actions);
        self.send_after_cycles(pending).await;
        Some(grant)
    }

    async fn finish_use(&self, address: Address) {
        let (block, mut actions) = (self.block(address), Vec::new());
        if !self.waiters.borrow_mut().end_use(block) {
            return;
        }
        match block.home == self.node {
            true => self.directory.borrow_mut().end_use(block.number, &mut actions),
            false => self.requester.borrow_mut().end_use(block, &mut actions),
        }
        let pending = self.perform(block, None, &actions);
        // The block may have been invalidated in the meantime.
        match self.allowed_access(address) {
            Access::Invalid => _ = self.host.drop_line(address),
            access => _ = self.host.set_writable(address, access == Access::Writable),
        }
        self.send_after_cycles(pending).await;
    }
}

impl CoherenceUnit for Coherence {
    fn access_costs(&self) -> AccessCosts {
        let CoherenceCosts { request, delay, prefetch, lock, .. } = self.costs;
        AccessCosts { request, delay, prefetch, lock }
    }

    fn node(&self) -> NodeId {
        self.node
    }

    fn remote(&self, home: NodeId, address: Address) -> Address {
        remote(home, address)
    }

    fn may_access(&self, address: Address, mode: AccessMode) -> bool {
        let cache_allows = self.host.processor.may_access(address, mode == AccessMode::Write);
        // If programs have been granted blocks, a block may be in the cache for one of those programs only.
        cache_allows && (!self.waiters.borrow().has_unused_grant() || self.allowed_access(address).allows(mode))
    }

    fn demand<'a>(&'a self, address: Address, mode: AccessMode) -> LocalFuture<'a, Option<Grant>> {
        Box::pin(self.request(address, mode))
    }

    fn wait<'a>(&'a self, grant: &'a Grant) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            while !grant.get() {
                self.changed.wait().await;
            }
        })
    }

    fn move_to_cache(&self, address: Address) {
        self.host.move_to_cache(address);
    }

    fn end_use<'a>(&'a self, address: Address) -> LocalFuture<'a, ()> {
        Box::pin(self.finish_use(address))
    }

    /// Prefetches a block, without a grant: the block may be invalidated before it is used.
    fn prefetch<'a>(&'a self, address: Address, mode: AccessMode) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            let (block, mut actions) = (self.block(address), Vec::new());
            match block.home == self.node {
                true => _ = self.directory.borrow_mut().prefetch(block.number, mode, &mut actions),
                false => _ = self.requester.borrow_mut().prefetch(block, mode, &mut actions),
            }
            let pending = self.perform(block, None, &actions);
            self.send_after_cycles(pending).await;
        })
    }
}
