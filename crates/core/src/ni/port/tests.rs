//! Tests with a switch that marks and trims packets, and with a protocol that uses both and has headers longer than two
//! words.

use crate::engine::{Bytes, Class, Mailbox, NodeId, Outcome, PacketMarks, Rate, Recorder, Signal, Sim, Time};
use crate::fabric::{
    DeliveryHub, FabricCapabilities, FabricEvent, FabricNet, FabricSpec, LinkUse, Loss, NodePorts, Packet, PacketPort,
};
use crate::machine::{Machine, Registry};
use crate::part::{FabricFeatures, Part, PartInfo};
use crate::protocol::window::{LinkParameters, WindowAdapter, WindowParameters};
use crate::protocol::{
    AcceptedPacket, Answer, Effects, Frame, Guarantees, Offer, PacketHandle, Protocol, ProtocolEnvironment,
    ProtocolSpec, Slot, Statistics,
};
use crate::testing::RunObservation;
use crate::text::{Document, Parameters};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// A switch with a queue for each output. It marks a packet that joins a long queue, and trims one that joins an
/// even longer queue.
#[derive(Clone, Copy, Debug, Parameters)]
struct Switch {
    /// Rate of an output.
    rate: Rate,
    /// Queue length above which packets are marked.
    marks_at: usize,
    /// Queue length above which packets are trimmed.
    trims_at: usize,
    /// Whether the switch declares that it may lose packets.
    #[param(default = true)]
    states_loss: bool,
}

/// Length of a trimmed packet.
const TRIMMED_BYTES: Bytes = Bytes(16);

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
            queue_length: Cell::new(0),
            free_slots: Cell::new(u32::MAX),
            slot_freed: Signal::new(sim, format!("{name}: a receive slot")),
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
    queue_length: Cell<usize>,
    free_slots: Cell<u32>,
    slot_freed: Signal,
}

impl Output {
    fn enqueue(&self, packet: Rc<Packet>) {
        let mut marks = packet.marks();
        if self.queue_length.get() >= self.switch.marks_at {
            marks.congestion = true;
            packet.set_marks(marks);
        }
        // Control frames, which are as short as a trimmed packet, are not trimmed.
        if self.queue_length.get() >= self.switch.trims_at && packet.label().length > TRIMMED_BYTES {
            packet.trim(TRIMMED_BYTES);
        }
        COUNTS.with_borrow_mut(|counts| counts.count_at_switch(packet.marks()));
        self.queue_length.set(self.queue_length.get() + 1);
        self.queue.send(packet);
    }

    async fn serve(&self) {
        loop {
            let packet = self.queue.receive().await;
            self.sim.delay(self.switch.rate.time_for(packet.label().length)).await;
            if packet.label().needs_slot && self.free_slots.get() < u32::MAX {
                while self.free_slots.get() == 0 {
                    self.slot_freed.wait().await;
                }
                self.free_slots.set(self.free_slots.get() - 1);
            }
            self.queue_length.set(self.queue_length.get() - 1);
            self.hub.deliver(packet);
        }
    }
}

struct SwitchNet(Rc<Vec<Output>>);

impl FabricNet for SwitchNet {
    fn ports(&self, node: NodeId) -> NodePorts {
        NodePorts::Packets(Rc::new(SwitchPort { outputs: self.0.clone(), node }))
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
        let own_output = &self.outputs[node.index()];
        own_output.hub.count(|counts| counts.injected += 1);
        let (sim, time) =
            (own_output.sim.clone(), Rate::from_bytes_per_s(1_000_000_000).time_for(packet.label().length));
        own_output.sim.spawn_server("a packet on a link", async move {
            sim.delay(time).await;
            let class = packet.label().class;
            outputs[packet.label().destination.index()].enqueue(packet);
            outputs[node.index()].hub.notify(node, FabricEvent::TxReady(class));
        });
    }

    fn set_slots(&self, _: Class, slots: u32) {
        self.outputs[self.node.index()].free_slots.set(slots);
    }

    fn add_slot(&self, _: Class) {
        let own_output = &self.outputs[self.node.index()];
        own_output.free_slots.set(own_output.free_slots.get().saturating_add(1));
        own_output.slot_freed.notify();
    }
}

/// A sliding-window protocol with headers of 40 bytes, which counts the marks of switches.
#[derive(Clone, Copy, Debug, Parameters)]
struct MarkCountingWindow {}

impl Part for MarkCountingWindow {
    const INFO: PartInfo = PartInfo::new("marked", "A sliding window over switches that mark and trim");
}

impl ProtocolSpec for MarkCountingWindow {
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
        Box::new(MarkedWindow { node, window: WindowAdapter::new(node, environment.classes, WINDOW) })
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
    order: crate::protocol::window::FabricOrder::Kept,
};

struct MarkedWindow {
    node: NodeId,
    window: WindowAdapter<PacketHandle>,
}

/// Returns the header extension of a frame: 40 bytes that name its nodes.
fn extension(from: NodeId, to: NodeId) -> Rc<[u8]> {
    [[from.0 as u8; 20], [to.0 as u8; 20]].concat().into()
}

impl MarkedWindow {
    /// Checks the header that the sender wrote, and counts the marks of switches.
    fn count_marks(&self, frame: &Frame<PacketHandle>) {
        assert_eq!(frame.extension, Some(extension(frame.from, self.node)), "a header arrives as it was sent");
        assert_eq!((frame.marks.priority, frame.marks.entropy), (1, frame.from.0 as u16 + 100));
        COUNTS.with_borrow_mut(|counts| counts.count_at_protocol(frame.marks));
    }
}

impl Protocol<PacketHandle> for MarkedWindow {
    fn free_send_slots(&self, class: Class) -> u32 {
        self.window.free_send_slots(class)
    }

    fn reserve(&mut self, class: Class) -> Option<Slot> {
        self.window.reserve(class)
    }

    fn offer(&mut self, slot: Slot, packet: Offer<PacketHandle>) {
        self.window.offer(slot, packet);
    }

    fn next(&mut self, class: Class, now: Time) -> Option<Frame<PacketHandle>> {
        let frame = self.window.next(class, now)?;
        let marks = PacketMarks { priority: 1, entropy: frame.from.0 as u16 + 100, ..PacketMarks::default() };
        Some(Frame { extension: Some(extension(frame.from, frame.to)), marks, ..frame })
    }

    fn arrive(&mut self, frame: Frame<PacketHandle>, now: Time) -> Effects {
        self.count_marks(&frame);
        self.window.arrive(frame, now)
    }

    fn arrive_trimmed(&mut self, frame: Frame<PacketHandle>, _now: Time) -> Effects {
        assert!(frame.body.is_none() && frame.bytes == TRIMMED_BYTES, "the payload was cut");
        self.count_marks(&frame);
        Effects { is_discarded: true, ..Effects::NONE }
    }

    fn front(&self, class: Class) -> Option<(NodeId, &PacketHandle)> {
        self.window.front(class)
    }

    fn take(&mut self, class: Class, answer: Answer) -> Option<AcceptedPacket<PacketHandle>> {
        self.window.take(class, answer)
    }

    fn release(&mut self, class: Class, slot: Slot) -> Effects {
        self.window.release(class, slot)
    }

    fn next_timer(&self) -> Option<Time> {
        self.window.next_timer()
    }

    fn on_time(&mut self, now: Time) {
        self.window.on_time(now);
    }

    fn unacknowledged(&self, to: Option<NodeId>) -> u32 {
        self.window.unacknowledged(to)
    }

    fn statistics(&self) -> Statistics {
        self.window.statistics()
    }

    fn state_bytes(&self, packet: usize) -> usize {
        self.window.state_bytes(packet)
    }
}

/// The numbers of congestion-marked and of trimmed packets, in this order, at the switch and at the protocols.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct MarkCounts {
    at_switch: [u64; 2],
    at_protocol: [u64; 2],
}

impl MarkCounts {
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
    static COUNTS: RefCell<MarkCounts> = RefCell::default();
}

fn machine([host, ni]: [&str; 2], protocol: &str, fabric: &str) -> Result<Machine, String> {
    let text = format!(
        "parts = [\"hosts/{host}\", \"ni/{ni}\"{protocol}{fabric}\n\
         nodes.n = {{ count = 3, host = \"{host}\" }}\n\
         messaging = {{ send = 40, poll = 4, receive = 40 }}\n\
         [workload.stream]\nflows = [\"n0 -> n2\", \"n1 -> n2\"]\nmessages = 60\nwarm-up = 0\npayload = \"200 B\"\n"
    );
    let registry = Arc::new(Registry::shipped().with_fabric::<Switch>().with_protocol::<MarkCountingWindow>());
    registry
        .read(Document::Text("switch", &text, None), &[])
        .map(|read| read.value)
        .map_err(|errors| errors.to_string())
}

fn observe(node: [&str; 2], protocol: &str, fabric: &str) -> (RunObservation, MarkCounts) {
    COUNTS.set(MarkCounts::default());
    let machine = machine(node, protocol, fabric).unwrap_or_else(|problems| panic!("{problems}"));
    (RunObservation::of(&machine, Recorder::off()), COUNTS.take())
}

/// The host and interface of a node.
const NODE: [&str; 2] = ["memory-bus-1998", "cni32qm"];

const SWITCH: &str = "fabric.switch = { rate = \"20 MB/s\", marks-at = 2, trims-at = 4, states-loss = true }";

#[test]
fn a_protocol_sees_the_marks_and_headers_of_packets_and_survives_trimming() {
    let (run, counts) = observe(NODE, "]\nprotocol.marked = {}\n", SWITCH);
    assert_eq!(run.outcome, Outcome::Done);
    assert_eq!((run.metric("messages.delivered"), run.metric("messages.dropped")), (Some(120.0), Some(0.0)));
    assert!(counts.at_switch[0] > counts.at_switch[1] && counts.at_switch[1] > 0, "{counts:?}");
    assert_eq!(counts.at_protocol, counts.at_switch, "every mark reaches the protocol");
    assert!(run.sum(|statistics| statistics.retransmitted) >= counts.at_switch[1], "trimmed packets are retransmitted");
}

#[test]
fn a_trimmed_packet_is_counted_as_lost_without_retransmission() {
    let (run, counts) = observe(
        NODE,
        "]\nprotocol.none = { send-buffers = 8, receive-buffers = 8 }\n",
        &SWITCH.replace("true", "false"),
    );
    let trimmed = counts.at_switch[1];
    assert!(trimmed > 0, "{counts:?}");
    assert_eq!(run.metric("messages.dropped"), Some(trimmed as f64), "each message is one packet");
    assert_eq!(run.metric("messages.delivered"), Some(120.0 - trimmed as f64));
    assert_eq!(run.outcome, Outcome::Done);
}

#[test]
fn a_fabric_without_the_features_that_a_protocol_needs_is_refused_by_name() {
    let error = machine(NODE, ", \"fabrics/ideal-1998\"]\nprotocol.marked = {}\n", "")
        .expect_err("a fabric without marks is refused");
    let expected = "[fabric.ideal] lacks what [protocol.marked] needs: congestion marks, trimming of packets";
    assert!(error.contains(expected) && error.contains("choose [fabric.switch]"), "{error}");
}

#[test]
fn firmware_that_streams_bytes_runs_over_a_fabric_of_packets_alone() {
    let fabric = SWITCH.replace("at = 2", "at = 1000").replace("at = 4", "at = 1000").replace("20 MB/s", "160 MB/s");
    for node in [["miata", "trapeze"], ["pentium-iii-815ep", "gm"]] {
        let (run, counts) = observe(node, "]\n", &fabric.replace("true", "false"));
        assert_eq!((&run.outcome, counts), (&Outcome::Done, MarkCounts::default()), "{node:?}");
        assert_eq!(run.metric("messages.delivered"), Some(120.0), "{node:?}");
    }
}
