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
    local_indices: Vec<u32>,
    /// Molecules of each own cell.
    molecules: Vec<Vec<Molecule>>,
    /// Molecules that have entered each own cell, from this or another processor, in even and in odd iterations.
    incoming_molecules: [Vec<Vec<Molecule>>; 2],
    /// Number of these molecules that were received from other processors.
    received_counts: [u64; 2],
    /// Number of molecules sent to each processor in the last movement.
    sent_counts: Vec<u32>,
}

impl GasShare {
    /// Creates the shares of all processors, from the processor of each cell.
    pub fn all(gas: &Gas, owners: &[u32], parts: usize) -> Vec<GasShare> {
        let cells_by_processor = partition::elements_by_part(owners, parts);
        let mut local_indices = vec![0; owners.len()];
        cells_by_processor
            .iter()
            .for_each(|cells| (0..).zip(cells).for_each(|(index, cell)| local_indices[*cell as usize] = index));
        let mut molecules: Vec<Vec<Vec<Molecule>>> =
            cells_by_processor.iter().map(|cells| vec![Vec::new(); cells.len()]).collect();
        for molecule in &gas.molecules {
            let cell = molecule.cell as usize;
            molecules[owners[cell] as usize][local_indices[cell] as usize].push(*molecule);
        }
        let share = |((processor, cells), molecules): ((u32, Vec<u32>), Vec<Vec<Molecule>>)| GasShare {
            processor,
            incoming_molecules: [(); 2].map(|()| vec![Vec::new(); cells.len()]),
            cells,
            owners: owners.to_vec(),
            local_indices: local_indices.clone(),
            molecules,
            received_counts: [0; 2],
            sent_counts: vec![0; parts],
        };
        (0..).zip(cells_by_processor).zip(molecules).map(share).collect()
    }

    /// Returns the number of molecules, before a movement and after collisions.
    pub fn molecule_count(&self) -> usize {
        self.molecules.iter().map(Vec::len).sum()
    }

    /// Returns the number of molecules in own cell number `index`, before a movement and after collisions.
    pub fn molecules_in_cell(&self, index: usize) -> usize {
        self.molecules[index].len()
    }

    /// Moves the molecules of own cell number `index`. Returns those that leave for other processors, each with the
    /// receiving processor.
    pub fn advance(&mut self, gas: &Gas, iteration: u64, index: usize) -> Vec<(usize, Molecule)> {
        if index == 0 {
            self.sent_counts.fill(0);
        }
        let mut leaving_molecules = Vec::new();
        for mut molecule in std::mem::take(&mut self.molecules[index]) {
            molecule.advance(gas.size.cells);
            let owner = self.owners[molecule.cell as usize];
            if owner == self.processor {
                self.add_incoming(iteration, molecule);
            } else {
                self.sent_counts[owner as usize] += 1;
                leaving_molecules.push((owner as usize, molecule));
            }
        }
        leaving_molecules
    }

    /// Returns the number of molecules sent to each processor in the last movement.
    pub fn sent_counts(&self) -> &[u32] {
        &self.sent_counts
    }

    /// Receives a molecule that another processor sent in an iteration.
    pub fn receive(&mut self, iteration: u64, molecule: Molecule) {
        assert_eq!(
            self.owners[molecule.cell as usize], self.processor,
            "a molecule was sent to another processor than that of its cell"
        );
        self.received_counts[iteration as usize % 2] += 1;
        self.add_incoming(iteration, molecule);
    }

    /// Returns the number of molecules received in an iteration so far.
    pub fn received_count(&self, iteration: u64) -> u64 {
        self.received_counts[iteration as usize % 2]
    }

    /// Collides the molecules of own cell number `index`. All molecules of the iteration must have arrived.
    pub fn collide(&mut self, gas: &Gas, iteration: u64, index: usize) -> Collisions {
        let parity = iteration as usize % 2;
        if index == 0 {
            self.received_counts[parity] = 0;
        }
        let mut molecules = std::mem::take(&mut self.incoming_molecules[parity][index]);
        molecules.sort_unstable_by_key(|molecule| molecule.number);
        let collisions = collide(&mut molecules, &mut gas.cell_random(self.cells[index], iteration));
        self.molecules[index] = molecules;
        collisions
    }

    /// Returns the state of own cell number `index` after collisions.
    pub fn state(&self, index: usize) -> CellState {
        flow::cell_state(&self.molecules[index])
    }

    /// Returns the processor of a cell, and the index of the cell among the cells of that processor.
    pub fn owner_and_index(&self, cell: u32) -> (usize, u32) {
        (self.owners[cell as usize] as usize, self.local_indices[cell as usize])
    }

    /// Returns the cells of other processors adjacent to own cells, in the order of their numbers.
    pub fn adjacent_cells(&self, gas: &Gas) -> Vec<u32> {
        let adjacent_to = |cell: &u32| flow::adjacent_cells(*cell, gas.size.cells).into_iter().flatten().flatten();
        let is_remote = |cell: &u32| self.owners[*cell as usize] != self.processor;
        let mut adjacent: Vec<u32> = self.cells.iter().flat_map(adjacent_to).filter(is_remote).collect();
        adjacent.sort_unstable();
        adjacent.dedup();
        adjacent
    }

    /// Returns the processor's molecules, by cell, and within a cell in the order of their numbers.
    pub fn molecules(&self) -> impl Iterator<Item = &Molecule> {
        self.molecules.iter().flatten()
    }

    fn add_incoming(&mut self, iteration: u64, molecule: Molecule) {
        let index = self.local_indices[molecule.cell as usize] as usize;
        self.incoming_molecules[iteration as usize % 2][index].push(molecule);
    }
}
