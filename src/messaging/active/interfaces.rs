//! Active messages over network interfaces that send whole packets.
//!
//! Requests take the first logical network and answers the second, where there are two. A few
//! packets' ledgers are kept, from the program that sends to the handler's return: the first
//! [`LEDGERS_MAX`] of a run.

use super::barrier::Barrier;
use super::wire::{Answering, Taken, Wire};
use super::{Endpoint, Packet, Parameters, Received};
use crate::engine::{Bytes, Ledger, Message, Signal, Sim, Tally, Time};
use crate::fabric::carrier::Fate;
use crate::ni::nifdy::{Body, Fabric, Interface, Pending, Shared};
use crate::protocol::nifdy::{Answer, Outgoing};
use std::cell::Cell;
use std::rc::Rc;

/// How many ledgers are kept.
pub const LEDGERS_MAX: usize = 2_000;

/// The interfaces of all nodes, and the fabric between them.
pub struct Interfaces {
    sim: Sim,
    interfaces: Vec<Rc<Interface>>,
    fabric: Rc<Fabric>,
    pending: Rc<Pending>,
}

/// The ends over `interfaces`, each with its costs.
pub fn join(
    sim: &Sim,
    interfaces: Vec<Rc<Interface>>,
    (fabric, pending): (Rc<Fabric>, Rc<Pending>),
    parameters: &[Parameters],
    tally: &Rc<Tally>,
) -> Vec<Rc<Endpoint>> {
    let nodes = interfaces.len();
    let wire: Rc<dyn Wire> = Rc::new(Interfaces { sim: sim.clone(), interfaces, fabric, pending });
    let barrier = Rc::new(Barrier::new(nodes));
    let told = Told(Some(tally.clone()));
    let end =
        |(node, parameters): (usize, &Parameters)| Endpoint::new(sim, &wire, &barrier, node, *parameters, told.clone());
    parameters.iter().enumerate().map(end).collect()
}

impl Interfaces {
    /// The interfaces, by node.
    pub fn all(&self) -> &[Rc<Interface>] {
        &self.interfaces
    }

    /// What became of the frames that the fabric took, acknowledgements among them.
    pub fn fate(&self) -> Fate {
        self.fabric.fate()
    }

    fn network(&self, node: usize, reply: bool) -> u8 {
        u8::from(reply && self.interfaces[node].networks() > 1)
    }
}

impl Wire for Interfaces {
    fn nodes(&self) -> usize {
        self.interfaces.len()
    }

    fn put(&self, from: usize, packet: &Packet, begun: Time) -> bool {
        let now = self.sim.now();
        let not_yet = || Cell::new(Time::MAX);
        let body = Body {
            handler: packet.handler,
            words: packet.words,
            begun,
            offered: Cell::new(now),
            injected: not_yet(),
            arrived: not_yet(),
            whole: Cell::new(false),
        };
        let outgoing = Outgoing {
            destination: packet.to as u32,
            bulk_request: packet.bulk,
            bulk_exit: packet.last,
            acknowledged: packet.acknowledged,
            answers: packet.reply,
            body: Rc::new(body),
        };
        self.interfaces[from].offer(self.network(from, packet.reply), outgoing).is_ok()
    }

    fn take(&self, node: usize, answering: Answering<'_>) -> Option<Taken> {
        let interface = &self.interfaces[node];
        // Answers first: they let others go on.
        let network = (0..interface.networks()).rev().find(|network| interface.has_arrived(*network))?;
        // An acknowledgement rides only in an answer that takes the same network.
        let rides = self.network(node, true) == network;
        let answer = |handler| if rides && answering(handler) { Answer::Follows } else { Answer::None };
        let (from, body) = interface.accept(network, answer)?;
        let received = Received { from: from as usize, handler: body.handler, words: body.words };
        Some(Taken { received, body: Some((body, network)) })
    }

    fn has_arrived(&self, node: usize) -> bool {
        let interface = &self.interfaces[node];
        (0..interface.networks()).any(|network| interface.has_arrived(network))
    }

    fn release(&self, node: usize, network: u8) {
        self.interfaces[node].release(network);
    }

    fn pending(&self, node: usize) -> u64 {
        self.pending.of(node)
    }

    fn attention(&self, node: usize) -> &Signal {
        self.interfaces[node].changed()
    }

    fn interfaces(&self) -> Option<&Interfaces> {
        Some(self)
    }
}

/// Who is told of packets that were handled.
#[derive(Clone)]
pub(super) struct Told(pub Option<Rc<Tally>>);

impl Told {
    /// A packet was taken at `taken`, and its handler has returned at `handled`.
    pub fn tell(&self, received: &Received, node: usize, body: &Shared, taken: Time, handled: Time) {
        let Some(tally) = self.0.as_ref().filter(|tally| tally.delivered().len() < LEDGERS_MAX) else { return };
        let mut ledger = Ledger::new(body.begun);
        let (offered, injected, arrived) = (body.offered.get(), body.injected.get(), body.arrived.get());
        ledger.served(body.begun, offered);
        ledger.close("send", offered);
        ledger.close("outgoing pool", injected);
        ledger.served(injected, arrived);
        ledger.close("fabric", arrived);
        ledger.close("arrivals queue", taken);
        ledger.served(taken, handled);
        ledger.close("receive", handled);
        let payload = Bytes(4 * received.words.len() as u64);
        tally.deliver_at(&Message::arrived(received.from, node, payload, ledger), handled);
    }
}
