//! A processor's cells: what flies away, what comes, what collides.

use super::Gas;
use super::collide::{Collisions, collide};
use super::flow::{self, CellState};
use super::molecule::Molecule;
use crate::program::input::partition;

/// A processor's part of a gas.
#[derive(Clone, Debug)]
pub struct GasShare {
    /// The processor.
    part: u32,
    /// The numbers of its cells, in order.
    pub cells: Vec<u32>,
    /// By cell of the box: its processor.
    owners: Vec<u32>,
    /// By cell of the box: where it is among those of its processor.
    place: Vec<u32>,
    /// By own cell: its molecules.
    molecules: Vec<Vec<Molecule>>,
    /// What has come into own cells, from here or elsewhere, in even and in odd iterations: by cell.
    coming: [Vec<Vec<Molecule>>; 2],
    /// How many of them came from elsewhere.
    taken: [u64; 2],
    /// By processor: how many molecules were handed to it in the last flight.
    sent: Vec<u32>,
}

impl GasShare {
    /// The parts of all processors, from the processor of each cell.
    pub fn all(gas: &Gas, owners: &[u32], parts: usize) -> Vec<GasShare> {
        let members = partition::members(owners, parts);
        let mut place = vec![0; owners.len()];
        members.iter().for_each(|cells| (0..).zip(cells).for_each(|(at, cell)| place[*cell as usize] = at));
        let mut molecules: Vec<Vec<Vec<Molecule>>> =
            members.iter().map(|cells| vec![Vec::new(); cells.len()]).collect();
        for molecule in &gas.molecules {
            let cell = molecule.cell as usize;
            molecules[owners[cell] as usize][place[cell] as usize].push(*molecule);
        }
        let share = |((part, cells), molecules): ((u32, Vec<u32>), Vec<Vec<Molecule>>)| GasShare {
            part,
            coming: [(); 2].map(|()| vec![Vec::new(); cells.len()]),
            cells,
            owners: owners.to_vec(),
            place: place.clone(),
            molecules,
            taken: [0; 2],
            sent: vec![0; parts],
        };
        (0..).zip(members).zip(molecules).map(share).collect()
    }

    /// How many molecules it has, before a flight and after collisions.
    pub fn count(&self) -> usize {
        self.molecules.iter().map(Vec::len).sum()
    }

    /// How many are in a cell, by its place among own cells, before a flight and after collisions.
    pub fn in_cell(&self, at: usize) -> usize {
        self.molecules[at].len()
    }

    /// Lets a cell's molecules fly, by its place among own cells; what leaves for other processors, and
    /// for which.
    pub fn fly(&mut self, gas: &Gas, iteration: u64, at: usize) -> Vec<(usize, Molecule)> {
        if at == 0 {
            self.sent.fill(0);
        }
        let mut leaving = Vec::new();
        for mut molecule in std::mem::take(&mut self.molecules[at]) {
            molecule.fly(gas.size.cells);
            let owner = self.owners[molecule.cell as usize];
            if owner == self.part {
                self.put(iteration, molecule);
            } else {
                self.sent[owner as usize] += 1;
                leaving.push((owner as usize, molecule));
            }
        }
        leaving
    }

    /// By processor: how many molecules were handed to it in the last flight.
    pub fn sent(&self) -> &[u32] {
        &self.sent
    }

    /// Takes a molecule that another handed over in an iteration.
    pub fn take(&mut self, iteration: u64, molecule: Molecule) {
        assert_eq!(
            self.owners[molecule.cell as usize], self.part,
            "a molecule came to a processor that has not its cell"
        );
        self.taken[iteration as usize % 2] += 1;
        self.put(iteration, molecule);
    }

    /// How many others have handed over in an iteration so far.
    pub fn taken(&self, iteration: u64) -> u64 {
        self.taken[iteration as usize % 2]
    }

    /// Lets a cell's molecules collide, by its place among own cells; all must have come.
    pub fn collide(&mut self, gas: &Gas, iteration: u64, at: usize) -> Collisions {
        let half = iteration as usize % 2;
        if at == 0 {
            self.taken[half] = 0;
        }
        let mut molecules = std::mem::take(&mut self.coming[half][at]);
        molecules.sort_unstable_by_key(|molecule| molecule.number);
        let collisions = collide(&mut molecules, &mut gas.random(self.cells[at], iteration));
        self.molecules[at] = molecules;
        collisions
    }

    /// The state of a cell after collisions, by its place among own cells.
    pub fn state(&self, at: usize) -> CellState {
        flow::state(&self.molecules[at])
    }

    /// A cell's processor, and where the cell is among those of that one.
    pub fn place(&self, cell: u32) -> (usize, u32) {
        (self.owners[cell as usize] as usize, self.place[cell as usize])
    }

    /// The cells of others beside own ones, in the order of their numbers.
    pub fn beside(&self, gas: &Gas) -> Vec<u32> {
        let sides = |cell: &u32| flow::beside(*cell, gas.size.cells).into_iter().flatten().flatten();
        let is_others = |cell: &u32| self.owners[*cell as usize] != self.part;
        let mut beside: Vec<u32> = self.cells.iter().flat_map(sides).filter(is_others).collect();
        beside.sort_unstable();
        beside.dedup();
        beside
    }

    /// Its molecules, by cell and in the order of their numbers.
    pub fn molecules(&self) -> impl Iterator<Item = &Molecule> {
        self.molecules.iter().flatten()
    }

    fn put(&mut self, iteration: u64, molecule: Molecule) {
        let at = self.place[molecule.cell as usize] as usize;
        self.coming[iteration as usize % 2][at].push(molecule);
    }
}
