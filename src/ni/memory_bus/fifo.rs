//! What the fifo designs share: the interface memory in which a message is composed and read.
//!
//! Models: a message is composed in an outgoing flow-control buffer in the interface's memory, and
//! sent from there as it stands. An arriving one goes into an incoming buffer and from there to the
//! fifo, some access times later; messages follow each other through these steps. What the
//! processor has not read keeps its incoming buffer.
//! Leaves out: several processes.

use super::message::{Header, Parcel, SENDING, Ticket};
use super::port::Port;
use crate::engine::{Ledger, Mailbox, Signal, Sim, Time};
use crate::protocol::return_to_sender::{OutgoingBuffer, Taken};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Sends parcels one after the other, each after a fixed time: the last part of every design.
pub struct Output {
    sim: Sim,
    port: Rc<Port>,
    time: Time,
    launched: Mailbox<(OutgoingBuffer, Parcel)>,
}

impl Output {
    /// An output at work.
    pub fn new(sim: &Sim, name: &str, port: &Rc<Port>, time: Time) -> Rc<Output> {
        let output = Rc::new(Output {
            sim: sim.clone(),
            port: port.clone(),
            time,
            launched: Mailbox::new(sim, format!("{name}: a message to send")),
        });
        sim.spawn_server(format!("{name} output"), output.clone().serve());
        output
    }

    /// Sends `parcel` when those before it are sent.
    pub fn send(&self, buffer: OutgoingBuffer, parcel: Parcel) {
        self.launched.send((buffer, parcel));
    }

    async fn serve(self: Rc<Output>) {
        loop {
            let (buffer, mut parcel) = self.launched.receive().await;
            let start = self.sim.now();
            self.sim.delay(self.time).await;
            parcel.served(start, self.sim.now());
            self.port.transmit(buffer, parcel).await;
        }
    }
}

/// The sending fifo.
pub struct SendFifo {
    sim: Sim,
    port: Rc<Port>,
    output: Rc<Output>,
    composed: RefCell<Vec<u8>>,
    ticket: RefCell<Option<Ticket>>,
}

impl SendFifo {
    /// An empty fifo that takes `time` to read and process a message.
    pub fn new(sim: &Sim, name: &str, port: &Rc<Port>, time: Time) -> SendFifo {
        let output = Output::new(sim, name, port, time);
        SendFifo {
            sim: sim.clone(),
            port: port.clone(),
            output,
            composed: RefCell::default(),
            ticket: RefCell::default(),
        }
    }

    /// How many messages may be launched now.
    pub fn room(&self) -> u64 {
        self.port.room()
    }

    /// Keeps the journey of the message to be composed.
    pub fn set_ticket(&self, ticket: Option<Ticket>) {
        *self.ticket.borrow_mut() = ticket;
    }

    /// Appends to the message.
    pub fn write(&self, bytes: &[u8]) {
        self.composed.borrow_mut().extend_from_slice(bytes);
    }

    /// Sends the message, the first `bytes` bytes composed.
    pub fn launch(&self, bytes: usize) {
        let buffer = self.port.try_reserve().expect("a driver launches only where there is room");
        let mut composed = std::mem::take(&mut *self.composed.borrow_mut());
        assert!(composed.len() >= bytes, "a message is launched when it is composed");
        composed.truncate(bytes);
        let ticket = self.ticket.borrow_mut().take();
        let ledger = ticket.map(|ticket| ticket.end(&SENDING, self.sim.now()));
        self.output.send(buffer, Parcel { bytes: composed, ledger });
    }
}

/// The receiving fifo.
pub struct ReceiveFifo {
    sim: Sim,
    port: Rc<Port>,
    time: Time,
    begun: Mailbox<Taken<Parcel>>,
    ready: RefCell<VecDeque<Taken<Parcel>>>,
    position: Cell<usize>,
    /// A message became visible.
    pub visible: Signal,
}

impl ReceiveFifo {
    /// An empty fifo at work; it takes `time` to process and write a message.
    pub fn new(sim: &Sim, name: &str, port: &Rc<Port>, time: Time) -> Rc<ReceiveFifo> {
        let fifo = Rc::new(ReceiveFifo {
            sim: sim.clone(),
            port: port.clone(),
            time,
            begun: Mailbox::new(sim, format!("{name}: a message on its way to the fifo")),
            ready: RefCell::default(),
            position: Cell::new(0),
            visible: Signal::new(sim, format!("{name}: a message")),
        });
        sim.spawn_server(format!("{name} input"), fifo.clone().begin());
        sim.spawn_server(format!("{name} fifo"), fifo.clone().finish());
        fifo
    }

    /// Begins each message as it arrives.
    async fn begin(self: Rc<ReceiveFifo>) {
        loop {
            let taken = self.port.take().await;
            self.begun.send_at(self.sim.now() + self.time, taken);
        }
    }

    async fn finish(self: Rc<ReceiveFifo>) {
        loop {
            let mut taken = self.begun.receive().await;
            let now = self.sim.now();
            taken.payload.close("receive: interface", Some(now - self.time), now);
            self.ready.borrow_mut().push_back(taken);
            self.visible.notify();
        }
    }

    /// The header of the oldest message.
    pub fn header(&self) -> Option<Header> {
        self.ready.borrow().front().map(|taken| taken.payload.header())
    }

    /// The next `bytes` bytes of the oldest message, zeros after its end; a message of which the
    /// last word was read is gone.
    pub fn read(&self, bytes: usize) -> Vec<u8> {
        let (from, mut data) = (self.position.get(), vec![0; bytes]);
        let length = {
            let ready = self.ready.borrow();
            let message = &ready.front().expect("a driver reads only a message that is there").payload.bytes;
            let end = (from + bytes).min(message.len());
            let part = &message[from.min(end)..end];
            data[..part.len()].copy_from_slice(part);
            message.len().next_multiple_of(8)
        };
        self.position.set(from + bytes);
        if from + bytes >= length {
            self.discard();
        }
        data
    }

    /// Begins the oldest message anew: what was read was only looked at.
    pub fn rewind(&self) {
        self.position.set(0);
    }

    /// Lets go of the oldest message.
    fn discard(&self) {
        let taken = self.ready.borrow_mut().pop_front().expect("there is a message");
        self.position.set(0);
        self.port.release(taken);
    }

    /// The journey of the oldest message.
    pub fn take_ledger(&self) -> Option<Box<Ledger>> {
        self.ready.borrow_mut().front_mut()?.payload.ledger.take()
    }
}
