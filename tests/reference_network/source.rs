//! A node's queues, one for each logical network that shares its link.

use super::{Flit, Packet, RouterParameters};
use narrows::fabric::router::Switching;
use std::collections::VecDeque;

/// A node's source.
#[derive(Clone, Debug)]
pub struct Source {
    /// Credits of each channel of the router's input.
    pub credits: Vec<u16>,
    lanes: Vec<Lane>,
    /// The lane that sent the last flit.
    last_lane: usize,
    busy_until: u64,
}

/// The queue of one logical network.
#[derive(Clone, Debug)]
struct Lane {
    queue: VecDeque<Packet>,
    flits_sent: u16,
    /// The logical network's channel that was used last.
    channel: Option<usize>,
}

impl Source {
    pub fn new(parameters: &RouterParameters, lanes: usize) -> Source {
        let channels = lanes * usize::from(parameters.virtual_channels);
        let lane = Lane { queue: VecDeque::new(), flits_sent: 0, channel: None };
        let credits = vec![parameters.buffer_flits; channels];
        Source { credits, lanes: vec![lane; lanes], last_lane: 0, busy_until: 0 }
    }

    pub fn enqueue(&mut self, lane: usize, packet: Packet) {
        self.lanes[lane].queue.push_back(packet);
    }

    /// Makes further flits of a packet available.
    pub fn supply(&mut self, lane: usize, tag: u32, flits: u16) {
        let mut packets = self.lanes[lane].queue.iter_mut();
        let packet = packets.find(|packet| packet.injection.tag == tag).expect("the packet is in the queue");
        packet.injection.available_flits += flits;
        assert!(packet.injection.available_flits <= packet.injection.flits);
    }

    /// Returns the flit that leaves in this cycle, if any, and its channel.
    pub fn send(&mut self, now: u64, parameters: &RouterParameters, cycles_per_flit: u32) -> Option<(usize, Flit)> {
        if now < self.busy_until {
            return None;
        }
        let lanes = self.lanes.len();
        let (lane, lane_channel) = (1..=lanes).map(|offset| (self.last_lane + offset) % lanes).find_map(|lane| {
            let channel = self.channel(lane, parameters)?;
            Some((lane, channel))
        })?;
        let channel = lane * usize::from(parameters.virtual_channels) + lane_channel;
        self.credits[channel] -= 1;
        self.last_lane = lane;
        self.busy_until = now + u64::from(cycles_per_flit);
        let lane = &mut self.lanes[lane];
        lane.channel = Some(lane_channel);
        lane.flits_sent += 1;
        let packet = lane.queue[0];
        let flit = Flit {
            packet,
            number: lane.flits_sent,
            is_header: lane.flits_sent == 1,
            is_tail: lane.flits_sent == packet.injection.flits,
        };
        if flit.is_tail {
            lane.queue.pop_front();
            lane.flits_sent = 0;
        }
        Some((channel, flit))
    }

    /// Returns the channel on which a lane can send its next flit.
    fn channel(&self, lane: usize, parameters: &RouterParameters) -> Option<usize> {
        let channels = usize::from(parameters.virtual_channels);
        let state = &self.lanes[lane];
        let packet = state.queue.front()?;
        if state.flits_sent == packet.injection.available_flits {
            return None;
        }
        let channel_credits = |channel: usize| self.credits[lane * channels + channel];
        if state.flits_sent > 0 {
            return state.channel.filter(|channel| channel_credits(*channel) > 0);
        }
        let needed_credits = if parameters.switching == Switching::Wormhole { 1 } else { packet.injection.flits };
        match state.channel {
            None => Some(0).filter(|channel| channel_credits(*channel) >= needed_credits),
            Some(last) => (1..=channels)
                .map(|step| (last + step) % channels)
                .find(|channel| channel_credits(*channel) >= needed_credits),
        }
    }
}
