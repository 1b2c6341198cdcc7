//! Main memory: its bytes, and the port that processor and DMA share.
//!
//! How they share it is the bridge's competition rule. The bytes are real, so that a transfer
//! to the wrong place is a wrong answer. A run that wants more than its size ends with its name. It
//! leaves out banks, rows and refresh, and that what is allocated may be freed.

use crate::engine::{Bytes, Doing, Resource, Sim, Time};
use crate::host::Address;
use crate::host::block::BLOCK_BYTES;
use crate::text::Parameters;
use std::cell::{Cell, RefCell};

/// The parameters of main memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct MemoryParameters {
    /// What the processor reads or writes at once.
    ///
    /// A cache block; with a cache, which has blocks of 64 B, a part of one.
    #[param(min = "1 B", meaning = Granularity)]
    pub block: Bytes,
    /// How long an access to a block holds the memory.
    #[param(resource = "memory")]
    pub access: Time,
    /// Processor time to copy a block, beside the accesses.
    #[param(resource = "copy loop")]
    pub copy: Time,
    /// Size of the memory; by default 4 GiB, which 32 bits address.
    #[param(min = "4 KiB", optional_or = SIZE, meaning = Capacity)]
    pub size: Bytes,
}

/// The beginning of every buffer: interfaces move pages.
pub const PAGE: u64 = 4096;
/// What 32 bits address, as those of a bus master do (chosen: the papers do not say).
const SIZE: Bytes = Bytes(1 << 32);

/// The main memory of one host.
pub struct MainMemory {
    sim: Sim,
    name: String,
    parameters: MemoryParameters,
    port: Resource,
    bytes: RefCell<Vec<u8>>,
    processor_accesses: Cell<u64>,
    /// The number of the block that the processor has beside it.
    beside: Cell<Option<u64>>,
}

impl MainMemory {
    /// An empty memory; it grows as buffers are allocated.
    pub fn new(sim: &Sim, name: &str, parameters: &MemoryParameters) -> MainMemory {
        MainMemory {
            sim: sim.clone(),
            name: name.to_owned(),
            parameters: *parameters,
            port: Resource::new(sim, format!("{name} memory")).traced(name, "memory"),
            bytes: RefCell::default(),
            processor_accesses: Cell::new(0),
            beside: Cell::new(None),
        }
    }

    /// A buffer of `length` zeroed bytes that begins at a page and ends with a block, as engines move whole
    /// blocks. Where there is no room left, the run ends with this event, and the caller's task is told to have
    /// waited for it.
    pub fn allocate(&self, length: Bytes) -> Address {
        let mut bytes = self.bytes.borrow_mut();
        let (start, size) = ((bytes.len() as u64).next_multiple_of(PAGE), self.parameters.size);
        if start.saturating_add(length.get()) > size.get() {
            let wanted = format!("{length} of the main memory of {}, {size} of which are all in use", self.name);
            self.sim.give_up(wanted);
        }
        bytes.resize(start as usize + length.len().next_multiple_of(BLOCK_BYTES), 0);
        start
    }

    /// Copies `from` into memory.
    pub fn write(&self, address: Address, from: &[u8]) {
        let start = address as usize;
        self.bytes.borrow_mut()[start..start + from.len()].copy_from_slice(from);
    }

    /// The bus writes `from`: the processor, which sees it, has to fetch a block of it anew.
    pub fn write_by_dma(&self, address: Address, from: &[u8]) {
        self.write(address, from);
        let block = self.parameters.block.get();
        let end = address + from.len() as u64;
        if self.beside.get().is_some_and(|beside| (address / block..end.div_ceil(block)).contains(&beside)) {
            self.beside.set(None);
        }
    }

    /// Whether the processor has the block of `address` beside it.
    pub fn is_beside(&self, address: Address) -> bool {
        self.beside.get() == Some(address / self.parameters.block.get())
    }

    /// The processor fetches the block of `address`.
    pub async fn fetch(&self, address: Address) {
        self.access().await;
        self.beside.set(Some(address / self.parameters.block.get()));
    }

    /// Copies from memory into `into`.
    pub fn read(&self, address: Address, into: &mut [u8]) {
        let start = address as usize;
        into.copy_from_slice(&self.bytes.borrow()[start..start + into.len()]);
    }

    /// Shows `length` bytes of memory to `look`.
    pub fn with<T>(&self, address: Address, length: Bytes, look: impl FnOnce(&[u8]) -> T) -> T {
        let start = address as usize;
        look(&self.bytes.borrow()[start..start + length.len()])
    }

    /// What the processor reads or writes at once.
    pub fn block(&self) -> Bytes {
        self.parameters.block
    }

    /// The processor's own time to copy `bytes` bytes, which are whole blocks or a part of one.
    pub fn copy_time(&self, bytes: Bytes) -> Time {
        self.parameters.copy * bytes.get().div_ceil(self.parameters.block.get())
    }

    /// The port.
    pub fn port(&self) -> &Resource {
        &self.port
    }

    /// How often the processor has had the port; a DMA burst in between was interrupted.
    pub fn processor_accesses(&self) -> u64 {
        self.processor_accesses.get()
    }

    /// One access of the processor to one block.
    pub async fn access(&self) {
        let held = self.port.acquire().await;
        self.processor_accesses.set(self.processor_accesses.get() + 1);
        held.does(Doing { what: "access", bytes: self.parameters.block, ..Doing::default() });
        self.sim.delay(self.parameters.access).await;
        self.port.moves(self.parameters.access);
        drop(held);
    }

    /// Accesses of the processor to `bytes` bytes, one for each block.
    pub async fn access_all(&self, bytes: Bytes) {
        for _ in 0..bytes.get().div_ceil(self.parameters.block.get()) {
            self.access().await;
        }
    }

    /// Copies one block within memory, as an unrolled loop does: a read, a write, its own time.
    pub async fn copy_block(&self) -> Bytes {
        self.access().await;
        self.access().await;
        self.sim.delay(self.parameters.copy).await;
        self.parameters.block
    }
}
