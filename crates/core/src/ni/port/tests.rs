//! A switch that marks and trims packets, under a protocol that needs both and has headers of its own beyond two words.

use crate::engine::{Bytes, Class, Mailbox, NodeId, Outcome, PacketMarks, Rate, Recorder, Signal, Sim, Time};
use crate::fabric::{
    DeliveryHub, FabricCapabilities, FabricEvent, FabricNet, FabricSpec, LinkUse, Loss, NodeViews, Packet, PacketPort,
};
use crate::machine::{Machine, Registry};
use crate::part::{FabricFeatures, Part, PartInfo};
use crate::protocol::window::{LinkParameters, WindowAdapter, WindowParameters};
use crate::protocol::{
    Answer, Effects, Frame, Guarantees, Offer, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec, Slot,
    Statistics, Taken,
};
use crate::testing::RunObservation;
use crate::text::{Document, Parameters};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// A switch with a queue for each output, which marks packets behind a few others and trims those behind more.
#[derive(Clone, Copy, Debug, Parameters)]
struct Switch {
    /// Rate of an output.
    rate: Rate,
    /// Packets in a queue from which on others are marked.
    marks_at: usize,
    /// Packets in a queue from which on others are trimmed.
    trims_at: usize,
    /// Whether it states that it may lose packets.
    #[param(default = true)]
    states_loss: bool,
}

/// Bytes of a packet that was trimmed.
const TRIMMED: Bytes = Bytes(16);

impl Part for Switch {
    const INFO: PartInfo = PartInfo::new("switch", "A switch that marks and trims");
}

impl FabricSpec for Switch {
    fn capabilities(&self) -> FabricCapabilities {
        let loss = if self.states_loss { Loss::Any } else { Loss::Never };
        FabricCapabilities { loss, ..FabricCapabilities::new(Rate::from_bytes_per_s(1_000_000_000)) }
    }

    fn features(&self) -> FabricFeatures {
        FabricFeatures { congestion_marks: true, trims: true, ..FabricFeatures::default() }
    }

    fn start(&self, sim: &Sim, nodes: &[String], _seed: u64) -> Rc<dyn FabricNet> {
        let hub = Rc::<DeliveryHub>::default();
        let output = |name: &String| Output {
            sim: sim.clone(),
            switch: *self,
            hub: hub.clone(),
            queue: Mailbox::new(sim, format!("{name}: a packet at the output")),
            queued: Cell::new(0),
            slots: Cell::new(u32::MAX),
            freed: Signal::new(sim, format!("{name}: a receive slot")),
        };
        let outputs: Rc<Vec<Output>> = Rc::new(nodes.iter().map(output).collect());
        for (node, name) in nodes.iter().enumerate() {
            let outputs = outputs.clone();
            sim.spawn_server(format!("{name} output"), async move { outputs[node].serve().await });
        }
        Rc::new(SwitchNet(outputs))
    }
}

struct Output {
    sim: Sim,
    switch: Switch,
    hub: Rc<DeliveryHub>,
    queue: Mailbox<Rc<Packet>>,
    queued: Cell<usize>,
    slots: Cell<u32>,
    freed: Signal,
}

impl Output {
    fn take(&self, packet: Rc<Packet>) {
        let mut marks = packet.marks();
        if self.queued.get() >= self.switch.marks_at {
            marks.congestion = true;
            packet.set_marks(marks);
        }
        // Control frames, which are as short as what is left of others, are kept whole.
        if self.queued.get() >= self.switch.trims_at && packet.label().length > TRIMMED {
            packet.trim(TRIMMED);
        }
        SEEN.with_borrow_mut(|seen| seen.count_at_switch(packet.marks()));
        self.queued.set(self.queued.get() + 1);
        self.queue.send(packet);
    }

    async fn serve(&self) {
        loop {
            let packet = self.queue.receive().await;
            self.sim.delay(self.switch.rate.time_for(packet.label().length)).await;
            if packet.label().needs_slot && self.slots.get() < u32::MAX {
                while self.slots.get() == 0 {
                    self.freed.wait().await;
                }
                self.slots.set(self.slots.get() - 1);
            }
            self.queued.set(self.queued.get() - 1);
            self.hub.deliver(packet);
        }
    }
}

struct SwitchNet(Rc<Vec<Output>>);

impl FabricNet for SwitchNet {
    fn views(&self, node: NodeId) -> NodeViews {
        NodeViews::Packets(Rc::new(SwitchPort { outputs: self.0.clone(), node }))
    }

    fn links(&self) -> Vec<LinkUse> {
        Vec::new()
    }
}

struct SwitchPort {
    outputs: Rc<Vec<Output>>,
    node: NodeId,
}

impl PacketPort for SwitchPort {
    fn attach(&self, listener: Box<dyn Fn(FabricEvent)>) {
        self.outputs[self.node.index()].hub.attach(self.node, listener);
    }

    fn send(&self, packet: Rc<Packet>) {
        let (outputs, node) = (self.outputs.clone(), self.node);
        let own = &self.outputs[node.index()];
        own.hub.count(|counts| counts.injected += 1);
        let (sim, time) = (own.sim.clone(), Rate::from_bytes_per_s(1_000_000_000).time_for(packet.label().length));
        own.sim.spawn_server("a packet on a link", async move {
            sim.delay(time).await;
            let class = packet.label().class;
            outputs[packet.label().destination.index()].take(packet);
            outputs[node.index()].hub.notify(node, FabricEvent::TxReady(class));
        });
    }

    fn set_slots(&self, _: Class, slots: u32) {
        self.outputs[self.node.index()].slots.set(slots);
    }

    fn add_slot(&self, _: Class) {
        let own = &self.outputs[self.node.index()];
        own.slots.set(own.slots.get().saturating_add(1));
        own.freed.notify();
    }
}

/// A sliding window with headers of 40 bytes, which counts what switches have done.
#[derive(Clone, Copy, Debug, Parameters)]
struct Marked {}

impl Part for Marked {
    const INFO: PartInfo = PartInfo::new("marked", "A sliding window over switches that mark and trim");
}

impl ProtocolSpec for Marked {
    fn guarantees(&self, environment: &ProtocolEnvironment) -> Guarantees {
        WINDOW.guarantees(environment)
    }

    fn needs(&self) -> FabricFeatures {
        FabricFeatures { congestion_marks: true, trims: true, ..FabricFeatures::default() }
    }

    fn buffer_requirements(&self) -> Option<[u64; 2]> {
        WINDOW.buffer_requirements()
    }

    fn start(&self, node: NodeId, environment: &ProtocolEnvironment) -> Box<dyn Protocol<PacketHandle>> {
        Box::new(MarkedWindow { node, inner: WindowAdapter::new(node, environment.classes, WINDOW) })
    }
}

const WINDOW: WindowParameters = WindowParameters { link: LINK, acknowledgement: Bytes(8) };
const LINK: LinkParameters = LinkParameters {
    buffers: 16,
    window: 8,
    reorder: 8,
    arrivals: 16,
    acknowledge_every: 1,
    acknowledge_delay: Time::from_us(10),
    timeout: Time::from_us(100),
    timeout_max: Time::from_us(1600),
    sequence_bits: 32,
    order: crate::protocol::window::Order::Kept,
};

struct MarkedWindow {
    node: NodeId,
    inner: WindowAdapter<PacketHandle>,
}

/// Returns the extension of a frame: 40 bytes that name its nodes.
fn extension(from: NodeId, to: NodeId) -> Rc<[u8]> {
    [[from.0 as u8; 20], [to.0 as u8; 20]].concat().into()
}

impl MarkedWindow {
    /// Checks what the sender wrote on a frame, and counts what switches did.
    fn look(&self, frame: &Frame<PacketHandle>) {
        assert_eq!(frame.extension, Some(extension(frame.from, self.node)), "a header arrives as it was sent");
        assert_eq!((frame.marks.priority, frame.marks.entropy), (1, frame.from.0 as u16 + 100));
        SEEN.with_borrow_mut(|seen| seen.count_at_protocol(frame.marks));
    }
}

impl Protocol<PacketHandle> for MarkedWindow {
    fn room(&self, class: Class) -> u32 {
        self.inner.room(class)
    }

    fn reserve(&mut self, class: Class) -> Option<Slot> {
        self.inner.reserve(class)
    }

    fn offer(&mut self, slot: Slot, packet: Offer<PacketHandle>) {
        self.inner.offer(slot, packet);
    }

    fn next(&mut self, class: Class, now: Time) -> Option<Frame<PacketHandle>> {
        let frame = self.inner.next(class, now)?;
        let marks = PacketMarks { priority: 1, entropy: frame.from.0 as u16 + 100, ..PacketMarks::default() };
        Some(Frame { extension: Some(extension(frame.from, frame.to)), marks, ..frame })
    }

    fn arrive(&mut self, frame: Frame<PacketHandle>, now: Time) -> Effects {
        self.look(&frame);
        self.inner.arrive(frame, now)
    }

    fn trimmed(&mut self, frame: Frame<PacketHandle>, _now: Time) -> Effects {
        assert!(frame.body.is_none() && frame.bytes == TRIMMED, "the payload was cut");
        self.look(&frame);
        Effects { discards: true, ..Effects::NONE }
    }

    fn front(&self, class: Class) -> Option<(NodeId, &PacketHandle)> {
        self.inner.front(class)
    }

    fn take(&mut self, class: Class, answer: Answer) -> Option<Taken<PacketHandle>> {
        self.inner.take(class, answer)
    }

    fn release(&mut self, class: Class, slot: Slot) -> Effects {
        self.inner.release(class, slot)
    }

    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }

    fn on_time(&mut self, now: Time) {
        self.inner.on_time(now);
    }

    fn unacknowledged(&self, to: Option<NodeId>) -> u32 {
        self.inner.unacknowledged(to)
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }

    fn state_bytes(&self, packet: usize) -> usize {
        self.inner.state_bytes(packet)
    }
}

/// Counts of a run: packets with congestion marks, and trimmed ones, at the switch and at the protocols.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Seen {
    at_switch: [u64; 2],
    at_protocol: [u64; 2],
}

impl Seen {
    fn count_at_switch(&mut self, marks: PacketMarks) {
        self.at_switch[0] += u64::from(marks.congestion);
        self.at_switch[1] += u64::from(marks.trimmed);
    }

    fn count_at_protocol(&mut self, marks: PacketMarks) {
        self.at_protocol[0] += u64::from(marks.congestion);
        self.at_protocol[1] += u64::from(marks.trimmed);
    }
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

fn machine([host, ni]: [&str; 2], protocol: &str, fabric: &str) -> Result<Machine, String> {
    let text = format!(
        "parts = [\"hosts/{host}\", \"ni/{ni}\"{protocol}{fabric}\n\
         nodes.n = {{ count = 3, host = \"{host}\" }}\n\
         messaging = {{ send = 40, poll = 4, receive = 40 }}\n\
         [workload.stream]\nflows = [\"n0 -> n2\", \"n1 -> n2\"]\nmessages = 60\nwarm-up = 0\npayload = \"200 B\"\n"
    );
    let registry = Arc::new(Registry::shipped().with_fabric::<Switch>().with_protocol::<Marked>());
    registry.read(Document::Text("switch", &text, None), &[]).map(|read| read.value).map_err(|all| all.to_string())
}

fn observe(node: [&str; 2], protocol: &str, fabric: &str) -> (RunObservation, Seen) {
    SEEN.set(Seen::default());
    let machine = machine(node, protocol, fabric).unwrap_or_else(|problems| panic!("{problems}"));
    (RunObservation::of(&machine, Recorder::off()), SEEN.take())
}

/// Host and interface of a node.
const NODE: [&str; 2] = ["memory-bus-1998", "cni32qm"];

const SWITCH: &str = "fabric.switch = { rate = \"20 MB/s\", marks-at = 2, trims-at = 4, states-loss = true }";

#[test]
fn a_protocol_sees_the_marks_and_headers_of_packets_and_survives_trimming() {
    let (run, seen) = observe(NODE, "]\nprotocol.marked = {}\n", SWITCH);
    assert_eq!(run.outcome, Outcome::Done);
    assert_eq!((run.metric("messages.delivered"), run.metric("messages.dropped")), (Some(120.0), Some(0.0)));
    assert!(seen.at_switch[0] > seen.at_switch[1] && seen.at_switch[1] > 0, "{seen:?}");
    assert_eq!(seen.at_protocol, seen.at_switch, "no mark is lost on the way to the protocol");
    assert!(run.sum(|counts| counts.retransmitted) >= seen.at_switch[1], "what was trimmed is sent again");
}

#[test]
fn what_is_trimmed_under_a_protocol_that_does_not_resend_is_lost_and_counted() {
    let (run, seen) = observe(
        NODE,
        "]\nprotocol.none = { send-buffers = 8, receive-buffers = 8 }\n",
        &SWITCH.replace("true", "false"),
    );
    let trimmed = seen.at_switch[1];
    assert!(trimmed > 0, "{seen:?}");
    assert_eq!(run.metric("messages.dropped"), Some(trimmed as f64), "each message is one packet");
    assert_eq!(run.metric("messages.delivered"), Some(120.0 - trimmed as f64));
    assert_eq!(run.outcome, Outcome::Done);
}

#[test]
fn a_fabric_without_the_features_that_a_protocol_needs_is_refused_by_name() {
    let error = machine(NODE, ", \"fabrics/ideal-1998\"]\nprotocol.marked = {}\n", "").expect_err("no marks");
    let lacks = "[fabric.ideal] lacks what [protocol.marked] needs: congestion marks, trimming of packets";
    assert!(error.contains(lacks) && error.contains("it needs [fabric.switch]"), "{error}");
}

#[test]
fn firmware_that_streams_bytes_runs_over_a_fabric_of_packets_alone() {
    let fabric = SWITCH.replace("at = 2", "at = 1000").replace("at = 4", "at = 1000").replace("20 MB/s", "160 MB/s");
    for node in [["miata", "trapeze"], ["pentium-iii-815ep", "gm"]] {
        let (run, seen) = observe(node, "]\n", &fabric.replace("true", "false"));
        assert_eq!((&run.outcome, seen), (&Outcome::Done, Seen::default()), "{node:?}");
        assert_eq!(run.metric("messages.delivered"), Some(120.0), "{node:?}");
    }
}
