//! Writer and reader of packet captures.
//!
//! | file | holds |
//! |---|---|
//! | `write.rs` | a writer of a run's packets as pcapng, which Wireshark and tcpdump open |
//! | `read.rs` | a reader of captures, which detects the format by the first bytes |
//! | `pcapng.rs` | a parser of pcapng files (draft-ietf-opsawg-pcapng): sections, interfaces, packets |
//! | `pcap.rs` | a parser of classic pcap files (draft-ietf-opsawg-pcap), in both byte orders, in µs or ns |
//!
//! **Written captures have simulated time**: nanoseconds since the start of the run, rounded down. Other programs show
//! these times as times on 1 January 1970. Packets that are read have the times of the capture, in nanoseconds since
//! that date.
//!
//! The writer uses no library, since no maintained library writes pcapng. The reader uses `pcap-parser` for single
//! blocks only, since version 0.17 misinterprets resolutions that are powers of two, and offsets in big-endian files.
//!
//! The reader ignores comments, statistics, names and secrets. It does not support the "modified" pcap format or
//! compressed files, and does not interpret packets.

mod pcap;
mod pcapng;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub use read::{CaptureError, CaptureRecord, read};
pub use write::Capture;

/// The link type of packets that begin with an IP header.
const LINKTYPE_RAW: u32 = 101;
/// The link type of packets that begin with an IPv4 header.
const LINKTYPE_IPV4: u32 = 228;
/// The link type of Ethernet frames.
const LINKTYPE_ETHERNET: u32 = 1;
/// Values that some systems write instead of [`LINKTYPE_RAW`].
const DLT_RAW: [u32; 2] = [12, 14];
