//! How long each link of a routed fabric moved flits. A link is never held without moving: between the
//! flits of a packet it moves those of others. Logical networks with links of their own
//! ([`Sharing::Strict`](crate::fabric::router::Sharing)) each have their share of a wider link's time.

use super::Routed;
use crate::engine::{Bytes, Time};
use crate::fabric::LinkUse;
use crate::fabric::router::{Link, LinkEnd};

impl Routed {
    /// The links that flits crossed; `nodes` are the nodes' names.
    pub fn links(&self, nodes: &[String]) -> Vec<LinkUse> {
        let links = self.network.borrow().links();
        links.into_iter().filter(|link| link.flits > 0).map(|link| self.link_use(&link, nodes)).collect()
    }

    fn link_use(&self, link: &Link, nodes: &[String]) -> LinkUse {
        let name = format!("{} → {}", end(link.from, nodes), end(link.to, nodes));
        let time = self.link_rate.time_for(Bytes(u64::from(self.flit_bytes) * link.flits));
        let moving = Time::from_ps(time.ps() / u64::from(self.planes));
        LinkUse { name, held: moving, moving }
    }
}

fn end(end: LinkEnd, nodes: &[String]) -> String {
    match end {
        LinkEnd::Node(node) => nodes.get(node as usize).cloned().unwrap_or_else(|| format!("place {node}")),
        LinkEnd::Router(router, port) => format!("router {router}.{port}"),
    }
}
