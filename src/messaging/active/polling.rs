//! How a processor sends, polls and waits.
//!
//! A send takes in what has arrived first, as the CM-5's active messages do, then costs its cycles,
//! and then waits for room in the interface, taking in what arrives meanwhile. A poll takes in what
//! has arrived until it finds nothing; finding nothing costs its cycles, a packet costs that packet's.
//! Answers of handlers are sent by whoever polls, after the packets that waited.
//!
//! Without `drain-first` a send takes in nothing while there is room, and a program that waits looks after each packet
//! whether it may go on: as if it sent from the packet's handler, which nothing interrupts. So bursts pile up at
//! receivers. Answers are then sent when their handler has returned.

use super::{Active, ActiveMessage, Cause, HANDLERS, Handles, PROTOCOL_HANDLERS, Received, transfer};
use crate::engine::{Journey, Time};
use crate::host::Processor;
use crate::messaging::near::{Handed, Run};
use crate::ni::{Compose, Driver, Envelope, PayloadSink, PayloadSource, Wake};
use crate::protocol::Marks;

impl Active {
    /// Computes, and neither sends nor polls.
    pub async fn compute(&self, cycles: u64) {
        let mut run = self.end.run().await;
        let before = self.spend(Cause::Compute);
        match self.end.driver.interrupts() {
            true => self.work_interrupted(cycles, &mut run).await,
            false => self.work("compute", cycles).await,
        }
        self.spend(before);
        self.end.stop(run).await;
    }

    /// Computes, and takes in what comes meanwhile when it comes.
    async fn work_interrupted(&self, cycles: u64, run: &mut Run) {
        let (end, clock) = (&self.end, self.parameters.clock);
        let mut left = cycles;
        while left > 0 {
            if end.driver.may_find() {
                self.take_all(run).await;
            }
            // What runs on the processor holds it; what comes tells, and then the rest is still to be done.
            end.cpu.sync().await;
            let turn = end.cpu.hold("compute").await;
            let begun = end.cpu.now();
            let over = begun + clock.cycles(left);
            end.cpu.turns().begin_work();
            while !end.driver.may_find() && end.cpu.sim().now() < over {
                end.attention().wait_until(over).await;
            }
            end.cpu.turns().end_work();
            let done = end.cpu.sim().now().since(begun);
            left = if done >= clock.cycles(left) { 0 } else { left - clock.cycle_at(done).min(left) };
            end.cpu.sync().await;
            drop(turn);
        }
    }

    async fn work(&self, what: &'static str, cycles: u64) {
        if cycles > 0 {
            let _turn = self.end.cpu.hold(what).await;
            self.end.cpu.work(cycles);
            self.end.cpu.sync().await;
        }
    }

    /// Ignores the network.
    pub async fn ignore(&self, cycles: u64) {
        if cycles > 0 {
            let before = self.spend(Cause::Compute);
            self.end.until(self.parameters.clock.edge_since(self.end.now(), cycles)).await;
            self.spend(before);
        }
    }

    /// Sends a packet; returns when it is in the interface. What has arrived is taken in first, and
    /// while the interface has no room.
    pub async fn send(&self, packet: ActiveMessage) {
        assert!(packet.words.len() <= self.words_max(), "a packet has room for {} words", self.words_max());
        let mut run = self.end.run().await;
        if self.parameters.drain_first && (self.may_take() || !self.answers.borrow().is_empty()) {
            self.take_all(&mut run).await;
        }
        self.put(packet, &mut run).await;
        self.end.stop(run).await;
    }

    /// Has `packet` sent when the handler that answers with it has returned.
    pub fn answer(&self, packet: ActiveMessage) {
        self.answers.borrow_mut().push_back(packet);
    }

    /// Takes in what has arrived, and sends what handlers have asked for.
    pub async fn flush(&self) {
        let mut run = self.end.run().await;
        self.take_all(&mut run).await;
        self.end.stop(run).await;
    }

    /// Takes in all that has arrived, and what arrives meanwhile; how many packets that were.
    pub async fn poll(&self) -> usize {
        let mut run = self.end.run().await;
        let before = self.spend(Cause::Receive);
        let mut taken = 0;
        loop {
            let more = self.take_all(&mut run).await;
            taken += more;
            if !self.end.driver.interrupts() {
                self.work("poll", self.end.parameters.costs.poll).await;
            }
            if !(self.may_take() && self.take_one().await) {
                break;
            }
            taken += 1;
        }
        self.spend(before);
        self.end.stop(run).await;
        taken
    }

    /// Takes in what has arrived, and sends the answers.
    async fn take_all(&self, run: &mut Run) -> usize {
        let mut taken = 0;
        loop {
            while self.may_take() && self.take_one().await {
                taken += 1;
                if !self.parameters.drain_first {
                    self.put_answers(run).await;
                }
            }
            if !self.put_answers(run).await {
                return taken;
            }
        }
    }

    /// Takes in what a program that waits does before it looks whether it may go on; how many packets.
    async fn take_some(&self, run: &mut Run) -> usize {
        if self.parameters.drain_first {
            return self.take_all(run).await;
        }
        let taken = self.may_take() && self.take_one().await;
        self.put_answers(run).await;
        taken.into()
    }

    /// Sends answers: all, or with `drain-first` one, before which all is taken in again. Whether there was any.
    async fn put_answers(&self, run: &mut Run) -> bool {
        let mut any = false;
        while let Some(answer) = self.next_answer() {
            self.put(answer, run).await;
            any = true;
            if self.parameters.drain_first {
                break;
            }
        }
        any
    }

    fn next_answer(&self) -> Option<ActiveMessage> {
        self.answers.borrow_mut().pop_front()
    }

    /// Sends a packet without looking first.
    async fn put(&self, packet: ActiveMessage, run: &mut Run) {
        let composed = Compose {
            from: self.id(),
            to: packet.to,
            class: self.class(packet.reply),
            marks: Marks {
                burst: packet.bulk,
                last: packet.last,
                answers: packet.reply,
                bypasses: !packet.acknowledged,
            },
            envelope: Envelope { handler: packet.handler, last: true, ..Envelope::default() },
            source: PayloadSource::Words(&packet.words),
            beside: &[],
            journey: self.journey(&packet),
        };
        let before = self.spend(Cause::Send);
        let makes_room = async || {
            self.spend(Cause::Room);
            self.may_take() && self.take_one().await
        };
        let begun = self.end.put(&composed, run, makes_room).await;
        // Of all attempts the last one sent.
        self.spent.turn(Cause::Send, begun);
        self.spend(before);
        self.sent.set(self.sent.get() + 1);
        if !transfer::is_part(packet.handler) {
            self.count(packet.words.len());
        }
    }

    /// Whether there may be something to take in, as far as that is known without looking.
    fn may_take(&self) -> bool {
        self.end.near.is_some() || self.end.driver.may_find()
    }

    /// Takes in the next packet that has arrived; false if none has.
    async fn take_one(&self) -> bool {
        let end = &self.end;
        if end.near.is_some() {
            return self.take_handed().await;
        }
        let begun = end.now();
        let Some(mut arrival) = end.driver.poll(&end.cpu, &transfer::answers).await else { return false };
        let before = self.spent.turn(Cause::Receive, begun);
        self.accepted.set(self.accepted.get() + 1);
        self.sim().progress();
        let (from, handler, journey) = (arrival.from, arrival.envelope.handler, arrival.journey.clone());
        let mut words = std::mem::take(&mut *self.words.borrow_mut());
        words.clear();
        end.driver.take(&end.cpu, &mut arrival, end.reordering(handler), PayloadSink::Words(&mut words)).await;
        self.handle(&Received { from, handler, words: &words }, &journey).await;
        *self.words.borrow_mut() = words;
        self.spend(before);
        true
    }

    /// Takes in the next packet where programs share the node: any of them may have taken it.
    async fn take_handed(&self) -> bool {
        let begun = self.end.now();
        let Some(handed) = self.end.next_handed(&transfer::answers).await else { return false };
        let before = self.spent.turn(Cause::Receive, begun);
        self.accepted.set(self.accepted.get() + 1);
        self.sim().progress();
        let Handed { from, handler, words, journey } = handed;
        journey.close_if_lasted("receive: waiting", self.end.now());
        self.handle(&Received { from, handler, words: &words }, &journey).await;
        self.spend(before);
        true
    }

    /// Runs the handler of a packet that was taken in, for as long as it takes.
    async fn handle(&self, received: &Received<'_>, journey: &Journey) {
        if self.parameters.dispatch > 0 && !transfer::is_part(received.handler) {
            self.work("dispatch", self.parameters.dispatch).await;
            journey.close_if_lasted("receive: dispatch", self.end.now());
        }
        if let Some(handles) = self.deliver(received, journey) {
            handles.await;
        }
        if self.charged.get() > 0 {
            self.spend(Cause::Compute);
            self.work("handle", self.charged.take()).await;
        }
    }

    /// Runs the handler of a packet; what is left to wait for, where it accesses memory.
    fn deliver(&self, received: &Received<'_>, journey: &Journey) -> Option<Handles> {
        let end = &self.end;
        let is_kept = end.tally.delivered().len() < super::LEDGERS_MAX;
        match is_kept {
            true => end.tally.deliver(journey, end.now()),
            false => end.tally.pass(journey, end.now()),
        }
        if (PROTOCOL_HANDLERS..HANDLERS).contains(&received.handler) {
            let run =
                self.on_protocol.borrow().clone().expect("a node that is sent a protocol's messages handles them");
            return Some(run(received.from, received.handler, received.words.into()));
        }
        self.dispatch(received);
        None
    }

    fn dispatch(&self, received: &Received<'_>) {
        if received.handler >= HANDLERS {
            transfer::arrive(self, received);
            while let Some((handler, words)) = transfer::whole(self, received.from) {
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
        let (end, mut polls) = (&self.end, None);
        let mut run = end.run().await;
        let mut sees = false;
        let holds = loop {
            if !std::mem::take(&mut sees) {
                if condition() {
                    break true;
                } else if end.now() >= until {
                    break false;
                }
            }
            if self.take_some(&mut run).await > 0 {
                polls = None;
                if condition() {
                    break true;
                }
                if !self.parameters.drain_first {
                    continue;
                }
            }
            polls = polls.or_else(|| end.polls_for_packet());
            let next = || match condition() || end.now() >= until || end.has_been_handed() {
                true => Time::ZERO,
                false => until.min(self.barrier.opens_after(end.now())),
            };
            let _wants = self.wants.get().map(|wants| self.sim().waits_for(wants));
            sees = end.idle(&mut run, Wake { next: &next, until }).await;
        };
        end.stop(run).await;
        holds
    }
}
