//! A requester and a responder with a network between them that loses, duplicates and reorders packets.

use crate::ni::rdma::transport::requester::{
    PairRequester, Recovery, RequestKind, RequesterLimits, ResponseVerdict, Transmission,
};
use crate::ni::rdma::transport::responder::{RequestArrival, Responder};
use crate::ni::rdma::wire::bth::Psn;
use std::collections::BTreeSet;

/// A packet in the network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WirePacket {
    /// A packet of a request: sequence number, request, number of the packet in it.
    Request(u32, u8, u32),
    /// An acknowledgement of all packets up to this sequence number.
    Ack(u32),
    /// The packet with the first sequence number is missing; the second has arrived early.
    Missing(u32, Option<u32>),
    /// No receive is posted for the packet with this sequence number.
    NotReady(u32),
    /// A packet of a response, with its sequence number.
    Response(u32),
}

/// A case: the kind and the number of packets of each request.
#[derive(Clone, Debug)]
pub struct TransportCase {
    pub limits: RequesterLimits,
    pub requests: Vec<(RequestKind, u32)>,
    /// Number of times that the responder has no receive.
    pub not_ready: u8,
    /// Number of losses and duplications that the network may make.
    pub faults: u8,
    /// Whether the network reorders packets.
    pub reorders: bool,
}

/// A step of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TransportStep {
    /// The requester sends its next packet.
    Send,
    /// The packet at this position of the network arrives.
    Arrive(usize),
    /// The packet at this position is lost.
    Lose(usize),
    /// The packet at this position arrives, and a copy of it stays in the network.
    Duplicate(usize),
    /// The timer expires while no packet is in the network and none may be sent.
    TimeOut,
}

/// The state of both sides and the network.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TransportState {
    pub requester: PairRequester<u8>,
    pub responder: Responder,
    /// Packets in the network, in the order of sending.
    pub network: Vec<WirePacket>,
    /// Packets that the responder keeps, with selective repeat.
    early_packets: BTreeSet<(u32, u8, u32)>,
    /// Packets of one-way requests that were executed, and packets of responses that were accepted.
    executed_packets: Vec<(u8, u32)>,
    /// Requests that ended, in order.
    pub ended_requests: Vec<u8>,
    faults: u8,
    not_ready: u8,
    /// Whether an invariant was broken.
    pub is_invariant_broken: bool,
}

impl TransportState {
    pub fn new(case: &TransportCase) -> TransportState {
        let mut requester = PairRequester::default();
        for (number, (kind, packets)) in case.requests.iter().enumerate() {
            requester.add(number as u8, *kind, *packets);
        }
        TransportState {
            requester,
            responder: Responder::default(),
            network: Vec::new(),
            early_packets: BTreeSet::new(),
            executed_packets: Vec::new(),
            ended_requests: Vec::new(),
            faults: case.faults,
            not_ready: case.not_ready,
            is_invariant_broken: false,
        }
    }

    /// Returns the steps that are possible.
    pub fn steps(&self, case: &TransportCase) -> Vec<TransportStep> {
        let mut steps = Vec::new();
        if self.requester.may_send(&case.limits) && self.requester.clone().next(&case.limits).is_some() {
            steps.push(TransportStep::Send);
        }
        let arrival_count = if case.reorders { self.network.len() } else { self.network.len().min(1) };
        for position in 0..arrival_count {
            steps.push(TransportStep::Arrive(position));
            if self.faults > 0 {
                steps.extend([TransportStep::Lose(position), TransportStep::Duplicate(position)]);
            }
        }
        if steps.is_empty() && self.requester.is_waiting() {
            steps.push(TransportStep::TimeOut);
        }
        steps
    }

    /// Returns whether all requests have ended.
    pub fn is_complete(&self, case: &TransportCase) -> bool {
        self.ended_requests.len() == case.requests.len()
    }

    pub fn step(&mut self, step: TransportStep, case: &TransportCase) {
        match step {
            TransportStep::Send => self.send(case),
            TransportStep::Arrive(position) => {
                let packet = self.network.remove(position);
                self.arrive(packet, case);
            }
            TransportStep::Lose(position) => {
                self.faults -= 1;
                self.network.remove(position);
            }
            TransportStep::Duplicate(position) => {
                self.faults -= 1;
                let packet = self.network[position];
                self.arrive(packet, case);
            }
            TransportStep::TimeOut => {
                self.is_invariant_broken |= self.requester.time_out(&case.limits).is_err();
            }
        }
    }

    fn send(&mut self, case: &TransportCase) {
        if let Some(Transmission { work, number, psn, .. }) = self.requester.next(&case.limits) {
            self.network.push(WirePacket::Request(psn.number(), work, number));
        }
    }

    fn arrive(&mut self, packet: WirePacket, case: &TransportCase) {
        let mut completed_requests = Vec::new();
        match packet {
            WirePacket::Request(psn, work, number) => self.handle_request(psn, work, number, case),
            WirePacket::Ack(psn) => {
                self.requester.acknowledge(Psn::new(psn), &mut completed_requests);
            }
            WirePacket::Missing(psn, early) => {
                self.requester.retransmit_from(Psn::new(psn), early.map(Psn::new), &mut completed_requests);
            }
            WirePacket::NotReady(psn) => {
                let result = self.requester.not_ready(Psn::new(psn), &case.limits, &mut completed_requests);
                self.is_invariant_broken |= result.is_err();
            }
            WirePacket::Response(psn) => {
                let verdict = self.requester.respond(Psn::new(psn), &mut completed_requests);
                if let ResponseVerdict::Accepted { work, number } = verdict {
                    self.execute(work, number);
                }
            }
        }
        for work in completed_requests {
            // A request ends once, after all earlier ones, and only if all of it was executed.
            let packets = case.requests[usize::from(work)].1;
            self.is_invariant_broken |= usize::from(work) != self.ended_requests.len();
            self.is_invariant_broken |= (0..packets).any(|number| !self.executed_packets.contains(&(work, number)));
            self.ended_requests.push(work);
        }
    }

    /// Records the execution of a packet, which must happen once and in order.
    fn execute(&mut self, work: u8, number: u32) {
        self.is_invariant_broken |= self.executed_packets.contains(&(work, number));
        self.is_invariant_broken |= number > 0 && !self.executed_packets.contains(&(work, number - 1));
        self.executed_packets.push((work, number));
    }

    fn handle_request(&mut self, psn: u32, work: u8, number: u32, case: &TransportCase) {
        let (kind, packets) = case.requests[usize::from(work)];
        match self.responder.arrive(Psn::new(psn)) {
            RequestArrival::Duplicate => match kind {
                RequestKind::OneWay => self.acknowledge(),
                RequestKind::WithResponse => self.respond(psn, packets - number),
            },
            RequestArrival::Early { is_first } => match case.limits.recovery {
                Recovery::GoBackN if is_first => {
                    self.network.push(WirePacket::Missing(self.responder.expected().number(), None));
                }
                Recovery::GoBackN => {}
                Recovery::Selective => {
                    self.early_packets.insert((psn, work, number));
                    self.network.push(WirePacket::Missing(self.responder.expected().number(), Some(psn)));
                }
            },
            RequestArrival::Expected => {
                if self.accept(psn, (work, number), (kind, packets)) {
                    while let Some(next) =
                        self.early_packets.iter().copied().find(|(psn, ..)| *psn == self.responder.expected().number())
                    {
                        self.early_packets.remove(&next);
                        let (psn, work, number) = next;
                        if !self.accept(psn, (work, number), case.requests[usize::from(work)]) {
                            break;
                        }
                    }
                }
            }
        }
    }

    fn accept(&mut self, psn: u32, (work, number): (u8, u32), (kind, packets): (RequestKind, u32)) -> bool {
        if self.not_ready > 0 && kind == RequestKind::OneWay && number == 0 {
            self.not_ready -= 1;
            self.responder.postpone();
            self.network.push(WirePacket::NotReady(psn));
            return false;
        }
        match kind {
            RequestKind::OneWay => {
                self.execute(work, number);
                self.responder.accept(1, number + 1 == packets);
                if number + 1 == packets {
                    self.acknowledge();
                }
            }
            RequestKind::WithResponse => {
                self.responder.accept(packets - number, true);
                self.respond(psn, packets - number);
            }
        }
        true
    }

    fn acknowledge(&mut self) {
        self.network.push(WirePacket::Ack(self.responder.expected().previous().number()));
    }

    fn respond(&mut self, psn: u32, packets: u32) {
        self.network.extend((0..packets).map(|number| WirePacket::Response(Psn::new(psn).plus(number).number())));
    }
}
