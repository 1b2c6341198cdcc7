//! Bodies and cells in shared memory, and a copy of them as Rust structures.
//!
//! The copy is a shadow. A processor changes the shadow when it starts to write the words, so other processors may see
//! the change in the shadow too early. Words that others may be changing are therefore read from memory
//! ([`Memory::read_racing`]). Every other word that is loaded is compared with the shadow.

use super::access::{Access, BODY_BYTES, CELL_BYTES, Portion, WORD_BYTES};
use super::galaxy::Body;
use super::octree::Octree;
use super::words;
use crate::engine::EndpointId;
use crate::messaging::shared::{SharedAddress, Space};
use crate::program::worker::Worker;
use std::cell::RefCell;

/// The contents of shared memory as Rust structures.
pub struct Shadow {
    /// The tree of the present step.
    pub tree: Octree,
    /// All bodies.
    pub bodies: Vec<Body>,
}

/// Bodies and cells in shared memory.
pub struct Memory {
    /// Address of each body, by number.
    body_addresses: Vec<SharedAddress>,
    /// Address of the cells that each processor creates.
    cell_areas: Vec<SharedAddress>,
    /// The shadow of these contents.
    pub shadow: RefCell<Shadow>,
}

impl Memory {
    /// Allocates the bodies of each processor (`own_bodies`), and for each processor the number of cells that
    /// `cells_max` states.
    pub fn new(space: &Space, bodies: Vec<Body>, own_bodies: &[Vec<u32>], cells_max: &[usize]) -> Memory {
        let allocate_area = |home: usize, count: usize, bytes: u32| {
            space.allocate(EndpointId(home as u32), count as u64 * u64::from(bytes))
        };
        let areas = own_bodies
            .iter()
            .enumerate()
            .map(|(home, own_bodies)| (allocate_area(home, own_bodies.len(), BODY_BYTES), own_bodies.len() as u32));
        let addresses = areas.flat_map(|(area, count)| (0..count).map(move |index| area.plus(index * BODY_BYTES)));
        Memory {
            body_addresses: addresses.collect(),
            cell_areas: cells_max
                .iter()
                .enumerate()
                .map(|(home, count)| allocate_area(home, *count, CELL_BYTES))
                .collect(),
            shadow: RefCell::new(Shadow { tree: Octree::new(0.0, own_bodies.len()), bodies }),
        }
    }

    fn address(&self, access: Access, shadow: &Shadow) -> SharedAddress {
        let (offset, _) = access.portion.offset_and_length();
        if access.portion.is_of_body() {
            return self.body_addresses[access.number as usize].plus(offset);
        }
        let (processor, number) = shadow.tree.cells[access.number as usize].storage;
        self.cell_areas[processor as usize].plus(number * CELL_BYTES + offset)
    }

    /// Performs all accesses of a log.
    pub async fn replay(&self, worker: &Worker, access_log: &[Access]) {
        for access in access_log {
            self.access(worker, *access).await;
        }
    }

    /// Reads or writes a portion that no other processor changes at the same time.
    pub async fn access(&self, worker: &Worker, access: Access) {
        let (address, words) = {
            let shadow = self.shadow.borrow();
            (self.address(access, &shadow), words::expected_words(access, &shadow.tree, &shadow.bodies))
        };
        let (_, bytes) = access.portion.offset_and_length();
        for (byte_offset, word) in (0..bytes).step_by(WORD_BYTES as usize).zip(words) {
            if access.is_write {
                if let Err(pending) = worker.try_store(address.plus(byte_offset), word) {
                    pending.store(worker, word).await;
                }
                continue;
            }
            let loaded = match worker.try_load(address.plus(byte_offset)) {
                Ok(loaded) => loaded,
                Err(pending) => pending.load(worker).await,
            };
            assert!(
                loaded == word,
                "{access:?}, byte {byte_offset}: loaded {loaded:#x}, not {word:#x}: a model corrupted data"
            );
        }
        if access.instructions > 0 {
            worker.compute(access.instructions.into()).await;
        }
    }

    /// Reads a word that another processor may be changing.
    pub async fn read_racing(&self, worker: &Worker, access: Access) -> u64 {
        let address = self.address(access, &self.shadow.borrow());
        worker.load(address).await
    }

    /// Waits until the moments of a cell are computed.
    pub async fn wait_for_moments(&self, worker: &Worker, cell: u32) {
        let head_address = self.address(Access::read(Portion::CellHead, cell), &self.shadow.borrow());
        worker.wait_for(head_address, words::has_moments).await;
    }
}
