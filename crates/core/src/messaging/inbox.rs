//! The inbox of an endpoint, for packets that other programs of its node receive for it.
//!
//! All endpoints of a node share one interface, so a program may poll a packet for another endpoint. The program takes
//! the packet, and leaves the message in the other endpoint's inbox. Inboxes are not limited.

use super::active_message::MessageWords;
use super::loopback::LoopbackQueue;
use super::message_queue::MessageQueue;
use super::node_context::NodeContext;
use super::polled_packet::{PacketHeader, PolledPacket};
use crate::engine::{EndpointId, Journey, Time};
use crate::host::Processor;
use crate::ni::{PayloadSink, RxPacket};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// An endpoint's inbox, which any program of its node may fill.
pub(super) struct Inbox {
    pub id: EndpointId,
    messages: Rc<MessageQueue>,
    pub loopback: LoopbackQueue,
    deferred_messages: RefCell<VecDeque<DeferredMessage>>,
    /// Packets that other cores found at the interface, still to be taken, each with the local time at which it was
    /// found.
    found_packets: RefCell<VecDeque<(RxPacket, Time)>>,
}

/// An active message that was taken from the interface, and whose handler has not run.
pub(super) struct DeferredMessage {
    pub from: EndpointId,
    pub handler: u8,
    pub words: MessageWords,
    pub journey: Journey,
}

impl Inbox {
    /// Creates the inbox of the endpoint `id`, whose messages with payloads go to `messages`.
    pub fn new(id: EndpointId, messages: &Rc<MessageQueue>) -> Inbox {
        Inbox {
            id,
            messages: messages.clone(),
            loopback: LoopbackQueue::default(),
            deferred_messages: RefCell::default(),
            found_packets: RefCell::default(),
        }
    }

    /// Returns whether the inbox has neither a packet nor a deferred message.
    pub fn is_empty(&self) -> bool {
        self.deferred_messages.borrow().is_empty() && self.loopback.is_empty() && !self.has_packet_of_other_core()
    }

    /// Returns whether the inbox has a packet that another core found.
    pub fn has_packet_of_other_core(&self) -> bool {
        !self.found_packets.borrow().is_empty()
    }

    /// Leaves a packet, found at local time `found_at`, for a program on another core, which takes the packet.
    pub fn push_found(&self, packet: RxPacket, found_at: Time) {
        self.found_packets.borrow_mut().push_back((packet, found_at));
    }

    /// Removes and returns the oldest packet that another core found, with the time at which it was found.
    pub fn pop_found(&self) -> Option<(RxPacket, Time)> {
        self.found_packets.borrow_mut().pop_front()
    }

    /// Takes a packet that another program of the node polled. With `has_several_cores`, the simulation first catches up
    /// with that program's core, and the stores of that core become visible, so that another core can neither find the
    /// message before it was delivered nor reuse its buffer while stores to it wait.
    pub async fn deliver(&self, context: &NodeContext, packet: &mut PolledPacket<'_>, has_several_cores: bool) {
        if !packet.header().envelope.is_part {
            return self.defer(context, packet, has_several_cores).await;
        }
        if let Some(message) = self.messages.take(context, packet).await {
            catch_up(context, has_several_cores).await;
            self.messages.push(message);
        }
    }

    /// Takes an active message, whose handler runs later. `has_several_cores` has the same meaning as for
    /// [`deliver`](Inbox::deliver).
    pub async fn defer(&self, context: &NodeContext, packet: &mut PolledPacket<'_>, has_several_cores: bool) {
        let PacketHeader { source, envelope, journey, .. } = packet.header();
        let (handler, mut words) = (envelope.handler, Vec::new());
        packet.take(context, context.reorder_cycles(handler), PayloadSink::Words(&mut words)).await;
        catch_up(context, has_several_cores).await;
        let message = DeferredMessage { from: source, handler, words: words.into(), journey };
        self.deferred_messages.borrow_mut().push_back(message);
    }

    /// Removes and returns the oldest active message.
    pub fn pop_deferred(&self) -> Option<DeferredMessage> {
        self.deferred_messages.borrow_mut().pop_front()
    }
}

/// Waits until the simulation has reached the local time of a core and the core's stores are visible to the others, if
/// there are several cores. A core that finds a message by a later store sees the earlier stores to its payload.
async fn catch_up(context: &NodeContext, has_several_cores: bool) {
    if has_several_cores {
        context.cpu.sync().await;
        if let Some(processor) = context.cpu.coherent() {
            processor.drain_stores().await;
        }
    }
}
