//! The program of a processor that sends node by node (Chong et al. 1998, §4.2.1). Before the sweep, it sends the
//! values that others need, each in a message of four words. During the sweep, it sends the flux of an edge or a face
//! into another processor's node as soon as it is computed, so that communication overlaps computation. A handler needs
//! no lock for its additions, because nothing else runs at the same time.
//!
//! As with batches, no barrier is needed: a processor waits for all fluxes into its nodes before it sends new values.

use super::run::{SUMS_HANDLER, SweepPart, SweepRun, VALUES_HANDLER};
use super::{ADD_INSTRUCTIONS, FluidShare, NODE_INSTRUCTIONS, PACK_INSTRUCTIONS, ShareLink};
use crate::engine::EndpointId;
use crate::messaging::active::ActiveEndpoint;
use crate::program::collective::Collective;
use crate::program::parallel;
use std::rc::Rc;

/// Runs the program of a processor.
pub(super) async fn run(endpoint: Rc<ActiveEndpoint>, collective: Rc<Collective>, sweep: Rc<SweepRun>) {
    let own_index = endpoint.id().index();
    let part = &sweep.parts[own_index];
    let node_count = part.share.borrow().nodes.len();
    let ghost_count: usize = part.links.iter().map(|link| link.ghosts.len()).sum();
    let expected_fluxes = sweep.expected_flux_count(own_index);
    sweep.timed_section.begin(&endpoint, &collective).await;
    for iteration in 1..=sweep.iterations as usize {
        for link in &part.links {
            for (index, node) in (0..).zip(&link.sent_nodes) {
                let [x, y, z] = part.share.borrow().value_words(*node);
                sweep.send_node(&endpoint, link.neighbour, VALUES_HANDLER, [index, x, y, z]).await;
            }
        }
        endpoint.wait_until(|| part.arrived_counts[0].get() == iteration * ghost_count).await;
        sweep_elements(&endpoint, &sweep, part).await;
        endpoint.wait_until(|| part.arrived_counts[1].get() == iteration * expected_fluxes).await;
        part.share.borrow_mut().update();
        parallel::compute(&endpoint, NODE_INSTRUCTIONS * node_count as u64).await;
    }
    sweep.timed_section.end(&endpoint, &collective).await;
    sweep.finish(own_index, part.share.borrow().amounts().to_vec());
}

/// Sweeps over edges and faces, and sends each flux to another processor's node.
async fn sweep_elements(endpoint: &ActiveEndpoint, sweep: &SweepRun, part: &SweepPart) {
    let (element_count, mut instructions) = (part.share.borrow().element_count(), 0);
    for element in 0..element_count {
        let (nodes, amounts, is_edge) = {
            let share = part.share.borrow();
            (share.nodes_of(element).to_vec(), share.fluxes(element), share.is_edge(element))
        };
        instructions += sweep.element_cycles(is_edge);
        for (node, amount) in nodes.into_iter().zip(amounts) {
            let Some((link, index)) = part.ghost_link(node) else {
                part.share.borrow_mut().add_to_sum(node, amount);
                continue;
            };
            parallel::compute(endpoint, std::mem::take(&mut instructions)).await;
            let [x, y, z] = amount.map(i32::cast_unsigned);
            sweep.send_node(endpoint, link.neighbour, SUMS_HANDLER, [index, x, y, z]).await;
        }
    }
    parallel::compute(endpoint, instructions).await;
}

impl SweepPart {
    /// Returns the link to the owner of a ghost node, and the index of the node among those that the owner sends;
    /// `None` for an own node.
    pub fn ghost_link(&self, node: u32) -> Option<(&ShareLink, u32)> {
        let is_owner = |link: &&ShareLink| link.ghosts.contains(&(node as usize));
        let is_ghost = self.share.borrow().is_ghost(node);
        let link = is_ghost.then(|| self.links.iter().find(is_owner).expect("a ghost is a neighbour's node"))?;
        Some((link, (node as usize - link.ghosts.start) as u32))
    }

    /// Handles the value or a flux of one node, and returns the number of instructions that this takes.
    pub fn handle_node(&self, from: EndpointId, handler: u8, words: &[u32]) -> u64 {
        let link = self.link(from.index());
        let arrived_count = &self.arrived_counts[usize::from(handler)];
        arrived_count.set(arrived_count.get() + 1);
        let [index, x, y, z] = words.try_into().expect("a node's message has four words");
        let mut share = self.share.borrow_mut();
        match handler {
            VALUES_HANDLER => {
                share.set_value(link.ghosts.start as u32 + index, [x, y, z]);
                PACK_INSTRUCTIONS
            }
            _ => {
                share.add_to_sum(link.sent_nodes[index as usize], [x, y, z].map(u32::cast_signed));
                ADD_INSTRUCTIONS
            }
        }
    }
}

impl SweepRun {
    /// Returns the number of fluxes that others send to a processor in an iteration.
    fn expected_flux_count(&self, processor: usize) -> usize {
        let fluxes_sent = |share: &FluidShare, part: &SweepPart| {
            let Some(link) = part.links.iter().find(|link| link.neighbour == processor) else { return 0 };
            let nodes = (0..share.element_count()).flat_map(|element| share.nodes_of(element));
            nodes.filter(|node| link.ghosts.contains(&(**node as usize))).count()
        };
        self.parts.iter().map(|part| fluxes_sent(&part.share.borrow(), part)).sum()
    }

    /// Sends the value of a node, or a flux into a node.
    async fn send_node(&self, endpoint: &ActiveEndpoint, to: usize, handler: u8, words: [u32; 4]) {
        parallel::compute(endpoint, PACK_INSTRUCTIONS).await;
        self.batch_count.set(self.batch_count.get() + 1);
        parallel::send(endpoint, to, handler, &words).await;
    }
}
