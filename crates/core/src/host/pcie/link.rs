//! The PCIe link between root complex and device.

use crate::engine::{Bytes, Time};
use crate::text::{ParameterChoice, Parameters};

/// The order in which the writes of a device become visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Ordering {
    /// A write becomes visible after all earlier writes.
    Strict,
    /// A write may become visible before earlier writes.
    Relaxed,
}

/// How the packets of a transfer are simulated. Both give the same times.
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
pub struct LinkParameters {
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
    #[param(max = "64 B", default = Bytes(if generation >= 6 { 16 } else { 24 }), meaning = Work)]
    pub write_header: Bytes,
    /// Bytes of the packet of a read request.
    ///
    /// As of a write.
    #[param(max = "64 B", default = Bytes(if generation >= 6 { 16 } else { 24 }), meaning = Work)]
    pub read_header: Bytes,
    /// Bytes of a completion packet in addition to its data.
    ///
    /// 20 B (standard); 12 B in flit mode (derived).
    #[param(max = "64 B", default = Bytes(if generation >= 6 { 12 } else { 20 }), meaning = Work)]
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
    #[param(default = "100 ns")]
    pub crossing: Time,
    /// Order in which the writes of the device become visible: `strict` or `relaxed`.
    #[param(default = "strict")]
    pub ordering: Ordering,
    /// Simulation of the packets of a transfer: `accounted` together, or `each`. Both give the same times.
    #[param(default = "accounted")]
    pub tlp: TlpSimulation,
}
