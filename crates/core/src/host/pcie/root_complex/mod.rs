//! The root complex: it receives the requests of the device, orders and translates them, and accesses caches and
//! memory.
//!
//! ```text
//!   device ── link up ──▶ translation ──▶ order ──▶ access ──▶ LLC, memory
//!          ◀─ link down ──────────────────────────── data ready
//! ```
//!
//! A request arrives one crossing after its last byte was sent. Its address is translated (`iommu.rs`). A read then
//! waits until all writes that the device posted before it are visible: reads pass no posted writes. Its bytes are read
//! when they are ready, which is the fixed part of the round trip after the access, and the additional time of the
//! place in which the block is found:
//!
//! | block | additional time of a read |
//! |---|---|
//! | in the last-level cache of the link's socket, written by a device | `- llc.device-warm` |
//! | in that cache, or in the private cache of a core of that socket | 0 |
//! | in a cache or in memory of the other socket | `remote` |
//! | in memory of the link's socket | `llc.hit-to-dram` |
//!
//! and any wait for the rate of the cache and of memory. The fixed part is `root-complex` without two crossings. A
//! write is visible `write-visible` after its translation, and with strict ordering after all earlier writes. An
//! interrupt message, and the completion of the processor's read of a register, also pass no posted writes.
//!
//! Packets on the link are in `sending.rs`, the requests after their arrival in `requests.rs`. Addresses are translated
//! in the order of arrival. The module leaves out the snoop filter, and merging of reads.

mod requests;
mod sending;

use super::coherent_link::{Attachment, LinkTimes};
use super::iommu::Iommu;
use super::link::{LinkDirection, PacketBurst, PcieLinkParameters, TlpSimulation, Units, WriteOrdering};
use super::parameters::PcieParameters;
use super::shared_caches::SharedCaches;
use super::step_queue::{Rank, StepQueue};
use crate::engine::{Bytes, Sim, Time};
use crate::host::block::Address;
use crate::host::dma_port::DmaSource;
use crate::host::link_transfer::{DmaStages, LinkTransfer};
use crate::host::memory_bus::Bus;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// An action at the other end of the link when a message has arrived.
pub(super) type OnArrival = Box<dyn FnOnce()>;

/// A read request of the device.
pub(super) struct ReadRequest {
    pub transfer: Rc<LinkTransfer>,
    pub address: Address,
    pub bytes: Bytes,
    /// Offset of the first byte in the transfer.
    pub offset: u64,
    /// Number of the request among those that were sent.
    pub order: u64,
    /// Number of posted packets before the request, which the request does not pass.
    pub after: u64,
    pub data: Vec<u8>,
    pub stages: DmaStages,
}

/// A part of a write of the device that is sent together.
pub(super) struct WriteRequest {
    pub transfer: Rc<LinkTransfer>,
    pub source: DmaSource,
    /// Number of the request among those that were sent.
    pub order: u64,
    pub address: Address,
    pub bytes: Bytes,
    /// Offset of the first byte in the transfer.
    pub offset: u64,
    pub data: Vec<u8>,
    pub stages: DmaStages,
    /// Instant from which the root complex may access memory.
    pub access: Time,
}

/// A packet that the device sends behind its earlier writes.
pub(super) enum Posted {
    Write(Box<WriteRequest>),
    /// A message without data in memory, such as an interrupt.
    Message(OnArrival),
    /// The completion of a read of the processor, with its data.
    Completion(Bytes, OnArrival),
}

/// A step of a request.
pub(super) enum Step {
    /// Packets may be sent, because credits or tags have returned.
    Pump,
    /// The first byte of a write is sent.
    WriteFlows(u64, Box<WriteRequest>),
    /// The root complex accesses the cache for a write.
    WriteAccess(u64, Box<WriteRequest>),
    /// A write becomes visible.
    WriteVisible(u64, Box<WriteRequest>),
    /// The address of a read is translated.
    ReadAccess(Box<ReadRequest>),
    /// The data of a read is ready.
    ReadReady(Box<ReadRequest>),
    /// A message behind the posted packets with lower numbers has arrived.
    Arrives(u64, Held),
    /// A packet for the device leaves the processor.
    SendDown(PacketBurst, OnArrivalAt),
    /// The current packet of a direction has been sent, if each packet is simulated.
    PacketSent(Way),
}

/// An action at the device when a packet has arrived, with the instant of the arrival.
pub(super) type OnArrivalAt = Box<dyn FnOnce(Time)>;

/// A request that waits at the root complex until earlier writes are visible.
pub(super) enum Held {
    Read(Box<ReadRequest>),
    /// A message. Later packets may be ordered behind it if it has a number.
    Message(Option<u64>, OnArrival),
}

/// A direction of the link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Up,
    Down,
}

/// A request that continues when its burst begins to be sent.
enum Sending {
    Read(Box<ReadRequest>),
    Posted(u64, Posted),
    Completion(Box<ReadRequest>),
    Down(OnArrivalAt),
}

/// The packets of one direction, if each is simulated.
#[derive(Default)]
struct PacketQueue {
    waiting: VecDeque<(PacketBurst, Sending)>,
    /// The burst that is being sent: its start, its packets, the number of packets that are sent, and its expected end.
    current: Option<(Time, PacketBurst, u64, Time)>,
}

/// The requests of the device that wait for credits or tags.
#[derive(Default)]
struct Waiting {
    posted: VecDeque<Posted>,
    reads: VecDeque<Box<ReadRequest>>,
    /// Number of posted packets that have been submitted, and that have been sent.
    submitted: u64,
    sent: u64,
}

/// The order in which posted packets become visible.
#[derive(Default)]
struct Visibility {
    /// Number of the first posted packet that is not visible.
    first: u64,
    /// Whether the packets from that number on are visible.
    later: VecDeque<bool>,
    held: VecDeque<(u64, Held)>,
}

/// The root complex with the link to its device.
pub(super) struct RootComplex {
    pub sim: Sim,
    pub link: PcieLinkParameters,
    parameters: PcieParameters,
    pub up: LinkDirection,
    pub down: LinkDirection,
    packets: [RefCell<PacketQueue>; 2],
    pub iommu: Option<Iommu>,
    pub caches: Rc<SharedCaches>,
    bus: Rc<Bus>,
    step_queue: StepQueue<Step>,
    waiting: RefCell<Waiting>,
    /// Number of read requests and parts of writes that were sent.
    sent_requests: Cell<u64>,
    pub tags: Units,
    headers: Units,
    data: Units,
    nonposted: Units,
    visibility: RefCell<Visibility>,
    /// Buffers for the bytes of writes, which writes use one after the other.
    idle_data: RefCell<Vec<Vec<u8>>>,
    last_access: Cell<Time>,
    last_visible: Cell<Time>,
    /// Instant of the next step [`Step::Pump`], if one is scheduled.
    pump_at: Cell<Time>,
    /// Whether a submission was refused since [`RootComplex::freed`] was notified.
    refused: Cell<bool>,
    pub freed: crate::engine::Signal,
    /// Number of read requests, and of parts of writes.
    pub requests: [Cell<u64>; 2],
}

/// Number of parts of writes that may wait in the device for credits.
const WRITE_QUEUE: usize = 64;

impl RootComplex {
    /// Creates the root complex of the host `name`, and starts it.
    pub fn start(
        sim: &Sim,
        name: &str,
        parameters: &PcieParameters,
        caches: Rc<SharedCaches>,
        bus: Rc<Bus>,
    ) -> Rc<RootComplex> {
        let link = parameters.link;
        let complex = Rc::new(RootComplex {
            sim: sim.clone(),
            link,
            parameters: parameters.clone(),
            up: LinkDirection::new(&link),
            down: LinkDirection::new(&link),
            packets: Default::default(),
            iommu: parameters.iommu.map(Iommu::new),
            caches,
            bus,
            step_queue: StepQueue::new(sim, format!("{name}: a request of the interface")),
            waiting: RefCell::default(),
            sent_requests: Cell::default(),
            tags: Units::new(link.tags),
            headers: Units::new(link.posted_header_credits),
            data: Units::new(link.posted_data_credits),
            nonposted: Units::new(link.nonposted_credits),
            visibility: RefCell::default(),
            idle_data: RefCell::default(),
            last_access: Cell::default(),
            last_visible: Cell::default(),
            pump_at: Cell::new(Time::MAX),
            refused: Cell::new(false),
            freed: crate::engine::Signal::new(sim, format!("{name}: a free PCIe tag")),
            requests: Default::default(),
        });
        let serve = complex.clone();
        sim.spawn_server(format!("{name} root complex"), async move {
            serve.step_queue.carry_out(|step| serve.carry_out(step)).await;
        });
        complex
    }

    /// Returns the fixed part of the round trip of a read between its arrival and its departure.
    fn fixed_time(&self) -> Time {
        self.parameters.root_complex - self.link.crossing * 2
    }

    /// Returns the times of the link between sockets, if the device is behind one.
    pub fn socket_link(&self) -> Option<LinkTimes> {
        let is_socket = matches!(self.parameters.attachment, Attachment::Upi { .. });
        is_socket.then(|| self.parameters.attachment.coherent_link(self.device_time())).flatten()
    }

    /// Returns the time of a message in the device's logic.
    pub fn device_time(&self) -> Time {
        self.parameters.device_time()
    }

    /// Returns the part of the round trip of a register's read that the device and the root complex take.
    pub fn register_time(&self) -> Time {
        self.fixed_time()
    }

    /// Schedules a packet for the device, which leaves the processor at `at`. Packets of one instant leave in the order
    /// of the calls.
    pub fn send_down(&self, at: Time, burst: PacketBurst, on_arrival: OnArrivalAt) {
        self.step_queue.schedule(at, Step::SendDown(burst, on_arrival));
    }

    /// Returns whether a read can be submitted. If not, [`RootComplex::freed`] is notified when it can.
    pub fn accepts_read(&self) -> bool {
        let accepts = self.waiting.borrow().reads.is_empty() && self.tags.free(self.sim.now()) > 0;
        accepts || self.refuse()
    }

    /// Returns whether a write can be submitted. If not, [`RootComplex::freed`] is notified when it can.
    pub fn accepts_write(&self) -> bool {
        self.waiting.borrow().posted.len() < WRITE_QUEUE || self.refuse()
    }

    fn refuse(&self) -> bool {
        self.refused.set(true);
        self.pump_when_possible();
        false
    }

    /// Submits the requests of a read, in the order of their offsets.
    pub fn read(&self, requests: impl Iterator<Item = ReadRequest>) {
        let mut waiting = self.waiting.borrow_mut();
        let after = waiting.submitted;
        requests.for_each(|request| waiting.reads.push_back(Box::new(ReadRequest { after, ..request })));
        drop(waiting);
        self.send_waiting();
    }

    /// Submits packets that stay behind all earlier ones.
    pub fn post(&self, posted: impl Iterator<Item = Posted>) {
        let mut waiting = self.waiting.borrow_mut();
        let before = waiting.posted.len();
        waiting.posted.extend(posted);
        waiting.submitted += (waiting.posted.len() - before) as u64;
        drop(waiting);
        self.send_waiting();
    }

    /// Sends the requests for which there are credits and tags.
    fn send_waiting(&self) {
        let mut has_sent = false;
        loop {
            let now = self.sim.now();
            let mut waiting = self.waiting.borrow_mut();
            // A read request stays behind earlier posted packets, and precedes later ones if it can.
            let sends_read = waiting.reads.front().is_some_and(|read| read.after <= waiting.sent)
                && self.nonposted.free(now) > 0
                && self.tags.free(now) > 0;
            if sends_read {
                let mut read = waiting.reads.pop_front().expect("a read waits");
                drop(waiting);
                self.nonposted.take(1);
                self.tags.take(1);
                read.stages.sent = now;
                read.order = self.next_order();
                self.send(Way::Up, PacketBurst::one(self.link.read_header, Bytes::ZERO), Sending::Read(read));
            } else if waiting.posted.front().is_some_and(|posted| self.has_credits(posted, now)) {
                let mut posted = waiting.posted.pop_front().expect("a packet waits");
                let number = waiting.sent;
                waiting.sent += 1;
                drop(waiting);
                let burst = self.burst(&posted);
                if let Posted::Write(write) = &mut posted {
                    let (headers, data) = self.link.write_credits(write.bytes);
                    self.headers.take(headers);
                    self.data.take(data);
                    write.stages.sent = now;
                    write.order = self.next_order();
                }
                self.send(Way::Up, burst, Sending::Posted(number, posted));
            } else {
                break;
            }
            has_sent = true;
        }
        if self.refused.get() && (has_sent || self.could_accept()) {
            self.refused.set(false);
            self.freed.notify();
        }
        self.pump_when_possible();
    }

    fn next_order(&self) -> u64 {
        self.sent_requests.replace(self.sent_requests.get() + 1)
    }

    fn could_accept(&self) -> bool {
        let waiting = self.waiting.borrow();
        waiting.reads.is_empty() && self.tags.free(self.sim.now()) > 0
    }

    fn burst(&self, posted: &Posted) -> PacketBurst {
        match posted {
            Posted::Write(write) => PacketBurst {
                packets: self.link.write_packets(write.bytes),
                header: self.link.write_header,
                data: write.bytes,
            },
            Posted::Message(_) => PacketBurst::one(self.link.write_header, Bytes(4)),
            Posted::Completion(bytes, _) => PacketBurst::one(self.link.completion_header, *bytes),
        }
    }

    fn has_credits(&self, posted: &Posted, now: Time) -> bool {
        let Posted::Write(write) = posted else { return true };
        let (headers, data) = self.link.write_credits(write.bytes);
        self.headers.free(now) >= headers && self.data.free(now) >= data
    }

    /// Schedules the next attempt to send, if requests wait and a credit or tag is known to return.
    fn pump_when_possible(&self) {
        let (has_posted, has_reads) = {
            let waiting = self.waiting.borrow();
            (!waiting.posted.is_empty(), !waiting.reads.is_empty())
        };
        let (now, refused, mut next) = (self.sim.now(), self.refused.get(), Time::MAX);
        let mut consider = |units: &Units| next = next.min(units.next_return(now).unwrap_or(Time::MAX));
        if has_posted {
            consider(&self.headers);
            consider(&self.data);
        }
        if has_reads {
            consider(&self.nonposted);
        }
        if has_reads || refused {
            consider(&self.tags);
        }
        if next < self.pump_at.get() {
            self.pump_at.set(next);
            self.step_queue.schedule(next, Step::Pump);
        }
    }
}
