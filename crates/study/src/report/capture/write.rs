//! A run's packets as a pcapng file: a section, an interface for each node, packets as they come.
//!
//! Models: nothing. The same packets give the same bytes, on any machine.
//! What it leaves out: directions (a packet that is captured where it leaves and where it comes is
//! there twice, on two interfaces), comments, and packets cut short.

use super::LINKTYPE_RAW;
use narrows_core::engine::Time;
use std::io;

/// A capture that is being written: packets of IP.
#[derive(Clone, Debug)]
pub struct Capture {
    bytes: Vec<u8>,
    interfaces: usize,
}

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// A section whose length is not told.
const NOT_TOLD: u64 = u64::MAX;

const COMMENT: u16 = 1;
const USER_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const TIME_RESOLUTION: u16 = 9;
/// Times are in units of 10⁻⁹ s.
const NANOSECONDS: u8 = 9;

impl Capture {
    /// One without packets, of interfaces with these names.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Capture {
        let mut capture = Capture { bytes: Vec::new(), interfaces: 0 };
        let version = [1u16.to_le_bytes(), 0u16.to_le_bytes()].concat();
        let about = "Simulated time: nanoseconds since the start of the run, picoseconds rounded down.";
        let application = concat!("narrows ", env!("CARGO_PKG_VERSION"));
        let options = options(&[(COMMENT, about.as_bytes()), (USER_APPLICATION, application.as_bytes())]);
        capture.block(SECTION_HEADER, &[&BYTE_ORDER.to_le_bytes(), &version, &NOT_TOLD.to_le_bytes(), &options]);
        for name in names {
            capture.interface(name.as_ref());
        }
        capture
    }

    fn interface(&mut self, name: &str) {
        let name = &name[..name.floor_char_boundary(usize::from(u16::MAX))];
        let options = options(&[(INTERFACE_NAME, name.as_bytes()), (TIME_RESOLUTION, &[NANOSECONDS])]);
        // Behind the link type nothing, and then the most bytes that are kept of a packet: 0 says all.
        self.block(INTERFACE_DESCRIPTION, &[&LINKTYPE_RAW.to_le_bytes(), &0u32.to_le_bytes(), &options]);
        self.interfaces += 1;
    }

    /// A packet passed an interface, which is told by its place among the names.
    pub fn packet(&mut self, interface: usize, time: Time, packet: &[u8]) {
        assert!(interface < self.interfaces, "interface {interface} of {}", self.interfaces);
        let ns = time.ps() / 1_000;
        let length = u32::try_from(packet.len()).expect("a packet is shorter than 4 GiB").to_le_bytes();
        let [interface, high, low] = [interface as u32, (ns >> 32) as u32, ns as u32].map(u32::to_le_bytes);
        self.block(ENHANCED_PACKET, &[&interface, &high, &low, &length, &length, packet]);
    }

    /// The file so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the file so far.
    pub fn write_to(&self, mut out: impl io::Write) -> io::Result<()> {
        out.write_all(&self.bytes)
    }

    /// A block: its kind, its length, its parts filled up to words, and its length once more.
    fn block(&mut self, kind: u32, parts: &[&[u8]]) {
        let inner: usize = parts.iter().map(|part| part.len()).sum();
        let length = (12 + inner.next_multiple_of(4)) as u32;
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend(length.to_le_bytes());
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.bytes.extend(length.to_le_bytes());
    }
}

/// Options and their end.
fn options(all: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (code, value) in all {
        bytes.extend(code.to_le_bytes());
        bytes.extend((value.len() as u16).to_le_bytes());
        bytes.extend_from_slice(value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes.extend([0; 4]);
    bytes
}
