//! An endpoint: a program's attachment to its node's interface, whatever the host, interface, protocol and fabric.
//!
//! A call to send composes each packet of a message from the program's buffer; a call to receive polls, and takes
//! packets until a message is complete; each packet costs instructions on both sides. A program that cannot send
//! because the interface is full receives in the meantime; otherwise two nodes with full interfaces would deadlock.
//! Programs of active messages use an endpoint through [`ActiveEndpoint`](super::active::ActiveEndpoint). Programs wait
//! by the node's local clock, which may be ahead of the simulation's. A node may have several endpoints
//! ([`node_sharing`](super::node_sharing)).
//!
//! Messages are not dispatched, which is left to the program; interrupts are handled by the driver.

use super::fragment::fragments;
use super::message::{Incoming, Outgoing, Storage};
use super::message_queue::MessageQueue;
use super::node_context::NodeContext;
use super::node_sharing::{NodeSharing, RunPermit, core_of};
use super::parameters::MessagingParameters;
use super::polled_packet::PolledPacket;
use crate::engine::sim::WaitReasonGuard;
use crate::engine::{Bytes, Class, EndpointId, EndpointMap, MessageTally, NodeId, Signal, Time};
use crate::host::{Address, AnyProcessor, Host, Processor, Utilization};
use crate::ni::word_copy::bytes_of;
use crate::ni::{AnyDriver, Driver, Envelope, InFlight, PayloadSource, Port, SendRequest, Wake};
use crate::protocol::Marks;
use std::rc::Rc;

/// A program's attachment to its node's interface.
pub struct Endpoint {
    id: EndpointId,
    name: String,
    pub(super) context: NodeContext,
    pub(super) sharing: NodeSharing,
    messages: Rc<MessageQueue>,
    pub(super) tally: Rc<MessageTally>,
    pub(super) in_flight: Rc<InFlight>,
}

/// The result of a poll for the fragments of messages.
enum PollResult {
    /// No packet was found.
    Empty,
    /// A packet was found, and its message is incomplete.
    Fragment,
    /// A message is complete.
    Message(Incoming),
}

impl Endpoint {
    /// Creates the endpoints of `host`'s node over its interface. A message has at most `message_max` bytes.
    pub fn for_node(
        host: &Host,
        driver: AnyDriver,
        parameters: MessagingParameters,
        message_max: Bytes,
        (tally, in_flight, addresses): (&Rc<MessageTally>, &Rc<InFlight>, &Rc<EndpointMap>),
    ) -> Vec<Rc<Endpoint>> {
        let (driver, cores) = (Rc::new(driver), host.cores());
        let has_several_endpoints = addresses.endpoint_count(host.node) > 1;
        let queues: Vec<_> =
            addresses.endpoints_of(host.node).map(|_| Rc::new(MessageQueue::new(message_max))).collect();
        let sharings = NodeSharing::for_node(cores, host.node, &host.name, addresses, &queues);
        let endpoint = |((id, messages), sharing): ((EndpointId, Rc<MessageQueue>), NodeSharing)| {
            let name = match has_several_endpoints {
                true => format!("{}:{}", host.name, addresses.index_on_node(id)),
                false => host.name.to_string(),
            };
            let cpu = cores[core_of(addresses.index_on_node(id), cores.len())].clone();
            let context = NodeContext { host: host.clone(), cpu, driver: driver.clone(), parameters };
            let (tally, in_flight) = (tally.clone(), in_flight.clone());
            Rc::new(Endpoint { id, name, context, sharing, messages, tally, in_flight })
        };
        addresses.endpoints_of(host.node).zip(queues).zip(sharings).map(endpoint).collect()
    }

    /// Returns the endpoint's number.
    pub fn id(&self) -> EndpointId {
        self.id
    }

    /// Returns the endpoint's name: the name of its node, followed by its index there if the node has several
    /// endpoints.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of the endpoint's node.
    pub fn node(&self) -> NodeId {
        self.context.host.node
    }

    /// Returns the host of the endpoint's node.
    pub fn host(&self) -> &Host {
        &self.context.host
    }

    /// Returns the endpoint's core.
    #[inline]
    pub fn cpu(&self) -> &AnyProcessor {
        &self.context.cpu
    }

    /// Returns the interface's driver.
    pub fn driver(&self) -> &AnyDriver {
        &self.context.driver
    }

    /// Returns the interface's port, if the interface has one.
    pub fn port(&self) -> Option<&Rc<Port>> {
        self.context.driver.port()
    }

    /// Returns the node's local time.
    pub fn now(&self) -> Time {
        let cpu = &self.context.cpu;
        match self.sharing.shared() {
            None => cpu.now(),
            // The processor's clock does not advance while none of its programs runs.
            Some(_) => cpu.now().max(cpu.sim().now()),
        }
    }

    /// Waits until the node's local time is `instant`.
    pub async fn until(&self, instant: Time) {
        let cpu = &self.context.cpu;
        if self.sharing.shared().is_none() {
            return cpu.until(instant).await;
        }
        if instant > cpu.sim().now() {
            cpu.sim().until(instant).await;
        }
    }

    /// Returns whether the interface steers a payload to the address to which the payload's tag is mapped.
    pub fn steers_by_tag(&self) -> bool {
        self.context.driver.limits().steers_by_tag
    }

    /// Maps `tag` to `address`: payloads with the tag are delivered there, if the interface steers by tags.
    pub async fn map_tag(&self, tag: u16, address: Address) {
        let permit = self.acquire_run_permit().await;
        self.context.driver.map_tag(&self.context.cpu, self.id, tag, address).await;
        if let Some(shared) = self.sharing.shared().filter(|_| self.steers_by_tag()) {
            shared.inbox().loopback.map_tag(tag, address);
        }
        self.release_run_permit(permit).await;
    }

    /// Allocates a buffer in memory.
    pub fn allocate(&self, length: Bytes) -> Address {
        self.context.host.allocate(length.len())
    }

    /// Writes a buffer before the measurement begins.
    pub async fn prepare(&self, address: Address, bytes: &[u8]) {
        let permit = self.acquire_run_permit().await;
        self.context.host.prepare(address, bytes).await;
        self.release_run_permit(permit).await;
    }

    /// Returns the signal that wakes a program that waits at this endpoint.
    pub(super) fn wakeup(&self) -> &Signal {
        self.context.driver.wakeup()
    }

    /// Waits until the program may run on its processor, which other programs may share.
    pub(super) fn acquire_run_permit(&self) -> impl Future<Output = RunPermit> {
        self.sharing.acquire_run_permit(&self.context)
    }

    /// Lets other programs of the node run.
    pub(super) fn release_run_permit(&self, permit: RunPermit) -> impl Future<Output = ()> {
        self.sharing.release_run_permit(&self.context, permit)
    }

    /// Sends a packet, and returns the time at which the successful attempt began. While the interface is full,
    /// `receive` receives a packet, and returns whether there was one.
    pub(super) async fn send_packet(
        &self,
        packet: &SendRequest<'_>,
        permit: &mut RunPermit,
        receive: impl AsyncFn() -> bool,
    ) -> Time {
        let context = &self.context;
        if let Some(peer) = self.sharing.local_peer(packet.to) {
            let slot = loop {
                if let Some(slot) = peer.loopback.reserve_slot(context) {
                    break slot;
                }
                if !receive().await {
                    self.sharing.wait_for_capacity(context, permit).await;
                }
            };
            return peer.loopback.send_loopback(context, slot, packet).await;
        }
        let sim = context.cpu.sim();
        // The first attempt is work; later attempts count as polls for capacity, whatever a failed attempt costs.
        let mut work_guard = Some(sim.works());
        let token = context.driver.begin_send(&context.cpu, &packet.journey);
        let mut poll_guard = None;
        loop {
            let attempt_start = self.now();
            let sender_hold = self.sharing.hold_sender(context).await;
            let is_sent = context.driver.try_send(&context.cpu, packet, &token).await;
            drop(sender_hold);
            if is_sent {
                sim.progress();
                return attempt_start;
            }
            drop(work_guard.take());
            if receive().await {
                poll_guard = None;
            } else {
                let polls_for_capacity = || context.driver.capacity_wait_reason().map(|reason| sim.polls_for(reason));
                poll_guard = poll_guard.or_else(polls_for_capacity);
                self.sharing.wait_for_capacity(context, permit).await;
            }
        }
    }

    /// Notifies the interface of all packets that were posted without a notification.
    pub(super) async fn flush_sends(&self) {
        self.context.driver.flush_sends(&self.context.cpu).await;
    }

    /// Registers the program as polling for a packet, if the driver polls for one.
    pub(super) fn polls_for_packet(&self) -> Option<WaitReasonGuard<'_>> {
        self.context.driver.packet_wait_reason().map(|reason| self.context.cpu.sim().polls_for(reason))
    }

    /// Returns how long each part of host and interface was busy.
    pub fn utilization(&self) -> Vec<Utilization> {
        [self.context.host.utilization(), self.context.driver.utilization()].concat()
    }
}

impl Endpoint {
    /// Sends a message, and returns when its buffer may be used again or the interface has been notified.
    // The function is inlined, so that the future is made in its final memory and not moved there.
    #[inline(always)]
    pub fn send(&self, outgoing: Outgoing<'_>) -> impl Future<Output = ()> {
        self.send_scheduled(outgoing, self.now())
    }

    /// Sends a message that was due at `scheduled_time`, from which its latency counts. The time that has passed since
    /// then is the stage `send: backlog` of its ledger.
    ///
    /// # Panics
    ///
    /// Panics if the message is larger than the machine's largest message.
    #[inline(always)]
    pub fn send_scheduled(&self, outgoing: Outgoing<'_>, scheduled_time: Time) -> impl Future<Output = ()> {
        self.send_in_burst(outgoing, scheduled_time, false)
    }

    /// Sends a message as [`send_scheduled`](Endpoint::send_scheduled) does. With `has_successor`, the program sends
    /// another message without waiting in between, and the interface need not be notified before that.
    ///
    /// # Panics
    ///
    /// Panics if the message is larger than the machine's largest message.
    pub async fn send_in_burst(&self, outgoing: Outgoing<'_>, scheduled_time: Time, has_successor: bool) {
        let Outgoing { destination, tag, address, payload, words } = outgoing;
        assert!(payload.len() <= self.messages.message_max, "a message is no larger than the machine's largest");
        let limits = self.context.driver.limits();
        let call_time = self.now();
        let journey = self.tally.begin_journey(self.id, destination, payload, scheduled_time);
        journey.close_if_lasted("send: backlog", call_time);
        let mut permit = self.acquire_run_permit().await;
        let sequence = self.messages.next_sequence(limits.sequences);
        let words_accompany = limits.inline_bytes > 0;
        let inline_bytes = bytes_of(words);
        let words_are_payload = !words_accompany && !words.is_empty();
        assert!(!words_are_payload || payload.is_empty(), "words travel in place of a payload");
        let bytes = if words_are_payload { inline_bytes.len() } else { payload.len() };
        let journey_of_another_packet = || {
            let journey = journey.for_another_packet();
            journey.close_if_lasted("send: backlog", call_time);
            journey
        };
        for (fragment, range) in fragments(bytes, limits.payload).enumerate() {
            let source = match words_are_payload {
                true => PayloadSource::Words(&words[range.start / 4..range.end / 4]),
                false => PayloadSource::Memory(address + range.start as u64, range.len()),
            };
            let last = range.end == bytes;
            let packet = SendRequest {
                from: self.id,
                to: destination,
                class: Class::REQUESTS,
                marks: Marks { burst: bytes > limits.payload, last, ..Marks::SINGLE_PACKET },
                envelope: Envelope {
                    is_part: true,
                    handler: u8::try_from(tag).expect("a tag is at most 31"),
                    sequence: sequence as u16,
                    fragment: fragment as u32,
                    last,
                },
                source,
                inline_bytes: if words_accompany { &inline_bytes } else { &[] },
                journey: if fragment == 0 { journey.clone() } else { journey_of_another_packet() },
            };
            self.send_packet(&packet, &mut permit, async || self.receive_while_full().await).await;
        }
        if !has_successor {
            self.flush_sends().await;
        }
        self.release_run_permit(permit).await;
    }

    /// Receives a packet while the interface is full, and returns whether there was one.
    async fn receive_while_full(&self) -> bool {
        match self.poll().await {
            PollResult::Empty => false,
            PollResult::Fragment => true,
            PollResult::Message(message) => {
                self.messages.push(message);
                // A task that waits in `receive` may have no other wake-up.
                self.wakeup().notify();
                true
            }
        }
    }

    /// Waits for a message.
    pub async fn receive(&self) -> Incoming {
        let mut permit = self.acquire_run_permit().await;
        let mut poll_guard = None;
        let message = loop {
            if let Some(message) = self.messages.pop() {
                break self.record_delivery(message);
            }
            match self.poll().await {
                // Meanwhile, other programs that took a packet of this endpoint may have completed an earlier message.
                PollResult::Message(message) => self.messages.push(message),
                PollResult::Fragment => poll_guard = None,
                PollResult::Empty => {
                    poll_guard = poll_guard.or_else(|| self.polls_for_packet());
                    let has_no_message = || self.messages.is_empty() && !self.sharing.has_deferred();
                    let next_check = || if has_no_message() { Time::MAX } else { Time::ZERO };
                    self.sharing.idle(&self.context, &mut permit, Wake { next: &next_check, until: Time::MAX }).await;
                }
            }
        };
        self.release_run_permit(permit).await;
        message
    }

    /// Records the delivery of a message to the program, and returns the message.
    fn record_delivery(&self, message: Incoming) -> Incoming {
        let now = self.context.cpu.now();
        message.journey.close_if_lasted("receive: waiting", now);
        self.tally.deliver(&message.journey, now);
        message
    }

    /// Polls once for a packet, and takes it.
    async fn poll(&self) -> PollResult {
        let context = &self.context;
        let packet = match self.sharing.shared() {
            Some(shared) => shared.poll_shared(context, &|_| false).await,
            None if !context.driver.may_have_packet() => None,
            None => context
                .driver
                .poll(&context.cpu, &|_| false)
                .await
                .map(|arrival| PolledPacket::Interface { arrival, _receiver: None }),
        };
        let Some(mut packet) = packet else { return PollResult::Empty };
        let sim = context.cpu.sim();
        sim.progress();
        let _work_guard = sim.works();
        let complete_message = self.messages.take(context, &mut packet, false).await;
        sim.progress();
        complete_message.map_or(PollResult::Fragment, PollResult::Message)
    }

    /// Passes a received payload to `read`, and returns its result.
    pub fn with_payload<T>(&self, incoming: &Incoming, read: impl FnOnce(&[u8]) -> T) -> T {
        match &incoming.bytes {
            Some(bytes) => read(bytes),
            None => read(&self.context.host.peek(incoming.address, incoming.payload.len())),
        }
    }

    /// Releases the buffer of a received message, after this core's stores to it have become visible to other cores.
    pub async fn release(&self, incoming: Incoming) {
        match incoming.storage {
            Storage::Buffer(buffer) => {
                self.sharing.make_stores_visible(&self.context).await;
                self.messages.free_buffer(buffer);
            }
            Storage::MappedAddress => {}
            Storage::DriverEntry(entry) => {
                let permit = self.acquire_run_permit().await;
                self.context.driver.release(&self.context.cpu, entry).await;
                self.release_run_permit(permit).await;
            }
        }
    }
}
