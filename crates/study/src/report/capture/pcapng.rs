//! A pcapng file: blocks in sections, each with its byte order and its interfaces.
//!
//! Models: interfaces with their names, link types, resolutions and offsets of time; enhanced and
//! simple packets. Every other block is passed over, whatever is in it.
//! What it leaves out: the packet block of old, which nobody has written since 2011.

use super::{CaptureError, CapturedPacket};
use pcap_parser::{
    InterfaceDescriptionBlock, OptionCode, PcapNGOption, parse_enhancedpacketblock_be, parse_enhancedpacketblock_le,
    parse_interfacedescriptionblock_be, parse_interfacedescriptionblock_le, parse_sectionheaderblock,
    parse_simplepacketblock_be, parse_simplepacketblock_le,
};
use std::borrow::Cow;
use std::time::Duration;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;
/// Kind and length, and the length once more behind what is in a block.
const BLOCK_MIN: usize = 12;
const NS_PER_S: u128 = 1_000_000_000;

/// An interface of a section.
struct Interface<'a> {
    name: Option<&'a str>,
    link: u32,
    /// The most bytes that are kept of a packet, if there is such a bound.
    keeps: Option<usize>,
    /// The parts of a second that times count.
    unit: u128,
    /// Seconds that are added to times.
    offset: i64,
}

/// What is known so far, while blocks are read.
#[derive(Default)]
struct Reading<'a> {
    is_big: bool,
    /// The interfaces of sections before this one.
    before: usize,
    /// Those of this section.
    interfaces: Vec<Interface<'a>>,
    packets: Vec<CapturedPacket<'a>>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Vec<CapturedPacket<'_>>, CaptureError> {
    let mut reading = Reading::default();
    let mut at = 0;
    while at < bytes.len() {
        at += reading.block(&bytes[at..]).map_err(|message| CaptureError::new(at, message))?;
    }
    Ok(reading.packets)
}

impl<'a> Reading<'a> {
    /// Reads a block; tells its length, or what is wrong with it.
    fn block(&mut self, rest: &'a [u8]) -> Result<usize, String> {
        if rest.starts_with(&SECTION_HEADER.to_le_bytes()) {
            self.is_big = byte_order(rest)?;
        }
        let words = rest.first_chunk::<4>().zip(rest.get(4..).and_then(|rest| rest.first_chunk::<4>()));
        let (kind, length) = words.ok_or_else(|| format!("cut short: {} bytes are no block", rest.len()))?;
        let (kind, length) = (self.word(*kind), self.word(*length) as usize);
        if length < BLOCK_MIN || !length.is_multiple_of(4) {
            return Err(format!("a block of {length} bytes; blocks have at least {BLOCK_MIN}, and whole words"));
        }
        let block =
            rest.get(..length).ok_or_else(|| format!("cut short: {} of a block's {length} bytes", rest.len()))?;
        let again = block.last_chunk().map_or(0, |word| self.word(*word)) as usize;
        if again != length {
            return Err(format!("a block of {length} bytes that ends as one of {again}"));
        }
        match kind {
            SECTION_HEADER => self.section(block)?,
            INTERFACE_DESCRIPTION => self.interface(block)?,
            ENHANCED_PACKET => self.enhanced(block)?,
            SIMPLE_PACKET => self.simple(block)?,
            _ => (),
        }
        Ok(length)
    }

    fn word(&self, bytes: [u8; 4]) -> u32 {
        if self.is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    fn section(&mut self, block: &'a [u8]) -> Result<(), String> {
        let (_, header) = parse_sectionheaderblock(block).map_err(|_| "a section header that cannot be read")?;
        if header.major_version != 1 {
            return Err(format!("version {}.{} of pcapng; 1.0 is read", header.major_version, header.minor_version));
        }
        self.before += self.interfaces.len();
        self.interfaces.clear();
        Ok(())
    }

    fn interface(&mut self, block: &'a [u8]) -> Result<(), String> {
        let parse = if self.is_big { parse_interfacedescriptionblock_be } else { parse_interfacedescriptionblock_le };
        let (_, description) = parse(block).map_err(|_| "an interface description that cannot be read")?;
        let interface = self.described(&description)?;
        self.interfaces.push(interface);
        Ok(())
    }

    fn described(&self, of: &InterfaceDescriptionBlock<'a>) -> Result<Interface<'a>, String> {
        let option = |code| of.options.iter().find(|option| option.code == code).and_then(value);
        let resolution = option(OptionCode::IfTsresol).and_then(|value| value.first().copied()).unwrap_or(6);
        let offset = option(OptionCode::IfTsoffset).and_then(|value| value.first_chunk().copied());
        let offset = offset.map_or(0, if self.is_big { i64::from_be_bytes } else { i64::from_le_bytes });
        Ok(Interface {
            name: option(OptionCode::IfName).and_then(|value| std::str::from_utf8(value).ok()),
            link: of.linktype.0 as u32,
            keeps: (of.snaplen != 0).then_some(of.snaplen as usize),
            unit: unit(resolution)?,
            offset,
        })
    }

    fn enhanced(&mut self, block: &'a [u8]) -> Result<(), String> {
        let parse = if self.is_big { parse_enhancedpacketblock_be } else { parse_enhancedpacketblock_le };
        let (_, packet) =
            parse(block).map_err(|_| format!("a packet that does not fit into its block of {} bytes", block.len()))?;
        let number = packet.if_id as usize;
        let interface = self.interfaces.get(number).ok_or_else(|| self.no_interface(number))?;
        let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
        let bytes = packet.data.get(..packet.caplen as usize).ok_or("a packet that does not fit into its block")?;
        let at = Some(interface.time(ticks)?);
        let (name, link, length) = (interface.name, interface.link, packet.origlen as usize);
        self.packets.push(CapturedPacket { interface: self.before + number, name, link, at, bytes, length });
        Ok(())
    }

    /// A packet of the first interface, of which neither time nor kept length is told.
    fn simple(&mut self, block: &'a [u8]) -> Result<(), String> {
        let parse = if self.is_big { parse_simplepacketblock_be } else { parse_simplepacketblock_le };
        let (_, packet) = parse(block).map_err(|_| "a simple packet that cannot be read")?;
        let interface = self.interfaces.first().ok_or_else(|| self.no_interface(0))?;
        let length = packet.origlen as usize;
        let kept = interface.keeps.map_or(length, |keeps| keeps.min(length));
        let bytes = packet.data.get(..kept).ok_or("a packet that does not fit into its block")?;
        let (name, link) = (interface.name, interface.link);
        self.packets.push(CapturedPacket { interface: self.before, name, link, at: None, bytes, length });
        Ok(())
    }

    fn no_interface(&self, number: usize) -> String {
        format!("a packet of interface {number}, where {} are described", self.interfaces.len())
    }
}

/// Whether a section is in big-endian order.
fn byte_order(section: &[u8]) -> Result<bool, String> {
    match section.get(8..).and_then(|rest| rest.first_chunk::<4>()) {
        Some([0x4d, 0x3c, 0x2b, 0x1a]) => Ok(false),
        Some([0x1a, 0x2b, 0x3c, 0x4d]) => Ok(true),
        Some(other) => {
            Err(format!("a section in the byte order {other:02x?}; there are [1a, 2b, 3c, 4d] and its reverse"))
        }
        None => Err("cut short: a section without its byte order".to_owned()),
    }
}

/// An option's value, which is filled up to words.
fn value<'a>(option: &PcapNGOption<'a>) -> Option<&'a [u8]> {
    match option.value {
        Cow::Borrowed(value) => value.get(..usize::from(option.len)),
        Cow::Owned(_) => None,
    }
}

/// How many units of time a second has: a power of two if the highest bit is set, otherwise of ten.
fn unit(resolution: u8) -> Result<u128, String> {
    let power = u32::from(resolution & 0x7f);
    let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
    base.checked_pow(power).ok_or_else(|| format!("times in units of {base}^-{power} s; 10^-38 s is the shortest"))
}

impl Interface<'_> {
    fn time(&self, ticks: u64) -> Result<Duration, String> {
        let ns = u128::from(ticks) * NS_PER_S / self.unit;
        let seconds = i128::try_from(ns / NS_PER_S).unwrap_or(i128::MAX).saturating_add(self.offset.into());
        let seconds = u64::try_from(seconds).map_err(|_| format!("a time {seconds} s after 1 January 1970"))?;
        Ok(Duration::new(seconds, (ns % NS_PER_S) as u32))
    }
}
