//! The order of a cycle, and what is kept between two.

use super::Cycles;
use super::active::Active;
use super::crossings::{Crossing, Crossings, LinkChannel};
use super::links::Link;
use super::packets::{Flit, Packets};
use super::ring::Line;
use super::sinks::Sink;
use super::sources::Source;
use super::state::{Sector, Several};
use super::switch_allocation::Bids;
use super::timings::Timings;
use crate::fabric::router::{Counts, Injection, PacketEvent, Switching};
use crate::fabric::topology::Shape;

/// A network whose ports have at most `C` channels. It is `PLAIN` if it has one logical network, wormhole
/// switching, and links that move a flit in each cycle: the common case, compiled apart.
#[derive(Debug)]
pub struct Rows<const C: usize, const PLAIN: bool> {
    pub(super) cycle: u64,
    pub(super) sectors: Vec<Sector<C>>,
    pub(super) shared: Shared<C, PLAIN>,
    pub(super) bids: Bids,
}

/// What routers have in common: packets, sources, what is under way between them.
#[derive(Debug)]
pub struct Shared<const C: usize, const PLAIN: bool> {
    pub(super) shape: Shape,
    pub(super) rules: Rules,
    /// Whether any header waits for more room behind a channel than a flit's.
    pub(super) waits_for_room: bool,
    /// For each router and destination the port, once it is known, if the rule asks for no more and the
    /// table is small.
    pub(super) known_ports: Vec<u8>,
    /// For each channel, if any packet ever has several ways.
    pub(super) several: Vec<Several>,
    pub(super) has_several: bool,
    pub(super) sources: Vec<Source<C>>,
    /// For each node and logical network, if any packet was ever streamed.
    pub(super) sinks: Vec<Sink>,
    pub(super) packets: Packets,
    /// Free places of each node and logical network.
    pub(super) places: Vec<u32>,
    /// Whether any node has a limit.
    pub(super) has_places: bool,
    /// For each node, the ports at which packets leave for it.
    pub(super) exits: Vec<Vec<u32>>,
    /// For each router of each plane, its first port.
    pub(super) first_ports: Vec<u32>,
    /// For each port, the node behind it.
    pub(super) nodes: Vec<u32>,
    /// Flits on links between routers, and from sources.
    pub(super) to_routers: Line<Moving>,
    pub(super) to_nodes: Line<Moving>,
    /// Credits of routers, and of nodes.
    pub(super) credits_to_routers: Line<u32>,
    pub(super) credits_to_sources: Line<u32>,
    /// Headers that will look for a channel: those that are routed, those that lost, those that were woken.
    pub(super) headers: Line<u32>,
    pub(super) granted: Line<u32>,
    pub(super) links: Line<u32>,
    pub(super) interfaces: Line<u32>,
    pub(super) active_sources: Active,
    /// Whether nothing is out of the ordinary, which stages are compiled apart for: it is `PLAIN`, no node has a
    /// limit, no packet ever had several ways, no crossings are kept.
    pub(super) is_bare: bool,
    /// Whether a flit may be about to ask for the switch.
    pub(super) is_lively: bool,
    /// In channel allocation, the output channels that are asked for.
    pub(super) asked: Vec<u32>,
    pub(super) events: Vec<PacketEvent>,
    pub(super) counts: Counts,
    /// The cycles of links, if they differ; none do in a `PLAIN` network.
    pub(super) timings: Option<Box<Timings>>,
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
    pub routing: u64,
    /// From a flit's leaving its source until it is in the router's buffer.
    pub interface: u64,
    /// From a flit's coming out at a node until its credit counts.
    pub node_credit: u64,
    pub channel_allocation: u64,
    /// Whether channels are granted after the switch was allocated, to be used in the next cycle.
    pub grants_late: bool,
    /// Whether a packet that is granted a channel may use it when the switch is allocated next.
    pub holds_at_once: bool,
    /// Bits of a flit's number within its buffer.
    pub flit_bits: u32,
    /// The highest number of a slot of a buffer, all of whose bits are set.
    pub last_slot: u16,
}

impl<const C: usize, const PLAIN: bool> Cycles for Rows<C, PLAIN> {
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
        self.shared.note_places();
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
        if PLAIN && self.shared.is_bare {
            self.send_from_sources::<true>(now)
        } else {
            self.send_from_sources::<false>(now)
        }
        self.arrive_flits(now);
        self.end_channel_allocation(now);
        if PLAIN && self.shared.is_bare {
            self.allocate::<true>(now)
        } else {
            self.allocate::<false>(now)
        }
        self.shared.end_cycle(now);
        self.cycle += 1;
        assert_eq!(self.shared.packets.len() as u64, self.shared.counts.in_flight(), "no packet is lost or made");
    }

    fn next_work(&self) -> Option<u64> {
        let is_ready = || self.sectors.iter().any(|sector| (0..sector.words).any(|word| sector.ready(word) != 0));
        if !self.shared.active_sources.is_empty() || (self.shared.is_lively && is_ready()) {
            return Some(self.cycle);
        }
        let Shared { to_routers, to_nodes, credits_to_routers, credits_to_sources, .. } = &self.shared;
        let Shared { headers, granted, links, interfaces, .. } = &self.shared;
        let flits = [to_routers, to_nodes];
        let rest = [credits_to_routers, credits_to_sources, headers, granted, links, interfaces];
        // Cycle by cycle and not line by line, since something is mostly due soon. A line with a shorter turn shows
        // beyond it what it has shown for an earlier cycle.
        let is_due =
            |cycle: &u64| flits.iter().any(|line| line.is_due(*cycle)) || rest.iter().any(|line| line.is_due(*cycle));
        let turn = rest.iter().map(|line| line.turn()).chain(flits.iter().map(|line| line.turn())).max();
        (self.cycle..self.cycle + turn.unwrap_or(0)).find(is_due)
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

impl<const C: usize, const PLAIN: bool> Rows<C, PLAIN> {
    /// Credits arrive, and sources send.
    #[inline]
    fn send_from_sources<const BARE: bool>(&mut self, now: u64) {
        self.arrive_credits::<BARE>(now);
        self.shared.step_sources::<BARE>(now);
    }

    /// Both allocations.
    #[inline]
    fn allocate<const BARE: bool>(&mut self, now: u64) {
        self.allocate_channels::<BARE>(now);
        if self.shared.is_lively {
            self.allocate_switch::<BARE>(now);
        }
        if self.shared.rules.grants_late {
            self.grant_channels::<BARE>(now);
        }
    }
}

impl<const C: usize, const PLAIN: bool> Shared<C, PLAIN> {
    fn end_cycle(&mut self, now: u64) {
        self.to_routers.end_cycle(now);
        self.to_nodes.end_cycle(now);
        self.credits_to_routers.end_cycle(now);
        self.credits_to_sources.end_cycle(now);
        self.headers.end_cycle(now);
        self.granted.end_cycle(now);
        if !PLAIN {
            self.links.end_cycle(now);
            self.interfaces.end_cycle(now);
        }
    }
}
