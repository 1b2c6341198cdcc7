//! The requests of one endpoint on its queue pairs: posts, doorbells, completions, and checks of the bytes.

use super::VerbsTest;
use super::connection::{Connection, verbs};
use super::operation::VerbsOperation;
use crate::engine::{Bytes, Time};
use crate::host::Address;
use crate::messaging::Endpoint;
use crate::ni::{QueuePairId, WorkCompletion, WorkId, WorkKind, WorkOperation, WorkRequest, WorkStatus};
use crate::program::{PAYLOAD_PATTERNS, pattern};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// Largest number of completions of a poll (`CTX_POLL_BATCH` of perftest).
pub const POLL_MAX: usize = 16;

/// A queue pair and its requests.
pub struct PostedQueue {
    pub connection: Connection,
    pub posted_requests: u64,
    /// Requests known to have completed.
    pub completed_requests: u64,
    /// Requests whose completion was asked for, each as its work request, its number, and the time of its post.
    signaled_requests: VecDeque<(WorkId, u64, Time)>,
    posted_receives: u64,
    pub received_messages: u64,
}

/// A request that has completed, with all before it on its queue pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompletedRequests {
    /// Requests that are now known to have completed.
    pub count: u64,
    /// Time of the post of the last of these requests.
    pub posted_at: Time,
}

/// The requests of an endpoint.
pub struct Poster {
    pub test: Rc<VerbsTest>,
    pub endpoint: Rc<Endpoint>,
    /// First of the buffers that requests read, one for each pattern.
    pattern_buffers: Address,
    /// Bytes of each pattern.
    expected_payloads: Vec<Vec<u8>>,
    pub queues: Vec<PostedQueue>,
    index_by_queue: HashMap<QueuePairId, usize>,
    /// Largest number of outstanding requests of a queue pair, at most the entries of its send queue.
    pub depth: u64,
    signal_every: u64,
}

impl Poster {
    pub fn new(
        test: &Rc<VerbsTest>,
        endpoint: Rc<Endpoint>,
        pattern_buffers: Address,
        connections: Vec<Connection>,
    ) -> Poster {
        let depth = test.outstanding.min(u64::from(verbs(&endpoint).verbs_limits().send_entries));
        let index_by_queue =
            connections.iter().enumerate().map(|(index, connection)| (connection.queue_pair, index)).collect();
        let queue = |connection| PostedQueue {
            connection,
            posted_requests: 0,
            completed_requests: 0,
            signaled_requests: VecDeque::new(),
            posted_receives: 0,
            received_messages: 0,
        };
        Poster {
            endpoint,
            pattern_buffers,
            expected_payloads: (0..PAYLOAD_PATTERNS).map(|number| pattern::payload_bytes(number, test.size)).collect(),
            queues: connections.into_iter().map(queue).collect(),
            index_by_queue,
            depth,
            signal_every: test.signal_every.min(depth),
            test: test.clone(),
        }
    }

    /// Returns the bytes of the payload of request `number`.
    pub fn expected_payload(&self, number: u64) -> &[u8] {
        &self.expected_payloads[(number % PAYLOAD_PATTERNS) as usize]
    }

    /// Returns the buffer that request `number` reads.
    pub fn source_buffer(&self, number: u64) -> Address {
        self.pattern_buffers + number % PAYLOAD_PATTERNS * self.test.slot_bytes()
    }

    /// Returns the buffer with index `slot` of those that begin at `buffers`.
    fn slot_address(&self, buffers: Address, slot: u64) -> Address {
        buffers + slot * self.test.slot_bytes()
    }

    /// Returns the next operation of queue `index`. Writes go to the slot with index `slot` at the other endpoint.
    fn next_operation(&self, index: usize, slot: u64) -> WorkOperation {
        let PostedQueue { connection, posted_requests: number, .. } = &self.queues[index];
        let Connection { remote_address, remote_key: key, result_buffers, .. } = *connection;
        let (number, bytes, from) = (*number, self.test.size, self.source_buffer(*number));
        let result = |slots: u64| self.slot_address(result_buffers, number % slots);
        match self.test.operation {
            VerbsOperation::Write => {
                WorkOperation::Write { from, to: self.slot_address(remote_address, slot), key, bytes }
            }
            VerbsOperation::Send => WorkOperation::Send { from, bytes },
            VerbsOperation::Read => {
                let from = self.slot_address(remote_address, number % PAYLOAD_PATTERNS);
                WorkOperation::Read { from, key, to: result(PAYLOAD_PATTERNS), bytes }
            }
            VerbsOperation::FetchAdd => {
                WorkOperation::FetchAdd { at: remote_address, key, add: 1, to: result(self.test.result_slots()) }
            }
            VerbsOperation::CompareSwap => {
                let to = result(self.test.result_slots());
                WorkOperation::CompareSwap { at: remote_address, key, expected: number, new: number + 1, to }
            }
        }
    }

    /// Posts the next request of queue `index`. Returns whether the queue had a free entry.
    pub async fn post(&mut self, index: usize, slot: u64) -> bool {
        let (queue, number) = (self.queues[index].connection.queue_pair, self.queues[index].posted_requests);
        let is_signaled = (number + 1).is_multiple_of(self.signal_every) || number + 1 == self.test.total_requests();
        let request = WorkRequest { operation: self.next_operation(index, slot), is_signaled };
        let posted_at = self.endpoint.now();
        let Ok(work) = verbs(&self.endpoint).post(self.endpoint.cpu(), queue, request).await else { return false };
        let posted_queue = &mut self.queues[index];
        posted_queue.posted_requests += 1;
        if is_signaled {
            posted_queue.signaled_requests.push_back((work, number, posted_at));
        }
        true
    }

    /// Rings the doorbell of queue `index`.
    pub async fn flush(&self, index: usize) {
        verbs(&self.endpoint).flush(self.endpoint.cpu(), self.queues[index].connection.queue_pair).await;
    }

    /// Posts all receives for which there are buffers, if the other endpoints send messages.
    pub async fn post_receives(&mut self) {
        for index in 0..self.queues.len() {
            let is_receiver = self.test.operation == VerbsOperation::Send && self.queues[index].connection.is_target;
            while is_receiver && self.post_receive(index).await {}
        }
    }

    /// Posts the next receive of queue `index`, and rings its doorbell. Returns whether one was posted: there are as
    /// many as messages, and each has a buffer.
    async fn post_receive(&mut self, index: usize) -> bool {
        let slots = self.test.incoming_slots();
        let PostedQueue { connection, posted_receives, received_messages, .. } = self.queues[index];
        if posted_receives == self.test.total_requests() || posted_receives - received_messages == slots {
            return false;
        }
        let (verbs, cpu) = (verbs(&self.endpoint), self.endpoint.cpu());
        let buffer = self.slot_address(connection.incoming_buffers, posted_receives % slots);
        if verbs.post_receive(cpu, connection.queue_pair, buffer, self.test.size).await.is_err() {
            return false;
        }
        verbs.flush(cpu, connection.queue_pair).await;
        self.queues[index].posted_receives += 1;
        true
    }

    /// Returns whether a completion will be written. If not, the send queue is full of requests whose entries a later
    /// poll frees.
    fn expects_completion(&self) -> bool {
        self.queues
            .iter()
            .any(|queue| !queue.signaled_requests.is_empty() || queue.received_messages < queue.posted_receives)
    }

    /// Polls once for at most `max` completions, and waits for one if no completion is found and one is expected. Calls
    /// `on_completed` for each that reports requests.
    ///
    /// # Errors
    ///
    /// Returns the reason if a request failed.
    pub async fn poll(
        &mut self,
        max: usize,
        mut on_completed: impl FnMut(CompletedRequests, Time),
    ) -> Result<(), String> {
        let (endpoint, verbs) = (self.endpoint.clone(), verbs(&self.endpoint));
        let completions = verbs.completions(endpoint.cpu(), endpoint.id(), max).await;
        if completions.is_empty() && self.expects_completion() {
            verbs.wait_for_completion(endpoint.cpu(), endpoint.id()).await;
        }
        let now = endpoint.now();
        for completion in completions {
            let index = self.index_by_queue[&completion.queue];
            self.check_status(&completion)?;
            match completion.kind {
                WorkKind::Send => on_completed(self.complete(index, &completion), now),
                WorkKind::Receive => self.receive(index, &completion).await,
            }
        }
        Ok(())
    }

    fn check_status(&self, completion: &WorkCompletion) -> Result<(), String> {
        let WorkCompletion { queue, work, status, .. } = completion;
        if *status == WorkStatus::Success {
            return Ok(());
        }
        let name = self.endpoint.name();
        Err(format!("work request {} of queue pair {} of {name} ended with {status:?}", work.0, queue.0))
    }

    /// Ends the requests up to the one that completed, and checks their results.
    fn complete(&mut self, index: usize, completion: &WorkCompletion) -> CompletedRequests {
        let posted_queue = &mut self.queues[index];
        let (work, number, posted_at) =
            posted_queue.signaled_requests.pop_front().expect("a completion is of a signaled request");
        assert_eq!(work, completion.work, "requests of a queue pair complete in the order of posting");
        let first = std::mem::replace(&mut posted_queue.completed_requests, number + 1);
        for number in first..=number {
            self.check_result(index, number);
        }
        CompletedRequests { count: number + 1 - first, posted_at }
    }

    /// Checks the result of a read or an atomic operation. Panics if a model changed bytes, or the order of operations.
    fn check_result(&self, index: usize, number: u64) {
        let Connection { result_buffers, .. } = self.queues[index].connection;
        let (slots, host) = (self.test.result_slots().max(1), self.endpoint.host());
        let buffer = self.slot_address(result_buffers, number % slots);
        match self.test.operation {
            VerbsOperation::Write | VerbsOperation::Send => {}
            VerbsOperation::Read => {
                assert!(
                    host.peek(buffer, self.test.size.len()) == self.expected_payload(number),
                    "a read returned other bytes"
                );
            }
            VerbsOperation::FetchAdd | VerbsOperation::CompareSwap => {
                let previous = u64::from_le_bytes(host.peek(buffer, 8).try_into().expect("the value has eight bytes"));
                assert_eq!(previous, number, "atomic operations of a queue pair are executed once and in order");
            }
        }
    }

    /// Checks a received message, and posts its buffer again.
    async fn receive(&mut self, index: usize, completion: &WorkCompletion) {
        let PostedQueue { connection, received_messages, .. } = self.queues[index];
        let buffer = self.slot_address(connection.incoming_buffers, received_messages % self.test.incoming_slots());
        let arrived_bytes = self.endpoint.host().peek(buffer, self.test.size.len());
        assert!(
            completion.bytes == self.test.size && arrived_bytes == self.expected_payload(received_messages),
            "a message has other bytes"
        );
        self.queues[index].received_messages += 1;
        self.post_receive(index).await;
    }

    /// Returns whether the buffers of queue `index` hold what the other endpoint writes.
    pub fn holds_writes(&self, index: usize) -> bool {
        let slot_holds_payload = |slot: u64| {
            let buffer = self.slot_address(self.queues[index].connection.incoming_buffers, slot);
            self.endpoint.host().peek(buffer, self.test.size.len()) == self.expected_payload(slot)
        };
        (0..PAYLOAD_PATTERNS.min(self.test.total_requests())).all(slot_holds_payload)
    }

    /// Returns the bytes of one request.
    pub fn size(&self) -> Bytes {
        self.test.size
    }
}
