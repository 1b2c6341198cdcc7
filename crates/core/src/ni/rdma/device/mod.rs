//! The device: its shared state, and the tasks that move requests and packets through it.
//!
//! | file | holds |
//! |---|---|
//! | `queue_pair.rs` | the state of a queue pair |
//! | `doorbell.rs` | the window of registers: doorbells and BlueFlame |
//! | `fetch.rs` | reading of contexts and requests |
//! | `scheduler.rs` | the order of packets of all queue pairs, and their contents |
//! | `transmit.rs` | packets that wait for their payload and for the wire |
//! | `receive.rs` | arriving packets |
//! | `execute.rs` | the responder: execution of requests |
//! | `replies.rs` | the requester: acknowledgements, responses, failures |
//! | `memory.rs` | accesses to host memory in the order of arrival |
//! | `queue_reads.rs` | reads of completion queues and receive queues |
//! | `timers.rs` | time-outs and delayed acknowledgements |

pub mod doorbell;
mod execute;
mod fetch;
mod memory;
pub mod queue_pair;
mod queue_reads;
mod receive;
mod replies;
mod scheduler;
mod timers;
mod transmit;

use super::lookup_cache::LookupCache;
use super::parameters::RdmaParameters;
use super::receive_queue::ReceiveQueue;
use super::transport::requester::RequesterLimits;
use crate::engine::{Bytes, Mailbox, MessageTally, NodeId, Pool, Rate, Signal, Sim, Time};
use crate::fabric::Packet;
use crate::host::{Address, DmaOperation, DmaPort, DmaRequest, WeakHost, submit_when_free};
use crate::ni::build_context::BuildContext;
use crate::ni::verbs::MemoryRegion;
use doorbell::DoorbellWrite;
use memory::{MemoryJob, ReadJob, SubmittedWrite};
use queue_pair::{FetchedRequest, QueuePair};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use transmit::{ScheduledPacket, TransmitQueue};

/// Bytes of host memory that hold the tables of contexts and translations.
const TABLE_BYTES: u64 = 64 << 10;
/// Size of a page, which a translation covers.
const PAGE_BYTES: u64 = 4096;
/// Bytes that a miss of the translation cache reads.
const TRANSLATION_BYTES: u64 = 64;

/// A part of the device that moves bytes at a rate, one transfer at a time.
struct ByteEngine {
    rate: Option<Rate>,
    free_at: Cell<Time>,
    busy_time: Cell<Time>,
}

impl ByteEngine {
    fn new(rate: Option<Rate>) -> ByteEngine {
        ByteEngine { rate, free_at: Cell::default(), busy_time: Cell::default() }
    }

    /// Reserves the engine for `bytes` from `now` on; returns the start and the end of the transfer.
    fn reserve(&self, now: Time, bytes: u64) -> (Time, Time) {
        let time = self.rate.map_or(Time::ZERO, |rate| rate.time_for(Bytes(bytes)));
        let start = now.max(self.free_at.get());
        self.free_at.set(start + time);
        self.busy_time.set(self.busy_time.get() + time);
        (start, start + time)
    }
}

/// A function that is called with the number of a queue pair that does not exist yet. It creates and returns the queue
/// pair if the number belongs to the messages of a node, and returns `None` otherwise.
pub type MessagePairFactory = Box<dyn Fn(u32) -> Option<Rc<QueuePair>>>;

/// The device of a node.
pub struct RdmaDevice {
    pub(super) sim: Sim,
    pub(super) node: NodeId,
    pub(super) host: WeakHost,
    pub(super) parameters: RdmaParameters,
    limits: RequesterLimits,
    tally: Rc<MessageTally>,
    dma: Rc<dyn DmaPort>,
    pub(super) queue_pairs: RefCell<BTreeMap<u32, Rc<QueuePair>>>,
    pub(super) message_pair_factory: OnceCell<MessagePairFactory>,
    pub(super) regions: RefCell<Vec<MemoryRegion>>,
    context_cache: LookupCache,
    translation_cache: LookupCache,
    table_base: OnceCell<Address>,
    pub(super) doorbells: Mailbox<DoorbellWrite>,
    requests_to_admit: Mailbox<(Rc<QueuePair>, Rc<FetchedRequest>)>,
    ready_pairs: Mailbox<Rc<QueuePair>>,
    /// Packets whose payload is being read, in the order of their scheduling.
    scheduled_packets: Mailbox<ScheduledPacket>,
    packet_buffers: Pool,
    wire: TransmitQueue,
    arrived_packets: Mailbox<Rc<Packet>>,
    /// Instant at which the next packet may be handled.
    next_receive_at: Cell<Time>,
    memory_jobs: Mailbox<MemoryJob>,
    posted_writes: Mailbox<SubmittedWrite>,
    read_jobs: Mailbox<ReadJob>,
    queues_to_refill: Mailbox<Rc<ReceiveQueue>>,
    pairs_with_late_acks: Mailbox<Rc<QueuePair>>,
    read_engine: ByteEngine,
    write_engine: ByteEngine,
    timers: RefCell<BTreeSet<(Time, u32)>>,
    timer_changed: Signal,
    watched_timer: Cell<Time>,
    /// Notified when data of another node are in memory.
    pub(super) written: Signal,
    pub(super) counts: DeviceCounts,
}

/// Counters of a device.
#[derive(Default)]
pub struct DeviceCounts {
    pub(super) packets: Cell<u64>,
    pub(super) retransmissions: Cell<u64>,
    pub(super) sequence_errors: Cell<u64>,
    pub(super) not_ready_receives: Cell<u64>,
    pub(super) time_outs: Cell<u64>,
    pub(super) dropped_packets: Cell<u64>,
    pub(super) failed_queue_pairs: Cell<u64>,
}

/// Adds one to a counter.
pub(super) fn count(counter: &Cell<u64>) {
    counter.set(counter.get() + 1);
}

impl RdmaDevice {
    /// Starts the device of a node.
    pub fn start(context: &BuildContext<'_>, parameters: &RdmaParameters) -> Rc<RdmaDevice> {
        let (sim, name) = (context.sim, context.name());
        let wire = TransmitQueue::new(context.fabric.packet_port(sim, context.node(), name));
        let device = Rc::new(RdmaDevice {
            sim: sim.clone(),
            node: context.node(),
            host: context.host.downgrade(),
            limits: parameters.requester_limits(),
            tally: context.tally.clone(),
            dma: context.host.dma_port().self_advancing(sim, name),
            queue_pairs: RefCell::default(),
            message_pair_factory: OnceCell::new(),
            regions: RefCell::default(),
            context_cache: LookupCache::new(parameters.contexts.entries),
            translation_cache: LookupCache::new(parameters.translations.entries),
            table_base: OnceCell::new(),
            doorbells: Mailbox::new(sim, format!("{name}: a doorbell")),
            requests_to_admit: Mailbox::new(sim, format!("{name}: a request")),
            ready_pairs: Mailbox::new(sim, format!("{name}: a queue pair with packets to send")),
            scheduled_packets: Mailbox::new(sim, format!("{name}: a packet to send")),
            packet_buffers: Pool::new(sim, format!("a packet buffer of {name}"), u64::from(parameters.packet_buffers)),
            wire,
            arrived_packets: Mailbox::new(sim, format!("{name}: a packet")),
            next_receive_at: Cell::default(),
            memory_jobs: Mailbox::new(sim, format!("{name}: an access to host memory")),
            posted_writes: Mailbox::new(sim, format!("{name}: a posted write")),
            read_jobs: Mailbox::new(sim, format!("{name}: a read of another node")),
            queues_to_refill: Mailbox::new(sim, format!("{name}: a receive queue to read")),
            pairs_with_late_acks: Mailbox::new(sim, format!("{name}: an acknowledgement to send")),
            read_engine: ByteEngine::new(parameters.read_rate),
            write_engine: ByteEngine::new(parameters.write_rate),
            timers: RefCell::default(),
            timer_changed: Signal::new(sim, format!("{name}: an earlier time-out")),
            watched_timer: Cell::new(Time::MAX),
            written: Signal::new(sim, format!("{name}: data of another node")),
            counts: DeviceCounts::default(),
            parameters: parameters.clone(),
        });
        device.start_tasks(name);
        device
    }

    fn start_tasks(self: &Rc<Self>, name: &str) {
        let sim = &self.sim;
        for _ in 0..self.parameters.fetches {
            sim.spawn_server(format!("{name} fetch"), self.clone().run_fetch());
        }
        sim.spawn_server(format!("{name} admission"), self.clone().run_admission());
        sim.spawn_server(format!("{name} scheduler"), self.clone().run_scheduler());
        sim.spawn_server(format!("{name} transmit"), self.clone().run_transmit());
        sim.spawn_server(format!("{name} receive"), self.clone().run_receive());
        sim.spawn_server(format!("{name} memory"), self.clone().run_memory());
        sim.spawn_server(format!("{name} posted writes"), self.clone().run_posted_writes());
        sim.spawn_server(format!("{name} responses"), self.clone().run_reads());
        sim.spawn_server(format!("{name} receive queues"), self.clone().run_refills());
        sim.spawn_server(format!("{name} timers"), self.clone().run_timers());
        sim.spawn_server(format!("{name} late acknowledgements"), self.clone().run_late_acks());
        self.listen();
    }

    /// Returns queue pair `number`. A queue pair for the messages of a node is created if it does not exist yet.
    fn queue_pair(&self, number: u32) -> Option<Rc<QueuePair>> {
        let existing = self.queue_pairs.borrow().get(&number).cloned();
        existing.or_else(|| self.message_pair_factory.get().and_then(|create| create(number)))
    }

    /// Reads host memory by DMA.
    pub(super) async fn read_memory(&self, address: Address, bytes: u64) -> Vec<u8> {
        let request = DmaRequest { address, operation: DmaOperation::Read(Bytes(bytes)) };
        let mut read = submit_when_free(&*self.dma, &request).await;
        let (mut data, mut beat) = (Vec::with_capacity(bytes as usize), Vec::new());
        while read.next_beat(&mut beat).await.is_some() {
            data.extend_from_slice(&beat);
        }
        read.done().await;
        data
    }

    /// Returns the address of `offset` in the tables of the device, which are in host memory.
    fn table_address(&self, offset: u64) -> Address {
        *self.table_base.get_or_init(|| self.host.get().allocate(TABLE_BYTES as usize)) + offset % TABLE_BYTES
    }

    /// Finds the context of queue pair `number`; a miss reads it from host memory.
    async fn find_context(&self, number: u32) {
        if !self.context_cache.access(number.into()) {
            let bytes = self.parameters.contexts.bytes.get();
            self.read_memory(self.table_address(u64::from(number) * bytes), bytes).await;
        }
    }

    /// Translates the addresses of `bytes` bytes from `address` on; each miss reads host memory.
    async fn translate(&self, address: Address, bytes: u64) {
        for page in address / PAGE_BYTES..=(address + bytes.max(1) - 1) / PAGE_BYTES {
            if !self.translation_cache.access(page) {
                self.read_memory(self.table_address(page * TRANSLATION_BYTES), TRANSLATION_BYTES).await;
            }
        }
    }

    /// Puts the translations of a buffer into the cache, as its registration before the run did.
    pub(super) fn preload_translations(&self, address: Address, bytes: u64) {
        for page in address / PAGE_BYTES..=(address + bytes.max(1) - 1) / PAGE_BYTES {
            self.translation_cache.preload(page);
        }
    }

    /// Returns whether `bytes` bytes at `address` are in the region with `key`.
    fn permits(&self, key: u32, address: Address, bytes: u64) -> bool {
        let regions = self.regions.borrow();
        let Some(region) = (key as usize).checked_sub(1).and_then(|index| regions.get(index)) else { return false };
        let offset = address.checked_sub(region.at);
        offset.and_then(|offset| offset.checked_add(bytes)).is_some_and(|end| end <= region.bytes.get())
    }

    /// Lets other nodes access a region.
    pub(super) fn register(&self, at: Address, bytes: Bytes) -> MemoryRegion {
        let mut regions = self.regions.borrow_mut();
        let region = MemoryRegion { key: regions.len() as u32 + 1, at, bytes };
        regions.push(region);
        region
    }

    /// Returns the number of misses of the caches for contexts and for translations.
    pub(super) fn cache_misses(&self) -> [u64; 2] {
        [self.context_cache.misses(), self.translation_cache.misses()]
    }

    /// Returns the time for which each engine has moved payloads.
    pub(super) fn engine_times(&self) -> [Time; 2] {
        [self.read_engine.busy_time.get(), self.write_engine.busy_time.get()]
    }
}
