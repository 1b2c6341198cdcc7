//! Several endpoints of a node: programs that share its processor and its interface.
//!
//! Models: the processor runs one program at a time, in the order of asking, until that waits or its call
//! has ended; so a program that computes keeps the others from polling. The interface and its driver are one:
//! whoever polls takes what it finds, pays for it, and hands what is for another endpoint to that one's queue,
//! where its program finds it at no further cost. What goes to an endpoint of the same node never meets the
//! interface ([`beside`](super::beside)).
//!
//! Leaves out: preemption, the cost of changing programs, protection, and an end of the queues of what was
//! handed on.

use super::Endpoint;
use super::active::MessageWords;
use super::beside::{Left, Queue};
use super::messages::Polled;
use crate::engine::resource::OwnedHold;
use crate::engine::{Addresses, EndId, Journey, Resource, Sim};
use crate::host::{Address, Processor};
use crate::ni::{Arrival, Driver, Envelope, PayloadSink, Rest, Wake};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::{Rc, Weak};

/// What the endpoints of a node share.
pub(super) struct Sharing {
    runs: Rc<Resource>,
    addresses: Rc<Addresses>,
    ends: OnceCell<Vec<Weak<Endpoint>>>,
}

impl Sharing {
    /// Of the node `name`.
    pub fn new(sim: &Sim, name: &str, addresses: &Rc<Addresses>) -> Rc<Sharing> {
        let runs = Rc::new(Resource::new(sim, format!("another program of {name}")));
        Rc::new(Sharing { runs, addresses: addresses.clone(), ends: OnceCell::new() })
    }

    /// These share the node.
    pub fn join(&self, ends: &[Rc<Endpoint>]) {
        let known = self.ends.set(ends.iter().map(Rc::downgrade).collect());
        assert!(known.is_ok(), "a node's endpoints are built once");
    }

    fn end(&self, id: EndId) -> Rc<Endpoint> {
        let ends = self.ends.get().expect("a node's endpoints are built before the run");
        ends[self.addresses.place(id) as usize].upgrade().expect("a node's endpoints live as long as each other")
    }
}

/// What an endpoint has that shares its node.
pub(super) struct Near {
    node: Rc<Sharing>,
    /// Packets from endpoints of the same node.
    pub beside: Queue,
    /// Active messages that other programs of the node have taken for this one.
    handed: RefCell<VecDeque<Handed>>,
    /// Where payloads go that are steered.
    pub tags: RefCell<BTreeMap<u16, Address>>,
}

impl Near {
    pub fn new(node: &Rc<Sharing>) -> Near {
        Near { node: node.clone(), beside: Queue::default(), handed: RefCell::default(), tags: RefCell::default() }
    }

    /// Has payloads with `tag` put at `address`.
    pub fn map_tag(&self, tag: u16, address: Address) {
        self.tags.borrow_mut().insert(tag, address);
    }
}

/// An active message that was taken.
pub(super) struct Handed {
    pub from: EndId,
    pub handler: u8,
    pub words: MessageWords,
    pub journey: Journey,
}

/// A packet that was found.
pub(super) enum Came {
    /// By the interface.
    Over(Arrival),
    /// From an endpoint of the same node.
    Beside(Left),
}

impl Came {
    /// Who sent it, what the messaging layer says of it, the bytes of its payload, its way.
    pub fn says(&self) -> (EndId, Envelope, usize, Journey) {
        match self {
            Came::Over(arrival) => (arrival.from, arrival.envelope, arrival.bytes, arrival.journey.clone()),
            Came::Beside(left) => (left.from, left.envelope, left.bytes, left.journey.clone()),
        }
    }
}

/// A program's time on a processor that others share, until it is given up.
#[must_use = "others wait for it"]
pub(super) struct Run(Option<OwnedHold>);

impl Endpoint {
    /// Waits until the program may run.
    pub(super) async fn run(&self) -> Run {
        let Some(near) = &self.near else { return Run(None) };
        let kept = OwnedHold::of(&near.node.runs).await;
        self.cpu.sync().await;
        Run(Some(kept))
    }

    /// Others may run, once what was done is done.
    pub(super) async fn stop(&self, run: Run) {
        if run.0.is_some() {
            self.cpu.sync().await;
        }
    }

    /// Has others run that wait to.
    async fn give_way(&self, run: &mut Run) {
        run.0 = None;
        *run = self.run().await;
    }

    /// Ends a round in which no packet was found, until another may be; true as [`Driver::idle`] says.
    pub(super) async fn idle(&self, run: &mut Run, wake: Wake<'_>) -> bool {
        if self.near.is_none() {
            return self.driver.idle(&self.cpu, wake).await;
        }
        self.rest(run, wake).await;
        false
    }

    /// The same where others share the processor.
    async fn rest(&self, run: &mut Run, wake: Wake<'_>) {
        let looked = self.cpu.sim().now();
        self.cpu.sync().await;
        match self.driver.rest() {
            // Something may have come meanwhile.
            Rest::Told if self.cpu.sim().now() > looked => {}
            Rest::Told => {
                run.0 = None;
                let next = (wake.next)();
                if next > self.cpu.sim().now() {
                    self.attention().wait_until(next).await;
                }
                *run = self.run().await;
                self.round().await;
            }
            Rest::Looks(interval) => {
                run.0 = None;
                self.cpu.sim().delay(interval).await;
                *run = self.run().await;
            }
            Rest::Polls => {
                self.round().await;
                self.give_way(run).await;
            }
        }
    }

    /// The processor's part of a poll that found nothing.
    async fn round(&self) {
        self.driver.round(&self.cpu);
        self.cpu.sync().await;
    }

    /// Waits, when there was no room and nothing has come either, until that may be otherwise.
    pub(super) async fn wait_for_room(&self, run: &mut Run) {
        if self.near.is_none() {
            return self.driver.wait_for_room(&self.cpu).await;
        }
        match self.driver.rest() {
            Rest::Polls => {
                self.round().await;
                self.give_way(run).await;
            }
            Rest::Told | Rest::Looks(_) => {
                run.0 = None;
                self.driver.wait_for_room(&self.cpu).await;
                *run = self.run().await;
            }
        }
    }

    /// Looks for a packet once, where programs share the node; what is found for another is handed to it.
    pub(super) async fn find(&self, answers: &dyn Fn(u8) -> bool) -> Option<Came> {
        let near = self.near.as_ref().expect("a node that programs share");
        loop {
            if let Some(left) = near.beside.next() {
                return Some(Came::Beside(left));
            }
            let arrival = self.driver.poll(&self.cpu, answers).await?;
            if arrival.to == self.id {
                return Some(Came::Over(arrival));
            }
            let other = near.node.end(arrival.to);
            other.take_from_another(Came::Over(arrival)).await;
            other.attention().notify();
        }
    }

    /// Takes a packet that another program of the node found.
    async fn take_from_another(&self, came: Came) {
        let (_, envelope, ..) = came.says();
        match envelope.is_part {
            true => {
                if let Polled::Message(message) = self.take_in(came).await {
                    self.messages.keep(message);
                }
            }
            false => self.take_words(came).await,
        }
    }

    /// Whether another program has taken something for this one.
    pub(super) fn has_been_handed(&self) -> bool {
        self.near.as_ref().is_some_and(|near| !near.handed.borrow().is_empty() || !near.beside.is_empty())
    }

    /// The next active message, where programs share the node.
    pub(super) async fn next_handed(&self, answers: &dyn Fn(u8) -> bool) -> Option<Handed> {
        let near = self.near.as_ref().expect("a node that programs share");
        if near.handed.borrow().is_empty() {
            let came = self.find(answers).await?;
            self.take_words(came).await;
        }
        near.handed.borrow_mut().pop_front()
    }

    async fn take_words(&self, came: Came) {
        let (from, envelope, _, journey) = came.says();
        let (handler, mut words) = (envelope.handler, Vec::new());
        let (extra, sink) = (self.reordering(handler), PayloadSink::Words(&mut words));
        match came {
            Came::Over(mut arrival) => self.driver.take(&self.cpu, &mut arrival, extra, sink).await,
            Came::Beside(left) => self.take_beside(left, extra, sink).await,
        };
        let near = self.near.as_ref().expect("a node that programs share");
        near.handed.borrow_mut().push_back(Handed { from, handler, words: words.into(), journey });
    }

    /// The endpoint `to`, if it is of the same node.
    pub(super) fn neighbour(&self, to: EndId) -> Option<Rc<Endpoint>> {
        let near = self.near.as_ref()?;
        let is_here = near.node.addresses.node(to) == self.node();
        is_here.then(|| near.node.end(to))
    }
}
