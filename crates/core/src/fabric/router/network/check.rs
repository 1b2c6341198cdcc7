//! The invariants of a network between two cycles: flits are conserved, credits equal free slots, and the bit masks
//! agree with the states of the channels.

use super::cycle::{MovingFlit, NetworkState, SpecializedNetwork};
use super::sinks::Sink;
use super::sources::Source;
use super::state::{CHANNELS, NO_CHANNEL, NO_PORT, SOURCE_OR_NODE_BIT, Sector, VcState};

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Checks all invariants. This is slow, and only for tests.
    ///
    /// # Panics
    ///
    /// Panics if an invariant does not hold.
    pub(super) fn check_all(&self) {
        let inputs = self.sectors.iter().flat_map(|sector| &sector.inputs);
        let buffered_flits: u64 = inputs.map(|channel| u64::from(channel.flit_count)).sum();
        let flits_on_links = self.moving_flits().count() as u64;
        assert_eq!(self.shared.counts.in_flight_flits(), buffered_flits + flits_on_links, "flits are conserved");
        self.check_credits();
        self.sectors.iter().for_each(check_bits);
        self.switch_requests.check();
    }

    /// Checks that every buffer slot is counted once: as a credit, a buffered flit, a flit on a link, a credit in
    /// flight, or a credit that a node keeps.
    fn check_credits(&self) {
        let channels = self.sectors.len() * CHANNELS;
        let mut slots = vec![0u32; channels + self.shared.sources.len() * PORT_CHANNELS];
        let slot_index = |channel: u32| match channel & SOURCE_OR_NODE_BIT {
            0 => channel as usize,
            _ => channels + (channel & !SOURCE_OR_NODE_BIT) as usize,
        };
        let NetworkState { credits_to_routers, credits_to_sources, .. } = &self.shared;
        for credit in credits_to_routers.iter().chain(credits_to_sources.iter()) {
            slots[slot_index(*credit)] += 1;
        }
        for kept_flits in self.shared.sinks.iter().flat_map(Sink::kept_flits) {
            slots[kept_flits.output as usize] += u32::from(kept_flits.flits);
        }
        for moving_flit in self.moving_flits() {
            let upstream = match moving_flit.target & SOURCE_OR_NODE_BIT {
                0 => self.upstream(moving_flit.target as usize),
                _ => moving_flit.target & !SOURCE_OR_NODE_BIT,
            };
            slots[slot_index(upstream)] += 1;
        }
        for channel in 0..channels {
            let (sector, local_channel) = (&self.sectors[channel / CHANNELS], channel % CHANNELS);
            slots[channel] += u32::from(sector.outputs[local_channel].credits);
            let length = sector.inputs[local_channel].flit_count;
            if length > 0 {
                slots[slot_index(self.upstream(channel))] += u32::from(length);
            }
        }
        for (channel, credits) in self.shared.sources.iter().flat_map(Source::credits).enumerate() {
            slots[channels + channel] += u32::from(*credits);
        }
        for (index, slots) in slots.iter().enumerate() {
            let target_of =
                |number: usize| self.sectors[number / CHANNELS].ports[number % CHANNELS / PORT_CHANNELS].target;
            let is_linked = index >= channels || target_of(index) != NO_PORT;
            assert_eq!(
                *slots,
                if is_linked { u32::from(self.shared.rules.buffer_flits) } else { 0 },
                "slots of {index}"
            );
        }
    }

    fn moving_flits(&self) -> impl Iterator<Item = &MovingFlit> {
        self.shared.flits_to_routers.iter().chain(self.shared.flits_to_nodes.iter())
    }

    /// Returns the output channel, or the channel of a source, that leads to an input channel.
    fn upstream(&self, input: usize) -> u32 {
        self.sectors[input / CHANNELS].ports[input % CHANNELS / PORT_CHANNELS].upstream + (input % PORT_CHANNELS) as u32
    }
}

fn check_bits<const PORT_CHANNELS: usize>(sector: &Sector<PORT_CHANNELS>) {
    let is_set = |words: &[u64], index: usize| words[index / 64] >> (index % 64) & 1 != 0;
    for channel in 0..CHANNELS {
        let state = &sector.inputs[channel];
        assert_eq!(is_set(&sector.filled_channels, channel), state.flit_count > 0);
        let out_port = usize::from(sector.out_ports[channel]);
        let held_output = &sector.outputs[(out_port * PORT_CHANNELS + usize::from(state.out_channel)) % CHANNELS];
        let is_owner = state.vc_state == VcState::Active && usize::from(held_output.owner) == channel;
        let has_link = !sector.ports[out_port % Sector::<PORT_CHANNELS>::PORTS].is_busy;
        assert_eq!(is_set(&sector.open_channels, channel), is_owner && held_output.credits > 0 && has_link);
        let output = &sector.outputs[channel];
        let is_free = sector.ports[channel / PORT_CHANNELS].free_channels >> (channel % PORT_CHANNELS) & 1 != 0;
        assert!(output.owner == NO_CHANNEL || !is_free, "a held channel is not free");
        assert_eq!(output.candidate, NO_CHANNEL, "no request is left between two cycles");
    }
}
