//! The driver that the messaging layer calls: the kernel's sockets, or a user-level library.

use super::card::CardDriver;
use super::headers::ENVELOPE_BYTES;
use super::kernel::{Kernel, ReceivedDatagram, words_max};
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
    /// Datagrams that programs have taken and not released, by number.
    held_datagrams: RefCell<BTreeMap<u64, ReceivedDatagram>>,
    /// Number of the next datagram that a poll finds.
    next_datagram_number: Cell<u64>,
}

impl McpDriver {
    /// Creates the driver of `chip`.
    pub(super) fn new(stack: SoftwareStack, chip: Rc<Lanai>) -> McpDriver {
        McpDriver { stack, chip, held_datagrams: RefCell::default(), next_datagram_number: Cell::new(0) }
    }

    fn card(&self) -> &CardDriver {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => &kernel.card,
            SoftwareStack::Library(library) => &library.card,
        }
    }

    fn inbox(&self) -> &Mailbox<ReceivedDatagram> {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => &kernel.inbox,
            SoftwareStack::Library(library) => &library.inbox,
        }
    }

    /// Posts the buffers of a datagram again.
    async fn repost_buffers(&self, cpu: &AnyProcessor, datagram: ReceivedDatagram) {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => kernel.release_parts(cpu, datagram.parts).await,
            SoftwareStack::Library(library) => {
                for part in datagram.parts {
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
            steers_by_tag: false,
            classes: 1,
            overflows_to_user_memory: false,
        }
    }

    fn begin_send(&self, _cpu: &AnyProcessor, _journey: &Journey) -> TxToken {
        TxToken::default()
    }

    async fn try_send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>, _token: &TxToken) -> bool {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => kernel.send(cpu, packet).await,
            SoftwareStack::Library(library) => library.send(cpu, packet).await,
        }
    }

    async fn wait_for_capacity(&self, cpu: &AnyProcessor) {
        cpu.sync().await;
        match &self.stack {
            SoftwareStack::Kernel(kernel) => {
                kernel.card.send_wakeup.wait().await;
            }
            SoftwareStack::Library(library) => library.wait_for_capacity(cpu).await,
        }
    }

    fn may_have_packet(&self) -> bool {
        match &self.stack {
            SoftwareStack::Kernel(kernel) => !kernel.inbox.is_empty(),
            SoftwareStack::Library(_) => true,
        }
    }

    async fn poll(&self, cpu: &AnyProcessor, _sends_reply: &dyn Fn(u8) -> bool) -> Option<RxPacket> {
        if let SoftwareStack::Library(library) = &self.stack {
            library.poll(cpu).await;
        }
        let datagram = self.inbox().try_receive()?;
        let entry = self.next_datagram_number.get();
        self.next_datagram_number.set(entry + 1);
        let (endpoints, envelope) = ([datagram.from, datagram.to], datagram.envelope);
        let (bytes, journey) = (datagram.bytes - ENVELOPE_BYTES, datagram.journey.clone());
        self.held_datagrams.borrow_mut().insert(entry, datagram);
        let state = DriverState { entry, ..DriverState::default() };
        Some(RxPacket::new(endpoints, envelope, bytes, journey).with_state(state))
    }

    /// Receives a message. With sockets this is the system call `recvfrom`; with a library it is a copy, since the poll
    /// has already received the message.
    async fn take(
        &self,
        cpu: &AnyProcessor,
        arrival: &mut RxPacket,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> RxCompletion {
        let lease = cpu.acquire("receive").await;
        let start = cpu.now();
        cpu.work(extra_cycles);
        if let SoftwareStack::Kernel(kernel) = &self.stack {
            cpu.work(kernel.card.costs.receive + kernel.costs.receive);
        }
        let entry = arrival.state.entry;
        let completion = match sink {
            PayloadSink::Memory(_) if self.is_zero_copy() => {
                let address = self.held_datagrams.borrow()[&entry].parts[0].address;
                RxCompletion { address, entry: Some(entry), ..RxCompletion::default() }
            }
            sink => {
                let datagram = self.held_datagrams.borrow_mut().remove(&entry).expect("a polled message is held");
                match &self.stack {
                    SoftwareStack::Kernel(kernel) => kernel.read(cpu, &datagram, sink).await,
                    SoftwareStack::Library(library) => library.read(cpu, &datagram, sink).await,
                }
                self.repost_buffers(cpu, datagram).await;
                RxCompletion::default()
            }
        };
        cpu.sync().await;
        arrival.journey.add_service(start, cpu.now());
        arrival.journey.close(stage::HOST_RECEIVE, cpu.now());
        lease.record_span("receive", arrival.journey.id(), arrival.bytes);
        completion
    }

    async fn release(&self, cpu: &AnyProcessor, entry: u64) {
        let datagram = self.held_datagrams.borrow_mut().remove(&entry);
        if let Some(datagram) = datagram {
            let _lease = cpu.acquire("give back").await;
            self.repost_buffers(cpu, datagram).await;
            cpu.sync().await;
        }
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        cpu.sync().await;
        match &self.stack {
            SoftwareStack::Kernel(kernel) => {
                let wake_time = (wake.next)();
                if kernel.inbox.is_empty() && wake_time > cpu.sim().now() {
                    kernel.inbox.arrival_signal().wait_until(wake_time).await;
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

    fn wakeup(&self) -> &Signal {
        self.inbox().arrival_signal()
    }

    fn capacity_wait_reason(&self) -> Option<WaitReasonId> {
        match &self.stack {
            SoftwareStack::Kernel(_) => None,
            SoftwareStack::Library(library) => Some(library.card.send_wakeup.wait_reason()),
        }
    }

    fn packet_wait_reason(&self) -> Option<WaitReasonId> {
        match &self.stack {
            SoftwareStack::Kernel(_) => None,
            SoftwareStack::Library(library) => Some(library.inbox.wait_reason()),
        }
    }

    fn is_zero_copy(&self) -> bool {
        self.card().parameters.is_in_place()
    }

    fn utilization(&self) -> Vec<Utilization> {
        self.chip.utilization()
    }
}
