//! The network side of an interface: return-to-sender flow control between two networks.
//!
//! Models (§5.1.2): packets on the first network; acknowledgments and returned packets on the
//! second. Every design has the same port. An acknowledgment also carries the period at which
//! its sender's program serves messages, which a throttled sender goes by.
//! Leaves out: nothing of the protocol, which is [`return_to_sender`](crate::protocol::return_to_sender).

use super::message::{HEADER_BYTES, Parcel};
use crate::engine::{Bytes, Signal, Sim, Time};
use crate::fabric::ideal::{Ideal, IdealParameters};
use crate::protocol::return_to_sender::{
    Incoming, NodeId, Outcome, Outgoing, OutgoingBuffer, Packet, Parameters, Reply, Taken, Verdict,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A reply and the period at which the replying node serves messages, per block.
type Answer = (Reply<Parcel>, Time);

/// The two networks.
pub struct Networks {
    first: Ideal<Packet<Parcel>>,
    second: Ideal<Answer>,
}

impl Networks {
    /// Networks between `nodes` nodes.
    pub fn new(sim: &Sim, nodes: usize, parameters: IdealParameters) -> Rc<Networks> {
        let first = Ideal::new(sim, "the first network", nodes, parameters);
        let second = Ideal::new(sim, "the second network", nodes, parameters);
        Rc::new(Networks { first, second })
    }
}

/// The port of one node.
pub struct Port {
    sim: Sim,
    node: NodeId,
    networks: Rc<Networks>,
    outgoing: RefCell<Outgoing<Parcel>>,
    incoming: RefCell<Incoming<Parcel>>,
    /// An outgoing buffer was freed.
    pub freed: Signal,
    arrived: Signal,
    bounced: Signal,
    /// At which period this node's program serves messages, per block; zero if not measured.
    pub service_period: Cell<Time>,
    peers: RefCell<Vec<Time>>,
}

impl Port {
    /// The port of node `node`, at work.
    pub fn new(sim: &Sim, node: u32, nodes: usize, flow: Parameters, networks: &Rc<Networks>) -> Rc<Port> {
        let id = NodeId(node);
        let port = Rc::new(Port {
            sim: sim.clone(),
            node: id,
            networks: networks.clone(),
            outgoing: RefCell::new(Outgoing::new(id, flow.outgoing, flow.retry)),
            incoming: RefCell::new(Incoming::new(id, flow.incoming)),
            freed: Signal::new(sim, format!("an outgoing flow-control buffer of {id}")),
            arrived: Signal::new(sim, format!("a message for {id}")),
            bounced: Signal::new(sim, format!("a returned message of {id}")),
            service_period: Cell::new(Time::ZERO),
            peers: RefCell::new(vec![Time::ZERO; nodes]),
        });
        sim.spawn_server(format!("{id} port, first network"), port.clone().serve_first());
        sim.spawn_server(format!("{id} port, second network"), port.clone().serve_second());
        sim.spawn_server(format!("{id} port, retries"), port.clone().serve_retries());
        port
    }

    /// How many outgoing buffers are free, at most 255.
    pub fn room(&self) -> u64 {
        self.outgoing.borrow().census().free.unwrap_or(255).min(255).into()
    }

    /// Packets sent that no reply has come to yet.
    pub fn unanswered(&self) -> u32 {
        let census = self.outgoing.borrow().census();
        census.in_flight + census.bounced
    }

    /// The service period of `peer`, per block, as it last told; zero if it has not.
    pub fn period_of(&self, peer: u16) -> Time {
        self.peers.borrow()[peer as usize]
    }

    /// Takes an outgoing buffer, if one is free.
    pub fn try_reserve(&self) -> Option<OutgoingBuffer> {
        self.outgoing.borrow_mut().reserve()
    }

    /// Waits for an outgoing buffer and takes it.
    pub async fn reserve(&self) -> OutgoingBuffer {
        loop {
            if let Some(buffer) = self.try_reserve() {
                return buffer;
            }
            self.freed.wait().await;
        }
    }

    /// Sends a parcel; returns when its last byte is in the network.
    pub async fn transmit(&self, buffer: OutgoingBuffer, parcel: Parcel) {
        let to = NodeId(parcel.header().destination.into());
        let packet = self.outgoing.borrow_mut().transmit(buffer, to, parcel);
        self.inject(packet, "send: interface").await;
    }

    async fn inject(&self, mut packet: Packet<Parcel>, stage: &'static str) {
        let (from, to) = (packet.from.0 as usize, packet.to.0 as usize);
        let bytes = Bytes(packet.payload.bytes.len() as u64);
        packet.payload.close(stage, None, self.sim.now());
        self.networks.first.inject(from, to, bytes, packet).await;
    }

    /// Waits for a message and begins to read it; its buffer stays taken.
    pub async fn take(&self) -> Taken<Parcel> {
        loop {
            let taken = self.incoming.borrow_mut().take();
            match taken {
                Some(taken) => return taken,
                None => drop(self.arrived.wait().await),
            }
        }
    }

    /// Frees the buffer of a message that was read.
    pub fn release(&self, taken: Taken<Parcel>) -> Parcel {
        self.incoming.borrow_mut().release(taken.buffer);
        taken.payload
    }

    async fn serve_first(self: Rc<Port>) {
        let node = self.node.0 as usize;
        loop {
            let mut packet = self.networks.first.receive(node).await;
            packet.payload.close("wire", Some(Time::ZERO), self.sim.now());
            let reply = self.incoming.borrow_mut().arrive(packet);
            let bytes = match &reply.verdict {
                Verdict::Accepted => HEADER_BYTES as u64,
                Verdict::Returned(parcel) => parcel.bytes.len() as u64,
            };
            if reply.is_accepted() {
                self.arrived.notify();
            }
            let answer = (reply, self.service_period.get());
            let to = answer.0.to.0 as usize;
            self.networks.second.inject(node, to, Bytes(bytes), answer).await;
        }
    }

    async fn serve_second(self: Rc<Port>) {
        loop {
            let (mut reply, period) = self.networks.second.receive(self.node.0 as usize).await;
            self.peers.borrow_mut()[reply.from.0 as usize] = period;
            if let Verdict::Returned(parcel) = &mut reply.verdict {
                parcel.close("returned", None, self.sim.now());
            }
            let outcome = self.outgoing.borrow_mut().reply(reply, self.sim.now());
            match outcome {
                Outcome::Freed(_) => self.freed.notify(),
                Outcome::Bounced { .. } => self.bounced.notify(),
            }
        }
    }

    async fn serve_retries(self: Rc<Port>) {
        loop {
            let next = self.outgoing.borrow().next_retry();
            match next {
                None => drop(self.bounced.wait().await),
                Some(at) if at > self.sim.now() => self.sim.until(at).await,
                Some(_) => {
                    let packet = self.outgoing.borrow_mut().retry(self.sim.now());
                    self.inject(packet.expect("a retry is due"), "retry").await;
                }
            }
        }
    }
}
