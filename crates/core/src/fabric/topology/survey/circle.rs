//! A circle in a graph of waits, if there is one; a short one, so that it can be read.

use std::collections::VecDeque;

/// What waits for what, by number.
pub type Waits = Vec<Vec<u32>>;

/// Vertices of which each waits for the next, and the last for the first.
pub fn find(waits: &Waits) -> Option<Vec<u32>> {
    let on_circle = on_circle(waits)?;
    Some(shortest_through(waits, on_circle))
}

#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Not,
    OnPath,
    Done,
}

/// A vertex on a circle.
fn on_circle(waits: &Waits) -> Option<u32> {
    let mut seen = vec![Seen::Not; waits.len()];
    for start in 0..waits.len() as u32 {
        if seen[start as usize] != Seen::Not {
            continue;
        }
        seen[start as usize] = Seen::OnPath;
        let mut path = vec![(start, 0)];
        while let Some((at, tried)) = path.last_mut() {
            let Some(&next) = waits[*at as usize].get(*tried) else {
                seen[*at as usize] = Seen::Done;
                path.pop();
                continue;
            };
            *tried += 1;
            match seen[next as usize] {
                Seen::OnPath => return Some(next),
                Seen::Done => {}
                Seen::Not => {
                    seen[next as usize] = Seen::OnPath;
                    path.push((next, 0));
                }
            }
        }
    }
    None
}

/// The shortest circle through a vertex that is on one.
fn shortest_through(waits: &Waits, start: u32) -> Vec<u32> {
    let mut before = vec![u32::MAX; waits.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &next in &waits[at as usize] {
            if next == start {
                return back(&before, start, at);
            }
            if before[next as usize] == u32::MAX {
                before[next as usize] = at;
                queue.push_back(next);
            }
        }
    }
    vec![start]
}

/// The way from `start` to `at`.
fn back(before: &[u32], start: u32, mut at: u32) -> Vec<u32> {
    let mut circle = vec![at];
    while at != start {
        at = before[at as usize];
        circle.push(at);
    }
    circle.reverse();
    circle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found() {
        assert_eq!(find(&vec![]), None);
        assert_eq!(find(&vec![vec![1, 2], vec![2], vec![]]), None);
        assert_eq!(find(&vec![vec![0]]), Some(vec![0]));
        assert_eq!(find(&vec![vec![1], vec![2], vec![3], vec![1, 2]]), Some(vec![1, 2, 3]));
    }
}
