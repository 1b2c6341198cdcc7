//! Partitions of elements into parts of equal size, one for each processor. Sizes differ by one at most, and the first
//! parts are the larger ones.
//!
//! With coordinates, a partition is made by recursive coordinate bisection (Berger and Bokhari 1987), always across the
//! longest extent. Without coordinates, it is made by breadth-first search: the sequence of vertices, ordered by
//! distance from the first one, is cut into parts. Ties are resolved by the numbers of elements, so that coordinates or
//! graph alone determine the partition.
//!
//! The number of edges between parts is not optimised further.

use super::Adjacency;
use std::ops::Range;

/// Returns the part of each element, by recursive bisection of their coordinates.
pub fn by_coordinates(coordinates: &[[f64; 3]], parts: usize) -> Vec<u32> {
    let mut owners = vec![0; coordinates.len()];
    let mut elements: Vec<u32> = (0..coordinates.len() as u32).collect();
    bisect(coordinates, &mut elements, 0..parts, parts, &mut owners);
    owners
}

/// Returns the part of each vertex, by breadth-first search.
pub fn breadth_first(graph: &Adjacency, parts: usize) -> Vec<u32> {
    let mut owners = vec![0; graph.vertices()];
    let order = breadth_first_order(graph);
    for part in 0..parts {
        let range = elements_before(graph.vertices(), part, parts)..elements_before(graph.vertices(), part + 1, parts);
        order[range].iter().for_each(|vertex| owners[*vertex as usize] = part as u32);
    }
    owners
}

/// Returns the part of each of `count` elements, assigned round-robin. This suits work that becomes available in the
/// order of the elements.
pub fn round_robin(count: usize, parts: usize) -> Vec<u32> {
    (0..count).map(|element| (element % parts.max(1)) as u32).collect()
}

/// Returns the elements of each part, in order.
pub fn elements_by_part(owners: &[u32], parts: usize) -> Vec<Vec<u32>> {
    let mut elements = vec![Vec::new(); parts];
    for (element, owner) in owners.iter().enumerate() {
        elements[*owner as usize].push(element as u32);
    }
    elements
}

/// Returns how many of `count` elements are in the parts before this one.
fn elements_before(count: usize, part: usize, parts: usize) -> usize {
    part * (count / parts) + part.min(count % parts)
}

/// Assigns `elements` to the parts in `range`; `parts` is the number of all parts.
fn bisect(coordinates: &[[f64; 3]], elements: &mut [u32], range: Range<usize>, parts: usize, owners: &mut [u32]) {
    if range.len() <= 1 {
        elements.iter().for_each(|element| owners[*element as usize] = range.start as u32);
        return;
    }
    let middle = range.start + range.len() / 2;
    let first_element = |part: usize| elements_before(coordinates.len(), part, parts);
    let below_count = first_element(middle) - first_element(range.start);
    let axis = longest_axis(coordinates, elements);
    let coordinate = |element: u32| coordinates[element as usize][axis];
    if below_count < elements.len() {
        elements.select_nth_unstable_by(below_count, |one, other| {
            coordinate(*one).total_cmp(&coordinate(*other)).then(one.cmp(other))
        });
    }
    let (below, above) = elements.split_at_mut(below_count);
    bisect(coordinates, below, range.start..middle, parts, owners);
    bisect(coordinates, above, middle..range.end, parts, owners);
}

/// Returns the axis along which the elements have the largest extent; if there are several, the first.
fn longest_axis(coordinates: &[[f64; 3]], elements: &[u32]) -> usize {
    let extent = |axis: usize| {
        let components = elements.iter().map(|element| coordinates[*element as usize][axis]);
        let (min, max) = components
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), component| (min.min(component), max.max(component)));
        max - min
    };
    (1..3).fold(0, |longest, axis| if extent(axis) > extent(longest) { axis } else { longest })
}

/// Returns the vertices in the order in which a breadth-first search from the first one visits them.
fn breadth_first_order(graph: &Adjacency) -> Vec<u32> {
    let mut is_visited = vec![false; graph.vertices()];
    let mut order: Vec<u32> = Vec::with_capacity(graph.vertices());
    for first in 0..graph.vertices() {
        // Each connected component begins with its first vertex.
        let mut next = order.len();
        if !is_visited[first] {
            is_visited[first] = true;
            order.push(first as u32);
        }
        while next < order.len() {
            for other in graph.neighbours(order[next] as usize) {
                if !is_visited[*other as usize] {
                    is_visited[*other as usize] = true;
                    order.push(*other);
                }
            }
            next += 1;
        }
    }
    order
}
