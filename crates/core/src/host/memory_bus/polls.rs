//! Polls of a register that shows nothing, passed at once.
//!
//! A processor that waits for a packet reads a register again and again, and does nothing else: each round takes what
//! the one before took, and what others see of it are totals. So the rounds until something is shown are counted when
//! that is known, each just as if it had been simulated, those that are alike all at once; the read that shows something
//! ends when it would have ended, and each has its spans. Only the order of events at equal times may be another. Where
//! [`Spin::Each`] says so, every round is simulated.
//!
//! Where several tasks share the processor, they are simulated, too, from the second one's first turn on.
//!
//! Leaves out: others that use the bus meanwhile. Who polls says that there are none.

use super::bus::WordReads;
use super::parameters::Spin;
use super::processor::MemoryBusProcessor;
use crate::engine::Time;
use crate::engine::record::SpanLabel;
use crate::host::coherent_processor::PolledRegister;
use crate::host::cpu_arbiter::BusyPeriod;

/// A round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PollRound {
    /// When the one before ended.
    from: Time,
    /// When the read left the processor.
    asks: Time,
    /// When it ends.
    ends: Time,
    /// When the processor has its answer, and has looked whether it goes on.
    over: Time,
}

impl PollRound {
    /// The same so much later.
    fn later(&self, by: Time) -> PollRound {
        PollRound { from: self.from + by, asks: self.asks + by, ends: self.ends + by, over: self.over + by }
    }
}

impl MemoryBusProcessor {
    /// Ends a round in which `register` showed nothing, and passes those that follow in which it shows nothing
    /// either, until the program has something else to do, which `wake` says. True if a read has just ended that
    /// shows something: the time is that at which its round began, until [`resume_read`].
    ///
    /// [`resume_read`]: MemoryBusProcessor::resume_read
    pub async fn pass_polls(&self, register: &PolledRegister<'_>, wake: &dyn Fn() -> Time) -> bool {
        let core = &*self.0;
        self.work(register.round_cycles);
        let (Some(_), Spin::Skipped) = (core.period, core.parameters.spin) else { return false };
        if core.arbiter.is_shared() || core.bus.is_held() || !core.stores.is_empty() || !core.combining.is_empty() {
            return false;
        }
        let read = register.on_bus.map(|(address, bytes)| core.bus.word_reads(address, bytes));
        let (mut from, mut began) = (core.sim.now(), self.time());
        if began < from {
            return false;
        }
        loop {
            let next = wake();
            if next <= began {
                return false;
            }
            let mut round = self.round(register, read, from, began);
            let rest = round.over - round.ends;
            let alarm = if next == Time::MAX { next } else { next.since(rest) };
            if (register.shows)().is_none() && alarm > core.sim.now() {
                register.event.wait_until(alarm).await;
            }
            // Rounds that ended before.
            let now = core.sim.now();
            while self.is_in_vain(register, &round, now, alarm) {
                self.count_round(read, &round);
                let next = self.round(register, read, round.ends, round.over);
                let passed = self.pass_alike(read, &round, &next, now);
                (from, began) = (round.ends + passed, round.over + passed);
                round = next.later(passed);
            }
            self.set_time(began.max(self.time()));
            if core.arbiter.is_shared() {
                return false;
            }
            if (register.shows)().is_none() && wake().since(rest) > now {
                continue;
            }
            if round.ends > now {
                core.sim.until(round.ends).await;
            }
            if (register.shows)().is_some() {
                self.count_read(read, &round);
                return true;
            }
            self.count_round(read, &round);
            self.set_time(round.over);
            (from, began) = (round.ends, round.over);
        }
    }

    /// Goes on with what the read told that ended just now, over the bus or not.
    pub fn resume_read(&self, over_bus: bool) {
        self.set_time(self.0.sim.now());
        if over_bus {
            self.work(self.0.parameters.reply_cycles);
        }
    }

    /// The round that begins at `began` by the processor's time, when the last one has ended at `from`.
    fn round(&self, register: &PolledRegister<'_>, read: Option<WordReads>, from: Time, began: Time) -> PollRound {
        let p = &self.0.parameters;
        let after = |time: Time, cycles: u64| time + p.clock.cycles(cycles);
        match read {
            None => {
                let ends = after(began, register.access_cycles);
                PollRound { from, asks: ends, ends, over: after(ends, register.round_cycles) }
            }
            Some(read) => {
                let asks = after(began, p.request_cycles);
                let ends = self.0.bus.word_read_ends(read, asks);
                PollRound { from, asks, ends, over: after(ends, p.reply_cycles + register.round_cycles) }
            }
        }
    }

    /// Whether a round is over at `now` that showed nothing, and after which there was nothing else to do.
    fn is_in_vain(&self, register: &PolledRegister<'_>, round: &PollRound, now: Time, alarm: Time) -> bool {
        if round.ends < now {
            return true;
        }
        // When its end was set: what was set before comes before it.
        let set = if register.on_bus.is_some() { round.asks } else { round.from };
        let shown_later = || (register.shows)().is_some_and(|since| since > set);
        round.ends == now && now < alarm && shown_later()
    }

    /// Where the next round is as one that was counted, only later, all that are over before `now` are counted at once;
    /// how long they took.
    fn pass_alike(&self, read: Option<WordReads>, round: &PollRound, next: &PollRound, now: Time) -> Time {
        let (core, every) = (&*self.0, next.ends - round.ends);
        let alike = every > Time::ZERO && *next == round.later(every);
        if !alike || next.ends >= now || core.arbiter.is_recorded() || read.is_some() && !core.bus.counts_at_once() {
            return Time::ZERO;
        }
        let times = (now - next.ends).ps().div_ceil(every.ps());
        let looked = next.ends + self.looks(read);
        let period = BusyPeriod { from: next.from, active_to: next.asks, to: next.ends, on_to: looked };
        core.arbiter.record_repeated(period, times);
        if let Some(read) = read {
            core.bus.words_were_read(read, (next.asks, next.ends), every, times);
            self.stalled_each(next.ends - next.asks, Time::ZERO, times);
        }
        every * times
    }

    /// Counts a round that showed nothing.
    fn count_round(&self, read: Option<WordReads>, round: &PollRound) {
        self.count_read(read, round);
        let core = &*self.0;
        let looked = round.ends + self.looks(read);
        core.arbiter.record_active(round.ends, looked);
        core.arbiter.record_span(SpanLabel { what: "poll", ..SpanLabel::default() }, round.from, looked);
    }

    /// How long a processor works before it has looked at what it read.
    fn looks(&self, read: Option<WordReads>) -> Time {
        let p = &self.0.parameters;
        if read.is_some() { p.clock.cycles(p.reply_cycles) } else { Time::ZERO }
    }

    fn count_read(&self, read: Option<WordReads>, round: &PollRound) {
        let core = &*self.0;
        core.arbiter.record_busy(round.from, round.asks, round.ends);
        if let Some(read) = read {
            core.bus.word_was_read(read, self.cache().id(), round.asks, round.ends);
            self.stalled(round.ends - round.asks, Time::ZERO);
        }
    }
}
