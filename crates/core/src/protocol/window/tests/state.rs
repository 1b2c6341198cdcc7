//! The states of the model, and the steps between them.

use super::super::outgoing::Outgoing;
use super::super::receiving::WindowReceiver;
use super::super::*;
use super::model::{Case, Network, PacketIndex};
use super::net::encode_and_decode;
use crate::engine::Time;
use crate::engine::{FlowKey, NodeId};
use std::collections::{BTreeMap, VecDeque};

/// A frame as a tuple, which can be ordered.
pub type InFlightFrame = (NodeId, NodeId, WindowHeader, Option<PacketIndex>);

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct State {
    links: Vec<WindowLink<PacketIndex>>,
    unoffered_packets: Vec<VecDeque<PacketIndex>>,
    slots_in_use: Vec<Vec<ReadingSlot>>,
    /// Frames in transit in a network that keeps order.
    queues: BTreeMap<(NodeId, NodeId), VecDeque<InFlightFrame>>,
    /// Frames in transit in a network that reorders, with the age of the youngest copy.
    unordered_frames: BTreeMap<InFlightFrame, u8>,
    /// Ticks since each node's last new packet left.
    ticks_since_new_packet: Vec<u8>,
    /// Packets that each pair has yet to deliver, in order.
    expected_packets: BTreeMap<(NodeId, NodeId), VecDeque<PacketIndex>>,
    pub is_misordered: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Leave(NodeId),
    Timeout(NodeId),
    Take(NodeId),
    Release(NodeId, ReadingSlot),
    /// The first frame of a pair's queue arrives, and stays in the queue if it is copied.
    ArriveFirst {
        pair: (NodeId, NodeId),
        is_copied: bool,
    },
    Lose((NodeId, NodeId)),
    /// A frame in transit arrives, and stays in transit.
    Arrive(InFlightFrame),
    Tick,
}

impl State {
    pub fn new(case: &Case) -> State {
        let mut unoffered_packets = vec![VecDeque::new(); case.nodes as usize];
        let mut expected_packets: BTreeMap<_, VecDeque<PacketIndex>> = BTreeMap::new();
        for (id, &(from, to)) in (0..).zip(&case.packets) {
            unoffered_packets[from.0 as usize].push_back(id);
            expected_packets.entry((from, to)).or_default().push_back(id);
        }
        let mut state = State {
            links: (0..case.nodes).map(|node| WindowLink::unchecked(NodeId(node), &case.parameters)).collect(),
            slots_in_use: vec![Vec::new(); unoffered_packets.len()],
            queues: BTreeMap::new(),
            unordered_frames: BTreeMap::new(),
            ticks_since_new_packet: vec![u8::MAX; unoffered_packets.len()],
            unoffered_packets,
            expected_packets,
            is_misordered: false,
        };
        state.offer(case);
        state
    }

    /// Offers as many packets as there are free buffers; they leave in later steps.
    fn offer(&mut self, case: &Case) {
        for (link, unoffered_packets) in self.links.iter_mut().zip(&mut self.unoffered_packets) {
            while !unoffered_packets.is_empty() && link.reserve() {
                let id = unoffered_packets.pop_front().expect("a packet is left");
                link.offer(case.packets[usize::from(id)].1, id);
            }
        }
    }

    pub fn steps(&self, case: &Case) -> Vec<Step> {
        let mut steps: Vec<_> = self.unordered_frames.keys().map(|&frame| Step::Arrive(frame)).collect();
        for &pair in self.queues.keys() {
            steps.extend([false, true].map(|is_copied| Step::ArriveFirst { pair, is_copied }));
            steps.push(Step::Lose(pair));
        }
        for (node, link) in (0..).map(NodeId).zip(&self.links) {
            let enabled = [
                (self.may_leave(node, case), Step::Leave(node)),
                (link.next_timer().is_some(), Step::Timeout(node)),
                (link.front().is_some(), Step::Take(node)),
            ];
            steps.extend(enabled.iter().filter(|(possible, _)| *possible).map(|&(_, step)| step));
            steps.extend(self.slots_in_use[node.0 as usize].iter().map(|&slot| Step::Release(node, slot)));
        }
        if let Network::ExpireInTime { spacing, .. } = case.network
            && (!self.unordered_frames.is_empty() || self.ticks_since_new_packet.iter().any(|&ticks| ticks < spacing))
        {
            steps.push(Step::Tick);
        }
        steps
    }

    fn may_leave(&self, node: NodeId, case: &Case) -> bool {
        let link = &self.links[node.0 as usize];
        let mut advanced_link = link.clone();
        let Some(frame) = advanced_link.next(Time::ZERO) else { return false };
        match case.network {
            Network::KeepsOrder { frames } => {
                self.queues.get(&(node, frame.to)).is_none_or(|queue| queue.len() < frames)
            }
            Network::AnyOrderAndCopies => true,
            Network::ExpireInTime { spacing, .. } => {
                let is_new = advanced_link.statistics().sent > link.statistics().sent;
                !is_new || self.ticks_since_new_packet[node.0 as usize] >= spacing
            }
        }
    }

    pub fn step(&mut self, step: Step, case: &Case) {
        match step {
            Step::Leave(node) => {
                let sent = self.links[node.0 as usize].statistics().sent;
                let frame = self.leave(node);
                let is_new = self.links[node.0 as usize].statistics().sent > sent;
                self.transmit(frame, is_new, case);
            }
            Step::Timeout(node) => {
                let link = &mut self.links[node.0 as usize];
                link.on_time(link.next_timer().expect("a timer runs"));
            }
            Step::Take(node) => self.take(node),
            Step::Release(node, slot) => {
                self.slots_in_use[node.0 as usize].retain(|other| *other != slot);
                self.links[node.0 as usize].release(slot);
            }
            Step::ArriveFirst { pair, is_copied } => {
                let first = self.queues[&pair][0];
                if !is_copied {
                    self.lose(pair);
                }
                self.arrive(first);
            }
            Step::Lose(pair) => self.lose(pair),
            Step::Arrive(frame) => self.arrive(frame),
            Step::Tick => self.tick(case),
        }
        self.offer(case);
        self.links.iter().for_each(WindowLink::check);
    }

    fn leave(&mut self, node: NodeId) -> InFlightFrame {
        let link = &mut self.links[node.0 as usize];
        let frame = encode_and_decode(link.next(Time::ZERO).expect("a frame may leave"));
        (frame.from, frame.to, frame.header, frame.body)
    }

    fn transmit(&mut self, frame: InFlightFrame, is_new: bool, case: &Case) {
        if let Network::KeepsOrder { .. } = case.network {
            return self.queues.entry((frame.0, frame.1)).or_default().push_back(frame);
        }
        self.unordered_frames.insert(frame, 0);
        if is_new && case.network != Network::AnyOrderAndCopies {
            self.ticks_since_new_packet[frame.0.0 as usize] = 0;
        }
    }

    fn arrive(&mut self, (from, to, header, body): InFlightFrame) {
        let frame = WindowFrame { from, to, flow: FlowKey(0), header, body, is_retransmission: false };
        let _ = self.links[to.0 as usize].arrive(frame, Time::ZERO);
    }

    fn lose(&mut self, pair: (NodeId, NodeId)) {
        self.queues.get_mut(&pair).and_then(VecDeque::pop_front).expect("a frame is in transit");
        self.queues.retain(|_, queue| !queue.is_empty());
    }

    fn tick(&mut self, case: &Case) {
        let Network::ExpireInTime { lifetime, spacing } = case.network else {
            panic!("only a network whose frames expire counts ticks")
        };
        self.unordered_frames.values_mut().for_each(|age| *age += 1);
        self.unordered_frames.retain(|_, age| *age <= lifetime);
        self.ticks_since_new_packet.iter_mut().for_each(|ticks| *ticks = ticks.saturating_add(1).min(spacing));
    }

    fn take(&mut self, node: NodeId) {
        let (from, id, slot) = self.links[node.0 as usize].take().expect("a packet waits");
        let next = self.expected_packets.get_mut(&(from, node)).and_then(VecDeque::pop_front);
        self.is_misordered |= next != Some(id);
        self.slots_in_use[node.0 as usize].push(slot);
    }

    /// Iterates over the pairs of nodes, with the window at the sender and the receiver.
    fn flows(&self) -> impl Iterator<Item = (NodeId, &Outgoing<PacketIndex>, &WindowReceiver<PacketIndex>)> {
        let senders = (0..).map(NodeId).zip(&self.links);
        senders.flat_map(move |(from, link)| {
            let windows = link.sending.destinations().iter();
            windows.map(move |(to, window)| (from, window, &self.links[to.node.0 as usize].receiving))
        })
    }

    /// Returns whether every packet that a sender regards as acknowledged was accepted.
    pub fn acknowledged_were_accepted(&self) -> bool {
        self.flows().all(|(from, window, receiving)| window.base() <= receiving.next_position(from.into()))
    }

    /// Returns whether a receiver stores packets only at positions that were sent.
    pub fn stored_positions_were_sent(&self) -> bool {
        self.flows()
            .all(|(from, window, receiving)| receiving.last_stored_position(from.into()) < Some(window.next_position()))
    }

    pub fn is_complete(&self) -> bool {
        let is_delivered = self.expected_packets.values().all(VecDeque::is_empty);
        is_delivered && !self.is_misordered && self.links.iter().all(WindowLink::is_idle)
    }

    /// Returns whether all packets are delivered if all frames in the network are lost now, and no later frame is lost.
    pub fn can_complete(&self, case: &Case) -> bool {
        let mut state = State { queues: BTreeMap::new(), unordered_frames: BTreeMap::new(), ..self.clone() };
        for _ in 0..8 * (1 + case.packets.len()) {
            for node in (0..case.nodes).map(NodeId) {
                while let Some(slot) = state.slots_in_use[node.0 as usize].first() {
                    state.step(Step::Release(node, *slot), case);
                }
                if state.links[node.0 as usize].front().is_some() {
                    state.step(Step::Take(node), case);
                } else if state.links[node.0 as usize].has_next() {
                    let frame = state.leave(node);
                    state.arrive(frame);
                } else if state.links[node.0 as usize].next_timer().is_some() {
                    state.step(Step::Timeout(node), case);
                }
                state.offer(case);
            }
        }
        state.is_complete()
    }

    pub fn has_copies(&self) -> bool {
        self.links.iter().any(|link| link.statistics().retransmitted > 0)
    }
}
