//! The kernel's send path (`sendto`): a datagram becomes packets, each with a descriptor in the send queue.

use super::super::buffers::{HEADER_SLOT, pages};
use super::super::headers::{ENVELOPE_BYTES, encode};
use super::super::layout::{Piece, fragments_max, packets_of};
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
pub(super) fn stride(parameters: &McpParameters) -> u64 {
    (HEADER_SLOT + parameters.mtu.get()).next_multiple_of(64)
}

/// A datagram that is being sent.
struct Outgoing<'a> {
    datagram: Datagram,
    /// Address of its buffer in kernel memory.
    memory: Address,
    /// The source of its data.
    data: DataSource<'a>,
    sum: Sum,
}

impl Kernel {
    /// Reserves descriptors and a buffer for a packet of the messaging layer; returns the buffer, or `None` if the
    /// queue or the buffers are exhausted.
    pub(super) fn reserve(&self, packet: &SendRequest<'_>) -> Option<usize> {
        let packets = packets_of(&self.card.parameters, (ENVELOPE_BYTES + packet.source.bytes()) as u64);
        if self.card.send_free.borrow().is_empty() || !self.card.queue.reserve(packets) {
            return None;
        }
        self.card.send_free.borrow_mut().pop()
    }

    /// Sends a packet of the messaging layer; returns `false` if the send queue or the buffers are exhausted.
    pub(in super::super) async fn send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>) -> bool {
        let lease = cpu.acquire("send").await;
        let Some(buffer) = self.reserve(packet) else { return false };
        let start = cpu.now();
        cpu.work(self.card.costs.send + self.costs.send);
        let words: Vec<u8> = match packet.source {
            PayloadSource::Words(words) => bytes_of(words),
            PayloadSource::Memory(address, bytes) if self.sends_from_cache() => self.card.host.peek(address, bytes),
            PayloadSource::Memory(..) => Vec::new(),
        };
        let data = match packet.source {
            PayloadSource::Memory(address, _) if words.is_empty() => DataSource::Memory(address),
            _ => DataSource::Bytes(&words),
        };
        let datagram = self.datagram(packet);
        let memory = self.card.send_memory[buffer];
        let mut outgoing = Outgoing { datagram, memory, data, sum: Sum::of_bytes(&encode(packet.envelope)) };
        let sources = self.gather(cpu, &mut outgoing, packet).await;
        self.enqueue_all(cpu, &outgoing, packet, (buffer, sources), start).await;
        cpu.sync().await;
        lease.record_span("send", packet.journey.id(), packet.source.bytes());
        true
    }

    fn sends_from_cache(&self) -> bool {
        let zero_copy = self.card.parameters.offloads.zero_copy;
        self.costs.sends_from_cache && !zero_copy && self.card.host.cpu().coherent().is_none()
    }

    fn datagram(&self, packet: &SendRequest<'_>) -> Datagram {
        let socket = |end| {
            let (node, index) = (self.card.addresses.node(end), self.card.addresses.index_on_node(end));
            addresses::socket(node, index).expect("a checked machine's endpoints have addresses")
        };
        let identification = self.identification.get();
        self.identification.set(identification.wrapping_add(1));
        let payload = ENVELOPE_BYTES + packet.source.bytes();
        Datagram { from: socket(packet.from), to: socket(packet.to), identification, payload, checksum: None }
    }

    /// Moves data to where the interface will read it, and computes the checksum of the data unless the interface
    /// computes it. Returns the address of each fragment's data, in datagram order.
    async fn gather(&self, cpu: &AnyProcessor, outgoing: &mut Outgoing<'_>, packet: &SendRequest<'_>) -> Vec<Address> {
        let sums = !self.card.parameters.offloads.checksum_offload;
        let fragments = self.fragments(&outgoing.datagram);
        let mut sources = Vec::with_capacity(fragments.len());
        let parameters = &self.card.parameters;
        for (index, piece) in fragments.iter().enumerate() {
            let data = data_of(&piece.payload);
            let at = match self.in_place(packet) {
                Some(address) => address + data.start as u64,
                None if parameters.offloads.zero_copy => {
                    outgoing.memory + HEADER_SLOT * fragments_max(parameters) + data.start as u64
                }
                None => outgoing.memory + stride(parameters) * index as u64 + HEADER_SLOT,
            };
            let sum = match self.in_place(packet) {
                Some(_) if sums => self.sum(cpu, at, data.len()).await,
                Some(_) => Sum::ZERO,
                None => self.copy(cpu, outgoing.data.part(data.clone()), at, data.len(), sums).await,
            };
            outgoing.sum += sum.at(ENVELOPE_BYTES + data.start);
            sources.push(at);
        }
        if sums {
            outgoing.datagram = outgoing.datagram.summed(outgoing.sum);
        }
        sources
    }

    /// Returns the address of the program's data if the interface reads it in place.
    fn in_place(&self, packet: &SendRequest<'_>) -> Option<Address> {
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
        let whole = match self.card.parameters.pipelining {
            PipeliningParameters::Fine(threshold) => length <= threshold.get(),
            _ => true,
        };
        self.card.parameters.offloads.checksum_offload && packets == 1 && whole
    }

    /// Writes each packet's headers and enqueues the packets with the driver.
    async fn enqueue_all(
        &self,
        cpu: &AnyProcessor,
        outgoing: &Outgoing<'_>,
        packet: &SendRequest<'_>,
        (buffer, sources): (usize, Vec<Address>),
        mut since: Time,
    ) {
        let envelope = encode(packet.envelope);
        let (fragments, zero_copy) = (self.fragments(&outgoing.datagram), self.card.parameters.offloads.zero_copy);
        let count = fragments.len();
        for (index, piece) in fragments.into_iter().enumerate() {
            cpu.work(self.costs.packet);
            let mut head = piece.header.to_vec();
            if index == 0 {
                head.extend(envelope);
            }
            let data = data_of(&piece.payload).len() as u64;
            // If the kernel holds the data, the headers directly precede it.
            let at = match zero_copy {
                true => outgoing.memory + HEADER_SLOT * index as u64,
                false => sources[index] - head.len() as u64,
            };
            cpu.store_run(at, &head).await;
            let length = head.len() as u64 + data;
            let list = self.list(cpu, (at, head.len() as u64), (sources[index], data), packet);
            cpu.fence().await;
            let journey = if index == 0 { packet.journey.clone() } else { packet.journey.for_another_packet() };
            let last = index + 1 == count;
            let descriptor = Descriptor {
                to: self.card.addresses.node(packet.to),
                length,
                endpoints: 0,
                pieces: list,
                sums: self.can_fill_in_checksum(count, length),
                frees: last.then_some(buffer),
                journey,
            };
            cpu.sync().await;
            descriptor.journey.add_service(since, cpu.now());
            descriptor.journey.close(stage::HOST_SEND, cpu.now());
            since = cpu.now();
            self.card.enqueue(cpu, descriptor).await;
        }
    }

    /// Returns the gather list of a packet.
    fn list(
        &self,
        cpu: &AnyProcessor,
        (head_at, head): (Address, u64),
        (data_at, data): (Address, u64),
        packet: &SendRequest<'_>,
    ) -> Vec<Piece> {
        if !self.card.parameters.offloads.zero_copy {
            return vec![Piece { address: head_at, bytes: head + data }];
        }
        let mut list = vec![Piece { address: head_at, bytes: head }];
        if self.in_place(packet).is_some() {
            let pages = pages(data_at, data, self.card.parameters.page.get());
            cpu.work(self.costs.page * pages.len() as u64);
            list.extend(pages);
        } else if data > 0 {
            list.push(Piece { address: data_at, bytes: data });
        }
        list
    }
}

/// Returns the range of the program's data that a range of the datagram's payload contains.
fn data_of(payload: &Range<usize>) -> Range<usize> {
    payload.start.saturating_sub(ENVELOPE_BYTES)..payload.end.saturating_sub(ENVELOPE_BYTES)
}
