//! The state of a network between two cycles, and the order of the stages within a cycle.

use super::NetworkOps;
use super::active::ActiveSet;
use super::crossings::{Crossing, Crossings, LinkChannel};
use super::delay_line::DelayLine;
use super::links::Link;
use super::packets::{Flit, Packets};
use super::sinks::Sink;
use super::sources::Source;
use super::state::{PortChoice, Sector};
use super::switch_allocation::SwitchRequests;
use super::timings::Timings;
use crate::fabric::router::{Counts, Injection, PacketEvent, Switching};
use crate::fabric::topology::Shape;

/// A network whose ports have at most `PORT_CHANNELS` channels. It is `SIMPLE_WORMHOLE` if it has one logical network,
/// wormhole switching, and links that move a flit in each cycle. This common case is compiled separately.
#[derive(Debug)]
pub struct SpecializedNetwork<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> {
    pub(super) cycle: u64,
    pub(super) sectors: Vec<Sector<PORT_CHANNELS>>,
    pub(super) shared: NetworkState<PORT_CHANNELS, SIMPLE_WORMHOLE>,
    pub(super) switch_requests: SwitchRequests,
}

/// The state outside the sectors: packets, sources, sinks, and flits and credits in flight between routers.
#[derive(Debug)]
pub struct NetworkState<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> {
    pub(super) shape: Shape,
    pub(super) rules: Rules,
    /// Whether any header needs more than one credit of a channel.
    pub(super) needs_min_credits: bool,
    /// For each router and destination, the output port, once it is known. The table is empty if routes depend on more
    /// than these two, or if it would be too large.
    pub(super) known_ports: Vec<u8>,
    /// For each input channel, the ports among which its header may choose; empty until a packet has such a choice.
    pub(super) port_choices: Vec<PortChoice>,
    pub(super) has_port_choices: bool,
    pub(super) sources: Vec<Source<PORT_CHANNELS>>,
    /// For each node and logical network, its sink; empty until a streamed packet is offered.
    pub(super) sinks: Vec<Sink>,
    pub(super) packets: Packets,
    /// Free receive slots of each node and logical network.
    pub(super) slots: Vec<u32>,
    /// Whether the receive slots of any node are limited.
    pub(super) has_slot_limits: bool,
    /// For each node, the output ports that lead to it.
    pub(super) exit_ports: Vec<Vec<u32>>,
    /// For each router of each plane, its first port. A plane is a copy of all routers, for the logical networks that
    /// share links.
    pub(super) first_ports: Vec<u32>,
    /// For each port, the node behind it.
    pub(super) nodes_of_ports: Vec<u32>,
    /// Flits on links between routers, and from sources.
    pub(super) flits_to_routers: DelayLine<MovingFlit>,
    pub(super) flits_to_nodes: DelayLine<MovingFlit>,
    /// Credits in flight to output channels of routers, and to sources.
    pub(super) credits_to_routers: DelayLine<u32>,
    pub(super) credits_to_sources: DelayLine<u32>,
    /// Headers that will request a channel: those that were just routed, that lost an arbitration, or that were woken.
    pub(super) headers: DelayLine<u32>,
    /// Input channels that were granted an output channel and may not use it yet.
    pub(super) granted_inputs: DelayLine<u32>,
    /// Output ports whose links are moving a flit, each due in the cycle in which its link becomes free.
    pub(super) output_link_releases: DelayLine<u32>,
    /// Sources whose links are moving a flit, each due in the cycle in which its link becomes free.
    pub(super) source_link_releases: DelayLine<u32>,
    pub(super) active_sources: ActiveSet,
    /// Whether the stages may use their `WITHOUT_OPTIONAL_FEATURES` variants, which are compiled separately. The stages
    /// may use them if the network is `SIMPLE_WORMHOLE`, no node limits its receive slots, no packet has had a choice
    /// of ports, and no crossings are recorded.
    pub(super) is_without_optional_features: bool,
    /// Whether a flit may request the switch in the next cycle.
    pub(super) has_switch_work: bool,
    /// During channel allocation, the output channels that are requested.
    pub(super) requested_outputs: Vec<u32>,
    pub(super) events: Vec<PacketEvent>,
    /// Whether injections and arrivals of headers are not reported.
    pub(super) reports_deliveries_only: bool,
    pub(super) counts: Counts,
    /// Cycles of each link, if links differ. In a `SIMPLE_WORMHOLE` network they do not differ.
    pub(super) timings: Option<Box<Timings>>,
    /// Record of crossings, if spans are recorded.
    pub(super) crossings: Option<Box<Crossings>>,
}

/// A flit on a link, and the channel to which it moves.
#[derive(Clone, Copy, Debug)]
pub struct MovingFlit {
    pub target: u32,
    pub flit: Flit,
}

/// The parameters, converted to the form that the stages use. Delays are in cycles.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub seed: u64,
    pub switching: Switching,
    /// Number of logical networks that share a link.
    pub lanes: u32,
    pub nodes: u32,
    pub networks: u32,
    /// Number of channels of a logical network.
    pub virtual_channels: u32,
    /// Channels of a logical network, one bit each.
    pub every_channel: u32,
    pub buffer_flits: u16,
    pub cycles_per_flit: u64,
    pub routing_delay: u64,
    /// Cycles from a flit's departure from its source to its arrival in the router's buffer.
    pub interface_delay: u64,
    /// Cycles from a flit's arrival at a node until its credit can be used.
    pub node_credit_delay: u64,
    pub channel_allocation_delay: u64,
    /// Whether channels are granted after the switch is allocated, for use in the next cycle.
    pub grants_after_switch: bool,
    /// Whether a packet may use a granted channel in the next allocation of the switch.
    pub uses_grant_at_once: bool,
    /// Number of bits of a slot's number within a buffer.
    pub slot_bits: u32,
    /// Highest number of a slot within a buffer; all of its bits are set.
    pub last_slot: u16,
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> NetworkOps
    for SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE>
{
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn counts(&self) -> Counts {
        self.shared.counts
    }

    fn links(&self) -> Vec<Link> {
        self.all_links()
    }

    fn take_events(&mut self, events: &mut Vec<PacketEvent>) {
        if events.is_empty() {
            // The two lists are moved, since `swap` is a call if it is not inlined.
            let empty = std::mem::take(events);
            *events = std::mem::replace(&mut self.shared.events, empty);
        } else {
            events.append(&mut self.shared.events);
        }
    }

    fn report_deliveries_only(&mut self) {
        self.shared.reports_deliveries_only = true;
    }

    fn record_crossings(&mut self) {
        SpecializedNetwork::record_crossings(self);
    }

    fn take_crossings(&mut self, completed: &mut Vec<Crossing>) {
        self.shared.crossings.iter_mut().for_each(|crossings| crossings.take_completed(completed));
    }

    fn channel(&self, number: u32) -> LinkChannel {
        self.channel_of(number)
    }

    fn offer(&mut self, injection: Injection) {
        assert!(injection.flits > 0, "a packet has at least one flit");
        assert!(injection.destination < self.shared.rules.nodes, "the packet's destination is a node");
        assert!(u32::from(injection.network) < self.shared.rules.networks, "the packet's logical network exists");
        assert!(
            self.shared.rules.switching == Switching::Wormhole || injection.flits <= self.shared.rules.buffer_flits,
            "a buffer can hold a whole packet"
        );
        assert!(injection.available_flits <= injection.flits, "a source has at most the flits of the packet");
        if injection.flow_unit > 0 {
            assert!(!self.shared.reports_deliveries_only, "the flits of a streamed packet are reported");
            self.shared.create_sinks(&injection);
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

    fn set_slots(&mut self, node: u32, network: u8, slots: u32) {
        self.shared.slots[(node * self.shared.rules.networks + u32::from(network)) as usize] = slots;
        self.shared.limit_slots();
        self.wake_exits(node);
    }

    fn add_slot(&mut self, node: u32, network: u8) {
        let slots = &mut self.shared.slots[(node * self.shared.rules.networks + u32::from(network)) as usize];
        *slots = slots.saturating_add(1);
        self.wake_exits(node);
    }

    fn step(&mut self) {
        let now = self.cycle;
        if let Some(crossings) = &mut self.shared.crossings {
            crossings.cycle = now;
        }
        self.free_links(now);
        if SIMPLE_WORMHOLE && self.shared.is_without_optional_features {
            self.send_from_sources::<true>(now)
        } else {
            self.send_from_sources::<false>(now)
        }
        self.arrive_flits(now);
        self.end_channel_allocation(now);
        if SIMPLE_WORMHOLE && self.shared.is_without_optional_features {
            self.allocate::<true>(now)
        } else {
            self.allocate::<false>(now)
        }
        self.shared.end_cycle(now);
        self.cycle += 1;
        assert_eq!(self.shared.packets.len() as u64, self.shared.counts.in_flight(), "no packet is lost or made");
    }

    fn next_work(&self) -> Option<u64> {
        let is_ready =
            || self.sectors.iter().any(|sector| (0..sector.used_words).any(|word| sector.ready_channels(word) != 0));
        if !self.shared.active_sources.is_empty() || (self.shared.has_switch_work && is_ready()) {
            return Some(self.cycle);
        }
        let NetworkState { flits_to_routers, flits_to_nodes, credits_to_routers, credits_to_sources, .. } =
            &self.shared;
        let NetworkState { headers, granted_inputs, output_link_releases, source_link_releases, .. } = &self.shared;
        let flit_lines = [flits_to_routers, flits_to_nodes];
        let other_lines = [
            credits_to_routers,
            credits_to_sources,
            headers,
            granted_inputs,
            output_link_releases,
            source_link_releases,
        ];
        // The search checks cycle by cycle, not line by line, because some item is usually due soon. A line with fewer
        // ring cycles than the longest line wraps around and repeats its answers for earlier cycles. Those answers
        // were negative, because the search ends at the first positive answer.
        let is_due = |cycle: &u64| {
            flit_lines.iter().any(|line| line.is_due(*cycle)) || other_lines.iter().any(|line| line.is_due(*cycle))
        };
        let ring_cycles = other_lines
            .iter()
            .map(|line| line.ring_cycles())
            .chain(flit_lines.iter().map(|line| line.ring_cycles()))
            .max();
        (self.cycle..self.cycle + ring_cycles.unwrap_or(0)).find(is_due)
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

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Delivers credits, and lets sources send.
    #[inline]
    fn send_from_sources<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64) {
        self.arrive_credits::<WITHOUT_OPTIONAL_FEATURES>(now);
        self.shared.step_sources::<WITHOUT_OPTIONAL_FEATURES>(now);
    }

    /// Allocates channels and the switch.
    #[inline]
    fn allocate<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64) {
        self.allocate_channels::<WITHOUT_OPTIONAL_FEATURES>(now);
        if self.shared.has_switch_work {
            self.allocate_switch::<WITHOUT_OPTIONAL_FEATURES>(now);
        }
        if self.shared.rules.grants_after_switch {
            self.grant_channels::<WITHOUT_OPTIONAL_FEATURES>(now);
        }
    }
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> NetworkState<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    fn end_cycle(&mut self, now: u64) {
        self.flits_to_routers.end_cycle(now);
        self.flits_to_nodes.end_cycle(now);
        self.credits_to_routers.end_cycle(now);
        self.credits_to_sources.end_cycle(now);
        self.granted_inputs.end_cycle(now);
        if !SIMPLE_WORMHOLE {
            self.output_link_releases.end_cycle(now);
            self.source_link_releases.end_cycle(now);
        }
    }
}
