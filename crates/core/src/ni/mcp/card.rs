//! The part of the driver that the kernel and the library share: descriptors of packets to send, receive buffers, and
//! the interface's events.

use super::buffers::{ReceiveBuffers, RxDestination};
use super::instruments::Instruments;
use super::layout::{Layout, buffer_descriptor, event, state};
use super::parameters::McpParameters;
use super::queue::SendQueue;
use crate::engine::{EndpointMap, Journey, MessageTally, Signal, Sim};
use crate::host::{Address, AnyProcessor, Host, Processor, Window};
use crate::ni::build_context::BuildContext;
use crate::ni::driver::Costs;
use crate::ni::in_flight::InFlight;
use crate::ni::word_copy::words_of;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The driver of a node's card.
pub struct CardDriver {
    pub(super) sim: Sim,
    pub(super) name: String,
    pub(super) host: Host,
    pub(super) parameters: McpParameters,
    pub(super) costs: Costs,
    pub(super) addresses: Rc<EndpointMap>,
    pub(super) tally: Rc<MessageTally>,
    pub(super) window: Window,
    pub(super) layout: Layout,
    pub(super) send_queue: SendQueue,
    /// Addresses of the send buffers.
    pub(super) send_buffers: Vec<Address>,
    /// Indices of the free send buffers.
    pub(super) free_send_buffers: RefCell<Vec<usize>>,
    /// Notified when a waiting send may succeed, or a message has arrived.
    pub(super) send_wakeup: Signal,
    pub(super) buffers: ReceiveBuffers,
    pub(super) instruments: Rc<Instruments>,
    in_flight: Rc<InFlight>,
    /// Number of receive buffers posted so far.
    posted_buffers: Cell<u64>,
    /// Number of events read so far.
    events_read: Cell<u64>,
}

/// An event of the interface: a received packet.
pub(super) struct RxEvent {
    /// Index of the buffer that holds the packet.
    pub buffer: u32,
    /// Index of the fragment in its datagram.
    pub fragment: u32,
    /// Length of the packet in bytes.
    pub length: u64,
    /// Whether the network dropped the packet; the part of it that arrived is not read.
    pub is_lost: bool,
    /// Checksum of the packet's payload.
    pub checksum: u32,
    /// The packet's journey.
    pub journey: Journey,
}

impl CardDriver {
    /// Creates the driver of a card that is mapped at `window`, with send buffers of `send_bytes` each.
    pub(super) fn new(
        context: &BuildContext<'_>,
        (window, parameters): (Window, &McpParameters),
        buffers: ReceiveBuffers,
        instruments: &Rc<Instruments>,
        send_bytes: u64,
    ) -> CardDriver {
        let allocate = |_| context.host.allocate(send_bytes as usize);
        let send_buffers: Vec<Address> = (0..parameters.send_buffers).map(allocate).collect();
        CardDriver {
            sim: context.sim.clone(),
            name: context.name().to_string(),
            host: context.host.clone(),
            parameters: parameters.clone(),
            costs: context.costs,
            addresses: context.addresses.clone(),
            tally: context.tally.clone(),
            window,
            layout: Layout::new(parameters),
            send_queue: SendQueue::new(parameters),
            free_send_buffers: RefCell::new((0..send_buffers.len()).rev().collect()),
            send_buffers,
            send_wakeup: Signal::new(context.sim, format!("send capacity of {}", context.name())),
            buffers,
            instruments: instruments.clone(),
            in_flight: context.in_flight.clone(),
            posted_buffers: Cell::new(0),
            events_read: Cell::new(0),
        }
    }

    /// Posts all receive buffers before the run begins: calls `store` with the address and the value of each descriptor
    /// word.
    pub(super) fn post_all(&self, mut store: impl FnMut(u64, u32)) {
        for buffer in 0..self.buffers.count() {
            let at = self.next_descriptor_address();
            store(at + buffer_descriptor::BUFFER, buffer);
            store(at + buffer_descriptor::STATE, state::FILLED);
        }
    }

    fn next_descriptor_address(&self) -> u64 {
        let number = self.posted_buffers.get();
        self.posted_buffers.set(number + 1);
        self.layout.descriptor_address(number)
    }

    /// Posts a buffer again.
    pub(super) async fn repost(&self, cpu: &AnyProcessor, buffer: u32) {
        let at = self.next_descriptor_address();
        cpu.write_run(self.window.at(at + buffer_descriptor::BUFFER), &buffer.to_le_bytes()).await;
        cpu.write_run(self.window.at(at + buffer_descriptor::STATE), &state::FILLED.to_le_bytes()).await;
    }

    /// Reads `N` words of interface memory.
    pub(super) async fn read_words<const N: usize>(&self, cpu: &AnyProcessor, at: u64) -> [u32; N] {
        let mut bytes = vec![0; 4 * N];
        cpu.read_run(self.window.at(at), &mut bytes).await;
        let mut words = words_of(&bytes);
        std::array::from_fn(|_| words.next().expect("one word for each 4 bytes read"))
    }

    /// Takes the journey of the packet whose event the host has read. A packet that the network dropped was already
    /// counted as lost at its sender.
    pub(super) fn take_journey(&self, is_lost: bool) -> Journey {
        if !is_lost {
            self.in_flight.remove(self.host.node);
        }
        self.instruments.received_journeys.borrow_mut().pop_front().unwrap_or(Journey::NONE)
    }

    /// Reads the next event of the interface, if there is one.
    pub(super) async fn read_event(&self, cpu: &AnyProcessor) -> Option<RxEvent> {
        let at = self.layout.event_address(self.events_read.get());
        let [state_word] = self.read_words::<1>(cpu, at + event::STATE).await;
        if state_word != state::FILLED {
            return None;
        }
        let [buffer, length, checksum] = self.read_words::<3>(cpu, at + event::WORDS).await;
        self.events_read.set(self.events_read.get() + 1);
        cpu.write_run(self.window.at(at + event::STATE), &state::FREE.to_le_bytes()).await;
        let (buffer, fragment) = RxDestination::from_event_word(buffer);
        let (is_lost, length) = (length & event::DROPPED_FLAG != 0, u64::from(length & !event::DROPPED_FLAG));
        let journey = self.take_journey(is_lost);
        Some(RxEvent { buffer, fragment, length, is_lost, checksum, journey })
    }
}
