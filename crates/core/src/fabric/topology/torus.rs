//! Tori of any number of dimensions; with one, a ring.
//!
//! Models: a mesh whose ends are joined; dimension-order routing, x first, the shorter way round. Where
//! both ways are equally long, even coordinates go up and odd ones down. In each dimension the channels
//! of a logical network are split in halves, and a packet keeps to the half that says whether its way
//! crosses the link between the last and the first node (the dateline): no ring of waits closes.
//! Of an odd number of channels the lower half has one more, or the middle one is both halves'; then only
//! packets of one flit are sure never to wait in a circle: each is alone at the front of its buffer, where a
//! channel of its own half is within reach. Ports as in a mesh. Leaves out: balancing the halves.

use super::grid::Grid;
use super::mesh::{NODES_MAX, too_many_nodes};
use super::{Asking, Routing, Shape, Ways, every_channel};
use crate::text::{ParameterChoice, Parameters};
use std::sync::Arc;

/// Which torus.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct TorusParameters {
    /// Nodes in each dimension, x first.
    #[param(each(min = 2, max = NODES_MAX), length(min = 1, max = 8), check = |shape| too_many_nodes(shape), placeholder = vec![2])]
    pub shape: Vec<u32>,
}

/// How the channels of a link are shared between ways that cross the dateline and others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct ChannelHalves {
    /// Which half of the channels has the middle one of an odd number; both, as in BookSim2, for packets of one flit
    /// only.
    #[param(key = "middle-channel", default = "lower")]
    pub middle: Middle,
}

/// Whose the middle one of an odd number of channels is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Middle {
    /// The lower half's.
    Lower,
    /// Both halves'.
    Both,
}

impl TorusParameters {
    /// The torus, each channel of one half.
    pub fn shape(&self) -> Shape {
        self.shape_with(Middle::Lower)
    }

    /// The torus.
    pub fn shape_with(&self, middle: Middle) -> Shape {
        let grid = Grid::new(&self.shape);
        let name = match self.shape.len() {
            1 => format!("ring of {}", self.shape[0]),
            _ => format!("{} torus", grid.name()),
        };
        Shape { name, wiring: grid.wiring(true), routing: Arc::new(Dateline { grid, middle }) }
    }
}

/// Dimension order, with a half of the channels for ways that cross the dateline.
#[derive(Debug)]
struct Dateline {
    grid: Grid,
    middle: Middle,
}

/// Whether the shorter way from a coordinate to another goes up.
fn goes_up(from: u32, to: u32, extent: u32) -> bool {
    let up = (to + extent - from) % extent;
    2 * up < extent || (2 * up == extent && from.is_multiple_of(2))
}

impl Routing for Dateline {
    fn ways(&self, asking: &Asking, virtual_channels: u8) -> Ways {
        let all = every_channel(virtual_channels);
        let mut both = self.grid.coordinates(asking.router).zip(self.grid.coordinates(asking.destination));
        let Some(dimension) = both.position(|(here, there)| here != there) else {
            return Ways::one(self.grid.node_port(), all);
        };
        // In this dimension the packet started where its source lies.
        let (from, to) = (self.grid.at(asking.source, dimension), self.grid.at(asking.destination, dimension));
        let is_up = goes_up(from, to, self.grid.shape[dimension]);
        // Upwards the crossing ways take the upper half, downwards the others, as in BookSim2.
        let is_upper = from > to;
        let lower = every_channel(virtual_channels - virtual_channels / 2);
        let upper = match self.middle {
            Middle::Lower => all & !lower,
            Middle::Both => all & !every_channel(virtual_channels / 2),
        };
        Ways::one(Grid::port(dimension, is_up), if is_upper { upper } else { lower })
    }

    fn virtual_channels_min(&self) -> u8 {
        2
    }

    fn packet_flits_max(&self, virtual_channels: u8) -> u16 {
        if self.middle == Middle::Both && !virtual_channels.is_multiple_of(2) { 1 } else { u16::MAX }
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        let way = |dimension: usize| {
            let apart = self.grid.at(from, dimension).abs_diff(self.grid.at(to, dimension));
            apart.min(self.grid.shape[dimension] - apart)
        };
        (0..self.grid.dimensions()).map(way).sum()
    }

    /// Half way round in every dimension.
    fn farthest(&self) -> Option<(u32, u32)> {
        let halfway = |(node, stride): (u32, u32), side: &u32| (node + side / 2 * stride, stride * side);
        Some((0, self.grid.shape.iter().fold((0, 1), halfway).0))
    }
}
