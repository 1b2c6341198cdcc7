//! What the messaging layer sees: a socket for each program, over the kernel, or a library.

use super::card::Card;
use super::headers::ENVELOPE;
use super::kernel::{Kernel, Received, WORDS_MAX};
use super::layout::data_max;
use super::library::Library;
use super::stage;
use crate::engine::sim::PointId;
use crate::engine::{Journey, Mailbox, Signal};
use crate::host::{AnyProcessor, Processor, Utilization};
use crate::ni::driver::{Arrival, Begun, Compose, Driver, DriverLimits, Known, Landed, Rest, Wake};
use crate::ni::lanai::Lanai;
use crate::ni::moving::PayloadSink;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What lies between programs and the interface.
pub(super) enum Between {
    Kernel(Rc<Kernel>),
    Library(Library),
}

/// The driver of one node.
pub struct McpDriver {
    between: Between,
    chip: Rc<Lanai>,
    /// Datagrams that programs have, by number.
    held: RefCell<BTreeMap<u64, Received>>,
    next: Cell<u64>,
}

impl McpDriver {
    /// Over `chip`.
    pub(super) fn new(between: Between, chip: Rc<Lanai>) -> McpDriver {
        McpDriver { between, chip, held: RefCell::default(), next: Cell::new(0) }
    }

    fn card(&self) -> &Card {
        match &self.between {
            Between::Kernel(kernel) => &kernel.card,
            Between::Library(library) => &library.card,
        }
    }

    fn inbox(&self) -> &Mailbox<Received> {
        match &self.between {
            Between::Kernel(kernel) => &kernel.inbox,
            Between::Library(library) => &library.inbox,
        }
    }

    /// The chip.
    pub fn chip(&self) -> &Rc<Lanai> {
        &self.chip
    }

    /// Gives a datagram's buffers back.
    async fn give_back(&self, cpu: &AnyProcessor, received: Received) {
        match &self.between {
            Between::Kernel(kernel) => kernel.give_back(cpu, received.parts).await,
            Between::Library(library) => {
                for part in received.parts {
                    library.card.repost(cpu, part.buffer).await;
                }
            }
        }
    }
}

impl Driver for McpDriver {
    fn limits(&self) -> DriverLimits {
        let payload = data_max(&self.card().parameters);
        let words = WORDS_MAX.min(payload / 4);
        DriverLimits { words, payload, beside: 0, sequences: 1 << 16, steers: false, classes: 1 }
    }

    fn begin_send(&self, _cpu: &AnyProcessor, _journey: &Journey) -> Begun {
        Begun::default()
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &Compose<'_>, _begun: &Begun) -> bool {
        match &self.between {
            Between::Kernel(kernel) => kernel.send(cpu, packet).await,
            Between::Library(library) => library.send(cpu, packet).await,
        }
    }

    async fn wait_for_room(&self, cpu: &AnyProcessor) {
        cpu.sync().await;
        match &self.between {
            Between::Kernel(kernel) => {
                kernel.card.room.wait().await;
            }
            Between::Library(library) => library.wait_for_room(cpu).await,
        }
    }

    fn may_find(&self) -> bool {
        match &self.between {
            Between::Kernel(kernel) => !kernel.inbox.is_empty(),
            Between::Library(_) => true,
        }
    }

    async fn poll(&self, cpu: &AnyProcessor, _answers: &dyn Fn(u8) -> bool) -> Option<Arrival> {
        if let Between::Library(library) = &self.between {
            library.look(cpu).await;
        }
        let received = self.inbox().try_receive()?;
        let entry = self.next.get();
        self.next.set(entry + 1);
        let (from, to, envelope) = (received.from, received.to, received.envelope);
        let (bytes, journey) = (received.bytes - ENVELOPE, received.journey.clone());
        self.held.borrow_mut().insert(entry, received);
        let known = Known { entry, ..Known::default() };
        Some(Arrival { from, to, envelope, bytes, journey, known, turn: None })
    }

    /// `recvfrom`, of a socket; a library's message has been received when it was found.
    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut Arrival,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> Landed {
        let turn = cpu.acquire("receive").await;
        let start = cpu.now();
        cpu.work(extra_cycles);
        if let Between::Kernel(kernel) = &self.between {
            cpu.work(kernel.card.costs.receive + kernel.costs.receive);
        }
        let entry = arrival.known.entry;
        let landed = match sink {
            PayloadSink::Memory(_) if self.places_itself() => {
                let address = self.held.borrow()[&entry].parts[0].address;
                Landed { address, entry: Some(entry), ..Landed::default() }
            }
            sink => {
                let received = self.held.borrow_mut().remove(&entry).expect("what was found is held");
                match &self.between {
                    Between::Kernel(kernel) => kernel.read(cpu, &received, sink).await,
                    Between::Library(library) => library.read(cpu, &received, sink).await,
                }
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
            let _turn = cpu.acquire("give back").await;
            self.give_back(cpu, received).await;
            cpu.sync().await;
        }
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        cpu.sync().await;
        match &self.between {
            Between::Kernel(kernel) => {
                let wake = (wake.next)();
                if kernel.inbox.is_empty() && wake > cpu.sim().now() {
                    kernel.inbox.arrived().wait_until(wake).await;
                }
            }
            Between::Library(library) => cpu.sim().delay(library.costs.interval).await,
        }
        false
    }

    fn rest(&self) -> Rest {
        match &self.between {
            Between::Kernel(_) => Rest::Told,
            Between::Library(library) => Rest::Looks(library.costs.interval),
        }
    }

    fn attention(&self) -> &Signal {
        self.inbox().arrived()
    }

    fn polled_packet(&self) -> Option<PointId> {
        match &self.between {
            Between::Kernel(_) => None,
            Between::Library(library) => Some(library.inbox.point()),
        }
    }

    fn places_itself(&self) -> bool {
        self.card().parameters.is_in_place()
    }

    fn utilization(&self) -> Vec<Utilization> {
        self.chip.utilization()
    }
}
