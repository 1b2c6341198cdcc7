//! Butterflies and multibutterflies: stages of routers that packets cross in one direction.
//!
//! The module models Upfal (1989) and Chong, Brewer, Leighton and Knight (1994): with routers of radix `r` and `r^n`
//! nodes there are `n` stages. Each stage resolves one digit of the destination, the highest first: it sends the packet
//! to the block of the next stage that has this digit. With dilation `d`, a router has `d` links in each direction, to
//! different routers of the block if the block has at least `d` routers, and a packet takes any of them. The links are
//! wired at random, once for all runs. The last stage has one link to each node.
//!
//! The output ports of one direction are adjacent; nodes are attached to the first stage in their order. A dilation of
//! 1 is wired as the plain butterfly. Routes do not depend on load, and the seed of the wiring is fixed.

use super::{End, RouteOptions, RouteQuery, Routing, Shape, ShapeError, Wiring, every_channel};
use crate::engine::rng::{RandomStream, stream};
use crate::text::Parameters;
use rand::RngExt;
use std::sync::Arc;

/// Seed of the wiring, which belongs to the machine and not to a run.
const WIRING_SEED: u64 = 1;
/// Largest number of times that the links of a block are drawn to find links without duplicates.
const DRAWS_MAX: u32 = 64;
/// Largest number of nodes.
const NODES_MAX: u64 = 1 << 18;

/// The parameters of a butterfly.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(meaning = Structure)]
pub struct ButterflyParameters {
    /// Number of output directions of a router.
    #[param(min = 2, max = 64, default = 4)]
    pub radix: u32,
    /// Parallel links from a router in each output direction.
    #[param(min = 1, max = 32, default = 1, meaning = Width, resource = "link")]
    pub dilation: u32,
    /// Number of nodes, a power of the radix.
    #[param(min = 2, max = NODES_MAX)]
    pub nodes: u32,
}

impl ButterflyParameters {
    /// Returns the errors of parameters with which the shape cannot be built.
    pub fn check(&self) -> Vec<ShapeError> {
        let ButterflyParameters { nodes, radix, dilation } = *self;
        let mut errors = Vec::new();
        if self.stages().is_none() {
            let powers = (1..).map_while(|n| u64::from(radix).checked_pow(n)).take_while(|power| *power <= NODES_MAX);
            let (smaller_powers, larger_powers): (Vec<u64>, Vec<u64>) = powers.partition(|power| *power < nodes.into());
            let nearest: Vec<String> =
                smaller_powers.last().iter().chain(&larger_powers.first()).map(|power| power.to_string()).collect();
            let message = format!("{nodes} nodes are not a power of the radix, {radix}");
            errors.push(("nodes", message, format!("the nearest power: {}", nearest.join(" or "))));
        }
        if radix * dilation > 64 {
            let message =
                format!("routers with {radix} directions and {dilation} links in each have more than 64 ports");
            errors.push(("dilation", message, format!("at most {} with this radix", 64 / radix)));
        }
        errors
    }

    /// Builds the shape.
    ///
    /// # Errors
    ///
    /// Returns the errors of the parameters.
    pub fn shape(&self) -> Result<Shape, Vec<ShapeError>> {
        let errors = self.check();
        let Some(stages) = self.stages().filter(|_| errors.is_empty()) else { return Err(errors) };
        let ButterflyParameters { nodes, radix, dilation } = *self;
        let name = match dilation {
            1 => format!("{nodes}-node butterfly of radix {radix}"),
            _ => format!("{nodes}-node multibutterfly of radix {radix} and dilation {dilation}"),
        };
        let butterfly = Butterfly { nodes, radix, dilation, stages };
        Ok(Shape { name, wiring: butterfly.wiring(), routing: Arc::new(butterfly) })
    }

    fn stages(&self) -> Option<u32> {
        (1..=18).find(|stages| self.radix.checked_pow(*stages) == Some(self.nodes))
    }
}

/// The routing rule of a butterfly.
#[derive(Clone, Copy, Debug)]
struct Butterfly {
    nodes: u32,
    radix: u32,
    dilation: u32,
    stages: u32,
}

impl Butterfly {
    /// Returns the number of routers of a stage.
    fn breadth(&self) -> u32 {
        self.nodes / self.radix
    }

    fn wiring(&self) -> Wiring {
        let entries = (0..self.nodes).map(|node| (node / self.radix, (node % self.radix) as u8)).collect();
        let mut random = stream(WIRING_SEED, "multibutterfly");
        let mut routers: Vec<Vec<End>> = Vec::with_capacity((self.breadth() * self.stages) as usize);
        for stage in 0..self.stages - 1 {
            let block_size = self.radix.pow(self.stages - 1 - stage);
            for first_router in (0..self.breadth()).step_by(block_size as usize) {
                routers.extend(self.block_outputs(stage, first_router, block_size, &mut random));
            }
        }
        let last_stage_ends =
            |router: u32| (0..self.radix).map(|digit| End::Node(router * self.radix + digit)).collect();
        routers.extend((0..self.breadth()).map(last_stage_ends));
        Wiring::new(&routers, entries)
    }

    /// Returns the outputs of the `size` routers of a block that begins with router `first_router` of a stage.
    fn block_outputs(&self, stage: u32, first_router: u32, size: u32, random: &mut RandomStream) -> Vec<Vec<End>> {
        let next_size = size / self.radix;
        let mut outputs = vec![Vec::new(); size as usize];
        for digit in 0..self.radix {
            let first_target = (stage + 1) * self.breadth() + first_router + digit * next_size;
            let mut next_ports = vec![0; next_size as usize];
            for (router_outputs, targets) in outputs.iter_mut().zip(self.targets(size, next_size, random)) {
                for target in targets {
                    router_outputs
                        .push(End::Router { router: first_target + target, port: next_ports[target as usize] });
                    next_ports[target as usize] += 1;
                }
            }
        }
        outputs
    }

    /// For each of `size` routers, draws the routers of a block of `next_size` routers to which it has links.
    fn targets(&self, size: u32, next_size: u32, random: &mut RandomStream) -> Vec<Vec<u32>> {
        let unshuffled_targets: Vec<u32> = (0..size).map(|router| router % next_size).collect();
        let mut targets: Vec<Vec<u32>> = unshuffled_targets.iter().map(|_| Vec::new()).collect();
        for _ in 0..self.dilation {
            let mut drawn_targets = unshuffled_targets.clone();
            if self.dilation > 1 {
                for _ in 0..DRAWS_MAX {
                    shuffle(&mut drawn_targets, random);
                    if next_size == 1 || remove_duplicate_links(&mut drawn_targets, &targets) {
                        break;
                    }
                }
            }
            targets.iter_mut().zip(drawn_targets).for_each(|(router_targets, target)| router_targets.push(target));
        }
        targets
    }
}

/// Shuffles values.
fn shuffle(values: &mut [u32], random: &mut RandomStream) {
    for index in (1..values.len()).rev() {
        values.swap(index, random.random_range(0..=index));
    }
}

/// Exchanges drawn links so that no router has two links to the same router. Returns whether this succeeded.
fn remove_duplicate_links(drawn_targets: &mut [u32], targets: &[Vec<u32>]) -> bool {
    for router in 0..drawn_targets.len() {
        if targets[router].contains(&drawn_targets[router]) {
            let can_exchange = |other_router: &usize| {
                !targets[router].contains(&drawn_targets[*other_router])
                    && !targets[*other_router].contains(&drawn_targets[router])
            };
            let Some(other_router) = (0..drawn_targets.len()).find(can_exchange) else { return false };
            drawn_targets.swap(router, other_router);
        }
    }
    true
}

impl Routing for Butterfly {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let stage = query.router / self.breadth();
        let digit = query.destination / self.radix.pow(self.stages - 1 - stage) % self.radix;
        let link_count = if stage + 1 < self.stages { self.dilation } else { 1 };
        let ports: u64 = ((1 << link_count) - 1) << (digit * link_count);
        RouteOptions { ports: ports.into(), channels: every_channel(virtual_channels), escape: None }
    }

    fn distance(&self, _: u32, _: u32) -> u32 {
        self.stages
    }

    /// Returns the first and the last node; all pairs are equally far apart.
    fn farthest(&self) -> Option<(u32, u32)> {
        Some((0, self.nodes - 1))
    }

    fn depends_on_input(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{Walk, input_count};
    use super::*;
    use std::collections::BTreeSet;

    fn butterfly(nodes: u32, radix: u32, dilation: u32) -> Shape {
        ButterflyParameters { nodes, radix, dilation }.shape().unwrap()
    }

    #[test]
    fn every_packet_crosses_every_stage() {
        let shapes = [(64, 4, 1), (64, 4, 2), (64, 2, 2), (64, 8, 2), (64, 64, 1), (27, 3, 3), (256, 4, 2), (4, 4, 2)];
        for (nodes, radix, dilation) in shapes {
            let shape = butterfly(nodes, radix, dilation);
            let walk = Walk::new(&shape, 1);
            walk.every_pair(|pair| assert_eq!(pair.links, 1 + shape.routing.distance(pair.from, pair.to)));
        }
        Walk::new(&butterfly(4096, 4, 2), 2).some_pairs(200, |pair| assert_eq!(pair.links, 7));
    }

    #[test]
    fn links_of_a_direction_lead_to_different_routers() {
        for (nodes, radix, dilation) in [(64, 4, 2), (64, 2, 2), (256, 4, 3), (1024, 4, 2), (512, 8, 4), (81, 3, 3)] {
            let shape = butterfly(nodes, radix, dilation);
            let breadth = nodes / radix;
            let stages = shape.wiring.routers() / breadth;
            for router in 0..breadth * (stages - 2) {
                for ends in shape.wiring.outputs(router).chunks(dilation as usize) {
                    let targets: BTreeSet<u32> = ends.iter().filter_map(to_router).collect();
                    assert_eq!(targets.len(), dilation as usize, "router {router} of {}", shape.name);
                }
            }
        }
    }

    fn to_router(end: &End) -> Option<u32> {
        if let End::Router { router, .. } = end { Some(*router) } else { None }
    }

    #[test]
    fn router_and_input_counts_match_the_paper() {
        assert_eq!(input_count(&butterfly(64, 4, 1).wiring), 3 * 64);
        assert_eq!(input_count(&butterfly(64, 4, 2).wiring), 64 + 128 + 128);
        assert_eq!(butterfly(64, 4, 2).wiring.routers(), 3 * 16);
        assert_eq!(butterfly(64, 4, 2).wiring, butterfly(64, 4, 2).wiring);
    }

    #[test]
    fn parameters_that_cannot_be_built_are_errors() {
        let errors = ButterflyParameters { nodes: 48, radix: 4, dilation: 32 }.shape().unwrap_err();
        assert_eq!(errors[0].1, "48 nodes are not a power of the radix, 4");
        assert_eq!(errors[0].2, "the nearest power: 16 or 64");
        assert_eq!((errors[1].0, errors[1].2.as_str()), ("dilation", "at most 16 with this radix"));
    }
}
