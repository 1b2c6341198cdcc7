//! How a processor sends, polls and waits.
//!
//! A send takes in what has arrived first, as the CM-5's active messages do, then costs its cycles,
//! and then waits for room in the interface, taking in what arrives meanwhile. A poll takes in what
//! has arrived until it finds nothing; finding nothing costs its cycles, a packet costs that packet's.
//! Answers of handlers are sent by whoever polls, after the packets that waited.

use super::wire::Taken;
use super::{Endpoint, HANDLERS, Packet, Received, transfer};
use crate::engine::Time;

impl Endpoint {
    /// Computes, and neither sends nor polls.
    pub async fn compute(&self, cycles: u64) {
        if cycles > 0 {
            let until = self.parameters.clock.edge_since(self.sim.now(), cycles);
            let begin = self.sim.now();
            self.sim.until(until).await;
            self.busy.set(self.busy.get() + (until - begin));
        }
    }

    /// Ignores the network.
    pub async fn ignore(&self, cycles: u64) {
        if cycles > 0 {
            self.sim.until(self.parameters.clock.edge_since(self.sim.now(), cycles)).await;
        }
    }

    /// Sends a packet; returns when it is in the interface. What has arrived is taken in first, and
    /// while the interface has no room.
    pub async fn send(&self, packet: Packet) {
        assert!(packet.words.len() <= self.words_max(), "a packet has room for {} words", self.words_max());
        self.take_all().await;
        self.put(packet).await;
    }

    /// Has `packet` sent when the handler that answers with it has returned.
    pub fn answer(&self, packet: Packet) {
        self.answers.borrow_mut().push_back(packet);
    }

    /// Takes in all that has arrived, and what arrives meanwhile; how many packets that were.
    pub async fn poll(&self) -> usize {
        let mut taken = 0;
        loop {
            taken += self.take_all().await;
            self.compute(self.parameters.poll).await;
            if !self.wire.has_arrived(self.node) {
                return taken;
            }
        }
    }

    /// Takes in what has arrived, and sends the answers.
    async fn take_all(&self) -> usize {
        let mut taken = 0;
        loop {
            while self.take_one().await {
                taken += 1;
            }
            let answer = self.answers.borrow_mut().pop_front();
            let Some(answer) = answer else { return taken };
            self.put(answer).await;
        }
    }

    /// Sends a packet without looking first.
    async fn put(&self, packet: Packet) {
        let begun = self.sim.now();
        self.compute(self.parameters.send).await;
        while !self.wire.put(self.node, &packet, begun) {
            if !self.take_one().await {
                self.wire.attention(self.node).wait_until(self.wire.next_change(self.node)).await;
            }
        }
        self.sent.set(self.sent.get() + 1);
    }

    /// Takes in the next packet that has arrived; false if none has.
    async fn take_one(&self) -> bool {
        let Some(Taken { received, body }) = self.wire.take(self.node, &transfer::answers) else { return false };
        self.accepted.set(self.accepted.get() + 1);
        self.sim.progress();
        let begun = self.sim.now();
        let reorders = received.handler == transfer::DATA && !self.parameters.in_order;
        self.compute(self.parameters.receive + if reorders { self.parameters.reorder } else { 0 }).await;
        if let Some((body, network)) = body {
            while !body.whole.get() {
                self.wire.attention(self.node).wait().await;
            }
            self.wire.release(self.node, network);
            self.told.tell(&received, self.node, &body, begun, self.sim.now());
        }
        self.dispatch(&received);
        true
    }

    fn dispatch(&self, received: &Received) {
        if received.handler >= HANDLERS {
            let whole = transfer::arrive(self, received);
            if let Some((handler, words)) = whole {
                let run = self.on_transfer.borrow().clone().expect("a node that is sent transfers handles them");
                run(received.from, handler, words);
            }
            return;
        }
        let run = self.on_message.borrow().clone().expect("a node that is sent messages handles them");
        run(received);
    }

    /// Polls until `condition` holds. Only handlers and barriers change what it may look at.
    pub async fn wait_until(&self, condition: impl Fn() -> bool) {
        self.wait(Time::MAX, condition).await;
    }

    /// Polls until `condition` holds, or until the end of `cycle`; whether it holds.
    pub async fn wait_until_cycle(&self, cycle: u64, condition: impl Fn() -> bool) -> bool {
        self.wait(self.parameters.clock.end_of_cycle(cycle), condition).await
    }

    async fn wait(&self, until: Time, condition: impl Fn() -> bool) -> bool {
        loop {
            if condition() {
                return true;
            } else if self.sim.now() >= until {
                return false;
            }
            if self.take_all().await > 0 && condition() {
                return true;
            }
            self.compute(self.parameters.poll).await;
            if self.wire.has_arrived(self.node) || condition() || self.sim.now() >= until {
                continue;
            }
            let begin = self.sim.now();
            let next = self.wire.next_change(self.node).min(self.barrier.opens_after(self.sim.now())).min(until);
            if next > self.sim.now() {
                self.wire.attention(self.node).wait_until(next).await;
            }
            if self.parameters.poll > 0 && self.sim.now() < until {
                // It has polled all the while: the change is seen by the poll after it.
                let clock = self.parameters.clock;
                let waited = clock.cycle_at(self.sim.now()) - clock.cycle_before(begin);
                self.compute(waited.next_multiple_of(self.parameters.poll) - waited).await;
            }
        }
    }
}
