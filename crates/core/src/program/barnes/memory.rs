//! Bodies and cells in shared memory, and the same as fields.
//!
//! The fields are a shadow: a processor changes them when it begins to write the words, so others may see them
//! change too early. What others may be changing is looked at as words ([`Memory::look`]). Of all else each word
//! that is loaded is compared with its field.

use super::access::{Access, BODY_BYTES, CELL_BYTES, Portion, WORD_BYTES};
use super::galaxy::Body;
use super::octree::Octree;
use super::words;
use crate::engine::EndId;
use crate::messaging::shared::{SharedAddress, Space};
use crate::program::worker::Worker;
use std::cell::RefCell;

/// What shared memory holds, as fields.
pub struct Shadow {
    /// The tree of the step.
    pub tree: Octree,
    /// All bodies.
    pub bodies: Vec<Body>,
}

/// Bodies and cells in shared memory.
pub struct Memory {
    /// By number, where a body is.
    bodies: Vec<SharedAddress>,
    /// By processor, where the cells are that it makes.
    cells: Vec<SharedAddress>,
    /// The same as fields.
    pub shadow: RefCell<Shadow>,
}

impl Memory {
    /// Has room for `own` bodies, by processor, and for as many cells.
    pub fn new(space: &Space, bodies: Vec<Body>, own: &[Vec<u32>], cells: &[usize]) -> Memory {
        let area =
            |home: usize, count: usize, bytes: u32| space.allocate(EndId(home as u32), count as u64 * u64::from(bytes));
        let areas = own.iter().enumerate().map(|(home, own)| (area(home, own.len(), BODY_BYTES), own.len() as u32));
        let places = areas.flat_map(|(area, count)| (0..count).map(move |at| area.plus(at * BODY_BYTES)));
        Memory {
            bodies: places.collect(),
            cells: cells.iter().enumerate().map(|(home, count)| area(home, *count, CELL_BYTES)).collect(),
            shadow: RefCell::new(Shadow { tree: Octree::new(0.0, own.len()), bodies }),
        }
    }

    fn place(&self, access: Access, shadow: &Shadow) -> SharedAddress {
        let (offset, _) = access.portion.range();
        if access.portion.is_of_body() {
            return self.bodies[access.number as usize].plus(offset);
        }
        let (processor, number) = shadow.tree.cells[access.number as usize].place;
        self.cells[processor as usize].plus(number * CELL_BYTES + offset)
    }

    /// Does all accesses of a log.
    pub async fn replay(&self, worker: &Worker, log: &[Access]) {
        for access in log {
            self.access(worker, *access).await;
        }
    }

    /// Reads or writes what nobody else changes meanwhile.
    pub async fn access(&self, worker: &Worker, access: Access) {
        let (place, words) = {
            let shadow = self.shadow.borrow();
            (self.place(access, &shadow), words::of(access, &shadow.tree, &shadow.bodies))
        };
        let (_, bytes) = access.portion.range();
        for (at, word) in (0..bytes).step_by(WORD_BYTES as usize).zip(words) {
            if access.is_write {
                if let Err(late) = worker.try_store(place.plus(at), word) {
                    late.store(worker, word).await;
                }
                continue;
            }
            let came = match worker.try_load(place.plus(at)) {
                Ok(came) => came,
                Err(late) => late.load(worker).await,
            };
            assert!(came == word, "{access:?}, byte {at}: {came:#x} for {word:#x}: a model moved wrong bytes");
        }
        if access.instructions > 0 {
            worker.compute(access.instructions.into()).await;
        }
    }

    /// Reads a word that another may be changing.
    pub async fn look(&self, worker: &Worker, access: Access) -> u64 {
        let place = self.place(access, &self.shadow.borrow());
        worker.load(place).await
    }

    /// Waits until the moments of a cell are there.
    pub async fn wait_for_moments(&self, worker: &Worker, cell: u32) {
        let head = self.place(Access::read(Portion::CellHead, cell), &self.shadow.borrow());
        worker.wait_for(head, words::is_summed).await;
    }
}
