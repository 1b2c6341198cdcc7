//! Several endpoints of a node: programs that share its cores and its interface.
//!
//! Endpoints are assigned to the cores in turn. A core runs one program at a time, in the order of requests, until the
//! program waits or its call ends; a program that computes therefore keeps the other programs of its core from
//! polling. All programs share one interface and its driver. A program that polls takes the packet that it finds and
//! pays for it. If the packet is for another endpoint, the program leaves it in that endpoint's inbox, where the other
//! program finds it at no further cost. If there are several cores, one core at a time sends a packet, and one core at
//! a time polls. If the driver permits it, a packet for an endpoint of another core is left to that core, which takes
//! it. Packets between endpoints of the node use [`loopback`](super::loopback) and never reach the interface.
//!
//! Preemption, the cost of changing programs, programs that change cores, the cost of a lock, protection, and a limit
//! on the size of inboxes are not modelled.

use super::inbox::{DeferredMessage, Inbox};
use super::message_queue::MessageQueue;
use super::node_context::NodeContext;
use super::polled_packet::PolledPacket;
use crate::engine::resource::OwnedHold;
use crate::engine::{EndpointId, EndpointMap, NodeId, Resource};
use crate::host::{AnyProcessor, Processor};
use crate::ni::{Driver, WaitPolicy, Wake};
use std::rc::Rc;

/// An endpoint's share of its node; `None` if the endpoint is the node's only one.
pub(super) struct NodeSharing(Option<SharedNode>);

/// An endpoint's share of a node that several endpoints use.
pub(super) struct SharedNode {
    peers: Rc<NodePeers>,
    inbox: Rc<Inbox>,
    /// The core's time, which the endpoint shares with other endpoints of the core.
    core: Rc<Resource>,
}

/// The endpoints of a node, and the interface that they share.
struct NodePeers {
    node: NodeId,
    cores: usize,
    /// The halves of the driver, if several cores use it.
    driver_halves: Option<DriverHalves>,
    addresses: Rc<EndpointMap>,
    inboxes: Vec<Rc<Inbox>>,
}

/// The sending and the receiving half of a driver, each used by one core at a time.
struct DriverHalves {
    sender: Rc<Resource>,
    receiver: Rc<Resource>,
}

/// Returns the core of the endpoint at index `position` among the endpoints of its node.
pub(super) fn core_of(position: u32, cores: usize) -> usize {
    position as usize % cores
}

/// A program's permission to run on a processor that several programs share, until the permit is dropped or emptied. If
/// the processor is not shared, the permit is empty.
#[must_use = "the other programs of the node wait for it"]
pub(super) struct RunPermit(Option<OwnedHold>);

impl NodeSharing {
    /// Returns the sharing of each endpoint of `node`, whose name is `name`; `queues` are the message queues of the
    /// endpoints.
    pub fn for_node(
        cores: &[AnyProcessor],
        node: NodeId,
        name: &str,
        addresses: &Rc<EndpointMap>,
        queues: &[Rc<MessageQueue>],
    ) -> Vec<NodeSharing> {
        if queues.len() < 2 {
            return queues.iter().map(|_| NodeSharing(None)).collect();
        }
        let inboxes: Vec<_> =
            addresses.endpoints_of(node).zip(queues).map(|(id, messages)| Rc::new(Inbox::new(id, messages))).collect();
        let sim = cores[0].sim();
        let resource = |name: String| Rc::new(Resource::new(sim, name));
        let core_times: Vec<_> = match cores.len() {
            1 => vec![resource(format!("another program of {name}"))],
            several => (0..several).map(|core| resource(format!("another program of {name} core {core}"))).collect(),
        };
        let driver_halves = (cores.len() > 1).then(|| DriverHalves {
            sender: resource(format!("another core that sends by the interface of {name}")),
            receiver: resource(format!("another core that polls the interface of {name}")),
        });
        let peers =
            Rc::new(NodePeers { node, cores: cores.len(), driver_halves, addresses: addresses.clone(), inboxes });
        let sharing_of = |inbox: &Rc<Inbox>| {
            let core = core_times[core_of(addresses.index_on_node(inbox.id), cores.len())].clone();
            NodeSharing(Some(SharedNode { peers: peers.clone(), inbox: inbox.clone(), core }))
        };
        peers.inboxes.iter().map(sharing_of).collect()
    }

    /// Returns the endpoint's share of its node, if the node is shared.
    #[inline]
    pub fn shared(&self) -> Option<&SharedNode> {
        self.0.as_ref()
    }

    /// Waits until the program may run.
    pub async fn acquire_run_permit(&self, context: &NodeContext) -> RunPermit {
        match &self.0 {
            None => RunPermit(None),
            Some(shared) => shared.acquire_run_permit(context).await,
        }
    }

    /// Lets other programs run, once the processor has done the work charged to it.
    pub async fn release_run_permit(&self, context: &NodeContext, permit: RunPermit) {
        if permit.0.is_some() {
            context.cpu.sync().await;
        }
    }

    /// Ends a round of polling that found no packet, and waits until another round may find one. Returns the result of
    /// [`Driver::idle`].
    pub async fn idle(&self, context: &NodeContext, permit: &mut RunPermit, wake: Wake<'_>) -> bool {
        let Some(shared) = &self.0 else { return context.driver.idle(&context.cpu, wake).await };
        shared.idle(context, permit, wake).await;
        false
    }

    /// Waits until a packet may be sent or received, after neither was possible.
    pub async fn wait_for_capacity(&self, context: &NodeContext, permit: &mut RunPermit) {
        match &self.0 {
            None => context.driver.wait_for_capacity(&context.cpu).await,
            Some(shared) => shared.wait_for_capacity(context, permit).await,
        }
    }

    /// Waits until no other core sends through the interface; returns `None` if no other core can.
    pub async fn hold_sender(&self, context: &NodeContext) -> Option<OwnedHold> {
        let driver_halves = self.0.as_ref()?.peers.driver_halves.as_ref()?;
        Some(acquire_half(&driver_halves.sender, context).await)
    }

    /// Returns whether the endpoint's inbox or loopback queue holds a packet or a message.
    pub fn has_deferred(&self) -> bool {
        self.0.as_ref().is_some_and(|shared| !shared.inbox.is_empty())
    }

    /// Returns the inbox of `to`, if `to` is another endpoint of this node.
    pub fn local_peer(&self, to: EndpointId) -> Option<&Rc<Inbox>> {
        let peers = &self.0.as_ref()?.peers;
        (peers.addresses.node(to) == peers.node).then(|| peers.inbox(to))
    }
}

impl NodePeers {
    fn inbox(&self, id: EndpointId) -> &Rc<Inbox> {
        &self.inboxes[self.addresses.index_on_node(id) as usize]
    }

    fn core(&self, id: EndpointId) -> usize {
        core_of(self.addresses.index_on_node(id), self.cores)
    }
}

impl SharedNode {
    /// Returns the endpoint's inbox.
    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    async fn acquire_run_permit(&self, context: &NodeContext) -> RunPermit {
        let hold = OwnedHold::acquire(&self.core).await;
        context.cpu.sync().await;
        RunPermit(Some(hold))
    }

    /// Lets the programs that wait for the processor run, and then continues this program.
    async fn yield_now(&self, context: &NodeContext, permit: &mut RunPermit) {
        permit.0 = None;
        *permit = self.acquire_run_permit(context).await;
    }

    async fn idle(&self, context: &NodeContext, permit: &mut RunPermit, wake: Wake<'_>) {
        let sim = context.cpu.sim();
        let poll_time = sim.now();
        context.cpu.sync().await;
        match context.driver.wait_policy() {
            // A packet may have arrived since the poll.
            WaitPolicy::OnEvent if sim.now() > poll_time => {}
            WaitPolicy::OnEvent => {
                permit.0 = None;
                let next_check = (wake.next)();
                if next_check > sim.now() {
                    context.driver.wakeup().wait_until(next_check).await;
                }
                *permit = self.acquire_run_permit(context).await;
                charge_round(context).await;
            }
            WaitPolicy::Periodic(interval) => {
                permit.0 = None;
                sim.delay(interval).await;
                *permit = self.acquire_run_permit(context).await;
            }
            WaitPolicy::BusyPoll => {
                charge_round(context).await;
                self.yield_now(context, permit).await;
            }
        }
    }

    async fn wait_for_capacity(&self, context: &NodeContext, permit: &mut RunPermit) {
        match context.driver.wait_policy() {
            WaitPolicy::BusyPoll => {
                charge_round(context).await;
                self.yield_now(context, permit).await;
            }
            WaitPolicy::OnEvent | WaitPolicy::Periodic(_) => {
                permit.0 = None;
                context.driver.wait_for_capacity(&context.cpu).await;
                *permit = self.acquire_run_permit(context).await;
            }
        }
    }

    /// Polls once for a packet of this endpoint. Packets of other endpoints that are found first go to their inboxes.
    pub async fn poll_shared(
        &self,
        context: &NodeContext,
        sends_reply: &dyn Fn(u8) -> bool,
    ) -> Option<PolledPacket<'_>> {
        loop {
            let receiver_hold = self.hold_receiver(context).await;
            let loopback = &self.inbox.loopback;
            if let Some(packet) = loopback.pop() {
                return Some(PolledPacket::Loopback(packet, loopback));
            }
            if let Some((arrival, found_at)) = self.inbox.pop_found() {
                // The core that found the packet may have been ahead of this core.
                context.cpu.until(found_at).await;
                return Some(PolledPacket::Interface { arrival, _receiver: None });
            }
            let arrival = context.driver.poll(&context.cpu, sends_reply).await?;
            // Other cores may poll while this core takes the packet, if the driver permits that.
            let receiver_hold = receiver_hold.filter(|_| !context.driver.takes_in_any_order());
            if arrival.to == self.inbox.id {
                return Some(PolledPacket::Interface { arrival, _receiver: receiver_hold });
            }
            let peer = self.peers.inbox(arrival.to);
            let _work_guard = context.cpu.sim().works();
            match receiver_hold.is_none() && self.delegates_to(peer) {
                true => peer.push_found(arrival, context.cpu.now()),
                false => {
                    let has_several_cores = self.peers.driver_halves.is_some();
                    peer.deliver(
                        context,
                        &mut PolledPacket::Interface { arrival, _receiver: receiver_hold },
                        has_several_cores,
                    )
                    .await;
                }
            }
            context.driver.wakeup().notify();
        }
    }

    /// Returns whether a packet is left to `peer`, which then takes the packet: if `peer` is on another core, or if an
    /// earlier packet was left to `peer`.
    fn delegates_to(&self, peer: &Inbox) -> bool {
        let is_on_other_core = self.peers.core(peer.id) != self.peers.core(self.inbox.id);
        is_on_other_core || peer.has_packet_of_other_core()
    }

    /// Waits until no other core polls the interface or takes a packet from it; returns `None` if no other core can.
    async fn hold_receiver(&self, context: &NodeContext) -> Option<OwnedHold> {
        let driver_halves = self.peers.driver_halves.as_ref()?;
        Some(acquire_half(&driver_halves.receiver, context).await)
    }

    /// Returns the next active message of this endpoint. Polls once if no message is deferred.
    pub async fn next_deferred(
        &self,
        context: &NodeContext,
        sends_reply: &dyn Fn(u8) -> bool,
    ) -> Option<DeferredMessage> {
        if let Some(message) = self.inbox.pop_deferred() {
            return Some(message);
        }
        let mut packet = self.poll_shared(context, sends_reply).await?;
        self.inbox.defer(context, &mut packet, false).await;
        self.inbox.pop_deferred()
    }
}

/// Acquires a half of the driver. The core waits until the half is free, and runs no other program meanwhile.
async fn acquire_half(half: &Rc<Resource>, context: &NodeContext) -> OwnedHold {
    context.cpu.sync().await;
    let hold = OwnedHold::acquire(half).await;
    context.cpu.sync().await;
    hold
}

/// Charges the processor for a poll that found nothing.
async fn charge_round(context: &NodeContext) {
    context.driver.charge_poll(&context.cpu);
    context.cpu.sync().await;
}
