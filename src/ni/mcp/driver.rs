//! What the messaging layer sees: a socket for each program, over the kernel.

use super::headers::ENVELOPE;
use super::kernel::{Kernel, Received, WORDS_MAX};
use super::layout::data_max;
use super::stage;
use crate::engine::{Journey, Signal};
use crate::host::{AnyProcessor, Processor, Use};
use crate::ni::driver::{Arrival, Begun, Compose, Driver, DriverLimits, Known, Landed, Rest, Wake};
use crate::ni::lanai::Lanai;
use crate::ni::moving::PayloadSink;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The driver of one node.
pub struct McpDriver {
    kernel: Rc<Kernel>,
    chip: Rc<Lanai>,
    /// Datagrams that programs have, by number.
    held: RefCell<BTreeMap<u64, Received>>,
    next: Cell<u64>,
}

impl McpDriver {
    /// Over `kernel` and `chip`.
    pub(super) fn new(kernel: Rc<Kernel>, chip: Rc<Lanai>) -> McpDriver {
        McpDriver { kernel, chip, held: RefCell::default(), next: Cell::new(0) }
    }

    /// The chip.
    pub fn chip(&self) -> &Rc<Lanai> {
        &self.chip
    }

    /// Gives a datagram's buffers back.
    async fn give_back(&self, cpu: &AnyProcessor, received: Received) {
        self.kernel.give_back(cpu, received.parts).await;
    }
}

impl Driver for McpDriver {
    fn limits(&self) -> DriverLimits {
        let payload = data_max(&self.kernel.parameters);
        let words = WORDS_MAX.min(payload / 4);
        DriverLimits { words, payload, beside: 0, sequences: 1 << 16, steers: false, classes: 1 }
    }

    fn begin_send(&self, _cpu: &AnyProcessor, _journey: &Journey) -> Begun {
        Begun::default()
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &Compose<'_>, _begun: &Begun) -> bool {
        self.kernel.send(cpu, packet).await
    }

    async fn wait_for_room(&self, cpu: &AnyProcessor) {
        cpu.sync().await;
        self.kernel.room.wait().await;
    }

    fn may_find(&self) -> bool {
        !self.kernel.inbox.is_empty()
    }

    async fn poll(&self, _cpu: &AnyProcessor, _answers: &dyn Fn(u8) -> bool) -> Option<Arrival> {
        let received = self.kernel.inbox.try_receive()?;
        let entry = self.next.get();
        self.next.set(entry + 1);
        let (from, to, envelope) = (received.from, received.to, received.envelope);
        let (bytes, journey) = (received.bytes - ENVELOPE, received.journey.clone());
        self.held.borrow_mut().insert(entry, received);
        let known = Known { entry, ..Known::default() };
        Some(Arrival { from, to, envelope, bytes, journey, known, turn: None })
    }

    /// `recvfrom`.
    async fn take(&self, cpu: &AnyProcessor, arrival: Arrival, extra_cycles: u64, sink: PayloadSink<'_>) -> Landed {
        let kernel = &self.kernel;
        let turn = cpu.hold("receive").await;
        let start = cpu.now();
        cpu.work(kernel.costs.receive + kernel.parameters.kernel.receive + extra_cycles);
        let entry = arrival.known.entry;
        let landed = match sink {
            PayloadSink::Memory(_) if kernel.parameters.remedies.zero_copy => {
                let address = self.held.borrow()[&entry].parts[0].buffer;
                Landed { address: kernel.buffers.program(address), entry: Some(entry), ..Landed::default() }
            }
            sink => {
                let received = self.held.borrow_mut().remove(&entry).expect("what was found is held");
                kernel.read(cpu, &received, sink).await;
                self.give_back(cpu, received).await;
                Landed::default()
            }
        };
        cpu.sync().await;
        arrival.journey.served(start, cpu.now());
        arrival.journey.close(stage::HOST_RECEIVE, cpu.now());
        turn.did("receive", arrival.journey.id(), arrival.bytes);
        landed
    }

    async fn release(&self, cpu: &AnyProcessor, entry: u64) {
        let received = self.held.borrow_mut().remove(&entry);
        if let Some(received) = received {
            let _turn = cpu.hold("give back").await;
            self.give_back(cpu, received).await;
            cpu.sync().await;
        }
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) {
        cpu.sync().await;
        let wake = (wake.next)();
        if self.kernel.inbox.is_empty() && wake > cpu.sim().now() {
            self.kernel.inbox.arrived().wait_until(wake).await;
        }
    }

    fn rest(&self) -> Rest {
        Rest::Told
    }

    fn attention(&self) -> &Signal {
        self.kernel.inbox.arrived()
    }

    fn places_itself(&self) -> bool {
        self.kernel.parameters.remedies.zero_copy
    }

    fn uses(&self) -> Vec<Use> {
        self.chip.uses()
    }
}
