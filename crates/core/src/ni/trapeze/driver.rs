//! The driver half of Trapeze, which the messaging layer calls. It moves control messages by programmed I/O and leaves
//! payloads to the firmware's DMA (Yocum et al. 1997, §2.1–2.3).

use super::control::{ControlReader, ControlWriter, PROGRAM_BYTES};
use super::firmware::Admission;
use super::instruments::Instruments;
use super::layout::{
    ACTIVE_MESSAGE_FLAG, CONTROL_BYTES, HEADER_BYTES, Layout, endpoints_of, length_word, node_of, payload_length,
    program_bytes, state, tag_node_word, tag_of, tag_with_endpoints, word,
};
use super::parameters::{Notification, TrapezeParameters};
use super::stage;
use crate::engine::sim::{TaskId, WaitReasonId};
use crate::engine::{Bytes, EndpointId, EndpointMap, Journey, LocalFuture, Mailbox, Signal, Sim};
use crate::host::{
    Address, AnyProcessor, CoreId, CpuLease, Host, Interrupt, InterruptVector, Processor, Utilization, Window,
};
use crate::ni::build_context::BuildContext;
use crate::ni::driver::{
    Costs, Driver, DriverLimits, DriverState, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake,
};
use crate::ni::envelope::Envelope;
use crate::ni::extensions::{DriverExtensions, HostDmaEngine};
use crate::ni::in_flight::InFlight;
use crate::ni::lanai::Lanai;
use crate::ni::word_copy::{PayloadSink, PayloadSource, words_of};
use crate::protocol::Statistics;
use std::cell::Cell;
use std::rc::Rc;

/// A received message.
struct ReceivedMessage {
    source: EndpointId,
    /// The destination, one of the node's endpoints.
    destination: EndpointId,
    tag: u16,
    /// Address of the payload.
    address: Address,
    /// Length of the payload.
    length: Bytes,
    /// The bytes from the sender's program.
    control: ControlReader,
    entry: u64,
}

/// The driver of one node.
pub struct TrapezeDriver {
    sim: Sim,
    host: Host,
    cpu: AnyProcessor,
    window: Window,
    chip: Rc<Lanai>,
    parameters: TrapezeParameters,
    costs: Costs,
    layout: Layout,
    instruments: Rc<Instruments>,
    admission: Rc<Admission>,
    in_flight: Rc<InFlight>,
    addresses: Rc<EndpointMap>,
    next_send_entry: Cell<u64>,
    free_send_entries: Cell<u64>,
    next_receive_entry: Cell<u64>,
    /// Whether a program holds the message of a receive ring entry; the entry's state stays `RECEIVED` until the
    /// program releases it.
    held_entries: Vec<Cell<bool>>,
    receive_buffers: Vec<Address>,
    inbox: Mailbox<ReceivedMessage>,
    ring_space_wait_reason: WaitReasonId,
}

impl TrapezeDriver {
    /// Creates the driver of a node: allocates a buffer for every entry of the receive ring and, with interrupts,
    /// registers the handler.
    pub(super) fn start(
        context: &BuildContext<'_>,
        (window, chip): (Window, &Rc<Lanai>),
        parameters: &TrapezeParameters,
        layout: Layout,
        (instruments, admission): (&Rc<Instruments>, &Rc<Admission>),
    ) -> Rc<TrapezeDriver> {
        let (sim, name) = (context.sim, context.name());
        let allocate_buffer = |_| context.host.allocate(parameters.payload_max.len());
        let driver = Rc::new(TrapezeDriver {
            receive_buffers: (0..parameters.ring_entries).map(allocate_buffer).collect(),
            sim: sim.clone(),
            host: context.host.clone(),
            cpu: context.host.cpu(),
            window,
            chip: chip.clone(),
            parameters: parameters.clone(),
            costs: context.costs,
            layout,
            instruments: instruments.clone(),
            admission: admission.clone(),
            in_flight: context.in_flight.clone(),
            addresses: context.addresses.clone(),
            next_send_entry: Cell::new(0),
            free_send_entries: Cell::new(parameters.ring_entries),
            next_receive_entry: Cell::new(0),
            held_entries: (0..parameters.ring_entries).map(|_| Cell::new(false)).collect(),
            inbox: Mailbox::new(sim, format!("a message for {name}")),
            ring_space_wait_reason: sim.register_wait_reason(format!("a send ring entry of {name}")),
        });
        if parameters.notification == Notification::Interrupt {
            let handler = driver.clone();
            let handle = move |_: Interrupt| handler.clone().handle_interrupt();
            context.host.interrupts().connect(InterruptVector::FIRST, CoreId::FIRST, Box::new(handle));
        }
        driver
    }

    /// Returns the receive buffers, which are attached to the ring entries before the run begins.
    pub(super) fn receive_buffers(&self) -> &[Address] {
        &self.receive_buffers
    }

    /// Sets the task that frees ring entries and delivers messages, for the deadlock report.
    pub(super) fn set_firmware(&self, firmware: TaskId) {
        self.sim.set_holder(self.ring_space_wait_reason, firmware);
        self.sim.set_holder(self.inbox.wait_reason(), firmware);
    }

    /// Writes a send ring entry. The state word is written last, since the firmware takes the entry once the state is
    /// set.
    async fn write_entry(&self, entry: u64, packet: &SendRequest<'_>, control: &ControlWriter) {
        let (payload, address, tag) = match packet.source {
            PayloadSource::Memory(address, bytes) => (bytes, address, packet.envelope.handler.into()),
            PayloadSource::Words(_) => (0, 0, ACTIVE_MESSAGE_FLAG | u16::from(packet.envelope.handler)),
        };
        let mut words = Vec::with_capacity(CONTROL_BYTES.len());
        words.extend(length_word(Bytes(payload as u64), control.bytes().len()).to_le_bytes());
        words.extend((address as u32).to_le_bytes());
        let endpoints = [packet.from, packet.to].map(|endpoint| self.addresses.index_on_node(endpoint));
        let tag_word = tag_node_word(tag_with_endpoints(tag, endpoints), self.addresses.node(packet.to));
        words.extend(tag_word.to_le_bytes());
        words.extend(control.bytes());
        self.cpu.write_run(self.window.at(entry + word::LENGTH), &words).await;
        self.instruments.sending_journeys.borrow_mut().push_back(packet.journey.clone());
        self.cpu.write_run(self.window.at(entry + word::STATE), &state::marked(packet.marks).to_le_bytes()).await;
    }

    /// Returns whether the send ring has a free entry. If none is known to be free, reads the ring across the bus:
    /// since entries are freed in order, the state of the last entry of a half ring shows whether the whole half is
    /// free.
    async fn has_ring_space(&self) -> bool {
        if self.free_send_entries.get() == 0 {
            let half_entries = (self.parameters.ring_entries / 2).max(1);
            let last_entry = self.layout.send_entry(self.next_send_entry.get() + half_entries - 1);
            if self.read_word(last_entry + word::STATE).await == state::FREE {
                self.free_send_entries.set(half_entries);
            }
        }
        self.free_send_entries.get() > 0
    }

    /// Posts a message's ring entry again, with its buffer.
    async fn repost(&self, index: u64) {
        let _lease = self.cpu.acquire("give back").await;
        let (entry, buffer) = (self.layout.receive_entry(index), self.receive_buffer(index));
        self.cpu.write_run(self.window.at(entry + word::ADDRESS), &(buffer as u32).to_le_bytes()).await;
        self.cpu.write_run(self.window.at(entry + word::STATE), &state::POSTED.to_le_bytes()).await;
        self.held_entries[self.ring_index(index)].set(false);
    }

    fn handle_interrupt(self: Rc<Self>) -> LocalFuture<'static> {
        Box::pin(async move {
            let lease = self.cpu.acquire("interrupt").await;
            while let Some(message) = self.take_next(&lease).await {
                self.inbox.send(message);
            }
        })
    }

    /// Takes the message in the next entry of the receive ring, if there is one.
    async fn take_next(&self, lease: &CpuLease) -> Option<ReceivedMessage> {
        let index = self.next_receive_entry.get();
        let (entry, position) = (self.layout.receive_entry(index), self.ring_index(index));
        if self.held_entries[position].get() || self.read_word(entry + word::STATE).await != state::RECEIVED {
            return None;
        }
        self.held_entries[position].set(true);
        self.in_flight.remove(self.host.node);
        let journey = std::mem::take(&mut self.instruments.received_journeys.borrow_mut()[position]);
        let start = self.cpu.now();
        self.cpu.work(self.costs.receive);
        self.cpu.sync().await;
        let message = self.read_entry(entry, index).await;
        self.next_receive_entry.set(index + 1);
        self.cpu.sync().await;
        journey.add_service(start, self.cpu.now());
        journey.close(stage::HOST_RECEIVE, self.cpu.now());
        self.instruments.tally.deliver(&journey, self.cpu.now());
        lease.record_span("receive", journey.id(), message.length.len());
        Some(message)
    }

    async fn read_entry(&self, entry: u64, index: u64) -> ReceivedMessage {
        let mut header = [0; 12];
        self.cpu.read_run(self.window.at(entry + word::LENGTH), &mut header).await;
        let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (length, address, tag_word) = (word(0), word(4), word(8));
        let [from, to] = endpoints_of(tag_word);
        let mut control = vec![0; program_bytes(length).min(PROGRAM_BYTES)];
        if !control.is_empty() {
            self.cpu.read_run(self.window.at(entry + HEADER_BYTES.get()), &mut control).await;
            self.copy_through_shadow(control.len()).await;
        }
        ReceivedMessage {
            source: self.addresses.endpoint(node_of(tag_word), from),
            destination: self.addresses.endpoint(self.host.node, to),
            tag: tag_of(tag_word),
            address: Address::from(address),
            length: payload_length(length),
            control: ControlReader::new(control),
            entry: index,
        }
    }

    /// Copies a control message through host memory, if shadow buffers are used.
    async fn copy_through_shadow(&self, bytes: usize) {
        if !self.parameters.shadow {
            return;
        }
        let buffer = self.receive_buffers[0];
        for _ in 0..(HEADER_BYTES.len() + bytes).div_ceil(self.host.copy_block_bytes()) {
            self.cpu.copy_block(buffer, buffer).await;
        }
    }

    fn receive_buffer(&self, index: u64) -> Address {
        self.receive_buffers[self.ring_index(index)]
    }

    fn ring_index(&self, index: u64) -> usize {
        (index % self.parameters.ring_entries) as usize
    }

    async fn read_word(&self, offset: u64) -> u32 {
        let mut word = [0; 4];
        self.cpu.read_run(self.window.at(offset), &mut word).await;
        u32::from_le_bytes(word)
    }
}

impl DriverExtensions for TrapezeDriver {
    fn host_dma(&self) -> Option<&dyn HostDmaEngine> {
        Some(&*self.chip)
    }
}

impl Driver for TrapezeDriver {
    fn limits(&self) -> DriverLimits {
        DriverLimits {
            words: PROGRAM_BYTES / 4,
            payload: self.parameters.payload_max.len(),
            inline_bytes: PROGRAM_BYTES,
            sequences: 1,
            steers_by_tag: true,
            classes: 1,
            overflows_to_user_memory: false,
        }
    }

    fn begin_send(&self, _cpu: &AnyProcessor, _journey: &Journey) -> TxToken {
        TxToken::default()
    }

    /// Sends a message if the ring has a free entry. The processor is held from the check until the entry is filled, so
    /// that no other program can take the entry.
    async fn try_send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>, _token: &TxToken) -> bool {
        let lease = cpu.acquire("check for a free slot").await;
        if !self.has_ring_space().await {
            return false;
        }
        let (_works, work_start) = (cpu.sim().works(), cpu.now());
        cpu.work(self.costs.send);
        cpu.sync().await;
        let control = ControlWriter::for_request(packet);
        self.copy_through_shadow(control.bytes().len()).await;
        let entry = self.layout.send_entry(self.next_send_entry.get());
        self.next_send_entry.set(self.next_send_entry.get() + 1);
        self.free_send_entries.set(self.free_send_entries.get() - 1);
        self.write_entry(entry, packet, &control).await;
        // The firmware may take the entry before the processor continues, because the processor's local time may be
        // ahead.
        let write_time = self.sim.now();
        packet.journey.add_service(work_start, write_time);
        packet.journey.close(stage::HOST_SEND, write_time);
        lease.record_span("send", packet.journey.id(), packet.source.bytes());
        true
    }

    async fn wait_for_capacity(&self, _cpu: &AnyProcessor) {
        self.sim.delay(self.parameters.ring_poll).await;
    }

    async fn poll(&self, cpu: &AnyProcessor, _sends_reply: &dyn Fn(u8) -> bool) -> Option<RxPacket> {
        let message = match self.parameters.notification {
            Notification::Interrupt => self.inbox.try_receive(),
            Notification::Polling(_) => {
                let lease = cpu.acquire("poll").await;
                self.take_next(&lease).await
            }
        };
        let mut message = message?;
        let is_part = message.tag & ACTIVE_MESSAGE_FLAG == 0;
        let (entry, address) = (message.entry, message.address);
        let state = DriverState {
            entry,
            address,
            inline_bytes: message.control.remaining().to_vec(),
            ..DriverState::default()
        };
        let (handler, endpoints) = (message.tag as u8, [message.source, message.destination]);
        let envelope = Envelope { is_part, handler, last: true, ..Envelope::default() };
        let bytes = if is_part { message.length.len() } else { state.inline_bytes.len() };
        Some(RxPacket::new(endpoints, envelope, bytes, Journey::NONE).with_state(state))
    }

    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut RxPacket,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> RxCompletion {
        if extra_cycles > 0 {
            let _lease = cpu.acquire("receive").await;
            cpu.work(extra_cycles);
            cpu.sync().await;
        }
        let DriverState { entry, address, inline_bytes, .. } = std::mem::take(&mut arrival.state);
        let PayloadSink::Words(words) = sink else { return RxCompletion { address, inline_bytes, entry: Some(entry) } };
        words.extend(words_of(&inline_bytes));
        self.repost(entry).await;
        RxCompletion::default()
    }

    async fn release(&self, _cpu: &AnyProcessor, entry: u64) {
        self.repost(entry).await;
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        cpu.sync().await;
        match self.parameters.notification {
            Notification::Interrupt => {
                let wake_time = (wake.next)();
                if self.inbox.is_empty() && wake_time > self.sim.now() {
                    self.inbox.arrival_signal().wait_until(wake_time).await;
                }
            }
            Notification::Polling(interval) => self.sim.delay(interval).await,
        }
        false
    }

    fn wait_policy(&self) -> WaitPolicy {
        match self.parameters.notification {
            Notification::Interrupt => WaitPolicy::OnEvent,
            Notification::Polling(interval) => WaitPolicy::Periodic(interval),
        }
    }

    fn wakeup(&self) -> &Signal {
        self.inbox.arrival_signal()
    }

    fn capacity_wait_reason(&self) -> Option<WaitReasonId> {
        Some(self.ring_space_wait_reason)
    }

    fn packet_wait_reason(&self) -> Option<WaitReasonId> {
        match self.parameters.notification {
            Notification::Interrupt => None,
            Notification::Polling(_) => Some(self.inbox.wait_reason()),
        }
    }

    fn is_zero_copy(&self) -> bool {
        true
    }

    /// Maps a tag to an address for early demultiplexing (Yocum et al. 1997, §2.1).
    async fn map_tag(&self, cpu: &AnyProcessor, endpoint: EndpointId, tag: u16, address: Address) {
        let _lease = cpu.acquire("map a tag").await;
        let entry = self.layout.tag_entry(self.addresses.index_on_node(endpoint), tag);
        cpu.write_run(self.window.at(entry), &(address as u32 + 1).to_le_bytes()).await;
    }

    fn accounts(&self) -> Option<(Statistics, usize)> {
        self.admission.accounts(CONTROL_BYTES + self.parameters.payload_max)
    }

    fn utilization(&self) -> Vec<Utilization> {
        self.chip.utilization()
    }
}
