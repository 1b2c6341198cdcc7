//! The encoding of the fields of bodies and cells in words of shared memory.

use super::access::{Access, Portion};
use super::galaxy::{Body, Vector};
use super::octree::{CELL_SLOTS, Octree, TreeCell};

/// Largest number of words of a portion.
pub const WORDS_MAX: usize = 4;

const DIVIDED_FLAG: u64 = 1;
const HAS_MOMENTS_FLAG: u64 = 2;
const COUNT_SHIFT: u32 = 2;

/// Returns the words that an access should find. A portion of fewer than `WORDS_MAX` words is padded with zeros.
pub fn expected_words(access: Access, tree: &Octree, bodies: &[Body]) -> [u64; WORDS_MAX] {
    match access.portion.is_of_body() {
        true => body_words(access.portion, &bodies[access.number as usize]),
        false => cell_words(access.portion, &tree.cells[access.number as usize]),
    }
}

fn body_words(portion: Portion, body: &Body) -> [u64; WORDS_MAX] {
    match portion {
        Portion::BodyMassAndPosition => f64_words(body.mass, body.position),
        Portion::BodyVelocity => {
            let [x, y, z] = body.velocity;
            [x.to_bits(), y.to_bits(), z.to_bits(), 0]
        }
        Portion::BodyForce => f64_words(body.potential, body.acceleration),
        _ => [body.cost, 0, 0, 0],
    }
}

fn cell_words(portion: Portion, cell: &TreeCell) -> [u64; WORDS_MAX] {
    match portion {
        Portion::CellHead => [head_word(cell), 0, 0, 0],
        Portion::CellSlots => [slot_word(cell, 0), slot_word(cell, 1), slot_word(cell, 2), slot_word(cell, 3)],
        Portion::CellSlot(octant) => [slot_word(cell, usize::from(octant) / 2), 0, 0, 0],
        Portion::CellMassAndCentre => f64_words(cell.mass, cell.centre),
        _ => [cell.cost, 0, 0, 0],
    }
}

fn f64_words(number: f64, [x, y, z]: Vector) -> [u64; WORDS_MAX] {
    [number.to_bits(), x.to_bits(), y.to_bits(), z.to_bits()]
}

fn head_word(cell: &TreeCell) -> u64 {
    let flag_if = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
    flag_if(cell.is_divided, DIVIDED_FLAG)
        | flag_if(cell.has_moments, HAS_MOMENTS_FLAG)
        | (cell.body_count as u64) << COUNT_SHIFT
}

fn slot_word(cell: &TreeCell, word: usize) -> u64 {
    u64::from(cell.slots[2 * word]) | u64::from(cell.slots[2 * word + 1]) << 32
}

/// Returns whether a cell with this head is divided.
pub const fn is_divided(head: u64) -> bool {
    head & DIVIDED_FLAG != 0
}

/// Returns whether the moments of a cell with this head are computed.
pub const fn has_moments(head: u64) -> bool {
    head & HAS_MOMENTS_FLAG != 0
}

/// Returns the slot of an octant from the word that holds it.
pub const fn slot(word: u64, octant: usize) -> u32 {
    (word >> (octant % 2 * 32)) as u32
}

// A word holds two slots, so all slots take four words.
const _: () = assert!(CELL_SLOTS == 2 * WORDS_MAX);
