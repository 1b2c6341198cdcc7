//! Retransmissions of selective repeat that are lost again.

use crate::ni::rdma::transport::requester::{PairRequester, Recovery, RequestKind, RequesterLimits};
use crate::ni::rdma::wire::bth::Psn;

const LIMITS: RequesterLimits = RequesterLimits {
    recovery: Recovery::Selective,
    outstanding_reads: 1,
    window: 32,
    retries: 1,
    not_ready_retries: None,
};

fn next_sent_number(requester: &mut PairRequester<()>) -> Option<u32> {
    requester.next(&LIMITS).map(|packet| packet.psn.number())
}

#[test]
fn a_lost_retransmission_is_repeated_when_a_packet_that_was_sent_after_it_arrives() {
    let mut requester = PairRequester::default();
    requester.add((), RequestKind::OneWay, 8);
    assert_eq!([0; 4].map(|_| next_sent_number(&mut requester)), [0, 1, 2, 3].map(Some));
    let arrives_early = |requester: &mut PairRequester<()>, early| {
        requester.retransmit_from(Psn::new(1), Some(Psn::new(early)), &mut Vec::new());
    };
    arrives_early(&mut requester, 2);
    assert_eq!(next_sent_number(&mut requester), Some(1), "packet 1 was lost");
    assert_eq!(next_sent_number(&mut requester), Some(4));
    arrives_early(&mut requester, 3);
    assert_eq!(next_sent_number(&mut requester), Some(5), "packet 3 was sent before the retransmission");
    arrives_early(&mut requester, 4);
    assert_eq!(next_sent_number(&mut requester), Some(1), "packet 4 was sent after the retransmission");
    arrives_early(&mut requester, 5);
    assert_eq!(next_sent_number(&mut requester), Some(6), "packet 5 was sent before the second retransmission");
}
