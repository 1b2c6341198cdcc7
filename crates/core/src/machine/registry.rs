//! The registry of parts, by family: shipped parts, and those that other crates add.
//!
//! The order of the parts is the order in which they are listed, printed and tried.

use super::host_capabilities::CapabilitiesOfHostKind;
use super::key_spelling::KeySpelling;
use crate::fabric::{self, FabricSpec};
use crate::host::{self, HostSpec};
use crate::ni::{self, InterfaceSpec};
use crate::part::{Part, PartEntry, PartFamily};
use crate::program::{self, WorkloadSpec};
use crate::protocol::{self, ProtocolSpec};
use std::sync::{Arc, LazyLock, OnceLock};

/// The parts that descriptions may name.
#[derive(Clone, Debug)]
pub struct Registry {
    hosts: PartFamily<dyn HostSpec>,
    /// For each kind of host in the order of `hosts`, the capabilities that do not depend on its parameters.
    pub(super) host_capabilities: Vec<CapabilitiesOfHostKind>,
    interfaces: PartFamily<dyn InterfaceSpec>,
    protocols: PartFamily<dyn ProtocolSpec>,
    fabrics: PartFamily<dyn FabricSpec>,
    workloads: PartFamily<dyn WorkloadSpec>,
    /// The spelling of keys in results and descriptions, computed on first use.
    pub(super) key_spelling: OnceLock<KeySpelling>,
}

static SHIPPED: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(Registry::shipped()));

impl Registry {
    /// Returns a registry without parts.
    pub fn empty() -> Registry {
        let interfaces = "Network interface of all nodes that do not describe another";
        let protocols = "Protocol between the interfaces: admission, order, reliability";
        Registry {
            hosts: PartFamily::new("hosts", "Kind of host"),
            host_capabilities: Vec::new(),
            interfaces: PartFamily::new("ni", interfaces),
            protocols: PartFamily::new("protocol", protocols).with_default("none"),
            fabrics: PartFamily::new("fabric", "Network between the nodes"),
            workloads: PartFamily::new("workload", "Program that runs on the machine"),
            key_spelling: OnceLock::new(),
        }
    }

    /// Returns a registry of all parts that ship.
    pub fn shipped() -> Registry {
        Registry::empty()
            .with_host::<host::io_bus::IoBusParameters>()
            .with_host::<host::memory_bus::NodeParameters>()
            .with_host::<host::alewife::AlewifeParameters>()
            .with_host::<host::software::SoftwareParameters>()
            .with_host::<host::pcie::PcieParameters>()
            .with_interface::<ni::trapeze::TrapezeInterface>()
            .with_interface::<ni::mcp::McpInterface>()
            .with_interfaces(ni::designs::entries())
            .with_interface::<ni::direct::QueuesParameters>()
            .with_interface::<ni::cmmu::CmmuParameters>()
            .with_interface::<ni::dma_engine::DmaEngineParameters>()
            .with_interface::<ni::rdma::RdmaParameters>()
            .with_interface::<ni::ring::RingParameters>()
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
            .with_workload::<program::verbs::VerbsTest>()
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

    /// Adds a kind of host after all others.
    ///
    /// # Panics
    ///
    /// Panics if another kind of host has the same key.
    #[must_use]
    pub fn with_host<P: Part + HostSpec>(mut self) -> Registry {
        self.hosts.add(PartEntry::new(P::INFO, |t| -> Arc<dyn HostSpec> { Arc::new(P::read(t)) }));
        let (key, capabilities, required_setting) = (P::INFO.key, P::offered(), P::required_setting);
        self.host_capabilities.push(CapabilitiesOfHostKind { key, capabilities, required_setting });
        self
    }

    /// Adds an interface after all others.
    ///
    /// # Panics
    ///
    /// Panics if another interface has the same key.
    #[must_use]
    pub fn with_interface<P: Part + InterfaceSpec>(self) -> Registry {
        self.with_interfaces([PartEntry::new(P::INFO, |t| -> Arc<dyn InterfaceSpec> { Arc::new(P::read(t)) })])
    }

    /// Adds the interfaces that one type represents, after all others.
    ///
    /// # Panics
    ///
    /// Panics if another interface has the key of one of them.
    #[must_use]
    pub fn with_interfaces(mut self, entries: impl IntoIterator<Item = PartEntry<dyn InterfaceSpec>>) -> Registry {
        entries.into_iter().for_each(|entry| self.interfaces.add(entry));
        self
    }

    /// Adds a protocol after all others.
    ///
    /// # Panics
    ///
    /// Panics if another protocol has the same key.
    #[must_use]
    pub fn with_protocol<P: Part + ProtocolSpec>(mut self) -> Registry {
        self.protocols.add(PartEntry::new(P::INFO, |t| -> Arc<dyn ProtocolSpec> { Arc::new(P::read(t)) }));
        self
    }

    /// Adds a fabric after all others.
    ///
    /// # Panics
    ///
    /// Panics if another fabric has the same key.
    #[must_use]
    pub fn with_fabric<P: Part + FabricSpec>(self) -> Registry {
        self.with_fabrics([PartEntry::new(P::INFO, |t| -> Arc<dyn FabricSpec> { Arc::new(P::read(t)) })])
    }

    /// Adds fabrics after all others, given as entries. Several entries may share one type, and the reader of an entry
    /// may look up the names of nodes.
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

    /// Adds a workload after all others.
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

    /// Returns the interfaces.
    pub fn interfaces(&self) -> &PartFamily<dyn InterfaceSpec> {
        &self.interfaces
    }

    /// Returns the protocols.
    pub fn protocols(&self) -> &PartFamily<dyn ProtocolSpec> {
        &self.protocols
    }

    /// Returns the workloads.
    pub fn workloads(&self) -> &PartFamily<dyn WorkloadSpec> {
        &self.workloads
    }
}
