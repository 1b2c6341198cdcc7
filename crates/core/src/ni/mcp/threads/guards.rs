//! The condition of each guard, evaluated on the machine's state.

use super::machine::{EngineState, InboundPacket, OutboundPacket};
use super::{Guard, Mcp, Pipelining, Rule, Thread, ThreadState};

impl Mcp {
    /// Returns whether a guard holds.
    pub fn holds(&self, guard: Guard) -> bool {
        match guard {
            Guard::Descriptor => !self.send_queue.is_empty(),
            Guard::SendBuffer => self.has_free_buffer(self.outgoing.len(), self.config.send_buffers),
            Guard::NoPacketToSend => !self.is_serial() || self.outgoing.is_empty(),
            Guard::HostFree => self.host_engine == EngineState::Idle || !self.obeys(Rule::EngineExclusive),
            Guard::HostDone => self.host_engine == EngineState::Ended,
            Guard::SendWhole => self.outgoing.front().is_some_and(|packet| self.is_whole(packet)),
            Guard::SendEnough => self.outgoing.front().is_some_and(|packet| self.has_fragment_to_send(packet)),
            Guard::SendEnded => self.send_engine == EngineState::Ended,
            Guard::PacketAnnounced => self.announced_packet.is_some(),
            Guard::ReceiveBuffer => self.has_free_buffer(self.incoming.len(), self.config.receive_buffers),
            Guard::NoPacketReceived => !self.is_serial() || self.incoming.is_empty(),
            Guard::ReceiveEnded => self.receive_engine == EngineState::Ended,
            Guard::HostBuffer => self.host_buffers > 0,
            Guard::ReceivedWhole => self.incoming.front().is_some_and(|packet| self.has_arrived(packet)),
            Guard::ReceivedEnough => self.incoming.front().is_some_and(|packet| self.has_fragment_to_deliver(packet)),
            Guard::Undelivered => {
                self.incoming.front().is_some_and(|packet| packet.started_units < packet.landed_units)
            }
            Guard::AllDelivered => {
                self.incoming.front().is_some_and(|packet| packet.started_units >= packet.landed_units)
            }
        }
    }

    fn is_serial(&self) -> bool {
        self.config.pipelining == Pipelining::Serial
    }

    /// Returns the minimum number of new units in a fragment, or `None` if packets are not sent in fragments.
    fn threshold(&self) -> Option<u32> {
        match self.config.pipelining {
            Pipelining::Fine { threshold } => Some(threshold.max(1)),
            Pipelining::Serial | Pipelining::Coarse => None,
        }
    }

    fn has_free_buffer(&self, used: usize, buffers: u8) -> bool {
        used < usize::from(buffers) || !self.obeys(Rule::BuffersHeld)
    }

    /// Returns the number of units of an outbound packet that the firmware believes to have landed.
    pub(super) fn counted_outbound_units(&self, packet: &OutboundPacket) -> u32 {
        let excess_units = u32::from(!self.obeys(Rule::BytesFirst));
        (packet.landed_units + excess_units).min(packet.length)
    }

    /// Returns the number of units of an inbound packet that the firmware believes to have landed.
    pub(super) fn counted_inbound_units(&self, packet: &InboundPacket) -> u32 {
        packet.landed_units + u32::from(!self.obeys(Rule::BytesFirst) && !packet.has_tail)
    }

    /// Returns whether all of an outbound packet has landed. Without fragments the firmware learns this from SDMA, not
    /// from the counter.
    fn is_whole(&self, packet: &OutboundPacket) -> bool {
        let counter_suffices = self.threshold().is_some() || !self.obeys(Rule::BytesFirst);
        packet.is_filled || (counter_suffices && self.counted_outbound_units(packet) == packet.length)
    }

    fn has_fragment_to_send(&self, packet: &OutboundPacket) -> bool {
        let unsent_units = self.counted_outbound_units(packet).saturating_sub(packet.started_units);
        !self.is_whole(packet) && self.threshold().is_some_and(|threshold| unsent_units >= threshold)
    }

    fn has_arrived(&self, packet: &InboundPacket) -> bool {
        let accepts_early = !self.obeys(Rule::BytesFirst) && self.threshold().is_none() && packet.landed_units > 0;
        packet.is_filled || (self.threshold().is_some() && packet.has_tail) || accepts_early
    }

    fn has_fragment_to_deliver(&self, packet: &InboundPacket) -> bool {
        let undelivered_units = self.counted_inbound_units(packet).saturating_sub(packet.started_units);
        !self.has_arrived(packet) && self.threshold().is_some_and(|threshold| undelivered_units >= threshold)
    }

    /// Returns the count of landed units at which the send engine can continue with a packet that is still being read.
    pub(super) fn send_threshold(&self) -> Option<u32> {
        let packet = self.outgoing.front().filter(|packet| packet.landed_units < packet.length)?;
        Some(packet.started_units.saturating_add(self.threshold()?).min(packet.length))
    }

    /// Returns the count of landed units at which RDMA can continue with a packet that is still arriving.
    pub(super) fn write_threshold(&self) -> Option<u32> {
        let packet = self.incoming.front().filter(|packet| !packet.has_tail)?;
        let has_buffer = self.host_buffers > 0 || self.state(Thread::Rdma) != ThreadState::Idle;
        (self.host_engine == EngineState::Idle && has_buffer)
            .then_some(packet.started_units.saturating_add(self.threshold()?))
    }

    /// Returns whether SEND works on a packet that has not landed completely.
    pub fn sends_partial_packets(&self) -> bool {
        let is_working = !matches!(self.state(Thread::Send), ThreadState::Idle | ThreadState::FineGrainedSendDone);
        is_working && self.outgoing.front().is_some_and(|packet| packet.landed_units < packet.length)
    }

    /// Returns whether RDMA works on a packet whose tail has not arrived.
    pub fn delivers_partial_packets(&self) -> bool {
        let is_working = !matches!(self.state(Thread::Rdma), ThreadState::Idle | ThreadState::FineGrainedRdmaDone);
        is_working && self.incoming.front().is_some_and(|packet| !packet.has_tail)
    }
}
