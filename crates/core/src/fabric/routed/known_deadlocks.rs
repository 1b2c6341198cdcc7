//! The results of the last searches for deadlocks. The points of a sweep or a study mostly have the same few shapes, and
//! a search takes longer than all else that is done to read a point.

use crate::fabric::topology::Topology;
use crate::fabric::topology::survey::{self, ALL_PAIRS_NODES, Deadlock};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Largest number of results that are kept.
const KEPT_MAX: usize = 64;

/// A search: the shape, the virtual channels of a logical network, and the result.
struct Search {
    topology: Topology,
    virtual_channels: u8,
    deadlock: Deadlock,
}

/// The last searches, the latest one last.
static LAST_SEARCHES: Mutex<VecDeque<Search>> = Mutex::new(VecDeque::new());

/// Returns whether packets can deadlock in the shape of `topology`, or `None` if the shape cannot be built. Results of
/// shapes of which only a sample is followed are not kept, since such shapes are large.
pub fn deadlock(topology: &Topology, virtual_channels: u8) -> Option<Deadlock> {
    let search = || Some(survey::deadlock(&topology.build().ok()?, virtual_channels));
    if topology.nodes() > ALL_PAIRS_NODES {
        return search();
    }
    let is_same = |search: &&Search| search.virtual_channels == virtual_channels && search.topology == *topology;
    let last_searches = || LAST_SEARCHES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(search) = last_searches().iter().find(is_same) {
        return Some(search.deadlock.clone());
    }
    // Threads that search the same shape at the same time do not wait for one another.
    let deadlock = search()?;
    let mut searches = last_searches();
    if !searches.iter().any(|search| is_same(&search)) {
        if searches.len() == KEPT_MAX {
            searches.pop_front();
        }
        searches.push_back(Search { topology: topology.clone(), virtual_channels, deadlock: deadlock.clone() });
    }
    Some(deadlock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::topology::torus::{ChannelHalves, MiddleChannelHalf, TorusParameters};

    /// Asks for more shapes than are kept, each several times, and compares the answers with new searches.
    #[test]
    fn answers_are_those_of_new_searches() {
        let ring = |nodes, middle| Topology::Ring(TorusParameters { shape: vec![nodes] }, ChannelHalves { middle });
        let rings = (3..12 + KEPT_MAX as u32 / 4)
            .flat_map(|nodes| [ring(nodes, MiddleChannelHalf::Lower), ring(nodes, MiddleChannelHalf::Both)]);
        let searches: Vec<(Topology, u8)> = rings.flat_map(|ring| [(ring.clone(), 2), (ring, 3)]).collect();
        for (topology, virtual_channels) in searches.iter().chain(&searches).chain(searches.iter().rev()) {
            let shape = topology.build().expect("a ring can be built");
            let expected = Some(survey::deadlock(&shape, *virtual_channels));
            assert_eq!(deadlock(topology, *virtual_channels), expected);
            assert_eq!(deadlock(topology, *virtual_channels), expected);
            assert!(LAST_SEARCHES.lock().expect("no test panics with the lock").len() <= KEPT_MAX);
        }
    }
}
