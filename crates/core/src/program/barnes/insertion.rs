//! Insertion of a body into the tree while other processors insert their bodies.
//!
//! An insertion descends without locks, since a divided cell stays divided and keeps its children. It follows the words
//! that it has read from memory, which may be older than a concurrent change of the tree. Before it changes a cell, it
//! locks the cell and reads it again; under the lock, the words in memory agree with the tree ([`Octree`]). The caller
//! performs each action, however long that takes, before it requests the next. A change of the tree takes effect at
//! once; the actions after it write the change to memory, all before the lock is released, so other processors read the
//! change only afterwards.

use super::access::{Access, Portion};
use super::galaxy::Body;
use super::octree::{CELL_SLOTS, Cube, NO_CHILD, Octree};
use super::{costs, words};
use std::collections::VecDeque;

/// The next action of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertionAction {
    /// Read a word that another processor may be changing, and pass it to [`Insertion::set_word`].
    ReadRacing(Access),
    /// Read or write a portion that no other processor changes at the same time.
    Access(Access),
    /// Execute this number of instructions.
    Compute(u64),
    /// Acquire the lock of a cell.
    Lock(u32),
    /// Release the lock of a cell.
    Unlock(u32),
    /// Stop: the body is in the tree.
    Done,
}

/// The progress of an insertion at the present cell.
#[derive(Clone, Copy, Debug)]
enum Descent {
    /// The head of the cell is not yet read.
    Start,
    /// The head is read.
    HeadRead,
    /// The cell is divided, and the slot of the body's octant is read.
    SlotRead,
    /// The cell is locked.
    Locked,
    /// The cell is locked, and its head and slots are read again.
    LockedRead,
    /// The body is in the tree.
    Finished,
}

/// The insertion of one body.
#[derive(Clone, Debug)]
pub struct Insertion {
    processor: usize,
    body: u32,
    cell: u32,
    cube: Cube,
    descent: Descent,
    /// The last word that was read while other processors might change it.
    word: u64,
    actions: VecDeque<InsertionAction>,
}

impl Insertion {
    /// Starts the insertion at the root.
    pub fn new(tree: &Octree, processor: usize, body: u32) -> Insertion {
        let actions = VecDeque::from([InsertionAction::Access(Access::read(Portion::BodyMassAndPosition, body))]);
        Insertion { processor, body, cell: 0, cube: tree.root_cube, descent: Descent::Start, word: 0, actions }
    }

    /// Sets the word that [`InsertionAction::ReadRacing`] has read.
    pub fn set_word(&mut self, word: u64) {
        self.word = word;
    }

    /// Returns the next action, after the previous one has been performed.
    pub fn next(&mut self, tree: &mut Octree, bodies: &[Body]) -> InsertionAction {
        loop {
            if let Some(action) = self.actions.pop_front() {
                return action;
            }
            let octant = self.cube.octant(bodies[self.body as usize].position);
            self.descent = match self.descent {
                Descent::Start => {
                    self.actions.push_back(InsertionAction::Compute(costs::INSERT_LEVEL));
                    self.continue_after(
                        InsertionAction::ReadRacing(self.read_access(Portion::CellHead)),
                        Descent::HeadRead,
                    )
                }
                Descent::HeadRead if words::is_divided(self.word) => {
                    assert!(
                        tree.cells[self.cell as usize].is_divided,
                        "{MISMATCH_MESSAGE}: the head of cell {}",
                        self.cell
                    );
                    let slot_read = self.read_access(Portion::CellSlot(octant as u8));
                    self.continue_after(InsertionAction::ReadRacing(slot_read), Descent::SlotRead)
                }
                Descent::SlotRead if words::slot(self.word, octant) != NO_CHILD => {
                    let child = words::slot(self.word, octant);
                    let slot_matches = tree.cells[self.cell as usize].slots[octant] == child;
                    assert!(slot_matches, "{MISMATCH_MESSAGE}: slot {octant} of cell {}", self.cell);
                    self.descend(octant, child)
                }
                Descent::HeadRead | Descent::SlotRead => {
                    self.continue_after(InsertionAction::Lock(self.cell), Descent::Locked)
                }
                Descent::Locked => self.read_again(tree, octant),
                Descent::LockedRead => self.change_cell(tree, bodies, octant),
                Descent::Finished => return InsertionAction::Done,
            };
        }
    }

    fn read_access(&self, portion: Portion) -> Access {
        Access::read(portion, self.cell)
    }

    fn continue_after(&mut self, action: InsertionAction, descent: Descent) -> Descent {
        self.actions.push_back(action);
        descent
    }

    fn descend(&mut self, octant: usize, child: u32) -> Descent {
        (self.cell, self.cube) = (child, self.cube.child(octant));
        Descent::Start
    }

    fn read_again(&mut self, tree: &Octree, octant: usize) -> Descent {
        let slot_portion = match tree.cells[self.cell as usize].is_divided {
            true => Portion::CellSlot(octant as u8),
            false => Portion::CellSlots,
        };
        self.actions.extend(
            [Portion::CellHead, slot_portion].map(|portion| InsertionAction::Access(self.read_access(portion))),
        );
        Descent::LockedRead
    }

    /// Puts the body into the locked cell, or divides the cell. Descends further if another processor divided the cell
    /// first.
    fn change_cell(&mut self, tree: &mut Octree, bodies: &[Body], octant: usize) -> Descent {
        let (number, mut access_log) = (self.cell, Vec::new());
        let cell = &tree.cells[number as usize];
        let (instructions, descent) = if cell.is_divided && cell.slots[octant] != NO_CHILD {
            (0, self.descend(octant, cell.slots[octant]))
        } else if cell.is_divided {
            let leaf = tree.add_leaf(self.processor, number, octant, self.body);
            access_log.extend([Portion::CellSlots, Portion::CellHead].map(|portion| Access::write(portion, leaf)));
            access_log.push(Access::write(Portion::CellSlot(octant as u8), number));
            (costs::INSERT_FILL, Descent::Finished)
        } else if cell.body_count < CELL_SLOTS {
            tree.add_body(number, self.body);
            access_log.extend([Portion::CellSlots, Portion::CellHead].map(|portion| Access::write(portion, number)));
            (costs::INSERT_FILL, Descent::Finished)
        } else {
            tree.divide(self.processor, number, &self.cube, bodies, &mut access_log);
            (costs::INSERT_DIVIDE, Descent::Start)
        };
        self.actions.push_back(InsertionAction::Compute(instructions));
        self.actions.extend(access_log.into_iter().map(InsertionAction::Access));
        self.continue_after(InsertionAction::Unlock(number), descent)
    }
}

/// The panic message if a cell differs from what was read of it.
const MISMATCH_MESSAGE: &str = "a model corrupted data";
