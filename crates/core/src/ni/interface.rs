//! The specification of an interface: the host capabilities that it needs, its limits and its memory footprint. A
//! machine is checked and built from this specification, whatever the kind of interface.
//!
//! All keys that the specification names are relative to the interface's own table.

use super::any::AnyDriver;
use super::build_context::BuildContext;
use super::memory_footprint::MemoryFootprint;
use super::verbs::VerbsLimits;
use crate::engine::{Bytes, Rate};
use crate::host::HostCapabilities;
use crate::part::{ParameterError, PartSpec};
use crate::protocol::ProtocolSpec;

/// Maximum number of endpoints that a header can address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndpointLimit {
    /// This number on all nodes together.
    Total(u32),
    /// This number on each node.
    PerNode(u32),
}

/// The reason for the limit [`InterfaceLimits::message`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageBound {
    /// Packets of a longer message would exceed the range of packet numbers.
    PacketNumbers,
    /// A message is one packet, which must fit in a buffer of the interface.
    PacketBuffer,
}

/// The limits of an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InterfaceLimits {
    /// Longest packet, including the interface's headers.
    pub packet: Bytes,
    /// Longest message of a program.
    pub message: Bytes,
    /// Reason for the limit on the length of messages.
    pub message_bound: MessageBound,
    /// Largest number of 32-bit words of an active message, as [`DriverLimits::words`](super::DriverLimits::words) of
    /// its driver.
    pub words: usize,
    /// Largest number of nodes that a header can name.
    pub nodes: u32,
    /// Largest number of endpoints that a header can name.
    pub endpoints: EndpointLimit,
    /// Whether the host DMA engine can be driven without firmware.
    pub has_host_dma: bool,
    /// Whether the host DMA engine has a queue, so that any number of transfers may be requested at once.
    pub queues_host_dma: bool,
    /// Whether programs can send and receive messages.
    pub has_messages: bool,
    /// Limits of the interface's verbs; `None` if it has none.
    pub verbs: Option<VerbsLimits>,
}

impl InterfaceLimits {
    /// Returns the limits of an interface that numbers the packets of a message and has no standalone host DMA engine.
    /// An active message has as many words as a packet, unless [`with_words`](InterfaceLimits::with_words) sets the
    /// number that fits after the headers.
    pub const fn new(packet: Bytes, message: Bytes, nodes: u32, endpoints: EndpointLimit) -> InterfaceLimits {
        let (message_bound, words) = (MessageBound::PacketNumbers, packet.len() / 4);
        InterfaceLimits {
            packet,
            message,
            message_bound,
            words,
            nodes,
            endpoints,
            has_host_dma: false,
            queues_host_dma: false,
            has_messages: true,
            verbs: None,
        }
    }

    /// Sets the maximum number of 32-bit words of an active message.
    #[must_use]
    pub const fn with_words(mut self, words: usize) -> InterfaceLimits {
        self.words = words;
        self
    }

    /// Declares that a message is one packet, which must fit in a buffer of the interface.
    #[must_use]
    pub const fn with_one_packet_per_message(mut self) -> InterfaceLimits {
        self.message_bound = MessageBound::PacketBuffer;
        self
    }

    /// Declares that the host DMA engine can be driven without firmware.
    #[must_use]
    pub const fn with_host_dma(mut self) -> InterfaceLimits {
        self.has_host_dma = true;
        self
    }

    /// Declares that the host DMA engine can be driven without firmware and has a queue of transfers.
    #[must_use]
    pub const fn with_queued_host_dma(mut self) -> InterfaceLimits {
        self.queues_host_dma = true;
        self.with_host_dma()
    }

    /// Declares that the interface has no messages.
    #[must_use]
    pub const fn without_messages(mut self) -> InterfaceLimits {
        self.has_messages = false;
        self
    }

    /// Declares that the interface has verbs.
    #[must_use]
    pub const fn with_verbs(mut self, limits: VerbsLimits) -> InterfaceLimits {
        self.verbs = Some(limits);
        self
    }
}

/// Interface memory that a protocol occupies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProtocolMemory {
    /// Bytes that are needed; `None` if there is no bound.
    pub needed: Option<Bytes>,
    /// Bytes that the interface has.
    pub available: Bytes,
    /// Key of the interface memory's size.
    pub size_key: &'static str,
    /// Key of the parameter that sets the interface memory per endpoint.
    pub endpoint_key: &'static str,
}

impl ProtocolMemory {
    /// Returns a protocol's requirement of `needed` bytes of an interface memory of `available` bytes, whose size the
    /// key `size_key` sets. No parameter sets the memory per endpoint.
    pub const fn new(needed: Option<Bytes>, available: Bytes, size_key: &'static str) -> ProtocolMemory {
        ProtocolMemory { needed, available, size_key, endpoint_key: "" }
    }
}

/// Name of the packet format with the 8-byte header, which fifos, queues and the interface `queues` without a bus use.
pub const PARCEL: &str = "parcel";
/// Name of the packet format of coherent queues with packets above 256 bytes.
pub const LARGE_PARCEL: &str = "parcel of 16-byte headers";

/// The specification of an interface, read from a description.
pub trait InterfaceSpec: PartSpec {
    /// Returns the host capabilities that the interface needs.
    fn needs(&self) -> HostCapabilities;

    /// Returns the host capabilities that the interface needs for every choice of its parameters.
    fn minimum_requirements(&self) -> HostCapabilities {
        self.needs()
    }

    /// Returns the interface's limits.
    fn limits(&self) -> InterfaceLimits;

    /// Returns the main memory that the interface occupies.
    fn memory_footprint(&self) -> MemoryFootprint;

    /// Returns the key that sets the length of packets.
    fn packet_key(&self) -> &'static str;

    /// Returns the bytes that the longest packet has in addition to those that the packet key states, and their
    /// content, if it has such bytes.
    fn packet_overhead(&self) -> Option<(Bytes, &'static str)> {
        None
    }

    /// Returns the format of packets, if other interfaces have the same.
    fn wire_format(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether packets are IPv4 packets, which network tools can read.
    fn sends_ip(&self) -> bool {
        false
    }

    /// Returns the interface memory that `protocol` takes for `endpoints` endpoints, or `None` if the protocol does not
    /// use interface memory.
    fn protocol_memory(&self, _protocol: &dyn ProtocolSpec, _endpoints: u32) -> Option<ProtocolMemory> {
        None
    }

    /// Returns the reason why the number at `key` has no effect on a run with `protocol`, if the interface knows one.
    fn inert_reason_with(&self, _key: &str, _protocol: &dyn ProtocolSpec) -> Option<&'static str> {
        None
    }

    /// Returns whether the interface runs the machine's protocol.
    fn runs_protocols(&self) -> bool {
        true
    }

    /// Returns whether the interface itself retransmits lost packets and restores their order, whatever the protocol.
    fn is_reliable(&self) -> bool {
        false
    }

    /// Returns the length of the blocks in which the interface keeps memory coherent between nodes, or `None` if it
    /// does not.
    fn coherent_block(&self) -> Option<Bytes> {
        None
    }

    /// Returns an error if the interface cannot work on a host whose bus moves DMA data at `rate`, which the key
    /// `rate_key` of the description states.
    fn check_dma_rate(&self, _rate: Rate, _rate_key: &str) -> Option<ParameterError> {
        None
    }

    /// Starts the interface of a node from checked parameters; returns its driver.
    fn start(&self, context: &BuildContext<'_>) -> AnyDriver;
}

/// Returns the maximum number of bytes of a message that a packet carries. If the interface itself reassembles
/// messages, this is the whole message.
fn payload_max(interface: &dyn InterfaceSpec) -> Bytes {
    interface.memory_footprint().packet.map_or(interface.limits().message, |packet| Bytes(packet.message_bytes))
}

/// Returns the longest message between nodes with these interfaces: one packet's payload, if the interfaces fragment
/// messages differently.
pub fn message_max<'a>(interfaces: impl Iterator<Item = &'a dyn InterfaceSpec> + Clone) -> Bytes {
    let fragment_sizes =
        interfaces.clone().map(|interface| interface.memory_footprint().packet.map(|packet| packet.message_bytes));
    let is_one_size = fragment_sizes.clone().min() == fragment_sizes.max();
    let longest_message =
        |interface: &dyn InterfaceSpec| if is_one_size { interface.limits().message } else { payload_max(interface) };
    interfaces.map(longest_message).min().unwrap_or(Bytes::ZERO)
}
