//! The parameters of a memory-bus node, each with its source, and their checks. Tables and sections are those of
//! Mukherjee and Hill 1998.

use crate::engine::{Bytes, Hertz, Time};
use crate::host::block::BLOCK_BYTES;
pub use crate::host::cache::{CacheParameters, SpinModel};
use crate::host::utilization::CORES_MAX;
use crate::text::{ParameterChoice, Parameters};
use std::fmt;

/// An error of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadParameter {
    /// The parameter, as a path of names.
    pub parameter: &'static str,
    /// Error message, with the allowed values.
    pub reason: String,
}

impl BadParameter {
    /// Returns an error of `parameter`.
    pub fn new(parameter: &'static str, reason: impl Into<String>) -> BadParameter {
        BadParameter { parameter, reason: reason.into() }
    }
}

impl fmt::Display for BadParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.parameter, self.reason)
    }
}

/// The parameters of the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = 1_000_000), meaning = Work, resource = "processor")]
pub struct MemoryBusProcessorParameters {
    /// Number of stores that may wait for their block.
    ///
    /// The program continues in the meantime. The value is 8 words, one block (chosen).
    #[param(min = 1, max = 1024, meaning = Capacity, resource = "store buffer")]
    pub store_buffer_entries: usize,
    /// Clock of the processor.
    ///
    /// 1 GHz (Table 3).
    #[param(max = "100 GHz")]
    pub clock: Hertz,
    /// Cycles from an access to its request for the bus.
    ///
    /// The cycles apply to accesses that leave the processor. The value is 10 (chosen together with `reply_cycles`, so
    /// that an uncached 8-byte access takes about 102 ns in total, the slope of Table 5's first row).
    pub request_cycles: u64,
    /// Cycles from the data on the bus until the processor uses the result.
    ///
    /// The cycles are counted from the end of the transaction. The value is 10 (chosen).
    pub reply_cycles: u64,
    /// Cycles of a cached access that hits.
    ///
    /// The cycles apply to loads and stores. The value is 1 (dual issue, in order; §5.1.1).
    pub hit_cycles: u64,
    /// Cycles of 1000 instructions of a program's computation.
    ///
    /// The cycles apply to the instructions that programs count, which include accesses to private data. They do not
    /// apply to accesses to shared memory, or to the messaging layer, whose costs are in cycles. The value is 1000: an
    /// instruction in a cycle (dual issue, in order; §5.1.1).
    #[param(min = 1, optional_or = 1_000)]
    pub cycles_per_1000_instructions: u64,
    /// Time from an interrupt to its handler.
    ///
    /// The latency ends with the first instruction of the handler. The value is 1 us (chosen; the paper's interfaces
    /// are polled).
    #[param(default = "1 us", resource = "interrupt")]
    pub interrupt_latency: Time,
    /// Number of block misses that may be outstanding in a run of loads or stores, or in a copy.
    ///
    /// The blocks of a run are fetched before the program reaches them. Single loads do not overlap. 1 by default (in
    /// order; §5.1.1).
    #[param(min = 1, max = 64, optional_or = 1, meaning = Capacity, resource = "outstanding misses")]
    pub misses: usize,
    /// Number of blocks whose ownership the store buffer requests at the same time.
    ///
    /// The requests for stores behind the oldest one use the outstanding misses that runs use (`misses`). Stores reach
    /// the cache in program order with any number. 1 by default: only the oldest store requests its block (chosen; the
    /// paper does not say).
    #[param(min = 1, max = 64, optional_or = 1, meaning = Capacity, resource = "outstanding misses")]
    pub outstanding_stores: usize,
    /// Number of blocks of sequential runs that a stream prefetcher fetches at the same time.
    ///
    /// They are in addition to `misses`. 0 by default: there is no prefetcher (§5.1.1).
    #[param(max = 64, optional_or = 0, meaning = Capacity, resource = "outstanding misses")]
    pub stream_prefetches: usize,
    /// Number of bytes of a run that one access moves; a power of two.
    ///
    /// 8 by default; with vector instructions 32 or 64.
    #[param(min = "8 B", max = "64 B", optional_or = Bytes(8), meaning = Width, resource = "processor")]
    pub run_access: Bytes,
    /// Simulation method of a loop that polls a cached word; both methods give the same times.
    #[param(skip = SpinModel::SkippedPolls)]
    pub spin: SpinModel,
}

/// The parameters of the bus. A transaction holds the bus for arbitration, address, snoop, the access at the home or
/// owner, data and turnaround.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = 1_000_000), meaning = Work, resource = "memory bus")]
pub struct BusParameters {
    /// Clock of the bus.
    ///
    /// 250 MHz (Table 3).
    #[param(max = "100 GHz")]
    pub clock: Hertz,
    /// Width of the bus; a power of two.
    ///
    /// 32 bytes (Table 3).
    #[param(min = "1 B", max = "64 B", meaning = Width, resource = "memory bus")]
    pub width: Bytes,
    /// Cycles to arbitrate.
    ///
    /// 1 (chosen).
    pub arbitration_cycles: u64,
    /// Cycles of the address phase.
    ///
    /// 1 (chosen).
    #[param(min = 1)]
    pub address_cycles: u64,
    /// Cycles in which the caches and memories on the bus respond to the address.
    ///
    /// 1 (chosen).
    pub snoop_cycles: u64,
    /// Cycles after a transaction until the next initiator may drive the bus.
    ///
    /// 1 (chosen).
    pub turnaround_cycles: u64,
    /// Occupancy of the bus by a transaction: `held` until its data has arrived, or `split`, without the access.
    ///
    /// Held by default, as on the circuit-switched buses of Table 3's time. Buses and on-chip networks of today are
    /// split: other transactions use the bus during the access at the home or owner.
    #[param(optional_or = BusTransactions::Held)]
    pub transactions: BusTransactions,
}

/// The part of a transaction for which it holds the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum BusTransactions {
    /// The whole transaction.
    Held,
    /// The transaction without the access at the home or owner.
    Split,
}

/// The parameters of a node without its interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct NodeParameters {
    /// Number of cores, each with a cache on the bus.
    ///
    /// The endpoints of a node are assigned to the cores in turn. 1 by default (§5.1.1).
    #[param(min = 1, max = CORES_MAX, optional_or = 1, meaning = Width, resource = "processor")]
    pub cores: u32,
    /// The processor.
    #[param(table)]
    pub processor: MemoryBusProcessorParameters,
    /// The processor's cache.
    #[param(table)]
    pub cache: CacheParameters,
    /// The coherent memory bus.
    #[param(table)]
    pub bus: BusParameters,
    /// Access time of main memory.
    ///
    /// 120 ns (Table 3).
    #[param(resource = "memory")]
    pub memory_time: Time,
    /// Size of main memory.
    ///
    /// 16 MiB (chosen; larger than any queue and buffer used).
    #[param(min = "64 KiB", max = "1 GiB", meaning = Capacity)]
    pub memory_size: Bytes,
}

impl MemoryBusProcessorParameters {
    /// Reason for which neither stores nor streams use outstanding misses if there is only one.
    pub const SINGLE_MISS_REASON: &'static str = "the processor has one miss outstanding (`processor.misses`)";
}

impl NodeParameters {
    /// The node of Mukherjee and Hill 1998, Table 3.
    pub const PAPER: NodeParameters = NodeParameters {
        cores: 1,
        processor: MemoryBusProcessorParameters {
            clock: Hertz(1_000_000_000),
            request_cycles: 10,
            reply_cycles: 10,
            store_buffer_entries: 8,
            hit_cycles: 1,
            cycles_per_1000_instructions: 1_000,
            interrupt_latency: Time::from_us(1),
            misses: 1,
            outstanding_stores: 1,
            stream_prefetches: 0,
            run_access: Bytes(8),
            spin: SpinModel::SkippedPolls,
        },
        cache: CacheParameters { size: Bytes(1 << 20), ways: 1, supply_time: Time::from_ns(20) },
        bus: BusParameters {
            clock: Hertz(250_000_000),
            width: Bytes(32),
            arbitration_cycles: 1,
            address_cycles: 1,
            snoop_cycles: 1,
            turnaround_cycles: 1,
            transactions: BusTransactions::Held,
        },
        memory_time: Time::from_ns(120),
        memory_size: Bytes(16 << 20),
    };

    /// Returns all errors of these parameters.
    pub fn check(&self) -> Vec<BadParameter> {
        let cache = self.cache.check().into_iter();
        let mut problems: Vec<_> = cache.map(|(key, reason)| BadParameter::new(key, reason)).collect();
        problems.extend(self.bus.check());
        if self.processor.clock.0 == 0 {
            problems.push(BadParameter::new("processor.clock", "the clock must be above 0 Hz"));
        }
        if self.processor.store_buffer_entries == 0 {
            problems.push(BadParameter::new(
                "processor.store-buffer-entries",
                "must be at least 1: a store waits in an entry of the buffer",
            ));
        }
        if !self.processor.run_access.get().is_power_of_two() {
            let reason = format!("{} is not a power of two: choose 8, 16, 32 or 64 B", self.processor.run_access);
            problems.push(BadParameter::new("processor.run-access", reason));
        }
        if self.memory_size.get() == 0 || !self.memory_size.get().is_multiple_of(BLOCK_BYTES as u64) {
            problems.push(BadParameter::new(
                "memory-size",
                format!("{} is not a multiple of a block (64 B)", self.memory_size),
            ));
        }
        problems
    }
}

impl BusParameters {
    fn check(&self) -> Vec<BadParameter> {
        let mut problems = Vec::new();
        if self.clock.0 == 0 {
            problems.push(BadParameter::new("bus.clock", "the clock must be above 0 Hz"));
        }
        if !self.width.get().is_power_of_two() || self.width.len() > BLOCK_BYTES {
            let reason = format!(
                "a bus of {} is not allowed: choose a power of two from 1 B to 64 B, the size of a block",
                self.width
            );
            problems.push(BadParameter::new("bus.width", reason));
        }
        if self.address_cycles == 0 {
            problems
                .push(BadParameter::new("bus.address-cycles", "must be at least 1: sending an address takes a cycle"));
        }
        problems
    }
}
