//! The parameters of the RDMA interface, each with its source.
//!
//! The documentation of a value states its source in one word: *standard* (InfiniBand Architecture Specification,
//! volume 1), *measured* (perftest on a ConnectX-3), *chosen*, or *remembered*: a default that no source confirms.

use super::transport::requester::{Recovery, RequesterLimits};
use crate::engine::{Bytes, Rate, Time};
use crate::text::{ParameterChoice, Parameters};

/// The method by which the processor notifies the interface of requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Doorbell {
    /// A request that is posted alone is written to the interface in write-combined blocks. A batch is announced as
    /// with `fetch`.
    BlueFlame,
    /// As `blue-flame`, but only for requests that carry their data (rdma-core's mlx4 does so).
    BlueFlameInline,
    /// A register of 8 bytes is written, and the interface reads the requests by DMA.
    Fetch,
}

/// A cache of the interface for tables in host memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct ContextCacheParameters {
    /// Number of queue pairs whose contexts the interface keeps.
    ///
    /// 1024 (remembered; vendors do not publish it).
    #[param(min = 1, max = 1_048_576, default = 1024, meaning = Capacity, resource = "context cache")]
    pub entries: u32,
    /// Bytes of a context, which a miss reads from host memory.
    ///
    /// 256 B (remembered).
    #[param(min = "64 B", max = "4 KiB", default = "256 B", meaning = Granularity)]
    pub bytes: Bytes,
}

/// A cache of the interface for translations of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct TranslationCacheParameters {
    /// Number of pages of 4 KiB whose translations the interface keeps; a miss reads 64 B from host memory.
    ///
    /// 16384 (remembered).
    #[param(min = 1, max = 16_777_216, default = 16_384, meaning = Capacity, resource = "translation cache")]
    pub entries: u32,
}

/// The parameters of the RDMA interface.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct RdmaParameters {
    /// Announcement of requests to the interface: `blue-flame`, `blue-flame-inline` or `fetch`.
    #[param(default = "blue-flame")]
    pub doorbell: Doorbell,
    /// Largest payload of a packet.
    ///
    /// 4096 B (standard).
    #[param(min = "256 B", max = "4096 B", default = "4096 B", meaning = Granularity)]
    pub mtu: Bytes,
    /// Number of requests that the send queue of a queue pair holds, a power of two.
    ///
    /// 128 (chosen: the default of perftest's bandwidth tests).
    #[param(min = 2, max = 4096, default = 128, check = |n| not_a_power_of_two(*n), meaning = Capacity, resource = "send queue")]
    pub send_entries: u32,
    /// Number of buffers that a receive queue holds, a power of two.
    ///
    /// 512 (chosen).
    #[param(min = 2, max = 32_768, default = 512, check = |n| not_a_power_of_two(*n), meaning = Capacity, resource = "receive queue")]
    pub receive_entries: u32,
    /// Number of entries of the completion queue of an endpoint, a power of two.
    ///
    /// 4096 (chosen).
    #[param(min = 2, max = 65_536, default = 4096, check = |n| not_a_power_of_two(*n), meaning = Capacity, resource = "completion queue")]
    pub completion_entries: u32,
    /// Bytes of a completion queue entry.
    ///
    /// 64 B (standard: rdma-core).
    #[param(min = "64 B", max = "128 B", default = "64 B", check = |bytes| not_a_power_of_two(bytes.get() as u32), meaning = Granularity)]
    pub cqe: Bytes,
    /// Largest payload that the processor puts into the request itself.
    ///
    /// 220 B (measured: perftest prints it).
    #[param(max = "956 B", default = "220 B", meaning = Policy)]
    pub inline_max: Bytes,
    /// Number of reads and atomic operations of a queue pair that may be outstanding.
    ///
    /// 16 (standard: `max_rd_atomic` of rdma-core).
    #[param(min = 1, max = 128, default = 16, meaning = Capacity, resource = "outstanding reads")]
    pub outstanding_reads: u32,
    /// Number of packets of a queue pair that may be sent without an acknowledgement.
    ///
    /// 1024 (chosen).
    #[param(min = 1, max = 65_536, default = 1024, meaning = Capacity, resource = "send window")]
    pub outstanding_packets: u32,
    /// Number of packets whose payload the interface reads from host memory at once.
    ///
    /// 32 (chosen).
    #[param(min = 1, max = 1024, default = 32, meaning = Capacity, resource = "packet memory")]
    pub packet_buffers: u32,
    /// Number of doorbells that the interface handles at once, each with reads of its context and requests.
    ///
    /// 8 (chosen).
    #[param(min = 1, max = 256, default = 8, meaning = Width, resource = "request fetch")]
    pub fetches: u32,
    /// The cache for contexts of queue pairs.
    #[param(table)]
    pub contexts: ContextCacheParameters,
    /// The cache for translations of addresses.
    #[param(table)]
    pub translations: TranslationCacheParameters,
    /// Time from the arrival of a request in the interface until its first packet is scheduled, in which other
    /// requests are processed as well.
    ///
    /// 150 ns (remembered).
    #[param(default = "150 ns", resource = "send processing")]
    pub send_processing: Time,
    /// Time from the arrival of a packet until it is handled, in which other packets are processed as well.
    ///
    /// 150 ns (remembered).
    #[param(default = "150 ns", resource = "receive processing")]
    pub receive_processing: Time,
    /// Shortest time between two packets of a queue pair.
    ///
    /// 119 ns (measured: 8.4 million messages per second of a ConnectX-3 on one queue pair).
    #[param(default = "119 ns", resource = "queue pair")]
    pub queue_pair_gap: Time,
    /// Shortest time between two packets of the interface, in each direction.
    ///
    /// 20 ns (remembered).
    #[param(default = "20 ns", resource = "packet engine")]
    pub packet_gap: Time,
    /// Rate at which payloads move from host memory into packet memory; without it, PCIe alone determines the rate.
    #[param(resource = "send memory")]
    pub read_rate: Option<Rate>,
    /// Rate at which payloads move from packet memory to host memory; without it, PCIe alone determines the rate.
    #[param(resource = "receive memory")]
    pub write_rate: Option<Rate>,
    /// Recovery from lost packets: `go-back-n` or `selective`.
    #[param(default = "go-back-n")]
    pub recovery: Recovery,
    /// Number of early packets of a queue pair that the responder keeps with `selective`.
    ///
    /// 1024 (chosen).
    #[param(min = 1, max = 65_536, default = 1024, meaning = Capacity, resource = "reorder buffer")]
    pub reorder_packets: u32,
    /// Time without progress after which packets are sent again.
    ///
    /// 67.1 ms, which is 4.096 µs · 2¹⁴ (standard).
    #[param(min = "1 us", default = "67108864 ns", meaning = Timeout)]
    pub timeout: Time,
    /// Number of time-outs in a row after which a queue pair fails.
    ///
    /// 7 (standard: the largest value).
    #[param(max = 255, default = 7, meaning = Policy)]
    pub retries: u32,
    /// Time after which a request is sent again to a receiver that was not ready.
    ///
    /// 10 µs (standard: code 1 of table 45).
    #[param(min = "100 ns", default = "10 us", meaning = Timeout)]
    pub rnr_timer: Time,
    /// Number of times in a row that a receiver may be not ready before a queue pair fails; 7 is no limit.
    ///
    /// 7 (standard).
    #[param(max = 7, default = 7, meaning = Policy)]
    pub rnr_retries: u32,
    /// Number of messages that one acknowledgement may cover.
    ///
    /// 1 (chosen).
    #[param(min = 1, max = 1024, default = 1, meaning = Policy)]
    pub ack_every: u32,
    /// Time after which a message is acknowledged even if the number of `ack-every` is not reached.
    ///
    /// 1 µs (chosen).
    #[param(min = "10 ns", default = "1 us", meaning = Timeout)]
    pub ack_delay: Time,
}

fn not_a_power_of_two(number: u32) -> Option<(String, &'static str)> {
    (!number.is_power_of_two()).then(|| (format!("{number} is not a power of two"), "choose a power of two"))
}

impl RdmaParameters {
    /// Returns the limits of the requester of a queue pair.
    pub fn requester_limits(&self) -> RequesterLimits {
        RequesterLimits {
            recovery: self.recovery,
            outstanding_reads: self.outstanding_reads,
            window: match self.recovery {
                Recovery::GoBackN => self.outstanding_packets,
                Recovery::Selective => self.outstanding_packets.min(self.reorder_packets),
            },
            retries: self.retries,
            not_ready_retries: (self.rnr_retries < 7).then_some(self.rnr_retries),
        }
    }

    /// Returns the number of packets of a message of `bytes` bytes.
    pub fn packets_of(&self, bytes: u64) -> u32 {
        bytes.div_ceil(self.mtu.get()).max(1) as u32
    }
}
