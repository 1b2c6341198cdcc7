//! The driver half: what a program calls. It moves control messages by programmed I/O and leaves
//! payloads to the firmware's DMA (Yocum et al. 1997, §2.1–2.3).

use super::control::{PROGRAM_BYTES, Reader, Writer};
use super::layout::{CONTROL, HEADER, Layout, length_word, payload_length, program_bytes, state, tag_node, word};
use super::parameters::{Notification, TrapezeParameters};
use super::{Instruments, stage};
use crate::engine::resource::Held;
use crate::engine::sim::{PointId, TaskId};
use crate::engine::{Bytes, Mailbox, NodeId, Sim, Time, Tracked};
use crate::host::io_bus::{Address, IoBusHost};
use std::cell::Cell;
use std::rc::Rc;

/// A message to send.
pub struct Send<'a> {
    /// The message, as it is followed.
    pub message: Tracked,
    /// Which payload it carries, for the receiver's incoming payload table; 0 for none.
    pub tag: u16,
    /// Where the payload lies.
    pub address: Address,
    /// What the program says in the control message.
    pub control: &'a Writer,
}

/// A message received.
pub struct Received {
    /// The message, as it was followed.
    pub message: Tracked,
    /// The node it came from.
    pub source: NodeId,
    /// Its tag.
    pub tag: u16,
    /// Where its payload lies.
    pub address: Address,
    /// Its payload's length.
    pub length: Bytes,
    /// What the sender's program said.
    pub control: Reader,
    entry: u64,
}

/// The driver of one node.
pub struct Driver {
    sim: Sim,
    host: Rc<IoBusHost>,
    parameters: TrapezeParameters,
    layout: Layout,
    instruments: Rc<Instruments>,
    send_next: Cell<u64>,
    send_free: Cell<u64>,
    receive_next: Cell<u64>,
    /// Whether a program has the message of a receive ring entry: its state says `RECEIVED` until
    /// it is given back.
    receive_held: Vec<Cell<bool>>,
    receive_buffers: Vec<Address>,
    inbox: Mailbox<Received>,
    ring_space: PointId,
}

impl Driver {
    /// Attaches a buffer to every entry of the receive ring, and takes interrupts.
    pub(super) fn start(
        sim: &Sim,
        name: &str,
        host: Rc<IoBusHost>,
        parameters: &TrapezeParameters,
        layout: Layout,
        instruments: Rc<Instruments>,
    ) -> Rc<Driver> {
        let buffer = |_| host.memory.allocate(parameters.payload_max, 4096);
        let driver = Rc::new(Driver {
            receive_buffers: (0..parameters.ring_entries).map(buffer).collect(),
            sim: sim.clone(),
            parameters: parameters.clone(),
            layout,
            instruments,
            send_next: Cell::new(0),
            send_free: Cell::new(parameters.ring_entries),
            receive_next: Cell::new(0),
            receive_held: (0..parameters.ring_entries).map(|_| Cell::new(false)).collect(),
            inbox: Mailbox::new(sim, format!("a message for {name}")),
            ring_space: sim.point(format!("a send ring entry of {name}")),
            host,
        });
        if parameters.notification == Notification::Interrupt {
            let handler = driver.clone();
            sim.spawn_server(format!("{name} interrupt handler"), async move { handler.handle_interrupts().await });
        }
        driver
    }

    /// The receive buffers, to be attached before the run begins.
    pub(super) fn receive_buffers(&self) -> &[Address] {
        &self.receive_buffers
    }

    /// States which task frees ring entries and brings messages, for the tale of a stuck run.
    pub(super) fn set_firmware(&self, firmware: TaskId) {
        self.sim.set_holder(self.ring_space, firmware);
        self.sim.set_holder(self.inbox.point(), firmware);
    }

    /// The host it runs on.
    pub fn host(&self) -> &Rc<IoBusHost> {
        &self.host
    }

    /// The parameters of the interface.
    pub fn parameters(&self) -> &TrapezeParameters {
        &self.parameters
    }

    /// Sends a message; returns when it stands in the send ring.
    pub async fn send(&self, send: Send<'_>) {
        let processor = self.with_ring_space().await;
        let working = self.sim.now();
        self.host.processor.work(&processor, self.parameters.software.send).await;
        self.copy_through_shadow(send.control.bytes().len()).await;
        let entry = self.layout.send_entry(self.send_next.get());
        self.send_next.set(self.send_next.get() + 1);
        self.send_free.set(self.send_free.get() - 1);
        self.write_entry(entry, &send).await;
        send.message.served(working, self.sim.now());
        send.message.close(stage::HOST_SEND, self.sim.now());
        drop(processor);
    }

    /// The words after the state first, the state last: the firmware takes the entry by it.
    async fn write_entry(&self, entry: u64, send: &Send<'_>) {
        let pio = &self.host.pio;
        let mut words = Vec::with_capacity(CONTROL.len());
        words.extend(length_word(send.message.payload, send.control.bytes().len()).to_le_bytes());
        words.extend((send.address as u32).to_le_bytes());
        words.extend(tag_node(send.tag, send.message.destination).to_le_bytes());
        words.extend(send.control.bytes());
        pio.write(entry + word::LENGTH, &words).await;
        self.instruments.sending.borrow_mut().push_back(send.message.clone());
        pio.write(entry + word::STATE, &state::TO_SEND.to_le_bytes()).await;
    }

    /// Takes the processor when the send ring has an entry free. Look and use are one hold, so
    /// that of several programs none counts on an entry that another has filled.
    async fn with_ring_space(&self) -> Held<'_> {
        loop {
            let processor = self.host.processor.hold().await;
            if self.has_ring_space().await {
                self.sim.waits_for(None);
                return processor;
            }
            drop(processor);
            self.sim.waits_for(Some(self.ring_space));
            self.sim.delay(self.parameters.ring_poll).await;
        }
    }

    /// Whether the send ring has entries free; looks across the bus when none is known. Entries
    /// are freed in order, so one look at the last of half a ring tells of them all.
    async fn has_ring_space(&self) -> bool {
        if self.send_free.get() == 0 {
            let half = (self.parameters.ring_entries / 2).max(1);
            let last = self.layout.send_entry(self.send_next.get() + half - 1);
            if self.read_word(last + word::STATE).await == state::FREE {
                self.send_free.set(half);
            }
        }
        self.send_free.get() > 0
    }

    /// Waits for the next message.
    pub async fn receive(&self) -> Received {
        match self.parameters.notification {
            Notification::Interrupt => self.inbox.receive().await,
            Notification::Polling(interval) => self.poll(interval).await,
        }
    }

    /// Gives a message's ring entry, and the buffer attached to it, back to the interface.
    pub async fn release(&self, received: Received) {
        let processor = self.host.processor.hold().await;
        let (entry, buffer) = (self.layout.receive_entry(received.entry), self.receive_buffer(received.entry));
        self.host.pio.write(entry + word::ADDRESS, &(buffer as u32).to_le_bytes()).await;
        self.host.pio.write(entry + word::STATE, &state::POSTED.to_le_bytes()).await;
        self.receive_held[self.slot(received.entry)].set(false);
        drop(processor);
    }

    /// Has payloads with `tag` delivered to `address`: early demultiplexing (§2.1).
    pub async fn map_tag(&self, tag: u16, address: Address) {
        let processor = self.host.processor.hold().await;
        self.host.pio.write(self.layout.tag(tag), &(address as u32 + 1).to_le_bytes()).await;
        drop(processor);
    }

    async fn handle_interrupts(&self) {
        loop {
            self.host.interrupt.taken().await;
            self.sim.delay(self.host.processor.parameters().interrupt_latency).await;
            let processor = self.host.processor.hold().await;
            while let Some(received) = self.take_next(&processor).await {
                self.inbox.send(received);
            }
        }
    }

    async fn poll(&self, interval: Time) -> Received {
        self.sim.waits_for(Some(self.inbox.point()));
        loop {
            let processor = self.host.processor.hold().await;
            if let Some(received) = self.take_next(&processor).await {
                self.sim.waits_for(None);
                return received;
            }
            drop(processor);
            self.sim.delay(interval).await;
        }
    }

    /// The message in the next entry of the receive ring, if there is one.
    async fn take_next(&self, processor: &Held<'_>) -> Option<Received> {
        let index = self.receive_next.get();
        let (entry, slot) = (self.layout.receive_entry(index), self.slot(index));
        if self.receive_held[slot].get() || self.read_word(entry + word::STATE).await != state::RECEIVED {
            return None;
        }
        self.receive_held[slot].set(true);
        let message = self.instruments.received.borrow_mut()[slot].take().expect("an entry stands for a message");
        let start = self.sim.now();
        self.host.processor.work(processor, self.parameters.software.receive).await;
        let received = self.read_entry(entry, index, message).await;
        self.receive_next.set(index + 1);
        received.message.served(start, self.sim.now());
        received.message.close(stage::HOST_RECEIVE, self.sim.now());
        self.instruments.tally.deliver(&received.message);
        Some(received)
    }

    async fn read_entry(&self, entry: u64, index: u64, message: Tracked) -> Received {
        let mut header = [0; 12];
        self.host.pio.read(entry + word::LENGTH, &mut header).await;
        let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (length, address, tag_node) = (word(0), word(4), word(8));
        let mut control = vec![0; program_bytes(length).min(PROGRAM_BYTES)];
        if !control.is_empty() {
            self.host.pio.read(entry + HEADER.get(), &mut control).await;
            self.copy_through_shadow(control.len()).await;
        }
        Received {
            message,
            source: (tag_node & 0xffff) as NodeId,
            tag: (tag_node >> 16) as u16,
            address: Address::from(address),
            length: payload_length(length),
            control: Reader::new(control),
            entry: index,
        }
    }

    /// With shadow buffers the control message passes host memory once more.
    async fn copy_through_shadow(&self, bytes: usize) {
        let block = self.host.memory.block().len();
        for _ in 0..if self.parameters.shadow { (HEADER.len() + bytes).div_ceil(block) } else { 0 } {
            self.host.memory.copy_block().await;
        }
    }

    fn receive_buffer(&self, index: u64) -> Address {
        self.receive_buffers[self.slot(index)]
    }

    fn slot(&self, index: u64) -> usize {
        (index % self.parameters.ring_entries) as usize
    }

    async fn read_word(&self, offset: u64) -> u32 {
        let mut word = [0; 4];
        self.host.pio.read(offset, &mut word).await;
        u32::from_le_bytes(word)
    }
}
