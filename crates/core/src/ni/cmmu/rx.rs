//! The receive side of the unit. Packets of the coherence protocol go to the protocol at once; messages go into the
//! receive queue.
//!
//! If the queue is full, the next message blocks the packets behind it in its class. After a timeout the processor
//! traps, and its software empties the queue into memory, where the messages wait until they are received. Packets,
//! and replies in particular, therefore always drain, whatever programs do.

use super::coherence::Coherence;
use super::parameters::CmmuParameters;
use super::wire;
use crate::engine::{Class, NodeId, Sim, Time};
use crate::fabric::Packet;
use crate::host::Processor;
use crate::host::alewife::AlewifeNode;
use crate::ni::port::Port;
use crate::protocol::Answer;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A received message.
pub(super) struct Message {
    pub from: NodeId,
    pub packet: Rc<Packet>,
    /// Whether the overflow software has moved the message into memory.
    pub is_in_memory: bool,
}

/// The receive queue and its task.
pub(super) struct RxQueue {
    sim: Sim,
    host: Rc<AlewifeNode>,
    port: Rc<Port>,
    coherence: Rc<Coherence>,
    parameters: CmmuParameters,
    queue: RefCell<VecDeque<Message>>,
    /// Number of messages in memory. They are older than all others in the queue.
    messages_in_memory: Cell<usize>,
    /// The time since which a message waits for a free entry of the queue.
    full_since: Cell<Option<Time>>,
    traps: Cell<u64>,
    moved_messages: Cell<u64>,
}

impl RxQueue {
    /// Creates the receive side of a node and starts its task.
    pub fn start(
        sim: &Sim,
        name: &str,
        host: &Rc<AlewifeNode>,
        (port, coherence): (&Rc<Port>, &Rc<Coherence>),
        parameters: &CmmuParameters,
    ) -> Rc<RxQueue> {
        let rx = Rc::new(RxQueue {
            sim: sim.clone(),
            host: host.clone(),
            port: port.clone(),
            coherence: coherence.clone(),
            parameters: *parameters,
            queue: RefCell::default(),
            messages_in_memory: Cell::new(0),
            full_since: Cell::new(None),
            traps: Cell::new(0),
            moved_messages: Cell::new(0),
        });
        sim.spawn_server(format!("{name} intake"), rx.clone().run());
        rx
    }

    /// Returns whether a message waits.
    pub fn has_message(&self) -> bool {
        !self.queue.borrow().is_empty()
    }

    /// Takes the next message.
    pub fn next(&self) -> Option<Message> {
        let message = self.queue.borrow_mut().pop_front()?;
        match message.is_in_memory {
            true => self.messages_in_memory.set(self.messages_in_memory.get() - 1),
            // An entry of the queue has become free.
            false => self.port.arrived.notify(),
        }
        Some(message)
    }

    /// Returns the number of times that the queue was emptied into memory, and the number of messages moved.
    pub fn overflows(&self) -> [u64; 2] {
        [self.traps.get(), self.moved_messages.get()]
    }

    async fn run(self: Rc<Self>) {
        loop {
            let classes = Class::all(self.port.classes()).rev();
            let (mut took_packet, mut is_full) = (false, false);
            for class in classes {
                while let Some(is_taken) = self.take_packet(class) {
                    (took_packet, is_full) = (took_packet || is_taken, is_full || !is_taken);
                    if !is_taken {
                        break;
                    }
                }
            }
            if !is_full {
                self.full_since.set(None);
            }
            if took_packet {
                continue;
            }
            let deadline = match is_full {
                false => Time::MAX,
                true => {
                    let wait_start = self.full_since.get().unwrap_or(self.sim.now());
                    self.full_since.set(Some(wait_start));
                    wait_start + self.parameters.patience
                }
            };
            if deadline <= self.sim.now() {
                self.overflow();
                continue;
            }
            self.port.arrived.wait_until(deadline).await;
        }
    }

    /// Takes in the first packet of a class, unless it is a message and the queue is full. Returns whether it was
    /// taken, or `None` if no packet waits.
    fn take_packet(&self, class: Class) -> Option<bool> {
        let front = self.port.front(class)?;
        let is_coherence = wire::decode_coherence(&front).is_some();
        if !is_coherence && self.queue.borrow().len() - self.messages_in_memory.get() >= self.parameters.queue {
            return Some(false);
        }
        let taken_packet = self.port.try_take(class, |_| Answer::None)?;
        let (from, packet) = (taken_packet.from, taken_packet.packet.clone());
        self.port.release(taken_packet);
        match is_coherence {
            true => self.coherence.arrive(from, packet),
            false => {
                self.queue.borrow_mut().push_back(Message { from, packet, is_in_memory: false });
                self.port.changed.notify();
            }
        }
        Some(true)
    }

    /// Empties the queue into memory, by the software of the trap.
    fn overflow(&self) {
        let mut queue = self.queue.borrow_mut();
        let moved_messages = queue.len() - self.messages_in_memory.get();
        queue.iter_mut().for_each(|message| message.is_in_memory = true);
        self.messages_in_memory.set(queue.len());
        self.full_since.set(None);
        self.traps.set(self.traps.get() + 1);
        self.moved_messages.set(self.moved_messages.get() + moved_messages as u64);
        let cycles = self.parameters.overflow + moved_messages as u64 * self.parameters.overflow_each;
        self.host.processor.steal(cycles);
        debug_assert!(self.host.processor.now() >= self.sim.now(), "the trap has not ended before the present");
    }
}
