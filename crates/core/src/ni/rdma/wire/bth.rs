//! The base transport header (InfiniBand Architecture Specification, volume 1, section 9.2), and packet sequence
//! numbers.

use super::{PacketError, be24, be32};

/// A packet sequence number: a number modulo 2²⁴.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Psn(u32);

impl Psn {
    /// Number of sequence numbers.
    pub const SPACE: u32 = 1 << 24;

    /// Returns the sequence number of `number` modulo 2²⁴.
    pub const fn new(number: u32) -> Psn {
        Psn(number % Psn::SPACE)
    }

    /// Returns the number.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Returns the sequence number `packets` packets later.
    #[must_use]
    pub const fn plus(self, packets: u32) -> Psn {
        Psn::new(self.0.wrapping_add(packets))
    }

    /// Returns the sequence number of the previous packet.
    #[must_use]
    pub const fn previous(self) -> Psn {
        self.plus(Psn::SPACE - 1)
    }

    /// Returns the number of packets from `earlier` to this one.
    pub const fn since(self, earlier: Psn) -> u32 {
        self.0.wrapping_sub(earlier.0) % Psn::SPACE
    }

    /// Returns whether this number precedes `other`, which is less than 2²³ packets away.
    pub const fn is_before(self, other: Psn) -> bool {
        self.0 != other.0 && other.since(self) < Psn::SPACE / 2
    }
}

/// Declares the operation codes of the reliable-connected service.
macro_rules! operation_codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// An operation code of the reliable-connected service (table 38).
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum OperationCode {
            $($(#[$doc])* $name = $code,)*
        }

        impl OperationCode {
            /// All codes.
            pub const ALL: &'static [OperationCode] = &[$(OperationCode::$name,)*];
        }
    };
}

operation_codes! {
    /// First packet of a send.
    SendFirst = 0x00,
    /// Middle packet of a send.
    SendMiddle = 0x01,
    /// Last packet of a send.
    SendLast = 0x02,
    /// The only packet of a send.
    SendOnly = 0x04,
    /// First packet of a write.
    WriteFirst = 0x06,
    /// Middle packet of a write.
    WriteMiddle = 0x07,
    /// Last packet of a write.
    WriteLast = 0x08,
    /// The only packet of a write.
    WriteOnly = 0x0a,
    /// Request of a read.
    ReadRequest = 0x0c,
    /// First packet of a read's response.
    ReadResponseFirst = 0x0d,
    /// Middle packet of a read's response.
    ReadResponseMiddle = 0x0e,
    /// Last packet of a read's response.
    ReadResponseLast = 0x0f,
    /// The only packet of a read's response.
    ReadResponseOnly = 0x10,
    /// Acknowledgement, positive or negative.
    Acknowledge = 0x11,
    /// Response of an atomic operation.
    AtomicAcknowledge = 0x12,
    /// Compare-and-swap.
    CompareSwap = 0x13,
    /// Fetch-and-add.
    FetchAdd = 0x14,
}

impl OperationCode {
    /// Returns whether the packet has an RDMA extended transport header.
    pub const fn has_reth(self) -> bool {
        matches!(self, OperationCode::WriteFirst | OperationCode::WriteOnly | OperationCode::ReadRequest)
    }

    /// Returns whether the packet has an acknowledgement extended transport header.
    pub const fn has_aeth(self) -> bool {
        use OperationCode as Code;
        matches!(
            self,
            Code::Acknowledge
                | Code::AtomicAcknowledge
                | Code::ReadResponseFirst
                | Code::ReadResponseLast
                | Code::ReadResponseOnly
        )
    }

    /// Returns whether the packet is an atomic operation.
    pub const fn is_atomic(self) -> bool {
        matches!(self, OperationCode::CompareSwap | OperationCode::FetchAdd)
    }

    /// Returns whether the packet answers a request.
    pub const fn is_response(self) -> bool {
        matches!(self, OperationCode::ReadResponseMiddle) || self.has_aeth()
    }

    /// Returns whether the packet ends a message.
    pub const fn is_last(self) -> bool {
        use OperationCode as Code;
        matches!(self, Code::SendLast | Code::SendOnly | Code::WriteLast | Code::WriteOnly)
    }

    /// Returns the code of packet `number` of a message of `packets` packets. `codes` contains the codes of a first, a
    /// middle, a last and an only packet.
    pub const fn of_packet(codes: [OperationCode; 4], number: u32, packets: u32) -> OperationCode {
        let [first, middle, last, only] = codes;
        match (number, packets) {
            (_, 1) => only,
            (0, _) => first,
            (number, packets) if number + 1 == packets => last,
            _ => middle,
        }
    }
}

/// A base transport header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BaseHeader {
    /// Operation code.
    pub code: OperationCode,
    /// Number of the destination's queue pair, of 24 bits.
    pub queue_pair: u32,
    /// Whether the responder must acknowledge the packet.
    pub asks_acknowledgement: bool,
    /// Sequence number.
    pub psn: Psn,
    /// Bytes that pad the payload to a multiple of 4.
    pub padding: usize,
}

impl BaseHeader {
    /// Length of a header.
    pub const BYTES: usize = 12;

    /// Returns the bytes. The partition is the default one.
    pub fn encode(&self) -> [u8; BaseHeader::BYTES] {
        let mut bytes = [0; BaseHeader::BYTES];
        bytes[0] = self.code as u8;
        bytes[1] = (self.padding as u8) << 4;
        bytes[2..4].copy_from_slice(&[0xff, 0xff]);
        bytes[4..8].copy_from_slice(&self.queue_pair.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.psn.number().to_be_bytes());
        bytes[8] = u8::from(self.asks_acknowledgement) << 7;
        bytes
    }

    /// Parses a header.
    pub fn decode(bytes: &[u8; BaseHeader::BYTES]) -> Result<BaseHeader, PacketError> {
        let code = OperationCode::ALL.iter().find(|code| **code as u8 == bytes[0]);
        Ok(BaseHeader {
            code: *code.ok_or(PacketError::UnknownOperation)?,
            queue_pair: be32(&bytes[4..8]) % Psn::SPACE,
            asks_acknowledgement: bytes[8] & 0x80 != 0,
            psn: Psn::new(be24(&bytes[9..12])),
            padding: usize::from(bytes[1] >> 4 & 3),
        })
    }
}
