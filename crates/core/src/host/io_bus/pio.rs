//! Programmed I/O: the processor's loads and stores to the interface's memory, across the bus.
//!
//! The module models posted stores, which wait in the bridge. The bridge writes them in order, and combines
//! consecutive ones into a burst if the platform can. A load waits until the posted writes have drained, and stalls
//! the processor. The module leaves out speculative and out-of-order accesses.

use super::overhead::{BusOverhead, READ, WRITE};
use super::pci::Pci;
use crate::engine::{Bytes, Pool, Signal, Sim};
use crate::host::device::{AsyncDevice, Device, Window};
use crate::text::Parameters;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// The parameters of programmed I/O.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct PioParameters {
    /// Time of a write on the bus in addition to its data.
    #[param(with(read = |t| BusOverhead::read(t, &WRITE), write = |overhead, to| overhead.write(to, &WRITE)))]
    pub write_overhead: BusOverhead,
    /// Time of a read on the bus in addition to its data: address, latency of bridge and target.
    #[param(with(read = |t| BusOverhead::read(t, &READ), write = |overhead, to| overhead.write(to, &READ)))]
    pub read_overhead: BusOverhead,
    /// Largest burst into which stores are combined.
    #[param(min = "4 B", meaning = Width, resource = "programmed I/O")]
    pub write_burst: Bytes,
    /// Largest size of a load transaction.
    #[param(min = "4 B", meaning = Width, resource = "programmed I/O")]
    pub read_burst: Bytes,
    /// Number of stores that the bridge buffers.
    ///
    /// The processor stalls when the buffer is full.
    #[param(min = 1, max = 1024, meaning = Capacity, resource = "write buffer")]
    pub posted_writes: u64,
}

/// Largest size in bytes of one store of the processor.
const WORD_BYTES: usize = 4;

/// A posted store.
struct PostedStore {
    offset: u64,
    word: [u8; WORD_BYTES],
    /// Number of bytes of the word that are stored.
    bytes: usize,
}

/// The processor's path to the interface.
pub struct Pio {
    parameters: PioParameters,
    pci: Rc<Pci>,
    devices: Rc<Devices>,
    write_buffer: Rc<WriteBuffer>,
}

/// The devices on the bus, each with its address range.
#[derive(Default)]
struct Devices(RefCell<Vec<MappedDevice>>);

/// A device and its address range.
type MappedDevice = (Range<u64>, AttachedDevice);

/// A device on the bus, which holds the bus until it has responded.
#[derive(Clone)]
pub enum AttachedDevice {
    /// A device that responds at once.
    Immediate(Rc<dyn Device>),
    /// A device that takes time to respond.
    Async(Rc<dyn AsyncDevice>),
}

impl AttachedDevice {
    async fn read(&self, at: u64, into: &mut [u8]) {
        match self {
            AttachedDevice::Immediate(device) => device.read(at, into),
            AttachedDevice::Async(device) => device.read(at, into).await,
        }
    }

    async fn write(&self, at: u64, bytes: &[u8]) {
        match self {
            AttachedDevice::Immediate(device) => device.write(at, bytes),
            AttachedDevice::Async(device) => device.write(at, bytes).await,
        }
    }
}

impl Devices {
    /// Returns the device at `address`, and the offset in the device.
    fn device_at(&self, address: u64) -> (AttachedDevice, u64) {
        let devices = self.0.borrow();
        let found = devices.iter().find(|(range, _)| range.contains(&address));
        let (range, device) = found.expect("a driver accessed an address without a device");
        (device.clone(), address - range.start)
    }
}

/// The stores that wait in the bridge.
struct WriteBuffer {
    slots: Pool,
    stores: RefCell<VecDeque<PostedStore>>,
    change: Signal,
}

impl Pio {
    /// Starts the bridge's write buffer for the host `name`.
    pub fn start(sim: &Sim, name: &str, parameters: PioParameters, pci: Rc<Pci>) -> Pio {
        let devices = Rc::<Devices>::default();
        let write_buffer = Rc::new(WriteBuffer {
            slots: Pool::new(sim, format!("{name} bridge write buffer"), parameters.posted_writes),
            stores: RefCell::default(),
            change: Signal::new(sim, format!("{name} posted writes")),
        });
        let drain = drain(parameters, pci.clone(), devices.clone(), write_buffer.clone());
        let drainer = sim.spawn_server(format!("{name} bridge"), drain);
        sim.set_holder(write_buffer.slots.wait_reason(), drainer);
        Pio { parameters, pci, devices, write_buffer }
    }

    /// Attaches a device of `bytes` bytes at an address after those of the attached devices.
    pub fn attach(&self, device: AttachedDevice, bytes: u64) -> Window {
        let mut devices = self.devices.0.borrow_mut();
        let start = devices.last().map_or(0, |(range, _)| range.end.next_multiple_of(4096));
        devices.push((start..start + bytes, device));
        Window(start)
    }

    /// Stores `bytes` at address `offset` of the bus, word by word. Returns when the last store is posted, which is
    /// before it arrives.
    pub async fn write(&self, offset: u64, bytes: &[u8]) {
        for (index, part) in bytes.chunks(WORD_BYTES).enumerate() {
            self.write_buffer.slots.acquire(1).await;
            let mut word = [0; WORD_BYTES];
            word[..part.len()].copy_from_slice(part);
            self.write_buffer.stores.borrow_mut().push_back(PostedStore {
                offset: offset + (index * WORD_BYTES) as u64,
                word,
                bytes: part.len(),
            });
            self.write_buffer.change.notify();
        }
    }

    /// Loads from address `offset` of the bus; the processor stalls until the data has arrived.
    pub async fn read(&self, offset: u64, into: &mut [u8]) {
        self.wait_until_drained().await;
        let burst = self.parameters.read_burst.len();
        for (index, part) in into.chunks_mut(burst).enumerate() {
            let bus = self.pci.acquire_bus().await;
            let bytes = Bytes(part.len() as u64);
            self.pci.transact(&bus, "load", bytes, self.parameters.read_overhead).await;
            let (device, at) = self.devices.device_at(offset + (index * burst) as u64);
            device.read(at, part).await;
            drop(bus);
        }
    }

    /// Waits until every posted write has arrived.
    pub async fn wait_until_drained(&self) {
        let slot_count = self.parameters.posted_writes;
        self.write_buffer.slots.acquire(slot_count).await;
        self.write_buffer.slots.release(slot_count);
    }
}

/// Runs the bridge's write buffer: writes the posted stores to their devices, oldest first.
async fn drain(parameters: PioParameters, pci: Rc<Pci>, devices: Rc<Devices>, write_buffer: Rc<WriteBuffer>) {
    loop {
        while write_buffer.stores.borrow().is_empty() {
            write_buffer.change.wait().await;
        }
        let bus = pci.acquire_bus().await;
        let burst = write_buffer.remove_burst(parameters.write_burst);
        let bytes = Bytes((burst.len() * WORD_BYTES) as u64);
        pci.transact(&bus, "store", bytes, parameters.write_overhead).await;
        for write in &burst {
            let (device, at) = devices.device_at(write.offset);
            device.write(at, &write.word[..write.bytes]).await;
        }
        drop(bus);
        write_buffer.slots.release(burst.len() as u64);
    }
}

impl WriteBuffer {
    /// Removes and returns the oldest store, and those after it that continue its addresses, up to `bytes_max` bytes.
    fn remove_burst(&self, bytes_max: Bytes) -> Vec<PostedStore> {
        let mut stores = self.stores.borrow_mut();
        let mut burst: Vec<PostedStore> = Vec::with_capacity(1);
        while let Some(next) = stores.front() {
            let is_consecutive = burst.last().is_none_or(|last| last.offset + WORD_BYTES as u64 == next.offset);
            if !is_consecutive || (burst.len() + 1) * WORD_BYTES > bytes_max.len().max(WORD_BYTES) {
                break;
            }
            burst.extend(stores.pop_front());
        }
        burst
    }
}
