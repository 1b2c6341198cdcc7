//! Several endpoints of a node: programs that share its processor and its interface.
//!
//! Models: the processor runs one program at a time, in the order of requests, until the program waits or its call
//! ends; a program that computes therefore keeps the others from polling. The interface and its driver are one:
//! the program that polls takes the packet that it finds, pays for it, and leaves a packet for another endpoint in that one's
//! inbox, where its program finds it at no further cost. Packets between endpoints of the node use
//! [`loopback`](super::loopback) and never reach the interface.
//!
//! Leaves out: preemption, the cost of changing programs, protection, and a limit of inboxes.

use super::inbox::{DeferredMessage, Inbox};
use super::message_queue::MessageQueue;
use super::node_context::NodeContext;
use super::polled_packet::PolledPacket;
use crate::engine::resource::OwnedHold;
use crate::engine::{Addresses, EndId, NodeId, Resource, Sim};
use crate::host::Processor;
use crate::ni::{Driver, WaitPolicy, Wake};
use std::rc::Rc;

/// How an endpoint shares its node: with others, or not at all.
pub(super) struct NodeSharing(Option<SharedNode>);

/// An endpoint's part in a node that several endpoints share.
pub(super) struct SharedNode {
    peers: Rc<NodePeers>,
    inbox: Rc<Inbox>,
}

/// The endpoints of a node, and the processor's time that they share.
struct NodePeers {
    node: NodeId,
    processor: Rc<Resource>,
    addresses: Rc<Addresses>,
    inboxes: Vec<Rc<Inbox>>,
}

/// A program's permission to run on a processor that it shares, until it is dropped or taken back. Where nothing is
/// shared, it holds nothing.
#[must_use = "the other programs of the node wait for it"]
pub(super) struct RunPermit(Option<OwnedHold>);

impl NodeSharing {
    /// Returns the sharing of each endpoint of `node`, of the given `name`; `queues` are their messages.
    pub fn of_node(
        sim: &Sim,
        node: NodeId,
        name: &str,
        addresses: &Rc<Addresses>,
        queues: &[Rc<MessageQueue>],
    ) -> Vec<NodeSharing> {
        if queues.len() < 2 {
            return queues.iter().map(|_| NodeSharing(None)).collect();
        }
        let inboxes: Vec<_> =
            addresses.of(node).zip(queues).map(|(id, messages)| Rc::new(Inbox::new(id, messages))).collect();
        let processor = Rc::new(Resource::new(sim, format!("another program of {name}")));
        let peers = Rc::new(NodePeers { node, processor, addresses: addresses.clone(), inboxes });
        let shared = |inbox: &Rc<Inbox>| NodeSharing(Some(SharedNode { peers: peers.clone(), inbox: inbox.clone() }));
        peers.inboxes.iter().map(shared).collect()
    }

    /// Returns the endpoint's part in its node, if others share that.
    #[inline]
    pub fn shared(&self) -> Option<&SharedNode> {
        self.0.as_ref()
    }

    /// Waits until the program may run.
    pub async fn run(&self, context: &NodeContext) -> RunPermit {
        match &self.0 {
            None => RunPermit(None),
            Some(shared) => shared.run(context).await,
        }
    }

    /// Lets other programs run, once the processor has done the work charged to it.
    pub async fn stop(&self, context: &NodeContext, permit: RunPermit) {
        if permit.0.is_some() {
            context.cpu.sync().await;
        }
    }

    /// Ends a round of polling that found no packet, and waits until another round may find one. The result is that of
    /// [`Driver::idle`].
    pub async fn idle(&self, context: &NodeContext, permit: &mut RunPermit, wake: Wake<'_>) -> bool {
        let Some(shared) = &self.0 else { return context.driver.idle(&context.cpu, wake).await };
        shared.idle(context, permit, wake).await;
        false
    }

    /// Waits, when a packet could neither be sent nor received, until one may be.
    pub async fn wait_for_room(&self, context: &NodeContext, permit: &mut RunPermit) {
        match &self.0 {
            None => context.driver.wait_for_room(&context.cpu).await,
            Some(shared) => shared.wait_for_room(context, permit).await,
        }
    }

    /// Returns whether the endpoint's inbox or loopback queue holds anything.
    pub fn has_deferred(&self) -> bool {
        self.0.as_ref().is_some_and(|shared| !shared.inbox.is_empty())
    }

    /// Returns the inbox of `to`, if it is another endpoint of this node.
    pub fn local_peer(&self, to: EndId) -> Option<&Rc<Inbox>> {
        let peers = &self.0.as_ref()?.peers;
        (peers.addresses.node(to) == peers.node).then(|| peers.inbox(to))
    }
}

impl NodePeers {
    fn inbox(&self, id: EndId) -> &Rc<Inbox> {
        &self.inboxes[self.addresses.place(id) as usize]
    }
}

impl SharedNode {
    /// Returns the endpoint's inbox.
    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    async fn run(&self, context: &NodeContext) -> RunPermit {
        let hold = OwnedHold::of(&self.peers.processor).await;
        context.cpu.sync().await;
        RunPermit(Some(hold))
    }

    /// Lets the programs run that wait for the processor, and then this one again.
    async fn yield_now(&self, context: &NodeContext, permit: &mut RunPermit) {
        permit.0 = None;
        *permit = self.run(context).await;
    }

    async fn idle(&self, context: &NodeContext, permit: &mut RunPermit, wake: Wake<'_>) {
        let sim = context.cpu.sim();
        let polled = sim.now();
        context.cpu.sync().await;
        match context.driver.wait_policy() {
            // A packet may have arrived meanwhile.
            WaitPolicy::OnEvent if sim.now() > polled => {}
            WaitPolicy::OnEvent => {
                permit.0 = None;
                let next = (wake.next)();
                if next > sim.now() {
                    context.driver.attention().wait_until(next).await;
                }
                *permit = self.run(context).await;
                charge_round(context).await;
            }
            WaitPolicy::Periodic(interval) => {
                permit.0 = None;
                sim.delay(interval).await;
                *permit = self.run(context).await;
            }
            WaitPolicy::BusyPoll => {
                charge_round(context).await;
                self.yield_now(context, permit).await;
            }
        }
    }

    async fn wait_for_room(&self, context: &NodeContext, permit: &mut RunPermit) {
        match context.driver.wait_policy() {
            WaitPolicy::BusyPoll => {
                charge_round(context).await;
                self.yield_now(context, permit).await;
            }
            WaitPolicy::OnEvent | WaitPolicy::Periodic(_) => {
                permit.0 = None;
                context.driver.wait_for_room(&context.cpu).await;
                *permit = self.run(context).await;
            }
        }
    }

    /// Polls once for a packet of this endpoint. Packets of other endpoints that are found first go to their inboxes.
    pub async fn poll_shared(&self, context: &NodeContext, answers: &dyn Fn(u8) -> bool) -> Option<PolledPacket<'_>> {
        loop {
            let loopback = &self.inbox.loopback;
            if let Some(packet) = loopback.pop() {
                return Some(PolledPacket::Loopback(packet, loopback));
            }
            let arrival = context.driver.poll(&context.cpu, answers).await?;
            if arrival.to == self.inbox.id {
                return Some(PolledPacket::Interface(arrival));
            }
            let peer = self.peers.inbox(arrival.to);
            peer.deliver(context, &mut PolledPacket::Interface(arrival)).await;
            context.driver.attention().notify();
        }
    }

    /// Returns the next active message of this endpoint; polls once if none is deferred.
    pub async fn next_deferred(&self, context: &NodeContext, answers: &dyn Fn(u8) -> bool) -> Option<DeferredMessage> {
        if let Some(message) = self.inbox.pop_deferred() {
            return Some(message);
        }
        let mut packet = self.poll_shared(context, answers).await?;
        self.inbox.defer(context, &mut packet).await;
        self.inbox.pop_deferred()
    }
}

/// Charges the processor for a poll that found nothing.
async fn charge_round(context: &NodeContext) {
    context.driver.charge_poll(&context.cpu);
    context.cpu.sync().await;
}
