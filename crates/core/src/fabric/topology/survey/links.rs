//! The inputs and outputs of all routers by number, and the links from outputs to inputs. The module contains no
//! routing rules.

use super::super::{End, Wiring};

/// The number that represents no input and no output.
pub const NO_LINK: u32 = u32::MAX;

/// The outputs and inputs of all routers, each numbered router by router and port by port.
pub struct Links {
    /// For each router, the number of its first output; at the end, the number of outputs.
    first_output: Vec<u32>,
    /// For each router, the number of its first input; at the end, the number of inputs.
    first_input: Vec<u32>,
    /// For each output, the input to which it leads, or [`NO_LINK`].
    targets: Vec<u32>,
    /// For each input, the output that leads to it, or [`NO_LINK`].
    feeding_output: Vec<u32>,
    /// For each input, its router.
    input_routers: Vec<u32>,
}

impl Links {
    /// Numbers the inputs and outputs of a wiring.
    pub fn new(wiring: &Wiring) -> Links {
        let routers = 0..wiring.routers();
        let mut input_counts = vec![0; wiring.routers() as usize];
        let entries = (0..wiring.nodes()).map(|node| wiring.entry(node));
        let ends = routers.clone().flat_map(|router| wiring.outputs(router));
        for (router, port) in entries.chain(ends.clone().filter_map(to_router)) {
            let input_count: &mut u32 = &mut input_counts[router as usize];
            *input_count = (*input_count).max(u32::from(port) + 1);
        }
        let first_input = prefix_sums(input_counts.into_iter());
        let first_output = prefix_sums(routers.map(|router| wiring.outputs(router).len() as u32));
        let input = |(router, port): (u32, u8)| first_input[router as usize] + u32::from(port);
        let targets: Vec<u32> = ends.map(|end| to_router(end).map_or(NO_LINK, input)).collect();
        let mut feeding_output = vec![NO_LINK; first_input[first_input.len() - 1] as usize];
        for (output, input) in targets.iter().enumerate().filter(|(_, input)| **input != NO_LINK) {
            feeding_output[*input as usize] = output as u32;
        }
        let input_count_of = |router: usize| first_input[router + 1] - first_input[router];
        let input_routers = (0..wiring.routers())
            .flat_map(|router| (0..input_count_of(router as usize)).map(move |_| router))
            .collect();
        Links { first_output, first_input, targets, feeding_output, input_routers }
    }

    /// Returns the number of an output.
    pub fn output(&self, router: u32, port: u8) -> u32 {
        self.first_output[router as usize] + u32::from(port)
    }

    /// Returns the number of an input.
    pub fn input(&self, router: u32, port: u8) -> u32 {
        self.first_input[router as usize] + u32::from(port)
    }

    /// Returns the router of an input.
    pub fn router_of_input(&self, input: u32) -> u32 {
        self.input_routers[input as usize]
    }

    /// Returns the router and the port of an output.
    pub fn router_and_port(&self, output: u32) -> (u32, u8) {
        let router = self.first_output.partition_point(|first| *first <= output) as u32 - 1;
        (router, (output - self.first_output[router as usize]) as u8)
    }

    /// Returns the input to which an output leads, or [`NO_LINK`].
    pub fn target_input(&self, output: u32) -> u32 {
        self.targets[output as usize]
    }

    /// Returns the output that leads to an input, or [`NO_LINK`].
    pub fn feeding_output(&self, input: u32) -> u32 {
        self.feeding_output[input as usize]
    }

    /// Returns the number of outputs.
    pub fn outputs(&self) -> usize {
        self.targets.len()
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.feeding_output.len()
    }

    /// Returns the number of links from router to router.
    pub fn count(&self) -> u64 {
        self.targets.iter().filter(|input| **input != NO_LINK).count() as u64
    }

    /// Returns the largest number of connected outputs of a router, with or without outputs to nodes.
    pub fn degree(&self, wiring: &Wiring, with_nodes: bool) -> u32 {
        let is_counted = |end: &&End| matches!(end, End::Router { .. }) || (with_nodes && matches!(end, End::Node(_)));
        let degree = |router| wiring.outputs(router).iter().filter(is_counted).count() as u32;
        (0..wiring.routers()).map(degree).max().unwrap_or(0)
    }
}

fn to_router(end: &End) -> Option<(u32, u8)> {
    match *end {
        End::Router { router, port } => Some((router, port)),
        End::Node(_) | End::Unconnected => None,
    }
}

/// Returns the partial sums of counts: the first number of each range, and at the end the total.
fn prefix_sums(counts: impl Iterator<Item = u32>) -> Vec<u32> {
    let sum = |sum: &mut u32, count: u32| {
        *sum += count;
        Some(*sum)
    };
    std::iter::once(0).chain(counts.scan(0, sum)).collect()
}
