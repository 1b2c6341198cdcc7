//! A queue pair as the device sees it. An idle queue pair has no buffers, so thousands of them need little memory.

use crate::engine::{Journey, NodeId, Time};
use crate::fabric::Packet;
use crate::host::Address;
use crate::ni::rdma::completion_queue::CompletionQueue;
use crate::ni::rdma::receive_queue::{PostedBuffer, ReceiveQueue};
use crate::ni::rdma::transport::requester::PairRequester;
use crate::ni::rdma::transport::responder::Responder;
use crate::ni::rdma::wire::aeth::Syndrome;
use crate::ni::rdma::work_request::WorkEntry;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A request that the device has read.
pub struct FetchedRequest {
    /// The request.
    pub entry: WorkEntry,
    /// Record of the message's latency.
    pub journey: Journey,
}

/// The message that a responder is receiving.
#[derive(Default)]
pub enum InboundMessage {
    /// No message is being received.
    #[default]
    None,
    /// A write; its next byte goes to this address.
    Write(Address),
    /// A send into this buffer, in which this number of bytes has been stored.
    Receive(PostedBuffer, u64),
}

/// A queue pair.
pub struct QueuePair {
    /// Number of the queue pair.
    pub number: u32,
    /// Node and number of the peer, once it has connected.
    pub peer: Cell<Option<(NodeId, u32)>>,
    /// First address of the send queue.
    pub send_ring: Address,
    /// Blocks of the send queue.
    pub send_blocks: u32,
    /// Completion queue.
    pub completion_queue: Rc<CompletionQueue>,
    /// Receive queue, which other queue pairs may share.
    pub receive_queue: Rc<ReceiveQueue>,
    /// Mutable state.
    pub state: RefCell<QueuePairState>,
}

/// The state of a queue pair.
#[derive(Default)]
pub struct QueuePairState {
    /// The sending side's transport.
    pub requester: PairRequester<Rc<FetchedRequest>>,
    /// The receiving side's transport.
    pub responder: Responder,
    /// Index of the next block to read.
    pub consumer: u16,
    /// Index behind the last block that was announced.
    pub producer: u16,
    /// Doorbells for requests that have not been read: the index behind the last block of each, and its arrival time.
    pub doorbell_writes: VecDeque<(u16, Time)>,
    /// Whether a task reads requests.
    pub is_fetching: bool,
    /// Whether the queue pair waits for the scheduler.
    pub is_scheduled: bool,
    /// Whether the queue pair is in the error state.
    pub is_failed: bool,
    /// Records of the messages that were posted and have not been read.
    pub journeys: VecDeque<Journey>,
    /// Earliest time of the next packet.
    pub next_packet_time: Time,
    /// Instant of the time-out, or `None` if nothing waits for an acknowledgement.
    pub deadline: Option<Time>,
    /// Message that is being received.
    pub inbound_message: InboundMessage,
    /// Packets that arrived early, by sequence number.
    pub early_packets: BTreeMap<u32, Rc<Packet>>,
    /// Number of reads and atomic operations whose responses have not left.
    pub pending_responses: u32,
    /// Acknowledgement that waits until all pending responses have left.
    pub deferred_ack: Option<Syndrome>,
    /// Number of messages that wait for an acknowledgement.
    pub acks_due: u32,
    /// Instant at which these messages are acknowledged even if no further message arrives.
    pub ack_deadline: Time,
}

impl QueuePairState {
    /// Returns the arrival of the doorbell that announced the request before block `end`, if it is known.
    pub fn doorbell_arrival(&mut self, end: u16) -> Option<Time> {
        while self.doorbell_writes.front().is_some_and(|(producer, _)| (end.wrapping_sub(*producer) as i16) > 0) {
            self.doorbell_writes.pop_front();
        }
        self.doorbell_writes.front().map(|(_, at)| *at)
    }
}

impl QueuePair {
    /// Creates an idle queue pair.
    pub fn new(
        number: u32,
        (send_ring, send_blocks): (Address, u32),
        completion_queue: &Rc<CompletionQueue>,
        receive_queue: &Rc<ReceiveQueue>,
    ) -> Rc<QueuePair> {
        Rc::new(QueuePair {
            number,
            peer: Cell::new(None),
            send_ring,
            send_blocks,
            completion_queue: completion_queue.clone(),
            receive_queue: receive_queue.clone(),
            state: RefCell::default(),
        })
    }

    /// Returns the address of block `index` of the send queue.
    pub fn block(&self, index: u16) -> Address {
        self.send_ring + 64 * u64::from(u32::from(index) % self.send_blocks)
    }
}
