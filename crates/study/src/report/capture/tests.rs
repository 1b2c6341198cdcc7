//! Tests of captures: each format in both byte orders, truncated files, and files with wrong lengths.

use super::*;
use narrows_core::engine::Time;
use proptest::prelude::*;
use std::time::Duration;

/// A byte order, in which the methods encode numbers and blocks.
#[derive(Clone, Copy)]
struct ByteOrder {
    is_big_endian: bool,
}

impl ByteOrder {
    fn encode_u32s(self, words: &[u32]) -> Vec<u8> {
        let bytes = |word: &u32| if self.is_big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
        words.iter().flat_map(bytes).collect()
    }

    fn encode_u16s(self, halves: &[u16]) -> Vec<u8> {
        let bytes = |half: &u16| if self.is_big_endian { half.to_be_bytes() } else { half.to_le_bytes() };
        halves.iter().flat_map(bytes).collect()
    }

    /// Returns a block of pcapng.
    fn block(self, kind: u32, body: &[&[u8]]) -> Vec<u8> {
        let mut body = body.concat();
        body.resize(body.len().next_multiple_of(4), 0);
        let length = body.len() as u32 + 12;
        [self.encode_u32s(&[kind, length]), body, self.encode_u32s(&[length])].concat()
    }

    fn section_header(self) -> Vec<u8> {
        self.block(0x0a0d_0d0a, &[&self.encode_u32s(&[0x1a2b_3c4d]), &self.encode_u16s(&[1, 0]), &[0xff; 8]])
    }

    fn option(self, code: u16, value: &[u8]) -> Vec<u8> {
        let mut bytes = [&self.encode_u16s(&[code, value.len() as u16]), value].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn interface_description(self, link: u16, snapshot_length: u32, options: &[Vec<u8>]) -> Vec<u8> {
        self.block(1, &[&self.encode_u16s(&[link, 0]), &self.encode_u32s(&[snapshot_length]), &options.concat()])
    }

    fn enhanced_packet(self, interface: u32, ticks: u64, bytes: &[u8], length: u32) -> Vec<u8> {
        let fields = [interface, (ticks >> 32) as u32, ticks as u32, bytes.len() as u32, length];
        self.block(6, &[&self.encode_u32s(&fields), bytes])
    }
}

const BYTE_ORDERS: [ByteOrder; 2] = [ByteOrder { is_big_endian: false }, ByteOrder { is_big_endian: true }];

#[test]
fn pcap_files_are_read_in_both_byte_orders_and_time_resolutions() {
    for order in BYTE_ORDERS {
        for (magic, nanoseconds) in [(0xa1b2_c3d4, 7_000), (0xa1b2_3c4d, 7)] {
            let header = [
                order.encode_u32s(&[magic]),
                order.encode_u16s(&[2, 4]),
                order.encode_u32s(&[0, 0, 65_535, 0x1000_0065]),
            ];
            let packet = [order.encode_u32s(&[1_700_000_000, 7, 3, 90]), b"abc".to_vec()];
            let file = [header.concat(), packet.concat(), packet.concat()].concat();
            let expected = CaptureRecord {
                interface: 0,
                name: None,
                link: 101,
                time: Some(Duration::new(1_700_000_000, nanoseconds)),
                bytes: b"abc",
                length: 90,
            };
            assert_eq!(read(&file), Ok(vec![expected, expected]));
        }
    }
}

/// Returns a file with all supported blocks, and one that is skipped.
fn file_with_all_blocks(order: ByteOrder) -> Vec<u8> {
    let offset: i64 = -5;
    let offset = if order.is_big_endian { offset.to_be_bytes() } else { offset.to_le_bytes() };
    let first_options =
        [order.option(2, b"eth7"), order.option(9, &[9]), order.option(14, &offset), order.option(0, &[])];
    let parts = [
        order.section_header(),
        order.interface_description(1, 2, &first_options),
        order.interface_description(228, 0, &[order.option(9, &[0x80 | 10])]),
        order.interface_description(101, 0, &[]),
        order.block(0x0bad, &[&[0xee; 7]]),
        order.enhanced_packet(0, 12_000_000_034, b"abcde", 5),
        order.enhanced_packet(1, 3 * 1_024 + 512, b"f", 1),
        order.enhanced_packet(2, 1_000_001, b"", 60),
        order.block(3, &[&order.encode_u32s(&[3]), b"gh"]),
        order.section_header(),
        order.interface_description(101, 0, &[order.option(2, b"b")]),
        order.enhanced_packet(0, 1, b"x", 1),
    ];
    parts.concat()
}

/// The expected fields of a packet: interface, its name, link type, time, bytes and length.
type PacketFields<'a> = (usize, Option<&'a str>, u32, Option<Duration>, &'a [u8], usize);

#[test]
fn pcapng_files_are_read_in_both_byte_orders() {
    for order in BYTE_ORDERS {
        let file = file_with_all_blocks(order);
        let packets = read(&file).expect("the file is a capture");
        let fields: Vec<_> = packets
            .iter()
            .map(|packet| (packet.interface, packet.name, packet.link, packet.time, packet.bytes, packet.length))
            .collect();
        let expected: [PacketFields; 5] = [
            (0, Some("eth7"), 1, Some(Duration::new(7, 34)), b"abcde", 5),
            (1, None, 228, Some(Duration::new(3, 500_000_000)), b"f", 1),
            (2, None, 101, Some(Duration::new(1, 1_000)), b"", 60),
            (0, Some("eth7"), 1, None, b"gh", 3),
            (3, Some("b"), 101, Some(Duration::new(0, 1_000)), b"x", 1),
        ];
        assert_eq!(fields, expected);
    }
}

#[test]
fn ipv4_packet_is_found_in_plain_and_vlan_frames() {
    let ipv4_of = |link, bytes| CaptureRecord { interface: 0, name: None, link, time: None, bytes, length: 0 }.ipv4();
    let [mut plain, mut tagged] = [vec![0xee; 12], vec![0xee; 12]];
    plain.extend([0x08, 0x00, 0x45, 1, 2]);
    tagged.extend([0x88, 0xa8, 0, 9, 0x81, 0x00, 0, 8, 0x08, 0x00, 0x45, 3]);
    assert_eq!(ipv4_of(1, &plain), Some(&[0x45, 1, 2][..]));
    assert_eq!(ipv4_of(1, &tagged), Some(&[0x45, 3][..]));
    assert_eq!(
        [
            ipv4_of(1, &plain[..14]),
            ipv4_of(1, &tagged[..19]),
            ipv4_of(1, &[]),
            ipv4_of(101, &[0x60]),
            ipv4_of(105, &[0x45])
        ],
        [None; 5]
    );
    assert!([101, 228, 12, 14].iter().all(|link| ipv4_of(*link, &[0x45]).is_some()));
}

#[test]
fn truncated_files_are_reported() {
    let mut capture = Capture::new(["a", "b"]);
    capture.packet(1, Time::from_us(3), b"packet");
    let captured = capture.bytes().to_vec();
    let pcap_file = [vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0], vec![0; 16], vec![9, 0, 0, 0, 1, 0, 0, 0]].concat();
    let pcap_file = [pcap_file, vec![2, 0, 0, 0, 2, 0, 0, 0, 7, 7]].concat();
    for (file, part_count) in [
        (file_with_all_blocks(BYTE_ORDERS[0]), 12),
        (file_with_all_blocks(BYTE_ORDERS[1]), 12),
        (captured, 4),
        (pcap_file, 2),
    ] {
        let valid_lengths: Vec<usize> = (0..=file.len()).filter(|length| read(&file[..*length]).is_ok()).collect();
        assert_eq!(
            valid_lengths.len(),
            part_count,
            "a prefix is valid only at the end of one of its {part_count} parts: {valid_lengths:?}"
        );
        assert_eq!(valid_lengths.last(), Some(&file.len()));
        let error = read(&file[..file.len() - 1]).expect_err("the file is truncated").to_string();
        assert!(error.contains("truncated"), "{error}");
    }
}

#[test]
fn inconsistent_files_are_reported_with_their_offset() {
    let order = BYTE_ORDERS[0];
    let start = [order.section_header(), order.interface_description(101, 0, &[])].concat();
    let after_start = |block: Vec<u8>| [start.clone(), block].concat();
    let mut enhanced = order.enhanced_packet(0, 1, b"abcd", 4);
    enhanced[20..24].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut wrong_trailing_length = order.enhanced_packet(0, 1, b"abcd", 4);
    *wrong_trailing_length.last_mut().expect("the block has bytes") = 1;
    let interface_before_epoch = order.interface_description(101, 0, &[order.option(14, &(-9i64).to_le_bytes())]);
    let pcap_file = |rest: &[u32]| {
        [
            order.encode_u32s(&[0xa1b2_c3d4]),
            order.encode_u16s(&[2, 4]),
            order.encode_u32s(&[0, 0, 0, 1]),
            order.encode_u32s(rest),
        ]
        .concat()
    };
    let cases = [
        (Vec::new(), 0, "it has 0 bytes"),
        (b"GIF89a".to_vec(), 0, "this is not a capture: it begins with [47, 49, 46, 38]; pcapng begins with"),
        (vec![0x1f, 0x8b, 8, 0, 0], 0, "decompress it first"),
        (order.encode_u32s(&[0xa1b2_cd34]), 0, "editcap"),
        (
            after_start(order.encode_u32s(&[6, u32::MAX - 3])),
            start.len(),
            "truncated: only 8 of the 4294967292 bytes of a block",
        ),
        (after_start(order.encode_u32s(&[6, 8])), start.len(), "invalid block length 8"),
        (after_start(order.encode_u32s(&[6, 30])), start.len(), "a multiple of 4"),
        (after_start(enhanced), start.len(), "exceeds its block of 36 bytes"),
        (after_start(wrong_trailing_length), start.len(), "differs from its trailing length 1"),
        (
            after_start(order.enhanced_packet(7, 1, b"", 0)),
            start.len(),
            "a packet refers to interface 7, but only 1 are described",
        ),
        (after_start(order.block(3, &[&order.encode_u32s(&[40])])), start.len(), "exceeds its block"),
        (
            after_start(order.interface_description(1, 0, &[order.option(9, &[39])])),
            start.len(),
            "10^-39 s is too small",
        ),
        (
            after_start([interface_before_epoch, order.enhanced_packet(1, 1, b"", 0)].concat()),
            start.len() + 32,
            "a time is -9 s after 1 January 1970",
        ),
        (pcap_file(&[0, 0, 262_145, 0]), 24, "the packet has 262145 bytes, more than the limit of 262144"),
        ([pcap_file(&[])[..4].to_vec(), vec![3, 0, 0, 0], vec![0; 16]].concat(), 4, "unsupported version 3.0 of pcap"),
    ];
    for (file, offset, message) in cases {
        let error = read(&file).expect_err(message);
        assert!(error.message.contains(message) && error.offset == offset, "{error}, not {offset}: {message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn corrupted_files_do_not_panic(
        order in prop::sample::select(BYTE_ORDERS.to_vec()),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..9),
        rest in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut file = file_with_all_blocks(order);
        for (position, byte) in damage {
            let position = position.index(file.len());
            file[position] = byte;
        }
        file.extend(rest);
        if let Err(error) = read(&file) {
            prop_assert!(error.offset <= file.len() && !error.message.is_empty());
        }
    }
}

impl std::fmt::Debug for ByteOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_big_endian { "big-endian" } else { "little-endian" })
    }
}
