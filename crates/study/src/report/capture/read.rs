//! Reader of captures in any supported format.
//!
//! Packets borrow the bytes of the file, so a wrong length in the file cannot cause a large allocation. Errors state
//! their position. Link layers other than Ethernet (with VLAN tags) and raw IP are not interpreted.

use super::{DLT_RAW, LINKTYPE_ETHERNET, LINKTYPE_IPV4, LINKTYPE_RAW, pcap, pcapng};
use std::fmt;
use std::time::Duration;

/// A packet of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CaptureRecord<'a> {
    /// The index of the interface in the whole file.
    pub interface: usize,
    /// The name of the interface, if it has one.
    pub name: Option<&'a str>,
    /// The link type of the bytes, a LINKTYPE value.
    pub link: u32,
    /// The time since 1 January 1970 or the start of a run; simple packets have none.
    pub time: Option<Duration>,
    /// The captured bytes, which may be a prefix of the packet.
    pub bytes: &'a [u8],
    /// The length of the packet on the wire, in bytes.
    pub length: usize,
}

impl<'a> CaptureRecord<'a> {
    /// Returns the IPv4 packet in the bytes, including any padding of the frame after it, or `None` for other
    /// protocols.
    pub fn ipv4(&self) -> Option<&'a [u8]> {
        match self.link {
            LINKTYPE_ETHERNET => ethernet_payload(self.bytes),
            LINKTYPE_RAW | LINKTYPE_IPV4 => Some(self.bytes),
            link => DLT_RAW.contains(&link).then_some(self.bytes),
        }
        .filter(|bytes| bytes.first().is_some_and(|byte| byte >> 4 == 4))
    }
}

/// Returns the payload of an Ethernet frame if it is IPv4, after any VLAN tags.
fn ethernet_payload(frame: &[u8]) -> Option<&[u8]> {
    const IPV4: [u8; 2] = [0x08, 0x00];
    const VLAN_TAGS: [[u8; 2]; 2] = [[0x81, 0x00], [0x88, 0xa8]];
    let mut rest = frame.get(12..)?;
    loop {
        let (ethertype, payload) = rest.split_first_chunk::<2>()?;
        if !VLAN_TAGS.contains(ethertype) {
            return (*ethertype == IPV4).then_some(payload);
        }
        rest = payload.get(2..)?;
    }
}

/// An error in a capture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptureError {
    /// The position, in bytes from the start of the file.
    pub offset: usize,
    /// The description of the error.
    pub message: String,
}

impl CaptureError {
    pub(super) fn new(offset: usize, message: impl Into<String>) -> CaptureError {
        CaptureError { offset, message: message.into() }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for CaptureError {}

/// Returns the packets of a capture, in the order of the file.
///
/// # Errors
///
/// Returns the first error in the file, or the name of the format if the format is not supported.
pub fn read(bytes: &[u8]) -> Result<Vec<CaptureRecord<'_>>, CaptureError> {
    match bytes.first_chunk() {
        Some([0x0a, 0x0d, 0x0d, 0x0a]) => pcapng::read(bytes),
        Some([0xd4, 0xc3, 0xb2, 0xa1] | [0x4d, 0x3c, 0xb2, 0xa1]) => pcap::read(bytes),
        Some([0xa1, 0xb2, 0xc3, 0xd4] | [0xa1, 0xb2, 0x3c, 0x4d]) => pcap::read(bytes),
        Some([0x34, 0xcd, 0xb2, 0xa1] | [0xa1, 0xb2, 0xcd, 0x34]) => {
            let message =
                "this is the \"modified\" pcap format of old Linux systems: convert it to pcapng with editcap";
            Err(CaptureError::new(0, message))
        }
        Some([0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd] | [0x04, 0x22, 0x4d, 0x18]) => {
            Err(CaptureError::new(0, "this file is compressed: decompress it first"))
        }
        Some(first) => Err(CaptureError::new(
            0,
            format!(
                "this is not a capture: it begins with {first:02x?}; pcapng begins with [0a, 0d, 0d, 0a], pcap with \
                 [a1, b2, c3, d4] or [a1, b2, 3c, 4d], or these reversed"
            ),
        )),
        None => Err(CaptureError::new(0, format!("this is not a capture: it has {} bytes", bytes.len()))),
    }
}
