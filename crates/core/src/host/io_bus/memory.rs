//! Main memory of an I/O-bus host: its bytes, and the port that processor and DMA share.
//!
//! The competition rule of the bridge determines how the processor and DMA share the port. The bytes are real, so that
//! a transfer to a wrong address leads to wrong data. A run that needs more memory than there is ends, and its report
//! names the memory. The module leaves out banks, rows and refresh, and the freeing of allocated memory.

use crate::engine::{Bytes, Resource, Sim, SpanLabel, Time};
use crate::host::block::BLOCK_BYTES;
use crate::host::{Address, PagedBytes};
use crate::text::Parameters;
use std::cell::{Cell, RefCell};

/// The parameters of main memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct MemoryParameters {
    /// Bytes that the processor reads or writes in one access.
    ///
    /// Without a cache, an access moves a block of the processor's buffer. With a cache, which has blocks of 64 B, an
    /// access moves a part of a block.
    #[param(min = "1 B", meaning = Granularity)]
    pub block: Bytes,
    /// Time for which an access to a block holds the memory.
    #[param(resource = "memory")]
    pub access: Time,
    /// Processor time to copy a block, in addition to the accesses.
    #[param(resource = "copy loop")]
    pub copy: Time,
    /// Size of the memory. The default is 4 GiB, the range of 32-bit addresses.
    #[param(min = "4 KiB", optional_or = MEMORY_BYTES, meaning = Capacity)]
    pub size: Bytes,
}

/// Alignment of every buffer, which is a page because interfaces move pages.
pub const PAGE_BYTES: u64 = 4096;
/// Default size: the memory that a bus initiator can address with 32 bits (chosen: the papers do not state the size).
const MEMORY_BYTES: Bytes = Bytes(1 << 32);

/// The main memory of one host.
pub struct MainMemory {
    sim: Sim,
    name: String,
    parameters: MemoryParameters,
    port: Resource,
    bytes: RefCell<PagedBytes>,
    processor_accesses: Cell<u64>,
    /// Number of the block in the processor's buffer.
    buffered_block: Cell<Option<u64>>,
}

impl MainMemory {
    /// Creates an empty memory, which grows when buffers are allocated.
    pub fn new(sim: &Sim, name: &str, parameters: &MemoryParameters) -> MainMemory {
        MainMemory {
            sim: sim.clone(),
            name: name.to_owned(),
            parameters: *parameters,
            port: Resource::new(sim, format!("{name} memory")).traced(name, "memory"),
            bytes: RefCell::new(PagedBytes::new(0)),
            processor_accesses: Cell::new(0),
            buffered_block: Cell::new(None),
        }
    }

    /// Allocates a buffer of `length` zeroed bytes. It begins at a page and ends at the end of a block, because engines
    /// move whole blocks. If memory is exhausted, the run ends at this event, and its report states that the caller's
    /// task waits for memory.
    pub fn allocate(&self, length: Bytes) -> Address {
        let mut bytes = self.bytes.borrow_mut();
        let (start, size) = ((bytes.size() as u64).next_multiple_of(PAGE_BYTES), self.parameters.size);
        if start.saturating_add(length.get()) > size.get() {
            let wanted = format!("{length} of the main memory of {}, whose {size} are all in use", self.name);
            self.sim.give_up(wanted);
        }
        bytes.grow(start as usize + length.len().next_multiple_of(BLOCK_BYTES));
        start
    }

    /// Copies `from` into memory.
    pub fn write(&self, address: Address, from: &[u8]) {
        self.bytes.borrow_mut().write(address as usize, from);
    }

    /// Writes `from` into memory for DMA. If the write overlaps the block in the processor's buffer, the processor must
    /// fetch the block again.
    pub fn write_by_dma(&self, address: Address, from: &[u8]) {
        self.write(address, from);
        let block = self.parameters.block.get();
        let end = address + from.len() as u64;
        let written_blocks = address / block..end.div_ceil(block);
        if self.buffered_block.get().is_some_and(|buffered| written_blocks.contains(&buffered)) {
            self.buffered_block.set(None);
        }
    }

    /// Returns whether the block of `address` is in the processor's buffer.
    pub fn is_buffered(&self, address: Address) -> bool {
        self.buffered_block.get() == Some(address / self.parameters.block.get())
    }

    /// Fetches the block of `address` into the processor's buffer.
    pub async fn fetch(&self, address: Address) {
        self.access().await;
        self.buffered_block.set(Some(address / self.parameters.block.get()));
    }

    /// Copies from memory into `into`.
    pub fn read(&self, address: Address, into: &mut [u8]) {
        self.bytes.borrow().read(address as usize, into);
    }

    /// Calls `read` with `length` bytes of memory, and returns its result.
    pub fn with<T>(&self, address: Address, length: Bytes, read: impl FnOnce(&[u8]) -> T) -> T {
        self.bytes.borrow().with(address as usize, length.len(), read)
    }

    /// Returns the number of bytes that the processor reads or writes in one access.
    pub fn block(&self) -> Bytes {
        self.parameters.block
    }

    /// Returns the processor time to copy `bytes` bytes, which are whole blocks or a part of one.
    pub fn copy_time(&self, bytes: Bytes) -> Time {
        self.parameters.copy * bytes.get().div_ceil(self.parameters.block.get())
    }

    /// Returns the port that processor and DMA share.
    pub fn port(&self) -> &Resource {
        &self.port
    }

    /// Returns the number of accesses of the processor. An access between two DMA bursts interrupts a stream.
    pub fn processor_accesses(&self) -> u64 {
        self.processor_accesses.get()
    }

    /// Accesses one block for the processor.
    pub async fn access(&self) {
        let port_hold = self.port.acquire().await;
        self.processor_accesses.set(self.processor_accesses.get() + 1);
        port_hold.set_span_label(SpanLabel {
            activity: "access",
            bytes: self.parameters.block,
            ..SpanLabel::default()
        });
        self.sim.delay(self.parameters.access).await;
        self.port.add_moved_time(self.parameters.access);
        drop(port_hold);
    }

    /// Accesses `bytes` bytes for the processor, one block at a time.
    pub async fn access_bytes(&self, bytes: Bytes) {
        for _ in 0..bytes.get().div_ceil(self.parameters.block.get()) {
            self.access().await;
        }
    }

    /// Copies one block within memory, as an unrolled loop does, with a read, a write, and the copy time.
    pub async fn copy_block(&self) -> Bytes {
        self.access().await;
        self.access().await;
        self.sim.delay(self.parameters.copy).await;
        self.parameters.block
    }
}
