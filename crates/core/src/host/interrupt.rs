//! Interrupts: vectors from an interface to handlers on the cores of its host.
//!
//! A raised vector is pending until its handler starts, after the interrupt latency. If it is raised again before that,
//! there is no further interrupt, and the causes are merged. A masked vector stays pending. A vector is either a line
//! outside the bus or message-signalled; a message-signalled vector is delivered after the writes that the device
//! posted before it. The module leaves out priorities among vectors, and moderation, which belongs to the interface.

use super::posted_writes::PostedWrites;
use crate::engine::{LocalFuture, Signal, Sim, Time};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The reason for which the interrupt latency has no effect if the interface is polled.
pub const POLLED_REASON: &str = "the interface is polled";

/// The number of a core of a host.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct CoreId(pub u16);

impl CoreId {
    /// The first core of a host, which every host has.
    pub const FIRST: CoreId = CoreId(0);
}

/// The number of an interrupt vector.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct InterruptVector(pub u16);

impl InterruptVector {
    /// The first vector, which every controller has.
    pub const FIRST: InterruptVector = InterruptVector(0);
}

/// An interrupt that is delivered to its handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupt {
    /// Vector that was raised.
    pub vector: InterruptVector,
    /// Core on which the handler runs.
    pub core: CoreId,
    /// Causes for which the vector was raised, as one bit for each.
    pub causes: u32,
}

/// The code that handles an interrupt. It must acquire its core, as all code must.
pub type InterruptHandler = Box<dyn Fn(Interrupt) -> LocalFuture<'static>>;

/// A controller that delivers the interrupts of an interface.
pub trait InterruptController {
    /// Returns the number of vectors.
    fn vectors(&self) -> u16;

    /// Connects a vector to its handler on `core`. The handler runs for one interrupt at a time.
    ///
    /// # Panics
    ///
    /// Panics if there is no such vector, or if the vector already has a handler.
    fn connect(&self, vector: InterruptVector, core: CoreId, handler: InterruptHandler);

    /// Raises a vector for `causes`, which are bits. A message-signalled vector is delivered after the device's earlier
    /// posted writes.
    fn raise(&self, vector: InterruptVector, causes: u32);

    /// Masks a vector, so that it stays pending, or unmasks it.
    fn mask(&self, vector: InterruptVector, is_masked: bool);
}

/// The interrupt controller for one interface, with its vectors.
pub struct Interrupts {
    sim: Sim,
    name: String,
    /// Time from the delivery to the first instruction of the handler.
    latency: Time,
    vectors: Vec<Rc<Vector>>,
    /// Posted writes of the device, if vectors are message-signalled.
    writes: Option<Rc<PostedWrites>>,
}

struct Vector {
    is_connected: Cell<bool>,
    is_masked: Cell<bool>,
    /// Causes that were raised and have not been delivered. Each entry has the number of the first posted write that
    /// the interrupt may precede, and the causes.
    pending_causes: RefCell<VecDeque<(u64, u32)>>,
    change: Signal,
}

impl Interrupts {
    /// Creates `vectors` idle interrupt lines of the host `name`.
    pub fn new(sim: &Sim, name: &str, latency: Time, vectors: u16) -> Interrupts {
        let vector = |number: u16| {
            let signal = if vectors == 1 { format!("{name} interrupt") } else { format!("{name} interrupt {number}") };
            Rc::new(Vector {
                is_connected: Cell::new(false),
                is_masked: Cell::new(false),
                pending_causes: RefCell::default(),
                change: Signal::new(sim, signal),
            })
        };
        let vectors = (0..vectors).map(vector).collect();
        Interrupts { sim: sim.clone(), name: name.to_owned(), latency, vectors, writes: None }
    }

    /// Makes the vectors message-signalled: each is delivered after the writes that the device posted before it, of
    /// which `writes` is the record.
    #[must_use]
    pub fn message_signalled(mut self, writes: &Rc<PostedWrites>) -> Interrupts {
        self.writes = Some(writes.clone());
        self
    }

    fn vector(&self, vector: InterruptVector) -> &Rc<Vector> {
        let found = self.vectors.get(usize::from(vector.0));
        found.unwrap_or_else(|| {
            panic!("{} has {} interrupt vectors, and none is number {}", self.name, self.vectors.len(), vector.0)
        })
    }
}

impl InterruptController for Interrupts {
    fn vectors(&self) -> u16 {
        self.vectors.len() as u16
    }

    fn connect(&self, vector: InterruptVector, core: CoreId, handler: InterruptHandler) {
        let state = self.vector(vector).clone();
        assert!(!state.is_connected.replace(true), "a vector has one handler");
        let task = match self.vectors.len() {
            1 => format!("{} interrupt handler", self.name),
            _ => format!("{} interrupt handler {}", self.name, vector.0),
        };
        let (sim, latency, writes) = (self.sim.clone(), self.latency, self.writes.clone());
        self.sim.spawn_server(task, async move {
            loop {
                let causes = state.wait_for_causes(writes.as_deref()).await;
                sim.delay(latency).await;
                handler(Interrupt { vector, core, causes }).await;
            }
        });
    }

    fn raise(&self, vector: InterruptVector, causes: u32) {
        let next_write = self.writes.as_ref().map_or(0, |writes| writes.next_number());
        let vector = self.vector(vector);
        vector.pending_causes.borrow_mut().push_back((next_write, causes));
        vector.change.notify();
    }

    fn mask(&self, vector: InterruptVector, is_masked: bool) {
        let vector = self.vector(vector);
        vector.is_masked.set(is_masked);
        vector.change.notify();
    }
}

impl Vector {
    /// Waits until the vector can be delivered. Returns its causes, which are then no longer pending.
    async fn wait_for_causes(&self, writes: Option<&PostedWrites>) -> u32 {
        loop {
            while self.pending_causes.borrow().is_empty() || self.is_masked.get() {
                self.change.wait().await;
            }
            if let Some(writes) = writes {
                let next_write = self.pending_causes.borrow()[0].0;
                writes.wait_until_visible_before(next_write).await;
            }
            if !self.is_masked.get() {
                return self.take_visible_causes(|next_write| {
                    writes.is_none_or(|writes| writes.are_visible_before(next_write))
                });
            }
        }
    }

    /// Removes and returns the causes whose preceding writes are visible now.
    fn take_visible_causes(&self, are_visible: impl Fn(u64) -> bool) -> u32 {
        let (mut pending_causes, mut causes) = (self.pending_causes.borrow_mut(), 0);
        while let Some((_, new_causes)) = pending_causes.pop_front_if(|(next_write, _)| are_visible(*next_write)) {
            causes |= new_causes;
        }
        causes
    }
}
