//! Tests of streams over the packet port of an ideal fabric: bytes, order, and times to the nanosecond.

use super::*;
use crate::engine::{Journey, Limits, NodeId, Outcome, Recorder, Simulation};
use crate::fabric::ideal::IdealParameters;
use crate::fabric::packet::Label;
use crate::fabric::spec::FabricSpec;
use std::cell::RefCell;

/// The time in nanoseconds at which a piece was taken, its bytes, and whether the packet begins and ends with them.
type TakenPiece = (u64, Vec<u8>, bool, bool);

/// Sends packets of these lengths from one node to another over a link of 1 GB/s and 40 ns, in pieces of 64 bytes, and
/// takes them in pieces of at most `bytes_max` bytes.
fn pieces_received(lengths: &'static [u64], bytes_max: u64) -> Vec<TakenPiece> {
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    let rate = Rate::from_bytes_per_s(1_000_000_000);
    let ideal = IdealParameters { latency: Time::from_ns(40), rate, ..IdealParameters::PAPER };
    let fabric = ideal.join(&sim, &["a", "b"].map(str::to_owned), 1);
    let stream = |node| {
        let port = fabric.packet_port(&sim, NodeId(node), "node");
        streams_over_packets(&sim, "node", &port, 2, rate).swap_remove(0)
    };
    let ((mut tx, _), (_, mut rx)) = (stream(0), stream(1));
    sim.spawn("engine", async move {
        for (index, length) in lengths.iter().enumerate() {
            let label = Label { destination: NodeId(1), length: Bytes(*length), ..Label::default() };
            let packet = Packet::new(label, Journey::default());
            tx.open(&packet).await.expect("nothing is dropped");
            let mut remaining_bytes = Bytes(*length);
            while !remaining_bytes.is_empty() {
                let bytes = tx.reserve(remaining_bytes.min(Bytes(64))).await.expect("nothing is dropped");
                packet.append(&vec![index as u8; bytes.len()]);
                remaining_bytes -= bytes;
                tx.send(bytes, Time::ZERO, remaining_bytes.is_empty()).await;
            }
            tx.close();
        }
    });
    let (taken_pieces, clock) = (Rc::new(RefCell::new(Vec::new())), sim.clone());
    let (recorded_pieces, total_bytes) = (taken_pieces.clone(), lengths.iter().sum::<u64>());
    sim.spawn("reader", async move {
        let mut received = 0;
        while received < total_bytes {
            let Piece::Bytes { packet, bytes, time, first, last } = rx.next(Bytes(bytes_max)).await else {
                panic!("a packet was dropped")
            };
            assert_eq!(time, Time::ZERO, "the whole packet has arrived");
            let mut piece_bytes = Vec::new();
            packet.take(bytes, |part| piece_bytes.extend_from_slice(part));
            rx.return_credit(bytes);
            received += bytes.get();
            recorded_pieces.borrow_mut().push((clock.now().ps() / 1000, piece_bytes, first, last));
        }
    });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    assert_eq!(fabric.packet_counts().in_flight(), 0);
    taken_pieces.take()
}

#[test]
fn a_packet_is_sent_and_received_store_and_forward() {
    // 100 ns into the buffer, 100 ns onto the link, 40 ns, 100 ns off the link.
    assert_eq!(pieces_received(&[100], 1000), [(340, vec![0; 100], true, true)]);
}

#[test]
fn the_next_packet_enters_when_the_fabric_is_ready() {
    let pieces = pieces_received(&[100, 10], 1000);
    assert_eq!(
        pieces[1],
        (350, vec![1; 10], true, true),
        "the packet arrives at 200 + 10 + 10 + 40 ns, and leaves the link after the first packet: 340 + 10 ns"
    );
}

#[test]
fn pieces_are_at_most_as_long_as_the_reader_requests() {
    let bytes: Vec<(usize, bool, bool)> =
        pieces_received(&[100, 30], 40).into_iter().map(|(_, data, first, last)| (data.len(), first, last)).collect();
    assert_eq!(bytes, [(40, true, false), (40, false, false), (20, false, true), (30, true, true)]);
}
