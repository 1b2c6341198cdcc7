//! The cells of a processor, with the movement, arrival and collision of their molecules.

use super::Gas;
use super::collide::{Collisions, collide};
use super::flow::{self, CellState};
use super::molecule::Molecule;
use crate::program::input::partition;

/// A processor's share of a gas.
#[derive(Clone, Debug)]
pub struct GasShare {
    /// Number of the processor.
    processor: u32,
    /// Numbers of its cells, in order.
    pub cells: Vec<u32>,
    /// Processor of each cell of the box.
    owners: Vec<u32>,
    /// Index of each cell of the box among the cells of its processor.
    index: Vec<u32>,
    /// Molecules of each own cell.
    molecules: Vec<Vec<Molecule>>,
    /// Molecules that have entered each own cell, from this or another processor, in even and in odd iterations.
    incoming: [Vec<Vec<Molecule>>; 2],
    /// Number of these molecules that were received from other processors.
    received: [u64; 2],
    /// Number of molecules sent to each processor in the last movement.
    sent: Vec<u32>,
}

impl GasShare {
    /// Creates the shares of all processors, from the processor of each cell.
    pub fn all(gas: &Gas, owners: &[u32], parts: usize) -> Vec<GasShare> {
        let members = partition::members(owners, parts);
        let mut index = vec![0; owners.len()];
        members.iter().for_each(|cells| (0..).zip(cells).for_each(|(at, cell)| index[*cell as usize] = at));
        let mut molecules: Vec<Vec<Vec<Molecule>>> =
            members.iter().map(|cells| vec![Vec::new(); cells.len()]).collect();
        for molecule in &gas.molecules {
            let cell = molecule.cell as usize;
            molecules[owners[cell] as usize][index[cell] as usize].push(*molecule);
        }
        let share = |((processor, cells), molecules): ((u32, Vec<u32>), Vec<Vec<Molecule>>)| GasShare {
            processor,
            incoming: [(); 2].map(|()| vec![Vec::new(); cells.len()]),
            cells,
            owners: owners.to_vec(),
            index: index.clone(),
            molecules,
            received: [0; 2],
            sent: vec![0; parts],
        };
        (0..).zip(members).zip(molecules).map(share).collect()
    }

    /// Returns the number of molecules, before a movement and after collisions.
    pub fn count(&self) -> usize {
        self.molecules.iter().map(Vec::len).sum()
    }

    /// Returns the number of molecules in own cell `at`, before a movement and after collisions.
    pub fn in_cell(&self, at: usize) -> usize {
        self.molecules[at].len()
    }

    /// Moves the molecules of own cell `at`. Returns those that leave for other processors, each with the receiving
    /// processor.
    pub fn advance(&mut self, gas: &Gas, iteration: u64, at: usize) -> Vec<(usize, Molecule)> {
        if at == 0 {
            self.sent.fill(0);
        }
        let mut leaving = Vec::new();
        for mut molecule in std::mem::take(&mut self.molecules[at]) {
            molecule.advance(gas.size.cells);
            let owner = self.owners[molecule.cell as usize];
            if owner == self.processor {
                self.enter(iteration, molecule);
            } else {
                self.sent[owner as usize] += 1;
                leaving.push((owner as usize, molecule));
            }
        }
        leaving
    }

    /// Returns the number of molecules sent to each processor in the last movement.
    pub fn sent(&self) -> &[u32] {
        &self.sent
    }

    /// Receives a molecule that another processor sent in an iteration.
    pub fn receive(&mut self, iteration: u64, molecule: Molecule) {
        assert_eq!(
            self.owners[molecule.cell as usize], self.processor,
            "a molecule was sent to another processor than that of its cell"
        );
        self.received[iteration as usize % 2] += 1;
        self.enter(iteration, molecule);
    }

    /// Returns the number of molecules received in an iteration so far.
    pub fn received(&self, iteration: u64) -> u64 {
        self.received[iteration as usize % 2]
    }

    /// Collides the molecules of own cell `at`. All molecules of the iteration must have arrived.
    pub fn collide(&mut self, gas: &Gas, iteration: u64, at: usize) -> Collisions {
        let parity = iteration as usize % 2;
        if at == 0 {
            self.received[parity] = 0;
        }
        let mut molecules = std::mem::take(&mut self.incoming[parity][at]);
        molecules.sort_unstable_by_key(|molecule| molecule.number);
        let collisions = collide(&mut molecules, &mut gas.random(self.cells[at], iteration));
        self.molecules[at] = molecules;
        collisions
    }

    /// Returns the state of own cell `at` after collisions.
    pub fn state(&self, at: usize) -> CellState {
        flow::state(&self.molecules[at])
    }

    /// Returns the processor of a cell, and the index of the cell among the cells of that processor.
    pub fn owner(&self, cell: u32) -> (usize, u32) {
        (self.owners[cell as usize] as usize, self.index[cell as usize])
    }

    /// Returns the cells of other processors adjacent to own cells, in the order of their numbers.
    pub fn adjacent_cells(&self, gas: &Gas) -> Vec<u32> {
        let sides = |cell: &u32| flow::adjacent_cells(*cell, gas.size.cells).into_iter().flatten().flatten();
        let is_others = |cell: &u32| self.owners[*cell as usize] != self.processor;
        let mut adjacent: Vec<u32> = self.cells.iter().flat_map(sides).filter(is_others).collect();
        adjacent.sort_unstable();
        adjacent.dedup();
        adjacent
    }

    /// Returns the processor's molecules, by cell, and within a cell in the order of their numbers.
    pub fn molecules(&self) -> impl Iterator<Item = &Molecule> {
        self.molecules.iter().flatten()
    }

    fn enter(&mut self, iteration: u64, molecule: Molecule) {
        let at = self.index[molecule.cell as usize] as usize;
        self.incoming[iteration as usize % 2][at].push(molecule);
    }
}
