//! The device half of the fifos: the memory of the interface in which a packet is composed and from which it is read.
//!
//! The module models two paths. A packet to send is composed in an outgoing flow-control buffer in the interface's
//! memory, and sent from there without another copy. An arriving packet is moved to an incoming buffer and from there
//! to the fifo. The moves take several memory accesses, and the moves of successive packets are pipelined. A packet
//! keeps its incoming buffer until the processor has read it.
//!
//! | offset | register | access |
//! |---|---|---|
//! | 0 | sending: the number of packets that may be launched; receiving: whether a packet is there | read |
//! | 8 | sending: launch, the packet's length and from bit 16 its [`Marks`] | write |
//! | 64 to 127 | the fifo's window | write, or read |
//!
//! The module leaves out sharing of the interface by several processes.

use crate::engine::{Class, EndpointId, FlowKey, Journey, Mailbox, Signal, Sim, Time};
use crate::fabric::{Label, Packet};
use crate::host::Device;
use crate::host::block::read_bytes;
use crate::ni::parcel::{Header, HeaderFormat, ProcessorStage, SENDING_STAGES};
use crate::ni::port::{Port, TakenPacket};
use crate::protocol::{Marks, Offer, Slot};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The status register of either half.
pub const STATUS_OFFSET: u64 = 0;
/// The register whose write launches the composed packet.
pub const LAUNCH_OFFSET: u64 = 8;
/// The first address of the window, through which the processor accesses the fifo.
pub const DATA_OFFSET: u64 = 64;
/// Bytes of the device's address range.
pub const REGISTER_SPACE_BYTES: u64 = 128;

/// Bits of a length in the launch word.
const LENGTH_BITS: u32 = 16;
/// Maximum value of the status register.
const STATUS_MAX: u32 = 255;

/// Returns the word that launches a packet.
pub fn launch_word(bytes: usize, marks: Marks) -> u64 {
    assert!(bytes < 1 << LENGTH_BITS, "a length has {LENGTH_BITS} bits");
    bytes as u64 | marks_word(marks) << LENGTH_BITS
}

/// Returns marks as four bits.
pub fn marks_word(marks: Marks) -> u64 {
    let Marks { burst, last, answers, bypasses } = marks;
    u64::from(burst) | u64::from(last) << 1 | u64::from(answers) << 2 | u64::from(bypasses) << 3
}

/// Returns the marks in four bits.
pub fn marks_of(word: u64) -> Marks {
    let is_set = |bit: u32| word >> bit & 1 == 1;
    Marks { burst: is_set(0), last: is_set(1), answers: is_set(2), bypasses: is_set(3) }
}

/// A packet that is to be sent, with its slot.
struct LaunchedPacket {
    slot: Slot,
    packet: Rc<Packet>,
    marks: Marks,
}

/// The output stage of every design, which sends packets one at a time, each after a fixed time.
pub struct Output {
    sim: Sim,
    port: Rc<Port>,
    processing_time: Time,
    /// Encoding of the packets' headers.
    format: HeaderFormat,
    /// Packets with their launch times. A packet can be received from this mailbox at the earliest time at which it
    /// could be sent.
    launched_packets: Mailbox<(Time, LaunchedPacket)>,
}

impl Output {
    /// Creates an output stage and starts its task.
    pub fn new(sim: &Sim, name: &str, port: &Rc<Port>, processing_time: Time, format: HeaderFormat) -> Rc<Output> {
        let output = Rc::new(Output {
            sim: sim.clone(),
            port: port.clone(),
            processing_time,
            format,
            launched_packets: Mailbox::new(sim, format!("{name}: a packet to send")),
        });
        sim.spawn_server(format!("{name} output"), output.clone().serve());
        output
    }

    /// Sends a packet after all earlier ones.
    pub fn send(&self, slot: Slot, packet: Rc<Packet>, marks: Marks) {
        let now = self.sim.now();
        self.launched_packets.send_at(now + self.processing_time, (now, LaunchedPacket { slot, packet, marks }));
    }

    async fn serve(self: Rc<Output>) {
        loop {
            let idle_since = self.sim.now();
            let (launch_time, LaunchedPacket { slot, packet: body, marks }) = self.launched_packets.receive().await;
            let start = launch_time.max(idle_since);
            if start + self.processing_time > self.sim.now() {
                self.sim.until(start + self.processing_time).await;
            }
            body.journey.add_service(start, self.sim.now());
            body.journey.close("send: interface", self.sim.now());
            let to = self.port.addresses().node(EndpointId(Header::from_packet(self.format, &body).destination));
            let bytes = crate::engine::Bytes(body.bytes().len() as u64);
            self.port
                .offer_and_wait(slot, Offer { to, flow: FlowKey(0), class: Class::REQUESTS, marks, bytes, body })
                .await;
        }
    }
}

/// The device of the sending half.
pub struct SendFifo {
    sim: Sim,
    port: Rc<Port>,
    output: Rc<Output>,
    memory_time: Time,
    composed_bytes: RefCell<Vec<u8>>,
    /// Journeys of the packet that is being composed, and of composed packets whose launching write has not arrived
    /// yet, because a bus may post it.
    journeys: RefCell<VecDeque<(Journey, Option<ProcessorStage>)>>,
}

impl SendFifo {
    /// Creates an empty fifo with memory accesses of `memory_time` and logic that takes `processing_time` for a packet.
    pub fn new(sim: &Sim, name: &str, port: &Rc<Port>, memory_time: Time, processing_time: Time) -> SendFifo {
        SendFifo {
            sim: sim.clone(),
            port: port.clone(),
            output: Output::new(sim, name, port, processing_time, HeaderFormat::Paper),
            memory_time,
            composed_bytes: RefCell::default(),
            journeys: RefCell::default(),
        }
    }

    /// Records the journey of the packet that is composed next.
    pub fn record_journey(&self, journey: &Journey, processor_stage: Option<ProcessorStage>) {
        self.journeys.borrow_mut().push_back((journey.clone(), processor_stage));
    }

    /// Appends bytes to the packet that is being composed.
    pub fn append(&self, bytes: &[u8]) {
        self.composed_bytes.borrow_mut().extend_from_slice(bytes);
    }

    /// Sends the first `bytes` composed bytes as a packet.
    pub fn launch(&self, bytes: usize, marks: Marks) {
        let slot = self.port.try_reserve(Class::REQUESTS).expect("a driver launches only if a slot is free");
        let mut composed_bytes = self.composed_bytes.borrow_mut();
        assert!(composed_bytes.len() >= bytes, "a packet is composed before it is launched");
        let (journey, processor_stage) = self.journeys.borrow_mut().pop_front().expect("a launched packet was begun");
        if let Some(processor_stage) = processor_stage {
            processor_stage.end(&SENDING_STAGES, self.sim.now());
        }
        let packet = Packet::with_bytes(Label::default(), journey, &composed_bytes[..bytes]);
        composed_bytes.clear();
        self.output.send(slot, packet, marks);
    }
}

impl Device for SendFifo {
    fn time(&self, _at: u64) -> Time {
        self.memory_time
    }

    fn posts_writes(&self) -> bool {
        true
    }

    fn read(&self, at: u64, into: &mut [u8]) {
        assert_eq!(at, STATUS_OFFSET, "only the status is read");
        let free_slots = u64::from(self.port.free_send_slots(Class::REQUESTS).min(STATUS_MAX));
        into.copy_from_slice(&free_slots.to_le_bytes()[..into.len()]);
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        match at {
            LAUNCH_OFFSET => {
                let word = read_bytes(bytes);
                self.launch((word & ((1 << LENGTH_BITS) - 1)) as usize, marks_of(word >> LENGTH_BITS));
            }
            _ => self.append(bytes),
        }
    }
}

/// The device of the receiving half.
pub struct ReceiveFifo {
    sim: Sim,
    port: Rc<Port>,
    memory_time: Time,
    /// Time from a packet's arrival until the processor sees it.
    fill_time: Time,
    arriving_packets: Mailbox<TakenPacket>,
    ready_packets: RefCell<VecDeque<TakenPacket>>,
    /// Time at which the event that made the fifo non-empty was scheduled.
    ready_event_scheduled_at: Cell<Time>,
    read_position: Cell<usize>,
    /// Whether the packet has been read to its end. Until the next packet is read, the window then shows zeros.
    is_at_end: Cell<bool>,
    /// Notified when a packet has become visible.
    pub packet_visible: Signal,
}

impl ReceiveFifo {
    /// Creates an empty fifo with memory accesses of `memory_time`, and starts its tasks. The fifo takes `fill_time` to
    /// process and write a packet.
    pub fn new(sim: &Sim, name: &str, port: &Rc<Port>, memory_time: Time, fill_time: Time) -> Rc<ReceiveFifo> {
        let fifo = Rc::new(ReceiveFifo {
            sim: sim.clone(),
            port: port.clone(),
            memory_time,
            fill_time,
            arriving_packets: Mailbox::new(sim, format!("{name}: a packet on its way to the fifo")),
            ready_packets: RefCell::default(),
            ready_event_scheduled_at: Cell::default(),
            read_position: Cell::new(0),
            is_at_end: Cell::new(false),
            packet_visible: Signal::new(sim, format!("{name}: a packet")),
        });
        sim.spawn_server(format!("{name} input"), fifo.clone().schedule_arrivals());
        sim.spawn_server(format!("{name} fifo"), fifo.clone().publish_arrivals());
        fifo
    }

    /// Takes each packet as it arrives, and schedules the time at which the processor sees it.
    async fn schedule_arrivals(self: Rc<ReceiveFifo>) {
        loop {
            let taken_packet = self.port.take(Class::REQUESTS).await;
            self.arriving_packets.send_at(self.sim.now() + self.fill_time, taken_packet);
        }
    }

    async fn publish_arrivals(self: Rc<ReceiveFifo>) {
        loop {
            let taken_packet = self.arriving_packets.receive().await;
            let (journey, now) = (&taken_packet.packet.journey, self.sim.now());
            journey.add_service(now - self.fill_time, now);
            journey.close("receive: interface", now);
            if self.ready_packets.borrow().is_empty() {
                self.ready_event_scheduled_at.set(self.sim.wakeup_scheduled_at());
            }
            self.ready_packets.borrow_mut().push_back(taken_packet);
            self.packet_visible.notify();
        }
    }

    /// Copies the next bytes of the oldest packet to `into`, with zeros after its end. Reading its last word removes the
    /// packet.
    pub fn read_next(&self, into: &mut [u8]) {
        let (from, bytes) = (self.read_position.get(), into.len());
        let length = {
            let ready_packets = self.ready_packets.borrow();
            let packet = ready_packets.front().expect("a driver reads only a packet that is there").packet.bytes();
            let end = (from + bytes).min(packet.len());
            let part = &packet[from.min(end)..end];
            let (data, padding) = into.split_at_mut(part.len());
            data.copy_from_slice(part);
            padding.fill(0);
            packet.len().next_multiple_of(8)
        };
        self.read_position.set(from + bytes);
        if from + bytes >= length {
            self.discard();
        }
    }

    /// Restarts the reading of the oldest packet at its beginning.
    pub fn rewind(&self) {
        self.read_position.set(0);
    }

    /// Removes the oldest packet.
    fn discard(&self) {
        let taken_packet = self.ready_packets.borrow_mut().pop_front().expect("the fifo holds a packet");
        self.read_position.set(0);
        self.is_at_end.set(true);
        self.port.release(taken_packet);
    }

    /// Returns the time at which the event that made the fifo non-empty was scheduled, or `None` if the fifo is empty.
    pub fn ready_event_time(&self) -> Option<Time> {
        (!self.ready_packets.borrow().is_empty()).then(|| self.ready_event_scheduled_at.get())
    }

    /// Returns the journey of the oldest packet.
    pub fn journey(&self) -> Journey {
        self.ready_packets.borrow().front().map(|taken_packet| taken_packet.packet.journey.clone()).unwrap_or_default()
    }
}

impl Device for ReceiveFifo {
    fn time(&self, _at: u64) -> Time {
        self.memory_time
    }

    fn read(&self, at: u64, into: &mut [u8]) {
        match at {
            STATUS_OFFSET => {
                let has_packet = u64::from(!self.ready_packets.borrow().is_empty());
                into.copy_from_slice(&has_packet.to_le_bytes()[..into.len()]);
            }
            // After the end of a packet, the rest of the window reads as zeros.
            _ if at > DATA_OFFSET && self.is_at_end.get() => into.fill(0),
            _ => {
                self.is_at_end.set(false);
                self.read_next(into);
            }
        }
    }

    fn write(&self, at: u64, _bytes: &[u8]) {
        panic!("nothing to write at {at}")
    }
}
