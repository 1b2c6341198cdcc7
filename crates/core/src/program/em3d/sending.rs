//! The program of a processor that sends values: all that another needs at once, in groups, or one by one.

use super::ghosts::Ghosts;
use super::graph::SIDES;
use super::{Field, Sends};
use crate::engine::EndId;
use crate::messaging::World;
use crate::messaging::active::Active;
use crate::program::parallel;
use std::rc::Rc;

/// The handlers of counts are behind those of values, one for each side, and those of groups behind these.
const COUNTS: u8 = SIDES as u8;
const GROUPS: u8 = 2 * SIDES as u8;

/// Instructions to add a count (chosen: two loads of what came, two others, two additions, two stores).
const COUNT_INSTRUCTIONS: u64 = 8;

/// Instructions to put a value that came in its place (chosen: three loads of what came, an address, a store of two
/// words, and to count it: a load, an addition, a store).
const UPDATE_INSTRUCTIONS: u64 = 3 + 1 + 2 + 3;

/// Instructions to put a group in place, and each value of it (chosen: of what came the place, of the processor two
/// loads that tell where that is; two loads of what came, a store of two words, an address, and two of the loop).
const GROUP_INSTRUCTIONS: [u64; 2] = [3, 2 + 2 + 1 + 2];

/// Starts it on all.
pub(super) fn start(field: &Rc<Field>, world: &World) {
    parallel::start(world, |end| {
        // An end that held the field, which holds it, would never be gone.
        let (own, taking) = (end.id().index(), Rc::downgrade(field));
        let field_of_end = move || taking.upgrade().expect("a field lives while messages come");
        match field.parameters.sends {
            Sends::Transfers => end.on_transfer(move |from, side, words| {
                field_of_end().ghosts[own].take(side.into(), from.index(), &words);
            }),
            _ => parallel::take_by(&end, &Rc::default(), move |from, handler, words| {
                take(&field_of_end().ghosts[own], from, handler, words)
            }),
        }
        run(end, field.clone())
    });
}

/// Takes a group, an update or a count; the instructions that it costs.
fn take(ghosts: &Ghosts, from: EndId, handler: u8, words: &[u32]) -> u64 {
    match handler {
        ..COUNTS => {
            ghosts.update(handler.into(), words);
            UPDATE_INSTRUCTIONS
        }
        COUNTS..GROUPS => {
            ghosts.tell((handler - COUNTS).into(), words[0] as usize);
            COUNT_INSTRUCTIONS
        }
        GROUPS.. => {
            let [each, value] = GROUP_INSTRUCTIONS;
            let values = ghosts.take_from((handler - GROUPS).into(), from.index(), words[0] as usize, &words[1..]);
            each + value * values as u64
        }
    }
}

/// The program of a processor.
async fn run(end: Rc<Active>, field: Rc<Field>) {
    let (graph, own) = (&field.graph, end.id().index());
    let (ghosts, arcs) = (&field.ghosts[own], field.parameters.n_nodes * field.parameters.d_nodes);
    let mut values = [0, 1].map(|side| graph.initial(side)[graph.of(own)].to_vec());
    end.barrier().await;
    field.begin(&end);
    for half_step in 0..2 * field.parameters.iterations as usize {
        // The values of H, side 1, are made of those of E, side 0, and then the other way.
        let (source, target) = (half_step % 2, 1 - half_step % 2);
        match field.parameters.sends {
            Sends::Updates => {
                field.update(&end, source, &values[source]).await;
                end.wait_until(|| ghosts.are_all_told(source)).await;
            }
            _ => {
                field.transfer(&end, source, &values[source]).await;
                end.wait_until(|| ghosts.are_all_here(source)).await;
            }
        }
        end.compute(arcs * field.parameters.arc_cycles).await;
        let new = {
            let known = ghosts.with(source, graph.of(own), &values[source]);
            graph.step(target, graph.of(own), &values[target], &known)
        };
        values[target] = new;
        end.barrier().await;
    }
    field.over(&end);
    field.end(own, values);
}

impl Field {
    /// Sends the values of a side that others need: all that one needs at once, or in groups.
    async fn transfer(&self, end: &Active, side: usize, values: &[f64]) {
        let parameters = &self.parameters;
        for (to, needed) in &self.sending[end.id().index()][side].by_receiver {
            let of = |nodes: &[usize]| {
                nodes.iter().flat_map(|index| parallel::words_of(values[*index])).collect::<Vec<u32>>()
            };
            if parameters.sends == Sends::Transfers {
                self.messages.set(self.messages.get() + 1);
                end.transfer(parallel::id(*to), side as u8, &of(needed)).await;
                continue;
            }
            let size = parameters.group as usize;
            for (group, nodes) in needed.chunks(size).enumerate() {
                self.messages.set(self.messages.get() + 1);
                let words = [vec![(group * size) as u32], of(nodes)].concat();
                parallel::send(end, *to, GROUPS + side as u8, &words).await;
            }
        }
    }

    /// Sends them one by one, and tells how many.
    async fn update(&self, end: &Active, side: usize, values: &[f64]) {
        let own = end.id().index();
        let sending = &self.sending[own][side];
        for (index, to) in &sending.by_node {
            let (node, [low, high]) = (self.graph.of(own).start + index, parallel::words_of(values[*index]));
            self.messages.set(self.messages.get() + 1);
            parallel::send(end, *to, side as u8, &[node as u32, low, high]).await;
        }
        for (to, sent) in &sending.by_receiver {
            parallel::send(end, *to, COUNTS + side as u8, &[sent.len() as u32]).await;
        }
    }
}
