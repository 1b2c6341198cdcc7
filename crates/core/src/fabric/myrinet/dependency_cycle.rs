//! The check of a Myrinet's source routes for possible deadlocks.
//!
//! A packet that holds a part of its path waits for the next link of its route. If two links follow each other on a
//! route, the first therefore depends on the second (Dally and Seitz 1987). If these dependencies form no cycle, links
//! cannot deadlock. All routes are considered, including those that the workload does not use. The module does not
//! check for cycles through interfaces that take no packets.

use super::{MyrinetParameters, routes};
use crate::fabric::topology::survey::dependency_cycle::find_cycle;
use std::fmt;

/// A cycle of links, by name: a packet on each link can wait for the next link, and one on the last for the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DependencyCycle(pub Vec<String>);

/// Returns a cycle in which packets between `nodes` can wait for one another, if there is one.
pub fn dependency_cycle(nodes: &[String], parameters: &MyrinetParameters) -> Option<DependencyCycle> {
    let (names, routes) = routes(nodes, &parameters.switches, &parameters.links_between(nodes)).ok()?;
    let mut dependencies = vec![Vec::new(); names.len()];
    for route in routes.iter().flatten() {
        for pair in route.windows(2) {
            let (held_link, next_link) = (pair[0], pair[1] as u32);
            if !dependencies[held_link].contains(&next_link) {
                dependencies[held_link].push(next_link);
            }
        }
    }
    let cycle = find_cycle(&dependencies)?;
    Some(DependencyCycle(cycle.into_iter().map(|link| names[link as usize].clone()).collect()))
}

impl fmt::Display for DependencyCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let links: Vec<String> = self.0.iter().chain(self.0.first()).map(|link| format!("link {link}")).collect();
        f.write_str(&links.join(" waits for "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Bytes, Rate, Time};

    /// Returns the cycle of a Myrinet with nodes n0, n1, …, one at each of `switches` switches, which `trunks` join.
    fn cycle_of(switches: usize, trunks: &[(usize, usize)]) -> Option<String> {
        let switch_names =
            |letter: &str| -> Vec<String> { (0..switches).map(|index| format!("{letter}{index}")).collect() };
        let (nodes, switches) = (switch_names("n"), switch_names("s"));
        let to_switches = nodes.iter().cloned().zip(switches.iter().cloned());
        let trunks = trunks.iter().map(|&(a, b)| (switches[a].clone(), switches[b].clone()));
        let links = to_switches.chain(trunks).map(|(source, to)| format!("{source} - {to}")).collect();
        let parameters = MyrinetParameters {
            link_rate: Rate::from_bytes_per_s(1),
            switch_latency: Time::ZERO,
            slack: Bytes(0),
            flit: Bytes(4),
            watchdog: Time::from_us(1),
            switches,
            links: Some(links),
        };
        dependency_cycle(&nodes, &parameters).map(|cycle| cycle.to_string())
    }

    #[test]
    fn a_tree_has_no_cycle() {
        assert_eq!(cycle_of(4, &[(0, 1), (1, 2), (1, 3)]), None);
    }

    #[test]
    fn a_ring_of_three_switches_has_no_cycle() {
        // Every two of the three switches are neighbours: no route takes two trunks.
        assert_eq!(cycle_of(3, &[(0, 1), (1, 2), (2, 0)]), None);
    }

    #[test]
    fn a_ring_of_five_switches_has_a_cycle() {
        let cycle = cycle_of(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]).expect("a cycle");
        let expected = ["s0 → s1", "s1 → s2", "s2 → s3", "s3 → s4", "s4 → s0"];
        assert!(expected.iter().all(|link| cycle.contains(&format!("link {link} waits for link "))), "{cycle}");
    }
}
