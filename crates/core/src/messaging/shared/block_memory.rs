//! The blocks of shared memory in an endpoint's own memory: their addresses, and loads and stores of their bytes.
//!
//! An endpoint's own part and its copies of others' parts are allocated page by page, when a page is first used, as
//! Tempest's stache does. The processor moves a block's bytes through its caches. Eviction of pages is not modelled.

use super::space::{PAGE_BYTES, SharedAddress, Space};
use crate::engine::EndpointId;
use crate::host::{Address, Processor};
use crate::messaging::active::ActiveEndpoint;
use crate::protocol::directory::BlockId;
use std::cell::Cell;
use std::rc::Rc;

/// An endpoint's memory of shared blocks.
pub(super) struct BlockMemory {
    active: Rc<ActiveEndpoint>,
    block_bytes: u32,
    /// The address of each page, by home and number, once it is allocated.
    pages: Vec<Vec<Cell<Option<Address>>>>,
}

impl BlockMemory {
    /// Creates the memory of the endpoint over `active`. No page of the memory is allocated yet.
    pub fn new(active: &Rc<ActiveEndpoint>, space: &Space) -> BlockMemory {
        let pages = |home: usize| space.size(home).div_ceil(PAGE_BYTES) as usize;
        BlockMemory {
            active: active.clone(),
            block_bytes: space.block_bytes(),
            pages: (0..space.endpoint_count()).map(|home| vec![Cell::new(None); pages(home)]).collect(),
        }
    }

    /// Returns the address of the bytes of `at` in this host's memory, whether or not they are valid.
    #[inline]
    pub fn address(&self, at: SharedAddress) -> Address {
        let page = &self.pages[at.home.index()][(at.offset / PAGE_BYTES) as usize];
        page.get().unwrap_or_else(|| new_page(&self.active, page)) + u64::from(at.offset % PAGE_BYTES)
    }

    /// Returns the number of 32-bit words of a block.
    pub fn block_words(&self) -> usize {
        self.block_bytes as usize / 4
    }

    /// Appends a block's words to `words`.
    pub async fn load(&self, block: BlockId, words: &mut Vec<u32>) {
        let cpu = self.active.cpu();
        let _lease = cpu.acquire("shared memory").await;
        for address in self.addresses(block) {
            let value = cpu.load_word(address, 8).await;
            words.extend([value as u32, (value >> 32) as u32]);
        }
        cpu.sync().await;
    }

    /// Stores a block's words.
    pub async fn store(&self, block: BlockId, data: &[u32]) {
        let cpu = self.active.cpu();
        let _lease = cpu.acquire("shared memory").await;
        assert_eq!(data.len(), self.block_words(), "all words of a block are stored");
        for (address, pair) in self.addresses(block).zip(data.chunks(2)) {
            cpu.store_word(address, 8, u64::from(pair[0]) | u64::from(pair[1]) << 32).await;
        }
        cpu.sync().await;
    }

    /// Returns the address of each eight bytes of a block.
    fn addresses(&self, block: BlockId) -> impl Iterator<Item = Address> + use<> {
        let at = SharedAddress { home: EndpointId(block.home.0), offset: block.number * self.block_bytes };
        let address = self.address(at);
        (0..u64::from(self.block_bytes) / 8).map(move |word| address + 8 * word)
    }
}

#[cold]
fn new_page(active: &ActiveEndpoint, page: &Cell<Option<Address>>) -> Address {
    let address = active.allocate(PAGE_BYTES as usize);
    page.set(Some(address));
    address
}
