//! UDP over IPv4: encodes and parses the real bytes of packets, independently of any machine.
//!
//! | file | contents |
//! |---|---|
//! | `addresses.rs` | nodes and endpoints as IPv4 addresses and UDP ports |
//! | `checksum.rs` | the internet checksum as a sum of partial sums |
//! | `fragment.rs` | fragmentation of a datagram into packets of an MTU, without copying its payload |
//! | `parse.rs` | the meaning of a packet's bytes, or the reason for which it is dropped |
//! | `reassembly.rs` | reassembly of datagrams from fragments in any order, without their bytes |
//! | `statistics.rs` | counts of dropped packets by reason |
//!
//! The model follows IPv4 (RFC 791) with the host requirements of RFC 1122, UDP (RFC 768), and RFC 5722's rule that
//! overlapping fragments invalidate their datagram, applied to IPv4. The module copies no payload: a sender gathers
//! headers and ranges of the program's bytes, and a receiver obtains the offset of each range. The caller also decides
//! whether a processor or an engine computes a checksum.
//!
//! IPv4 options (skipped on reception), routing and the time to live, ICMP, path MTU discovery (Don't Fragment is
//! never set), multicast, and UDP options are not modelled.
//!
#![doc = include_str!("example.md")]

#[doc(hidden)]
pub mod addresses;
#[doc(hidden)]
pub mod checksum;
#[doc(hidden)]
pub mod fragment;
#[doc(hidden)]
pub mod parse;
#[doc(hidden)]
pub mod reassembly;
#[doc(hidden)]
pub mod statistics;
#[cfg(test)]
mod tests;

#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use fragment::{Datagram, Fragment};
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use parse::{Parsed, parse};
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use reassembly::{Reassembled, Reassembly, ReassemblyParameters};

#[doc(hidden)]
pub use checksum::Sum;
#[doc(hidden)]
pub use fragment::{FragmentError, Fragments};
#[doc(hidden)]
pub use parse::UdpHead;
#[doc(hidden)]
pub use reassembly::DatagramKey;
#[doc(hidden)]
pub use statistics::{DropCounts, DropReason};

/// Largest length of an IPv4 packet in bytes, since the length field has 16 bits.
#[doc(hidden)]
pub const PACKET_MAX: usize = 65_535;
/// Length of an IPv4 header without options, in bytes.
#[doc(hidden)]
pub const IPV4_HEADER: usize = 20;
/// Length of a UDP header in bytes.
#[doc(hidden)]
pub const UDP_HEADER: usize = 8;
/// Largest payload of a datagram in bytes.
#[doc(hidden)]
pub const PAYLOAD_MAX: usize = PACKET_MAX - IPV4_HEADER - UDP_HEADER;
