//! Parser of pcapng files, which consist of sections of blocks. Each section has a byte order and its own interfaces.
//!
//! Interfaces (with name, link type, time resolution and time offset), enhanced packets and simple packets are
//! supported. All other blocks are skipped, including the obsolete packet block.

use super::{CaptureError, CaptureRecord};
use pcap_parser::{
    InterfaceDescriptionBlock, OptionCode, PcapNGOption, parse_enhancedpacketblock_be, parse_enhancedpacketblock_le,
    parse_interfacedescriptionblock_be, parse_interfacedescriptionblock_le, parse_sectionheaderblock,
    parse_simplepacketblock_be, parse_simplepacketblock_le,
};
use std::borrow::Cow;
use std::time::Duration;

// The types of blocks.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;
/// The length of an empty block in bytes: its type, and its length at the beginning and at the end.
const BLOCK_LENGTH_MIN: usize = 12;
const NS_PER_S: u128 = 1_000_000_000;

/// An interface of a section.
struct Interface<'a> {
    name: Option<&'a str>,
    link: u32,
    /// The largest number of bytes captured of a packet (snaplen), if it is limited.
    snap_length: Option<usize>,
    /// The number of time units in a second.
    units_per_second: u128,
    /// The offset that is added to times, in seconds.
    offset: i64,
}

/// The state of the parser.
#[derive(Default)]
struct PcapngReader<'a> {
    is_big_endian: bool,
    /// The number of interfaces of earlier sections.
    earlier_interface_count: usize,
    /// The interfaces of the current section.
    interfaces: Vec<Interface<'a>>,
    packets: Vec<CaptureRecord<'a>>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Vec<CaptureRecord<'_>>, CaptureError> {
    let mut reader = PcapngReader::default();
    let mut offset = 0;
    while offset < bytes.len() {
        offset += reader.parse_block(&bytes[offset..]).map_err(|message| CaptureError::new(offset, message))?;
    }
    Ok(reader.packets)
}

impl<'a> PcapngReader<'a> {
    /// Parses a block and returns its length.
    fn parse_block(&mut self, rest: &'a [u8]) -> Result<usize, String> {
        if rest.starts_with(&SECTION_HEADER.to_le_bytes()) {
            self.is_big_endian = is_section_big_endian(rest)?;
        }
        let words = rest.first_chunk::<4>().zip(rest.get(4..).and_then(|rest| rest.first_chunk::<4>()));
        let (kind, length) = words.ok_or_else(|| format!("truncated: a block has more than {} bytes", rest.len()))?;
        let (kind, length) = (self.decode_u32(*kind), self.decode_u32(*length) as usize);
        if length < BLOCK_LENGTH_MIN || !length.is_multiple_of(4) {
            return Err(format!(
                "invalid block length {length}: a block has at least {BLOCK_LENGTH_MIN} bytes, and a multiple of 4"
            ));
        }
        let block = rest
            .get(..length)
            .ok_or_else(|| format!("truncated: only {} of the {length} bytes of a block", rest.len()))?;
        let trailing_length = block.last_chunk().map_or(0, |word| self.decode_u32(*word)) as usize;
        if trailing_length != length {
            return Err(format!(
                "the leading length {length} of a block differs from its trailing length {trailing_length}"
            ));
        }
        match kind {
            SECTION_HEADER => self.parse_section_header(block)?,
            INTERFACE_DESCRIPTION => self.add_interface(block)?,
            ENHANCED_PACKET => self.parse_enhanced_packet(block)?,
            SIMPLE_PACKET => self.parse_simple_packet(block)?,
            _ => (),
        }
        Ok(length)
    }

    fn decode_u32(&self, bytes: [u8; 4]) -> u32 {
        if self.is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    fn parse_section_header(&mut self, block: &'a [u8]) -> Result<(), String> {
        let (_, header) = parse_sectionheaderblock(block).map_err(|_| "invalid section header")?;
        if header.major_version != 1 {
            return Err(format!(
                "unsupported version {}.{} of pcapng; version 1.0 is supported",
                header.major_version, header.minor_version
            ));
        }
        self.earlier_interface_count += self.interfaces.len();
        self.interfaces.clear();
        Ok(())
    }

    fn add_interface(&mut self, block: &'a [u8]) -> Result<(), String> {
        let parse_description =
            if self.is_big_endian { parse_interfacedescriptionblock_be } else { parse_interfacedescriptionblock_le };
        let (_, description) = parse_description(block).map_err(|_| "invalid interface description")?;
        let interface = self.parse_interface(&description)?;
        self.interfaces.push(interface);
        Ok(())
    }

    fn parse_interface(&self, block: &InterfaceDescriptionBlock<'a>) -> Result<Interface<'a>, String> {
        let option_bytes = |code| block.options.iter().find(|option| option.code == code).and_then(option_value);
        let resolution = option_bytes(OptionCode::IfTsresol).and_then(|value| value.first().copied()).unwrap_or(6);
        let offset = option_bytes(OptionCode::IfTsoffset).and_then(|value| value.first_chunk().copied());
        let offset = offset.map_or(0, if self.is_big_endian { i64::from_be_bytes } else { i64::from_le_bytes });
        Ok(Interface {
            name: option_bytes(OptionCode::IfName).and_then(|value| std::str::from_utf8(value).ok()),
            link: block.linktype.0 as u32,
            snap_length: (block.snaplen != 0).then_some(block.snaplen as usize),
            units_per_second: units_per_second(resolution)?,
            offset,
        })
    }

    fn parse_enhanced_packet(&mut self, block: &'a [u8]) -> Result<(), String> {
        let parse_packet = if self.is_big_endian { parse_enhancedpacketblock_be } else { parse_enhancedpacketblock_le };
        let (_, packet) =
            parse_packet(block).map_err(|_| format!("a packet exceeds its block of {} bytes", block.len()))?;
        let interface_index = packet.if_id as usize;
        let interface = self.interfaces.get(interface_index).ok_or_else(|| self.unknown_interface(interface_index))?;
        let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
        let bytes = packet.data.get(..packet.caplen as usize).ok_or("a packet exceeds its block")?;
        let time = Some(interface.time_of_ticks(ticks)?);
        self.add_packet(interface_index, time, bytes, packet.origlen as usize);
        Ok(())
    }

    /// Parses a simple packet: it belongs to the first interface, and has neither a time nor a captured length.
    fn parse_simple_packet(&mut self, block: &'a [u8]) -> Result<(), String> {
        let parse_packet = if self.is_big_endian { parse_simplepacketblock_be } else { parse_simplepacketblock_le };
        let (_, packet) = parse_packet(block).map_err(|_| "invalid simple packet")?;
        let interface = self.interfaces.first().ok_or_else(|| self.unknown_interface(0))?;
        let length = packet.origlen as usize;
        let captured_length = interface.snap_length.map_or(length, |snap_length| snap_length.min(length));
        let bytes = packet.data.get(..captured_length).ok_or("a packet exceeds its block")?;
        self.add_packet(0, None, bytes, length);
        Ok(())
    }

    /// Adds a packet of the interface with this index in the section.
    fn add_packet(&mut self, interface_index: usize, time: Option<Duration>, bytes: &'a [u8], length: usize) {
        let &Interface { name, link, .. } = &self.interfaces[interface_index];
        let interface = self.earlier_interface_count + interface_index;
        self.packets.push(CaptureRecord { interface, name, link, time, bytes, length });
    }

    fn unknown_interface(&self, interface_index: usize) -> String {
        format!("a packet refers to interface {interface_index}, but only {} are described", self.interfaces.len())
    }
}

/// Returns whether a section is big-endian.
fn is_section_big_endian(section: &[u8]) -> Result<bool, String> {
    match section.get(8..).and_then(|rest| rest.first_chunk::<4>()) {
        Some([0x4d, 0x3c, 0x2b, 0x1a]) => Ok(false),
        Some([0x1a, 0x2b, 0x3c, 0x4d]) => Ok(true),
        Some(other) => {
            Err(format!("unknown byte order {other:02x?} of a section; known are [1a, 2b, 3c, 4d] and its reverse"))
        }
        None => Err("truncated: a section without its byte order".to_owned()),
    }
}

/// Returns the value of an option without its padding.
fn option_value<'a>(option: &PcapNGOption<'a>) -> Option<&'a [u8]> {
    match option.value {
        Cow::Borrowed(value) => value.get(..usize::from(option.len)),
        Cow::Owned(_) => None,
    }
}

/// Returns the number of time units in a second: a power of two if the highest bit is set, otherwise of ten.
fn units_per_second(resolution: u8) -> Result<u128, String> {
    let power = u32::from(resolution & 0x7f);
    let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
    base.checked_pow(power)
        .ok_or_else(|| format!("the time unit {base}^-{power} s is too small; the smallest is 10^-38 s"))
}

impl Interface<'_> {
    fn time_of_ticks(&self, ticks: u64) -> Result<Duration, String> {
        let ns = u128::from(ticks) * NS_PER_S / self.units_per_second;
        let seconds = i128::try_from(ns / NS_PER_S).unwrap_or(i128::MAX).saturating_add(self.offset.into());
        let seconds = u64::try_from(seconds)
            .map_err(|_| format!("a time is {seconds} s after 1 January 1970, which is out of range"))?;
        Ok(Duration::new(seconds, (ns % NS_PER_S) as u32))
    }
}
