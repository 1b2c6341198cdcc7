//! The parts that a program knows, family by family: those that ship, and those that another crate adds.
//!
//! Order is the order of the lists, and so is the order of all that is printed or tried of them.

use super::language::Language;
use crate::fabric::{self, FabricSpec};
use crate::host::{self, HostCapabilities, HostSpec};
use crate::ni::{self, InterfaceSpec, designs};
use crate::part::{Part, PartEntry, PartFamily, PartInfo, Selected};
use crate::program::{self, WorkloadSpec};
use crate::protocol::{self, ProtocolSpec};
use crate::text::Table;
use std::sync::{Arc, LazyLock, OnceLock};

/// An interface that a description selects.
pub type InterfacePart = Selected<dyn InterfaceSpec>;

/// A protocol that a description selects.
pub type ProtocolPart = Selected<dyn ProtocolSpec>;

/// A fabric that a description selects.
pub type FabricPart = Selected<dyn FabricSpec>;

/// A workload that a description selects.
pub type Workload = Selected<dyn WorkloadSpec>;

/// A kind of host that a description selects.
pub type HostPart = Selected<dyn HostSpec>;

/// The parts that descriptions may name.
#[derive(Clone, Debug)]
pub struct Registry {
    hosts: PartFamily<dyn HostSpec>,
    /// What each kind of host offers whatever its values, in the order of the kinds.
    offered: Vec<(&'static str, HostCapabilities)>,
    interfaces: PartFamily<dyn InterfaceSpec>,
    protocols: PartFamily<dyn ProtocolSpec>,
    fabrics: PartFamily<dyn FabricSpec>,
    workloads: PartFamily<dyn WorkloadSpec>,
    /// How results write the keys of descriptions, found when it is first asked for.
    pub(super) language: OnceLock<Language>,
}

static SHIPPED: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(Registry::shipped()));

impl Registry {
    /// Returns a registry without parts.
    pub fn empty() -> Registry {
        let interfaces = "The network interface of every node that has none of its own";
        let agreed = "What the interfaces agree on: admission, order, reliability";
        Registry {
            hosts: PartFamily::new("hosts", "Kind of host"),
            offered: Vec::new(),
            interfaces: PartFamily::new("ni", interfaces),
            protocols: PartFamily::new("protocol", agreed).or_by_default("none"),
            fabrics: PartFamily::new("fabric", "What joins the nodes"),
            workloads: PartFamily::new("workload", "What runs on the machine"),
            language: OnceLock::new(),
        }
    }

    /// Returns a registry of all parts that ship.
    pub fn shipped() -> Registry {
        Registry::empty()
            .with_host::<host::io_bus::IoBusParameters>()
            .with_host::<host::memory_bus::NodeParameters>()
            .with_host::<host::alewife::AlewifeParameters>()
            .with_host::<host::software::SoftwareParameters>()
            .with_interface::<ni::trapeze::TrapezeInterface>()
            .with_interface::<ni::mcp::McpInterface>()
            .with_interfaces(designs::entries())
            .with_interface::<ni::direct::QueuesParameters>()
            .with_interface::<ni::cmmu::CmmuParameters>()
            .with_protocol::<protocol::plain::PlainParameters>()
            .with_protocol::<protocol::return_to_sender::ReturnToSenderParameters>()
            .with_protocol::<protocol::nifdy::NifdyParameters>()
            .with_protocol::<protocol::window::WindowParameters>()
            .with_fabric::<fabric::myrinet::MyrinetParameters>()
            .with_fabric::<fabric::ideal::IdealParameters>()
            .with_fabrics(fabric::routed::spec::entries())
            .with_workload::<program::ping_pong::PingPong>()
            .with_workload::<program::stream::Stream>()
            .with_workload::<program::page_fetch::PageFetch>()
            .with_workload::<program::dma::DmaTest>()
            .with_workload::<program::fabric_alone::replay::Replay>()
            .with_workload::<program::fabric_alone::offered::Offered>()
            .with_workload::<program::fabric_alone::zero_load::ZeroLoad>()
            .with_workload::<program::bursts::Bursts>()
            .with_workload::<program::cyclic_shift::CyclicShift>()
            .with_workload::<program::radix_sort::RadixSort>()
            .with_workload::<program::em3d::Em3d>()
            .with_workload::<program::appbt::Appbt>()
            .with_workload::<program::barnes::Barnes>()
            .with_workload::<program::moldyn::Moldyn>()
            .with_workload::<program::spsolve::Spsolve>()
            .with_workload::<program::dsmc::Dsmc>()
            .with_workload::<program::unstructured::Unstructured>()
            .with_workload::<program::pair::Pair>()
            .with_workload::<program::costs::SingleCosts>()
    }

    /// Returns the registry of all parts that ship, which is made once.
    pub fn shared() -> &'static Arc<Registry> {
        &SHIPPED
    }

    /// Adds a kind of host behind all others.
    ///
    /// # Panics
    ///
    /// Panics if another kind of host has the same key.
    #[must_use]
    pub fn with_host<P: Part + HostSpec>(mut self) -> Registry {
        self.hosts.add(PartEntry::new(P::INFO, |t| -> Arc<dyn HostSpec> { Arc::new(P::read(t)) }));
        self.offered.push((P::INFO.key, P::offered()));
        self
    }

    /// Adds an interface behind all others.
    ///
    /// # Panics
    ///
    /// Panics if another interface has the same key.
    #[must_use]
    pub fn with_interface<P: Part + InterfaceSpec>(self) -> Registry {
        self.with_interfaces([PartEntry::new(P::INFO, |t| -> Arc<dyn InterfaceSpec> { Arc::new(P::read(t)) })])
    }

    /// Adds the interfaces that one type stands for behind all others.
    ///
    /// # Panics
    ///
    /// Panics if another interface has the key of one of them.
    #[must_use]
    pub fn with_interfaces(mut self, entries: impl IntoIterator<Item = PartEntry<dyn InterfaceSpec>>) -> Registry {
        entries.into_iter().for_each(|entry| self.interfaces.add(entry));
        self
    }

    /// Adds a protocol behind all others.
    ///
    /// # Panics
    ///
    /// Panics if another protocol has the same key.
    #[must_use]
    pub fn with_protocol<P: Part + ProtocolSpec>(mut self) -> Registry {
        self.protocols.add(PartEntry::new(P::INFO, |t| -> Arc<dyn ProtocolSpec> { Arc::new(P::read(t)) }));
        self
    }

    /// Adds a fabric behind all others.
    ///
    /// # Panics
    ///
    /// Panics if another fabric has the same key.
    #[must_use]
    pub fn with_fabric<P: Part + FabricSpec>(self) -> Registry {
        self.with_fabrics([PartEntry::new(P::INFO, |t| -> Arc<dyn FabricSpec> { Arc::new(P::read(t)) })])
    }

    /// Adds fabrics behind all others, by entries of their own: several of one type, or such as read the nodes' names.
    ///
    /// # Panics
    ///
    /// Panics if another fabric has the same key.
    #[must_use]
    pub fn with_fabrics(mut self, entries: impl IntoIterator<Item = PartEntry<dyn FabricSpec>>) -> Registry {
        entries.into_iter().for_each(|entry| self.fabrics.add(entry));
        self
    }

    /// Returns the fabrics.
    pub fn fabrics(&self) -> &PartFamily<dyn FabricSpec> {
        &self.fabrics
    }

    /// Reads the fabric of a description; `nodes` are the names of the nodes that it joins.
    #[doc(hidden)]
    pub fn read_fabric(&self, t: &mut Table<'_>) -> FabricPart {
        self.fabrics.read(t)
    }

    /// Adds a workload behind all others.
    ///
    /// # Panics
    ///
    /// Panics if another workload has the same key.
    #[must_use]
    pub fn with_workload<P: Part + WorkloadSpec>(mut self) -> Registry {
        self.workloads.add(PartEntry::new(P::INFO, |t| -> Arc<dyn WorkloadSpec> { Arc::new(P::read(t)) }));
        self
    }

    /// Returns the kinds of host.
    pub fn hosts(&self) -> &PartFamily<dyn HostSpec> {
        &self.hosts
    }

    /// Returns the keys of the kinds of host that offer what is required, whatever their values.
    #[doc(hidden)]
    pub fn hosts_that_offer(&self, required: &HostCapabilities) -> impl Iterator<Item = &'static str> {
        let offer = |(_, offered): &&(&str, HostCapabilities)| offered.missing(required).is_empty();
        self.offered.iter().filter(offer).map(|(key, _)| *key)
    }

    /// Reads the kinds of host of a description, by name.
    pub(super) fn read_hosts(&self, t: &mut Table<'_>) -> Vec<(String, HostPart)> {
        let read = |t: &mut Table<'_>| self.hosts.read_beside(t, self.hosts.table());
        let hosts = t.map(self.hosts.table(), "Kinds of host, by name; each one of several", read).into_iter();
        hosts.map(|(name, host)| (name.clone(), host.below(format!("{}.{name}", self.hosts.table())))).collect()
    }

    /// Returns the interfaces.
    pub fn interfaces(&self) -> &PartFamily<dyn InterfaceSpec> {
        &self.interfaces
    }

    /// Returns the protocols.
    pub fn protocols(&self) -> &PartFamily<dyn ProtocolSpec> {
        &self.protocols
    }

    /// Reads the protocol of a description; without one there are queues alone.
    #[doc(hidden)]
    pub fn read_protocol(&self, t: &mut Table<'_>) -> ProtocolPart {
        self.protocols.read(t)
    }

    /// Returns the table of the part called `key`, as its shortest description, whatever its family; empty if there is
    /// none.
    pub(super) fn example_table(&self, key: &str) -> String {
        let host = self.hosts.get(key).map(|entry| format!("[hosts.{key}.{key}]\n{}\n", entry.info.example));
        let tables = [
            host,
            self.interfaces.example_table(key),
            self.protocols.example_table(key),
            self.fabrics.example_table(key),
        ];
        tables.into_iter().flatten().next().unwrap_or_default()
    }

    /// Reports protocols that are written as if they were interfaces.
    pub(super) fn refuse_protocols_as_interfaces(&self, t: &Table<'_>) {
        for PartInfo { key, former_names, .. } in self.protocols.iter().map(|entry| entry.info) {
            for name in former_names.iter().copied().chain([key]) {
                let what = format!("a protocol is no interface: it is [protocol.{key}] over one");
                let help = format!("write [protocol.{key}] over [ni.queues], or over another interface");
                t.none_of("ni", name, &what, &help);
            }
        }
    }

    /// Returns the workloads.
    pub fn workloads(&self) -> &PartFamily<dyn WorkloadSpec> {
        &self.workloads
    }

    /// Reads the workload of a description.
    #[doc(hidden)]
    pub fn read_workload(&self, t: &mut Table<'_>) -> Workload {
        self.workloads.read(t)
    }
}
