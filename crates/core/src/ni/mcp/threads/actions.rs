//! The effect of each action on the machine, and the command that it issues.

use super::machine::{EngineState, InboundPacket, OutboundPacket};
use super::{Action, Command, Mcp, Rule};

impl Mcp {
    /// Performs an action, and returns the command that it issues, if any. If the packet was lost because the checker
    /// breaks a rule, the action does nothing; the checker detects the loss later.
    pub(super) fn perform(&mut self, action: Action) -> Option<Command> {
        match action {
            Action::Read => return self.read(),
            Action::Filled => {
                // The queue is empty if the whole packet was sent before SDMA noticed the end of its transfer.
                let packet = self.outgoing.back_mut()?;
                (packet.landed_units, packet.is_filled) = (packet.length, true);
            }
            Action::Send => return self.send(),
            Action::SendEngineIdle => self.send_engine = EngineState::Idle,
            Action::Sent => return self.sent(),
            Action::Receive => return self.receive(),
            Action::ReceiveEngineIdle => self.receive_engine = EngineState::Idle,
            Action::Received => self.incoming.back_mut()?.is_filled = true,
            Action::TakeHostBuffer => self.host_buffers -= 1,
            Action::Write => return self.write(),
            Action::HostEngineIdle => self.host_engine = EngineState::Idle,
            Action::Delivered => return self.delivered(),
        }
        None
    }

    fn read(&mut self) -> Option<Command> {
        let message = *self.send_queue.front()?;
        let (from, remaining_units) = (self.started_read_units, message.length - self.started_read_units);
        let units = remaining_units.min(self.config.segment.unwrap_or(remaining_units));
        let ends_message = units == remaining_units;
        self.started_read_units = if ends_message { 0 } else { from + units };
        if ends_message {
            self.send_queue.pop_front();
        }
        let buffer = take_buffer(&mut self.next_send_buffer, self.config.send_buffers);
        let id = message.id;
        self.outgoing.push_back(OutboundPacket {
            id,
            buffer,
            length: units,
            landed_units: 0,
            started_units: 0,
            is_filled: false,
            ends_message,
        });
        self.host_engine = EngineState::Busy;
        Some(Command::StartHostRead { id, buffer, from, units })
    }

    fn send(&mut self) -> Option<Command> {
        let end = self.counted_outbound_units(self.outgoing.front()?);
        let ends_marked = self.obeys(Rule::EndsMarked);
        let packet = self.outgoing.front_mut()?;
        let from = std::mem::replace(&mut packet.started_units, end);
        self.send_engine = EngineState::Busy;
        let last = end == packet.length && ends_marked;
        Some(Command::StartSend { id: packet.id, buffer: packet.buffer, from, units: end.saturating_sub(from), last })
    }

    fn sent(&mut self) -> Option<Command> {
        let packet = self.outgoing.pop_front()?;
        packet.ends_message.then_some(Command::SendComplete { id: packet.id })
    }

    fn receive(&mut self) -> Option<Command> {
        let id = self.announced_packet.take()?;
        let buffer = take_buffer(&mut self.next_receive_buffer, self.config.receive_buffers);
        self.incoming.push_back(InboundPacket {
            id,
            buffer,
            landed_units: 0,
            started_units: 0,
            has_tail: false,
            is_filled: false,
        });
        self.receive_engine = EngineState::Busy;
        Some(Command::StartReceive { id, buffer })
    }

    fn write(&mut self) -> Option<Command> {
        let end = self.counted_inbound_units(self.incoming.front()?);
        let packet = self.incoming.front_mut()?;
        let from = std::mem::replace(&mut packet.started_units, end);
        self.host_engine = EngineState::Busy;
        let units = end.saturating_sub(from);
        Some(Command::StartHostWrite { id: packet.id, buffer: packet.buffer, from, units, last: packet.has_tail })
    }

    fn delivered(&mut self) -> Option<Command> {
        let packet = self.incoming.pop_front()?;
        Some(Command::Received { id: packet.id, units: packet.started_units })
    }
}

/// Takes the next buffer of a direction; buffers are freed in the order in which they are taken.
fn take_buffer(next: &mut u8, buffers: u8) -> u8 {
    let buffer = *next;
    *next = (buffer + 1) % buffers;
    buffer
}
