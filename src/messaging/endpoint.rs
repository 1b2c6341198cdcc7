//! An endpoint: a program's way to the others, whatever its host, interface, protocol and fabric.
//!
//! Programs of messages with payloads use it directly ([`messages`](super::messages)); programs of
//! active messages through [`Active`](super::active::Active). They wait on its clock, which may run
//! ahead of the simulation, never on the simulation's. A node may have several ([`near`](super::near)).

use super::messages::Messages;
use super::near::{Near, Run, Sharing};
use super::parameters::MessagingParameters;
use crate::engine::sim::Polls;
use crate::engine::{Addresses, Bytes, EndId, MessageTally, NodeId, Signal, Time};
use crate::host::{Address, AnyProcessor, Host, Processor, Use};
use crate::ni::{AnyDriver, Compose, Driver, Pending, Port};
use std::rc::Rc;

/// A program's end.
pub struct Endpoint {
    pub(super) id: EndId,
    name: String,
    /// The host.
    pub host: Host,
    pub(super) cpu: AnyProcessor,
    pub(super) driver: Rc<AnyDriver>,
    pub(super) parameters: MessagingParameters,
    pub(super) tally: Rc<MessageTally>,
    pub(super) pending: Rc<Pending>,
    pub(super) messages: Messages,
    /// What it has where others share its node.
    pub(super) near: Option<Near>,
}

impl Endpoint {
    /// The endpoints of `host`'s node over its interface; messages have at most `message_max`.
    pub fn all(
        host: &Host,
        driver: AnyDriver,
        parameters: MessagingParameters,
        message_max: Bytes,
        (tally, pending, addresses): (&Rc<MessageTally>, &Rc<Pending>, &Rc<Addresses>),
    ) -> Vec<Rc<Endpoint>> {
        let (driver, cpu) = (Rc::new(driver), host.cpu());
        let several = addresses.count(host.node) > 1;
        let sharing = several.then(|| Sharing::new(cpu.sim(), &host.name, addresses));
        let end = |id: EndId| {
            let name = match several {
                true => format!("{}:{}", host.name, addresses.place(id)),
                false => host.name.to_string(),
            };
            Rc::new(Endpoint {
                id,
                name,
                cpu: cpu.clone(),
                host: host.clone(),
                driver: driver.clone(),
                parameters,
                tally: tally.clone(),
                pending: pending.clone(),
                messages: Messages::new(message_max),
                near: sharing.as_ref().map(Near::new),
            })
        };
        let ends: Vec<_> = addresses.of(host.node).map(end).collect();
        sharing.iter().for_each(|sharing| sharing.join(&ends));
        ends
    }

    /// Its number.
    pub fn id(&self) -> EndId {
        self.id
    }

    /// Its name: that of its node, with its place there where there are several.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its node.
    pub fn node(&self) -> NodeId {
        self.host.node
    }

    /// The node's processor.
    pub fn cpu(&self) -> &AnyProcessor {
        &self.cpu
    }

    /// The interface's driver.
    pub fn driver(&self) -> &AnyDriver {
        &self.driver
    }

    /// The interface's port, if packets go by one.
    pub fn port(&self) -> Option<&Rc<Port>> {
        self.driver.port()
    }

    /// The node's own time.
    pub fn now(&self) -> Time {
        match &self.near {
            None => self.cpu.now(),
            // Between two turns of a program the processor's clock may stand still.
            Some(_) => self.cpu.now().max(self.cpu.sim().now()),
        }
    }

    /// Does nothing until `instant` by the node's own time.
    pub async fn until(&self, instant: Time) {
        if self.near.is_none() {
            return self.cpu.until(instant).await;
        }
        if instant > self.cpu.sim().now() {
            self.cpu.sim().until(instant).await;
        }
    }

    /// Whether a tag steers a payload to the address it is mapped to.
    pub fn steers(&self) -> bool {
        self.driver.limits().steers
    }

    /// Has payloads with `tag` delivered to `address`, where the interface steers by tags.
    pub async fn map_tag(&self, tag: u16, address: Address) {
        let run = self.run().await;
        self.driver.map_tag(&self.cpu, self.id, tag, address).await;
        if let Some(near) = self.near.as_ref().filter(|_| self.steers()) {
            near.map_tag(tag, address);
        }
        self.stop(run).await;
    }

    /// A buffer in memory.
    pub fn allocate(&self, length: Bytes) -> Address {
        self.host.allocate(length.len())
    }

    /// Writes a buffer before anything is measured.
    pub async fn prepare(&self, address: Address, bytes: &[u8]) {
        let run = self.run().await;
        self.host.prepare(address, bytes).await;
        self.stop(run).await;
    }

    /// What a program that waits here is told by.
    pub(super) fn attention(&self) -> &Signal {
        self.driver.attention()
    }

    /// Sends a packet. While there is no room for it, `takes_in` takes in what has come: without, two
    /// full nodes would wait for each other for ever. When the attempt began that sent it.
    pub(super) async fn put(&self, packet: &Compose<'_>, run: &mut Run, takes_in: impl AsyncFn() -> bool) -> Time {
        if let Some(to) = self.neighbour(packet.to) {
            return self.put_beside(&to, packet, run, takes_in).await;
        }
        let begun = self.driver.begin_send(&self.cpu, &packet.journey);
        let mut polls = None;
        loop {
            let attempted = self.now();
            if self.driver.try_send(&self.cpu, packet, &begun).await {
                return attempted;
            }
            if takes_in().await {
                polls = None;
            } else {
                polls = polls.or_else(|| self.driver.polled_room().map(|room| self.cpu.sim().polls_for(room)));
                self.wait_for_room(run).await;
            }
        }
    }

    /// Has the program told of as polling for a packet, where it does.
    pub(super) fn polls_for_packet(&self) -> Option<Polls<'_>> {
        self.driver.polled_packet().map(|packet| self.cpu.sim().polls_for(packet))
    }

    /// For how long each part of host and interface was at work.
    pub fn uses(&self) -> Vec<Use> {
        [self.host.uses(), self.driver.uses()].concat()
    }
}
