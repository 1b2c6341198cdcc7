//! Parser of classic pcap files, which have a header and the packets of one interface.
//!
//! Both byte orders are supported, and times in microseconds and in nanoseconds; the first four bytes state which are
//! used. The time zone and the accuracy in the header are ignored, since no program sets them.

use super::{CaptureError, CaptureRecord};
use pcap_parser::{parse_pcap_frame, parse_pcap_frame_be, parse_pcap_header};
use std::time::Duration;

/// The largest packet length that libpcap and Wireshark accept.
const PACKET_LENGTH_MAX: u32 = 262_144;
/// The length of a packet's header, in bytes.
const PACKET_HEADER_BYTES: usize = 16;

pub(super) fn read(bytes: &[u8]) -> Result<Vec<CaptureRecord<'_>>, CaptureError> {
    let (_, header) = parse_pcap_header(bytes).map_err(|_| {
        CaptureError::new(0, format!("truncated: the file header has 24 bytes, the file only {}", bytes.len()))
    })?;
    if header.version_major != 2 {
        let (major, minor) = (header.version_major, header.version_minor);
        return Err(CaptureError::new(
            4,
            format!("unsupported version {major}.{minor} of pcap; version 2.4 is supported"),
        ));
    }
    let parse_packet = if header.is_bigendian() { parse_pcap_frame_be } else { parse_pcap_frame };
    // The upper 16 bits describe frame check sequences and are ignored.
    let link = header.network.0 as u32 & 0xffff;
    let mut packets = Vec::new();
    let mut offset = header.size();
    while offset < bytes.len() {
        let rest = &bytes[offset..];
        let stated_length = stated_packet_length(rest, header.is_bigendian());
        if let Some(stated_length) = stated_length.filter(|stated_length| *stated_length > PACKET_LENGTH_MAX) {
            return Err(CaptureError::new(
                offset,
                format!("the packet has {stated_length} bytes, more than the limit of {PACKET_LENGTH_MAX}"),
            ));
        }
        let (rest_of_file, packet) = parse_packet(rest).map_err(|_| truncated(offset, stated_length, rest.len()))?;
        let fraction = u64::from(packet.ts_usec);
        let fraction = if header.is_nanosecond_precision() {
            Duration::from_nanos(fraction)
        } else {
            Duration::from_micros(fraction)
        };
        packets.push(CaptureRecord {
            interface: 0,
            name: None,
            link,
            time: Some(Duration::from_secs(packet.ts_sec.into()) + fraction),
            bytes: packet.data,
            length: packet.origlen as usize,
        });
        offset = bytes.len() - rest_of_file.len();
    }
    Ok(packets)
}

/// Returns the number of captured bytes that the packet header at the start of `rest` states.
fn stated_packet_length(rest: &[u8], is_big_endian: bool) -> Option<u32> {
    let word = *rest.get(8..)?.first_chunk()?;
    Some(if is_big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) })
}

fn truncated(offset: usize, stated_length: Option<u32>, available: usize) -> CaptureError {
    let required = PACKET_HEADER_BYTES as u64 + u64::from(stated_length.unwrap_or_default());
    CaptureError::new(
        offset,
        format!("truncated: a packet and its header have {required} bytes, but only {available} remain"),
    )
}
