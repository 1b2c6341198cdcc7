//! The host–PCI bridge as a DMA engine meets it: set-up, bursts, and competition.
//!
//! Datasheet: a transfer of *n* bytes alone takes set-up + *n* ÷ rate (each direction its own);
//! it moves in bursts of at most `burst`, after which another master may have the bus. What
//! competition adds is in `competition.rs`. Source: Yocum et al. (1997) Figure 1 and §3.5.
//!
//! Set-up and rate are what is measured of a bridge on its bus: wait states, bursts and arbitration
//! are in them. They are not made from the bus's clock and width, which are the bound (a rate above
//! clock × width is refused) and what programmed I/O takes its time from. So another clock alone
//! leaves DMA as it was; what a faster bus would give is asked by stating the bridge's rates with it.

use super::competition::Competition;
use super::memory::MainMemory;
use super::pci::Pci;
use crate::engine::resource::Held;
use crate::engine::{Bytes, Rate, Sim, SpanLabel, Time};
use crate::host::device::Direction;
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

impl Direction {
    /// What spans tell of a DMA burst.
    fn span_label(self, bytes: Bytes) -> SpanLabel {
        let what = if self == Direction::Read { "DMA read" } else { "DMA write" };
        SpanLabel { what, message: None, bytes }
    }
}

/// The parameters of a bridge.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct BridgeParameters {
    /// From the start of a DMA read to its first data.
    #[param(resource = "DMA set-up")]
    pub read_setup: Time,
    /// Rate of DMA reads once they flow.
    #[param(resource = "PCI")]
    pub read_rate: Rate,
    /// From the start of a DMA write to its first data.
    #[param(resource = "DMA set-up")]
    pub write_setup: Time,
    /// Rate of DMA writes once they flow.
    #[param(resource = "PCI")]
    pub write_rate: Rate,
    /// The most a burst moves.
    #[param(min = "4 B", meaning = Granularity)]
    pub burst: Bytes,
    /// How processor and DMA share the bridge.
    #[param(one_of)]
    pub competition: Competition,
}

impl BridgeParameters {
    /// Set-up time and rate of a direction.
    pub fn of(&self, direction: Direction) -> (Time, Rate) {
        of(direction, (self.read_setup, self.read_rate), (self.write_setup, self.write_rate))
    }
}

/// What a direction has of two.
fn of<T>(direction: Direction, read: T, write: T) -> T {
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
    moved: Cell<u64>,
}

/// One DMA transfer on its way through a bridge.
pub struct DmaStream<'a> {
    bridge: &'a Bridge,
    direction: Direction,
    rate: Rate,
    /// Grants of bus and memory when the last burst ended; others since mean it was interrupted.
    seen: Option<(u64, u64)>,
    memory: Option<Held<'a>>,
}

/// A burst that is under way: it ends at `end`, when the guards may go.
pub struct Burst<'a> {
    /// What it moves.
    pub bytes: Bytes,
    /// When bus and memory began to serve it, which may be before now.
    pub began: Time,
    /// How long it takes from now on.
    pub time: Time,
    bridge: &'a Bridge,
    /// How long the bus moves it, and memory that is not let go before.
    moving: [Time; 2],
    bus: Held<'a>,
    _memory: Option<Held<'a>>,
}

impl Drop for Burst<'_> {
    fn drop(&mut self) {
        let [bus, memory] = self.moving;
        self.bridge.pci.bus().moves(bus);
        self.bridge.memory.port().moves(memory);
    }
}

impl Bridge {
    /// The bridge between `pci` and `memory`.
    pub fn new(sim: &Sim, parameters: BridgeParameters, pci: Rc<Pci>, memory: Rc<MainMemory>) -> Bridge {
        Bridge { sim: sim.clone(), parameters, pci, memory, moved: Cell::new(0) }
    }

    /// Its parameters.
    pub fn parameters(&self) -> &BridgeParameters {
        &self.parameters
    }

    /// What DMA has moved in all.
    pub fn moved(&self) -> Bytes {
        Bytes(self.moved.get())
    }

    /// Sets a transfer up.
    pub async fn open(&self, direction: Direction) -> DmaStream<'_> {
        let (setup, rate) = self.parameters.of(direction);
        let memory = match self.parameters.competition {
            Competition::DmaFirst => Some(self.memory.port().acquire().await),
            _ => None,
        };
        memory.iter().for_each(|memory| memory.does(direction.span_label(Bytes::ZERO)));
        self.sim.delay(setup).await;
        DmaStream { bridge: self, direction, rate, seen: None, memory }
    }

    fn grants(&self) -> (u64, u64) {
        (self.pci.bus().grants(), self.memory.processor_accesses())
    }
}

impl<'a> DmaStream<'a> {
    /// The rate of this stream while a burst flows.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Gets the bus, and what memory the competition rule asks for, for a burst of up to `left`
    /// bytes. The caller waits `time` and drops the burst.
    pub async fn burst(&mut self, left: Bytes) -> Burst<'a> {
        let bridge = self.bridge;
        let bus = bridge.pci.master().await;
        let most = left.min(bridge.parameters.burst);
        let burst = match bridge.parameters.competition {
            Competition::Alternate { grain, read_restart, write_restart } => {
                self.alternate(bus, most.min(grain), of(self.direction, read_restart, write_restart)).await
            }
            Competition::DmaFirst => {
                let (began, time) = (bridge.sim.now(), self.rate.time_for(most));
                Burst { bytes: most, began, time, bridge, moving: [time; 2], bus, _memory: None }
            }
            Competition::Buffered { memory_rate, read_restart, write_restart } => {
                let restart = of(self.direction, read_restart, write_restart);
                self.buffered(bus, most, (memory_rate, restart)).await
            }
        };
        burst.bus.does(self.direction.span_label(burst.bytes));
        bridge.moved.set(bridge.moved.get() + burst.bytes.get());
        self.seen = Some(bridge.grants());
        burst
    }

    /// Taking turns: at every grain the processor may come in between, and a stream that was
    /// interrupted pays for it.
    async fn alternate(&mut self, bus: Held<'a>, bytes: Bytes, restart: Time) -> Burst<'a> {
        let bridge = self.bridge;
        let memory = bridge.memory.port().acquire().await;
        memory.does(self.direction.span_label(bytes));
        let again = if self.is_interrupted() { restart } else { Time::ZERO };
        let moving = self.rate.time_for(bytes);
        let (began, time) = (bridge.sim.now(), again + moving);
        Burst { bytes, began, time, bridge, moving: [moving; 2], bus, _memory: Some(memory) }
    }

    /// Whether others had bus or memory since its last burst: its own new grant of the bus is one more than
    /// was seen.
    fn is_interrupted(&self) -> bool {
        self.seen.is_some_and(|(bus, memory)| self.bridge.grants() != (bus + 1, memory))
    }

    /// Through a buffer: memory is taken for the burst at memory's rate, then the bus goes on alone.
    async fn buffered(&mut self, bus: Held<'a>, bytes: Bytes, (memory_rate, restart): (Rate, Time)) -> Burst<'a> {
        let again = if self.is_interrupted() { restart } else { Time::ZERO };
        let time = self.rate.time_for(bytes);
        let at_memory = memory_rate.time_for(bytes).min(time);
        let bridge = self.bridge;
        let memory = bridge.memory.port().acquire().await;
        memory.does(self.direction.span_label(bytes));
        let began = bridge.sim.now();
        bridge.sim.delay(at_memory).await;
        bridge.memory.port().moves(at_memory);
        drop(memory);
        Burst { bytes, began, time: again + time - at_memory, bridge, moving: [time, Time::ZERO], bus, _memory: None }
    }

    /// Lets memory go, if the rule held it for the whole transfer.
    pub fn close(self) {
        drop(self.memory);
    }
}
