//! What others captured: packets with their times, whatever the file's format.
//!
//! Models: the file stays where it is, and packets are parts of it, so that no length in it makes
//! anybody ask for memory. What is wrong is told with its place.
//! What it leaves out: link layers other than Ethernet (with VLAN tags) and bare IP.

use super::{DLT_RAW, LINKTYPE_ETHERNET, LINKTYPE_IPV4, LINKTYPE_RAW, pcap, pcapng};
use std::fmt;
use std::time::Duration;

/// A packet of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapturedPacket<'a> {
    /// The interface that it passed, counted from 0 over the whole file.
    pub interface: usize,
    /// That interface's name, if it has one.
    pub name: Option<&'a str>,
    /// What the bytes begin with, as LINKTYPE values number it.
    pub link: u32,
    /// When, since 1 January 1970 or the start of a run; not every kind of packet block tells.
    pub at: Option<Duration>,
    /// Its bytes, or the first of them.
    pub bytes: &'a [u8],
    /// How long it was on the wire.
    pub length: usize,
}

impl<'a> CapturedPacket<'a> {
    /// The IPv4 packet that it is, or that is in it; whatever fills the frame up behind it counted.
    pub fn ipv4(&self) -> Option<&'a [u8]> {
        match self.link {
            LINKTYPE_ETHERNET => ethernet_payload(self.bytes),
            LINKTYPE_RAW | LINKTYPE_IPV4 => Some(self.bytes),
            link => DLT_RAW.contains(&link).then_some(self.bytes),
        }
        .filter(|bytes| bytes.first().is_some_and(|byte| byte >> 4 == 4))
    }
}

/// What an Ethernet frame carries if that is IPv4, its tags of VLANs passed over.
fn ethernet_payload(frame: &[u8]) -> Option<&[u8]> {
    const IPV4: [u8; 2] = [0x08, 0x00];
    const TAGS: [[u8; 2]; 2] = [[0x81, 0x00], [0x88, 0xa8]];
    let mut rest = frame.get(12..)?;
    loop {
        let (kind, behind) = rest.split_first_chunk::<2>()?;
        if !TAGS.contains(kind) {
            return (*kind == IPV4).then_some(behind);
        }
        rest = behind.get(2..)?;
    }
}

/// What is wrong with a capture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptureError {
    /// Where, in bytes from the start of the file.
    pub at: usize,
    /// What.
    pub message: String,
}

impl CaptureError {
    pub(super) fn new(at: usize, message: impl Into<String>) -> CaptureError {
        CaptureError { at, message: message.into() }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.message)
    }
}

impl std::error::Error for CaptureError {}

/// The packets of a capture, in the order of the file.
pub fn read(bytes: &[u8]) -> Result<Vec<CapturedPacket<'_>>, CaptureError> {
    match bytes.first_chunk() {
        Some([0x0a, 0x0d, 0x0d, 0x0a]) => pcapng::read(bytes),
        Some([0xd4, 0xc3, 0xb2, 0xa1] | [0x4d, 0x3c, 0xb2, 0xa1]) => pcap::read(bytes),
        Some([0xa1, 0xb2, 0xc3, 0xd4] | [0xa1, 0xb2, 0x3c, 0x4d]) => pcap::read(bytes),
        Some([0x34, 0xcd, 0xb2, 0xa1] | [0xa1, 0xb2, 0xcd, 0x34]) => {
            let message = "this is the \"modified\" pcap of old Linux systems: let editcap make a pcapng file of it";
            Err(CaptureError::new(0, message))
        }
        Some([0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd] | [0x04, 0x22, 0x4d, 0x18]) => {
            Err(CaptureError::new(0, "this file is compressed: unpack it first"))
        }
        Some(first) => Err(CaptureError::new(
            0,
            format!(
                "this is no capture: it begins with {first:02x?}; pcapng begins with [0a, 0d, 0d, 0a], pcap with \
                 [a1, b2, c3, d4] or [a1, b2, 3c, 4d], or these backwards"
            ),
        )),
        None => Err(CaptureError::new(0, format!("this is no capture: it has {} bytes", bytes.len()))),
    }
}
