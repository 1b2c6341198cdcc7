//! The DMA port of an initiator on a bus. A transfer advances burst by burst while its engine awaits it.

use super::block::{BLOCK_BYTES, block_of, offset_in_block};
use super::device::Direction;
use super::dma::{DmaInitiator, MemoryBusInitiator};
use super::dma_port::{
    DmaCompletion, DmaOperation, DmaPort, DmaRequest, DmaTag, DmaTags, NoFreeTag, Transfer, TransferEngine,
    submit_when_free,
};
use super::dma_steps::{DataBeat, DmaSteps};
use super::io_bus::IoBusHost;
use super::io_bus::bridge::{Burst, DmaStream};
use super::memory_bus::TransactionKind;
use super::tagged_dma::{LinkLatency, TaggedDma};
use crate::engine::{Bytes, Signal, Sim, Time};
use std::rc::Rc;

/// A DMA port over an initiator. Transfers compete for the bus burst by burst, in the order of their requests.
pub struct BusDma {
    initiator: Rc<DmaInitiator>,
    tags: Rc<DmaTags>,
}

impl BusDma {
    /// Returns a port with `tags` tags over `initiator`.
    pub fn new(initiator: impl Into<Rc<DmaInitiator>>, tags: u32) -> BusDma {
        let initiator = initiator.into();
        let tags = DmaTags::new(initiator.sim(), "the DMA engine", tags);
        BusDma { initiator, tags }
    }

    /// Returns the host whose bridge moves the transfers, if there is one.
    fn io_bus_host(&self) -> Option<&IoBusHost> {
        if let DmaInitiator::IoBus(host) = &*self.initiator { Some(host) } else { None }
    }

    /// Submits a transfer through the bridge of `host` as soon as a tag is free.
    async fn begin<'a>(&'a self, host: &'a IoBusHost, request: &'a DmaRequest) -> BridgeTransfer<'a> {
        loop {
            match self.tags.take() {
                Ok(tag) => return BridgeTransfer { tag: Some(tag), ..BridgeTransfer::new(host, request) },
                Err(NoFreeTag) => _ = self.tags.freed().wait().await,
            }
        }
    }
}

/// A DMA port of any kind: either a port over a bus, whose transfers through a bridge need no boxed future, or any
/// other port. Clones refer to the same port.
#[derive(Clone)]
pub struct AnyDmaPort(PortKind);

#[derive(Clone)]
enum PortKind {
    Bus(Rc<BusDma>),
    Custom(Rc<dyn DmaPort>),
}

impl AnyDmaPort {
    /// Wraps a port from another crate.
    pub fn custom(port: Rc<dyn DmaPort>) -> AnyDmaPort {
        AnyDmaPort(PortKind::Custom(port))
    }

    /// Returns the port as an object, on which another port can be built, such as [`TaggedDma`](super::TaggedDma).
    pub fn port(&self) -> Rc<dyn DmaPort> {
        match &self.0 {
            PortKind::Bus(port) => port.clone(),
            PortKind::Custom(port) => port.clone(),
        }
    }

    /// Returns the port as an object whose transfers advance even if the engine `name` does not await them.
    pub fn self_advancing(&self, sim: &Sim, name: &str) -> Rc<dyn DmaPort> {
        match &self.0 {
            PortKind::Bus(port) => {
                Rc::new(TaggedDma::new(sim, name, port.clone(), port.tags(), LinkLatency::default()))
            }
            PortKind::Custom(port) => port.clone(),
        }
    }

    /// Submits a transfer as soon as a tag is free, and lets `engine` drive it.
    pub(crate) async fn transfer(&self, request: &DmaRequest, engine: &impl TransferEngine) {
        match &self.0 {
            PortKind::Bus(port) => match port.io_bus_host() {
                Some(host) => engine.drive(port.begin(host, request).await).await,
                None => engine.drive(submit_when_free(&**port, request).await).await,
            },
            PortKind::Custom(port) => engine.drive(submit_when_free(&**port, request).await).await,
        }
    }
}

impl From<BusDma> for AnyDmaPort {
    fn from(port: BusDma) -> AnyDmaPort {
        AnyDmaPort(PortKind::Bus(Rc::new(port)))
    }
}

impl DmaPort for BusDma {
    fn submit(&self, request: DmaRequest) -> Result<DmaCompletion, NoFreeTag> {
        let (tag, initiator) = (self.tags.take()?, self.initiator.clone());
        Ok(DmaCompletion::new(|steps| async move {
            match &*initiator {
                DmaInitiator::IoBus(host) => relay(BridgeTransfer::new(host, &request), &request, &steps).await,
                DmaInitiator::MemoryBus(initiator) => transfer_by_transactions(initiator, &request, &steps).await,
                DmaInitiator::Port(_, port) => {
                    relay(submit_when_free(&**port, &request).await, &request, &steps).await;
                }
            }
            drop(tag);
        }))
    }

    fn freed(&self) -> &Signal {
        self.tags.freed()
    }

    fn tags(&self) -> u32 {
        self.tags.count()
    }
}

/// Moves a transfer of a bridge or of another port, and reports its steps.
async fn relay(mut transfer: impl Transfer, request: &DmaRequest, steps: &DmaSteps) {
    let mut data = Vec::new();
    steps.set_up(transfer.set_up().await).await;
    while let Some(beat) = transfer.next_beat(&mut data).await {
        match &request.operation {
            DmaOperation::Read(_) => steps.read_beat(beat, &mut data).await,
            DmaOperation::Write(_) => steps.write_beat(beat).await,
        }
        transfer.beat_passed().await;
        steps.passed().await;
    }
}

/// A transfer through the bridge of an I/O bus. Its engine drives it from step to step.
pub(crate) struct BridgeTransfer<'a> {
    host: &'a IoBusHost,
    request: &'a DmaRequest,
    stream: Option<DmaStream<'a>>,
    burst: Option<Burst<'a>>,
    burst_end: Time,
    moved_bytes: Bytes,
    /// The bytes of the burst, if it writes.
    write_data: Vec<u8>,
    /// The tag that the transfer holds; `None` if the caller holds it.
    tag: Option<DmaTag>,
}

/// Sets the length of a buffer whose bytes are all overwritten next. Most bursts have the same length.
#[inline]
fn set_length(buffer: &mut Vec<u8>, bytes: usize) {
    if buffer.len() != bytes {
        buffer.resize(bytes, 0);
    }
}

impl<'a> BridgeTransfer<'a> {
    fn new(host: &'a IoBusHost, request: &'a DmaRequest) -> BridgeTransfer<'a> {
        let (stream, burst, tag) = (None, None, None);
        let (burst_end, moved_bytes, write_data) = (Time::ZERO, Bytes::ZERO, Vec::new());
        BridgeTransfer { host, request, stream, burst, burst_end, moved_bytes, write_data, tag }
    }
}

impl Transfer for BridgeTransfer<'_> {
    async fn set_up(&mut self) -> Time {
        let direction = match &self.request.operation {
            DmaOperation::Read(_) => Direction::Read,
            DmaOperation::Write(_) => Direction::Write,
        };
        self.stream = Some(self.host.bridge.open(direction).await);
        self.host.bridge.parameters().timing(direction).0
    }

    async fn next_beat(&mut self, into: &mut Vec<u8>) -> Option<DataBeat> {
        let remaining_bytes = self.request.operation.bytes() - self.moved_bytes;
        if remaining_bytes == Bytes::ZERO {
            self.stream.take().expect("the transfer is set up").close();
            self.tag = None;
            return None;
        }
        let stream = self.stream.as_mut().expect("the transfer is set up");
        let burst = stream.burst(remaining_bytes).await;
        let (from, rate) = (self.host.pci.sim().now(), stream.rate());
        let Burst { bytes, service_start, time, .. } = burst;
        let (offset, address) = (self.moved_bytes.get(), self.request.address + self.moved_bytes.get());
        self.burst_end = from + time + self.host.snoop(address, bytes);
        self.burst = Some(burst);
        match &self.request.operation {
            DmaOperation::Read(_) => {
                set_length(into, bytes.len());
                self.host.read_by_dma(address, into);
            }
            DmaOperation::Write(source) => {
                into.clear();
                set_length(&mut self.write_data, bytes.len());
                source.load(offset, &mut self.write_data);
            }
        }
        Some(DataBeat { offset, bytes, service_start, from, to: self.burst_end, rate })
    }

    async fn beat_passed(&mut self) {
        self.host.pci.sim().until(self.burst_end).await;
        self.end_beat();
    }

    fn beat_end(&self) -> Option<Time> {
        Some(self.burst_end)
    }

    fn end_beat(&mut self) {
        let burst = self.burst.take().expect("a beat has begun");
        if matches!(self.request.operation, DmaOperation::Write(_)) {
            self.host.write_by_dma(self.request.address + self.moved_bytes.get(), &self.write_data);
        }
        self.moved_bytes += burst.bytes;
    }
}

/// Carries out a transfer as transactions of the memory bus, one for each block.
async fn transfer_by_transactions(initiator: &MemoryBusInitiator, request: &DmaRequest, steps: &DmaSteps) {
    let MemoryBusInitiator { sim, bus, id } = initiator;
    let bytes = request.operation.bytes();
    steps.set_up(Time::ZERO).await;
    let (mut moved_bytes, mut read_data) = (Bytes::ZERO, Vec::new());
    while moved_bytes < bytes {
        let address = request.address + moved_bytes.get();
        let (block, start) = (block_of(address), offset_in_block(address));
        let range_in_block = start..BLOCK_BYTES.min(start + (bytes - moved_bytes).len());
        let service_start = sim.now();
        let grant = bus.acquire(*id, block).await;
        // The block's bytes are taken at the grant, because no other agent can access the block until the transaction
        // ends. If only a part of the block is written, the other bytes are written back unchanged, and the owner loses
        // its copy.
        let mut data = bus.peek(block);
        let kind = match request.operation {
            DmaOperation::Read(_) => TransactionKind::Read,
            DmaOperation::Write(_) => TransactionKind::WriteBlock,
        };
        let transaction = grant.begin(kind, block, BLOCK_BYTES, &mut data);
        let beat = DataBeat {
            offset: moved_bytes.get(),
            bytes: Bytes(range_in_block.len() as u64),
            service_start,
            from: transaction.start,
            to: transaction.end,
            rate: bus.peak(),
        };
        match &request.operation {
            DmaOperation::Read(_) => {
                read_data.clear();
                read_data.extend_from_slice(&data.0[range_in_block]);
                steps.read_beat(beat, &mut read_data).await;
            }
            DmaOperation::Write(source) => {
                source.load(beat.offset, &mut data.0[range_in_block]);
                steps.write_beat(beat).await;
            }
        }
        let result = transaction.finish(&mut data).await;
        sim.until(result.completed_at).await;
        moved_bytes += beat.bytes;
        steps.passed().await;
    }
}
