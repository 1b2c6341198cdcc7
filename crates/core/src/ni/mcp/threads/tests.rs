//! Each path through the table, with chosen inputs; the checker covers every order of events.

use super::*;

const FINE: Pipelining = Pipelining::Fine { threshold: 100 };

fn mcp(pipelining: Pipelining) -> Mcp {
    let mut mcp = Mcp::new(Config { pipelining, send_buffers: 2, receive_buffers: 2, segment: None });
    mcp.posted_receive(8);
    mcp
}

/// Steps until no thread is ready; returns the commands and the states passed.
fn run(mcp: &mut Mcp) -> (Vec<Act>, Vec<ThreadState>) {
    let (mut acts, mut states) = (Vec::new(), Vec::new());
    while let Some(step) = mcp.step() {
        acts.extend(step.acts);
        states.extend(step.states);
    }
    (acts, states)
}

fn acts(mcp: &mut Mcp) -> Vec<Act> {
    run(mcp).0
}

const fn read(id: u32, buffer: u8, units: u32) -> Act {
    Act::StartHostRead { id, buffer, from: 0, units }
}

const fn send(id: u32, buffer: u8, from: u32, units: u32, last: bool) -> Act {
    Act::StartSend { id, buffer, from, units, last }
}

const fn write(id: u32, buffer: u8, from: u32, units: u32, last: bool) -> Act {
    Act::StartHostWrite { id, buffer, from, units, last }
}

#[test]
fn a_serial_sender_has_one_packet_and_one_engine_at_work() {
    let mut mcp = mcp(Pipelining::Serial);
    mcp.post(300, 7);
    mcp.post(200, 8);
    assert_eq!(acts(&mut mcp), [read(7, 0, 300)]);
    mcp.fetched(300);
    assert!(!mcp.ready(), "all has landed, but the engine has not said so");
    mcp.host_done();
    assert_eq!(acts(&mut mcp), [send(7, 0, 0, 300, true)], "the next is not read meanwhile");
    mcp.send_done();
    assert_eq!(acts(&mut mcp), [Act::SendComplete { id: 7 }, read(8, 1, 200)]);
}

#[test]
fn coarse_pipelining_reads_the_next_packet_while_this_one_goes() {
    let mut mcp = mcp(Pipelining::Coarse);
    (7..10).for_each(|id| mcp.post(300, id));
    assert_eq!(acts(&mut mcp), [read(7, 0, 300)]);
    mcp.fetched(299);
    assert_eq!((mcp.ready(), mcp.watch()), (false, Watch::default()));
    mcp.host_done();
    let (done, states) = run(&mut mcp);
    assert_eq!(done, [send(7, 0, 0, 300, true), read(8, 1, 300)]);
    use ThreadState::*;
    assert_eq!(states, [SdmaDone, Idle, CoarseGrainedSend, Sdma]);
    mcp.host_done();
    assert_eq!(acts(&mut mcp), [], "both buffers are in use");
    mcp.send_done();
    let expected = [Act::SendComplete { id: 7 }, read(9, 0, 300), send(8, 1, 0, 300, true)];
    assert_eq!(acts(&mut mcp), expected, "buffer 0 again");
}

#[test]
fn fine_pipelining_sends_what_lies_there_and_the_rest_whatever_its_size() {
    let mut mcp = mcp(FINE);
    mcp.post(350, 7);
    assert_eq!(acts(&mut mcp), [read(7, 0, 350)]);
    mcp.fetched(99);
    assert_eq!((mcp.ready(), mcp.watch().fetched), (false, Some(100)));
    mcp.fetched(120);
    assert_eq!(acts(&mut mcp), [send(7, 0, 0, 120, false)]);
    mcp.fetched(260);
    assert!(!mcp.ready(), "the send engine works");
    mcp.send_done();
    assert_eq!(acts(&mut mcp), [send(7, 0, 120, 140, false)]);
    mcp.send_done();
    assert_eq!(acts(&mut mcp), []);
    assert_eq!(mcp.watch().fetched, Some(350), "the end is nearer than another threshold");
    mcp.fetched(350);
    let (done, states) = run(&mut mcp);
    assert_eq!((done, states), (vec![send(7, 0, 260, 90, true)], vec![ThreadState::SendLastFragment]));
    mcp.host_done();
    mcp.send_done();
    assert_eq!(acts(&mut mcp), [Act::SendComplete { id: 7 }]);
    assert!(mcp.rests());
}

#[test]
fn what_is_shorter_than_the_threshold_goes_when_it_is_whole() {
    let mut mcp = mcp(FINE);
    mcp.post(60, 7);
    acts(&mut mcp);
    mcp.fetched(59);
    assert_eq!((mcp.ready(), mcp.watch().fetched), (false, Some(60)));
    mcp.fetched(60);
    assert_eq!(run(&mut mcp).1, [ThreadState::CoarseGrainedSend]);
}

#[test]
fn a_long_message_goes_as_packets_and_completes_once() {
    let config = Config { pipelining: Pipelining::Coarse, send_buffers: 2, receive_buffers: 2, segment: Some(4096) };
    let mut mcp = Mcp::new(config);
    mcp.post(10_000, 7);
    let mut told = Vec::new();
    for _ in 0..8 {
        told.extend(acts(&mut mcp));
        mcp.host_done();
        told.extend(acts(&mut mcp));
        mcp.send_done();
    }
    let reads = told.iter().filter_map(|act| match *act {
        Act::StartHostRead { from, units, .. } => Some((from, units)),
        _ => None,
    });
    assert_eq!(reads.collect::<Vec<_>>(), [(0, 4096), (4096, 4096), (8192, 1808)]);
    assert_eq!(told.iter().filter(|act| **act == Act::SendComplete { id: 7 }).count(), 1);
}

#[test]
fn a_packet_is_delivered_in_fragments_while_it_comes() {
    let mut mcp = mcp(FINE);
    mcp.comes(3);
    assert_eq!(acts(&mut mcp), [Act::StartReceive { id: 3, buffer: 0 }]);
    mcp.received(50, false);
    assert_eq!((mcp.ready(), mcp.watch().received), (false, Some(100)));
    mcp.received(110, false);
    assert_eq!(acts(&mut mcp), [write(3, 0, 0, 110, false)]);
    mcp.received(150, true);
    mcp.receive_done();
    mcp.host_done();
    let (done, states) = run(&mut mcp);
    assert_eq!(done, [write(3, 0, 110, 40, true)]);
    assert!(states.ends_with(&[ThreadState::RdmaLastFragment]), "{states:?}");
    mcp.host_done();
    assert_eq!(acts(&mut mcp), [Act::Received { id: 3, units: 150 }]);
    assert!(mcp.rests());
}

#[test]
fn what_was_all_delivered_before_its_end_has_no_last_fragment() {
    let mut mcp = mcp(FINE);
    mcp.comes(3);
    acts(&mut mcp);
    mcp.received(120, false);
    assert_eq!(acts(&mut mcp), [write(3, 0, 0, 120, false)]);
    mcp.host_done();
    assert_eq!(acts(&mut mcp), []);
    mcp.received(120, true);
    assert_eq!(acts(&mut mcp), [Act::Received { id: 3, units: 120 }]);
}

#[test]
fn without_a_place_in_the_host_a_packet_waits() {
    let config = Config { pipelining: Pipelining::Coarse, send_buffers: 1, receive_buffers: 1, segment: None };
    let mut mcp = Mcp::new(config);
    mcp.comes(3);
    acts(&mut mcp);
    mcp.received(9, true);
    mcp.receive_done();
    assert_eq!(acts(&mut mcp), []);
    mcp.comes(4);
    assert!(!mcp.ready(), "and the link with the next, for want of a buffer");
    mcp.posted_receive(1);
    assert_eq!(acts(&mut mcp), [write(3, 0, 0, 9, true)]);
}

#[test]
fn the_directions_take_the_host_engine_in_turn() {
    let mut mcp = mcp(Pipelining::Coarse);
    (0..4).for_each(|id| mcp.post(100, id));
    let mut order = Vec::new();
    for id in 10..14 {
        mcp.comes(id);
        for _ in 0..2 {
            order.extend(acts(&mut mcp));
            mcp.received(100, true);
            mcp.receive_done();
            mcp.host_done();
            mcp.send_done();
        }
    }
    let host = order.iter().filter_map(|act| match act {
        Act::StartHostRead { .. } => Some('r'),
        Act::StartHostWrite { .. } => Some('w'),
        _ => None,
    });
    assert_eq!(host.collect::<String>(), "rwrwrwrw");
}

#[test]
fn the_table_is_well_made() {
    for row in &TRANSITIONS {
        let has_way_on = TRANSITIONS.iter().any(|next| next.thread == row.thread && next.from == row.to);
        assert!(has_way_on, "{row:?} leads nowhere");
        let goes_on = TRANSITIONS.iter().find(|next| next.from == row.to && !row.to.is_dispatching());
        assert!(goes_on.is_none_or(|next| next.guards.is_empty()), "{row:?}: what does not yield goes on at once");
    }
    let used = |guard| TRANSITIONS.iter().any(|row| row.guards.contains(&guard));
    assert!(Guard::ALL.into_iter().all(used), "every guard is used");
    let reached = |state| TRANSITIONS.iter().any(|row| row.to == state);
    assert!(ThreadState::ALL.into_iter().all(reached), "every state is reached");
}
