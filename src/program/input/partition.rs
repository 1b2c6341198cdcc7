//! Parts of equal size: which processor gets what. Sizes differ by one at most, and the first parts are
//! the larger ones.
//!
//! By recursive coordinate bisection (Berger and Bokhari 1987): across the longest extent, again and again. Ties
//! go by number, so that a partition depends on nothing else.

use std::ops::Range;

/// The part of each element, by recursive bisection of their coordinates.
pub fn parts(coordinates: &[[f64; 3]], parts: usize) -> Vec<u32> {
    let mut owners = vec![0; coordinates.len()];
    let mut elements: Vec<u32> = (0..coordinates.len() as u32).collect();
    bisect(coordinates, &mut elements, 0..parts, parts, &mut owners);
    owners
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
