//! Packets on the link: each direction sends one burst after another, and each packet's arrival is an event.

use super::*;

impl RootComplex {
    /// Sends a burst as soon as its direction is free.
    pub(super) fn send(&self, direction: FlowDirection, burst: PacketBurst, owner: BurstOwner) {
        let now = self.sim.now();
        match self.link.tlp {
            TlpSimulation::Accounted => {
                let (start, end) = self.link_direction(direction).send(now, &burst);
                self.start_burst(owner, start, end);
            }
            TlpSimulation::Each => {
                self.packet_queues[direction as usize].borrow_mut().waiting.push_back((burst, owner));
                self.send_next(direction);
            }
        }
    }

    fn link_direction(&self, direction: FlowDirection) -> &LinkDirection {
        match direction {
            FlowDirection::Up => &self.up,
            FlowDirection::Down => &self.down,
        }
    }

    /// Begins the next burst of a direction, if it is idle.
    fn send_next(&self, direction: FlowDirection) {
        let mut queue = self.packet_queues[direction as usize].borrow_mut();
        if queue.current.is_some() {
            return;
        }
        let Some((burst, owner)) = queue.waiting.pop_front() else { return };
        let (start, end) = self.link_direction(direction).send(self.sim.now(), &burst);
        assert_eq!(start, self.sim.now(), "an idle direction sends at once");
        queue.current = Some((start, burst, 0, end));
        drop(queue);
        self.schedule_packet(direction);
        self.start_burst(owner, start, end);
    }

    /// Schedules the end of the current packet of a direction.
    fn schedule_packet(&self, direction: FlowDirection) {
        let (start, burst, sent_packets, _) =
            self.packet_queues[direction as usize].borrow().current.expect("a burst is sent");
        // All packets except the last count as full. The first packet of a completion may be shorter, but the end of
        // the burst does not depend on that.
        let full_data = burst.data.get().min((sent_packets + 1) * self.link.payload_max.get());
        let data = if sent_packets + 1 == burst.packets { burst.data.get() } else { full_data };
        let wire_bytes = Bytes((sent_packets + 1) * burst.header.get() + data);
        self.step_queue
            .schedule(start + self.link_direction(direction).time_for(wire_bytes), Step::PacketSent(direction));
    }

    pub(super) fn packet_sent(&self, direction: FlowDirection) {
        let is_last = {
            let mut queue = self.packet_queues[direction as usize].borrow_mut();
            let (_, burst, sent_packets, end) = queue.current.as_mut().expect("a burst is sent");
            *sent_packets += 1;
            let is_last = *sent_packets == burst.packets;
            assert!(!is_last || *end == self.sim.now(), "the packets of a burst take as long as the burst");
            if is_last {
                queue.current = None;
            }
            is_last
        };
        match is_last {
            true => self.send_next(direction),
            false => self.schedule_packet(direction),
        }
    }

    /// Continues the request of a burst that is sent from `start` to `end`.
    fn start_burst(&self, owner: BurstOwner, start: Time, end: Time) {
        let arrival = end + self.link.crossing;
        match owner {
            BurstOwner::Read(read) => self.begin_read(read, arrival),
            BurstOwner::Posted(number, PostedPacket::Write(write)) => self.begin_write(number, write, (start, end)),
            BurstOwner::Posted(number, PostedPacket::Message(on_arrival)) => {
                self.step_queue
                    .schedule(arrival, Step::MessageArrives(number, OrderedRequest::Message(Some(number), on_arrival)));
            }
            BurstOwner::Posted(number, PostedPacket::Completion(_, on_arrival)) => {
                // The completion counts among the posted packets, but no packet is ordered behind it.
                self.step_queue
                    .schedule(arrival, Step::MessageArrives(number, OrderedRequest::Message(Some(number), on_arrival)));
            }
            BurstOwner::Completion(read) => self.begin_completion(*read, (start, end)),
            BurstOwner::Down(on_arrival) => on_arrival(arrival),
        }
    }
}
