//! UDP over IPv4: real packets, byte for byte, made and understood without a machine around them.
//!
//! | file | what |
//! |---|---|
//! | `addresses.rs` | nodes and endpoints as IPv4 addresses and UDP ports |
//! | `checksum.rs` | the internet checksum as sums of parts, whoever adds them up |
//! | `fragment.rs` | a datagram as packets of an MTU, its payload in place |
//! | `parse.rs` | the bytes of a packet as what they mean, or why they are dropped |
//! | `reassembly.rs` | fragments in any order as datagrams, without their bytes |
//! | `statistics.rs` | what was dropped, counted by why |
//!
//! As any stack does: IPv4 (RFC 791) as RFC 1122 asks of a host, UDP (RFC 768), and RFC 5722's rule
//! that fragments which overlap end their datagram, here for IPv4, too. Nobody here copies a
//! payload: a sender gathers headers and ranges of the program's bytes, a receiver is told where
//! each range goes. Who adds up a checksum, processor or engine, is the caller's matter as well.
//!
//! What it leaves out: options of IPv4 (skipped where others send them), routing and the time to
//! live, ICMP, path MTU discovery (Don't Fragment is never set), multicast, the options of UDP.
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

#[doc = include_str!("example.md")]
pub use fragment::{Datagram, Fragment};
#[doc = include_str!("example.md")]
pub use parse::{Parsed, parse};
#[doc = include_str!("example.md")]
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
pub use statistics::{DropReason, Drops};

/// The longest IPv4 packet: its length is a number of 16 bits.
#[doc(hidden)]
pub const PACKET_MAX: usize = 65_535;
/// The bytes of an IPv4 header without options.
#[doc(hidden)]
pub const IPV4_HEADER: usize = 20;
/// The bytes of a UDP header.
#[doc(hidden)]
pub const UDP_HEADER: usize = 8;
/// The most payload of a datagram.
#[doc(hidden)]
pub const PAYLOAD_MAX: usize = PACKET_MAX - IPV4_HEADER - UDP_HEADER;
