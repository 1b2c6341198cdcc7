//! The tree. A cell is either a leaf with up to eight bodies, or divided into up to eight cells.

use super::access::{Access, Portion};
use super::galaxy::{Body, Vector};

/// Largest number of bodies of a leaf, and of children of a cell (SPLASH-2 allows ten bodies; eight fill the slots of
/// the children).
pub const CELL_SLOTS: usize = 8;
/// The slot value of a child that does not exist.
pub const NO_CHILD: u32 = u32::MAX;
/// Largest depth of the tree: the number of times that 1 is halved until it is below the smallest positive double.
const LEVELS_MAX: u32 = 1100;

/// A cell of the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeCell {
    /// The processor that created the cell and whose memory holds it, and the index of the cell among those of that
    /// processor.
    pub storage: (u32, u32),
    /// Whether the cell is divided; otherwise it is a leaf.
    pub is_divided: bool,
    /// Number of bodies of a leaf.
    pub body_count: usize,
    /// Bodies of a leaf, in the order of their numbers; or children by octant.
    pub slots: [u32; CELL_SLOTS],
    /// Whether the following fields are computed.
    pub has_moments: bool,
    /// Mass of all bodies in the cell.
    pub mass: f64,
    /// Centre of mass of these bodies.
    pub centre: Vector,
    /// Sum of the costs of these bodies.
    pub cost: u64,
}

/// A cube in space.
#[derive(Clone, Copy, Debug)]
pub struct Cube {
    /// Middle of the cube.
    pub middle: Vector,
    /// Half of its side.
    pub half_side: f64,
    level: u32,
}

impl Cube {
    /// Returns the root cube around the origin for coordinates of magnitude up to `extent`. Half its side is a power of
    /// two.
    pub fn root(extent: f64) -> Cube {
        assert!(
            extent.is_finite(),
            "a body has an infinite position: the step is too long, or the softening too small"
        );
        let mut half_side = 1.0;
        while half_side <= extent {
            half_side *= 2.0;
        }
        Cube { middle: [0.0; 3], half_side, level: 0 }
    }

    /// Returns the octant in which a position lies.
    pub fn octant(&self, position: Vector) -> usize {
        (0..3).fold(0, |octant, axis| octant << 1 | usize::from(position[axis] >= self.middle[axis]))
    }

    /// Returns the cube of an octant.
    pub fn child(&self, octant: usize) -> Cube {
        assert!(self.level < LEVELS_MAX, "more than {CELL_SLOTS} bodies have the same position");
        let half_side = self.half_side / 2.0;
        let middle = [0, 1, 2]
            .map(|axis| self.middle[axis] + if octant >> (2 - axis) & 1 == 1 { half_side } else { -half_side });
        Cube { middle, half_side, level: self.level + 1 }
    }

    /// Returns whether a position lies in the cube.
    pub fn contains(&self, position: Vector) -> bool {
        (0..3).all(|axis| (position[axis] - self.middle[axis]).abs() <= self.half_side)
    }
}

/// The tree of one step.
#[derive(Clone, Debug)]
pub struct Octree {
    /// Cube of the root.
    pub root_cube: Cube,
    /// All cells; the first is the root.
    pub cells: Vec<TreeCell>,
    /// Cells that each processor created, in order.
    pub created_cells: Vec<Vec<u32>>,
}

impl Octree {
    /// Creates a tree for coordinates of magnitude up to `extent`. It is an empty leaf, created by the first processor.
    pub fn new(extent: f64, processors: usize) -> Octree {
        let mut tree =
            Octree { root_cube: Cube::root(extent), cells: Vec::new(), created_cells: vec![Vec::new(); processors] };
        tree.create_leaf(0);
        tree
    }

    /// Creates an empty leaf.
    fn create_leaf(&mut self, processor: usize) -> u32 {
        let (number, created) = (self.cells.len() as u32, &mut self.created_cells[processor]);
        let storage = (processor as u32, created.len() as u32);
        self.cells.push(TreeCell { storage, slots: [NO_CHILD; CELL_SLOTS], ..TreeCell::default() });
        created.push(number);
        number
    }

    /// Puts a body into a leaf that is not full, in the order of the bodies' numbers.
    pub fn add_body(&mut self, leaf: u32, body: u32) {
        let leaf = &mut self.cells[leaf as usize];
        let slot = leaf.slots[..leaf.body_count].partition_point(|other| *other < body);
        leaf.slots.copy_within(slot..leaf.body_count, slot + 1);
        leaf.slots[slot] = body;
        leaf.body_count += 1;
    }

    /// Adds a leaf with one body as a child of a divided cell.
    pub fn add_leaf(&mut self, processor: usize, cell: u32, octant: usize, body: u32) -> u32 {
        let leaf = self.create_leaf(processor);
        self.add_body(leaf, body);
        self.cells[cell as usize].slots[octant] = leaf;
        leaf
    }

    /// Divides a full leaf. The accesses to the leaf's own head and slots come last in the log.
    pub fn divide(&mut self, processor: usize, cell: u32, cube: &Cube, bodies: &[Body], access_log: &mut Vec<Access>) {
        let leaf_bodies = std::mem::replace(&mut self.cells[cell as usize].slots, [NO_CHILD; CELL_SLOTS]);
        for body in leaf_bodies {
            access_log.push(Access::read(Portion::BodyMassAndPosition, body));
            let octant = cube.octant(bodies[body as usize].position);
            match self.cells[cell as usize].slots[octant] {
                NO_CHILD => drop(self.add_leaf(processor, cell, octant, body)),
                leaf => self.add_body(leaf, body),
            }
        }
        self.cells[cell as usize].is_divided = true;
        let children: Vec<u32> = self.children(cell).collect();
        for child in children.into_iter().chain([cell]) {
            access_log.extend([Access::write(Portion::CellSlots, child), Access::write(Portion::CellHead, child)]);
        }
    }

    /// Returns the children of a divided cell, by octant.
    pub fn children(&self, cell: u32) -> impl Iterator<Item = u32> + '_ {
        self.cells[cell as usize].slots.iter().copied().filter(|child| *child != NO_CHILD)
    }

    /// Returns the bodies of a leaf, in the order of their numbers.
    pub fn bodies(&self, leaf: u32) -> &[u32] {
        let leaf = &self.cells[leaf as usize];
        &leaf.slots[..leaf.body_count]
    }
}
