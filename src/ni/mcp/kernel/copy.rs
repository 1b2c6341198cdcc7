//! The loops over data: copies, and sums, eight bytes at a time, a block loaded before it is stored.

use super::super::card::{load, store};
use super::super::headers::ENVELOPE;
use super::{Kernel, Received};
use crate::host::{Address, AnyProcessor, BLOCK_BYTES, Processor};
use crate::ni::moving::PayloadSink;
use crate::protocol::udp_ip::Sum;

/// Where data is read.
#[derive(Clone, Copy)]
pub(super) enum From<'a> {
    /// In memory.
    Memory(Address),
    /// In registers, or in the processor's cache.
    Bytes(&'a [u8]),
}

impl Kernel {
    /// Copies `bytes` and, if `sums`, adds them up on the way.
    pub(super) async fn copy(&self, cpu: &AnyProcessor, from: From<'_>, to: Address, bytes: usize, sums: bool) -> Sum {
        let costs = &self.costs;
        let cycles = costs.copy_word + if sums { costs.checksum_word } else { 0 };
        let (mut sum, mut at, mut block) = (Sum::ZERO, 0, [0; BLOCK_BYTES]);
        while at < bytes {
            let part = &mut block[..(bytes - at).min(BLOCK_BYTES)];
            match from {
                From::Memory(from) => load(cpu, from + at as u64, part).await,
                From::Bytes(from) => part.copy_from_slice(&from[at..at + part.len()]),
            }
            cpu.work(cycles * part.len().div_ceil(8) as u64);
            store(cpu, to + at as u64, part).await;
            sum += Sum::of(part).at(at);
            at += part.len();
        }
        sum
    }

    /// Adds up what lies in memory.
    pub(super) async fn sum(&self, cpu: &AnyProcessor, from: Address, bytes: usize) -> Sum {
        let (mut sum, mut at, mut block) = (Sum::ZERO, 0, [0; BLOCK_BYTES]);
        while at < bytes {
            let part = &mut block[..(bytes - at).min(BLOCK_BYTES)];
            load(cpu, from + at as u64, part).await;
            cpu.work(self.costs.checksum_word * part.len().div_ceil(8) as u64);
            sum += Sum::of(part).at(at);
            at += part.len();
        }
        sum
    }
}

impl Kernel {
    /// Copies a datagram's data to where its program wants it.
    pub(in super::super) async fn read(&self, cpu: &AnyProcessor, received: &Received, mut sink: PayloadSink<'_>) {
        let mut words = Vec::new();
        for part in &received.parts {
            let data = part.place.start.max(ENVELOPE)..part.place.end.max(ENVELOPE);
            let from = part.address + (data.start - part.place.start) as u64;
            match &mut sink {
                PayloadSink::Memory(into) => {
                    let to = *into + (data.start - ENVELOPE) as u64;
                    self.copy(cpu, From::Memory(from), to, data.len(), false).await;
                }
                PayloadSink::Words(_) => {
                    let mut bytes = vec![0; data.len()];
                    load(cpu, from, &mut bytes).await;
                    words.extend(bytes);
                }
            }
        }
        if let PayloadSink::Words(into) = sink {
            let word = |part: &[u8]| u32::from_le_bytes([part[0], part[1], part[2], part[3]]);
            into.extend(words.chunks_exact(4).map(word));
        }
    }
}
