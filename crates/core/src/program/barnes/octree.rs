//! The tree: cells that are leaves, of up to eight bodies, or divided, into up to eight cells.

use super::access::{Access, Portion};
use super::galaxy::{Body, Vector};

/// Bodies of a leaf, and children of a cell, at most (SPLASH-2 takes ten bodies; eight fill the room of the children).
pub const SLOTS: usize = 8;
/// What stands for a child that is not there.
pub const NONE: u32 = u32::MAX;
/// So many halvings bring 1 below the least double there is.
const LEVELS_MAX: u32 = 1100;

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeCell {
    /// The processor that made it, in whose memory it is, and its number among that one's.
    pub place: (u32, u32),
    /// Whether it is divided; else it is a leaf.
    pub is_divided: bool,
    /// Bodies of a leaf.
    pub count: usize,
    /// A leaf's bodies, in order; or children by octant.
    pub slots: [u32; SLOTS],
    /// Whether what follows is made.
    pub is_summed: bool,
    /// The mass of all in it, and their centre.
    pub mass: f64,
    /// Their centre.
    pub centre: Vector,
    /// Their costs.
    pub cost: u64,
}

/// A cube of space.
#[derive(Clone, Copy, Debug)]
pub struct Cube {
    /// Its middle.
    pub middle: Vector,
    /// Half its side.
    pub half: f64,
    level: u32,
}

impl Cube {
    /// One round the origin for coordinates of such a magnitude: its half side is a power of two.
    pub fn root(reach: f64) -> Cube {
        assert!(reach.is_finite(), "a body has left space: its step is too long, or its softening too small");
        let mut half = 1.0;
        while half <= reach {
            half *= 2.0;
        }
        Cube { middle: [0.0; 3], half, level: 0 }
    }

    /// The octant in which a place lies.
    pub fn octant(&self, place: Vector) -> usize {
        (0..3).fold(0, |octant, axis| octant << 1 | usize::from(place[axis] >= self.middle[axis]))
    }

    /// That octant.
    pub fn child(&self, octant: usize) -> Cube {
        assert!(self.level < LEVELS_MAX, "more than {SLOTS} bodies are in one place");
        let half = self.half / 2.0;
        let middle = [0, 1, 2].map(|axis| self.middle[axis] + if octant >> (2 - axis) & 1 == 1 { half } else { -half });
        Cube { middle, half, level: self.level + 1 }
    }

    /// Whether a place lies in it.
    pub fn holds(&self, place: Vector) -> bool {
        (0..3).all(|axis| (place[axis] - self.middle[axis]).abs() <= self.half)
    }
}

/// The tree of a step.
#[derive(Clone, Debug)]
pub struct Octree {
    /// Its cube.
    pub root: Cube,
    /// All cells; the first is the root.
    pub cells: Vec<TreeCell>,
    /// By processor: the cells it made, in order.
    pub made: Vec<Vec<u32>>,
}

impl Octree {
    /// An empty leaf, made by the first processor, for bodies that reach so far.
    pub fn new(reach: f64, processors: usize) -> Octree {
        let mut tree = Octree { root: Cube::root(reach), cells: Vec::new(), made: vec![Vec::new(); processors] };
        tree.make(0);
        tree
    }

    /// Makes an empty leaf.
    fn make(&mut self, processor: usize) -> u32 {
        let (number, made) = (self.cells.len() as u32, &mut self.made[processor]);
        let place = (processor as u32, made.len() as u32);
        self.cells.push(TreeCell { place, slots: [NONE; SLOTS], ..TreeCell::default() });
        made.push(number);
        number
    }

    /// Puts a body into a leaf with room, in the order of numbers.
    pub fn fill(&mut self, leaf: u32, body: u32) {
        let leaf = &mut self.cells[leaf as usize];
        let at = leaf.slots[..leaf.count].partition_point(|other| *other < body);
        leaf.slots.copy_within(at..leaf.count, at + 1);
        leaf.slots[at] = body;
        leaf.count += 1;
    }

    /// Gives a divided cell a child with one body.
    pub fn sprout(&mut self, processor: usize, cell: u32, octant: usize, body: u32) -> u32 {
        let leaf = self.make(processor);
        self.fill(leaf, body);
        self.cells[cell as usize].slots[octant] = leaf;
        leaf
    }

    /// Divides a full leaf. Its own head and slots come last, when all else is there.
    pub fn divide(&mut self, processor: usize, cell: u32, cube: &Cube, bodies: &[Body], log: &mut Vec<Access>) {
        let held = std::mem::replace(&mut self.cells[cell as usize].slots, [NONE; SLOTS]);
        for body in held {
            log.push(Access::read(Portion::BodyMoment, body));
            let octant = cube.octant(bodies[body as usize].position);
            match self.cells[cell as usize].slots[octant] {
                NONE => drop(self.sprout(processor, cell, octant, body)),
                leaf => self.fill(leaf, body),
            }
        }
        self.cells[cell as usize].is_divided = true;
        let children: Vec<u32> = self.children(cell).collect();
        for child in children.into_iter().chain([cell]) {
            log.extend([Access::write(Portion::CellSlots, child), Access::write(Portion::CellHead, child)]);
        }
    }

    /// Children of a divided cell, by octant.
    pub fn children(&self, cell: u32) -> impl Iterator<Item = u32> + '_ {
        self.cells[cell as usize].slots.iter().copied().filter(|child| *child != NONE)
    }

    /// Bodies of a leaf, by number.
    pub fn bodies(&self, leaf: u32) -> &[u32] {
        let leaf = &self.cells[leaf as usize];
        &leaf.slots[..leaf.count]
    }
}
