//! The interface's side towards the fabric: sending what its units let go, and what comes in.

use super::{Interface, Later, Shared};
use crate::engine::Time;
use crate::fabric::carrier::{Carried, Sending, Told};
use crate::protocol::nifdy::{Answer, Frame};
use std::rc::Rc;

impl Interface {
    /// Joins the fabric and starts the interface's tasks.
    pub(super) fn join(self: &Rc<Self>, name: &str) {
        for network in 0..self.networks() {
            self.fabric.set_places(self.own, network, self.parameters.places());
        }
        let listener = Rc::downgrade(self);
        let told = move |told| {
            if let Some(interface) = listener.upgrade() {
                interface.told(told);
            }
        };
        self.fabric.attach(self.own, Box::new(told));
        self.sim.spawn_server(format!("{name} interface"), self.clone().work());
        if self.parameters.has_timers() {
            self.sim.spawn_server(format!("{name} timers"), self.clone().watch());
        }
    }

    /// Gives the fabric the next frame of a logical network, if there is one and the channel is free:
    /// acknowledgements first.
    pub(super) fn pump(&self, network: u8) {
        let lane = self.lane(network);
        if !lane.free.get() {
            return;
        }
        let acknowledgement = self.lane(self.back(network)).unit.borrow_mut().next_acknowledgement();
        let frame = acknowledgement.or_else(|| lane.unit.borrow_mut().next_packet(self.sim.now()));
        let Some(frame) = frame else { return };
        lane.free.set(false);
        if let Some(body) = &frame.body {
            // The first time: copies come after it.
            if body.injected.get() == Time::MAX {
                body.injected.set(self.sim.now());
                self.pending.add(frame.destination);
            }
        }
        let bytes = match &frame.body {
            Some(_) => self.parameters.packet,
            None => self.parameters.acknowledgement,
        };
        self.fabric.send(Sending {
            source: self.own,
            destination: frame.destination,
            network,
            bytes: bytes.get() as u32,
            takes_place: frame.takes_place(),
            frame,
        });
        self.sooner.notify();
        // A packet may have left the pool.
        self.changed.notify();
    }

    fn told(&self, told: Told<Frame<Shared>>) {
        match told {
            Told::Free { network } => {
                self.lane(network).free.set(true);
                self.pump(network);
            }
            Told::Header { frame } if frame.sending.frame.body.is_none() => {
                let taken = self.clock.edge_since(self.sim.now(), self.parameters.processing);
                self.later.send_at(taken, Later::Arrive(frame));
            }
            Told::Header { frame } => self.arrive(&frame),
            Told::Whole { frame } => {
                if let Some(body) = &frame.sending.frame.body {
                    body.whole.set(true);
                    self.changed.notify();
                }
            }
        }
    }

    /// A frame has come in.
    fn arrive(&self, carried: &Carried<Frame<Shared>>) {
        let Sending { network, frame, .. } = &carried.sending;
        if let Some(body) = &frame.body {
            body.arrived.set(body.arrived.get().min(self.sim.now()));
            // A copy may come after the original.
            body.whole.set(body.whole.get() || carried.whole.get());
        }
        let of = if frame.is_acknowledgement() { self.back(*network) } else { *network };
        let frees_place = self.lane(of).unit.borrow_mut().arrive(frame.clone());
        if frees_place {
            self.fabric.add_place(self.own, of);
        }
        self.changed.notify();
        self.pump_both(of);
    }

    /// A packet that the processor took is out of the arrivals queue.
    pub(super) fn accepted(&self, network: u8, answer: Answer) {
        let lane = self.lane(network);
        lane.taking.set(false);
        let delivered = lane.unit.borrow_mut().accept(answer).expect("the packet in front is there");
        lane.reading.set(delivered.frees_place);
        if lane.read.replace(false) {
            self.release(network);
        }
        self.pump_both(network);
        self.changed.notify();
    }

    /// Sends what a unit may have let go: packets, and acknowledgements by whichever network.
    fn pump_both(&self, network: u8) {
        self.pump(network);
        if self.back(network) != network {
            self.pump(self.back(network));
        }
    }

    /// Does what takes some cycles.
    async fn work(self: Rc<Self>) {
        loop {
            match self.later.receive().await {
                Later::Arrive(frame) => self.arrive(&frame),
                Later::Accept(network, answer) => self.accepted(network, answer),
            }
        }
    }

    /// Has timers go off.
    async fn watch(self: Rc<Self>) {
        loop {
            let next = self.next_timer();
            if self.sim.now() < next {
                self.sooner.wait_until(next).await;
                continue;
            }
            for network in 0..self.networks() {
                self.lane(network).unit.borrow_mut().on_time(self.sim.now());
                self.pump(network);
            }
        }
    }
}
