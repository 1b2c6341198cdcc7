//! Sinks: flits arrive at the interface of their node. The credit of a flit returns at once, or, if its packet is
//! streamed, when the interface takes the flit.

use super::cycle::{MovingFlit, NetworkState};
use super::packets::Flit;
use super::state::SOURCE_OR_NODE_BIT;
use crate::fabric::router::{EventKind, Injection};
use std::collections::VecDeque;

/// The flits of streamed packets of a logical network that have arrived at a node and have not been taken by its
/// interface.
#[derive(Clone, Default, Debug)]
pub struct Sink {
    /// Flits of incomplete flow-control units, which are not reported yet, with one entry for each packet.
    incomplete_units: Vec<KeptFlits>,
    /// Reported flits, in the order of the reports. An interface takes the flits of a packet in this order.
    reported_flits: VecDeque<KeptFlits>,
}

/// Flits of a packet whose credits the sink keeps.
#[derive(Clone, Copy, Debug)]
pub struct KeptFlits {
    /// Output channel by which the flits arrived.
    pub output: u32,
    /// Number of flits.
    pub flits: u16,
    tag: u32,
}

impl Sink {
    /// Iterates over all flits whose credits the sink keeps.
    pub fn kept_flits(&self) -> impl Iterator<Item = &KeptFlits> {
        self.incomplete_units.iter().chain(&self.reported_flits)
    }
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> NetworkState<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Creates the sinks, if they do not exist yet, because a streamed packet is offered.
    pub(super) fn create_sinks(&mut self, injection: &Injection) {
        // With a longer unit, the slots behind the last router would be full before a unit is complete.
        assert!(injection.flow_unit <= self.rules.buffer_flits, "a buffer can hold a flow-control unit");
        let sink_count = (self.rules.nodes * self.rules.networks) as usize;
        self.sinks.resize_with(sink_count, Sink::default);
    }

    /// Limits the receive slots of nodes from now on. The first router that grants a channel takes the last slot, so
    /// routers grant channels one after the other.
    pub(super) fn limit_slots(&mut self) {
        (self.has_slot_limits, self.is_without_optional_features) = (true, false);
        self.rules.grants_after_switch = false;
        self.rules.uses_grant_at_once = self.rules.channel_allocation_delay == 0;
    }

    /// Returns the cycles from a flit's arrival at a node by an output channel until its credit can be used.
    #[inline]
    fn node_credit_delay(&self, output: u32) -> u64 {
        match &self.timings {
            Some(timings) if !SIMPLE_WORMHOLE => timings.node_credit_delay[output as usize / PORT_CHANNELS].into(),
            _ => self.rules.node_credit_delay,
        }
    }

    /// Processes flits that arrive at nodes. Those that cause an event are selected without a branch.
    pub(super) fn arrive_at_nodes(&mut self, now: u64, flits: &mut [MovingFlit]) {
        let mut selected_count = 0;
        for index in 0..flits.len() {
            let MovingFlit { target, flit } = flits[index];
            if !flit.is_streamed() {
                let output = target & !SOURCE_OR_NODE_BIT;
                self.credits_to_routers.push_after(now, self.node_credit_delay(output), output);
            }
            flits[selected_count] = MovingFlit { target, flit };
            selected_count += usize::from(!flit.needs_no_event());
        }
        self.counts.delivered_flits += flits.len() as u64;
        flits[..selected_count].iter().for_each(|moving_flit| {
            self.report_arrival(now, moving_flit.target & !SOURCE_OR_NODE_BIT, moving_flit.flit)
        });
    }

    /// Reports the arrival of a header, a tail, or a flit of a streamed packet.
    #[inline]
    fn report_arrival(&mut self, now: u64, output: u32, flit: Flit) {
        let packet = self.packets.get(flit.slot());
        assert_eq!(
            packet.destination,
            self.nodes_of_ports[output as usize / PORT_CHANNELS],
            "a packet arrives where it goes to"
        );
        if flit.is_header() && !self.reports_deliveries_only {
            self.events.push(packet.at_destination(now, EventKind::HeaderArrived));
        }
        let delivered = flit.is_tail().then(|| packet.at_destination(now, EventKind::Delivered));
        if flit.is_streamed() {
            self.keep_credit(now, output, flit);
        }
        if let Some(delivered) = delivered {
            self.events.push(delivered);
            self.packets.remove(flit.slot());
            self.counts.delivered += 1;
        }
    }

    /// Keeps the credit of a streamed packet's flit, and reports the flits of a flow-control unit if it is complete.
    #[inline(never)]
    fn keep_credit(&mut self, now: u64, output: u32, flit: Flit) {
        let packet = self.packets.get(flit.slot());
        let sink = &mut self.sinks[(packet.destination * self.rules.networks + u32::from(packet.network)) as usize];
        // An output channel has one packet at a time.
        let index_of_output = sink.incomplete_units.iter().position(|kept_flits| kept_flits.output == output);
        let index = index_of_output.unwrap_or_else(|| {
            sink.incomplete_units.push(KeptFlits { output, flits: 0, tag: packet.tag });
            sink.incomplete_units.len() - 1
        });
        sink.incomplete_units[index].flits += 1;
        if sink.incomplete_units[index].flits == packet.flow_unit || flit.is_tail() {
            let complete_unit = sink.incomplete_units.swap_remove(index);
            sink.reported_flits.push_back(complete_unit);
            self.events.push(packet.at_destination(now, EventKind::FlitsArrived(complete_unit.flits)));
        }
    }

    /// Takes flits of a packet before cycle `now`. Their credits return with those of the previous cycle, in which the
    /// last report was made, so an interface that takes flits at once causes no delay.
    pub(super) fn take_flits(&mut self, now: u64, node: u32, network: u8, (tag, flits): (u32, u16)) {
        let sink_index = (node * self.rules.networks + u32::from(network)) as usize;
        let mut remaining_flits = flits;
        while remaining_flits > 0 {
            let sink = self.sinks.get_mut(sink_index);
            let first_report = sink.and_then(|sink| {
                Some((sink.reported_flits.iter().position(|kept_flits| kept_flits.tag == tag)?, sink))
            });
            let (index, sink) = first_report.expect("an interface takes flits that were reported to it");
            let kept_flits = &mut sink.reported_flits[index];
            let (output, taken_flits) = (kept_flits.output, remaining_flits.min(kept_flits.flits));
            (remaining_flits, kept_flits.flits) = (remaining_flits - taken_flits, kept_flits.flits - taken_flits);
            if kept_flits.flits == 0 {
                sink.reported_flits.remove(index);
            }
            let due_cycle = now - 1 + self.node_credit_delay(output);
            (0..taken_flits).for_each(|_| self.credits_to_routers.push_at(due_cycle, output));
        }
    }
}
