//! Whole frames over a Myrinet, which has one network only: logical networks share it in order.
//!
//! An interface is told of a frame when all of it is there. A frame that needs a place waits in
//! the links; the watchdog may drop it there, and nothing sends it again.

use super::super::carrier::{Carried, Carrier, Desk, Fate, Listener, Places, Sending, Told};
use super::{Dropped, Myrinet};
use crate::engine::{Bytes, Mailbox, Message, Sim};
use crate::fabric::{Arrival, Packet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A Myrinet, as a carrier of frames.
pub struct MyrinetCarrier<T> {
    sim: Sim,
    fabric: Rc<Myrinet>,
    ends: Vec<End<T>>,
    /// The frames under way, by the numbers of their packets.
    flying: RefCell<BTreeMap<u64, Rc<Carried<T>>>>,
    newest: Cell<u64>,
    desk: Desk<T>,
}

/// A node's end.
struct End<T> {
    to_send: Mailbox<Sending<T>>,
    /// Places for frames of each logical network.
    places: [Places; 2],
}

impl<T: 'static> MyrinetCarrier<T> {
    /// The carrier over `fabric` between `nodes` nodes, its tasks started.
    pub fn start(sim: &Sim, fabric: Rc<Myrinet>, nodes: usize) -> Rc<MyrinetCarrier<T>> {
        let end = |node: usize| End {
            to_send: Mailbox::new(sim, format!("node {node}: a frame to send")),
            places: [Places::new(sim, node), Places::new(sim, node)],
        };
        let carrier = Rc::new(MyrinetCarrier {
            sim: sim.clone(),
            fabric,
            ends: (0..nodes).map(end).collect(),
            flying: RefCell::default(),
            newest: Cell::new(0),
            desk: Desk::new(nodes),
        });
        for node in 0..nodes {
            sim.spawn_server(format!("node {node} sender"), carrier.clone().send_all(node));
            sim.spawn_server(format!("node {node} receiver"), carrier.clone().receive_all(node));
        }
        carrier
    }

    async fn send_all(self: Rc<Self>, node: usize) {
        loop {
            let sending = self.ends[node].to_send.receive().await;
            let (network, bytes) = (sending.network, Bytes(sending.bytes.into()));
            let (number, to) = (self.newest.get(), sending.destination as usize);
            self.newest.set(number + 1);
            let message = Message::new(number, node, to, bytes, self.sim.now());
            self.flying.borrow_mut().insert(number, Rc::new(Carried { sending, whole: Cell::new(false) }));
            if self.flow(Packet::new(message, bytes), bytes).await.is_err() {
                self.flying.borrow_mut().remove(&number);
                self.desk.count(|fate| fate.dropped += 1);
            }
            self.desk.tell(node, Told::Free { network });
        }
    }

    /// Sends a packet's bytes; what they are, the frame beside them says.
    async fn flow(&self, packet: Rc<Packet>, length: Bytes) -> Result<(), Dropped> {
        let (flit, rate) = (self.fabric.parameters().flit, self.fabric.parameters().link_rate);
        let mut path = self.fabric.open(packet).await?;
        let mut sent = Bytes::ZERO;
        while sent < length {
            let bytes = flit.min(length - sent);
            path.room(bytes).await?;
            path.send(&vec![0; bytes.len()], rate.time_for(bytes)).await;
            sent += bytes;
        }
        path.close();
        Ok(())
    }

    async fn receive_all(self: Rc<Self>, node: usize) {
        // What has come of the packet that is coming in, and the network whose place it took.
        let (mut here, mut placed) = (Bytes::ZERO, None);
        loop {
            match self.fabric.arrival(node).await {
                Arrival::Data { packet, bytes, time } => {
                    let frame = self.flying.borrow().get(&packet.message.id).cloned();
                    if let Some(frame) = frame.as_ref().filter(|_| here.is_empty()) {
                        placed = self.take_place(node, frame).await;
                    }
                    self.sim.delay(time).await;
                    self.fabric.taken(node, bytes);
                    here += bytes;
                    if here == packet.message.payload {
                        (here, placed) = (Bytes::ZERO, None);
                        self.arrived(node, packet.message.id);
                    }
                }
                Arrival::Dropped(_) => {
                    here = Bytes::ZERO;
                    if let Some(network) = placed.take() {
                        self.add_place(node as u32, network);
                    }
                }
            }
        }
    }

    /// Waits for the place that `frame` needs; the logical network whose it is.
    async fn take_place(&self, node: usize, frame: &Carried<T>) -> Option<u8> {
        let network = frame.sending.network;
        let takes = frame.sending.takes_place && self.ends[node].places[usize::from(network)].take().await;
        takes.then_some(network)
    }

    fn arrived(&self, node: usize, number: u64) {
        let Some(frame) = self.flying.borrow_mut().remove(&number) else { return };
        self.desk.deliver(node, frame);
    }
}

impl<T: 'static> Carrier<T> for MyrinetCarrier<T> {
    fn attach(&self, node: u32, listener: Listener<T>) {
        self.desk.attach(node, listener);
    }

    fn send(&self, sending: Sending<T>) {
        self.desk.count(|fate| fate.injected += 1);
        self.ends[sending.source as usize].to_send.send(sending);
    }

    fn set_places(&self, node: u32, network: u8, places: u32) {
        self.ends[node as usize].places[usize::from(network)].set(places);
    }

    fn add_place(&self, node: u32, network: u8) {
        self.ends[node as usize].places[usize::from(network)].add();
    }

    fn fate(&self) -> Fate {
        self.desk.fate()
    }
}
