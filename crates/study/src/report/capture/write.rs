//! Writer of the packets of a run as a pcapng file: a section, an interface for each node, and the packets in order of
//! time.
//!
//! The same packets give the same bytes on any computer. Directions, comments and truncated packets are not written; a
//! packet that is captured at both its source and its destination occurs twice, on two interfaces.

use super::LINKTYPE_RAW;
use narrows_core::engine::Time;
use std::io;

/// A capture of IP packets under construction.
#[derive(Clone, Debug)]
pub struct Capture {
    bytes: Vec<u8>,
    interface_count: usize,
}

// The types of blocks.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// The length of a section that does not state it.
const UNSPECIFIED_LENGTH: u64 = u64::MAX;

// The codes of options.
const COMMENT: u16 = 1;
const USER_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const TIME_RESOLUTION: u16 = 9;
/// The time resolution of 10⁻⁹ s.
const NANOSECONDS: u8 = 9;

impl Capture {
    /// Returns a capture without packets, with interfaces of these names.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Capture {
        let mut capture = Capture { bytes: Vec::new(), interface_count: 0 };
        let version = [1u16.to_le_bytes(), 0u16.to_le_bytes()].concat();
        let comment = "Simulated time: nanoseconds since the start of the run, picoseconds rounded down.";
        let application = concat!("narrows ", env!("CARGO_PKG_VERSION"));
        let options = encode_options(&[(COMMENT, comment.as_bytes()), (USER_APPLICATION, application.as_bytes())]);
        capture.add_block(
            SECTION_HEADER,
            &[&BYTE_ORDER_MAGIC.to_le_bytes(), &version, &UNSPECIFIED_LENGTH.to_le_bytes(), &options],
        );
        for name in names {
            capture.add_interface(name.as_ref());
        }
        capture
    }

    fn add_interface(&mut self, name: &str) {
        let name = &name[..name.floor_char_boundary(usize::from(u16::MAX))];
        let options = encode_options(&[(INTERFACE_NAME, name.as_bytes()), (TIME_RESOLUTION, &[NANOSECONDS])]);
        // After the link type are a reserved field and the largest captured length, where 0 means unlimited.
        self.add_block(INTERFACE_DESCRIPTION, &[&LINKTYPE_RAW.to_le_bytes(), &0u32.to_le_bytes(), &options]);
        self.interface_count += 1;
    }

    /// Adds a packet that passed the interface with the index `interface` at `time`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such interface.
    pub fn packet(&mut self, interface: usize, time: Time, packet: &[u8]) {
        let interface_count = self.interface_count;
        assert!(
            interface < interface_count,
            "interface index {interface} is out of range: the capture has {interface_count} interfaces"
        );
        let ns = time.ps() / 1_000;
        let length = u32::try_from(packet.len()).expect("a packet is shorter than 4 GiB").to_le_bytes();
        let [interface, high, low] = [interface as u32, (ns >> 32) as u32, ns as u32].map(u32::to_le_bytes);
        self.add_block(ENHANCED_PACKET, &[&interface, &high, &low, &length, &length, packet]);
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the file to `out`.
    pub fn write_to(&self, mut out: impl io::Write) -> io::Result<()> {
        out.write_all(&self.bytes)
    }

    /// Adds a block: its type, its length, its parts padded to 4 bytes, and its length again.
    fn add_block(&mut self, kind: u32, parts: &[&[u8]]) {
        let body_bytes: usize = parts.iter().map(|part| part.len()).sum();
        let length = (12 + body_bytes.next_multiple_of(4)) as u32;
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend(length.to_le_bytes());
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.bytes.extend(length.to_le_bytes());
    }
}

/// Encodes options, with the end marker.
fn encode_options(options: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (code, value) in options {
        bytes.extend(code.to_le_bytes());
        bytes.extend((value.len() as u16).to_le_bytes());
        bytes.extend_from_slice(value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes.extend([0; 4]);
    bytes
}
