//! A routed fabric without hosts and interfaces: a workload injects packets into its routers directly.
//!
//! The module models the same routers as a routed fabric (`mod.rs`). The workload's task steps them, thousands of
//! cycles in one event of the simulation. The exit delay is added to the cycle of each event at the destination. Links
//! and spans are reported in the same way as for a routed fabric with hosts.
//!
//! The module does not model loss, cross-traffic, or receive slots, which belong to interfaces.

use super::RoutedFabric;
use super::links::{Links, Spans};
use crate::engine::{Bytes, Hertz, Recorder, Sim, SpanLabel, Time};
use crate::fabric::port::LinkUse;
use crate::fabric::router::{Crossing, EventKind, Network, PacketEvent, Switching};
use crate::fabric::topology::Routing;
use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;

/// The routers of a fabric, for a workload that drives them without nodes.
pub struct FabricOnly {
    network: RefCell<Network>,
    links: Links,
    spans: RefCell<Spans>,
    routing: Arc<dyn Routing>,
    clock: Hertz,
    nodes: u32,
    /// Cycles from the arrival of a packet at the last router's output to its arrival at an interface.
    exit_delay: u64,
    is_store_and_forward: bool,
}

impl FabricOnly {
    /// Builds the routers of a checked description; `nodes` names the nodes at the ends of links, and `seed` seeds the
    /// routers' random choices.
    pub fn new(sim: &Sim, fabric: &RoutedFabric, nodes: &[String], seed: u64) -> Rc<FabricOnly> {
        let router = &fabric.parameters.router;
        let shape = fabric.topology.build().expect("a checked shape can be built");
        let (routing, node_count) = (shape.routing.clone(), shape.wiring.nodes());
        let links = Links::new(router, nodes, &shape.wiring);
        let mut network = Network::new(shape, router, seed);
        if sim.recorder().is_on() {
            network.record_crossings();
        }
        Rc::new(FabricOnly {
            routing,
            nodes: node_count,
            links,
            spans: RefCell::default(),
            clock: router.clock,
            exit_delay: router.exit_delay,
            is_store_and_forward: router.switching == Switching::StoreAndForward,
            network: RefCell::new(network),
        })
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Returns the number of hops from `source` to `destination`, as the topology counts them.
    pub fn distance(&self, source: u32, destination: u32) -> u32 {
        self.routing.distance(source, destination)
    }

    /// Returns whether a packet counts as arrived only when its tail has arrived.
    pub fn is_store_and_forward(&self) -> bool {
        self.is_store_and_forward
    }

    /// Borrows the network of routers, which the caller then steps for a number of cycles.
    pub fn network(&self) -> RefMut<'_, Network> {
        self.network.borrow_mut()
    }

    /// Simulates the current cycle of `network`, which must be the network of this fabric, and passes each event to
    /// `notify`. The cycle of an event at the destination is the one in which an interface would receive it. `events`
    /// is a buffer that is empty before and after the call.
    pub fn step(
        &self,
        network: &mut Network,
        recorder: &Recorder,
        events: &mut Vec<PacketEvent>,
        mut notify: impl FnMut(&PacketEvent),
    ) {
        network.step();
        network.take_events(events);
        self.spans.borrow_mut().record(recorder, network, &self.links, |crossing| self.span_label(crossing));
        for mut event in events.drain(..) {
            let is_at_source = matches!(event.kind, EventKind::FlitsSent(_) | EventKind::Injected);
            event.cycle += if is_at_source { 0 } else { self.exit_delay };
            notify(&event);
        }
    }

    /// Returns the end of the last simulated cycle.
    pub fn time(&self) -> Time {
        self.clock.end_of_cycle(self.network.borrow().cycle())
    }

    /// Returns the number of packets that have been injected and not delivered.
    pub fn in_flight(&self) -> u64 {
        self.network.borrow().counts().in_flight()
    }

    /// Returns the use of each link.
    pub fn links(&self) -> Vec<LinkUse> {
        self.links.uses(&self.network.borrow())
    }

    /// Returns the utilisation of each link, from 0 to 1: the part of all cycles in which it moved flits.
    pub fn utilisations(&self) -> Vec<f64> {
        self.links.utilisations(&self.network.borrow())
    }

    /// Returns the label for the span of a packet that crossed a channel. The label identifies a packet by the number
    /// of packets injected before it.
    fn span_label(&self, crossing: &Crossing) -> SpanLabel {
        let bytes = Bytes(u64::from(crossing.flits) * u64::from(self.links.flit_bytes));
        SpanLabel { activity: "packet", message: Some(crossing.packet_number), bytes }
    }
}
