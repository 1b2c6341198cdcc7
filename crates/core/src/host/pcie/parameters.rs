//! The parameters of a host with a PCIe link, each with its source, and their checks.
//!
//! The documentation of a value states its source in one word: *standard* (PCI Express Base Specification), *measured*
//! (pcie-bench on an Ivy Bridge server with an NFP-6000 interface, PCIe Gen3 x8; Neugebauer et al., SIGCOMM 2018),
//! *derived* from those, *chosen*, or *remembered*: a default that no source confirms, and that no result may rest on
//! without an error bar.

use super::coherent_link::{Attachment, DeviceLogic};
use super::iommu::IommuParameters;
use super::link::PcieLinkParameters;
use super::llc::LlcParameters;
use super::memory::MainMemoryParameters;
use crate::engine::{Bytes, Hertz, Time};
use crate::host::cache::{CacheParameters, SpinModel};
use crate::host::memory_bus::{BusParameters, BusTransactions, MemoryBusProcessorParameters, NodeParameters};
use crate::host::utilization::CORES_MAX;
use crate::text::{ParameterChoice, Parameters};

/// The socket to which the memory of the host's buffers is attached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum MemorySocket {
    /// The socket of the PCIe link.
    Local,
    /// The other socket.
    Remote,
}

/// A host with a last-level cache, an IOMMU and a PCIe link, to which the interface is attached.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct PcieParameters {
    /// Number of cores, each with a private cache.
    ///
    /// The endpoints of a node are assigned to the cores in turn.
    #[param(min = 1, max = CORES_MAX, default = 1, meaning = Width, resource = "processor")]
    pub cores: u32,
    /// The processor.
    #[param(table)]
    pub processor: ProcessorParameters,
    /// The processor's private cache.
    #[param(table)]
    pub cache: PrivateCacheParameters,
    /// The interconnect between processor, last-level cache and root complex.
    #[param(table)]
    pub interconnect: InterconnectParameters,
    /// The last-level cache, which processor and devices share.
    #[param(table)]
    pub llc: LlcParameters,
    /// Main memory.
    #[param(table)]
    pub memory: MainMemoryParameters,
    /// The PCIe link.
    #[param(table)]
    pub link: PcieLinkParameters,
    /// Links between the host and the interface: `pcie`, or in addition a coherent link, `cxl` or `upi`.
    #[param(one_of, default = "pcie")]
    pub attachment: Attachment,
    /// The logic of the interface behind the links. Without this table its time is part of those of the links.
    #[param(table)]
    pub device: Option<DeviceLogic>,
    /// The IOMMU. Without this table the host has no IOMMU.
    #[param(table)]
    pub iommu: Option<IommuParameters>,
    /// Round trip of a read, without the serialization of its packets.
    ///
    /// The round trip includes both crossings of the link and the fixed overhead of the device. From outside, the
    /// times of device and root complex cannot be separated, so the value belongs to a pair of both. 527 ns (measured:
    /// a host-warm read of 64 B takes 560 ns).
    #[param(default = "527 ns", resource = "root complex")]
    pub root_complex: Time,
    /// Time from the arrival of a write at the root complex until others see its bytes.
    ///
    /// 170 ns (measured: a write that is followed by a read of the same place takes 787 ns, and the read alone 560 ns;
    /// the serialization and the device's overhead of the write are subtracted).
    #[param(default = "170 ns", resource = "root complex")]
    pub write_visible: Time,
    /// Socket to which memory is attached: `local` (that of the link) or `remote`.
    #[param(default = "local")]
    pub memory_socket: MemorySocket,
    /// Socket of the processor that runs the program: `local` or `remote`; by default that of memory.
    #[param(default = memory_socket)]
    pub processor_socket: MemorySocket,
    /// Additional time of a device's read of memory at the remote socket.
    ///
    /// The additional time is the same for blocks that the remote cache holds. 107 ns (measured: 667 ns against 560
    /// ns).
    #[param(default = "107 ns", resource = "remote socket")]
    pub remote: Time,
    /// Additional time of a device's write that evicts a block of memory at the remote socket.
    ///
    /// A write to remote memory goes to the I/O ways of the local last-level cache, and takes no longer than one to
    /// local memory as long as it replaces no block that has to be written back to the other socket. 80 ns (measured:
    /// 867 ns against 787 ns, in windows larger than the I/O ways).
    #[param(default = "80 ns", resource = "remote socket")]
    pub remote_write_back: Time,
}

/// The parameters of the processor.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(each(max = 1_000_000), meaning = Work, resource = "processor")]
pub struct ProcessorParameters {
    /// Clock of the processor.
    ///
    /// 3 GHz (remembered).
    #[param(max = "100 GHz", default = "3 GHz")]
    pub clock: Hertz,
    /// Number of stores that may wait for their block.
    ///
    /// 56 (remembered).
    #[param(min = 1, max = 1024, default = 56, meaning = Capacity, resource = "store buffer")]
    pub store_buffer_entries: usize,
    /// Cycles from an access to its request on the interconnect.
    ///
    /// 10 (chosen).
    #[param(default = 10)]
    pub request_cycles: u64,
    /// Cycles from the data on the interconnect until the processor uses the result.
    ///
    /// 10 (chosen).
    #[param(default = 10)]
    pub reply_cycles: u64,
    /// Cycles of a cached access that hits.
    ///
    /// 1 (chosen: loads of a run overlap).
    #[param(default = 1)]
    pub hit_cycles: u64,
    /// Number of block misses that may be outstanding in a run of loads or stores, or in a copy.
    ///
    /// 12 (remembered: line-fill buffers).
    #[param(min = 1, max = 64, default = 12, meaning = Capacity, resource = "outstanding misses")]
    pub misses: usize,
    /// Number of blocks whose ownership the store buffer requests at the same time.
    ///
    /// The requests for stores behind the oldest one use the outstanding misses that runs use (`misses`). Stores reach
    /// the cache in program order with any number. 1 (chosen: only the oldest store requests its block); processors of
    /// today request as many as they have line-fill buffers (remembered).
    #[param(min = 1, max = 64, default = 1, meaning = Capacity, resource = "outstanding misses")]
    pub outstanding_stores: usize,
    /// Number of blocks of sequential runs that a stream prefetcher fetches at the same time.
    ///
    /// They are in addition to `misses`. The prefetcher detects a stream at the third block of a run in a page of
    /// 4 KiB, and does not cross the page. 0 (chosen: no prefetcher); the streamer of Intel's processors runs up to 20
    /// blocks ahead (remembered).
    #[param(max = 64, default = 0, meaning = Capacity, resource = "outstanding misses")]
    pub stream_prefetches: usize,
    /// Number of bytes of a run that one access moves; a power of two.
    ///
    /// 32 B (chosen: vector instructions of 256 bits).
    #[param(min = "8 B", max = "64 B", default = "32 B", meaning = Width, resource = "processor")]
    pub run_access: Bytes,
    /// Time from the delivery of an interrupt to the first instruction of its handler.
    ///
    /// 1 us (remembered).
    #[param(default = "1 us", resource = "interrupt")]
    pub interrupt_latency: Time,
    /// Least time between the starts of two uncached stores.
    ///
    /// 100 ns (measured: 50 to 300 ns in a trace of a vendor's forum).
    #[param(default = "100 ns", resource = "uncached stores")]
    pub uncached_write: Time,
    /// Number of write-combining buffers.
    ///
    /// 10 (remembered: line-fill buffers).
    #[param(min = 1, max = 1024, default = 10, meaning = Capacity, resource = "write-combining buffers")]
    pub combining_buffers: usize,
    /// Time for which a write-combining buffer that leaves occupies the path to the link.
    ///
    /// 108 ns for 64 B (measured: Larsen and Lee 2015).
    #[param(default = "108 ns", resource = "write-combining buffers")]
    pub combining_flush: Time,
    /// Time of a store fence.
    ///
    /// 30 ns (remembered).
    #[param(default = "30 ns")]
    pub fence: Time,
}

/// The parameters of the processor's private cache.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(resource = "cache")]
pub struct PrivateCacheParameters {
    /// Size of the cache; a power of two.
    ///
    /// 1 MiB (remembered).
    #[param(min = "64 B", max = "64 MiB", default = "1 MiB", meaning = Capacity)]
    pub size: Bytes,
    /// Associativity; a power of two.
    ///
    /// 16 (remembered).
    #[param(min = 1, max = 64, default = 16, meaning = Capacity)]
    pub ways: usize,
    /// Time to supply a block that another agent reads.
    ///
    /// 20 ns (remembered).
    #[param(default = "20 ns")]
    pub supply_time: Time,
}

/// The parameters of the interconnect within the processor's package.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(each(max = 1_000_000), meaning = Work, resource = "interconnect")]
pub struct InterconnectParameters {
    /// Clock of the interconnect.
    ///
    /// 2 GHz (remembered).
    #[param(max = "100 GHz", default = "2 GHz")]
    pub clock: Hertz,
    /// Cycles of a transaction in addition to the access and the data.
    ///
    /// 3 (chosen).
    #[param(min = 1, default = 3)]
    pub cycles: u64,
}

impl PcieParameters {
    /// Returns the interface's processing time for a message.
    pub(super) fn device_time(&self) -> Time {
        self.device.map_or(Time::ZERO, |device| device.time())
    }

    /// Returns the parameters with the processing time of the interface's logic added to the times of the PCIe link.
    /// The time is added twice for a read of the device, for the request and for the completion, and once for a write.
    pub(super) fn with_device_logic(&self) -> PcieParameters {
        let logic_time = self.device_time();
        PcieParameters {
            root_complex: self.root_complex + logic_time * 2,
            write_visible: self.write_visible + logic_time,
            ..self.clone()
        }
    }

    /// Returns the parameters of the processor, its private cache and the interconnect as those of a memory-bus node.
    pub(super) fn node_parameters(&self) -> NodeParameters {
        let (processor, cache) = (self.processor, self.cache);
        NodeParameters {
            cores: self.cores,
            processor: MemoryBusProcessorParameters {
                store_buffer_entries: processor.store_buffer_entries,
                clock: processor.clock,
                request_cycles: processor.request_cycles,
                reply_cycles: processor.reply_cycles,
                hit_cycles: processor.hit_cycles,
                cycles_per_1000_instructions: 1000,
                interrupt_latency: processor.interrupt_latency,
                misses: processor.misses,
                outstanding_stores: processor.outstanding_stores,
                stream_prefetches: processor.stream_prefetches,
                run_access: processor.run_access,
                spin: SpinModel::SkippedPolls,
            },
            cache: CacheParameters { size: cache.size, ways: cache.ways, supply_time: cache.supply_time },
            bus: BusParameters {
                clock: self.interconnect.clock,
                width: Bytes(64),
                arbitration_cycles: 0,
                address_cycles: self.interconnect.cycles,
                snoop_cycles: 0,
                turnaround_cycles: 0,
                transactions: BusTransactions::Split,
            },
            memory_time: self.memory.access,
            memory_size: self.memory.size,
        }
    }
}
