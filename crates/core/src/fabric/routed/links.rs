//! Statistics of the links of routers: the time for which each link moved flits, and a span for each packet on each
//! channel that it held.
//!
//! A link counts as held while it moves flits, because between the flits of a packet it can move those of other
//! packets. Logical networks with separate links ([`Sharing::Strict`]) are modelled as equal shares of the time of a
//! wider link.

use crate::engine::{Bytes, Hertz, Rate, Recorder, SpanLabel, Time, Track};
use crate::fabric::link_statistics::TRACK_GROUP;
use crate::fabric::port::LinkUse;
use crate::fabric::router::{Crossing, Link, LinkChannel, LinkEnd, Network, RouterParameters, Sharing};
use crate::fabric::topology::Wiring;
use std::collections::BTreeMap;

/// The rates of links, and the names of the nodes and routers at their ends.
#[derive(Clone, Debug)]
pub struct Links {
    clock: Hertz,
    router: RouterParameters,
    /// Rate of a link if the description does not state one.
    pub(super) rate: Rate,
    pub(super) flit_bytes: u32,
    /// Number of logical networks among which a link's time is divided.
    time_shares: u8,
    /// Number of channels of a link, over all logical networks.
    channels: u32,
    node_names: Vec<String>,
    /// Names and properties of single links and routers.
    wiring: Wiring,
}

impl Links {
    /// Creates the links of routers between nodes of these names. Further nodes are named by the shape, or otherwise by
    /// their numbers.
    pub fn new(router: &RouterParameters, nodes: &[String], wiring: &Wiring) -> Links {
        Links {
            clock: router.clock,
            router: *router,
            rate: Rate::from_bits_per_s(router.clock.0.saturating_mul(router.link_bits.into())),
            flit_bytes: router.flit_bits / 8,
            time_shares: if router.sharing == Sharing::Strict { router.networks } else { 1 },
            channels: u32::from(router.networks) * u32::from(router.virtual_channels),
            node_names: nodes.to_vec(),
            wiring: wiring.clone(),
        }
    }

    /// Returns the rate at which a node's packets enter the fabric.
    pub fn entry_rate(&self, node: u32) -> Rate {
        self.wiring.entry_attributes(node).rate.unwrap_or(self.rate)
    }

    /// Returns the rate of a link on which a flit takes `cycles_per_flit`.
    fn rate_of(&self, cycles_per_flit: u32) -> Rate {
        match cycles_per_flit == self.router.cycles_per_flit() {
            true => self.rate,
            false => self.router.rate_of(cycles_per_flit),
        }
    }

    /// Returns the use of all links of a network.
    pub fn uses(&self, network: &Network) -> Vec<LinkUse> {
        let elapsed = self.clock.end_of_cycle(network.cycle());
        network.links().iter().map(|link| self.link_use(link, elapsed)).collect()
    }

    /// Returns the part of the network's cycles for which each link moved flits, from 0 to 1.
    pub fn utilisations(&self, network: &Network) -> Vec<f64> {
        let utilisation = |link: &Link| {
            let flit_share = f64::from(link.cycles_per_flit) / f64::from(self.time_shares) / network.cycle() as f64;
            f64::min(link.flits as f64 * flit_share, 1.0)
        };
        network.links().iter().map(utilisation).collect()
    }

    /// Returns the use of a link in the time `elapsed`. A flit is counted in the cycle in which it begins to cross the
    /// link, and the last one may end after `elapsed`; the result is therefore limited to `elapsed`.
    fn link_use(&self, link: &Link, elapsed: Time) -> LinkUse {
        let time = self.rate_of(link.cycles_per_flit).time_for(Bytes(u64::from(self.flit_bytes) * link.flits));
        let active = time.scale(1, self.time_shares.into()).min(elapsed);
        LinkUse { name: self.link_name(link.from, link.to), busy: active, active }
    }

    fn link_name(&self, from: LinkEnd, to: LinkEnd) -> String {
        format!("{} → {}", self.end_name(from), self.end_name(to))
    }

    fn end_name(&self, end: LinkEnd) -> String {
        match end {
            LinkEnd::Node(node) => match self.node_names.get(node as usize).map(String::as_str) {
                Some(name) => name.to_owned(),
                None => self.wiring.node_name(node).map_or_else(|| format!("node {node}"), str::to_owned),
            },
            LinkEnd::Router(router, port) => match self.wiring.router_name(router) {
                Some(name) => format!("{name}.{port}"),
                None => format!("router {router}.{port}"),
            },
        }
    }
}

/// The spans of packets on channels.
#[derive(Debug, Default)]
pub struct Spans {
    tracks: BTreeMap<u32, Track>,
    crossings: Vec<Crossing>,
}

impl Spans {
    /// Records spans of the packets that have left channels of `network` since the last call; `label` returns the label
    /// of a packet's span.
    pub fn record(
        &mut self,
        recorder: &Recorder,
        network: &mut Network,
        links: &Links,
        label: impl Fn(&Crossing) -> SpanLabel,
    ) {
        if !recorder.is_on() {
            return;
        }
        network.take_crossings(&mut self.crossings);
        for crossing in self.crossings.drain(..) {
            if recorder.is_full() {
                // The tracks of a large network need more memory than their spans.
                recorder.drop_spans(1);
                continue;
            }
            let track = self.tracks.entry(crossing.channel).or_insert_with(|| {
                let LinkChannel { from, to, channel: channel_number } = network.channel(crossing.channel);
                let channel_suffix =
                    if links.channels > 1 { format!(", channel {channel_number}") } else { String::new() };
                recorder.register_track(TRACK_GROUP, &format!("{}{channel_suffix}", links.link_name(from, to)))
            });
            let [start, end] = [crossing.start_cycle, crossing.end_cycle].map(|cycle| links.clock.end_of_cycle(cycle));
            recorder.record_span(*track, label(&crossing), start, end);
        }
    }
}
