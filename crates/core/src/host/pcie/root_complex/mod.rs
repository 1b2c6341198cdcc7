//! The root complex: it receives the requests of the device, orders and translates them, and accesses caches and
//! memory.
//!
//! ```text
//!   device ── link up ──▶ translation ──▶ order ──▶ access ──▶ LLC, memory
//!          ◀─ link down ──────────────────────────── data ready
//! ```
//!
//! A request arrives one crossing after its last byte was sent. Its address is translated (`iommu.rs`). A read then
//! waits until all writes that the device posted before it are visible, because reads do not pass posted writes. The
//! access to caches and memory follows. The data is ready after the fixed part of the round trip, and an additional
//! time that depends on where the block is:
//!
//! | block | additional time of a read |
//! |---|---|
//! | in the last-level cache of the link's socket, written by a device | `- llc.device-warm` |
//! | in that cache, or in the private cache of a core of that socket | 0 |
//! | in a cache or in memory of the other socket | `remote` |
//! | in memory of the link's socket | `llc.hit-to-dram` |
//!
//! Waits for the bandwidth of cache and memory are added. The fixed part is `root-complex` without two crossings. A
//! write is visible `write-visible` after its translation, and with strict ordering after all earlier writes. An
//! interrupt message, and the completion of the processor's read of a register, also pass no posted writes.
//!
//! Packets on the link are in `sending.rs`, the requests after their arrival in `requests.rs`. Addresses are translated
//! in the order of arrival. The module leaves out the snoop filter and the merging of reads.

mod requests;
mod sending;

use super::coherent_link::{Attachment, CoherentLinkTiming};
use super::iommu::Iommu;
use super::link::{LinkDirection, PacketBurst, PcieLinkParameters, TlpSimulation, UnitPool, WriteOrdering};
use super::parameters::PcieParameters;
use super::shared_caches::SharedCaches;
use super::step_queue::{Rank, StepQueue};
use crate::engine::{Bytes, Sim, Time};
use crate::host::block::Address;
use crate::host::dma_port::DmaSource;
use crate::host::link_transfer::{DmaStages, LinkTransfer};
use crate::host::memory_bus::Bus;
use requests::Visibility;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// An action that is carried out at the other end of the link when a message has arrived.
pub(super) type OnArrival = Box<dyn FnOnce()>;

/// A read request of the device.
pub(super) struct ReadRequest {
    pub transfer: Rc<LinkTransfer>,
    pub address: Address,
    pub bytes: Bytes,
    /// Offset of the first byte in the transfer.
    pub offset: u64,
    /// Number of the request, in the order in which requests are sent.
    pub request_number: u64,
    /// Number of posted packets before the request, which the request does not pass.
    pub posted_before: u64,
    pub data: Vec<u8>,
    pub stages: DmaStages,
}

/// A part of a write of the device that is sent together.
pub(super) struct WriteRequest {
    pub transfer: Rc<LinkTransfer>,
    pub source: DmaSource,
    /// Number of the request, in the order in which requests are sent.
    pub request_number: u64,
    pub address: Address,
    pub bytes: Bytes,
    /// Offset of the first byte in the transfer.
    pub offset: u64,
    pub data: Vec<u8>,
    pub stages: DmaStages,
    /// Instant from which the root complex may access memory.
    pub access_from: Time,
}

/// A packet of the device that does not pass the device's earlier writes.
pub(super) enum PostedPacket {
    Write(Box<WriteRequest>),
    /// A message without data in memory, such as an interrupt.
    Message(OnArrival),
    /// The completion of a read of the processor, with its data.
    Completion(Bytes, OnArrival),
}

/// A step of a request.
pub(super) enum Step {
    /// Packets may be sent, because credits or tags have returned.
    RetrySending,
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
    /// A message has arrived. It waits until all posted packets with lower numbers are visible.
    MessageArrives(u64, OrderedRequest),
    /// A packet for the device leaves the processor.
    SendDown(PacketBurst, OnArrivalAt),
    /// The current packet of a direction has been sent, if each packet is simulated.
    PacketSent(FlowDirection),
}

/// An action that is carried out at the device when a packet has arrived. Its argument is the time of the arrival.
pub(super) type OnArrivalAt = Box<dyn FnOnce(Time)>;

/// A request that waits at the root complex until earlier writes are visible.
pub(super) enum OrderedRequest {
    Read(Box<ReadRequest>),
    /// A message. If it is a posted packet, it has a number, and later packets wait for its arrival.
    Message(Option<u64>, OnArrival),
}

/// A direction of the link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FlowDirection {
    Up,
    Down,
}

/// The request to which a burst belongs. The request continues when the burst begins to be sent.
enum BurstOwner {
    Read(Box<ReadRequest>),
    Posted(u64, PostedPacket),
    Completion(Box<ReadRequest>),
    Down(OnArrivalAt),
}

/// The packets of one direction, if each packet is simulated.
#[derive(Default)]
struct PacketQueue {
    waiting: VecDeque<(PacketBurst, BurstOwner)>,
    /// The burst that is being sent: its start, its packets, the number of packets that are sent, and its expected end.
    current: Option<(Time, PacketBurst, u64, Time)>,
}

/// The requests of the device that wait for credits or tags before they are sent.
#[derive(Default)]
struct SendQueue {
    posted: VecDeque<PostedPacket>,
    reads: VecDeque<Box<ReadRequest>>,
    /// Number of posted packets that have been submitted.
    submitted_packets: u64,
    /// Number of posted packets that have been sent.
    sent_packets: u64,
}

/// The root complex with the link to its device.
pub(super) struct RootComplex {
    pub sim: Sim,
    pub link: PcieLinkParameters,
    parameters: PcieParameters,
    pub up: LinkDirection,
    pub down: LinkDirection,
    packet_queues: [RefCell<PacketQueue>; 2],
    pub iommu: Option<Iommu>,
    pub caches: Rc<SharedCaches>,
    bus: Rc<Bus>,
    step_queue: StepQueue<Step>,
    send_queue: RefCell<SendQueue>,
    /// Number of read requests and parts of writes that were sent.
    sent_requests: Cell<u64>,
    pub tags: UnitPool,
    header_credits: UnitPool,
    data_credits: UnitPool,
    nonposted_credits: UnitPool,
    visibility: RefCell<Visibility>,
    /// Buffers for the bytes of writes, which are reused by later writes.
    idle_buffers: RefCell<Vec<Vec<u8>>>,
    last_access: Cell<Time>,
    last_visible: Cell<Time>,
    /// Instant of the next step [`Step::RetrySending`], if one is scheduled.
    retry_at: Cell<Time>,
    /// Whether a submission was rejected since the last notification of [`RootComplex::capacity_freed`].
    has_refused: Cell<bool>,
    /// Notified when a read or a write can be submitted again.
    pub capacity_freed: crate::engine::Signal,
    /// Number of read requests, and of parts of writes.
    pub request_counts: [Cell<u64>; 2],
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
            packet_queues: Default::default(),
            iommu: parameters.iommu.map(Iommu::new),
            caches,
            bus,
            step_queue: StepQueue::new(sim, format!("{name}: a request of the interface")),
            send_queue: RefCell::default(),
            sent_requests: Cell::default(),
            tags: UnitPool::new(link.tags),
            header_credits: UnitPool::new(link.posted_header_credits),
            data_credits: UnitPool::new(link.posted_data_credits),
            nonposted_credits: UnitPool::new(link.nonposted_credits),
            visibility: RefCell::default(),
            idle_buffers: RefCell::default(),
            last_access: Cell::default(),
            last_visible: Cell::default(),
            retry_at: Cell::new(Time::MAX),
            has_refused: Cell::new(false),
            capacity_freed: crate::engine::Signal::new(sim, format!("{name}: a free PCIe tag")),
            request_counts: Default::default(),
        });
        let server = complex.clone();
        sim.spawn_server(format!("{name} root complex"), async move {
            server.step_queue.carry_out(|step| server.carry_out(step)).await;
        });
        complex
    }

    /// Returns the fixed part of the round trip of a read between its arrival and its departure.
    fn fixed_time(&self) -> Time {
        self.parameters.root_complex - self.link.crossing * 2
    }

    /// Returns the times of the link between sockets, if the device is behind one.
    pub fn socket_link(&self) -> Option<CoherentLinkTiming> {
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

    /// Returns whether a read can be submitted. If not, [`RootComplex::capacity_freed`] is notified when it can.
    pub fn accepts_read(&self) -> bool {
        let accepts = self.send_queue.borrow().reads.is_empty() && self.tags.free_count(self.sim.now()) > 0;
        accepts || self.note_refusal()
    }

    /// Returns whether a write can be submitted. If not, [`RootComplex::capacity_freed`] is notified when it can.
    pub fn accepts_write(&self) -> bool {
        self.send_queue.borrow().posted.len() < WRITE_QUEUE || self.note_refusal()
    }

    fn note_refusal(&self) -> bool {
        self.has_refused.set(true);
        self.schedule_retry();
        false
    }

    /// Submits the requests of a read, in the order of their offsets.
    pub fn read(&self, requests: impl Iterator<Item = ReadRequest>) {
        let mut send_queue = self.send_queue.borrow_mut();
        let posted_before = send_queue.submitted_packets;
        requests.for_each(|request| send_queue.reads.push_back(Box::new(ReadRequest { posted_before, ..request })));
        drop(send_queue);
        self.send_waiting();
    }

    /// Submits posted packets, which do not pass earlier posted packets.
    pub fn post(&self, posted: impl Iterator<Item = PostedPacket>) {
        let mut send_queue = self.send_queue.borrow_mut();
        let count_before = send_queue.posted.len();
        send_queue.posted.extend(posted);
        send_queue.submitted_packets += (send_queue.posted.len() - count_before) as u64;
        drop(send_queue);
        self.send_waiting();
    }

    /// Sends the requests for which there are credits and tags.
    fn send_waiting(&self) {
        let mut has_sent = false;
        loop {
            let now = self.sim.now();
            let mut send_queue = self.send_queue.borrow_mut();
            // A read request does not pass earlier posted packets. It is sent before later posted packets if possible.
            let sends_read = send_queue.reads.front().is_some_and(|read| read.posted_before <= send_queue.sent_packets)
                && self.nonposted_credits.free_count(now) > 0
                && self.tags.free_count(now) > 0;
            if sends_read {
                let mut read = send_queue.reads.pop_front().expect("a read waits");
                drop(send_queue);
                self.nonposted_credits.acquire(1);
                self.tags.acquire(1);
                read.stages.sent = now;
                read.request_number = self.next_request_number();
                self.send(
                    FlowDirection::Up,
                    PacketBurst::single(self.link.read_header, Bytes::ZERO),
                    BurstOwner::Read(read),
                );
            } else if send_queue.posted.front().is_some_and(|posted| self.has_credits(posted, now)) {
                let mut posted = send_queue.posted.pop_front().expect("a packet waits");
                let number = send_queue.sent_packets;
                send_queue.sent_packets += 1;
                drop(send_queue);
                let burst = self.burst(&posted);
                if let PostedPacket::Write(write) = &mut posted {
                    let (headers, data) = self.link.write_credits(write.bytes);
                    self.header_credits.acquire(headers);
                    self.data_credits.acquire(data);
                    write.stages.sent = now;
                    write.request_number = self.next_request_number();
                }
                self.send(FlowDirection::Up, burst, BurstOwner::Posted(number, posted));
            } else {
                break;
            }
            has_sent = true;
        }
        if self.has_refused.get() && (has_sent || self.can_accept_read()) {
            self.has_refused.set(false);
            self.capacity_freed.notify();
        }
        self.schedule_retry();
    }

    fn next_request_number(&self) -> u64 {
        self.sent_requests.replace(self.sent_requests.get() + 1)
    }

    fn can_accept_read(&self) -> bool {
        let send_queue = self.send_queue.borrow();
        send_queue.reads.is_empty() && self.tags.free_count(self.sim.now()) > 0
    }

    fn burst(&self, posted: &PostedPacket) -> PacketBurst {
        match posted {
            PostedPacket::Write(write) => PacketBurst {
                packets: self.link.write_packets(write.bytes),
                header: self.link.write_header,
                data: write.bytes,
            },
            PostedPacket::Message(_) => PacketBurst::single(self.link.write_header, Bytes(4)),
            PostedPacket::Completion(bytes, _) => PacketBurst::single(self.link.completion_header, *bytes),
        }
    }

    fn has_credits(&self, posted: &PostedPacket, now: Time) -> bool {
        let PostedPacket::Write(write) = posted else { return true };
        let (headers, data) = self.link.write_credits(write.bytes);
        self.header_credits.free_count(now) >= headers && self.data_credits.free_count(now) >= data
    }

    /// Schedules the next attempt to send for the time at which the next credit or tag returns, if requests wait for
    /// one and that time is known.
    fn schedule_retry(&self) {
        let (has_posted, has_reads) = {
            let send_queue = self.send_queue.borrow();
            (!send_queue.posted.is_empty(), !send_queue.reads.is_empty())
        };
        let (now, has_refused, mut retry_at) = (self.sim.now(), self.has_refused.get(), Time::MAX);
        let mut consider = |units: &UnitPool| retry_at = retry_at.min(units.next_return(now).unwrap_or(Time::MAX));
        if has_posted {
            consider(&self.header_credits);
            consider(&self.data_credits);
        }
        if has_reads {
            consider(&self.nonposted_credits);
        }
        if has_reads || has_refused {
            consider(&self.tags);
        }
        if retry_at < self.retry_at.get() {
            self.retry_at.set(retry_at);
            self.step_queue.schedule(retry_at, Step::RetrySending);
        }
    }
}
