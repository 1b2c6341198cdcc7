//! Sending, polling and waiting by a processor.
//!
//! A send first receives the packets that have arrived, as the CM-5's active messages do, then costs its cycles, and
//! then waits until the interface has space, receiving the packets that arrive meanwhile. A poll receives until it
//! finds no packet. Each packet that a poll finds costs the cycles to receive, and a poll that finds no packet costs
//! the cycles of an empty poll. The program that polls also sends the replies of handlers, after it has received the
//! packets that waited.
//!
//! Without `drain-first` a send receives only while the interface is full, and a waiting program checks its condition
//! after each packet. A program without `drain-first` therefore behaves like a program that sends from the packet's
//! handler and is not interrupted; bursts then pile up at receivers. Replies are sent when their handler has returned.
//!
//! A send that blocks inside a handler (of a reply, or [`send_in_handler`](ActiveEndpoint::send_in_handler)) moves
//! arrivals to memory, if the interface leaves their buffering to the processor ([`overflow`](super::overflow));
//! otherwise it handles them, as a send of the program does.
//!
//! The number of replies that wait to be sent is not limited.

use super::endpoint::ActiveEndpoint;
use super::time_breakdown::Cause;
use super::transfer;
use crate::engine::sim::WaitReasonId;
use crate::engine::{EndpointId, Time};
use crate::host::Processor;
use crate::messaging::active_message::ActiveMessage;
use crate::messaging::node_sharing::RunPermit;
use crate::ni::{Driver, Envelope, PayloadSource, SendRequest, Wake};
use crate::protocol::Marks;

/// The context of a send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SendContext {
    /// The program.
    Program,
    /// A handler.
    Handler,
}

impl ActiveEndpoint {
    /// Computes for `cycles`, and neither sends nor polls. If messages interrupt, they are received meanwhile.
    pub async fn compute(&self, cycles: u64) {
        let mut permit = self.endpoint.acquire_run_permit().await;
        let previous_cause = self.charge_to(Cause::Compute);
        match self.is_interrupted() {
            true => self.work_interrupted(cycles, &mut permit).await,
            false => self.work("compute", cycles).await,
        }
        self.charge_to(previous_cause);
        self.endpoint.release_run_permit(permit).await;
    }

    /// Computes for `cycles`, and receives messages when they arrive.
    async fn work_interrupted(&self, cycles: u64, permit: &mut RunPermit) {
        let (cpu, driver) = (&self.endpoint.context.cpu, &self.endpoint.context.driver);
        let mut remaining_cycles = cycles;
        while remaining_cycles > 0 {
            if driver.may_have_packet() {
                self.receive_all(permit).await;
            }
            // The program holds the processor until a message arrives; the remaining cycles are done afterwards.
            cpu.sync().await;
            let lease = cpu.acquire("compute").await;
            let start = cpu.now();
            let work_end = start + self.clock.cycles(remaining_cycles);
            cpu.arbiter().begin_work();
            while !driver.may_have_packet() && cpu.sim().now() < work_end {
                self.endpoint.wakeup().wait_until(work_end).await;
            }
            cpu.arbiter().end_work();
            let elapsed = cpu.sim().now().since(start);
            remaining_cycles = if elapsed >= self.clock.cycles(remaining_cycles) {
                0
            } else {
                remaining_cycles - self.clock.cycle_at(elapsed).min(remaining_cycles)
            };
            cpu.sync().await;
            drop(lease);
        }
    }

    /// Occupies the processor for `cycles`; `span_name` is the name of the span in a trace.
    pub(super) async fn work(&self, span_name: &'static str, cycles: u64) {
        if cycles > 0 {
            let cpu = &self.endpoint.context.cpu;
            let _lease = cpu.acquire(span_name).await;
            cpu.work(cycles);
            cpu.sync().await;
        }
    }

    /// Ignores the network for `cycles`.
    pub async fn ignore(&self, cycles: u64) {
        if cycles > 0 {
            let previous_cause = self.charge_to(Cause::Compute);
            self.endpoint.until(self.clock.edge_since(self.endpoint.now(), cycles)).await;
            self.charge_to(previous_cause);
        }
    }

    /// Sends a packet, and returns when the packet is in the interface. Packets that have arrived are received before
    /// the send, and while the interface is full.
    ///
    /// # Panics
    ///
    /// Panics if the packet has more than [`words_max`](ActiveEndpoint::words_max) words.
    pub async fn send(&self, packet: ActiveMessage) {
        assert!(packet.words.len() <= self.words_max(), "a packet has at most {} words", self.words_max());
        let mut permit = self.endpoint.acquire_run_permit().await;
        if self.parameters.drain_first && (self.may_receive() || !self.replies.borrow().is_empty()) {
            self.receive_all(&mut permit).await;
        }
        self.send_packet(packet, SendContext::Program, &mut permit).await;
        self.endpoint.release_run_permit(permit).await;
    }

    /// Sends a packet from computation that is part of a handler, and returns when the packet is in the interface.
    /// While the interface is full, arrivals are moved to memory or handled, as its specification states.
    ///
    /// # Panics
    ///
    /// Panics if the packet has more than [`words_max`](ActiveEndpoint::words_max) words.
    pub async fn send_in_handler(&self, packet: ActiveMessage) {
        if !self.overflows() {
            return self.send(packet).await;
        }
        assert!(packet.words.len() <= self.words_max(), "a packet has at most {} words", self.words_max());
        let mut permit = self.endpoint.acquire_run_permit().await;
        self.send_packet(packet, SendContext::Handler, &mut permit).await;
        self.endpoint.release_run_permit(permit).await;
    }

    /// Sends a message of any length, and returns when the message's last packet is in the interface. Polls after each
    /// packet.
    pub async fn transfer(&self, to: EndpointId, handler: u8, words: &[u32]) {
        self.count_message(words.len());
        if self.parameters.in_order {
            return self.send_packets(transfer::ordered_packets(to, handler, words, self.words_max())).await;
        }
        self.transfers.reset_receiver_ready();
        self.send(transfer::setup_packet(to, handler, words)).await;
        self.wait_until(|| self.transfers.is_receiver_ready()).await;
        self.send_packets(transfer::unordered_packets(to, words, self.words_max())).await;
    }

    async fn send_packets(&self, packets: impl Iterator<Item = ActiveMessage>) {
        for packet in packets {
            self.send(packet).await;
            self.poll().await;
        }
    }

    /// Queues `packet` as the answer of the running handler; it is sent after the handler has returned.
    pub fn answer(&self, packet: ActiveMessage) {
        self.replies.borrow_mut().push_back(packet);
    }

    /// Receives the packets that have arrived, and sends the replies of handlers.
    pub async fn flush(&self) {
        let mut permit = self.endpoint.acquire_run_permit().await;
        self.receive_all(&mut permit).await;
        self.endpoint.release_run_permit(permit).await;
    }

    /// Receives the packets that have arrived, and those that arrive meanwhile, and returns their number.
    pub async fn poll(&self) -> usize {
        let mut permit = self.endpoint.acquire_run_permit().await;
        let previous_cause = self.charge_to(Cause::Receive);
        let mut packet_count = 0;
        loop {
            let newly_received = self.receive_all(&mut permit).await;
            packet_count += newly_received;
            if !self.is_interrupted() {
                self.work("poll", self.parameters.costs.poll).await;
            }
            if !(self.may_receive() && self.receive_one().await) {
                break;
            }
            packet_count += 1;
        }
        self.charge_to(previous_cause);
        self.endpoint.release_run_permit(permit).await;
        packet_count
    }

    /// Receives the packets that have arrived, and sends the replies of handlers. Returns the number of packets
    /// received.
    async fn receive_all(&self, permit: &mut RunPermit) -> usize {
        let mut packet_count = 0;
        loop {
            while self.may_receive() && self.receive_one().await {
                packet_count += 1;
                if !self.parameters.drain_first {
                    self.send_replies(permit).await;
                }
            }
            if !self.send_replies(permit).await {
                return packet_count;
            }
        }
    }

    /// Receives the packets that a waiting program receives before it checks its condition again, and returns their
    /// number.
    async fn receive_before_check(&self, permit: &mut RunPermit) -> usize {
        if self.parameters.drain_first {
            return self.receive_all(permit).await;
        }
        let has_received = self.may_receive() && self.receive_one().await;
        self.send_replies(permit).await;
        has_received.into()
    }

    /// Sends all replies. With `drain-first`, sends only one reply, so that all packets that have arrived are received
    /// before the next reply. Returns whether there was any reply.
    async fn send_replies(&self, permit: &mut RunPermit) -> bool {
        let mut has_sent = false;
        while let Some(reply) = self.next_reply() {
            self.send_packet(reply, SendContext::Handler, permit).await;
            has_sent = true;
            if self.parameters.drain_first {
                break;
            }
        }
        has_sent
    }

    fn next_reply(&self) -> Option<ActiveMessage> {
        self.replies.borrow_mut().pop_front()
    }

    /// Sends a packet without receiving first.
    async fn send_packet(&self, packet: ActiveMessage, context: SendContext, permit: &mut RunPermit) {
        let request = SendRequest {
            from: self.id(),
            to: packet.to,
            class: self.class(packet.is_reply),
            marks: Marks {
                burst: packet.is_bulk,
                last: packet.is_last,
                answers: packet.is_reply,
                bypasses: !packet.is_acknowledged,
            },
            envelope: Envelope { handler: packet.handler, last: true, ..Envelope::default() },
            source: PayloadSource::Words(&packet.words),
            inline_bytes: &[],
            journey: self.journey(&packet),
        };
        let previous_cause = self.charge_to(Cause::Send);
        let moves_to_memory = context == SendContext::Handler && self.overflows();
        let receive = async || {
            self.charge_to(Cause::Capacity);
            match moves_to_memory {
                true => self.has_arrivals() && self.move_to_memory().await,
                false => self.may_receive() && self.receive_one().await,
            }
        };
        let start = self.endpoint.send_packet(&request, permit, receive).await;
        if !packet.is_bulk || packet.is_last {
            self.endpoint.flush_sends().await;
        }
        // The last attempt is the one that sent the packet.
        self.time_breakdown.switch(Cause::Send, start);
        self.charge_to(previous_cause);
        self.count_sent();
        if !transfer::is_transfer_handler(packet.handler) {
            self.count_message(packet.words.len());
        }
    }

    /// Waits until all endpoints have entered the barrier, and polls meanwhile.
    pub async fn barrier(&self) {
        let number = self.enter_barrier().await;
        self.wait_with_reason(self.barrier.wait_reason(), || self.is_barrier_open(number)).await;
    }

    /// Waits until `condition` holds, which the program of `id` brings about. A deadlock report names that program.
    pub async fn wait_for_answer(&self, id: EndpointId, condition: impl Fn() -> bool) {
        self.wait_with_reason(self.barrier.answer_reason(id), condition).await;
    }

    async fn wait_with_reason(&self, reason: WaitReasonId, condition: impl Fn() -> bool) {
        let previous_reason = self.wait_reason.replace(Some(reason));
        self.wait_until(condition).await;
        self.wait_reason.set(previous_reason);
    }

    /// Polls until `condition` holds. Only handlers and barriers may change the state that the condition
    /// depends on.
    pub async fn wait_until(&self, condition: impl Fn() -> bool) {
        self.wait(Time::MAX, condition).await;
    }

    /// Polls until `condition` holds, or until the end of `cycle`, and returns whether the condition holds.
    pub async fn wait_until_cycle(&self, cycle: u64, condition: impl Fn() -> bool) -> bool {
        self.wait(self.clock.end_of_cycle(cycle), condition).await
    }

    async fn wait(&self, deadline: Time, condition: impl Fn() -> bool) -> bool {
        let (endpoint, mut poll_guard) = (&self.endpoint, None);
        let mut permit = endpoint.acquire_run_permit().await;
        let mut has_found_packet = false;
        let condition_holds = loop {
            if !std::mem::take(&mut has_found_packet) {
                if condition() {
                    break true;
                } else if endpoint.now() >= deadline {
                    break false;
                }
            }
            if self.receive_before_check(&mut permit).await > 0 {
                poll_guard = None;
                if condition() {
                    break true;
                }
                if !self.parameters.drain_first {
                    continue;
                }
            }
            // Sending replies may have moved packets to memory.
            if !self.overflow.is_empty() {
                continue;
            }
            poll_guard = poll_guard.or_else(|| endpoint.polls_for_packet());
            let next_check = || match condition() || endpoint.now() >= deadline || endpoint.sharing.has_deferred() {
                true => Time::ZERO,
                false => deadline.min(self.barrier.next_opening(endpoint.now())),
            };
            let _reason = self.wait_reason.get().map(|reason| self.sim().waits_for(reason));
            let wake = Wake { next: &next_check, until: deadline };
            has_found_packet = endpoint.sharing.idle(&endpoint.context, &mut permit, wake).await;
        };
        endpoint.release_run_permit(permit).await;
        condition_holds
    }
}
