//! Whether the source routes of a Myrinet can deadlock.
//!
//! A packet that has a part of its path waits for the next link of its route and holds what it has:
//! so of two links that follow each other on a route, the first can wait for the second (Dally and
//! Seitz 1987). No circle of these waits: no deadlock among links. Every route counts, whether the
//! workload uses it or not. Leaves out: circles through interfaces that take nothing.

use super::{MyrinetParameters, routes};
use crate::fabric::topology::survey::circle::find;
use std::fmt;

/// Links by name: a packet on each can wait for the next, and one on the last for the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circle(pub Vec<String>);

/// A circle in which packets between `nodes` can wait for one another, if there is one.
pub fn circle(nodes: &[String], parameters: &MyrinetParameters) -> Option<Circle> {
    let (names, routes) = routes(nodes, &parameters.switches, &parameters.links_between(nodes)).ok()?;
    let mut waits = vec![Vec::new(); names.len()];
    for route in routes.iter().flatten() {
        for pair in route.windows(2) {
            let (held, next) = (pair[0], pair[1] as u32);
            if !waits[held].contains(&next) {
                waits[held].push(next);
            }
        }
    }
    let circle = find(&waits)?;
    Some(Circle(circle.into_iter().map(|link| names[link as usize].clone()).collect()))
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told: Vec<String> = self.0.iter().chain(self.0.first()).map(|link| format!("link {link}")).collect();
        f.write_str(&told.join(" waits for "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Bytes, Rate, Time};

    /// Nodes n0, n1, …, one at each of so many switches, which are joined by `trunks`.
    fn circle_of(switches: usize, trunks: &[(usize, usize)]) -> Option<String> {
        let names = |letter: &str| -> Vec<String> { (0..switches).map(|number| format!("{letter}{number}")).collect() };
        let (nodes, switches) = (names("n"), names("s"));
        let to_switches = nodes.iter().cloned().zip(switches.iter().cloned());
        let trunks = trunks.iter().map(|&(a, b)| (switches[a].clone(), switches[b].clone()));
        let links = to_switches.chain(trunks).map(|(from, to)| format!("{from} - {to}")).collect();
        let parameters = MyrinetParameters {
            link_rate: Rate::from_bytes_per_s(1),
            switch_latency: Time::ZERO,
            slack: Bytes(0),
            flit: Bytes(4),
            watchdog: Time::from_us(1),
            switches,
            links: Some(links),
        };
        circle(&nodes, &parameters).map(|circle| circle.to_string())
    }

    #[test]
    fn a_tree_has_no_circle() {
        assert_eq!(circle_of(4, &[(0, 1), (1, 2), (1, 3)]), None);
    }

    #[test]
    fn a_ring_whose_routes_turn_no_corner_twice_has_none() {
        // Of three switches, each is next to each: no route takes two trunks.
        assert_eq!(circle_of(3, &[(0, 1), (1, 2), (2, 0)]), None);
    }

    #[test]
    fn a_ring_has_one() {
        let told = circle_of(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]).expect("a circle");
        let expected = ["s0 → s1", "s1 → s2", "s2 → s3", "s3 → s4", "s4 → s0"];
        assert!(expected.iter().all(|link| told.contains(&format!("link {link} waits for link "))), "{told}");
    }
}
