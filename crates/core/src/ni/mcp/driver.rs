//! What the messaging layer sees: a socket for each program, over the kernel, or a library.

use super::card::Card;
use super::headers::ENVELOPE;
use super::kernel::{Kernel, Received, words_max};
use super::layout::data_max;
use super::library::Library;
use super::stage;
use crate::engine::sim::WaitReasonId;
use crate::engine::{Journey, Mailbox, Signal};
use crate::host::{AnyProcessor, Processor, Utilization};
use crate::ni::driver::{
    Driver, DriverLimits, DriverState, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake,
};
use crate::ni::extensions::{DriverExtensions, HostDmaEngine};
use crate::ni::lanai::Lanai;
use crate::ni::word_copy::PayloadSink;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The software between programs and the interface.
pub(super) enum SoftwareStack {
    Kernel(Rc<Kernel>),
    Library(Library),
}

/// The driver of one node.
pub struct McpDriver {
    stack: SoftwareStack,
    chip: Rc<Lanai>,
    /// Datagrams that programs have, by number.
    held: RefCell<BTreeMap<u64, Received>>,
    next: Cell<u64>,
}

impl McpDriver {
    /// Over `chip`.
    pub(super) fn new(stack: SoftwareStack, chip: Rc<Lanai>) -> McpDriver {
        McpDriver { stack, chip, held: RefCell::default(), next: Cell::new(0) }
    }

    fn card(&self) -> &Card {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => &kernel.card,
            SoftwareStack::Library(library) => &library.card,
        }
    }

    fn inbox(&self) -> &Mailbox<Received> {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => &kernel.inbox,
            SoftwareStack::Library(library) => &library.inbox,
        }
    }

    /// Gives a datagram's buffers back.
    async fn give_back(&self, cpu: &AnyProcessor, received: Received) {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => kernel.give_back(cpu, received.parts).await,
            SoftwareStack::Library(library) => {
                for part in received.parts {
                    library.card.repost(cpu, part.buffer).await;
                }
            }
        }
    }
}

impl DriverExtensions for McpDriver {
    fn host_dma(&self) -> Option<&dyn HostDmaEngine> {
        Some(&*self.chip)
    }
}

impl Driver for McpDriver {
    fn limits(&self) -> DriverLimits {
        let payload = data_max(&self.card().parameters);
        DriverLimits {
            words: words_max(&self.card().parameters),
            payload,
            inline_bytes: 0,
            sequences: 1 << 16,
            steers: false,
            classes: 1,
        }
    }

    fn begin_send(&self, _cpu: &AnyProcessor, _journey: &Journey) -> TxToken {
        TxToken::default()
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>, _begun: &TxToken) -> bool {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => kernel.send(cpu, packet).await,
            SoftwareStack::Library(library) => library.send(cpu, packet).await,
        }
    }

    async fn wait_for_room(&self, cpu: &AnyProcessor) {
        cpu.sync().await;
        match &self.stack {
            SoftwareStack::Kernel(kernel) => {
                kernel.card.room.wait().await;
            }
            SoftwareStack::Library(library) => library.wait_for_room(cpu).await,
        }
    }

    fn may_find(&self) -> bool {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => !kernel.inbox.is_empty(),
            SoftwareStack::Library(_) => true,
        }
    }

    async fn poll(&self, cpu: &AnyProcessor, _answers: &dyn Fn(u8) -> bool) -> Option<RxPacket> {
        if let SoftwareStack::Library(library) = &self.stack {
            library.look(cpu).await;
        }
        let received = self.inbox().try_receive()?;
        let entry = self.next.get();
        self.next.set(entry + 1);
        let (ends, envelope) = ([received.from, received.to], received.envelope);
        let (bytes, journey) = (received.bytes - ENVELOPE, received.journey.clone());
        self.held.borrow_mut().insert(entry, received);
        let state = DriverState { entry, ..DriverState::default() };
        Some(RxPacket::new(ends, envelope, bytes, journey).with_state(state))
    }

    /// `recvfrom`, of a socket; a library's message has been received when it was found.
    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut RxPacket,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> RxCompletion {
        let turn = cpu.acquire("receive").await;
        let start = cpu.now();
        cpu.work(extra_cycles);
        if let SoftwareStack::Kernel(kernel) = &self.stack {
            cpu.work(kernel.card.costs.receive + kernel.costs.receive);
        }
        let entry = arrival.state.entry;
        let landed = match sink {
            PayloadSink::Memory(_) if self.is_zero_copy() => {
                let address = self.held.borrow()[&entry].parts[0].address;
                RxCompletion { address, entry: Some(entry), ..RxCompletion::default() }
            }
            sink => {
                let received = self.held.borrow_mut().remove(&entry).expect("what was found is held");
                match &self.stack {
                    SoftwareStack::Kernel(kernel) => kernel.read(cpu, &received, sink).await,
                    SoftwareStack::Library(library) => library.read(cpu, &received, sink).await,
                }
                self.give_back(cpu, received).await;
                RxCompletion::default()
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
        match &self.stack {
            SoftwareStack::Kernel(kernel) => {
                let wake = (wake.next)();
                if kernel.inbox.is_empty() && wake > cpu.sim().now() {
                    kernel.inbox.arrived().wait_until(wake).await;
                }
            }
            SoftwareStack::Library(library) => cpu.sim().delay(library.costs.interval).await,
        }
        false
    }

    fn wait_policy(&self) -> WaitPolicy {
        match &self.stack {
            SoftwareStack::Kernel(_) => WaitPolicy::OnEvent,
            SoftwareStack::Library(library) => WaitPolicy::Periodic(library.costs.interval),
        }
    }

    fn attention(&self) -> &Signal {
        self.inbox().arrived()
    }

    fn polled_room(&self) -> Option<WaitReasonId> {
        match &self.stack {
            SoftwareStack::Kernel(_) => None,
            SoftwareStack::Library(library) => Some(library.card.room.point()),
        }
    }

    fn polled_packet(&self) -> Option<WaitReasonId> {
        match &self.stack {
            SoftwareStack::Kernel(_) => None,
            SoftwareStack::Library(library) => Some(library.inbox.point()),
        }
    }

    fn is_zero_copy(&self) -> bool {
        self.card().parameters.is_in_place()
    }

    fn utilization(&self) -> Vec<Utilization> {
        self.chip.utilization()
    }
}
