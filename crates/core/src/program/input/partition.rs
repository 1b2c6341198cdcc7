//! Parts of equal size: which processor gets what. Sizes differ by one at most, and the first parts are
//! the larger ones.
//!
//! With coordinates by recursive coordinate bisection (Berger and Bokhari 1987): across the longest extent,
//! again and again. Without them breadth first: in the order of the distance from the first vertex, cut
//! into pieces. Ties go by number, so that a partition depends on nothing else.
//!
//! Leaves out: keeping few edges between parts beyond that.

use super::Adjacency;
use std::ops::Range;

/// The part of each element, by recursive bisection of their coordinates.
pub fn parts(coordinates: &[[f64; 3]], parts: usize) -> Vec<u32> {
    let mut owners = vec![0; coordinates.len()];
    let mut elements: Vec<u32> = (0..coordinates.len() as u32).collect();
    bisect(coordinates, &mut elements, 0..parts, parts, &mut owners);
    owners
}

/// The part of each vertex, breadth first.
pub fn breadth_first(graph: &Adjacency, parts: usize) -> Vec<u32> {
    let mut owners = vec![0; graph.vertices()];
    let order = order(graph);
    for part in 0..parts {
        let piece = before(graph.vertices(), part, parts)..before(graph.vertices(), part + 1, parts);
        order[piece].iter().for_each(|vertex| owners[*vertex as usize] = part as u32);
    }
    owners
}

/// The part of each of `count` elements, dealt out one after the other: for work that comes in their order.
pub fn dealt(count: usize, parts: usize) -> Vec<u32> {
    (0..count).map(|element| (element % parts.max(1)) as u32).collect()
}

/// The elements of each part, in order.
pub fn members(owners: &[u32], parts: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); parts];
    for (element, owner) in owners.iter().enumerate() {
        members[*owner as usize].push(element as u32);
    }
    members
}

/// How many of `count` elements the parts before this one have.
fn before(count: usize, part: usize, parts: usize) -> usize {
    part * (count / parts) + part.min(count % parts)
}

/// Gives elements to a range of all `parts`.
fn bisect(coordinates: &[[f64; 3]], elements: &mut [u32], range: Range<usize>, parts: usize, owners: &mut [u32]) {
    if range.len() <= 1 {
        elements.iter().for_each(|element| owners[*element as usize] = range.start as u32);
        return;
    }
    let middle = range.start + range.len() / 2;
    let of = |part: usize| before(coordinates.len(), part, parts);
    let size = of(middle) - of(range.start);
    let axis = longest(coordinates, elements);
    let at = |element: u32| coordinates[element as usize][axis];
    if size < elements.len() {
        elements.select_nth_unstable_by(size, |one, other| at(*one).total_cmp(&at(*other)).then(one.cmp(other)));
    }
    let (below, above) = elements.split_at_mut(size);
    bisect(coordinates, below, range.start..middle, parts, owners);
    bisect(coordinates, above, middle..range.end, parts, owners);
}

/// The axis along which elements lie farthest apart; the first of several.
fn longest(coordinates: &[[f64; 3]], elements: &[u32]) -> usize {
    let extent = |axis: usize| {
        let along = elements.iter().map(|element| coordinates[*element as usize][axis]);
        let (least, most) =
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), at| (least.min(at), most.max(at)));
        most - least
    };
    (1..3).fold(0, |longest, axis| if extent(axis) > extent(longest) { axis } else { longest })
}

/// The vertices in the order in which they are met from the first one.
fn order(graph: &Adjacency) -> Vec<u32> {
    let mut is_met = vec![false; graph.vertices()];
    let mut order: Vec<u32> = Vec::with_capacity(graph.vertices());
    for first in 0..graph.vertices() {
        // Each part of the graph that hangs together begins with its first vertex.
        let mut next = order.len();
        if !is_met[first] {
            is_met[first] = true;
            order.push(first as u32);
        }
        while next < order.len() {
            for other in graph.of(order[next] as usize) {
                if !is_met[*other as usize] {
                    is_met[*other as usize] = true;
                    order.push(*other);
                }
            }
            next += 1;
        }
    }
    order
}
