//! Tests of the encoding of headers, and of the validity of parameters.

use super::super::*;
use super::net::*;
use crate::engine::Time;
use proptest::prelude::*;

fn some_header() -> impl Strategy<Value = WindowHeader> {
    (any::<bool>(), any::<u32>()).prop_map(|(is_data, number)| match is_data {
        true => WindowHeader::Data { sequence: number },
        false => WindowHeader::Acknowledgement { next: number },
    })
}

proptest! {
    #[test]
    fn a_header_is_decoded_from_its_words(header in some_header()) {
        prop_assert_eq!(WindowHeader::decode(header.encode()), header);
    }

    #[test]
    fn a_header_is_encoded_in_its_words(kind in 0u64..2, number in 0u64..1 << 32) {
        prop_assert_eq!(WindowHeader::decode([kind, number]).encode(), [kind, number]);
    }
}

#[test]
#[should_panic(expected = "a header field holds its value")]
fn words_with_other_bits_panic() {
    let _ = WindowHeader::decode([0, 1 << 32]);
}

/// Returns the keys of invalid parameters.
fn invalid_keys(parameters: LinkParameters) -> Vec<&'static str> {
    parameters.check().into_iter().map(|(key, _)| key).collect()
}

#[test]
fn all_errors_are_reported_at_once() {
    assert_eq!((invalid_keys(LinkParameters::default()), invalid_keys(parameters())), (vec![], vec![]));
    let zeros = LinkParameters {
        buffers: 0,
        window: 0,
        reorder: 1,
        arrivals: 0,
        acknowledge_every: 0,
        timeout: Time::ZERO,
        sequence_bits: 33,
        ..parameters()
    };
    let expected_keys =
        ["buffers", "window", "receive-buffers", "reorder", "timeout", "acknowledge_every", "sequence_bits"];
    assert_eq!(invalid_keys(zeros), expected_keys);
    assert_eq!(invalid_keys(LinkParameters { timeout_max: Time::from_ns(99), ..parameters() }), ["timeout_max"]);
    assert_eq!(invalid_keys(LinkParameters { acknowledge_every: 3, ..parameters() }), ["acknowledge_every"]);
    let with_long_delay =
        LinkParameters { acknowledge_every: 2, acknowledge_delay: Time::from_ns(100), ..parameters() };
    assert_eq!(invalid_keys(with_long_delay), ["acknowledge_delay"]);
}

#[test]
fn numbers_must_distinguish_packets() {
    let numbers = |window, sequence_bits, order| {
        invalid_keys(LinkParameters { window, reorder: 0, sequence_bits, order, ..parameters() }).first().copied()
    };
    assert_eq!((numbers(4, 3, FabricOrder::Kept), numbers(5, 3, FabricOrder::Kept)), (None, Some("window")));
    assert_eq!((numbers(1, 1, FabricOrder::Kept), numbers(1 << 31, 32, FabricOrder::Kept)), (None, None));
    let any_order = |packets| FabricOrder::Any { packets };
    assert_eq!((numbers(3, 4, any_order(13)), numbers(3, 4, any_order(14))), (None, Some("packets")));
    let lifetime = |ns| FabricOrder::Lifetime { lifetime: Time::from_ns(ns), spacing: Time::from_ns(10) };
    assert_eq!((numbers(3, 4, lifetime(99)), numbers(3, 4, lifetime(100))), (None, Some("lifetime")));
    let unspaced = FabricOrder::Lifetime { lifetime: Time::ZERO, spacing: Time::ZERO };
    assert_eq!(numbers(3, 32, unspaced), Some("lifetime"));
    let (key, reason) = &LinkParameters { order: lifetime(200), ..parameters() }.check()[0];
    assert_eq!(
        (*key, &**reason),
        ("lifetime", "a number is reused within 12 times 10 ns, and may be mistaken for a duplicate")
    );
}

#[test]
#[should_panic(expected = "node 1 is sent more than the 3 packets that `FabricOrder::Any` allows")]
fn more_packets_than_the_limit_panic() {
    let mut net = Net::new(2, &LinkParameters { order: FabricOrder::Any { packets: 3 }, ..parameters() });
    for packet in 0..4 {
        net.offer(A, B, packet);
        net.deliver_frames_of(A);
        net.deliver_frames_of(B);
    }
}

#[test]
#[should_panic(expected = "new packets to node 1 leave closer together than the spacing of 10 ns")]
fn packets_closer_than_the_spacing_panic() {
    let order = FabricOrder::Lifetime { lifetime: Time::from_ns(50), spacing: Time::from_ns(10) };
    let mut net = Net::new(3, &LinkParameters { order, ..parameters() });
    for (ns, to) in [(0, B), (5, C), (10, B), (19, B)] {
        net.now = Time::from_ns(ns);
        net.offer(A, to, ());
        net.deliver_frames_of(A);
        net.deliver_frames_of(B);
    }
}

#[test]
#[should_panic(expected = "the parameters are valid")]
fn invalid_parameters_panic() {
    let _ = WindowLink::<()>::new(A, &LinkParameters { window: 9, ..parameters() });
}
