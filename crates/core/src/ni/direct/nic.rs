//! The driver of the direct queues (`mod.rs`): the processor moves words between memory or registers and a queue.

use super::parameters::QueuesParameters;
use super::wire::{self, PART_HEADER_BYTES, SEQUENCE_BITS};
use crate::engine::Bytes;
use crate::host::{Address, AnyProcessor, aligned_access_bytes};
use crate::ni::driver::{DriverLimits, RxCompletion, SendRequest};
use crate::ni::packet_header::PacketHeader;
use crate::ni::port_config::Stages;
use crate::ni::whole_packet::{ComposedPacket, RxPayload, WholePacketNic};
use crate::ni::word_copy::{PayloadSink, PayloadSource, load, loaded, store, stored};

/// Capacity of the buffer in which a packet is composed, in bytes; at most 36 are used.
const COMPOSED_BYTES: usize = 40;

/// A packet that is being composed.
struct Composition {
    bytes: [u8; COMPOSED_BYTES],
    used_bytes: usize,
}

impl Composition {
    /// Returns a packet with the header of `request`.
    fn with_header(request: &SendRequest<'_>, endpoints: [u32; 2]) -> Composition {
        let mut composed = Composition { bytes: [0; COMPOSED_BYTES], used_bytes: 0 };
        let (words, count) = wire::encode(request.envelope, endpoints);
        composed.append_words(&words[..count]);
        composed
    }

    fn append(&mut self, bytes: &[u8]) {
        self.bytes[self.used_bytes..self.used_bytes + bytes.len()].copy_from_slice(bytes);
        self.used_bytes += bytes.len();
    }

    fn append_words(&mut self, words: &[u32]) {
        let fields = self.bytes[self.used_bytes..self.used_bytes + 4 * words.len()].chunks_exact_mut(4);
        fields.zip(words).for_each(|(field, word)| field.copy_from_slice(&word.to_le_bytes()));
        self.used_bytes += 4 * words.len();
    }

    fn finish(&self, request: &SendRequest<'_>, length: Bytes) -> ComposedPacket {
        ComposedPacket::new(request, &self.bytes[..self.used_bytes]).padded_to(length)
    }
}

/// The queues of a node.
pub struct QueuesNic {
    packet: Bytes,
}

impl QueuesNic {
    /// Returns queues with these parameters.
    pub(super) fn new(parameters: &QueuesParameters) -> QueuesNic {
        QueuesNic { packet: parameters.packet }
    }

    /// Composes a packet whose payload is in memory.
    async fn compose(
        &self,
        cpu: &AnyProcessor,
        request: &SendRequest<'_>,
        endpoints: [u32; 2],
        (address, bytes): (Address, usize),
    ) -> ComposedPacket {
        let mut composed = Composition::with_header(request, endpoints);
        let mut moved_bytes = 0;
        while moved_bytes < bytes {
            let from = address + moved_bytes as u64;
            let access_bytes = aligned_access_bytes(from, bytes - moved_bytes);
            let value = loaded!(cpu, load(cpu, from, access_bytes));
            composed.append(&value.to_le_bytes()[..access_bytes]);
            moved_bytes += access_bytes;
        }
        composed.finish(request, self.packet)
    }
}

impl WholePacketNic for QueuesNic {
    const STAGES: Stages = Stages { pool: "outgoing pool", records_zero_pool_time: true, fabric: "fabric" };

    fn limits(&self) -> DriverLimits {
        DriverLimits {
            words: self.packet.len() / 4 - 1,
            payload: self.packet.len() - PART_HEADER_BYTES,
            inline_bytes: 0,
            sequences: 1 << SEQUENCE_BITS,
            steers_by_tag: false,
            classes: 1,
            overflows_to_user_memory: false,
        }
    }

    async fn post(&self, cpu: &AnyProcessor, request: &SendRequest<'_>, endpoints: [u32; 2]) -> ComposedPacket {
        match request.source {
            // Words are in registers and need no access to memory.
            PayloadSource::Words(words) => {
                let mut composed = Composition::with_header(request, endpoints);
                composed.append_words(words);
                composed.finish(request, self.packet)
            }
            PayloadSource::Memory(address, bytes) => self.compose(cpu, request, endpoints, (address, bytes)).await,
        }
    }

    fn header(&self, packet: &[u8]) -> PacketHeader {
        wire::decode(packet)
    }

    async fn fetch(&self, cpu: &AnyProcessor, payload: RxPayload<'_>, sink: PayloadSink<'_>) -> RxCompletion {
        let address = match sink {
            PayloadSink::Words(words) => {
                payload.with(|bytes| words.extend(bytes.chunks_exact(4).map(|part| wire::word(part, 0))));
                0
            }
            PayloadSink::Memory(into) => {
                store_payload(cpu, &payload.to_vec(), into).await;
                into
            }
        };
        RxCompletion { address, ..RxCompletion::default() }
    }
}

/// Stores a payload in memory.
async fn store_payload(cpu: &AnyProcessor, payload: &[u8], into: Address) {
    let mut moved_bytes = 0;
    while moved_bytes < payload.len() {
        let access_bytes = aligned_access_bytes(into + moved_bytes as u64, payload.len() - moved_bytes);
        let mut value = [0; 8];
        value[..access_bytes].copy_from_slice(&payload[moved_bytes..moved_bytes + access_bytes]);
        let value = u64::from_le_bytes(value);
        stored!(cpu, value, store(cpu, into + moved_bytes as u64, access_bytes, value));
        moved_bytes += access_bytes;
    }
}
