//! Receiving by a processor: packets that have arrived, packets in memory, and the handlers of both.
//!
//! Packets that were moved to memory ([`overflow`](super::overflow)) come before those at the interface.

use super::endpoint::ActiveEndpoint;
use super::handlers::HandlerFuture;
use super::overflow::BufferedMessage;
use super::time_breakdown::Cause;
use super::transfer;
use crate::engine::Journey;
use crate::host::Processor;
use crate::messaging::active_message::{MESSAGING_HANDLERS, PROTOCOL_HANDLERS, Received};
use crate::messaging::inbox::DeferredMessage;
use crate::messaging::node_sharing::SharedNode;
use crate::ni::word_copy::words_of;
use crate::ni::{Driver, PayloadSink};

impl ActiveEndpoint {
    /// Returns whether there may be a packet to receive, as far as the processor knows without polling.
    pub(super) fn may_receive(&self) -> bool {
        !self.overflow.is_empty() || self.has_arrivals()
    }

    /// Returns whether a packet may have arrived, as far as the processor knows without polling.
    pub(super) fn has_arrivals(&self) -> bool {
        self.endpoint.sharing.shared().is_some() || self.endpoint.context.driver.may_have_packet()
    }

    /// Receives the next packet that has arrived, and returns whether there was one. Packets in memory come first.
    pub(super) async fn receive_one(&self) -> bool {
        if self.receive_overflowed().await {
            return true;
        }
        let endpoint = &self.endpoint;
        if let Some(shared) = endpoint.sharing.shared() {
            return self.receive_deferred(shared).await;
        }
        let context = &endpoint.context;
        let start = endpoint.now();
        let Some(mut arrival) = context.driver.poll(&context.cpu, &transfer::sends_reply).await else { return false };
        let _work_guard = self.sim().works();
        let previous_cause = self.time_breakdown.switch(Cause::Receive, start);
        self.count_accepted();
        self.sim().progress();
        let (from, handler, journey) = (arrival.from, arrival.envelope.handler, arrival.journey.clone());
        let mut words = std::mem::take(&mut *self.received_words.borrow_mut());
        words.clear();
        let sink = PayloadSink::Words(&mut words);
        context.driver.take(&context.cpu, &mut arrival, context.reorder_cycles(handler), sink).await;
        self.handle(&Received { from, handler, words: &words }, &journey).await;
        *self.received_words.borrow_mut() = words;
        self.charge_to(previous_cause);
        self.sim().progress();
        true
    }

    /// Receives the next packet on a node that several programs share, any of which may have taken the packet from the
    /// interface.
    async fn receive_deferred(&self, shared: &SharedNode) -> bool {
        let start = self.endpoint.now();
        let context = &self.endpoint.context;
        let Some(message) = shared.next_deferred(context, &transfer::sends_reply).await else { return false };
        let _work_guard = self.sim().works();
        let previous_cause = self.time_breakdown.switch(Cause::Receive, start);
        self.count_accepted();
        self.sim().progress();
        let DeferredMessage { from, handler, words, journey } = message;
        journey.close_if_lasted("receive: waiting", self.endpoint.now());
        self.handle(&Received { from, handler, words: &words }, &journey).await;
        self.charge_to(previous_cause);
        self.sim().progress();
        true
    }

    /// Runs the handler of a received packet to its end.
    async fn handle(&self, received: &Received<'_>, journey: &Journey) {
        if self.parameters.dispatch > 0 && !transfer::is_transfer_handler(received.handler) {
            let previous_cause = self.charge_to(Cause::Dispatch);
            self.work("dispatch", self.parameters.dispatch).await;
            self.charge_to(previous_cause);
            journey.close_if_lasted("receive: dispatch", self.endpoint.now());
        }
        if let Some(handler_remainder) = self.deliver(received, journey) {
            handler_remainder.await;
        }
        if self.handler_cycles.get() > 0 {
            self.charge_to(Cause::Compute);
            self.work("handle", self.handler_cycles.take()).await;
        }
    }

    /// Starts the handler of a packet. Returns the remainder of the handler if it waits for memory.
    fn deliver(&self, received: &Received<'_>, journey: &Journey) -> Option<HandlerFuture> {
        let (tally, now) = (&self.endpoint.tally, self.endpoint.now());
        match self.keeps_ledger() {
            true => tally.deliver(journey, now),
            false => tally.add_latency(journey, now),
        }
        match received.handler {
            0..PROTOCOL_HANDLERS => self.handlers.run_message(received),
            PROTOCOL_HANDLERS..MESSAGING_HANDLERS => return Some(self.handlers.start_protocol(received)),
            MESSAGING_HANDLERS.. => self.accept_transfer(received),
        }
        None
    }

    /// Accepts a packet of a transfer, and runs the handler of each transfer that is complete.
    fn accept_transfer(&self, received: &Received<'_>) {
        let from = received.from;
        if let Some(reply) = self.transfers.accept(received, self.parameters.in_order) {
            self.answer(reply);
        }
        while let Some(complete_transfer) = self.transfers.take_complete(from) {
            if let Some(reply) = complete_transfer.reply {
                self.answer(reply);
            }
            self.handlers.run_transfer(from, complete_transfer.handler, complete_transfer.words);
        }
    }

    /// Returns whether the processor moves arrivals to memory while a send inside a handler blocks.
    pub(super) fn overflows(&self) -> bool {
        self.parameters.overflow.is_some() && self.endpoint.context.driver.limits().overflows_to_user_memory
    }

    /// Moves the next packet that has arrived to memory, and returns whether there was one.
    pub(super) async fn move_to_memory(&self) -> bool {
        let context = &self.endpoint.context;
        let start = self.endpoint.now();
        if let Some(shared) = self.endpoint.sharing.shared() {
            return self.move_to_inbox(shared).await;
        }
        let Some(mut arrival) = context.driver.poll(&context.cpu, &transfer::sends_reply).await else { return false };
        let _work_guard = self.sim().works();
        let previous_cause = self.time_breakdown.switch(Cause::Receive, start);
        self.sim().progress();
        let (from, handler, bytes, journey) =
            (arrival.from, arrival.envelope.handler, arrival.bytes, arrival.journey.clone());
        let buffer = self.overflow.buffer(|| context.host.allocate(context.driver.buffer_size(1)));
        let extra_cycles = context.reorder_cycles(handler) + self.overflow_cycles();
        context.driver.take(&context.cpu, &mut arrival, extra_cycles, PayloadSink::Memory(buffer)).await;
        let payload = context.driver.payload_address(buffer);
        let message = BufferedMessage { from, handler, buffer, payload, bytes, journey };
        self.overflow.push(message);
        self.charge_to(previous_cause);
        self.sim().progress();
        true
    }

    /// Moves the next packet that has arrived to the inbox of an endpoint that shares its node.
    async fn move_to_inbox(&self, shared: &SharedNode) -> bool {
        let (context, start) = (&self.endpoint.context, self.endpoint.now());
        let Some(mut packet) = shared.poll_shared(context, &transfer::sends_reply).await else { return false };
        let _work_guard = self.sim().works();
        let previous_cause = self.time_breakdown.switch(Cause::Receive, start);
        shared.inbox().defer(context, &mut packet, false).await;
        drop(packet);
        self.work("overflow", self.overflow_cycles()).await;
        self.overflow.count_message();
        self.charge_to(previous_cause);
        self.sim().progress();
        true
    }

    /// Moves the oldest message of the queue into registers and runs its handler. Returns whether there was one.
    async fn receive_overflowed(&self) -> bool {
        let Some(message) = self.overflow.pop() else { return false };
        let BufferedMessage { from, handler, buffer, payload, bytes, journey } = message;
        let _work_guard = self.sim().works();
        let previous_cause = self.charge_to(Cause::Receive);
        self.count_accepted();
        self.sim().progress();
        journey.close_if_lasted("receive: buffered", self.endpoint.now());
        let mut data = vec![0; bytes];
        {
            let cpu = &self.endpoint.context.cpu;
            let _lease = cpu.acquire("overflow").await;
            cpu.work(self.overflow_cycles());
            cpu.load_run(payload, &mut data).await;
        }
        journey.close_if_lasted("receive: copy", self.endpoint.now());
        self.overflow.free_buffer(buffer);
        let words: Vec<u32> = words_of(&data).collect();
        self.handle(&Received { from, handler, words: &words }, &journey).await;
        self.charge_to(previous_cause);
        self.sim().progress();
        true
    }

    fn overflow_cycles(&self) -> u64 {
        self.parameters.overflow.unwrap_or(0)
    }
}
