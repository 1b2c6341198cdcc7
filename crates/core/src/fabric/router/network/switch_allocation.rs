//! Switch allocation, which is separable and input first. Each input requests one output, for one of its channels that
//! have a flit and may continue; each output serves one input. A whole sector is allocated at once, word by word.

use super::active::take_lowest;
use super::branchless_filter::{self, BranchlessFilter, Items};
use super::cycle::SpecializedNetwork;
use super::state::{CHANNELS, PORTS, Sector};

/// Number of words of a mask with a bit for each port.
const PORT_WORDS: usize = PORTS / 64;

/// The requests of a sector's inputs, and the inputs that are served. The storage is reused for each sector.
#[derive(Debug)]
pub struct SwitchRequests {
    /// For each output, the input channel that it serves in the low bits, and the round-robin distance of that channel
    /// in the high bits; [`NO_REQUEST`] before and after the allocation of a sector.
    winners: [u32; PORTS],
    /// Input channels that are the only ones of their ports that may request the switch.
    single_requests: Items,
    /// Input channels that tails have left.
    tails: Items,
}

impl Default for SwitchRequests {
    fn default() -> SwitchRequests {
        SwitchRequests {
            winners: [NO_REQUEST; PORTS],
            single_requests: branchless_filter::NO_ITEMS,
            tails: branchless_filter::NO_ITEMS,
        }
    }
}

impl SwitchRequests {
    /// Checks that no request is left.
    pub(super) fn check(&self) {
        assert!(self.winners.iter().all(|winner| *winner == NO_REQUEST), "every request was served or lost");
    }
}

/// The value for no request, which loses to every request.
const NO_REQUEST: u32 = u32::MAX;

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Allocates the switch, and sends the flits that are granted an output.
    #[inline(never)]
    pub(super) fn allocate_switch<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64) {
        let SpecializedNetwork { sectors, shared, switch_requests, .. } = self;
        let mut flits_sent = 0;
        for (index, sector) in sectors.iter_mut().enumerate() {
            let requested_outputs = collect_requests(sector, switch_requests);
            let mut tails = BranchlessFilter::new(&mut switch_requests.tails);
            for word in 0..sector.used_words.div_ceil(PORT_CHANNELS) {
                let mut outputs = requested_outputs[word % PORT_WORDS];
                while let Some(output) = take_lowest(&mut outputs) {
                    let output = (word * 64 + output as usize) % PORTS;
                    let winner = std::mem::replace(&mut switch_requests.winners[output], NO_REQUEST) as u16;
                    let is_tail = shared.send(sector, (index, winner), output, now);
                    flits_sent += usize::from(!SIMPLE_WORMHOLE);
                    tails.add_if(is_tail, winner);
                }
            }
            shared.end_packets::<WITHOUT_OPTIONAL_FEATURES>(sector, (index, tails), now);
        }
        // In other networks, flits may be added to a delay line by `push_at`, which `added_count` does not count.
        if SIMPLE_WORMHOLE {
            flits_sent = shared.flits_to_routers.added_count() + shared.flits_to_nodes.added_count();
        }
        shared.counts.flit_hops += flits_sent as u64;
        shared.has_switch_work = flits_sent > 0;
    }
}

/// Collects the requests of a sector: returns the requested outputs as bits, and stores the winner of each.
#[inline]
fn collect_requests<const PORT_CHANNELS: usize>(
    sector: &Sector<PORT_CHANNELS>,
    switch_requests: &mut SwitchRequests,
) -> [u64; PORT_WORDS] {
    let mut requested_outputs = [0; PORT_WORDS];
    let mut add_request = |output: usize, input: usize| {
        requested_outputs[output / 64] |= 1 << (output % 64);
        let distance = round_robin_distance((input / PORT_CHANNELS) as u16, sector.ports[output].last_input);
        switch_requests.winners[output] = switch_requests.winners[output].min((distance << 16 | input) as u32);
    };
    let mut single_requests = BranchlessFilter::new(&mut switch_requests.single_requests);
    for word in 0..sector.used_words {
        let ready = sector.ready_channels(word);
        let mut single_channels = ready;
        let further_channels = all_but_first::<PORT_CHANNELS>(ready);
        if further_channels != 0 {
            let (all_channels, mut ports_with_several) =
                (u64::MAX >> (64 - PORT_CHANNELS), ports_with_bits::<PORT_CHANNELS>(further_channels));
            single_channels &= !ports_with_several.wrapping_mul(all_channels);
            while let Some(first_channel) = take_lowest(&mut ports_with_several) {
                let (output, input) = select_request(sector, word, ready & all_channels << first_channel);
                add_request(output, input);
            }
        }
        single_requests.add_bits(word * 64, single_channels);
    }
    for index in 0..single_requests.len() {
        let input = usize::from(single_requests.get(index)) % CHANNELS;
        add_request(usize::from(sector.inputs[input].out_port) % PORTS, input);
    }
    requested_outputs
}

/// Returns a bit at the first channel of each port that has any bit set in a word of channels.
#[inline]
fn ports_with_bits<const PORT_CHANNELS: usize>(channels: u64) -> u64 {
    let mut spread_bits = channels;
    let mut shift = 1;
    while shift < PORT_CHANNELS {
        spread_bits |= spread_bits >> shift;
        shift *= 2;
    }
    spread_bits & (u64::MAX / (u64::MAX >> (64 - PORT_CHANNELS)))
}

/// Clears the lowest set bit of each port in a word of channels.
#[inline]
fn all_but_first<const PORT_CHANNELS: usize>(channels: u64) -> u64 {
    // One is subtracted from the bits of each port that has any bit set, so no port borrows from another.
    channels & (channels - ports_with_bits::<PORT_CHANNELS>(channels))
}

/// Returns the round-robin distance of a port: 0 for the port after `last`.
#[inline]
fn round_robin_distance(port: u16, last: u16) -> usize {
    usize::from(port.wrapping_sub(last).wrapping_sub(1)) % PORTS
}

/// Returns the output that an input requests and the input channel that requests it, given a word with the channels of
/// one port that may request the switch.
#[inline]
fn select_request<const PORT_CHANNELS: usize>(
    sector: &Sector<PORT_CHANNELS>,
    word: usize,
    mut channels: u64,
) -> (usize, usize) {
    // The channel whose output has the least round-robin distance wins. If several channels request that output, the
    // channel that itself has the least round-robin distance wins.
    let port = (word * 64 + channels.trailing_zeros() as usize) % CHANNELS / PORT_CHANNELS;
    let next_output = sector.ports[port].last_output.wrapping_add(1);
    let next_channel = usize::from(sector.ports[port].last_channel.wrapping_add(1));
    let mut least_distance = usize::MAX;
    let mut consider = |channel: usize, is_ready: bool| {
        let output = sector.inputs[(port * PORT_CHANNELS + channel) % CHANNELS].out_port;
        let output_distance = usize::from(output.wrapping_sub(next_output)) % PORTS;
        let distance = output_distance * PORT_CHANNELS + channel.wrapping_sub(next_channel) % PORT_CHANNELS;
        least_distance = least_distance.min(distance | usize::from(is_ready).wrapping_sub(1));
    };
    // With few channels, all are compared, because a branch on whether a channel may request would be mispredicted.
    if PORT_CHANNELS <= 4 {
        (0..PORT_CHANNELS)
            .for_each(|channel| consider(channel, channels >> (port * PORT_CHANNELS % 64 + channel) & 1 != 0));
    } else {
        while let Some(channel) = take_lowest(&mut channels) {
            consider(channel as usize % PORT_CHANNELS, true);
        }
    }
    (
        (least_distance / PORT_CHANNELS + usize::from(next_output)) % PORTS,
        port * PORT_CHANNELS + (least_distance % PORT_CHANNELS + next_channel) % PORT_CHANNELS,
    )
}
