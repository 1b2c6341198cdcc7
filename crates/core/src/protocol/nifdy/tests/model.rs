//! A model for exhaustive exploration of small cases. Processors offer and accept packets at any time, and networks
//! delay, reorder and, with retransmission, drop frames at any time.
//!
//! A run over a network that drops nothing is finite, so it has no deadlock if all packets are delivered in every state
//! without a further step. A run over a network that drops frames is cut off after some drops and time-outs; from every
//! state of such a run, a schedule that drops nothing more must lead to a state in which all packets are delivered.

use super::super::*;
use super::net::*;
use crate::engine::{NodeId, Time};
use stateright::{Checker, HasDiscoveries, Model, Property};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, VecDeque};
use std::hash::{Hash, Hasher};

/// A packet's index in [`Case::packets`].
pub type PacketIndex = u8;

/// A case: the packets that each node sends, in order.
#[derive(Clone)]
pub struct Case {
    pub nodes: u32,
    pub parameters: UnitParameters,
    pub packets: Vec<(NodeId, OutgoingPacket<PacketIndex>)>,
    /// Number of packets that are offered without a request. Each later packet answers one of these packets, in the
    /// same order, and is offered after that packet was accepted.
    pub without_request: usize,
    /// Whether a receiver may end a dialog, once.
    pub may_end_dialog: bool,
    pub network: Network,
}

/// Behaviour of the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    /// The network reorders frames, and delivers each exactly once.
    Reliable,
    /// The network drops up to a number of frames, while up to a number of timers expire.
    Drops { drops: u8, timeouts: u8, copies: CopyLifetime },
}

/// Bound on the lifetime of copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyLifetime {
    /// Frames from one node to another arrive in the order in which they were sent.
    KeepOrder,
    /// The network reorders frames. When a packet is first sent, the network holds no copy and no acknowledgement of
    /// the pair's acknowledged packets.
    ExpireInTime,
    /// The network reorders frames. A timer expires only when the network holds no copy and no acknowledgement of its
    /// node's packets, and no acknowledgement of these packets waits to leave: the timer is longer than any round trip.
    ExpireBeforeTimers,
    /// The network reorders frames, and copies may live for ever.
    NeverExpire,
}

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct State {
    pub net: Net<PacketIndex>,
    /// Packets that each processor has yet to offer, in order.
    unoffered_packets: Vec<VecDeque<PacketIndex>>,
    /// Packets that each pair has yet to deliver, in order.
    expected_packets: BTreeMap<(NodeId, NodeId), VecDeque<PacketIndex>>,
    /// Number of deliveries of each packet.
    delivery_counts: Vec<u8>,
    is_misordered: bool,
    remaining_drops: u8,
    remaining_timeouts: u8,
    has_ended_dialog: bool,
}

/// A step; the variants are in the order in which the fair schedule prefers them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    Accept(NodeId),
    Arrive(usize),
    Leave(NodeId),
    Offer(NodeId),
    Timeout(NodeId),
    EndDialog(NodeId, NodeId),
    Drop(usize),
}

impl State {
    pub fn new(case: &Case) -> State {
        let mut unoffered_packets = vec![VecDeque::new(); case.nodes as usize];
        for (id, (source, _)) in case.packets[..case.without_request].iter().enumerate() {
            unoffered_packets[source.index()].push_back(id as PacketIndex);
        }
        let (remaining_drops, remaining_timeouts) = match case.network {
            Network::Reliable => (0, 0),
            Network::Drops { drops, timeouts, .. } => (drops, timeouts),
        };
        State {
            net: Net::new(case.nodes, &case.parameters),
            unoffered_packets,
            expected_packets: BTreeMap::new(),
            delivery_counts: vec![0; case.packets.len()],
            is_misordered: false,
            remaining_drops,
            remaining_timeouts,
            has_ended_dialog: !case.may_end_dialog,
        }
    }

    pub fn steps(&self, case: &Case) -> Vec<Step> {
        let mut steps = Vec::new();
        for index in 0..self.net.transit.len() {
            if index > 0 && !case.keeps_order() && self.net.transit[index] == self.net.transit[index - 1] {
                continue; // One of two equal frames is enough.
            }
            if self.is_first_of_pair(index, case) && self.net.can_arrive(index) {
                steps.push(Step::Arrive(index));
            }
            if self.remaining_drops > 0 {
                steps.push(Step::Drop(index));
            }
        }
        for (node, unit) in (0..).map(NodeId).zip(&self.net.units) {
            let enabled = [
                (!self.unoffered_packets[node.index()].is_empty() && unit.has_capacity(), Step::Offer(node)),
                (unit.has_next(), Step::Leave(node)),
                (unit.arrived() > 0, Step::Accept(node)),
                (self.remaining_timeouts > 0 && self.may_time_out(node, case), Step::Timeout(node)),
            ];
            steps.extend(enabled.iter().filter(|(possible, _)| *possible).map(|&(_, step)| step));
            if !self.has_ended_dialog {
                steps.extend(unit.dialogs().map(|source| Step::EndDialog(node, source)));
            }
        }
        steps
    }

    /// Returns whether the network may deliver a frame now: on a network that keeps order, only the first frame of a
    /// pair of nodes.
    fn is_first_of_pair(&self, index: usize, case: &Case) -> bool {
        let pair = |frame: &NifdyFrame<PacketIndex>| (frame.source, frame.destination);
        let frame_pair = pair(&self.net.transit[index]);
        !case.keeps_order() || self.net.transit[..index].iter().all(|before| pair(before) != frame_pair)
    }

    fn may_time_out(&self, node: NodeId, case: &Case) -> bool {
        let concerns_node = |frame: &NifdyFrame<PacketIndex>| match frame.header {
            NifdyHeader::Acknowledgement(_) => frame.destination == node,
            NifdyHeader::Scalar(_) | NifdyHeader::Bulk(_) => frame.source == node,
        };
        let has_long_timers = matches!(case.network, Network::Drops { copies: CopyLifetime::ExpireBeforeTimers, .. });
        let is_acknowledging =
            |unit: &NifdyUnit<PacketIndex>| unit.acknowledgements.iter().any(|waiting| waiting.destination == node);
        let is_set = self.net.units[node.index()].next_timer().is_some();
        let is_in_transit = self.net.transit.iter().any(concerns_node) || self.net.units.iter().any(is_acknowledging);
        is_set && !(has_long_timers && is_in_transit)
    }

    pub fn step(&mut self, step: Step, case: &Case) {
        match step {
            Step::Offer(node) => self.offer(node, case),
            Step::Leave(node) => self.leave(node, case),
            Step::Arrive(index) => self.net.arrive(index),
            Step::Accept(node) => self.accept(node, case),
            Step::Drop(index) => {
                let _ = self.net.transit.remove(index);
                self.remaining_drops -= 1;
            }
            Step::Timeout(node) => {
                self.net.unit(node).on_time(Time::MAX);
                self.remaining_timeouts = self.remaining_timeouts.saturating_sub(1);
            }
            Step::EndDialog(node, source) => {
                assert!(self.net.unit(node).end_dialog(source));
                self.has_ended_dialog = true;
            }
        }
        if !case.keeps_order() {
            self.net.transit.sort_by_cached_key(fingerprint);
        } else {
            self.net.transit.sort_by_key(|frame| (frame.source, frame.destination));
        }
        self.net.check();
    }

    fn offer(&mut self, node: NodeId, case: &Case) {
        let id = self.unoffered_packets[node.index()].pop_front().expect("a packet is to be offered");
        let packet = case.packets[usize::from(id)].1.clone();
        if packet.acknowledged {
            self.expected_packets.entry((node, packet.destination)).or_default().push_back(id);
        }
        self.net.offer(node, packet);
    }

    fn leave(&mut self, node: NodeId, case: &Case) {
        let unit_before = self.net.units[node.index()].clone();
        let sent = self.net.depart(node).expect("a frame may leave");
        let copies = self.net.units[node.index()].statistics().retransmitted;
        let is_first_transmission = !sent.is_acknowledgement() && unit_before.statistics().retransmitted == copies;
        if is_first_transmission && matches!(case.network, Network::Drops { copies: CopyLifetime::ExpireInTime, .. }) {
            let departed_frame = self.net.transit.pop();
            self.net.transit.retain(|frame| !is_stale(frame, node, sent.destination, &unit_before));
            self.net.transit.extend(departed_frame);
        }
    }

    fn accept(&mut self, node: NodeId, case: &Case) {
        let front_id = self.net.units[node.index()].front().map(|(_, id)| usize::from(*id)).expect("a packet waits");
        let request = (front_id < case.without_request)
            .then_some(case.without_request + front_id)
            .filter(|&id| id < case.packets.len());
        let was_delivered = self.delivery_counts[front_id] > 0;
        let answer_kind = if request.is_some() && !was_delivered { Answer::Follows } else { Answer::None };
        let (source, id) = self.net.accept(node, answer_kind).expect("a packet waits");
        self.delivery_counts[usize::from(id)] += 1;
        if case.packets[usize::from(id)].1.acknowledged {
            let next = self.expected_packets.get_mut(&(source, node)).and_then(VecDeque::pop_front);
            self.is_misordered |= next != Some(id);
            self.expected_packets.retain(|_, ids| !ids.is_empty());
        }
        if let Some(answer) = request.filter(|_| !was_delivered) {
            self.unoffered_packets[node.index()].push_back(answer as PacketIndex);
        }
    }

    /// Returns whether all packets are delivered and acknowledged. If a message continues after its dialog was ended,
    /// and has no exit, half a window may remain without acknowledgement.
    pub fn is_complete(&self, case: &Case) -> bool {
        let is_idle = match case.may_end_dialog {
            true => self.net.transit.is_empty() && self.net.units.iter().all(|unit| unit.arrived() == 0),
            false => self.net.is_idle(),
        };
        is_idle && self.delivery_counts.iter().all(|&times| times == 1)
    }

    pub fn is_valid_state(&self) -> bool {
        !self.is_misordered && self.delivery_counts.iter().all(|&times| times <= 1)
    }

    /// Returns whether a fair schedule without further drops delivers all packets.
    pub fn can_complete(&self, case: &Case) -> bool {
        let mut state =
            State { remaining_drops: 0, remaining_timeouts: u8::MAX, has_ended_dialog: true, ..self.clone() };
        for _ in 0..40 * (1 + case.packets.len()) {
            match state.steps(case).into_iter().min() {
                Some(step) => state.step(step, case),
                None => break,
            }
        }
        state.is_complete(case)
    }

    /// Returns whether scalar packets with different bodies are in transit between one pair of nodes.
    fn has_two_scalars(&self) -> bool {
        let scalar = |frame: &&NifdyFrame<PacketIndex>| {
            matches!(frame.header, NifdyHeader::Scalar(Scalar { acknowledged: true, .. }))
        };
        let scalars: Vec<_> = self.net.transit.iter().filter(scalar).collect();
        let is_pair = |a: &NifdyFrame<PacketIndex>, b: &NifdyFrame<PacketIndex>| {
            (a.source, a.destination) == (b.source, b.destination)
        };
        scalars.iter().any(|a| scalars.iter().any(|b| is_pair(a, b) && a.body != b.body))
    }
}

/// Returns whether a frame concerns a packet from `source` to `destination` that `sender` knows to be acknowledged: as
/// a copy of the packet, or as its acknowledgement, separate or piggybacked.
fn is_stale(
    frame: &NifdyFrame<PacketIndex>,
    source: NodeId,
    destination: NodeId,
    sender: &NifdyUnit<PacketIndex>,
) -> bool {
    let stored_frames = || sender.retransmit.iter().flat_map(|retransmit| retransmit.frames());
    let mut stored_headers =
        stored_frames().filter(|stored| stored.destination == destination).map(|stored| stored.header);
    let (acknowledgement, data) = match frame.header {
        NifdyHeader::Acknowledgement(acknowledgement) => (Some(acknowledgement), None),
        header => (frame.piggybacked, Some(header)),
    };
    let is_reverse = (frame.destination, frame.source) == (source, destination);
    let is_forward = (frame.source, frame.destination) == (source, destination);
    match (acknowledgement, data) {
        (Some(acknowledgement), _) if is_reverse => !stored_headers.any(|stored| acknowledges(acknowledgement, stored)),
        (_, Some(header)) if is_forward => !stored_headers.any(|stored| stored == header),
        _ => false,
    }
}

/// Returns whether `acknowledgement` is for a packet with `header`.
fn acknowledges(acknowledgement: Acknowledgement, header: NifdyHeader) -> bool {
    match (acknowledgement, header) {
        (Acknowledgement::Scalar { duplicate_bit, .. }, NifdyHeader::Scalar(scalar)) => {
            scalar.duplicate_bit == duplicate_bit
        }
        (Acknowledgement::Bulk { number: Some(number), .. }, NifdyHeader::Bulk(bulk)) => bulk.number == number,
        (Acknowledgement::Bulk { number: None, .. }, _) => true,
        _ => false,
    }
}

fn fingerprint(frame: &NifdyFrame<PacketIndex>) -> u64 {
    let mut hasher = DefaultHasher::new();
    frame.hash(&mut hasher);
    hasher.finish()
}

impl Case {
    pub fn new(nodes: u32, parameters: UnitParameters, packets: Vec<(NodeId, OutgoingPacket<()>)>) -> Case {
        let numbered_packets = packets.into_iter().zip(0..).map(|((source, packet), id)| {
            let OutgoingPacket { destination, bulk_request, bulk_exit, acknowledged, answers, .. } = packet;
            (source, OutgoingPacket { destination, bulk_request, bulk_exit, acknowledged, answers, body: id })
        });
        let packets: Vec<_> = numbered_packets.collect();
        let without_request = packets.len();
        Case { nodes, parameters, packets, without_request, may_end_dialog: false, network: Network::Reliable }
    }

    /// Returns the case in which each packet is answered.
    pub fn answered(mut self) -> Case {
        for id in 0..self.packets.len() {
            let (source, OutgoingPacket { destination, .. }) = self.packets[id];
            self.packets.push((destination, answer(source, (self.without_request + id) as PacketIndex)));
        }
        self
    }

    pub fn dropping(mut self, drops: u8, timeouts: u8, copies: CopyLifetime) -> Case {
        self.parameters.retransmission = Some(Retransmission { timeout: Time::from_ps(1) });
        self.network = Network::Drops { drops, timeouts, copies };
        self
    }

    fn keeps_order(&self) -> bool {
        matches!(self.network, Network::Drops { copies: CopyLifetime::KeepOrder, .. })
    }

    /// Explores every state, and asserts that the properties hold in each.
    pub fn check(self) {
        let label = format!("{} nodes, {} packets, {:?}", self.nodes, self.packets.len(), self.network);
        let checker = self.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        println!("{label}: {} states", checker.unique_state_count());
        assert!(checker.is_done());
        checker.assert_properties();
    }

    /// Returns the shortest run to a state that violates a property.
    pub fn counterexample(self) -> Vec<Step> {
        let checker = self.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        println!("{} states", checker.unique_state_count());
        let path = checker.discovery("each packet once, in order per pair").expect("a run that violates the property");
        path.into_actions()
    }
}

impl Model for Case {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(self)]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        steps.extend(state.steps(self));
    }

    fn next_state(&self, previous: &State, step: Step) -> Option<State> {
        let mut next_state = previous.clone();
        next_state.step(step, self);
        Some(next_state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties =
            vec![Property::always("each packet once, in order per pair", |_, state: &State| state.is_valid_state())];
        properties.push(match self.network {
            Network::Reliable => {
                Property::always("all packets are delivered when no step is possible", |case: &Case, state: &State| {
                    !state.steps(case).is_empty() || state.is_complete(case)
                })
            }
            Network::Drops { .. } => {
                Property::always("completion is always reachable", |case: &Case, state: &State| {
                    state.can_complete(case)
                })
            }
        });
        if self.network == Network::Reliable {
            properties
                .push(Property::always("one scalar packet per pair", |_, state: &State| !state.has_two_scalars()));
        }
        properties
    }
}
