//! The program of a processor that sends node by node (Chong et al. 1998, §4.2.1): values that others need before the
//! sweep, each in a message of four words; what an edge or a face adds to another's node as soon as it is known, so that
//! sending overlaps computing. A handler adds while nothing else runs, and needs no lock.
//!
//! It needs no barrier, as with batches: who waits for all sums of its nodes sends no new value before each was added.

use super::run::{Part, SUMS, Sweep, VALUES};
use super::{ADD_INSTRUCTIONS, FluidShare, NODE_INSTRUCTIONS, PACK_INSTRUCTIONS, ShareLink};
use crate::engine::EndId;
use crate::messaging::active::Active;
use crate::program::collective::Collective;
use crate::program::parallel;
use std::rc::Rc;

/// The program of a processor.
pub(super) async fn run(end: Rc<Active>, collective: Rc<Collective>, sweep: Rc<Sweep>) {
    let own = end.id().index();
    let part = &sweep.parts[own];
    let nodes = part.share.borrow().nodes.len();
    let ghosts: usize = part.links.iter().map(|link| link.ghosts.len()).sum();
    let awaited = sweep.sums_for(own);
    sweep.span.begin(&end, &collective).await;
    for iteration in 1..=sweep.iterations as usize {
        for link in &part.links {
            for (place, at) in (0..).zip(&link.given) {
                let [x, y, z] = part.share.borrow().value_of(*at);
                sweep.tell(&end, link.other, VALUES, [place, x, y, z]).await;
            }
        }
        end.wait_until(|| part.came[0].get() == iteration * ghosts).await;
        elements(&end, &sweep, part).await;
        end.wait_until(|| part.came[1].get() == iteration * awaited).await;
        part.share.borrow_mut().update();
        parallel::compute(&end, NODE_INSTRUCTIONS * nodes as u64).await;
    }
    sweep.span.end(&end, &collective).await;
    sweep.end(own, part.share.borrow().amounts().to_vec());
}

/// Sweeps over edges and faces.
async fn elements(end: &Active, sweep: &Sweep, part: &Part) {
    let (all, mut instructions) = (part.share.borrow().elements(), 0);
    for element in 0..all {
        let (nodes, amounts, is_edge) = {
            let share = part.share.borrow();
            (share.nodes_of(element).to_vec(), share.passed(element), share.is_edge(element))
        };
        instructions += sweep.cycles(is_edge);
        for (at, amount) in nodes.into_iter().zip(amounts) {
            let Some((link, place)) = part.ghost(at) else {
                part.share.borrow_mut().add(at, amount);
                continue;
            };
            parallel::compute(end, std::mem::take(&mut instructions)).await;
            let [x, y, z] = amount.map(i32::cast_unsigned);
            sweep.tell(end, link.other, SUMS, [place, x, y, z]).await;
        }
    }
    parallel::compute(end, instructions).await;
}

impl Part {
    /// Whose a node is that is another's, and its place among what that one gives.
    pub fn ghost(&self, at: u32) -> Option<(&ShareLink, u32)> {
        let of = |link: &&ShareLink| link.ghosts.contains(&(at as usize));
        let is_ghost = self.share.borrow().is_ghost(at);
        let link = is_ghost.then(|| self.links.iter().find(of).expect("a ghost is a neighbour's node"))?;
        Some((link, (at as usize - link.ghosts.start) as u32))
    }

    /// Takes a value or what is added to a sum; the instructions that it costs.
    pub fn take_node(&self, from: EndId, what: u8, words: &[u32]) -> u64 {
        let link = self.link(from.index());
        let came = &self.came[usize::from(what)];
        came.set(came.get() + 1);
        let [place, x, y, z] = words.try_into().expect("a node's message has four words");
        let mut share = self.share.borrow_mut();
        match what {
            VALUES => {
                share.take_value(link.ghosts.start as u32 + place, [x, y, z]);
                PACK_INSTRUCTIONS
            }
            _ => {
                share.add(link.given[place as usize], [x, y, z].map(u32::cast_signed));
                ADD_INSTRUCTIONS
            }
        }
    }
}

impl Sweep {
    /// How many sums others send to a processor in an iteration.
    fn sums_for(&self, processor: usize) -> usize {
        let of = |share: &FluidShare, part: &Part| {
            let Some(link) = part.links.iter().find(|link| link.other == processor) else { return 0 };
            let nodes = (0..share.elements()).flat_map(|element| share.nodes_of(element));
            nodes.filter(|at| link.ghosts.contains(&(**at as usize))).count()
        };
        self.parts.iter().map(|part| of(&part.share.borrow(), part)).sum()
    }

    /// Sends a node's value, or what is added to it.
    async fn tell(&self, end: &Active, to: usize, what: u8, words: [u32; 4]) {
        parallel::compute(end, PACK_INSTRUCTIONS).await;
        self.batches.set(self.batches.get() + 1);
        parallel::send(end, to, what, &words).await;
    }
}
