//! A classic pcap file: a header, and packets of one interface.
//!
//! Models: both byte orders, microseconds and nanoseconds, as the first four bytes say.
//! What it leaves out: the time zone and the accuracy in the header, which nobody fills in.

use super::{CaptureError, CapturedPacket};
use pcap_parser::{parse_pcap_frame, parse_pcap_frame_be, parse_pcap_header};
use std::time::Duration;

/// What libpcap and Wireshark take for the longest packet there is.
const LONGEST: u32 = 262_144;
/// The bytes of a packet's header.
const PACKET_HEADER: usize = 16;

pub(super) fn read(bytes: &[u8]) -> Result<Vec<CapturedPacket<'_>>, CaptureError> {
    let (_, header) = parse_pcap_header(bytes).map_err(|_| {
        CaptureError::new(0, format!("cut short: a header of 24 bytes, of which {} are there", bytes.len()))
    })?;
    if header.version_major != 2 {
        let (major, minor) = (header.version_major, header.version_minor);
        return Err(CaptureError::new(4, format!("version {major}.{minor} of pcap; 2.4 is read")));
    }
    let parse = if header.is_bigendian() { parse_pcap_frame_be } else { parse_pcap_frame };
    // The upper half tells of frame check sequences.
    let link = header.network.0 as u32 & 0xffff;
    let mut packets = Vec::new();
    let mut at = header.size();
    while at < bytes.len() {
        let rest = &bytes[at..];
        let claimed = length(rest, header.is_bigendian());
        if let Some(claimed) = claimed.filter(|claimed| *claimed > LONGEST) {
            return Err(CaptureError::new(at, format!("a packet of {claimed} bytes; none is longer than {LONGEST}")));
        }
        let (behind, packet) = parse(rest).map_err(|_| cut_short(at, claimed, rest.len()))?;
        let fraction = u64::from(packet.ts_usec);
        let fraction = if header.is_nanosecond_precision() {
            Duration::from_nanos(fraction)
        } else {
            Duration::from_micros(fraction)
        };
        packets.push(CapturedPacket {
            interface: 0,
            name: None,
            link,
            at: Some(Duration::from_secs(packet.ts_sec.into()) + fraction),
            bytes: packet.data,
            length: packet.origlen as usize,
        });
        at = bytes.len() - behind.len();
    }
    Ok(packets)
}

/// The length that a packet's header claims.
fn length(rest: &[u8], is_big: bool) -> Option<u32> {
    let word = *rest.get(8..)?.first_chunk()?;
    Some(if is_big { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) })
}

fn cut_short(at: usize, claimed: Option<u32>, left: usize) -> CaptureError {
    let packet = claimed.map_or(String::new(), |claimed| format!(" and {claimed} of a packet"));
    CaptureError::new(at, format!("cut short: {PACKET_HEADER} bytes of a header{packet}, of which {left} are there"))
}
