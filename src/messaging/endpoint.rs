//! An endpoint: a node's way to the others, whatever its host, interface, protocol and fabric.
//!
//! Programs of messages with payloads use it directly ([`messages`](super::messages)); programs of
//! active messages through [`Active`](super::active::Active). They wait on its clock, which may run
//! ahead of the simulation, never on the simulation's.

use super::messages::Messages;
use super::parameters::MessagingParameters;
use crate::engine::sim::Polls;
use crate::engine::{Bytes, NodeId, Signal, Tally, Time};
use crate::host::{Address, Cpu, Host, Processor, Use};
use crate::ni::{AnyDriver, Compose, Driver, Pending, Port};
use std::rc::Rc;

/// A node's end.
pub struct Endpoint {
    /// The host.
    pub host: Host,
    pub(super) cpu: Cpu,
    pub(super) driver: AnyDriver,
    pub(super) parameters: MessagingParameters,
    pub(super) tally: Rc<Tally>,
    pub(super) pending: Rc<Pending>,
    pub(super) messages: Messages,
}

impl Endpoint {
    /// The end of `host`'s node over its interface; messages have at most `message_max`.
    pub fn new(
        host: Host,
        driver: AnyDriver,
        parameters: MessagingParameters,
        message_max: Bytes,
        (tally, pending): (&Rc<Tally>, &Rc<Pending>),
    ) -> Rc<Endpoint> {
        Rc::new(Endpoint {
            cpu: host.cpu(),
            host,
            driver,
            parameters,
            tally: tally.clone(),
            pending: pending.clone(),
            messages: Messages::new(message_max),
        })
    }

    /// Its node.
    pub fn node(&self) -> NodeId {
        self.host.node
    }

    /// The node's processor.
    pub fn cpu(&self) -> &Cpu {
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
        self.cpu.now()
    }

    /// Does nothing until `instant` by the node's own time.
    pub async fn until(&self, instant: Time) {
        self.cpu.until(instant).await;
    }

    /// Whether a tag steers a payload to the address it is mapped to.
    pub fn steers(&self) -> bool {
        self.driver.limits().steers
    }

    /// Has payloads with `tag` delivered to `address`, where the interface steers by tags.
    pub async fn map_tag(&self, tag: u16, address: Address) {
        self.driver.map_tag(&self.cpu, tag, address).await;
    }

    /// A buffer in memory.
    pub fn allocate(&self, length: Bytes) -> Address {
        self.host.allocate(length.len())
    }

    /// Writes a buffer before anything is measured.
    pub async fn prepare(&self, address: Address, bytes: &[u8]) {
        self.host.prepare(address, bytes).await;
    }

    /// What a program that waits here is told by.
    pub(super) fn attention(&self) -> &Signal {
        self.driver.attention()
    }

    /// Sends a packet. While there is no room for it, `takes_in` takes in what has come: without, two
    /// full nodes would wait for each other for ever.
    pub(super) async fn put(&self, packet: &Compose<'_>, takes_in: impl AsyncFn() -> bool) {
        let begun = self.driver.begin_send(&self.cpu, &packet.journey);
        let mut polls = None;
        while !self.driver.try_send(&self.cpu, packet, &begun).await {
            if takes_in().await {
                polls = None;
            } else {
                polls = polls.or_else(|| self.driver.polled_room().map(|room| self.cpu.sim().polls_for(room)));
                self.driver.wait_for_room(&self.cpu).await;
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
