//! What comes: the protocol's packets go to the protocol at once, messages into the receive queue.
//!
//! A message that finds the queue full holds up what is behind it in its class. When one has waited so for as long
//! as it may, the processor traps, and its software empties the queue into memory, from where it is received later;
//! so packets always drain, whatever programs do, and replies do.

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

/// A message that came.
pub(super) struct Message {
    pub from: NodeId,
    pub packet: Rc<Packet>,
    /// Whether software has put it into memory.
    pub in_memory: bool,
}

/// The receiving side.
pub(super) struct Intake {
    sim: Sim,
    host: Rc<AlewifeNode>,
    port: Rc<Port>,
    coherence: Rc<Coherence>,
    parameters: CmmuParameters,
    queue: RefCell<VecDeque<Message>>,
    /// Those of them that are in memory: the first.
    in_memory: Cell<usize>,
    /// Since when a message waits for room.
    full_since: Cell<Option<Time>>,
    traps: Cell<u64>,
    saved: Cell<u64>,
}

impl Intake {
    /// The receiving side of a node, its task started.
    pub fn start(
        sim: &Sim,
        name: &str,
        host: &Rc<AlewifeNode>,
        (port, coherence): (&Rc<Port>, &Rc<Coherence>),
        parameters: &CmmuParameters,
    ) -> Rc<Intake> {
        let intake = Rc::new(Intake {
            sim: sim.clone(),
            host: host.clone(),
            port: port.clone(),
            coherence: coherence.clone(),
            parameters: *parameters,
            queue: RefCell::default(),
            in_memory: Cell::new(0),
            full_since: Cell::new(None),
            traps: Cell::new(0),
            saved: Cell::new(0),
        });
        sim.spawn_server(format!("{name} intake"), intake.clone().run());
        intake
    }

    /// Whether a message waits.
    pub fn has_message(&self) -> bool {
        !self.queue.borrow().is_empty()
    }

    /// The next message.
    pub fn next(&self) -> Option<Message> {
        let message = self.queue.borrow_mut().pop_front()?;
        match message.in_memory {
            true => self.in_memory.set(self.in_memory.get() - 1),
            // There is room for another.
            false => self.port.arrived.notify(),
        }
        Some(message)
    }

    /// How often the queue was emptied into memory, and how many messages.
    pub fn overflows(&self) -> [u64; 2] {
        [self.traps.get(), self.saved.get()]
    }

    async fn run(self: Rc<Self>) {
        loop {
            let classes = Class::all(self.port.classes()).rev();
            let (mut moved, mut is_full) = (false, false);
            for class in classes {
                while let Some(took) = self.take(class) {
                    (moved, is_full) = (moved || took, is_full || !took);
                    if !took {
                        break;
                    }
                }
            }
            if !is_full {
                self.full_since.set(None);
            }
            if moved {
                continue;
            }
            let deadline = match is_full {
                false => Time::MAX,
                true => {
                    let since = self.full_since.get().unwrap_or(self.sim.now());
                    self.full_since.set(Some(since));
                    since + self.parameters.patience
                }
            };
            if deadline <= self.sim.now() {
                self.overflow();
                continue;
            }
            self.port.arrived.wait_until(deadline).await;
        }
    }

    /// Takes the packet in front of a class in, if there is one; whether there was room for it.
    fn take(&self, class: Class) -> Option<bool> {
        let front = self.port.front(class)?;
        let is_coherence = wire::coherence(&front).is_some();
        if !is_coherence && self.queue.borrow().len() - self.in_memory.get() >= self.parameters.queue {
            return Some(false);
        }
        let taken = self.port.try_take(class, |_| Answer::None)?;
        let (from, packet) = (taken.from, taken.packet.clone());
        self.port.release(taken);
        match is_coherence {
            true => self.coherence.comes(from, packet),
            false => {
                self.queue.borrow_mut().push_back(Message { from, packet, in_memory: false });
                self.port.changed.notify();
            }
        }
        Some(true)
    }

    /// Software empties the queue into memory.
    fn overflow(&self) {
        let mut queue = self.queue.borrow_mut();
        let saved = queue.len() - self.in_memory.get();
        queue.iter_mut().for_each(|message| message.in_memory = true);
        self.in_memory.set(queue.len());
        self.full_since.set(None);
        self.traps.set(self.traps.get() + 1);
        self.saved.set(self.saved.get() + saved as u64);
        let cycles = self.parameters.overflow + saved as u64 * self.parameters.overflow_each;
        self.host.processor.steal(cycles);
        debug_assert!(self.host.processor.now() >= self.sim.now(), "a trap takes time");
    }
}
