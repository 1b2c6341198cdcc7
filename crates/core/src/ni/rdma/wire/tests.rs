//! Tests of packets: they decode to what was encoded, and any error in them is found.

use super::aeth::{AckHeader, Syndrome};
use super::bth::{BaseHeader, OperationCode, Psn};
use super::icrc::invariant_crc;
use super::reth::{AtomicHeader, RdmaHeader};
use super::{ExtendedHeader, PacketError, RocePacket};
use crate::engine::{NodeId, Time};
use proptest::prelude::*;

/// Returns the packet with this code, whose fields are taken from `values`.
fn packet(code: OperationCode, values: [u32; 4]) -> RocePacket {
    let [low, high, key, other] = values;
    let (address, value) = (u64::from(high) << 32 | u64::from(low), u64::from(other) << 32 | u64::from(key));
    let syndromes = [
        Syndrome::Acknowledged,
        Syndrome::ReceiverNotReady((low % 32) as u8),
        Syndrome::SequenceError,
        Syndrome::InvalidRequest,
        Syndrome::RemoteAccessError,
    ];
    let ack = AckHeader { syndrome: syndromes[other as usize % 5], messages: key % Psn::SPACE };
    let extended_header = match code {
        _ if code.has_reth() => ExtendedHeader::Rdma(RdmaHeader { address, key, length: other }),
        _ if code.is_atomic() => {
            ExtendedHeader::Atomic(AtomicHeader { address, key, swap_or_add: value, compare: !value })
        }
        OperationCode::AtomicAcknowledge => ExtendedHeader::AtomicAck(ack, value),
        _ if code.has_aeth() => ExtendedHeader::Ack(ack),
        _ => ExtendedHeader::None,
    };
    let base = BaseHeader {
        code,
        queue_pair: high % Psn::SPACE,
        asks_acknowledgement: low % 2 == 0,
        psn: Psn::new(other),
        padding: 0,
    };
    RocePacket { from: NodeId(low % 1000), to: NodeId(high % 1000), port: key as u16, base, extended_header }
}

#[test]
fn a_receiver_that_is_not_ready_states_a_time_of_table_45() {
    let times = [(1, 1), (10, 1), (11, 2), (20, 2), (160, 8), (161, 9), (655, 13), (491_520, 31), (491_521, 0)];
    for (time_us, code) in times {
        let syndrome = Syndrome::receiver_not_ready(Time::from_us(time_us));
        assert_eq!(syndrome, Syndrome::ReceiverNotReady(code), "{time_us} us");
    }
}

proptest! {
    #[test]
    fn a_decoded_packet_equals_the_encoded_one(
        code in 0..OperationCode::ALL.len(),
        values in any::<[u32; 4]>(),
        payload in proptest::collection::vec(any::<u8>(), 0..300),
        flipped in any::<prop::sample::Index>(),
    ) {
        let packet = packet(OperationCode::ALL[code], values);
        let bytes = packet.encode(&payload);
        let (decoded, range) = RocePacket::decode(&bytes).expect("an encoded packet is valid");
        prop_assert_eq!(&bytes[range], &payload[..]);
        let base = BaseHeader { padding: decoded.base.padding, ..packet.base };
        prop_assert_eq!(decoded, RocePacket { base, ..packet });
        prop_assert_eq!(bytes.len() % 4, 0);
        // Any bit that routers may not change is covered by the CRC.
        let bit = 8 * 20 + flipped.index(8 * (bytes.len() - 20));
        let mut corrupted = bytes.clone();
        corrupted[bit / 8] ^= 1 << (bit % 8);
        let is_variant = [26, 27, 32].contains(&(bit / 8));
        prop_assert_eq!(RocePacket::decode(&corrupted).is_ok(), is_variant);
    }

    #[test]
    fn decoding_any_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        let _ = RocePacket::decode(&bytes);
    }
}

#[test]
fn a_wrong_crc_is_reported_as_such() {
    let mut bytes = packet(OperationCode::SendOnly, [1, 2, 3, 4]).encode(b"payload");
    bytes[50] ^= 1;
    assert_eq!(RocePacket::decode(&bytes), Err(PacketError::WrongCrc));
}

#[test]
fn sequence_numbers_wrap_around() {
    let last = Psn::new(Psn::SPACE - 1);
    assert_eq!((last.plus(1), Psn::new(0).previous(), Psn::new(3).since(last)), (Psn::new(0), last, 4));
    assert!(last.is_before(Psn::new(2)) && !Psn::new(2).is_before(last) && !last.is_before(last));
}

#[test]
fn the_crc_of_a_packet_of_real_hardware_is_computed() {
    // A congestion notification that a ConnectX-4 Lx sent (from the regression tests of scapy).
    let packet: [u8; 56] = [
        0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00,
        0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    assert_eq!(invariant_crc(&packet), [0x82, 0xfd, 0x00, 0x2a]);
}
