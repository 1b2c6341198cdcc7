//! Requests that have arrived: their translation, their order, their access to caches and memory, and their completion.

use super::*;
use crate::host::dma_steps::DataBeat;

/// The order in which posted packets become visible.
#[derive(Default)]
pub(super) struct Visibility {
    /// Number of the first posted packet that is not visible.
    first_invisible: u64,
    /// For each packet from `first_invisible` on, whether it is visible.
    visible_flags: VecDeque<bool>,
    /// Requests that wait until all posted packets with numbers below the given number are visible.
    waiting_requests: VecDeque<(u64, OrderedRequest)>,
}

impl RootComplex {
    fn translate(&self, now: Time, address: Address, writes: bool) -> Time {
        self.iommu.as_ref().map_or(now, |iommu| iommu.translate(now, address, writes))
    }

    pub(super) fn begin_read(&self, mut read: Box<ReadRequest>, arrival: Time) {
        let translated_at = self.translate(arrival, read.address, false);
        read.stages.arrived = arrival;
        read.stages.translated = translated_at;
        self.step_queue.schedule_ranked(translated_at, Rank::access(read.request_number), Step::ReadAccess(read));
    }

    pub(super) fn begin_write(&self, number: u64, mut write: Box<WriteRequest>, (from, to): (Time, Time)) {
        self.request_counts[1].set(self.request_counts[1].get() + 1);
        let arrival = to + self.link.crossing;
        let translated_at = self.translate(arrival, write.address, true);
        write.stages.arrived = arrival;
        write.stages.translated = translated_at;
        write.access_from = match self.link.ordering {
            WriteOrdering::Strict => translated_at.max(self.last_access.get()),
            WriteOrdering::Relaxed => translated_at,
        };
        self.last_access.set(self.last_access.get().max(write.access_from));
        let (offset, bytes, service_start) = (write.offset, write.bytes, write.stages.sent);
        let beat = DataBeat { offset, bytes, service_start, from, to, rate: self.link.rate() };
        write.transfer.add_beat(beat, Vec::new());
        match from <= self.sim.now() {
            true => self.write_flows(number, write),
            false => self.step_queue.schedule(from, Step::WriteFlows(number, write)),
        }
    }

    pub(super) fn carry_out(&self, step: Step) {
        match step {
            // The attempt has no effect if another attempt was scheduled for an earlier instant.
            Step::RetrySending if self.retry_at.get() == self.sim.now() => {
                self.retry_at.set(Time::MAX);
                self.send_waiting();
            }
            Step::RetrySending => {}
            Step::WriteFlows(number, write) => self.write_flows(number, write),
            Step::WriteAccess(number, write) => self.write_access(number, write),
            Step::WriteVisible(number, write) => self.write_visible(number, write),
            Step::ReadAccess(read) => self.continue_in_order(read.posted_before, OrderedRequest::Read(read)),
            Step::ReadReady(read) => self.read_ready(read),
            Step::MessageArrives(posted_before, message) => self.continue_in_order(posted_before, message),
            Step::SendDown(burst, on_arrival) => self.send(FlowDirection::Down, burst, BurstOwner::Down(on_arrival)),
            Step::PacketSent(direction) => self.packet_sent(direction),
        }
    }

    fn write_flows(&self, number: u64, mut write: Box<WriteRequest>) {
        write.data = self.idle_buffers.borrow_mut().pop().unwrap_or_default();
        write.data.resize(write.bytes.len(), 0);
        write.source.load(write.offset, &mut write.data);
        self.step_queue.schedule_ranked(
            write.access_from,
            Rank::access(write.request_number),
            Step::WriteAccess(number, write),
        );
    }

    fn write_access(&self, number: u64, mut write: Box<WriteRequest>) {
        let now = self.sim.now();
        write.stages.accessed = now;
        let additional_time = self.caches.device_write(now, write.address, write.bytes);
        let mut visible_at = now + self.parameters.write_visible + additional_time;
        if self.link.ordering == WriteOrdering::Strict {
            visible_at = visible_at.max(self.last_visible.get());
            self.last_visible.set(visible_at);
        }
        self.step_queue.schedule_ranked(visible_at, Rank::FIRST, Step::WriteVisible(number, write));
    }

    fn write_visible(&self, number: u64, mut write: Box<WriteRequest>) {
        let (now, end) = (self.sim.now(), write.address + write.bytes.get());
        if let Some(transaction_end) = self.bus.transaction_end_in(&(write.address..end)) {
            // A transaction of the processor is moving one of the blocks, and the write takes effect after it.
            let retry_at = transaction_end.max(now + Time::from_ps(1));
            self.last_visible.set(self.last_visible.get().max(retry_at));
            return self.step_queue.schedule(retry_at, Step::WriteVisible(number, write));
        }
        self.bus.write_off_bus(write.address, &write.data);
        self.idle_buffers.borrow_mut().push(std::mem::take(&mut write.data));
        write.stages.ready = now;
        write.stages.done = now;
        let (headers, data) = self.link.write_credits(write.bytes);
        let credit_return = now + self.link.crossing;
        self.header_credits.return_units(credit_return, headers);
        self.data_credits.return_units(credit_return, data);
        write.transfer.finish_part(&write.stages, now);
        self.note_visible(number);
        self.schedule_retry();
    }

    /// Continues `request` when all posted packets with numbers below `posted_before` are visible.
    fn continue_in_order(&self, posted_before: u64, request: OrderedRequest) {
        let mut visibility = self.visibility.borrow_mut();
        if visibility.first_invisible < posted_before {
            return visibility.waiting_requests.push_back((posted_before, request));
        }
        drop(visibility);
        self.continue_request(request);
    }

    fn continue_request(&self, request: OrderedRequest) {
        match request {
            OrderedRequest::Read(read) => self.read_access(read),
            OrderedRequest::Message(number, on_arrival) => {
                on_arrival();
                if let Some(number) = number {
                    self.note_visible(number);
                }
            }
        }
    }

    /// Records that a posted packet is visible, and continues the requests that waited for it.
    fn note_visible(&self, number: u64) {
        {
            let visibility = &mut *self.visibility.borrow_mut();
            let index = (number - visibility.first_invisible) as usize;
            if visibility.visible_flags.len() <= index {
                visibility.visible_flags.resize(index + 1, false);
            }
            visibility.visible_flags[index] = true;
            while visibility.visible_flags.pop_front_if(|is_visible| *is_visible).is_some() {
                visibility.first_invisible += 1;
            }
        }
        loop {
            let mut visibility = self.visibility.borrow_mut();
            let first_invisible = visibility.first_invisible;
            let Some(index) =
                visibility.waiting_requests.iter().position(|(posted_before, _)| *posted_before <= first_invisible)
            else {
                return;
            };
            let (_, request) = visibility.waiting_requests.remove(index).expect("the request waits");
            drop(visibility);
            self.continue_request(request);
        }
    }

    fn read_access(&self, mut read: Box<ReadRequest>) {
        self.request_counts[0].set(self.request_counts[0].get() + 1);
        let now = self.sim.now();
        read.stages.accessed = now;
        self.nonposted_credits.return_units(now + self.link.crossing, 1);
        let adjustment = self.caches.device_read(now, read.address, read.bytes, &|block| self.bus.is_cached(block));
        let fixed_time = self.fixed_time();
        read.stages.ready = (now + fixed_time + adjustment.added_time).since(adjustment.saved_time).max(now);
        read.stages.fixed_latency = fixed_time;
        self.step_queue.schedule(read.stages.ready, Step::ReadReady(read));
        self.schedule_retry();
    }

    fn read_ready(&self, mut read: Box<ReadRequest>) {
        // The bytes are read now, and not when the direction is free to send them.
        read.data.resize(read.bytes.len(), 0);
        self.bus.read_off_bus(read.address, &mut read.data);
        let burst = PacketBurst {
            packets: self.link.completion_packets(read.address, read.bytes),
            header: self.link.completion_header,
            data: read.bytes,
        };
        self.send(FlowDirection::Down, burst, BurstOwner::Completion(read));
    }

    pub(super) fn begin_completion(&self, mut read: ReadRequest, (from, to): (Time, Time)) {
        let (from, to) = (from + self.link.crossing, to + self.link.crossing);
        read.stages.done = to;
        let beat = DataBeat {
            offset: read.offset,
            bytes: read.bytes,
            service_start: read.stages.sent,
            from,
            to,
            rate: self.link.rate(),
        };
        self.tags.return_units(to, 1);
        read.transfer.add_beat(beat, std::mem::take(&mut read.data));
        read.transfer.finish_part(&read.stages, to);
        self.schedule_retry();
    }
}
