//! Packets on the link: each direction sends one burst after another, and each packet's arrival is an event.

use super::*;

impl RootComplex {
    /// Sends a burst as soon as its direction is free.
    pub(super) fn send(&self, way: Way, burst: PacketBurst, sending: Sending) {
        let now = self.sim.now();
        match self.link.tlp {
            TlpSimulation::Accounted => {
                let (from, to) = self.direction(way).send(now, &burst);
                self.begins(sending, from, to);
            }
            TlpSimulation::Each => {
                self.packets[way as usize].borrow_mut().waiting.push_back((burst, sending));
                self.send_next(way);
            }
        }
    }

    fn direction(&self, way: Way) -> &LinkDirection {
        match way {
            Way::Up => &self.up,
            Way::Down => &self.down,
        }
    }

    /// Begins the next burst of a direction, if it is idle.
    fn send_next(&self, way: Way) {
        let mut queue = self.packets[way as usize].borrow_mut();
        if queue.current.is_some() {
            return;
        }
        let Some((burst, sending)) = queue.waiting.pop_front() else { return };
        let (from, to) = self.direction(way).send(self.sim.now(), &burst);
        assert_eq!(from, self.sim.now(), "an idle direction sends at once");
        queue.current = Some((from, burst, 0, to));
        drop(queue);
        self.schedule_packet(way);
        self.begins(sending, from, to);
    }

    /// Schedules the end of the current packet of a direction.
    fn schedule_packet(&self, way: Way) {
        let (from, burst, sent, _) = self.packets[way as usize].borrow().current.expect("a burst is sent");
        // All packets but the last count as full. The first packet of a completion may be shorter, but this changes
        // the end of no burst.
        let data = burst.data.get().min((sent + 1) * self.link.payload_max.get());
        let data = if sent + 1 == burst.packets { burst.data.get() } else { data };
        let wire = Bytes((sent + 1) * burst.header.get() + data);
        self.step_queue.schedule(from + self.direction(way).time_for(wire), Step::PacketSent(way));
    }

    pub(super) fn packet_sent(&self, way: Way) {
        let is_last = {
            let mut queue = self.packets[way as usize].borrow_mut();
            let (_, burst, sent, to) = queue.current.as_mut().expect("a burst is sent");
            *sent += 1;
            let is_last = *sent == burst.packets;
            assert!(!is_last || *to == self.sim.now(), "the packets of a burst take as long as the burst");
            if is_last {
                queue.current = None;
            }
            is_last
        };
        match is_last {
            true => self.send_next(way),
            false => self.schedule_packet(way),
        }
    }

    /// Continues a burst that is sent from `from` to `to`.
    fn begins(&self, sending: Sending, from: Time, to: Time) {
        let arrival = to + self.link.crossing;
        match sending {
            Sending::Read(read) => self.read_begins(read, arrival),
            Sending::Posted(number, Posted::Write(write)) => self.write_begins(number, write, (from, to)),
            Sending::Posted(number, Posted::Message(on_arrival)) => {
                self.step_queue.schedule(arrival, Step::Arrives(number, Held::Message(Some(number), on_arrival)));
            }
            Sending::Posted(number, Posted::Completion(_, on_arrival)) => {
                // The completion counts among the posted packets, but no packet is ordered behind it.
                self.step_queue.schedule(arrival, Step::Arrives(number, Held::Message(Some(number), on_arrival)));
            }
            Sending::Completion(read) => self.completion_begins(*read, (from, to)),
            Sending::Down(on_arrival) => on_arrival(arrival),
        }
    }
}
