//! The send queue: a small second level in the interface, and a first level in host memory from which an
//! interrupt for what has gone refills it (Jin et al. 2005, §4.2), "in a self-clocking manner".

use super::card::Card;
use super::layout::{Piece, send, state};
use super::parameters::McpParameters;
use crate::engine::{Journey, NodeId};
use crate::host::{AnyProcessor, Processor};
use crate::ni::moving::bytes_of;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// A packet to be sent, as the driver describes it.
pub(super) struct Descriptor {
    pub to: NodeId,
    pub length: u64,
    /// The places of its endpoints among those of their nodes, where the firmware tells them.
    pub ends: u32,
    pub pieces: Vec<Piece>,
    /// Whether the interface fills the checksum in.
    pub sums: bool,
    /// The buffer that is free when it has gone.
    pub frees: Option<usize>,
    pub journey: Journey,
}

/// The two levels.
pub(super) struct SendQueue {
    /// Slots of the interface, and descriptors of host memory, that nobody has taken.
    free: Cell<u64>,
    room: Cell<u64>,
    /// The next slot.
    next: Cell<u64>,
    /// The first level.
    waiting: RefCell<VecDeque<Descriptor>>,
    /// The buffers of what is in the second level, oldest first.
    under_way: RefCell<VecDeque<Option<usize>>>,
    /// Messages that were seen to have gone.
    seen: Cell<u32>,
}

impl SendQueue {
    pub(super) fn new(parameters: &McpParameters) -> SendQueue {
        SendQueue {
            free: Cell::new(parameters.send_slots),
            room: Cell::new(parameters.send_slots + parameters.send_queue),
            next: Cell::new(0),
            waiting: RefCell::default(),
            under_way: RefCell::default(),
            seen: Cell::new(0),
        }
    }

    /// Takes room for so many packets; false if there is none.
    pub(super) fn reserve(&self, packets: u64) -> bool {
        let enough = self.room.get() >= packets;
        if enough {
            self.room.set(self.room.get() - packets);
        }
        enough
    }
}

impl Card {
    /// Sends a packet for which there is room: at once if the interface has a slot, else when its turn
    /// comes.
    pub(super) async fn enqueue(&self, cpu: &AnyProcessor, packet: Descriptor) {
        let queue = &self.queue;
        if queue.free.get() == 0 || !queue.waiting.borrow().is_empty() {
            return queue.waiting.borrow_mut().push_back(packet);
        }
        self.fill_slot(cpu, packet).await;
    }

    /// The words after the state first, the state last: the firmware takes the slot by it.
    async fn fill_slot(&self, cpu: &AnyProcessor, packet: Descriptor) {
        let queue = &self.queue;
        let slot = self.layout.slot(queue.next.get());
        queue.next.set(queue.next.get() + 1);
        queue.free.set(queue.free.get() - 1);
        queue.under_way.borrow_mut().push_back(packet.frees);
        self.instruments.sending.borrow_mut().push_back(packet.journey.clone());
        let sums = if packet.sums { send::SUMS } else { 0 };
        let mut words = vec![packet.length as u32, packet.to.0, packet.ends, packet.pieces.len() as u32 | sums];
        words.extend(packet.pieces.iter().flat_map(|piece| [piece.address as u32, piece.bytes as u32]));
        cpu.write_run(self.window.at(slot + send::LENGTH), &bytes_of(&words)).await;
        cpu.write_run(self.window.at(slot + send::STATE), &state::FILLED.to_le_bytes()).await;
    }

    /// So many messages have gone in all: their buffers are free, which takes `cycles` each, and others take
    /// their slots.
    pub(super) async fn have_gone(&self, cpu: &AnyProcessor, all: u32, cycles: u64) {
        let queue = &self.queue;
        let new = all.wrapping_sub(queue.seen.replace(all));
        for _ in 0..new {
            cpu.work(cycles);
            let buffer = queue.under_way.borrow_mut().pop_front().expect("what has gone was under way");
            self.send_free.borrow_mut().extend(buffer);
            queue.free.set(queue.free.get() + 1);
            queue.room.set(queue.room.get() + 1);
        }
        while queue.free.get() > 0 {
            let Some(packet) = queue.waiting.borrow_mut().pop_front() else { break };
            self.fill_slot(cpu, packet).await;
        }
        self.room.notify();
    }
}
