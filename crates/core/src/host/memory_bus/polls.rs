//! Skipping of polls of a register that shows no event.
//!
//! A processor that waits for a packet reads a register repeatedly and does nothing else. Each round takes as long as
//! the previous round, and the rest of the simulation sees only totals. The rounds until an event are therefore counted
//! when the time of the event is known. Each round is counted as if it had been simulated, and equal rounds are counted
//! together. The read that shows the event ends at the time at which it would have ended, and every round has its
//! spans. Only the order of events at equal times may differ. With [`SpinModel::EveryPoll`] every round is simulated.
//!
//! If several tasks share the processor, rounds are simulated from the time at which a second task first holds it.
//!
//! Competition for the bus is not modelled. The caller ensures that only cores use the bus, and if the node has several
//! cores, rounds over the bus are simulated.

use super::bus::WordReads;
use super::device_path::DevicePath;
use super::parameters::SpinModel;
use super::processor::MemoryBusProcessor;
use crate::engine::Time;
use crate::engine::record::SpanLabel;
use crate::host::coherent_processor::PolledRegister;
use crate::host::cpu_arbiter::BusyPeriod;
use std::rc::Rc;

/// The times of a round of a polling loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PollRound {
    /// End of the previous round's read.
    previous_end: Time,
    /// Time at which the read leaves the processor.
    read_start: Time,
    /// End of the read.
    read_end: Time,
    /// End of the round, when the processor has the value and has checked it.
    end: Time,
}

impl PollRound {
    /// Returns a copy of the round that is later by `delay`.
    fn delayed_by(&self, delay: Time) -> PollRound {
        PollRound {
            previous_end: self.previous_end + delay,
            read_start: self.read_start + delay,
            read_end: self.read_end + delay,
            end: self.end + delay,
        }
    }
}

impl MemoryBusProcessor {
    /// Ends a round in which `register` showed no event, and skips the following rounds without an event, until the
    /// time that `wake_time` returns, at which the program has other work. Returns whether a read that shows an event
    /// has just ended; local time is then the start of its round until [`resume_read`] is called.
    ///
    /// [`resume_read`]: MemoryBusProcessor::resume_read
    pub async fn skip_polls(&self, register: &PolledRegister<'_>, wake_time: &dyn Fn() -> Time) -> bool {
        let core = &*self.0;
        self.work(register.round_cycles);
        let (Some(_), SpinModel::SkippedPolls) = (core.period, core.parameters.spin) else { return false };
        if core.arbiter.is_shared() || core.bus.is_busy() || !core.stores.is_empty() || !core.combining.is_empty() {
            return false;
        }
        if register.bus_location.is_some() && core.bus.has_several_caches() {
            return false;
        }
        let is_on_path =
            |path: &Rc<dyn DevicePath>| register.bus_location.is_some_and(|(address, _)| path.covers(address));
        if core.devices.get().is_some_and(is_on_path) {
            return false;
        }
        let read = register.bus_location.map(|(address, bytes)| core.bus.word_reads(address, bytes));
        let (mut previous_end, mut start) = (core.sim.now(), self.time());
        if start < previous_end {
            return false;
        }
        loop {
            let next_work = wake_time();
            if next_work <= start {
                return false;
            }
            let mut round = self.round(register, read, previous_end, start);
            let check_time = round.end - round.read_end;
            let deadline = if next_work == Time::MAX { next_work } else { next_work.since(check_time) };
            if (register.event_time)().is_none() && deadline > core.sim.now() {
                register.event.wait_until(deadline).await;
            }
            // Account for the rounds that have ended.
            let now = core.sim.now();
            while self.shows_no_event(register, &round, now, deadline) {
                self.count_round(read, &round);
                let next = self.round(register, read, round.read_end, round.end);
                let skipped_time = self.skip_equal_rounds(read, &round, &next, now);
                (previous_end, start) = (round.read_end + skipped_time, round.end + skipped_time);
                round = next.delayed_by(skipped_time);
            }
            self.set_time(start.max(self.time()));
            if core.arbiter.is_shared() {
                return false;
            }
            if (register.event_time)().is_none() && wake_time().since(check_time) > now {
                continue;
            }
            if round.read_end > now {
                core.sim.until(round.read_end).await;
            }
            if (register.event_time)().is_some() {
                self.count_read(read, &round);
                return true;
            }
            self.count_round(read, &round);
            self.set_time(round.end);
            (previous_end, start) = (round.read_end, round.end);
        }
    }

    /// Continues at the end of the read that showed an event; `over_bus` states whether the read used the bus.
    pub fn resume_read(&self, over_bus: bool) {
        self.set_time(self.0.sim.now());
        if over_bus {
            self.work(self.0.parameters.reply_cycles);
        }
    }

    /// Returns the round that begins at `start` in local time, after a read that ended at `previous_end`.
    fn round(
        &self,
        register: &PolledRegister<'_>,
        read: Option<WordReads>,
        previous_end: Time,
        start: Time,
    ) -> PollRound {
        let parameters = &self.0.parameters;
        let plus_cycles = |time: Time, cycles: u64| time + parameters.clock.cycles(cycles);
        match read {
            None => {
                let read_end = plus_cycles(start, register.access_cycles);
                let end = plus_cycles(read_end, register.round_cycles);
                PollRound { previous_end, read_start: read_end, read_end, end }
            }
            Some(read) => {
                let read_start = plus_cycles(start, parameters.request_cycles);
                let read_end = self.0.bus.word_read_end(read, read_start);
                let end = plus_cycles(read_end, parameters.reply_cycles + register.round_cycles);
                PollRound { previous_end, read_start, read_end, end }
            }
        }
    }

    /// Returns whether the read of a round has ended by `now` without showing an event, and the program has no other
    /// work before `deadline`.
    fn shows_no_event(&self, register: &PolledRegister<'_>, round: &PollRound, now: Time, deadline: Time) -> bool {
        if round.read_end < now {
            return true;
        }
        // Events at equal times occur in the order in which they were scheduled. The read therefore shows an event of
        // this time only if the event was scheduled earlier than the end of the read.
        let read_end_scheduled_at = if register.bus_location.is_some() { round.read_start } else { round.previous_end };
        let is_shown_later = || (register.event_time)().is_some_and(|event_time| event_time > read_end_scheduled_at);
        round.read_end == now && now < deadline && is_shown_later()
    }

    /// Counts all rounds whose reads end before `now` at once, if the next round equals `round` except for its time.
    /// Returns the time that these rounds take.
    fn skip_equal_rounds(&self, read: Option<WordReads>, round: &PollRound, next: &PollRound, now: Time) -> Time {
        let (core, interval) = (&*self.0, next.read_end - round.read_end);
        let is_equal = interval > Time::ZERO && *next == round.delayed_by(interval);
        let can_count = !core.arbiter.is_recorded() && (read.is_none() || core.bus.can_count_together());
        if !is_equal || next.read_end >= now || !can_count {
            return Time::ZERO;
        }
        let count = (now - next.read_end).ps().div_ceil(interval.ps());
        let work_to = next.read_end + self.check_time(read);
        let PollRound { previous_end: from, read_start: active_to, read_end: to, .. } = *next;
        core.arbiter.record_repeated(BusyPeriod { from, active_to, to, work_to }, count);
        if let Some(read) = read {
            core.bus.count_word_reads(read, (next.read_start, next.read_end), interval, count);
            self.add_stalls(next.read_end - next.read_start, Time::ZERO, count);
        }
        interval * count
    }

    /// Counts a round that showed no event.
    fn count_round(&self, read: Option<WordReads>, round: &PollRound) {
        self.count_read(read, round);
        let core = &*self.0;
        let check_end = round.read_end + self.check_time(read);
        core.arbiter.record_active(round.read_end, check_end);
        core.arbiter.record_span(SpanLabel { activity: "poll", ..SpanLabel::default() }, round.previous_end, check_end);
    }

    /// Returns the time for which the processor works on the value that it has read.
    fn check_time(&self, read: Option<WordReads>) -> Time {
        let parameters = &self.0.parameters;
        if read.is_some() { parameters.clock.cycles(parameters.reply_cycles) } else { Time::ZERO }
    }

    fn count_read(&self, read: Option<WordReads>, round: &PollRound) {
        let core = &*self.0;
        core.arbiter.record_busy(round.previous_end, round.read_start, round.read_end);
        if let Some(read) = read {
            core.bus.count_word_read(read, self.cache().id(), round.read_start, round.read_end);
            self.add_stall(round.read_end - round.read_start, Time::ZERO);
        }
    }
}
