//! The PCIe link between root complex and device: packets, their bytes on the wire, and credits.
//!
//! Each direction is a server of packets (TLPs). The header and the data of a packet are sent at the rate of the link,
//! which is the raw rate of the lanes after encoding, times `efficiency`. The completion packets of one read request
//! follow each other without a gap, and so do the packets of the part of a write that is within a 4 KiB page.
//!
//! A write or read request is sent when the root complex has buffers for it, which it grants as credits: one header
//! credit for each packet, and for a write also one data credit for each 16 B of a packet. Buffers become free when the
//! write is visible or the read has begun, and the grant takes one crossing of the link. Completion credits are
//! unlimited, as the standard demands of root complexes and endpoints.
//!
//! The module leaves out replays after errors, power states, virtual channels other than 0, ECRC, and transfers between
//! devices.

use super::server::Server;
use crate::engine::{Bytes, Rate, Time};
use crate::host::block::Address;
use crate::text::{ParameterChoice, Parameters};
use std::cell::RefCell;
use std::collections::VecDeque;

/// Bytes of a page, which no packet crosses.
pub const PAGE_BYTES: u64 = 4096;

/// Bytes of write data of one credit.
const CREDIT_BYTES: u64 = 16;

/// The order in which the writes of a device become visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum WriteOrdering {
    /// A write becomes visible after all earlier writes.
    Strict,
    /// A write may become visible before earlier writes.
    Relaxed,
}

/// The method by which the packets of a transfer are simulated. Both methods give the same times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum TlpSimulation {
    /// The packets of a transfer are one reservation of the link.
    Accounted,
    /// Each packet is an event, which is slow. Tests use it as the reference.
    Each,
}

/// The parameters of the link.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(resource = "PCIe link")]
pub struct PcieLinkParameters {
    /// Generation of PCI Express, 3 to 6.
    ///
    /// 8, 16, 32 and 64 GT/s a lane, with 128b/130b encoding up to generation 5, and flits of 256 B of which 236 B are
    /// packets in generation 6 (standard).
    #[param(min = 3, max = 6, default = 4, meaning = Structure)]
    pub generation: u32,
    /// Number of lanes: 1, 2, 4, 8 or 16.
    #[param(min = 1, max = 16, default = 16, meaning = Width)]
    pub lanes: u32,
    /// Share of the rate that is left for packets, after flow control, acknowledgements and skip ordered sets.
    ///
    /// 0.945 in generations 3 to 5 (measured: 54.4 Gbit/s of writes of 512 B, of 57.6), and 1 in generation 6, whose
    /// flits include them (standard). The analytic model of the pcie-bench authors has 0.918.
    #[param(min = 0.1, max = 1.0, default = if generation >= 6 { 1.0 } else { 0.945 }, meaning = Structure)]
    pub efficiency: f64,
    /// Bytes of a write packet in addition to its data.
    ///
    /// 24 B with 64-bit addresses, framing and LCRC and without ECRC (standard); 16 B in flit mode (derived, without
    /// OHC).
    #[param(max = "64 B", default = Bytes(if generation >= 6 { 16 } else { 24 }), meaning = Work, resource = "PCIe packet headers")]
    pub write_header: Bytes,
    /// Bytes of the packet of a read request.
    ///
    /// The default is that of `write-header`.
    #[param(max = "64 B", default = Bytes(if generation >= 6 { 16 } else { 24 }), meaning = Work, resource = "PCIe packet headers")]
    pub read_header: Bytes,
    /// Bytes of a completion packet in addition to its data.
    ///
    /// 20 B (standard); 12 B in flit mode (derived).
    #[param(max = "64 B", default = Bytes(if generation >= 6 { 12 } else { 20 }), meaning = Work, resource = "PCIe packet headers")]
    pub completion_header: Bytes,
    /// Largest payload of a packet (MPS): a power of two from 128 B to 4 KiB.
    #[param(min = "128 B", max = "4 KiB", default = "256 B", meaning = Granularity)]
    pub payload_max: Bytes,
    /// Largest read request (MRRS): a power of two from 128 B to 4 KiB, at least `payload-max`.
    #[param(min = "128 B", max = "4 KiB", default = "512 B", meaning = Granularity)]
    pub read_max: Bytes,
    /// Boundary at which the completions of a read may be split (RCB): `64 B` or `128 B`.
    #[param(min = "64 B", max = "128 B", default = "64 B", meaning = Granularity)]
    pub read_boundary: Bytes,
    /// Number of read requests of the device that may be outstanding.
    ///
    /// 256 with tags of 8 bits, 32 of 5 bits, 768 of 10 bits, 15 360 of 14 bits (standard).
    #[param(min = 1, max = 15_360, default = 256, meaning = Capacity, resource = "PCIe tags")]
    pub tags: u32,
    /// Write packets that the root complex buffers.
    ///
    /// 64 (remembered: root complexes differ).
    #[param(min = 1, max = 4096, default = 64, meaning = Capacity, resource = "PCIe credits")]
    pub posted_header_credits: u32,
    /// Units of 16 B of write data that the root complex buffers.
    ///
    /// 1024 (remembered).
    #[param(min = 1, max = 65_536, default = 1024, meaning = Capacity, resource = "PCIe credits")]
    pub posted_data_credits: u32,
    /// Read requests that the root complex buffers.
    ///
    /// 64 (remembered).
    #[param(min = 1, max = 4096, default = 64, meaning = Capacity, resource = "PCIe credits")]
    pub nonposted_credits: u32,
    /// Time of a packet from one end of the link to the other, without serialization.
    ///
    /// 100 ns (derived). Only the round trip, `root-complex`, can be measured; this value divides it.
    #[param(default = "100 ns", resource = "PCIe crossing")]
    pub crossing: Time,
    /// Order in which the writes of the device become visible: `strict` or `relaxed`.
    #[param(default = "strict")]
    pub ordering: WriteOrdering,
    /// Simulation of the packets of a transfer: `accounted` together, or `each`. Both give the same times.
    #[param(default = "accounted")]
    pub tlp: TlpSimulation,
}

impl PcieLinkParameters {
    /// Returns the rate of one direction after encoding, in bits per second.
    pub fn raw_rate(&self) -> f64 {
        let transfers = f64::from(4 << (self.generation - 2)) * 1e9;
        let encoding = if self.generation >= 6 { 236.0 / 256.0 } else { 128.0 / 130.0 };
        transfers * f64::from(self.lanes) * encoding
    }

    /// Returns the rate at which packets are sent.
    pub fn rate(&self) -> Rate {
        Rate::from_bits_per_s((self.raw_rate() * self.efficiency).round() as u64)
    }

    /// Returns the number of packets of a write of `bytes` bytes within a page.
    #[inline]
    pub fn write_packets(&self, bytes: Bytes) -> u64 {
        if bytes <= self.payload_max { 1 } else { bytes.get().div_ceil(self.payload_max.get()) }
    }

    /// Returns the number of completions of a read of `bytes` bytes at `address` within a page. If the address is not
    /// at a read boundary, the first completion ends at a read boundary.
    pub fn completion_packets(&self, address: Address, bytes: Bytes) -> u64 {
        let first_max = self.payload_max.get() - address % self.read_boundary.get();
        if bytes.get() <= first_max { 1 } else { 1 + (bytes.get() - first_max).div_ceil(self.payload_max.get()) }
    }

    /// Returns the credits that a write of `bytes` bytes within a page takes, for headers and for data.
    #[inline]
    pub fn write_credits(&self, bytes: Bytes) -> (u32, u32) {
        if bytes < self.payload_max {
            return (1, bytes.get().div_ceil(CREDIT_BYTES) as u32);
        }
        let (full_packets, last_bytes) = (bytes.get() / self.payload_max.get(), bytes.get() % self.payload_max.get());
        let units = full_packets * (self.payload_max.get() / CREDIT_BYTES) + last_bytes.div_ceil(CREDIT_BYTES);
        (self.write_packets(bytes) as u32, units as u32)
    }

    /// Returns the largest number of bytes of a write that are sent together. A page and the credits limit this number.
    pub fn write_bytes_max(&self) -> u64 {
        let header_limit = u64::from(self.posted_header_credits) * self.payload_max.get();
        let data_limit =
            u64::from(self.posted_data_credits) * CREDIT_BYTES / self.payload_max.get() * self.payload_max.get();
        PAGE_BYTES.min(header_limit).min(data_limit)
    }
}

/// Splits `bytes` bytes at `address` into parts that are each within a page and at most `bytes_max` bytes. Returns
/// their offsets and lengths.
pub fn split_transfer(address: Address, bytes: Bytes, bytes_max: u64) -> impl Iterator<Item = (u64, Bytes)> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let remaining_bytes = bytes.get() - offset;
        let page_bytes = PAGE_BYTES - (address + offset) % PAGE_BYTES;
        let part_bytes = remaining_bytes.min(bytes_max).min(page_bytes);
        let part_offset = offset;
        offset += part_bytes;
        (part_bytes > 0).then_some((part_offset, Bytes(part_bytes)))
    })
}

/// Packets that follow each other in one direction without a gap. All headers have the same size, and all packets
/// except the first and the last have the same amount of data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketBurst {
    /// Number of packets.
    pub packets: u64,
    /// Bytes of a packet in addition to its data.
    pub header: Bytes,
    /// Data of all packets together.
    pub data: Bytes,
}

impl PacketBurst {
    /// Returns a burst of one packet.
    #[inline]
    pub fn single(header: Bytes, data: Bytes) -> PacketBurst {
        PacketBurst { packets: 1, header, data }
    }

    /// Returns the bytes on the wire.
    #[inline]
    pub fn wire_bytes(&self) -> Bytes {
        Bytes(self.packets * self.header.get() + self.data.get())
    }
}

/// One direction of the link.
pub struct LinkDirection {
    rate: Rate,
    server: Server,
}

impl LinkDirection {
    /// Creates an idle direction.
    pub fn new(parameters: &PcieLinkParameters) -> LinkDirection {
        LinkDirection { rate: parameters.rate(), server: Server::default() }
    }

    /// Returns the time for which bytes occupy the direction.
    #[inline]
    pub fn time_for(&self, bytes: Bytes) -> Time {
        self.rate.time_for(bytes)
    }

    /// Sends a burst that is ready at `now`. Returns the times at which its first byte and its last byte are sent.
    #[inline]
    pub fn send(&self, now: Time, burst: &PacketBurst) -> (Time, Time) {
        self.server.reserve(now, self.time_for(burst.wire_bytes()))
    }

    /// Returns the time for which the direction has sent packets until `now`.
    pub fn busy(&self, now: Time) -> Time {
        self.server.busy(now)
    }
}

/// A counted resource whose units return at known instants: credits, or tags.
pub struct UnitPool {
    total: u32,
    state: RefCell<UnitState>,
}

struct UnitState {
    free_count: u32,
    /// The units that return, in the order of their instants.
    returns: VecDeque<(Time, u32)>,
}

impl UnitPool {
    /// Creates a pool of `total` units, all of which are free.
    pub fn new(total: u32) -> UnitPool {
        UnitPool { total, state: RefCell::new(UnitState { free_count: total, returns: VecDeque::new() }) }
    }

    /// Returns the number of units, free or not.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Returns the number of units that are free at `now`.
    #[inline]
    pub fn free_count(&self, now: Time) -> u32 {
        let state = &mut *self.state.borrow_mut();
        while let Some((_, units)) = state.returns.front().filter(|(at, _)| *at <= now) {
            state.free_count += units;
            state.returns.pop_front();
        }
        state.free_count
    }

    /// Acquires units, which must be free.
    #[inline]
    pub fn acquire(&self, units: u32) {
        let mut state = self.state.borrow_mut();
        state.free_count = state.free_count.checked_sub(units).expect("the units are free");
    }

    /// Schedules the return of `units` units to the pool at the instant `at`.
    #[inline]
    pub fn return_units(&self, at: Time, units: u32) {
        let returns = &mut self.state.borrow_mut().returns;
        // Most units return after all units that are already in the queue.
        match returns.back().is_none_or(|(last, _)| *last <= at) {
            true => returns.push_back((at, units)),
            false => returns.insert(returns.partition_point(|(other, _)| *other <= at), (at, units)),
        }
    }

    /// Returns the instant after `now` at which units return next, if one is known.
    #[inline]
    pub fn next_return(&self, now: Time) -> Option<Time> {
        self.free_count(now);
        self.state.borrow().returns.front().map(|(at, _)| *at)
    }
}
