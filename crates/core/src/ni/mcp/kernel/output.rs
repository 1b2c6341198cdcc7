//! The kernel's send path (`sendto`): a datagram becomes packets, each with a descriptor in the send queue.

use super::super::buffers::{HEADER_SLOT_BYTES, pages};
use super::super::headers::{ENVELOPE_BYTES, encode_envelope};
use super::super::layout::{Piece, fragments_max, packets_per_datagram};
use super::super::parameters::{McpParameters, PipeliningParameters};
use super::super::queue::Descriptor;
use super::super::stage;
use super::Kernel;
use super::copy::DataSource;
use crate::engine::Time;
use crate::host::{Address, AnyProcessor, Processor};
use crate::ni::driver::SendRequest;
use crate::ni::word_copy::{PayloadSource, bytes_of};
use crate::protocol::udp_ip::{Datagram, Fragment, Sum, addresses};
use std::ops::Range;

/// Returns the bytes of kernel memory per packet when the kernel copies the data.
pub(super) fn packet_stride(parameters: &McpParameters) -> u64 {
    (HEADER_SLOT_BYTES + parameters.mtu.get()).next_multiple_of(64)
}

/// A datagram that is being sent.
struct OutgoingDatagram<'a> {
    datagram: Datagram,
    /// Address of the datagram's buffer in kernel memory.
    kernel_buffer: Address,
    /// The source of the datagram's data.
    data: DataSource<'a>,
    sum: Sum,
}

impl Kernel {
    /// Reserves descriptors and a buffer for a packet of the messaging layer; returns the buffer, or `None` if the
    /// queue or the buffers are exhausted.
    pub(super) fn reserve(&self, packet: &SendRequest<'_>) -> Option<usize> {
        let packets = packets_per_datagram(&self.card.parameters, (ENVELOPE_BYTES + packet.source.bytes()) as u64);
        if self.card.free_send_buffers.borrow().is_empty() || !self.card.send_queue.reserve(packets) {
            return None;
        }
        self.card.free_send_buffers.borrow_mut().pop()
    }

    /// Sends a packet of the messaging layer; returns `false` if the send queue or the buffers are exhausted.
    pub(in super::super) async fn send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>) -> bool {
        let lease = cpu.acquire("send").await;
        let Some(buffer) = self.reserve(packet) else { return false };
        let start = cpu.now();
        cpu.work(self.card.costs.send + self.costs.send);
        let cached_bytes: Vec<u8> = match packet.source {
            PayloadSource::Words(words) => bytes_of(words),
            PayloadSource::Memory(address, bytes) if self.sends_from_cache() => self.card.host.peek(address, bytes),
            PayloadSource::Memory(..) => Vec::new(),
        };
        let data = match packet.source {
            PayloadSource::Memory(address, _) if cached_bytes.is_empty() => DataSource::Memory(address),
            _ => DataSource::Bytes(&cached_bytes),
        };
        let datagram = self.datagram(packet);
        let kernel_buffer = self.card.send_buffers[buffer];
        let mut outgoing =
            OutgoingDatagram { datagram, kernel_buffer, data, sum: Sum::of_bytes(&encode_envelope(packet.envelope)) };
        let data_addresses = self.gather(cpu, &mut outgoing, packet).await;
        self.enqueue_all(cpu, &outgoing, packet, (buffer, data_addresses), start).await;
        cpu.sync().await;
        lease.record_span("send", packet.journey.id(), packet.source.bytes());
        true
    }

    fn sends_from_cache(&self) -> bool {
        let zero_copy = self.card.parameters.offloads.zero_copy;
        self.costs.sends_from_cache && !zero_copy && self.card.host.cpu().coherent().is_none()
    }

    fn datagram(&self, packet: &SendRequest<'_>) -> Datagram {
        let socket = |endpoint| {
            let (node, index) = (self.card.addresses.node(endpoint), self.card.addresses.index_on_node(endpoint));
            addresses::socket(node, index).expect("a checked machine's endpoints have addresses")
        };
        let identification = self.identification.get();
        self.identification.set(identification.wrapping_add(1));
        let payload = ENVELOPE_BYTES + packet.source.bytes();
        Datagram { from: socket(packet.from), to: socket(packet.to), identification, payload, checksum: None }
    }

    /// Moves data to where the interface will read it, and computes the checksum of the data unless the interface
    /// computes it. Returns the address of each fragment's data, in datagram order.
    async fn gather(
        &self,
        cpu: &AnyProcessor,
        outgoing: &mut OutgoingDatagram<'_>,
        packet: &SendRequest<'_>,
    ) -> Vec<Address> {
        let computes_checksum = !self.card.parameters.offloads.checksum_offload;
        let fragments = self.fragments(&outgoing.datagram);
        let mut data_addresses = Vec::with_capacity(fragments.len());
        let parameters = &self.card.parameters;
        for (index, fragment) in fragments.iter().enumerate() {
            let data = data_range(&fragment.payload);
            let at = match self.in_place_address(packet) {
                Some(address) => address + data.start as u64,
                None if parameters.offloads.zero_copy => {
                    outgoing.kernel_buffer + HEADER_SLOT_BYTES * fragments_max(parameters) + data.start as u64
                }
                None => outgoing.kernel_buffer + packet_stride(parameters) * index as u64 + HEADER_SLOT_BYTES,
            };
            let sum = match self.in_place_address(packet) {
                Some(_) if computes_checksum => self.checksum_memory(cpu, at, data.len()).await,
                Some(_) => Sum::ZERO,
                None => self.copy(cpu, outgoing.data.part(data.clone()), at, data.len(), computes_checksum).await,
            };
            outgoing.sum += sum.at_offset(ENVELOPE_BYTES + data.start);
            data_addresses.push(at);
        }
        if computes_checksum {
            outgoing.datagram = outgoing.datagram.summed(outgoing.sum);
        }
        data_addresses
    }

    /// Returns the address of the program's data if the interface reads it in place.
    fn in_place_address(&self, packet: &SendRequest<'_>) -> Option<Address> {
        match packet.source {
            PayloadSource::Memory(address, _) if self.card.parameters.offloads.zero_copy => Some(address),
            _ => None,
        }
    }

    fn fragments(&self, datagram: &Datagram) -> Vec<Fragment> {
        let fragments = datagram.fragments(self.card.parameters.mtu.len());
        fragments.expect("a checked datagram fits its packets").collect()
    }

    /// Returns whether the interface can fill in a datagram's checksum before the header leaves.
    fn can_fill_in_checksum(&self, packets: usize, length: u64) -> bool {
        let is_read_before_sending = match self.card.parameters.pipelining {
            PipeliningParameters::Fine(threshold) => length <= threshold.get(),
            _ => true,
        };
        self.card.parameters.offloads.checksum_offload && packets == 1 && is_read_before_sending
    }

    /// Writes each packet's headers and enqueues the packets with the driver.
    async fn enqueue_all(
        &self,
        cpu: &AnyProcessor,
        outgoing: &OutgoingDatagram<'_>,
        packet: &SendRequest<'_>,
        (buffer, data_addresses): (usize, Vec<Address>),
        mut stage_start: Time,
    ) {
        let envelope = encode_envelope(packet.envelope);
        let (fragments, zero_copy) = (self.fragments(&outgoing.datagram), self.card.parameters.offloads.zero_copy);
        let count = fragments.len();
        for (index, fragment) in fragments.into_iter().enumerate() {
            cpu.work(self.costs.packet);
            let mut head = fragment.header.to_vec();
            if index == 0 {
                head.extend(envelope);
            }
            let data = data_range(&fragment.payload).len() as u64;
            // If the kernel holds the data, the headers directly precede it.
            let at = match zero_copy {
                true => outgoing.kernel_buffer + HEADER_SLOT_BYTES * index as u64,
                false => data_addresses[index] - head.len() as u64,
            };
            cpu.store_run(at, &head).await;
            let length = head.len() as u64 + data;
            let gather_list = self.gather_list(cpu, (at, head.len() as u64), (data_addresses[index], data), packet);
            cpu.fence().await;
            let journey = if index == 0 { packet.journey.clone() } else { packet.journey.for_another_packet() };
            let last = index + 1 == count;
            let descriptor = Descriptor {
                to: self.card.addresses.node(packet.to),
                length,
                endpoints: 0,
                pieces: gather_list,
                fills_checksum: self.can_fill_in_checksum(count, length),
                freed_buffer: last.then_some(buffer),
                journey,
            };
            cpu.sync().await;
            descriptor.journey.add_service(stage_start, cpu.now());
            descriptor.journey.close(stage::HOST_SEND, cpu.now());
            stage_start = cpu.now();
            self.card.enqueue(cpu, descriptor).await;
        }
    }

    /// Returns the gather list of a packet.
    fn gather_list(
        &self,
        cpu: &AnyProcessor,
        (head_address, head_bytes): (Address, u64),
        (data_address, data_bytes): (Address, u64),
        packet: &SendRequest<'_>,
    ) -> Vec<Piece> {
        if !self.card.parameters.offloads.zero_copy {
            return vec![Piece { address: head_address, bytes: head_bytes + data_bytes }];
        }
        let mut pieces = vec![Piece { address: head_address, bytes: head_bytes }];
        if self.in_place_address(packet).is_some() {
            let pages = pages(data_address, data_bytes, self.card.parameters.page.get());
            cpu.work(self.costs.page * pages.len() as u64);
            pieces.extend(pages);
        } else if data_bytes > 0 {
            pieces.push(Piece { address: data_address, bytes: data_bytes });
        }
        pieces
    }
}

/// Returns the range of the program's data that a range of the datagram's payload contains.
fn data_range(payload: &Range<usize>) -> Range<usize> {
    payload.start.saturating_sub(ENVELOPE_BYTES)..payload.end.saturating_sub(ENVELOPE_BYTES)
}
