//! Writes networks of switches and hosts in each format of a graph file, as inputs of the graph tests.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// A network of switches and hosts, to be written in each format.
pub struct Network {
    pub hosts: Vec<String>,
    pub switches: Vec<String>,
    pub links: Vec<Link>,
}

/// A link between two vertices.
pub struct Link {
    pub endpoints: [String; 2],
    pub rate: Option<&'static str>,
    pub latency: Option<&'static str>,
}

impl Link {
    pub fn new(from: &str, to: &str) -> Link {
        Link { endpoints: [from.to_owned(), to.to_owned()], rate: None, latency: None }
    }

    /// Returns the rate and the latency, if given, with their keys.
    fn attributes(&self) -> Vec<(&'static str, &'static str)> {
        let attributes = [("rate", self.rate), ("latency", self.latency)];
        attributes.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

impl Network {
    /// Returns a fat tree of two tiers: `leaves` switches with `hosts` hosts each, joined by `spines` switches.
    pub fn leaf_spine(leaves: usize, hosts: usize, spines: usize) -> Network {
        let numbered =
            |name: &str, count: usize| (0..count).map(|number| format!("{name}{number}")).collect::<Vec<_>>();
        let (host, leaf, spine) = (numbered("h", leaves * hosts), numbered("leaf", leaves), numbered("spine", spines));
        let host_links = host.iter().enumerate().map(|(index, host)| Link::new(host, &leaf[index / hosts]));
        let spine_links = leaf.iter().flat_map(|leaf| spine.iter().map(|spine| Link::new(leaf, spine)));
        let links = host_links.chain(spine_links).collect();
        Network { hosts: host.clone(), switches: leaf.iter().chain(&spine).cloned().collect(), links }
    }

    /// Returns a dragonfly (Kim et al. 2008): `a · h + 1` groups, each joined to every other by one link. A group has
    /// `a` switches, all joined, and a switch has `p` hosts and `h` links to other groups.
    pub fn dragonfly(p: usize, a: usize, h: usize) -> Network {
        let groups = a * h + 1;
        let switch = |group: usize, switch_number: usize| format!("g{group}s{switch_number}");
        let positions = || (0..groups).flat_map(|group| (0..a).map(move |index| (group, index)));
        let hosts = || {
            positions().flat_map(|(group, switch_number)| {
                (0..p).map(move |host| (group, switch_number, format!("g{group}s{switch_number}h{host}")))
            })
        };
        let mut links: Vec<Link> =
            hosts().map(|(group, switch_number, host)| Link::new(&host, &switch(group, switch_number))).collect();
        let local_links = positions().flat_map(|(group, switch_number)| {
            (switch_number + 1..a).map(move |neighbour| (group, switch_number, neighbour))
        });
        links.extend(local_links.map(|(group, switch_number, neighbour)| {
            Link::new(&switch(group, switch_number), &switch(group, neighbour))
        }));
        for group in 0..groups {
            for port in 0..a * h {
                let other_group = (group + port + 1) % groups;
                if group < other_group {
                    links.push(Link::new(&switch(group, port / h), &switch(other_group, (groups - 2 - port) / h)));
                }
            }
        }
        let switches = positions().map(|(group, switch_number)| switch(group, switch_number)).collect();
        Network { hosts: hosts().map(|(_, _, host)| host).collect(), switches, links }
    }

    fn edge_list(&self) -> String {
        let mut text = format!("# switches: {}\n", self.switches.join(" "));
        for link in &self.links {
            let attributes = link.attributes().into_iter().map(|(name, value)| format!("'{name}': '{value}'"));
            let [from, to] = &link.endpoints;
            writeln!(text, "{from} {to} {{{}}}", attributes.collect::<Vec<_>>().join(", ")).expect("a text");
        }
        text
    }

    fn json(&self) -> String {
        let vertex = |kind: &'static str| move |name: &String| format!("{{\"id\": {name:?}, \"kind\": \"{kind}\"}}");
        let vertices = self.hosts.iter().map(vertex("host")).chain(self.switches.iter().map(vertex("switch")));
        let link = |link: &Link| {
            let attributes = link.attributes().into_iter().map(|(name, value)| format!(", \"{name}\": \"{value}\""));
            format!(
                "{{\"source\": {:?}, \"target\": {:?}{}}}",
                link.endpoints[0],
                link.endpoints[1],
                attributes.collect::<String>()
            )
        };
        let [vertices, links] =
            [vertices.collect(), self.links.iter().map(link).collect()].map(|items: Vec<String>| items.join(",\n"));
        format!("{{\"directed\": false, \"nodes\": [{vertices}],\n\"edges\": [{links}]}}\n")
    }

    /// Returns the network as GraphML, as networkx writes it.
    fn graphml(&self) -> String {
        let vertex = |kind: &'static str| {
            move |name: &String| format!("<node id=\"{name}\"><data key=\"d0\">{kind}</data></node>\n")
        };
        let vertices: String =
            self.hosts.iter().map(vertex("host")).chain(self.switches.iter().map(vertex("switch"))).collect();
        let link = |link: &Link| {
            let attributes = link.attributes().into_iter();
            let data =
                attributes.map(|(name, value)| format!("<data key=\"{name}\">{value}</data>")).collect::<String>();
            format!("<edge source=\"{}\" target=\"{}\">{data}</edge>\n", link.endpoints[0], link.endpoints[1])
        };
        let links: String = self.links.iter().map(link).collect();
        format!(
            "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
             <key id=\"d0\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n\
             <key id=\"rate\" for=\"edge\" attr.name=\"rate\" attr.type=\"string\"/>\n\
             <key id=\"latency\" for=\"edge\" attr.name=\"latency\" attr.type=\"string\"/>\n\
             <graph edgedefault=\"undirected\">\n{vertices}{links}</graph>\n</graphml>\n"
        )
    }

    /// Writes the network in each format, to files named after the test `name`.
    pub fn files(&self, name: &str) -> [File; 3] {
        let formats = [("edges", self.edge_list()), ("json", self.json()), ("graphml", self.graphml())];
        formats.map(|(extension, text)| File::new(&format!("{name}.{extension}"), &text))
    }
}

/// A file of a test, removed at its end.
pub struct File(pub PathBuf);

impl File {
    pub fn new(name: &str, text: &str) -> File {
        let path = std::env::temp_dir().join(format!("narrows-graphs-{}-{name}", std::process::id()));
        fs::write(&path, text).expect("a file");
        File(path)
    }

    /// Returns the description of a fabric that reads this file, with the further lines `keys`.
    pub fn fabric(&self, keys: &str) -> String {
        format!("[fabric.graph]\nfile = {:?}\n{keys}", self.0)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
