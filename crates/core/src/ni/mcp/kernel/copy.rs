//! The kernel's copy and checksum loops, which load and store eight bytes at a time.

use super::super::headers::ENVELOPE_BYTES;
use super::{Kernel, ReceivedDatagram};
use crate::host::{Address, AnyProcessor, BLOCK_BYTES, Processor};
use crate::ni::word_copy::{PayloadSink, words_of};
use crate::protocol::udp_ip::Sum;
use std::ops::Range;

/// The source of data.
#[derive(Clone, Copy)]
pub(super) enum DataSource<'a> {
    /// Memory at this address.
    Memory(Address),
    /// Registers, or the processor's cache.
    Bytes(&'a [u8]),
}

impl<'a> DataSource<'a> {
    /// Returns the source of a part of the data.
    pub(super) fn part(self, part: Range<usize>) -> DataSource<'a> {
        match self {
            DataSource::Memory(address) => DataSource::Memory(address + part.start as u64),
            DataSource::Bytes(bytes) => DataSource::Bytes(&bytes[part]),
        }
    }
}

impl Kernel {
    /// Copies `bytes`. If `computes_checksum` is set, computes their checksum in the same loop.
    pub(super) async fn copy(
        &self,
        cpu: &AnyProcessor,
        from: DataSource<'_>,
        to: Address,
        bytes: usize,
        computes_checksum: bool,
    ) -> Sum {
        let costs = &self.costs;
        let cycles = costs.copy_word + if computes_checksum { costs.checksum_word } else { 0 };
        let (mut sum, mut offset, mut block) = (Sum::ZERO, 0, [0; BLOCK_BYTES]);
        if let DataSource::Memory(from) = from {
            cpu.announce_run(from, bytes, false);
        }
        cpu.announce_run(to, bytes, true);
        while offset < bytes {
            let part = &mut block[..(bytes - offset).min(BLOCK_BYTES)];
            match from {
                DataSource::Memory(from) => cpu.load_run(from + offset as u64, part).await,
                DataSource::Bytes(from) => part.copy_from_slice(&from[offset..offset + part.len()]),
            }
            cpu.work(cycles * part.len().div_ceil(8) as u64);
            cpu.store_run(to + offset as u64, part).await;
            sum += Sum::of_bytes(part).at_offset(offset);
            offset += part.len();
        }
        sum
    }

    /// Loads `bytes` bytes of memory from address `from` on and returns their checksum.
    pub(super) async fn checksum_memory(&self, cpu: &AnyProcessor, from: Address, bytes: usize) -> Sum {
        let (mut sum, mut offset, mut block) = (Sum::ZERO, 0, [0; BLOCK_BYTES]);
        while offset < bytes {
            let part = &mut block[..(bytes - offset).min(BLOCK_BYTES)];
            cpu.load_run(from + offset as u64, part).await;
            cpu.work(self.costs.checksum_word * part.len().div_ceil(8) as u64);
            sum += Sum::of_bytes(part).at_offset(offset);
            offset += part.len();
        }
        sum
    }

    /// Copies the data of a datagram to its program's buffer.
    pub(in super::super) async fn read(
        &self,
        cpu: &AnyProcessor,
        datagram: &ReceivedDatagram,
        mut sink: PayloadSink<'_>,
    ) {
        let mut payload = Vec::new();
        for part in &datagram.parts {
            let data = part.range.start.max(ENVELOPE_BYTES)..part.range.end.max(ENVELOPE_BYTES);
            let from = part.address + (data.start - part.range.start) as u64;
            match &mut sink {
                PayloadSink::Memory(into) => {
                    let to = *into + (data.start - ENVELOPE_BYTES) as u64;
                    self.copy(cpu, DataSource::Memory(from), to, data.len(), false).await;
                }
                PayloadSink::Words(_) => {
                    let mut bytes = vec![0; data.len()];
                    cpu.load_run(from, &mut bytes).await;
                    payload.extend(bytes);
                }
            }
        }
        if let PayloadSink::Words(into) = sink {
            into.extend(words_of(&payload));
        }
    }
}
