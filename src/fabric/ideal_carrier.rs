//! Whole frames over the ideal fabric: one of it for each logical network.
//!
//! A frame that needs a place waits at its receiver, and what came after it waits behind it; the
//! ideal fabric itself has room without end.

use super::carrier::{Carried, Carrier, Desk, Fate, Listener, Places, Sending, Told};
use super::ideal::{Ideal, IdealParameters};
use crate::engine::{Bytes, Mailbox, Sim};
use std::cell::Cell;
use std::rc::Rc;

/// The ideal fabric, as a carrier of frames.
pub struct IdealCarrier<T> {
    networks: Vec<Network<T>>,
    desk: Desk<T>,
}

/// A logical network.
struct Network<T> {
    ideal: Ideal<Rc<Carried<T>>>,
    /// Of each node.
    ends: Vec<End<T>>,
}

/// A node's end of a logical network.
struct End<T> {
    to_send: Mailbox<Rc<Carried<T>>>,
    places: Places,
}

impl<T: 'static> IdealCarrier<T> {
    /// The fabric between `nodes` nodes, its tasks started.
    pub fn start(sim: &Sim, nodes: usize, networks: u8, parameters: IdealParameters) -> Rc<IdealCarrier<T>> {
        let network = |number: u8| Network {
            ideal: Ideal::new(sim, &format!("ideal network {number}"), nodes, parameters),
            ends: (0..nodes).map(|node| End::new(sim, node)).collect(),
        };
        let carrier = Rc::new(IdealCarrier { networks: (0..networks).map(network).collect(), desk: Desk::new(nodes) });
        for network in 0..networks {
            for node in 0..nodes {
                sim.spawn_server(format!("node {node} sender"), carrier.clone().send_all(node, network));
                sim.spawn_server(format!("node {node} receiver"), carrier.clone().receive_all(node, network));
            }
        }
        carrier
    }

    async fn send_all(self: Rc<Self>, node: usize, network: u8) {
        let Network { ideal, ends } = &self.networks[usize::from(network)];
        loop {
            let frame = ends[node].to_send.receive().await;
            let (to, bytes) = (frame.sending.destination as usize, Bytes(frame.sending.bytes.into()));
            ideal.inject(node, to, bytes, frame).await;
            self.desk.tell(node, Told::Free { network });
        }
    }

    async fn receive_all(self: Rc<Self>, node: usize, network: u8) {
        let Network { ideal, ends } = &self.networks[usize::from(network)];
        loop {
            let frame = ideal.receive(node).await;
            if frame.sending.takes_place {
                ends[node].places.take().await;
            }
            self.desk.deliver(node, frame);
        }
    }
}

impl<T> End<T> {
    fn new(sim: &Sim, node: usize) -> End<T> {
        End { to_send: Mailbox::new(sim, format!("node {node}: a frame to send")), places: Places::new(sim, node) }
    }
}

impl<T: 'static> Carrier<T> for IdealCarrier<T> {
    fn attach(&self, node: u32, listener: Listener<T>) {
        self.desk.attach(node, listener);
    }

    fn send(&self, sending: Sending<T>) {
        self.desk.count(|fate| fate.injected += 1);
        let end = &self.networks[usize::from(sending.network)].ends[sending.source as usize];
        end.to_send.send(Rc::new(Carried { sending, whole: Cell::new(false) }));
    }

    fn set_places(&self, node: u32, network: u8, places: u32) {
        self.networks[usize::from(network)].ends[node as usize].places.set(places);
    }

    fn add_place(&self, node: u32, network: u8) {
        self.networks[usize::from(network)].ends[node as usize].places.add();
    }

    fn fate(&self) -> Fate {
        self.desk.fate()
    }
}
