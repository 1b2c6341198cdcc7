//! Tori of any number of dimensions; a torus of one dimension is a ring.
//!
//! A torus is a mesh with wrap-around links. Routing is in dimension order, x first, in the shorter direction. If both
//! directions are equally long, packets from even coordinates go in the positive direction and those from odd
//! coordinates in the negative one. In each dimension, the channels of a logical network are split in halves. A packet
//! uses one half if its route crosses the link between the last and the first node (the dateline), and the other half
//! if not, so dependencies form no cycle. With an odd number of channels either the lower half has one channel more, or
//! both halves contain the middle channel. If both halves contain it, only packets of one flit cannot deadlock: such a
//! packet is alone at the front of its buffer, where it can take a channel that belongs to its half only. Ports are
//! numbered as in a mesh. The module does not balance the load of the halves.

use super::grid::Grid;
use super::mesh::{NODES_MAX, node_count_error};
use super::{RouteOptions, RouteQuery, Routing, Shape, every_channel};
use crate::text::{ParameterChoice, Parameters};
use std::sync::Arc;

/// The parameters of a torus.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct TorusParameters {
    /// Nodes in each dimension, x first.
    #[param(each(min = 2, max = NODES_MAX), length(min = 1, max = 8), check = |shape| node_count_error(shape), placeholder = vec![2])]
    pub shape: Vec<u32>,
}

/// The division of a link's channels between routes that cross the dateline and routes that do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct ChannelHalves {
    /// Half to which the middle virtual channel belongs if the number of channels is odd: `lower`, or `both` as in
    /// BookSim2, with which packets of more than one flit can deadlock.
    ///
    /// In each dimension, a packet to a higher coordinate uses the lower half of the channels, and a packet to a lower
    /// coordinate the upper half, so that dependencies between channels form no cycle.
    #[param(key = "middle-channel", default = "lower")]
    pub middle: MiddleChannelHalf,
}

/// The half that contains the middle channel, if the number of channels is odd.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum MiddleChannelHalf {
    /// The lower half.
    Lower,
    /// Both halves.
    Both,
}

impl TorusParameters {
    /// Builds the shape, with the middle channel in the lower half.
    pub fn shape(&self) -> Shape {
        self.shape_with(MiddleChannelHalf::Lower)
    }

    /// Builds the shape.
    pub fn shape_with(&self, middle: MiddleChannelHalf) -> Shape {
        let grid = Grid::new(&self.shape);
        let name = match self.shape.len() {
            1 => format!("ring of {}", self.shape[0]),
            _ => format!("{} torus", grid.name()),
        };
        Shape { name, wiring: grid.wiring(true), routing: Arc::new(Dateline { grid, middle }) }
    }
}

/// Dimension-order routing in which routes that cross the dateline use one half of the channels.
#[derive(Debug)]
struct Dateline {
    grid: Grid,
    middle: MiddleChannelHalf,
}

/// Returns whether the shorter route from a coordinate to another is in the positive direction.
fn is_positive_direction(from: u32, to: u32, extent: u32) -> bool {
    let steps_up = (to + extent - from) % extent;
    2 * steps_up < extent || (2 * steps_up == extent && from.is_multiple_of(2))
}

impl Routing for Dateline {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let all_channels = every_channel(virtual_channels);
        let mut coordinate_pairs = self.grid.coordinates(query.router).zip(self.grid.coordinates(query.destination));
        let Some(dimension) = coordinate_pairs.position(|(here, there)| here != there) else {
            return RouteOptions::single_port(self.grid.node_port(), all_channels);
        };
        // In this dimension, the packet started at the coordinate of its source.
        let (from, to) =
            (self.grid.coordinate(query.source, dimension), self.grid.coordinate(query.destination, dimension));
        let is_positive = is_positive_direction(from, to, self.grid.shape[dimension]);
        // Routes in the positive direction take the upper half if they cross the dateline; routes in the negative
        // direction take it if they do not (BookSim2).
        let is_upper = from > to;
        let lower_channels = every_channel(virtual_channels - virtual_channels / 2);
        let upper_channels = match self.middle {
            MiddleChannelHalf::Lower => all_channels & !lower_channels,
            MiddleChannelHalf::Both => all_channels & !every_channel(virtual_channels / 2),
        };
        RouteOptions::single_port(
            Grid::port(dimension, is_positive),
            if is_upper { upper_channels } else { lower_channels },
        )
    }

    fn virtual_channels_min(&self) -> u8 {
        2
    }

    fn packet_flits_max(&self, virtual_channels: u8) -> u16 {
        if self.middle == MiddleChannelHalf::Both && !virtual_channels.is_multiple_of(2) { 1 } else { u16::MAX }
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        let hops = |dimension: usize| {
            let difference = self.grid.coordinate(from, dimension).abs_diff(self.grid.coordinate(to, dimension));
            difference.min(self.grid.shape[dimension] - difference)
        };
        (0..self.grid.dimensions()).map(hops).sum()
    }

    /// Returns two nodes that are half the extent apart in every dimension.
    fn farthest(&self) -> Option<(u32, u32)> {
        let half_side = |(node, stride): (u32, u32), side: &u32| (node + side / 2 * stride, stride * side);
        Some((0, self.grid.shape.iter().fold((0, 1), half_side).0))
    }
}
