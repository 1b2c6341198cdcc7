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
                let port = (word * 64 + first_channel as usize) / PORT_CHANNELS;
                let (output, input) = select_request(sector, port % PORTS, ready >> first_channel & all_channels);
                add_request(output, input);
            }
        }
        single_requests.add_bits(word * 64, single_channels);
    }
    for index in 0..single_requests.len() {
        let input = usize::from(single_requests.get(index)) % CHANNELS;
        add_request(usize::from(sector.out_ports[input]) % PORTS, input);
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

/// Returns the output that an input port requests and the input channel that requests it, given the channels of the port
/// that may request the switch, one bit each.
#[inline]
fn select_request<const PORT_CHANNELS: usize>(
    sector: &Sector<PORT_CHANNELS>,
    port: usize,
    channels: u64,
) -> (usize, usize) {
    // The channel whose output has the least round-robin distance wins. If several channels request that output, the
    // channel that itself has the least round-robin distance wins.
    let next_output = sector.ports[port].last_output.wrapping_add(1);
    let next_channel = usize::from(sector.ports[port].last_channel.wrapping_add(1));
    let least_distance = if PORT_CHANNELS == 4 {
        least_distance_of_four(&sector.out_ports, port, (next_output, next_channel), channels as usize)
    } else {
        least_distance(sector, port, (next_output, next_channel), channels)
    };
    (
        (least_distance / PORT_CHANNELS + usize::from(next_output)) % PORTS,
        port * PORT_CHANNELS + (least_distance % PORT_CHANNELS + next_channel) % PORT_CHANNELS,
    )
}

/// Returns the least distance of the channels of a port: the round-robin distance of the output that a channel
/// requests, times the number of channels, plus that of the channel.
#[inline]
fn least_distance<const PORT_CHANNELS: usize>(
    sector: &Sector<PORT_CHANNELS>,
    port: usize,
    (next_output, next_channel): (u16, usize),
    mut channels: u64,
) -> usize {
    let mut least_distance = usize::MAX;
    while let Some(channel) = take_lowest(&mut channels) {
        let output = sector.out_ports[(port * PORT_CHANNELS + channel as usize) % CHANNELS];
        let output_distance = usize::from(output.wrapping_sub(next_output)) % PORTS;
        let channel_distance = (channel as usize).wrapping_sub(next_channel) % PORT_CHANNELS;
        least_distance = least_distance.min(output_distance * PORT_CHANNELS + channel_distance);
    }
    least_distance
}

/// Returns the same as [`least_distance`] for a port with four channels. All four are compared, in one number with 16
/// bits for each channel, because a branch on whether a channel may request would be mispredicted.
#[inline]
fn least_distance_of_four(
    out_ports: &[u16; CHANNELS],
    port: usize,
    (next_output, next_channel): (u16, usize),
    channels: usize,
) -> usize {
    let output = |channel: usize| out_ports[(port % PORTS) * 4 + channel];
    let outputs = packed([output(0), output(1), output(2), output(3)]);
    // The highest bit of each part is set, so that no part borrows from the next one.
    let differences = (outputs | packed([1 << 15; 4])) - packed([1; 4]) * u64::from(next_output);
    let distances = (differences & packed([PORTS as u16 - 1; 4])) << 2 | CHANNEL_DISTANCES[next_channel % 4];
    let distances = distances | UNREADY_CHANNELS[channels % 16];
    let least = |shift: u32| (distances >> shift) as u16;
    least(0).min(least(16)).min(least(32).min(least(48))).into()
}

/// Returns a number that consists of four parts of 16 bits.
const fn packed(parts: [u16; 4]) -> u64 {
    parts[0] as u64 | (parts[1] as u64) << 16 | (parts[2] as u64) << 32 | (parts[3] as u64) << 48
}

/// The round-robin distances of four channels, for each channel with distance 0.
const CHANNEL_DISTANCES: [u64; 4] =
    [packed([0, 1, 2, 3]), packed([3, 0, 1, 2]), packed([2, 3, 0, 1]), packed([1, 2, 3, 0])];

/// For each set of ready channels, one bit each, the largest number for each of the other channels.
const UNREADY_CHANNELS: [u64; 16] = unready_channels();

const fn unready_channels() -> [u64; 16] {
    let mut channels = [0; 16];
    let mut ready: u64 = 0;
    while ready < 16 {
        let unready = !ready & 0xf;
        let spread = (unready & 1) | (unready & 2) << 15 | (unready & 4) << 30 | (unready & 8) << 45;
        channels[ready as usize] = spread * u16::MAX as u64;
        ready += 1;
    }
    channels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rng;
    use rand::RngExt;

    #[test]
    fn four_channels_are_compared_as_one_by_one() {
        let mut random = rng::stream(1, "four channels");
        let mut sector = Sector::<4>::new(1);
        for _ in 0..100_000 {
            let port = random.random_range(0..PORTS);
            let outputs = random.random_range(1..=PORTS as u16);
            for channel in 0..4 {
                sector.out_ports[port * 4 + channel] = random.random_range(0..outputs);
            }
            let next = (random.random_range(0..=PORTS as u16), random.random_range(0..=4));
            let channels = random.random_range(1..16);
            assert_eq!(
                least_distance_of_four(&sector.out_ports, port, next, channels),
                least_distance(&sector, port, next, channels as u64)
            );
        }
    }
}
