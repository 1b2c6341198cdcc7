//! Packets as files that others read, and what others captured.
//!
//! | file | what |
//! |---|---|
//! | `write.rs` | a run's packets as pcapng, which Wireshark, tcpdump and their like open |
//! | `read.rs` | any capture, by its first bytes |
//! | `pcapng.rs` | a pcapng file (draft-ietf-opsawg-pcapng): sections, interfaces, packets |
//! | `pcap.rs` | a classic pcap file (draft-ietf-opsawg-pcap), in both byte orders, in µs or ns |
//!
//! **What is written has simulated time**: nanoseconds since the start of the run, picoseconds
//! rounded down, shown by others as a time of 1 January 1970. What is read has the time of whoever
//! captured, in nanoseconds since then.
//!
//! Written here and not by a library, since none is both kept and released that writes pcapng; read
//! with `pcap-parser`, of which only the blocks that matter are asked, since it is wrong about
//! resolutions that are powers of two and about offsets in big-endian files (0.17).
//!
//! What it leaves out: comments, statistics, names and secrets in what is read; the "modified" pcap;
//! compressed files; what packets mean.

mod pcap;
mod pcapng;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub use read::{CaptureError, CapturedPacket, read};
pub use write::Capture;

/// Packets that begin with an IP header.
const LINKTYPE_RAW: u32 = 101;
/// Packets that begin with an IPv4 header.
const LINKTYPE_IPV4: u32 = 228;
/// Ethernet frames.
const LINKTYPE_ETHERNET: u32 = 1;
/// What some systems write for [`LINKTYPE_RAW`].
const DLT_RAW: [u32; 2] = [12, 14];
