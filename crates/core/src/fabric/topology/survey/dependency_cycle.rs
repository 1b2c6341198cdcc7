//! The search for a cycle in a graph of dependencies. When a vertex on a cycle is found, the shortest cycle through
//! that vertex is reported, which keeps messages short.

use std::collections::VecDeque;

/// For each vertex, the vertices for which it waits.
pub type WaitGraph = Vec<Vec<u32>>;

/// Returns a cycle: each of its vertices waits for the next, and the last for the first. Returns `None` if there is no
/// cycle.
pub fn find_cycle(waits: &WaitGraph) -> Option<Vec<u32>> {
    let vertex_on_cycle = vertex_on_cycle(waits)?;
    Some(shortest_cycle_through(waits, vertex_on_cycle))
}

#[derive(Clone, Copy, PartialEq)]
enum VisitState {
    Unvisited,
    OnPath,
    Done,
}

/// Returns a vertex on a cycle, found by depth-first search.
fn vertex_on_cycle(waits: &WaitGraph) -> Option<u32> {
    let mut visit_states = vec![VisitState::Unvisited; waits.len()];
    for start in 0..waits.len() as u32 {
        if visit_states[start as usize] != VisitState::Unvisited {
            continue;
        }
        visit_states[start as usize] = VisitState::OnPath;
        let mut path = vec![(start, 0)];
        while let Some((vertex, tried_count)) = path.last_mut() {
            let Some(&successor) = waits[*vertex as usize].get(*tried_count) else {
                visit_states[*vertex as usize] = VisitState::Done;
                path.pop();
                continue;
            };
            *tried_count += 1;
            match visit_states[successor as usize] {
                VisitState::OnPath => return Some(successor),
                VisitState::Done => {}
                VisitState::Unvisited => {
                    visit_states[successor as usize] = VisitState::OnPath;
                    path.push((successor, 0));
                }
            }
        }
    }
    None
}

/// Returns the shortest cycle through a vertex that is on one.
fn shortest_cycle_through(waits: &WaitGraph, start: u32) -> Vec<u32> {
    let mut predecessors = vec![u32::MAX; waits.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(vertex) = queue.pop_front() {
        for &successor in &waits[vertex as usize] {
            if successor == start {
                return path_to(&predecessors, start, vertex);
            }
            if predecessors[successor as usize] == u32::MAX {
                predecessors[successor as usize] = vertex;
                queue.push_back(successor);
            }
        }
    }
    vec![start]
}

/// Returns the path from `start` to `vertex`, given the predecessor of each vertex.
fn path_to(predecessors: &[u32], start: u32, mut vertex: u32) -> Vec<u32> {
    let mut path = vec![vertex];
    while vertex != start {
        vertex = predecessors[vertex as usize];
        path.push(vertex);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found() {
        assert_eq!(find_cycle(&vec![]), None);
        assert_eq!(find_cycle(&vec![vec![1, 2], vec![2], vec![]]), None);
        assert_eq!(find_cycle(&vec![vec![0]]), Some(vec![0]));
        assert_eq!(find_cycle(&vec![vec![1], vec![2], vec![3], vec![1, 2]]), Some(vec![1, 2, 3]));
    }
}
