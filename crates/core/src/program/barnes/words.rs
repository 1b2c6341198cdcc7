//! What the words of shared memory say: the bits of the fields of bodies and cells.

use super::access::{Access, Portion};
use super::galaxy::{Body, Vector};
use super::octree::{Octree, SLOTS, TreeCell};

/// Words of a portion at most.
pub const WORDS_MAX: usize = 4;

const DIVIDED: u64 = 1;
const SUMMED: u64 = 2;
const COUNT_SHIFT: u32 = 2;

/// What the words of an access should be; no more of them count than its portion has.
pub fn of(access: Access, tree: &Octree, bodies: &[Body]) -> [u64; WORDS_MAX] {
    match access.portion.is_of_body() {
        true => of_body(access.portion, &bodies[access.number as usize]),
        false => of_cell(access.portion, &tree.cells[access.number as usize]),
    }
}

fn of_body(portion: Portion, body: &Body) -> [u64; WORDS_MAX] {
    match portion {
        Portion::BodyMoment => numbers(body.mass, body.position),
        Portion::BodyVelocity => {
            let [x, y, z] = body.velocity;
            [x.to_bits(), y.to_bits(), z.to_bits(), 0]
        }
        Portion::BodyForce => numbers(body.potential, body.acceleration),
        _ => [body.cost, 0, 0, 0],
    }
}

fn of_cell(portion: Portion, cell: &TreeCell) -> [u64; WORDS_MAX] {
    match portion {
        Portion::CellHead => [head(cell), 0, 0, 0],
        Portion::CellSlots => [slots(cell, 0), slots(cell, 1), slots(cell, 2), slots(cell, 3)],
        Portion::CellSlot(octant) => [slots(cell, usize::from(octant) / 2), 0, 0, 0],
        Portion::CellMoment => numbers(cell.mass, cell.centre),
        _ => [cell.cost, 0, 0, 0],
    }
}

fn numbers(number: f64, [x, y, z]: Vector) -> [u64; WORDS_MAX] {
    [number.to_bits(), x.to_bits(), y.to_bits(), z.to_bits()]
}

fn head(cell: &TreeCell) -> u64 {
    let flag = |is_so: bool, flag: u64| if is_so { flag } else { 0 };
    flag(cell.is_divided, DIVIDED) | flag(cell.is_summed, SUMMED) | (cell.count as u64) << COUNT_SHIFT
}

fn slots(cell: &TreeCell, word: usize) -> u64 {
    u64::from(cell.slots[2 * word]) | u64::from(cell.slots[2 * word + 1]) << 32
}

/// Whether a cell with such a head is divided.
pub const fn is_divided(head: u64) -> bool {
    head & DIVIDED != 0
}

/// Whether its moments are made.
pub const fn is_summed(head: u64) -> bool {
    head & SUMMED != 0
}

/// What the slot of an octant has, of its word.
pub const fn slot(word: u64, octant: usize) -> u32 {
    (word >> (octant % 2 * 32)) as u32
}

// Two slots a word, four words of slots.
const _: () = assert!(SLOTS == 2 * WORDS_MAX);
