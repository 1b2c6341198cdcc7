//! Arriving packets: each is handled after the receive processing time, no two closer than the packet gap.

use super::{RdmaDevice, count};
use crate::fabric::Packet;
use crate::ni::dma_stages;
use crate::ni::rdma::wire::RocePacket;
use std::rc::Rc;

impl RdmaDevice {
    /// Takes a packet from the wire.
    pub(super) fn accept_packet(&self, packet: Rc<Packet>) {
        let now = self.sim.now();
        packet.journey.close(dma_stages::WIRE.pattern, now);
        let handling_time = (now + self.parameters.receive_processing).max(self.next_receive_at.get());
        self.next_receive_at.set(handling_time + self.parameters.packet_gap);
        packet.journey.add_service(handling_time - self.parameters.receive_processing, handling_time);
        self.arrived_packets.send_at(handling_time, packet);
    }

    pub(super) async fn run_receive(self: Rc<Self>) {
        loop {
            let packet = self.arrived_packets.receive().await;
            let decoded = RocePacket::decode(&packet.bytes());
            let Ok((header, payload)) = decoded else {
                count(&self.counts.dropped_packets);
                continue;
            };
            let Some(pair) = self.queue_pair(header.base.queue_pair) else {
                count(&self.counts.dropped_packets);
                continue;
            };
            let lookup_start = self.sim.now();
            self.find_context(pair.number).await;
            packet.journey.add_service(lookup_start, self.sim.now());
            match header.base.code.is_response() {
                true => self.handle_response(&pair, &header, &packet.bytes()[payload]),
                false => self.handle_request(&pair, &packet, &header, payload).await,
            }
        }
    }
}
