//! The order of a cycle, and what is kept between two.

use super::Cycles;
use super::active::{Active, take_lowest};
use super::channel_allocation::{Asked, Bid};
use super::crossings::{Crossing, Crossings, LinkChannel};
use super::links::Link;
use super::packets::{Flit, Packets};
use super::ring::Line;
use super::sinks::Sink;
use super::sources::Source;
use super::state::{Block, Several};
use crate::fabric::router::{Counts, Injection, PacketEvent, Switching};
use crate::fabric::topology::Shape;

/// A network whose routers have at most `P` ports of at most `C` channels.
#[derive(Debug)]
pub struct Rows<const P: usize, const C: usize> {
    pub(super) cycle: u64,
    pub(super) blocks: Vec<Block<P, C>>,
    pub(super) shared: Shared<P, C>,
}

/// What routers have in common: packets, sources, what is under way between them.
#[derive(Debug)]
pub struct Shared<const P: usize, const C: usize> {
    pub(super) shape: Shape,
    pub(super) rules: Rules,
    /// Whether any header waits for more room behind a channel than a flit's.
    pub(super) waits_for_room: bool,
    pub(super) flits: Vec<Flit>,
    /// For each router and destination the port, once it is known, if the rule asks for no more and the
    /// table is small.
    pub(super) known_ports: Vec<u8>,
    /// For each channel, if any packet ever has several ways.
    pub(super) several: Vec<Several>,
    pub(super) sources: Vec<Source>,
    pub(super) source_credits: Vec<[u16; C]>,
    /// For each node and logical network, if any packet was ever streamed.
    pub(super) sinks: Vec<Sink>,
    pub(super) packets: Packets,
    /// Free places of each node and logical network.
    pub(super) places: Vec<u32>,
    /// For each node, the routers at which packets leave for it.
    pub(super) exits: Vec<Vec<u32>>,
    /// For each port, the node behind it.
    pub(super) nodes: Vec<u32>,
    pub(super) from_sources: Line<Moving>,
    pub(super) to_routers: Line<Moving>,
    pub(super) to_nodes: Line<Moving>,
    pub(super) credits_to_routers: Line<u32>,
    pub(super) credits_of_nodes: Line<u32>,
    pub(super) credits_to_sources: Line<u32>,
    /// Headers that are routed: those that came to the front when they arrived, and those that followed a tail.
    pub(super) headers: Line<u32>,
    pub(super) followers: Line<u32>,
    pub(super) granted: Line<u32>,
    pub(super) links: Line<u32>,
    pub(super) interfaces: Line<u32>,
    pub(super) active_routers: Active,
    pub(super) active_sources: Active,
    pub(super) bids: Vec<Bid>,
    pub(super) events: Vec<PacketEvent>,
    pub(super) counts: Counts,
    /// If spans are kept.
    pub(super) crossings: Option<Box<Crossings>>,
}

/// A flit on a link, and the channel it goes to.
#[derive(Clone, Copy, Debug)]
pub struct Moving {
    pub to: u32,
    pub flit: Flit,
}

/// The parameters, as the stages ask for them.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub seed: u64,
    pub switching: Switching,
    /// Logical networks that share a link.
    pub lanes: u32,
    pub nodes: u32,
    pub networks: u32,
    /// Channels of a logical network.
    pub virtual_channels: u32,
    /// Of a logical network, as bits.
    pub every_channel: u32,
    pub buffer_flits: u16,
    pub cycles_per_flit: u64,
    pub channel_allocation: u64,
    /// Bits of a flit's number within its buffer.
    pub flit_bits: u32,
}

impl<const P: usize, const C: usize> Cycles for Rows<P, C> {
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn counts(&self) -> Counts {
        self.shared.counts
    }

    fn links(&self) -> Vec<Link> {
        self.all_links()
    }

    fn take_events(&mut self, into: &mut Vec<PacketEvent>) {
        into.append(&mut self.shared.events);
    }

    fn keep_crossings(&mut self) {
        Rows::keep_crossings(self);
    }

    fn take_crossings(&mut self, into: &mut Vec<Crossing>) {
        self.shared.crossings.iter_mut().for_each(|crossings| crossings.take(into));
    }

    fn channel(&self, number: u32) -> LinkChannel {
        self.channel_of(number)
    }

    fn offer(&mut self, injection: Injection) {
        assert!(injection.flits > 0, "a packet has flits");
        assert!(injection.destination < self.shared.rules.nodes, "a packet goes to a node");
        assert!(u32::from(injection.network) < self.shared.rules.networks, "a packet goes by a logical network");
        assert!(
            self.shared.rules.switching == Switching::Wormhole || injection.flits <= self.shared.rules.buffer_flits,
            "a whole packet has room in a buffer"
        );
        assert!(injection.ready <= injection.flits, "no more flits are there than the packet has");
        if injection.grain > 0 {
            self.shared.expect_stream(&injection);
        }
        let slot = self.shared.packets.insert(self.shared.counts.offered, &injection);
        self.shared.counts.offered += 1;
        self.shared.join_queue(&injection, slot);
    }

    fn supply(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        self.shared.supply_packet(node, network, tag, flits);
    }

    fn take(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        self.shared.take_flits(self.cycle, node, network, (tag, flits));
    }

    fn set_places(&mut self, node: u32, network: u8, places: u32) {
        self.shared.places[(node * self.shared.rules.networks + u32::from(network)) as usize] = places;
        self.wake_exits(node);
    }

    fn add_place(&mut self, node: u32, network: u8) {
        let places = &mut self.shared.places[(node * self.shared.rules.networks + u32::from(network)) as usize];
        *places = places.saturating_add(1);
        self.wake_exits(node);
    }

    fn step(&mut self) {
        let now = self.cycle;
        if let Some(crossings) = &mut self.shared.crossings {
            crossings.now = now;
        }
        self.free_links(now);
        self.arrive_credits(now);
        self.shared.step_sources(now);
        self.arrive_flits(now);
        self.end_routing(now);
        self.end_channel_allocation(now);
        self.step_routers();
        self.shared.end_cycle(now);
        self.cycle += 1;
        assert_eq!(self.shared.packets.len() as u64, self.shared.counts.in_flight(), "no packet is lost or made");
    }

    fn next_work(&self) -> Option<u64> {
        if !self.shared.active_routers.is_empty() || !self.shared.active_sources.is_empty() {
            return Some(self.cycle);
        }
        let Shared { from_sources, to_routers, to_nodes, .. } = &self.shared;
        let Shared { credits_to_routers, credits_of_nodes, credits_to_sources, .. } = &self.shared;
        let flits = [from_sources, to_routers, to_nodes].into_iter().filter_map(|line| line.next(self.cycle));
        let Shared { headers, followers, granted, links, interfaces, .. } = &self.shared;
        let credits = [credits_to_routers, credits_of_nodes, credits_to_sources];
        let rest = [headers, followers, granted, links, interfaces];
        let rest = credits.into_iter().chain(rest).filter_map(|line| line.next(self.cycle));
        flits.chain(rest).min()
    }

    fn skip_to(&mut self, cycle: u64) {
        if cycle == self.cycle {
            return;
        }
        assert!(cycle > self.cycle, "time does not go back");
        assert!(self.next_work().is_none_or(|next| cycle <= next), "no work is skipped");
        self.cycle = cycle;
    }

    fn check(&self) {
        self.check_all();
    }
}

impl<const P: usize, const C: usize> Shared<P, C> {
    fn end_cycle(&mut self, now: u64) {
        self.from_sources.end_cycle(now);
        self.to_routers.end_cycle(now);
        self.to_nodes.end_cycle(now);
        self.credits_to_routers.end_cycle(now);
        self.credits_of_nodes.end_cycle(now);
        self.credits_to_sources.end_cycle(now);
        self.headers.end_cycle(now);
        self.followers.end_cycle(now);
        self.granted.end_cycle(now);
        self.links.end_cycle(now);
        self.interfaces.end_cycle(now);
    }
}

impl<const P: usize, const C: usize> Rows<P, C> {
    fn wake_exits(&mut self, node: u32) {
        for router in &self.shared.exits[node as usize] {
            let block = &mut self.blocks[*router as usize];
            if block.waiting != 0 {
                block.is_changed = true;
                self.shared.active_routers.insert(*router);
            }
        }
    }

    fn step_routers(&mut self) {
        for summary in 0..self.shared.active_routers.summaries() {
            let mut words = self.shared.active_routers.words_of(summary);
            while let Some(word) = take_lowest(&mut words) {
                let word = summary * 64 + word as usize;
                let mut routers = self.shared.active_routers.take_word(word);
                while let Some(router) = take_lowest(&mut routers) {
                    self.step_router(word as u32 * 64 + router);
                }
            }
        }
    }

    #[inline]
    fn step_router(&mut self, router: u32) {
        let block = &mut self.blocks[router as usize];
        let has_no_delay = self.shared.rules.channel_allocation == 0;
        let asked = if block.is_changed && block.waiting != 0 {
            self.shared.collect_bids(block, router as usize)
        } else {
            Asked::Nothing
        };
        // Whatever happens from here on, a header sees in the next cycle.
        let mut has_moved = has_no_delay && self.shared.grant_channels(block, router as usize, asked);
        if block.ready != 0 {
            has_moved |= self.shared.allocate_switch(block, router as usize);
        }
        has_moved |= !has_no_delay && self.shared.grant_channels(block, router as usize, asked);
        if (block.is_changed && block.waiting != 0) || (has_moved && block.ready != 0) {
            self.shared.active_routers.insert(router);
        }
    }
}
