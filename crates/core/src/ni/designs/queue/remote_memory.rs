//! The device half of one-sided operations: it executes the operations of other nodes on its node's memory, and
//! completes the operations of its node.
//!
//! The module models the following steps. The receiving device takes packets of operations in order with other packets,
//! accesses memory through its DMA initiator, and answers with a packet. The answer's data is written to memory,
//! followed by a completion, a word in a ring in memory. Answers wait in the device for a slot of the port, so the
//! device accepts requests even while it cannot send, and two nodes that operate on each other's memory do not
//! deadlock. An operation behind a message for which the receive queue has no slot waits like any other packet.
//!
//! The module leaves out pinning of pages, and the time to look up a region.

use super::remote_wire::{Code, RemotePacket};
use crate::engine::{Bytes, Class, EndpointId, Journey, Mailbox, Signal, Sim, Time};
use crate::fabric::{Label, Packet};
use crate::host::{Address, BusDma, DmaInitiator, DmaOperation, DmaRequest, Host, submit_when_free};
use crate::ni::designs::fifo::device::Output;
use crate::ni::designs::half::HalfContext;
use crate::ni::parcel::HeaderFormat;
use crate::ni::port::Port;
use crate::ni::verbs::{MemoryRegion, QueuePairId, WorkCompletion, WorkId, WorkStatus};
use crate::protocol::Marks;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Maximum number of posted operations whose completions have not been taken; this is the length of the ring.
pub const OUTSTANDING_MAX: u64 = 64;

/// The bit of a completion that differs from lap to lap of the ring.
const LAP_BIT: u64 = 1 << 63;
/// The bit of a completion that marks an operation that was refused.
const REFUSED_BIT: u64 = 1 << 62;

/// The one-sided operations that a node has posted, and those that other nodes execute on its memory.
pub struct RemoteMemory {
    sim: Sim,
    host: Host,
    port: Rc<Port>,
    processing: Time,
    dma: BusDma,
    regions: RefCell<Vec<MemoryRegion>>,
    /// Address for the result of each operation of this node, by the operation's number modulo 2³².
    results: RefCell<BTreeMap<u32, Option<Address>>>,
    ring: OnceCell<Address>,
    written_completions: Cell<u64>,
    operation_completed: Signal,
    /// Notified when another node has written to memory.
    changed: Signal,
    answers: OnceCell<Rc<Mailbox<Rc<Packet>>>>,
}

impl RemoteMemory {
    /// Returns the operations of a node whose device accesses memory by `initiator`.
    pub fn new(context: &HalfContext<'_>, initiator: &Rc<DmaInitiator>) -> Rc<RemoteMemory> {
        Rc::new(RemoteMemory {
            sim: context.sim().clone(),
            host: context.host().clone(),
            port: context.port.clone(),
            processing: context.parameters.processing_time,
            dma: BusDma::new(initiator.clone(), 1),
            regions: RefCell::default(),
            results: RefCell::default(),
            ring: OnceCell::new(),
            written_completions: Cell::new(0),
            operation_completed: Signal::new(context.sim(), format!("{}: a completion", context.name())),
            changed: Signal::new(context.sim(), format!("{}: data of another node", context.name())),
            answers: OnceCell::new(),
        })
    }

    /// Lets other nodes access a region.
    pub fn register(&self, at: Address, bytes: Bytes) -> MemoryRegion {
        let mut regions = self.regions.borrow_mut();
        let region = MemoryRegion { key: regions.len() as u32, at, bytes };
        regions.push(region);
        region
    }

    /// Records the address for the result of operation `work`.
    pub fn expect_result(&self, work: WorkId, result: Option<Address>) {
        self.results.borrow_mut().insert(work.0 as u32, result);
    }

    /// Returns the number of completions that the device has written.
    pub fn written_completions(&self) -> u64 {
        self.written_completions.get()
    }

    /// Returns the signal that is notified of a completion.
    pub fn operation_completed(&self) -> &Signal {
        &self.operation_completed
    }

    /// Returns the signal that is notified when another node has written to memory.
    pub fn changed(&self) -> &Signal {
        &self.changed
    }

    /// Returns the address of completion number `position`.
    pub fn completion_address(&self, position: u64) -> Address {
        let ring = *self.ring.get_or_init(|| self.host.allocate(8 * OUTSTANDING_MAX as usize));
        ring + 8 * (position % OUTSTANDING_MAX)
    }

    /// Executes or completes an operation if `packet` belongs to one. Returns whether `packet` belongs to an operation.
    pub async fn serve(self: &Rc<Self>, packet: &Packet) -> bool {
        let (request, data) = {
            let bytes = packet.bytes();
            let Some((request, data)) = RemotePacket::decode(&bytes) else { return false };
            (request, data.to_vec())
        };
        match request.code {
            Code::Answer => self.complete(&request, data).await,
            _ => self.answer(&request, &data).await,
        }
        true
    }

    /// Executes an operation, and answers it.
    async fn answer(self: &Rc<Self>, request: &RemotePacket, data: &[u8]) {
        let (answer, data) = match self.permits(request, data.len()) {
            true => {
                let (operand, data) = self.execute(request, data).await;
                (request.answer(WorkStatus::Success, operand), data)
            }
            false => (request.answer(WorkStatus::RemoteAccessError, 0), Vec::new()),
        };
        let packet = Packet::from_owned_bytes(Label::default(), Journey::NONE, answer.encode(&data));
        self.answers.get_or_init(|| self.start_answers()).send(packet);
    }

    /// Returns whether an operation is within a region that was registered.
    fn permits(&self, request: &RemotePacket, data_bytes: usize) -> bool {
        let bytes = match request.code {
            Code::Write => data_bytes as u64,
            Code::Read => request.operand,
            _ => 8,
        };
        let is_atomic = matches!(request.code, Code::FetchAdd | Code::CompareSwap);
        let regions = self.regions.borrow();
        let Some(region) = regions.get(request.key as usize) else { return false };
        let offset = request.address.checked_sub(region.at);
        let is_within =
            offset.and_then(|offset| offset.checked_add(bytes)).is_some_and(|end| end <= region.bytes.get());
        is_within && (!is_atomic || request.address.is_multiple_of(8))
    }

    /// Executes an operation. Returns the previous value of the word (0 if the operation is not atomic), and the bytes
    /// that were read.
    async fn execute(&self, request: &RemotePacket, data: &[u8]) -> (u64, Vec<u8>) {
        let RemotePacket { address, operand, .. } = *request;
        match request.code {
            Code::Write => {
                self.write(address, data).await;
                self.changed.notify();
                (0, Vec::new())
            }
            Code::Read => (0, self.read(address, operand as usize).await),
            _ => {
                let old = word_of(&self.read(address, 8).await);
                let new = match request.code {
                    Code::FetchAdd => old.wrapping_add(operand),
                    _ if old == operand => word_of(data),
                    _ => return (old, Vec::new()),
                };
                self.write(address, &new.to_le_bytes()).await;
                (old, Vec::new())
            }
        }
    }

    /// Writes the result of an operation of this node to its address, and then its completion.
    async fn complete(&self, answer: &RemotePacket, data: Vec<u8>) {
        let result = self.results.borrow_mut().remove(&answer.work).expect("an answer belongs to a posted operation");
        if let (Some(address), WorkStatus::Success) = (result, answer.status()) {
            let value = answer.operand.to_le_bytes();
            self.write(address, if data.is_empty() { &value } else { &data }).await;
        }
        let position = self.written_completions.get();
        self.write(self.completion_address(position), &completion_word(position, answer).to_le_bytes()).await;
        self.written_completions.set(position + 1);
        self.operation_completed.notify();
    }

    async fn read(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.transfer(address, DmaOperation::Read(Bytes(bytes as u64))).await
    }

    async fn write(&self, address: Address, data: &[u8]) {
        self.transfer(address, DmaOperation::Write(data.to_vec().into())).await;
    }

    /// Runs a transfer to its end, and returns the bytes that it read.
    async fn transfer(&self, address: Address, operation: DmaOperation) -> Vec<u8> {
        let mut transfer = submit_when_free(&self.dma, &DmaRequest { address, operation }).await;
        let (mut data, mut beat) = (Vec::new(), Vec::new());
        while transfer.next_beat(&mut beat).await.is_some() {
            data.extend_from_slice(&beat);
        }
        transfer.done().await;
        data
    }

    /// Starts the task that sends the device's answers, which wait for slots of the port.
    fn start_answers(self: &Rc<Self>) -> Rc<Mailbox<Rc<Packet>>> {
        let name = self.host.name.clone();
        let answers = Rc::new(Mailbox::new(&self.sim, format!("{name}: an answer to send")));
        let output =
            Output::new(&self.sim, &format!("{name} answers"), &self.port, self.processing, HeaderFormat::Paper);
        let (port, queued_answers) = (self.port.clone(), answers.clone());
        self.sim.spawn_server(format!("{name} answers"), async move {
            loop {
                let packet = queued_answers.receive().await;
                let slot = port.reserve(Class::REQUESTS).await;
                output.send(slot, packet, Marks::SINGLE_PACKET);
            }
        });
        answers
    }
}

/// The operations that a node's driver has posted.
pub struct RemoteOperations {
    /// The device's part.
    pub memory: Rc<RemoteMemory>,
    /// Number of operations that have been posted.
    pub posted_count: Cell<u64>,
    /// Number of completions that have been taken from the ring.
    pub taken_count: Cell<u64>,
    /// Local and remote endpoint of each queue pair.
    pub queue_pairs: RefCell<Vec<[EndpointId; 2]>>,
    /// Queue pair, size and signalling of each request whose completion has not been taken from the ring.
    pub requests: RefCell<BTreeMap<WorkId, UncompletedOperation>>,
    /// Completions that were taken from the ring by a poll for another endpoint.
    pub unclaimed_completions: RefCell<VecDeque<WorkCompletion>>,
}

/// A request that has not completed.
#[derive(Clone, Copy)]
pub struct UncompletedOperation {
    /// Queue pair.
    pub queue: QueuePairId,
    /// Bytes that the request moves.
    pub bytes: Bytes,
    /// Whether success is reported.
    pub is_signaled: bool,
}

impl RemoteOperations {
    /// Returns the operations of a node whose device executes them; no operation has been posted.
    pub fn new(memory: Rc<RemoteMemory>) -> RemoteOperations {
        RemoteOperations {
            memory,
            posted_count: Cell::new(0),
            taken_count: Cell::new(0),
            queue_pairs: RefCell::default(),
            requests: RefCell::default(),
            unclaimed_completions: RefCell::default(),
        }
    }
}

fn word_of(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("a word has 8 bytes"))
}

/// Returns the value of [`LAP_BIT`] in completion number `position`, which differs from its value in the previous lap.
fn lap_bit(position: u64) -> u64 {
    if (position / OUTSTANDING_MAX).is_multiple_of(2) { LAP_BIT } else { 0 }
}

fn completion_word(position: u64, answer: &RemotePacket) -> u64 {
    let refused_bit = if answer.status() == WorkStatus::Success { 0 } else { REFUSED_BIT };
    u64::from(answer.work) | refused_bit | lap_bit(position)
}

/// Reads completion number `position`, after `posted` operations have been posted; `None` if the completion is not
/// written yet.
pub fn decode_completion(word: u64, position: u64, posted: u64) -> Option<(WorkId, WorkStatus)> {
    if word & LAP_BIT != lap_bit(position) {
        return None;
    }
    // The full number is reconstructed from its lower 32 bits: it is one of the last 2³² that were posted.
    let age = (posted as u32).wrapping_sub(word as u32);
    let status = if word & REFUSED_BIT == 0 { WorkStatus::Success } else { WorkStatus::RemoteAccessError };
    Some((WorkId(posted - u64::from(age)), status))
}
