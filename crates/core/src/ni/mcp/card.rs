//! The driver's half that every user of the interface has: descriptors of packets to send, buffers to
//! receive into, and what the interface tells of those that came.

use super::buffers::{Place, ReceiveBuffers};
use super::instruments::Instruments;
use super::layout::{Layout, event, post, state};
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

/// A node's driver of its card.
pub struct Card {
    pub(super) sim: Sim,
    pub(super) name: String,
    pub(super) host: Host,
    pub(super) parameters: McpParameters,
    pub(super) costs: Costs,
    pub(super) addresses: Rc<EndpointMap>,
    pub(super) tally: Rc<MessageTally>,
    pub(super) window: Window,
    pub(super) layout: Layout,
    pub(super) queue: SendQueue,
    /// Buffers of what is to be sent, and which are free.
    pub(super) send_memory: Vec<Address>,
    pub(super) send_free: RefCell<Vec<usize>>,
    /// Told when something to be sent may find room, or something has come.
    pub(super) room: Signal,
    pub(super) buffers: ReceiveBuffers,
    pub(super) instruments: Rc<Instruments>,
    pending: Rc<InFlight>,
    /// How many buffers were posted, and events read.
    posted: Cell<u64>,
    events: Cell<u64>,
}

/// What the interface tells of what came.
pub(super) struct Came {
    /// The buffer that it is in.
    pub buffer: u32,
    /// Which fragment it is.
    pub fragment: u32,
    /// How long it is.
    pub length: u64,
    /// It was dropped on its way: what is there of it is not read.
    pub lost: bool,
    /// The sum of what it carries.
    pub word: u32,
    /// Its way.
    pub journey: Journey,
}

impl Card {
    /// The driver of a card that the host finds in `window`; what is to be sent has buffers of `send_bytes`.
    pub(super) fn new(
        context: &BuildContext<'_>,
        (window, parameters): (Window, &McpParameters),
        buffers: ReceiveBuffers,
        instruments: &Rc<Instruments>,
        send_bytes: u64,
    ) -> Card {
        let memory = |_| context.host.allocate(send_bytes as usize);
        let send_memory: Vec<Address> = (0..parameters.send_buffers).map(memory).collect();
        Card {
            sim: context.sim.clone(),
            name: context.name().to_string(),
            host: context.host.clone(),
            parameters: parameters.clone(),
            costs: context.costs,
            addresses: context.addresses.clone(),
            tally: context.tally.clone(),
            window,
            layout: Layout::new(parameters),
            queue: SendQueue::new(parameters),
            send_free: RefCell::new((0..send_memory.len()).rev().collect()),
            send_memory,
            room: Signal::new(context.sim, format!("room to send of {}", context.name())),
            buffers,
            instruments: instruments.clone(),
            pending: context.pending.clone(),
            posted: Cell::new(0),
            events: Cell::new(0),
        }
    }

    /// The words of the descriptors that are posted before the run begins: where each lies, and what it is.
    pub(super) fn post_all(&self, mut store: impl FnMut(u64, u32)) {
        for buffer in 0..self.buffers.count() {
            let at = self.next_post();
            store(at + post::BUFFER, buffer);
            store(at + post::STATE, state::FILLED);
        }
    }

    fn next_post(&self) -> u64 {
        let number = self.posted.get();
        self.posted.set(number + 1);
        self.layout.post(number)
    }

    /// Posts a buffer again.
    pub(super) async fn repost(&self, cpu: &AnyProcessor, buffer: u32) {
        let at = self.next_post();
        cpu.write_run(self.window.at(at + post::BUFFER), &buffer.to_le_bytes()).await;
        cpu.write_run(self.window.at(at + post::STATE), &state::FILLED.to_le_bytes()).await;
    }

    /// Reads words of the interface.
    pub(super) async fn read_words<const N: usize>(&self, cpu: &AnyProcessor, at: u64) -> [u32; N] {
        let mut bytes = vec![0; 4 * N];
        cpu.read_run(self.window.at(at), &mut bytes).await;
        let mut words = words_of(&bytes);
        std::array::from_fn(|_| words.next().expect("as many words as were read"))
    }

    /// The host has learnt of what came, or of a packet that was dropped on its way and is counted as lost by
    /// whoever sent it: its way.
    pub(super) fn arrived(&self, lost: bool) -> Journey {
        if !lost {
            self.pending.remove(self.host.node);
        }
        self.instruments.received.borrow_mut().pop_front().unwrap_or(Journey::NONE)
    }

    /// Reads what the interface tells next, if it tells anything.
    pub(super) async fn read_event(&self, cpu: &AnyProcessor) -> Option<Came> {
        let at = self.layout.event(self.events.get());
        let [filled] = self.read_words::<1>(cpu, at + event::STATE).await;
        if filled != state::FILLED {
            return None;
        }
        let [buffer, length, word] = self.read_words::<3>(cpu, at + event::WORDS).await;
        self.events.set(self.events.get() + 1);
        cpu.write_run(self.window.at(at + event::STATE), &state::FREE.to_le_bytes()).await;
        let (buffer, fragment) = Place::of_told(buffer);
        let (lost, length) = (length & event::LOST != 0, u64::from(length & !event::LOST));
        let journey = self.arrived(lost);
        Some(Came { buffer, fragment, length, lost, word, journey })
    }
}
