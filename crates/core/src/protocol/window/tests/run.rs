//! A timed run of links with slow readers over a fabric that loses, copies and delays frames at random.

use super::super::*;
use super::net::encode_and_decode;
use crate::engine::NodeId;
use crate::engine::Time;
use crate::engine::rng::{RandomStream, stream};
use rand::RngExt;
use std::collections::{BTreeMap, VecDeque};

/// Time between two frames of a node.
pub const SPACING: Time = Time::from_ns(10);

#[derive(Clone, Copy, Debug)]
pub struct Fabric {
    /// Percentage of frames that are lost.
    pub lost_percent: u32,
    /// Percentage of frames that are copied.
    pub copied_percent: u32,
    /// Largest delay of a frame or its copy.
    pub delay_max_ns: u64,
    pub keeps_order: bool,
}

/// An event, which happens at its time.
#[derive(Clone, Debug)]
enum Event {
    Arrives(WindowFrame<u64>),
    HasRead(NodeId, ReadingSlot),
}

struct Run {
    links: Vec<WindowLink<u64>>,
    fabric: Fabric,
    rng: RandomStream,
    now: Time,
    scheduled_events: BTreeMap<(Time, u64), Event>,
    scheduled_count: u64,
    /// Time at which the last frame of each pair arrives, on a fabric that keeps order.
    last_arrivals: BTreeMap<(NodeId, NodeId), Time>,
    read_max_ns: u64,
    unoffered_packets: Vec<VecDeque<(NodeId, u64)>>,
    expected_packets: BTreeMap<(NodeId, NodeId), VecDeque<u64>>,
}

impl Run {
    fn schedule(&mut self, time: Time, event: Event) {
        self.scheduled_events.insert((time, self.scheduled_count), event);
        self.scheduled_count += 1;
    }

    /// Performs a node's turn: it offers packets, sends one frame, and begins to read one packet.
    fn perform_turn(&mut self, node: NodeId) {
        let now = self.now;
        let (link, unoffered_packets) =
            (&mut self.links[node.0 as usize], &mut self.unoffered_packets[node.0 as usize]);
        while !unoffered_packets.is_empty() && link.reserve() {
            let (to, payload) = unoffered_packets.pop_front().expect("a packet is left");
            link.offer(to, payload);
        }
        if link.next_timer().is_some_and(|timer| timer <= now) {
            link.on_time(now);
        }
        let frame = link.next(now);
        let read = link.take();
        link.check();
        frame.into_iter().for_each(|frame| self.transmit(encode_and_decode(frame)));
        if let Some((from, payload, slot)) = read {
            let expected_packet = self.expected_packets.get_mut(&(from, node)).and_then(VecDeque::pop_front);
            assert_eq!(expected_packet, Some(payload), "each packet once, in order per pair");
            let span = Time::from_ns(self.rng.random_range(0..=self.read_max_ns));
            self.schedule(now + span, Event::HasRead(node, slot));
        }
    }

    fn transmit(&mut self, frame: WindowFrame<u64>) {
        let copies = 1 + u32::from(self.rng.random_range(0..100) < self.fabric.copied_percent);
        for _ in 0..copies {
            if self.rng.random_range(0..100) < self.fabric.lost_percent {
                continue;
            }
            let mut arrival_time = self.now + Time::from_ns(self.rng.random_range(0..=self.fabric.delay_max_ns));
            if self.fabric.keeps_order {
                let last_arrival = self.last_arrivals.entry((frame.from, frame.to)).or_default();
                arrival_time = arrival_time.max(*last_arrival);
                *last_arrival = arrival_time;
            }
            self.schedule(arrival_time, Event::Arrives(frame.clone()));
        }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Arrives(frame) => {
                let link = &mut self.links[frame.to.0 as usize];
                let _ = link.arrive(frame, self.now);
                link.check();
            }
            Event::HasRead(node, slot) => {
                self.links[node.0 as usize].release(slot);
            }
        }
    }

    fn run_to_end(mut self) {
        while !self.is_complete() {
            assert!(self.now < Time::from_us(100_000), "all packets are delivered in time");
            while let Some(first) = self.scheduled_events.first_entry().filter(|first| first.key().0 <= self.now) {
                let event = first.remove();
                self.apply(event);
            }
            (0..self.links.len() as u32).for_each(|node| self.perform_turn(NodeId(node)));
            self.now += SPACING;
        }
    }

    fn is_complete(&self) -> bool {
        let is_offered = self.unoffered_packets.iter().all(VecDeque::is_empty);
        is_offered
            && self.expected_packets.values().all(VecDeque::is_empty)
            && self.links.iter().all(WindowLink::is_idle)
    }
}

/// Performs a run, and asserts that each packet from one node to another is delivered once and in order.
pub fn run(parameters: LinkParameters, fabric: Fabric, packets: &[(u32, u32)], seed: u64) {
    let nodes = 1 + packets.iter().map(|&(from, to)| from.max(to)).max().unwrap_or(0);
    let mut rng = stream(seed, "window");
    let mut run = Run {
        links: (0..nodes).map(|node| WindowLink::new(NodeId(node), &parameters)).collect(),
        fabric,
        now: Time::ZERO,
        scheduled_events: BTreeMap::new(),
        scheduled_count: 0,
        last_arrivals: BTreeMap::new(),
        read_max_ns: rng.random_range(0..500),
        rng,
        unoffered_packets: vec![VecDeque::new(); nodes as usize],
        expected_packets: BTreeMap::new(),
    };
    for (payload, &(from, to)) in (0..).zip(packets) {
        run.unoffered_packets[from as usize].push_back((NodeId(to), payload));
        run.expected_packets.entry((NodeId(from), NodeId(to))).or_default().push_back(payload);
    }
    run.run_to_end();
}
