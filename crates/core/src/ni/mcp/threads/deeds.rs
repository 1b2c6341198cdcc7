//! The effect of each action on the machine, and the command that it issues.

use super::machine::{Engine, Inbound, Outbound};
use super::{Act, Deed, Mcp, Rule};

impl Mcp {
    /// Performs an action and returns the command that it issues, if any. A packet that a broken rule has lost is
    /// skipped; the checker detects the loss later.
    pub(super) fn does(&mut self, deed: Deed) -> Option<Act> {
        match deed {
            Deed::Read => return self.read(),
            Deed::Filled => {
                // The queue is empty if the whole packet was sent before SDMA noticed its end.
                let packet = self.outgoing.back_mut()?;
                (packet.landed, packet.filled) = (packet.length, true);
            }
            Deed::Send => return self.send(),
            Deed::SendRests => self.send = Engine::Rests,
            Deed::Sent => return self.sent(),
            Deed::Receive => return self.receive(),
            Deed::ReceiveRests => self.receive = Engine::Rests,
            Deed::Received => self.incoming.back_mut()?.filled = true,
            Deed::TakePlace => self.places -= 1,
            Deed::Write => return self.write(),
            Deed::HostRests => self.host = Engine::Rests,
            Deed::Delivered => return self.delivered(),
        }
        None
    }

    fn read(&mut self) -> Option<Act> {
        let message = *self.queue.front()?;
        let (from, left) = (self.asked, message.length - self.asked);
        let units = left.min(self.config.segment.unwrap_or(left));
        let ends_message = units == left;
        self.asked = if ends_message { 0 } else { from + units };
        if ends_message {
            self.queue.pop_front();
        }
        let buffer = take(&mut self.send_buffer, self.config.send_buffers);
        let id = message.id;
        self.outgoing.push_back(Outbound {
            id,
            buffer,
            length: units,
            landed: 0,
            taken: 0,
            filled: false,
            ends_message,
        });
        self.host = Engine::Works;
        Some(Act::StartHostRead { id, buffer, from, units })
    }

    fn send(&mut self) -> Option<Act> {
        let to = self.counted_out(self.outgoing.front()?);
        let ends_marked = self.keeps(Rule::EndsMarked);
        let packet = self.outgoing.front_mut()?;
        let from = std::mem::replace(&mut packet.taken, to);
        self.send = Engine::Works;
        let last = to == packet.length && ends_marked;
        Some(Act::StartSend { id: packet.id, buffer: packet.buffer, from, units: to.saturating_sub(from), last })
    }

    fn sent(&mut self) -> Option<Act> {
        let packet = self.outgoing.pop_front()?;
        packet.ends_message.then_some(Act::SendComplete { id: packet.id })
    }

    fn receive(&mut self) -> Option<Act> {
        let id = self.coming.take()?;
        let buffer = take(&mut self.receive_buffer, self.config.receive_buffers);
        self.incoming.push_back(Inbound { id, buffer, landed: 0, taken: 0, ended: false, filled: false });
        self.receive = Engine::Works;
        Some(Act::StartReceive { id, buffer })
    }

    fn write(&mut self) -> Option<Act> {
        let to = self.counted_in(self.incoming.front()?);
        let packet = self.incoming.front_mut()?;
        let from = std::mem::replace(&mut packet.taken, to);
        self.host = Engine::Works;
        let units = to.saturating_sub(from);
        Some(Act::StartHostWrite { id: packet.id, buffer: packet.buffer, from, units, last: packet.ended })
    }

    fn delivered(&mut self) -> Option<Act> {
        let packet = self.incoming.pop_front()?;
        Some(Act::Received { id: packet.id, units: packet.taken })
    }
}

/// Takes the next buffer of a direction; buffers are freed in the order in which they are taken.
fn take(next: &mut u8, buffers: u8) -> u8 {
    let taken = *next;
    *next = (taken + 1) % buffers;
    taken
}
