//! Requests that have arrived: their translation, their order, their access to caches and memory, and the completion.

use super::*;
use crate::host::dma_steps::DataBeat;

impl RootComplex {
    fn translate(&self, now: Time, address: Address, writes: bool) -> Time {
        self.iommu.as_ref().map_or(now, |iommu| iommu.translate(now, address, writes))
    }

    pub(super) fn read_begins(&self, mut read: Box<ReadRequest>, arrival: Time) {
        let translated = self.translate(arrival, read.address, false);
        read.stages.arrived = arrival;
        read.stages.translated = translated;
        self.step_queue.schedule_ranked(translated, Rank::access(read.order), Step::ReadAccess(read));
    }

    pub(super) fn write_begins(&self, number: u64, mut write: Box<WriteRequest>, (from, to): (Time, Time)) {
        self.requests[1].set(self.requests[1].get() + 1);
        let arrival = to + self.link.crossing;
        let translated = self.translate(arrival, write.address, true);
        write.stages.arrived = arrival;
        write.stages.translated = translated;
        write.access = match self.link.ordering {
            WriteOrdering::Strict => translated.max(self.last_access.get()),
            WriteOrdering::Relaxed => translated,
        };
        self.last_access.set(self.last_access.get().max(write.access));
        let (offset, bytes, began) = (write.offset, write.bytes, write.stages.sent);
        let beat = DataBeat { offset, bytes, began, from, to, rate: self.link.rate() };
        write.transfer.add_beat(beat, Vec::new());
        match from <= self.sim.now() {
            true => self.write_flows(number, write),
            false => self.step_queue.schedule(from, Step::WriteFlows(number, write)),
        }
    }

    pub(super) fn carry_out(&self, step: Step) {
        match step {
            // Another attempt may have been scheduled for an earlier instant.
            Step::Pump if self.pump_at.get() == self.sim.now() => {
                self.pump_at.set(Time::MAX);
                self.send_waiting();
            }
            Step::Pump => {}
            Step::WriteFlows(number, write) => self.write_flows(number, write),
            Step::WriteAccess(number, write) => self.write_access(number, write),
            Step::WriteVisible(number, write) => self.write_visible(number, write),
            Step::ReadAccess(read) => self.in_order(read.after, Held::Read(read)),
            Step::ReadReady(read) => self.read_ready(read),
            Step::Arrives(after, held) => self.in_order(after, held),
            Step::SendDown(burst, on_arrival) => self.send(Way::Down, burst, Sending::Down(on_arrival)),
            Step::PacketSent(way) => self.packet_sent(way),
        }
    }

    fn write_flows(&self, number: u64, mut write: Box<WriteRequest>) {
        write.data = self.idle_data.borrow_mut().pop().unwrap_or_default();
        write.data.resize(write.bytes.len(), 0);
        write.source.load(write.offset, &mut write.data);
        self.step_queue.schedule_ranked(write.access, Rank::access(write.order), Step::WriteAccess(number, write));
    }

    fn write_access(&self, number: u64, mut write: Box<WriteRequest>) {
        let now = self.sim.now();
        write.stages.accessed = now;
        let additional = self.caches.device_write(now, write.address, write.bytes);
        let mut visible = now + self.parameters.write_visible + additional;
        if self.link.ordering == WriteOrdering::Strict {
            visible = visible.max(self.last_visible.get());
            self.last_visible.set(visible);
        }
        self.step_queue.schedule_ranked(visible, Rank::FIRST, Step::WriteVisible(number, write));
    }

    fn write_visible(&self, number: u64, mut write: Box<WriteRequest>) {
        let (now, end) = (self.sim.now(), write.address + write.bytes.get());
        if let Some(until) = self.bus.transaction_end_in(&(write.address..end)) {
            // The processor's transaction of one of the blocks is older.
            let retry = until.max(now + Time::from_ps(1));
            self.last_visible.set(self.last_visible.get().max(retry));
            return self.step_queue.schedule(retry, Step::WriteVisible(number, write));
        }
        self.bus.write_off_bus(write.address, &write.data);
        self.idle_data.borrow_mut().push(std::mem::take(&mut write.data));
        write.stages.ready = now;
        write.stages.done = now;
        let (headers, data) = self.link.write_credits(write.bytes);
        let granted = now + self.link.crossing;
        self.headers.return_units(granted, headers);
        self.data.return_units(granted, data);
        write.transfer.finish_part(&write.stages, now);
        self.became_visible(number);
        self.pump_when_possible();
    }

    /// Continues `held` when all posted packets with numbers below `after` are visible.
    fn in_order(&self, after: u64, held: Held) {
        let mut visibility = self.visibility.borrow_mut();
        if visibility.first < after {
            return visibility.held.push_back((after, held));
        }
        drop(visibility);
        self.release(held);
    }

    fn release(&self, held: Held) {
        match held {
            Held::Read(read) => self.read_access(read),
            Held::Message(number, on_arrival) => {
                on_arrival();
                if let Some(number) = number {
                    self.became_visible(number);
                }
            }
        }
    }

    /// Records that a posted packet is visible, and continues what waited for it.
    fn became_visible(&self, number: u64) {
        {
            let visibility = &mut *self.visibility.borrow_mut();
            let at = (number - visibility.first) as usize;
            if visibility.later.len() <= at {
                visibility.later.resize(at + 1, false);
            }
            visibility.later[at] = true;
            while visibility.later.pop_front_if(|is_visible| *is_visible).is_some() {
                visibility.first += 1;
            }
        }
        loop {
            let mut visibility = self.visibility.borrow_mut();
            let first = visibility.first;
            let Some(at) = visibility.held.iter().position(|(after, _)| *after <= first) else { return };
            let (_, held) = visibility.held.remove(at).expect("it was found");
            drop(visibility);
            self.release(held);
        }
    }

    fn read_access(&self, mut read: Box<ReadRequest>) {
        self.requests[0].set(self.requests[0].get() + 1);
        let now = self.sim.now();
        read.stages.accessed = now;
        self.nonposted.return_units(now + self.link.crossing, 1);
        let place = self.caches.device_read(now, read.address, read.bytes, &|block| self.bus.is_cached(block));
        let fixed = self.fixed_time();
        read.stages.ready = (now + fixed + place.later).since(place.earlier).max(now);
        read.stages.fixed = fixed;
        self.step_queue.schedule(read.stages.ready, Step::ReadReady(read));
        self.pump_when_possible();
    }

    fn read_ready(&self, mut read: Box<ReadRequest>) {
        // The bytes are read now, and not when the direction is free.
        read.data.resize(read.bytes.len(), 0);
        self.bus.read_off_bus(read.address, &mut read.data);
        let burst = PacketBurst {
            packets: self.link.completion_packets(read.address, read.bytes),
            header: self.link.completion_header,
            data: read.bytes,
        };
        self.send(Way::Down, burst, Sending::Completion(read));
    }

    pub(super) fn completion_begins(&self, mut read: ReadRequest, (from, to): (Time, Time)) {
        let (from, to) = (from + self.link.crossing, to + self.link.crossing);
        read.stages.done = to;
        let beat = DataBeat {
            offset: read.offset,
            bytes: read.bytes,
            began: read.stages.sent,
            from,
            to,
            rate: self.link.rate(),
        };
        self.tags.return_units(to, 1);
        read.transfer.add_beat(beat, std::mem::take(&mut read.data));
        read.transfer.finish_part(&read.stages, to);
        self.pump_when_possible();
    }
}
