//! The search for a cycle in a graph of dependencies. When a vertex on a cycle is found, the shortest cycle through
//! that vertex is reported, which keeps messages short.

use std::collections::VecDeque;

/// For each vertex, the vertices for which it waits.
pub type WaitGraph = Vec<Vec<u32>>;

/// Returns a cycle: each of its vertices waits for the next, and the last for the first. Returns `None` if there is no
/// cycle.
pub fn find(waits: &WaitGraph) -> Option<Vec<u32>> {
    let on_cycle = on_cycle(waits)?;
    Some(shortest_through(waits, on_cycle))
}

#[derive(Clone, Copy, PartialEq)]
enum VisitState {
    Unvisited,
    OnPath,
    Done,
}

/// Returns a vertex on a cycle, found by depth-first search.
fn on_cycle(waits: &WaitGraph) -> Option<u32> {
    let mut seen = vec![VisitState::Unvisited; waits.len()];
    for start in 0..waits.len() as u32 {
        if seen[start as usize] != VisitState::Unvisited {
            continue;
        }
        seen[start as usize] = VisitState::OnPath;
        let mut path = vec![(start, 0)];
        while let Some((at, tried)) = path.last_mut() {
            let Some(&next) = waits[*at as usize].get(*tried) else {
                seen[*at as usize] = VisitState::Done;
                path.pop();
                continue;
            };
            *tried += 1;
            match seen[next as usize] {
                VisitState::OnPath => return Some(next),
                VisitState::Done => {}
                VisitState::Unvisited => {
                    seen[next as usize] = VisitState::OnPath;
                    path.push((next, 0));
                }
            }
        }
    }
    None
}

/// Returns the shortest cycle through a vertex that is on one.
fn shortest_through(waits: &WaitGraph, start: u32) -> Vec<u32> {
    let mut predecessors = vec![u32::MAX; waits.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &next in &waits[at as usize] {
            if next == start {
                return path_to(&predecessors, start, at);
            }
            if predecessors[next as usize] == u32::MAX {
                predecessors[next as usize] = at;
                queue.push_back(next);
            }
        }
    }
    vec![start]
}

/// Returns the path from `start` to `channel`, given the predecessor of each vertex.
fn path_to(predecessors: &[u32], start: u32, mut channel: u32) -> Vec<u32> {
    let mut path = vec![channel];
    while channel != start {
        channel = predecessors[channel as usize];
        path.push(channel);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found() {
        assert_eq!(find(&vec![]), None);
        assert_eq!(find(&vec![vec![1, 2], vec![2], vec![]]), None);
        assert_eq!(find(&vec![vec![0]]), Some(vec![0]));
        assert_eq!(find(&vec![vec![1], vec![2], vec![3], vec![1, 2]]), Some(vec![1, 2, 3]));
    }
}
