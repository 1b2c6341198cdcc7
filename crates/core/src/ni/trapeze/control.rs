//! Access to control messages: `reserve` for composing one, `scan` for reading one.
//!
//! "Callers use tpz_scan and tpz_reserve primitives to obtain pointers into an incoming or outgoing
//! message buffer at increasing offsets in a stack-like fashion"; the pointers lead to interface
//! memory, or to a shadow buffer in host memory (Yocum et al. 1997, §2.3).

use super::layout::{CONTROL_BYTES, HEADER_BYTES};
use crate::ni::driver::SendRequest;
use crate::ni::word_copy::{PayloadSource, bytes_of};

/// The maximum number of bytes that a program can put into a control message.
pub const PROGRAM_BYTES: usize = CONTROL_BYTES.len() - HEADER_BYTES.len();

/// A control message being composed.
#[derive(Clone, Debug, Default)]
pub struct ControlWriter {
    bytes: Vec<u8>,
}

/// The error that a control message has too few bytes left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlMessageFull;

impl ControlWriter {
    /// Composes the program's bytes of a packet: the words of an active message, and the inline bytes.
    pub(super) fn for_request(packet: &SendRequest<'_>) -> ControlWriter {
        let mut control = ControlWriter::default();
        let mut append = |bytes: &[u8]| {
            control.reserve(bytes.len()).expect("a checked request fits a control message").copy_from_slice(bytes);
        };
        if let PayloadSource::Words(words) = packet.source {
            append(&bytes_of(words));
        }
        append(packet.inline_bytes);
        control
    }

    /// Reserves the next `length` bytes, zeroed, for the program to fill.
    ///
    /// # Errors
    ///
    /// Fails with [`ControlMessageFull`] if the control message has too few bytes left.
    pub fn reserve(&mut self, length: usize) -> Result<&mut [u8], ControlMessageFull> {
        let start = self.bytes.len();
        if start + length > PROGRAM_BYTES {
            return Err(ControlMessageFull);
        }
        self.bytes.resize(start + length, 0);
        Ok(&mut self.bytes[start..])
    }

    /// Returns the bytes that have been composed.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A control message being read.
#[derive(Clone, Debug)]
pub struct ControlReader {
    bytes: Vec<u8>,
    position: usize,
}

impl ControlReader {
    /// Creates a reader of the bytes that the driver has fetched.
    pub(super) fn new(bytes: Vec<u8>) -> ControlReader {
        ControlReader { bytes, position: 0 }
    }

    /// Returns the next `length` bytes, or `None` if the message has fewer left.
    pub fn scan(&mut self, length: usize) -> Option<&[u8]> {
        let start = self.position;
        let part = self.bytes.get(start..start + length)?;
        self.position += length;
        Some(part)
    }

    /// Returns all bytes that have not been scanned.
    pub fn remaining(&mut self) -> &[u8] {
        let start = std::mem::replace(&mut self.position, self.bytes.len());
        &self.bytes[start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserve_and_scan_stop_at_the_end_of_the_message() {
        let mut writer = ControlWriter::default();
        writer.reserve(4).unwrap().copy_from_slice(b"page");
        writer.reserve(8).unwrap().copy_from_slice(&7u64.to_le_bytes());
        assert_eq!(writer.reserve(PROGRAM_BYTES - 11), Err(ControlMessageFull));
        let mut reader = ControlReader::new(writer.bytes().to_vec());
        assert_eq!(reader.scan(4), Some(&b"page"[..]));
        assert_eq!(reader.scan(8), Some(&7u64.to_le_bytes()[..]));
        assert_eq!(reader.scan(1), None);
    }
}
