//! Source routes: a shortest route between every two nodes. If there are several, the route whose links come first in
//! the description is taken. Routes do not depend on load, and do not pass through nodes.

use std::collections::VecDeque;
use std::fmt;

/// A reason why the routes cannot be computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RouteError {
    /// The description has no links.
    NoLinks,
    /// A link ends at a name that is neither a node's nor a switch's.
    UnknownEnd {
        /// Index of the link, from 0.
        link: usize,
        /// The unknown name.
        name: String,
    },
    /// No path leads from one node to another.
    Unreachable {
        /// The source.
        from: String,
        /// The destination.
        to: String,
    },
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RouteError::NoLinks => write!(f, "the fabric has no links"),
            RouteError::UnknownEnd { name, .. } => {
                write!(f, "a link ends at `{name}`, which is neither a node nor a switch")
            }
            RouteError::Unreachable { from, to } => write!(f, "no path leads from `{from}` to `{to}`"),
        }
    }
}

/// Returns the names of the directed links, and for each pair of nodes the links of its route. Link `2·i` leads from
/// the first end of `links[i]` to the second, and link `2·i + 1` back.
#[allow(clippy::type_complexity)]
pub fn routes(
    nodes: &[String],
    switches: &[String],
    links: &[(String, String)],
) -> Result<(Vec<String>, Vec<Vec<Vec<usize>>>), RouteError> {
    if links.is_empty() {
        return Err(RouteError::NoLinks);
    }
    let vertex_names: Vec<&String> = nodes.iter().chain(switches).collect();
    let mut names = Vec::new();
    let mut outgoing_links = vec![Vec::new(); vertex_names.len()];
    for (link, (from, to)) in links.iter().enumerate() {
        let end_index = |name: &String| {
            let index = vertex_names.iter().position(|vertex_name| *vertex_name == name);
            index.ok_or_else(|| RouteError::UnknownEnd { link, name: name.clone() })
        };
        let (from_index, to_index) = (end_index(from)?, end_index(to)?);
        outgoing_links[from_index].push((2 * link, to_index));
        outgoing_links[to_index].push((2 * link + 1, from_index));
        names.extend([format!("{from} → {to}"), format!("{to} → {from}")]);
    }
    let routes = (0..nodes.len()).map(|from| routes_from(from, nodes, &outgoing_links)).collect::<Result<_, _>>()?;
    Ok((names, routes))
}

/// Finds the routes from one node to all by breadth-first search. A route passes through switches only.
fn routes_from(
    from: usize,
    nodes: &[String],
    outgoing_links: &[Vec<(usize, usize)>],
) -> Result<Vec<Vec<usize>>, RouteError> {
    let mut routes: Vec<Option<Vec<usize>>> = vec![None; outgoing_links.len()];
    routes[from] = Some(Vec::new());
    let mut queue = VecDeque::from([from]);
    while let Some(vertex) = queue.pop_front() {
        if vertex < nodes.len() && vertex != from {
            continue;
        }
        let route_to_vertex = routes[vertex].clone().unwrap_or_default();
        for &(link, neighbour) in &outgoing_links[vertex] {
            if routes[neighbour].is_none() {
                routes[neighbour] = Some(route_to_vertex.iter().copied().chain([link]).collect());
                queue.push_back(neighbour);
            }
        }
    }
    let unreachable = |to: usize| RouteError::Unreachable { from: nodes[from].clone(), to: nodes[to].clone() };
    (0..nodes.len()).map(|to| routes[to].clone().ok_or_else(|| unreachable(to))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
    }

    #[test]
    fn a_route_takes_the_trunk() {
        let links = pairs(&[("a", "west"), ("b", "west"), ("west", "east"), ("east", "c")]);
        let (names, routes) = routes(&names(&["a", "b", "c"]), &names(&["west", "east"]), &links).unwrap();
        let links_of = |route: &[usize]| route.iter().map(|&link| names[link].as_str()).collect::<Vec<_>>();
        assert_eq!(links_of(&routes[0][2]), ["a → west", "west → east", "east → c"]);
        assert_eq!(links_of(&routes[2][1]), ["c → east", "east → west", "west → b"]);
        assert!(routes[0][0].is_empty());
    }

    #[test]
    fn fabrics_without_routes_are_errors() {
        let nodes = names(&["a", "b"]);
        assert_eq!(routes(&nodes, &[], &[]), Err(RouteError::NoLinks));
        let unlinked_node = routes(&nodes, &names(&["s"]), &pairs(&[("a", "s")]));
        assert_eq!(unlinked_node, Err(RouteError::Unreachable { from: "a".into(), to: "b".into() }));
        let unknown_end = routes(&nodes, &[], &pairs(&[("a", "x")]));
        assert_eq!(unknown_end, Err(RouteError::UnknownEnd { link: 0, name: "x".into() }));
    }
}
