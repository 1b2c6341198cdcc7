//! Whole packets over a fabric that streams: a task sends them, another puts them together.
//!
//! An interface is told of a packet when all of it is there. One that needs a place waits for it
//! where the fabric has it wait ([`Inlet::waits_outside`]); what came after it in its class waits
//! behind it. What a fabric drops is lost, and its sender told.

use super::packet::Packet;
use super::port::{Desk, Dropped, Inlet, Listener, Outlet, Piece, Whole};
use super::{AnyInlet, AnyOutlet};
use crate::engine::{Bytes, Class, Mailbox, NodeId, Rate, Signal, Sim, Time};
use std::cell::Cell;
use std::rc::Rc;

/// A node's place, over its ways in and out.
pub(super) struct OverStreams {
    sim: Sim,
    node: NodeId,
    /// Of each class.
    ends: Vec<End>,
    desk: Rc<Desk>,
}

/// A class at a node.
struct End {
    /// Where nothing can hold a packet up, it is taken out when it has gone.
    to_send: Mailbox<Rc<Packet>>,
    /// There the rate at which it goes.
    unhindered: Cell<Option<Rate>>,
    places: Places,
}

impl OverStreams {
    /// The view of `node`, its tasks started.
    pub fn start(
        sim: &Sim,
        node: NodeId,
        name: &str,
        ways: Vec<(AnyOutlet, AnyInlet)>,
        desk: &Rc<Desk>,
    ) -> Rc<OverStreams> {
        let end = |_| End {
            to_send: Mailbox::new(sim, format!("{name}: a packet to send")),
            unhindered: Cell::new(None),
            places: Places::new(sim, name),
        };
        let ends = (0..ways.len()).map(end).collect();
        let view = Rc::new(OverStreams { sim: sim.clone(), node, ends, desk: desk.clone() });
        for (class, (outlet, inlet)) in ways.into_iter().enumerate() {
            match outlet {
                AnyOutlet::Ideal(outlet) => view.start_sender(name, class, outlet),
                AnyOutlet::Myrinet(outlet) => view.start_sender(name, class, outlet),
                AnyOutlet::Routed(outlet) => view.start_sender(name, class, outlet),
            }
            match inlet {
                AnyInlet::Ideal(inlet) => view.start_receiver(name, class, inlet),
                AnyInlet::Myrinet(inlet) => view.start_receiver(name, class, inlet),
                AnyInlet::Routed(inlet) => view.start_receiver(name, class, inlet),
            }
        }
        view
    }

    fn start_sender(self: &Rc<Self>, name: &str, class: usize, mut outlet: impl Outlet + 'static) {
        let rate = outlet.rate();
        self.ends[class].unhindered.set(outlet.unhindered().map(|_| rate));
        self.sim.spawn_server(format!("{name} sender"), self.clone().send_all(class, outlet));
    }

    fn start_receiver(self: &Rc<Self>, name: &str, class: usize, mut inlet: impl Inlet + 'static) {
        inlet.takes_whole();
        self.sim.spawn_server(format!("{name} receiver"), self.clone().receive_all(class, inlet));
    }

    async fn send_all(self: Rc<Self>, class: usize, mut outlet: impl Outlet) {
        loop {
            let packet = self.ends[class].to_send.receive().await;
            if let Some(unhindered) = outlet.unhindered() {
                unhindered.went(&packet);
            } else if flow(&mut outlet, &packet).await.is_err() {
                self.desk.lose(packet);
            }
            self.desk.tell(self.node, super::Told::Free(Class(class as u8)));
        }
    }

    async fn receive_all(self: Rc<Self>, class: usize, mut inlet: impl Inlet) {
        let (places, waits_outside) = (&self.ends[class].places, inlet.waits_outside());
        // Whether the packet that is coming in has taken a place.
        let mut placed = false;
        loop {
            match inlet.next(Bytes(u64::MAX)).await {
                Piece::Bytes { packet, bytes, time, first, last } => {
                    let takes_place = packet.label().takes_place;
                    if first && takes_place && waits_outside {
                        placed = places.take().await;
                    }
                    if time > Time::ZERO || waits_outside {
                        self.sim.delay(time).await;
                    }
                    inlet.taken(bytes);
                    if last {
                        if takes_place && !waits_outside {
                            places.take().await;
                        }
                        placed = false;
                        self.desk.deliver(packet);
                    }
                }
                Piece::Dropped(_) => {
                    if std::mem::take(&mut placed) {
                        places.add();
                    }
                }
            }
        }
    }
}

/// Sends all of a packet.
async fn flow(outlet: &mut impl Outlet, packet: &Rc<Packet>) -> Result<(), Dropped> {
    outlet.open(packet).await?;
    let mut left = packet.label().length;
    while !left.is_empty() {
        let bytes = outlet.room(left).await?;
        left -= bytes;
        outlet.send(bytes, Time::ZERO, left.is_empty()).await;
    }
    outlet.close();
    Ok(())
}

impl Whole for OverStreams {
    fn attach(&self, listener: Listener) {
        self.desk.attach(self.node, listener);
    }

    fn send(&self, packet: Rc<Packet>) {
        self.desk.count(|fate| fate.injected += 1);
        let label = packet.label();
        let end = &self.ends[label.class.index()];
        let goes = end.unhindered.get().map_or(Time::ZERO, |rate| rate.time_for(label.length));
        end.to_send.send_at(self.sim.now() + goes, packet);
    }

    fn set_places(&self, class: Class, places: u32) {
        self.ends[class.index()].places.free.set(places);
    }

    fn add_place(&self, class: Class) {
        self.ends[class.index()].places.add();
    }
}

/// The places that a node has for packets of a class; as many as are wanted, until it states how
/// many.
struct Places {
    free: Cell<u32>,
    freed: Signal,
}

impl Places {
    fn new(sim: &Sim, name: &str) -> Places {
        Places { free: Cell::new(u32::MAX), freed: Signal::new(sim, format!("a place in the interface of {name}")) }
    }

    fn add(&self) {
        if self.free.get() < u32::MAX {
            self.free.set(self.free.get() + 1);
        }
        self.freed.notify();
    }

    /// Waits for a place; whether one was taken, which is not so where there is no limit.
    async fn take(&self) -> bool {
        while self.free.get() == 0 {
            self.freed.wait().await;
        }
        let limited = self.free.get() < u32::MAX;
        if limited {
            self.free.set(self.free.get() - 1);
        }
        limited
    }
}
