//! A body is put into the tree while others do the same.
//!
//! It goes down without locks, since a cell that is divided stays so and keeps its children: by the words that it
//! saw, which may be older than what somebody has just changed. What it changes it locks, and reads again: under a
//! lock memory is what the tree is. Whoever runs it does each act, in whatever time that takes, before asking for
//! the next. What is changed is so at once, and the acts that follow say what is written, before the lock is given
//! back; nobody else finds it before it is.

use super::access::{Access, Portion};
use super::galaxy::Body;
use super::octree::{Cube, NONE, Octree, SLOTS};
use super::{costs, words};
use std::collections::VecDeque;

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertionAct {
    /// A word is read that another may be changing: [`Insertion::saw`] is to be told.
    Look(Access),
    /// Something is read or written that nobody else changes meanwhile.
    Access(Access),
    /// So many instructions are computed.
    Compute(u64),
    /// A cell is locked: nobody else holds its lock then.
    Lock(u32),
    /// Its lock is given back.
    Unlock(u32),
    /// It is in the tree.
    Done,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
enum Descent {
    /// The cell's head is to be seen.
    Arrived,
    /// It has been.
    HasHead,
    /// The slot of its octant has been, too: the cell is divided.
    HasSlot,
    /// The cell is locked.
    IsLocked,
    /// And its head and slots have been read.
    HasBoth,
    /// It is in the tree.
    Ended,
}

/// A body on its way into the tree.
#[derive(Clone, Debug)]
pub struct Insertion {
    processor: usize,
    body: u32,
    cell: u32,
    cube: Cube,
    descent: Descent,
    /// The last word that was looked at.
    seen: u64,
    acts: VecDeque<InsertionAct>,
}

impl Insertion {
    /// Begins at the root.
    pub fn new(tree: &Octree, processor: usize, body: u32) -> Insertion {
        let acts = VecDeque::from([InsertionAct::Access(Access::read(Portion::BodyMoment, body))]);
        Insertion { processor, body, cell: 0, cube: tree.root, descent: Descent::Arrived, seen: 0, acts }
    }

    /// What the word was that was looked at.
    pub fn saw(&mut self, word: u64) {
        self.seen = word;
    }

    /// The next act; what came before is done.
    pub fn next(&mut self, tree: &mut Octree, bodies: &[Body]) -> InsertionAct {
        loop {
            if let Some(act) = self.acts.pop_front() {
                return act;
            }
            let octant = self.cube.octant(bodies[self.body as usize].position);
            self.descent = match self.descent {
                Descent::Arrived => {
                    self.acts.push_back(InsertionAct::Compute(costs::INSERT_LEVEL));
                    self.then(InsertionAct::Look(self.read(Portion::CellHead)), Descent::HasHead)
                }
                Descent::HasHead if words::is_divided(self.seen) => {
                    assert!(tree.cells[self.cell as usize].is_divided, "{WRONG}: the head of cell {}", self.cell);
                    let slot = self.read(Portion::CellSlot(octant as u8));
                    self.then(InsertionAct::Look(slot), Descent::HasSlot)
                }
                Descent::HasSlot if words::slot(self.seen, octant) != NONE => {
                    let child = words::slot(self.seen, octant);
                    let is_so = tree.cells[self.cell as usize].slots[octant] == child;
                    assert!(is_so, "{WRONG}: slot {octant} of cell {}", self.cell);
                    self.descend(octant, child)
                }
                Descent::HasHead | Descent::HasSlot => self.then(InsertionAct::Lock(self.cell), Descent::IsLocked),
                Descent::IsLocked => self.read_again(tree, octant),
                Descent::HasBoth => self.change(tree, bodies, octant),
                Descent::Ended => return InsertionAct::Done,
            };
        }
    }

    fn read(&self, portion: Portion) -> Access {
        Access::read(portion, self.cell)
    }

    fn then(&mut self, act: InsertionAct, descent: Descent) -> Descent {
        self.acts.push_back(act);
        descent
    }

    fn descend(&mut self, octant: usize, child: u32) -> Descent {
        (self.cell, self.cube) = (child, self.cube.child(octant));
        Descent::Arrived
    }

    fn read_again(&mut self, tree: &Octree, octant: usize) -> Descent {
        let slots = match tree.cells[self.cell as usize].is_divided {
            true => Portion::CellSlot(octant as u8),
            false => Portion::CellSlots,
        };
        self.acts.extend([Portion::CellHead, slots].map(|portion| InsertionAct::Access(self.read(portion))));
        Descent::HasBoth
    }

    /// Puts the body into the locked cell, or divides it; goes on if another was faster.
    fn change(&mut self, tree: &mut Octree, bodies: &[Body], octant: usize) -> Descent {
        let (number, mut log) = (self.cell, Vec::new());
        let cell = &tree.cells[number as usize];
        let (instructions, descent) = if cell.is_divided && cell.slots[octant] != NONE {
            (0, self.descend(octant, cell.slots[octant]))
        } else if cell.is_divided {
            let leaf = tree.sprout(self.processor, number, octant, self.body);
            log.extend([Portion::CellSlots, Portion::CellHead].map(|portion| Access::write(portion, leaf)));
            log.push(Access::write(Portion::CellSlot(octant as u8), number));
            (costs::INSERT_FILL, Descent::Ended)
        } else if cell.count < SLOTS {
            tree.fill(number, self.body);
            log.extend([Portion::CellSlots, Portion::CellHead].map(|portion| Access::write(portion, number)));
            (costs::INSERT_FILL, Descent::Ended)
        } else {
            tree.divide(self.processor, number, &self.cube, bodies, &mut log);
            (costs::INSERT_DIVIDE, Descent::Arrived)
        };
        self.acts.push_back(InsertionAct::Compute(instructions));
        self.acts.extend(log.into_iter().map(InsertionAct::Access));
        self.then(InsertionAct::Unlock(number), descent)
    }
}

/// What is wrong if a cell is not what it was or has become.
const WRONG: &str = "a model moved wrong bytes";
