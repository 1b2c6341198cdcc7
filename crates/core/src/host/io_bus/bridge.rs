//! The host–PCI bridge for DMA engines: set-up, bursts, and competition with the processor.
//!
//! The module models the bridges of Yocum et al. (1997), Figure 1 and §3.5. A transfer of *n* bytes without competition
//! takes the set-up time + *n* ÷ rate; each direction has separate values. A transfer moves in bursts of at most
//! `burst`, after which another initiator may get the bus. The effects of competition are in `competition.rs`.
//!
//! The set-up time and the rate were measured on a bridge and its bus, and include wait states, bursts and
//! arbitration. They are not computed from the clock and width of the bus. Clock and width only limit the rate (a rate
//! above clock × width is an error), and determine the time of programmed I/O. A change of the clock alone therefore
//! does not change DMA; to model a faster bus, the rates of the bridge have to be changed as well. The module leaves
//! out prefetching, except if a competition rule models it.

use super::competition::Competition;
use super::memory::MainMemory;
use super::pci::Pci;
use crate::engine::resource::ResourceHold;
use crate::engine::{Bytes, Rate, Sim, SpanLabel, Time};
use crate::host::device::Direction;
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

impl Direction {
    /// Returns the label of a DMA burst's span.
    fn span_label(self, bytes: Bytes) -> SpanLabel {
        let activity = if self == Direction::Read { "DMA read" } else { "DMA write" };
        SpanLabel { activity, message: None, bytes }
    }
}

/// The parameters of a bridge.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct BridgeParameters {
    /// Time from the start of a DMA read to its first data.
    #[param(resource = "DMA set-up")]
    pub read_setup: Time,
    /// Rate of DMA reads after their first data.
    #[param(resource = "PCI")]
    pub read_rate: Rate,
    /// Time from the start of a DMA write to its first data.
    #[param(resource = "DMA set-up")]
    pub write_setup: Time,
    /// Rate of DMA writes after their first data.
    #[param(resource = "PCI")]
    pub write_rate: Rate,
    /// Largest size of a burst.
    #[param(min = "4 B", meaning = Granularity)]
    pub burst: Bytes,
    /// Rule by which processor and DMA share the bridge.
    #[param(one_of)]
    pub competition: Competition,
}

impl BridgeParameters {
    /// Returns the set-up time and the rate of a direction.
    pub fn timing(&self, direction: Direction) -> (Time, Rate) {
        by_direction(direction, (self.read_setup, self.read_rate), (self.write_setup, self.write_rate))
    }
}

/// Returns `read` or `write`, whichever belongs to the direction.
fn by_direction<T>(direction: Direction, read: T, write: T) -> T {
    match direction {
        Direction::Read => read,
        Direction::Write => write,
    }
}

/// A bridge.
pub struct Bridge {
    sim: Sim,
    parameters: BridgeParameters,
    pci: Rc<Pci>,
    memory: Rc<MainMemory>,
    bytes_moved: Cell<u64>,
}

/// A DMA transfer through a bridge.
pub struct DmaStream<'a> {
    bridge: &'a Bridge,
    direction: Direction,
    rate: Rate,
    /// Numbers of grants of bus and memory at the last burst. If there were other grants since, the stream was
    /// interrupted.
    last_grants: Option<(u64, u64)>,
    memory: Option<ResourceHold<'a>>,
}

/// A burst in progress. It holds bus and memory until it is dropped, which the caller does after `time`.
pub struct Burst<'a> {
    /// Size of the burst.
    pub bytes: Bytes,
    /// Start of the service by bus and memory, which may be in the past.
    pub service_start: Time,
    /// Remaining time of the burst.
    pub time: Time,
    bridge: &'a Bridge,
    /// Time for which the bus moves the data of the burst, and time for which memory moves them while the burst holds
    /// memory.
    active_times: [Time; 2],
    bus: ResourceHold<'a>,
    _memory: Option<ResourceHold<'a>>,
}

impl Drop for Burst<'_> {
    fn drop(&mut self) {
        let [bus_time, memory_time] = self.active_times;
        self.bridge.pci.bus().add_moved_time(bus_time);
        self.bridge.memory.port().add_moved_time(memory_time);
    }
}

impl Bridge {
    /// Creates the bridge between `pci` and `memory`.
    pub fn new(sim: &Sim, parameters: BridgeParameters, pci: Rc<Pci>, memory: Rc<MainMemory>) -> Bridge {
        Bridge { sim: sim.clone(), parameters, pci, memory, bytes_moved: Cell::new(0) }
    }

    /// Returns the parameters of the bridge.
    pub fn parameters(&self) -> &BridgeParameters {
        &self.parameters
    }

    /// Returns the total number of bytes that DMA has moved.
    pub fn bytes_moved(&self) -> Bytes {
        Bytes(self.bytes_moved.get())
    }

    /// Sets up a transfer.
    pub async fn open(&self, direction: Direction) -> DmaStream<'_> {
        let (setup, rate) = self.parameters.timing(direction);
        let memory = match self.parameters.competition {
            Competition::DmaFirst => Some(self.memory.port().acquire().await),
            _ => None,
        };
        memory.iter().for_each(|memory| memory.set_span_label(direction.span_label(Bytes::ZERO)));
        self.sim.delay(setup).await;
        DmaStream { bridge: self, direction, rate, last_grants: None, memory }
    }

    fn grant_counts(&self) -> (u64, u64) {
        (self.pci.bus().grants(), self.memory.processor_accesses())
    }
}

impl<'a> DmaStream<'a> {
    /// Returns the rate of the stream during a burst.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Acquires the bus for a burst of up to `remaining_bytes`, and memory if the competition rule requires it. The
    /// caller waits for the burst's `time` and drops the burst.
    pub async fn burst(&mut self, remaining_bytes: Bytes) -> Burst<'a> {
        let bridge = self.bridge;
        let bus = match bridge.pci.bus().try_acquire() {
            Some(bus) => bus,
            None => bridge.pci.acquire_bus().await,
        };
        let burst_bytes = remaining_bytes.min(bridge.parameters.burst);
        let burst = match bridge.parameters.competition {
            Competition::Alternate { grain, read_restart, write_restart } => {
                let memory = match bridge.memory.port().try_acquire() {
                    Some(memory) => memory,
                    None => bridge.memory.port().acquire().await,
                };
                let restart = by_direction(self.direction, read_restart, write_restart);
                self.start_alternating((bus, memory), burst_bytes.min(grain), restart)
            }
            Competition::DmaFirst => {
                let (service_start, time) = (bridge.sim.now(), self.rate.time_for(burst_bytes));
                Burst { bytes: burst_bytes, service_start, time, bridge, active_times: [time; 2], bus, _memory: None }
            }
            Competition::Buffered { memory_rate, read_restart, write_restart } => {
                let restart = by_direction(self.direction, read_restart, write_restart);
                let restart_delay = if self.is_interrupted() { restart } else { Time::ZERO };
                let time = self.rate.time_for(burst_bytes);
                // The burst holds memory for the time that its data take at memory's rate, and after that only the bus.
                let memory_time = memory_rate.time_for(burst_bytes).min(time);
                let memory = match bridge.memory.port().try_acquire() {
                    Some(memory) => memory,
                    None => bridge.memory.port().acquire().await,
                };
                memory.set_span_label(self.direction.span_label(burst_bytes));
                let service_start = bridge.sim.now();
                bridge.sim.delay(memory_time).await;
                bridge.memory.port().add_moved_time(memory_time);
                drop(memory);
                Burst {
                    bytes: burst_bytes,
                    service_start,
                    time: restart_delay + time - memory_time,
                    bridge,
                    active_times: [time, Time::ZERO],
                    bus,
                    _memory: None,
                }
            }
        };
        burst.bus.set_span_label(self.direction.span_label(burst.bytes));
        bridge.bytes_moved.set(bridge.bytes_moved.get() + burst.bytes.get());
        self.last_grants = Some(bridge.grant_counts());
        burst
    }

    /// Starts a burst that alternates with the processor: the processor may access memory after every grain of the
    /// stream, and the stream takes the restart time after such an interruption.
    fn start_alternating(
        &self,
        (bus, memory): (ResourceHold<'a>, ResourceHold<'a>),
        bytes: Bytes,
        restart: Time,
    ) -> Burst<'a> {
        let bridge = self.bridge;
        memory.set_span_label(self.direction.span_label(bytes));
        let restart_delay = if self.is_interrupted() { restart } else { Time::ZERO };
        let data_time = self.rate.time_for(bytes);
        let (service_start, time) = (bridge.sim.now(), restart_delay + data_time);
        Burst { bytes, service_start, time, bridge, active_times: [data_time; 2], bus, _memory: Some(memory) }
    }

    /// Returns whether bus or memory was granted to others since the last burst. The stream's own new grant of the bus
    /// is not counted.
    fn is_interrupted(&self) -> bool {
        self.last_grants.is_some_and(|(bus, memory)| self.bridge.grant_counts() != (bus + 1, memory))
    }

    /// Ends the transfer, and releases memory if the competition rule holds memory for whole transfers.
    pub fn close(self) {
        drop(self.memory);
    }
}
