//! Routing by tables, with three rules: up*/down*, fewest links, and fewest links in distance classes.
//!
//! Up*/down* (Schroeder et al. 1991, Autonet) uses a breadth-first tree. The root of the tree is the router with the
//! least eccentricity; if several routers have the same, it is the first of them. A link leads up if it ends nearer to
//! the root than it begins, or equally near at a router with a lower number. A packet takes any number of up links and
//! then down links, on any of the shortest such routes. Neither up links nor down links form a cycle, and a packet
//! changes from up to down only once, so dependencies form no cycle. The other rules treat every link as an up link. In
//! distance classes (Günther 1981; Dally and Towles 2004, chapter 14) the virtual channels of a link are divided among
//! as many classes as the longest route has links, and a packet takes its first link in the first class and each
//! further link in the next class. A packet therefore waits only for channels of a higher class. The module does not
//! model other trees, balancing of load among routes, or routes that depend on rates and latencies.

use super::super::{End, RouteOptions, RouteQuery, Routing, every_channel};
use super::GraphRouting;
use super::plan::WiringPlan;
use std::collections::VecDeque;

/// The distance of a router that cannot be reached.
const UNREACHABLE: u16 = u16::MAX;

/// A routing rule and its tables.
pub(super) struct TableRouting {
    routers: usize,
    /// For each router, its links to others.
    next_hops: Vec<Vec<NextHop>>,
    /// For each router and input, the link that leads to it; `None` at the inputs of nodes.
    arrival_links: Vec<Vec<Option<ArrivalLink>>>,
    /// For each node, the router and the port that leads to it.
    exits: Vec<(u32, u8)>,
    /// For each node, the router at which its packets enter.
    entries: Vec<u32>,
    /// For each pair of routers, the number of links on the shortest route of packets that may still take up links.
    links_left: Vec<u16>,
    /// For each pair of routers, the number of links on the shortest route of packets that may only take down links.
    down_links_left: Vec<u16>,
    /// Number of classes of virtual channels, if the rule uses distance classes.
    classes: Option<u8>,
}

/// A link to a router.
#[derive(Clone, Copy)]
struct NextHop {
    router: u32,
    /// Input port at which the link ends.
    input: u8,
    /// Output port at which the link begins.
    output: u8,
    is_down: bool,
}

/// The link by which a packet arrived at a router.
#[derive(Clone, Copy)]
struct ArrivalLink {
    is_down: bool,
}

impl std::fmt::Debug for TableRouting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "tables of {} routers", self.routers)
    }
}

impl TableRouting {
    pub fn new(plan: &WiringPlan, routing: GraphRouting) -> TableRouting {
        let routers = plan.outputs.len();
        let next_hop = |(end, output): (&End, u8)| match *end {
            End::Router { router, port: input } => Some(NextHop { router, input, output, is_down: false }),
            End::Node(_) | End::Unconnected => None,
        };
        let mut next_hops: Vec<Vec<NextHop>> =
            plan.outputs.iter().map(|outputs| outputs.iter().zip(0..).filter_map(next_hop).collect()).collect();
        if routing == GraphRouting::UpDown {
            orient_links(&mut next_hops);
        }
        let mut arrival_links: Vec<Vec<Option<ArrivalLink>>> =
            plan.input_counts.iter().map(|inputs| vec![None; usize::from(*inputs)]).collect();
        for &NextHop { router, input, is_down, .. } in next_hops.iter().flatten() {
            arrival_links[router as usize][usize::from(input)] = Some(ArrivalLink { is_down });
        }
        let (links_left, down_links_left) =
            (vec![UNREACHABLE; routers * routers], vec![UNREACHABLE; routers * routers]);
        let (exits, entries) = (plan.exits.clone(), plan.entries.iter().map(|(router, _)| *router).collect());
        let mut rule = TableRouting {
            routers,
            next_hops,
            arrival_links,
            exits,
            entries,
            links_left,
            down_links_left,
            classes: None,
        };
        rule.fill_tables();
        if routing == GraphRouting::DistanceClasses {
            rule.classes = Some(rule.distance_max());
        }
        rule
    }

    /// Returns the number of links between routers on the longest route, at least 1 and at most 255.
    fn distance_max(&self) -> u8 {
        let nodes = 0..self.exits.len() as u32;
        let distance_max_to = |to: u32| nodes.clone().map(move |from| self.distance(from, to)).max().unwrap_or(0);
        nodes.clone().map(distance_max_to).max().unwrap_or(0).clamp(1, u8::MAX.into()) as u8
    }

    /// Returns the virtual channels in which a header takes its next link.
    fn channels(&self, arrival: Option<ArrivalLink>, channel: u8, virtual_channels: u8) -> u16 {
        let all_channels = every_channel(virtual_channels);
        let Some(classes) = self.classes else { return all_channels };
        let channels_per_class = (virtual_channels / classes).max(1);
        let class = if arrival.is_some() { channel / channels_per_class + 1 } else { 0 };
        let first_channel = u32::from(class) * u32::from(channels_per_class);
        u16::try_from(u32::from(every_channel(channels_per_class)) << first_channel.min(16) & u32::from(all_channels))
            .unwrap_or(0)
    }

    /// Fills the tables, from each destination backwards.
    fn fill_tables(&mut self) {
        let mut predecessors: Vec<Vec<(u32, bool)>> = vec![Vec::new(); self.routers];
        for (from, hops) in self.next_hops.iter().enumerate() {
            hops.iter().for_each(|hop| predecessors[hop.router as usize].push((from as u32, hop.is_down)));
        }
        let mut destinations: Vec<u32> = self.exits.iter().map(|(router, _)| *router).collect();
        destinations.dedup();
        for destination in destinations {
            let row = destination as usize * self.routers;
            let links_left = &mut self.links_left[row..][..self.routers];
            let down_links_left = &mut self.down_links_left[row..][..self.routers];
            (links_left[destination as usize], down_links_left[destination as usize]) = (0, 0);
            let mut queue = VecDeque::from([(destination, false, 0), (destination, true, 0)]);
            while let Some((router, has_gone_down, link_count)) = queue.pop_front() {
                for &(from, is_down) in
                    predecessors[router as usize].iter().filter(|(_, is_down)| *is_down == has_gone_down)
                {
                    if links_left[from as usize] == UNREACHABLE {
                        links_left[from as usize] = link_count + 1;
                        queue.push_back((from, false, link_count + 1));
                    }
                    if is_down && down_links_left[from as usize] == UNREACHABLE {
                        down_links_left[from as usize] = link_count + 1;
                        queue.push_back((from, true, link_count + 1));
                    }
                }
            }
        }
    }

    /// Returns the ports on the shortest remaining routes to the router `destination`.
    fn ports(&self, router: usize, destination: u32, has_gone_down: bool) -> u64 {
        let row = destination as usize * self.routers;
        let links_left = if has_gone_down { self.down_links_left[row + router] } else { self.links_left[row + router] };
        let is_shortest = |hop: &NextHop| {
            let table = if hop.is_down { &self.down_links_left } else { &self.links_left };
            (hop.is_down || !has_gone_down) && table[row + hop.router as usize].checked_add(1) == Some(links_left)
        };
        self.next_hops[router].iter().filter(|hop| is_shortest(hop)).fold(0, |ports, hop| ports | 1 << hop.output)
    }

    /// Returns whether there is only one route from any router to any node.
    pub fn has_single_paths(&self) -> bool {
        let mut destinations = self.exits.iter().map(|(router, _)| *router);
        let has_single_port = |router, destination| {
            [false, true].iter().all(|has_gone_down| self.ports(router, destination, *has_gone_down).count_ones() <= 1)
        };
        destinations.all(|destination| {
            (0..self.routers).all(|router| router == destination as usize || has_single_port(router, destination))
        })
    }
}

/// Sets, for every link, whether it leads down.
fn orient_links(next_hops: &mut [Vec<NextHop>]) {
    let distances_from = |root: usize| {
        let mut link_counts = vec![UNREACHABLE; next_hops.len()];
        link_counts[root] = 0;
        let mut queue = VecDeque::from([root]);
        while let Some(router) = queue.pop_front() {
            for hop in &next_hops[router] {
                if link_counts[hop.router as usize] == UNREACHABLE {
                    link_counts[hop.router as usize] = link_counts[router] + 1;
                    queue.push_back(hop.router as usize);
                }
            }
        }
        link_counts
    };
    let eccentricity = |root: &usize| distances_from(*root).into_iter().max();
    let Some(root) = (0..next_hops.len()).min_by_key(eccentricity) else { return };
    let link_counts = distances_from(root);
    let order_key = |router: usize| (link_counts[router], router);
    for (router, next_hops) in next_hops.iter_mut().enumerate() {
        next_hops.iter_mut().for_each(|hop| hop.is_down = order_key(hop.router as usize) > order_key(router));
    }
}

impl Routing for TableRouting {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let (destination, exit) = self.exits[query.destination as usize];
        if query.router == destination {
            return RouteOptions::single_port(exit, every_channel(virtual_channels));
        }
        let router = query.router as usize;
        let arrival = self.arrival_links[router].get(usize::from(query.input)).copied().flatten();
        let has_gone_down = arrival.is_some_and(|arrival| arrival.is_down);
        let channels = self.channels(arrival, query.channel, virtual_channels);
        RouteOptions { ports: self.ports(router, destination, has_gone_down).into(), channels, escape: None }
    }

    fn virtual_channels_min(&self) -> u8 {
        self.classes.unwrap_or(1)
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        let (destination, _) = self.exits[to as usize];
        self.links_left[destination as usize * self.routers + self.entries[from as usize] as usize].into()
    }

    fn depends_on_input(&self) -> bool {
        self.classes.is_some()
    }
}
