//! Tests of each path through the table, with chosen inputs; the checker covers every order of events.

use super::*;

const FINE: Pipelining = Pipelining::Fine { threshold: 100 };

fn mcp(pipelining: Pipelining) -> Mcp {
    let mut mcp = Mcp::new(Config { pipelining, send_buffers: 2, receive_buffers: 2, segment: None });
    mcp.add_host_buffers(8);
    mcp
}

/// Steps until no thread is ready. Returns the commands, and the states that were entered.
fn run(mcp: &mut Mcp) -> (Vec<Command>, Vec<ThreadState>) {
    let (mut commands, mut states) = (Vec::new(), Vec::new());
    while let Some(step) = mcp.step() {
        commands.extend(step.commands);
        states.extend(step.states);
    }
    (commands, states)
}

fn run_commands(mcp: &mut Mcp) -> Vec<Command> {
    run(mcp).0
}

const fn read(id: u32, buffer: u8, units: u32) -> Command {
    Command::StartHostRead { id, buffer, from: 0, units }
}

const fn send(id: u32, buffer: u8, from: u32, units: u32, last: bool) -> Command {
    Command::StartSend { id, buffer, from, units, last }
}

const fn write(id: u32, buffer: u8, from: u32, units: u32, last: bool) -> Command {
    Command::StartHostWrite { id, buffer, from, units, last }
}

#[test]
fn serial_pipelining_keeps_one_packet_and_one_engine_busy() {
    let mut mcp = mcp(Pipelining::Serial);
    mcp.post(300, 7);
    mcp.post(200, 8);
    assert_eq!(run_commands(&mut mcp), [read(7, 0, 300)]);
    mcp.report_fetched(300);
    assert!(!mcp.has_ready_thread(), "all units have landed, but the engine has not ended");
    mcp.report_host_done();
    assert_eq!(run_commands(&mut mcp), [send(7, 0, 0, 300, true)], "the next message is not read in the meantime");
    mcp.report_send_done();
    assert_eq!(run_commands(&mut mcp), [Command::SendComplete { id: 7 }, read(8, 1, 200)]);
}

#[test]
fn coarse_pipelining_reads_the_next_packet_while_one_is_sent() {
    let mut mcp = mcp(Pipelining::Coarse);
    (7..10).for_each(|id| mcp.post(300, id));
    assert_eq!(run_commands(&mut mcp), [read(7, 0, 300)]);
    mcp.report_fetched(299);
    assert_eq!((mcp.has_ready_thread(), mcp.watch()), (false, Watch::default()));
    mcp.report_host_done();
    let (commands_issued, states) = run(&mut mcp);
    assert_eq!(commands_issued, [send(7, 0, 0, 300, true), read(8, 1, 300)]);
    use ThreadState::*;
    assert_eq!(states, [SdmaDone, Idle, CoarseGrainedSend, Sdma]);
    mcp.report_host_done();
    assert_eq!(run_commands(&mut mcp), [], "both buffers are in use");
    mcp.report_send_done();
    let expected = [Command::SendComplete { id: 7 }, read(9, 0, 300), send(8, 1, 0, 300, true)];
    assert_eq!(run_commands(&mut mcp), expected, "buffer 0 is used again");
}

#[test]
fn fine_pipelining_sends_landed_units_and_a_last_fragment_of_any_size() {
    let mut mcp = mcp(FINE);
    mcp.post(350, 7);
    assert_eq!(run_commands(&mut mcp), [read(7, 0, 350)]);
    mcp.report_fetched(99);
    assert_eq!((mcp.has_ready_thread(), mcp.watch().fetched), (false, Some(100)));
    mcp.report_fetched(120);
    assert_eq!(run_commands(&mut mcp), [send(7, 0, 0, 120, false)]);
    mcp.report_fetched(260);
    assert!(!mcp.has_ready_thread(), "the send engine is busy");
    mcp.report_send_done();
    assert_eq!(run_commands(&mut mcp), [send(7, 0, 120, 140, false)]);
    mcp.report_send_done();
    assert_eq!(run_commands(&mut mcp), []);
    assert_eq!(mcp.watch().fetched, Some(350), "less than a threshold is left");
    mcp.report_fetched(350);
    let (commands_issued, states) = run(&mut mcp);
    assert_eq!((commands_issued, states), (vec![send(7, 0, 260, 90, true)], vec![ThreadState::SendLastFragment]));
    mcp.report_host_done();
    mcp.report_send_done();
    assert_eq!(run_commands(&mut mcp), [Command::SendComplete { id: 7 }]);
    assert!(mcp.is_idle());
}

#[test]
fn a_packet_shorter_than_the_threshold_is_sent_once_it_has_landed() {
    let mut mcp = mcp(FINE);
    mcp.post(60, 7);
    run_commands(&mut mcp);
    mcp.report_fetched(59);
    assert_eq!((mcp.has_ready_thread(), mcp.watch().fetched), (false, Some(60)));
    mcp.report_fetched(60);
    assert_eq!(run(&mut mcp).1, [ThreadState::CoarseGrainedSend]);
}

#[test]
fn a_long_message_is_sent_as_packets_and_completes_once() {
    let config = Config { pipelining: Pipelining::Coarse, send_buffers: 2, receive_buffers: 2, segment: Some(4096) };
    let mut mcp = Mcp::new(config);
    mcp.post(10_000, 7);
    let mut all_commands = Vec::new();
    for _ in 0..8 {
        all_commands.extend(run_commands(&mut mcp));
        mcp.report_host_done();
        all_commands.extend(run_commands(&mut mcp));
        mcp.report_send_done();
    }
    let reads = all_commands.iter().filter_map(|command| match *command {
        Command::StartHostRead { from, units, .. } => Some((from, units)),
        _ => None,
    });
    assert_eq!(reads.collect::<Vec<_>>(), [(0, 4096), (4096, 4096), (8192, 1808)]);
    assert_eq!(all_commands.iter().filter(|command| **command == Command::SendComplete { id: 7 }).count(), 1);
}

#[test]
fn a_packet_is_delivered_in_fragments_while_it_arrives() {
    let mut mcp = mcp(FINE);
    mcp.announce(3);
    assert_eq!(run_commands(&mut mcp), [Command::StartReceive { id: 3, buffer: 0 }]);
    mcp.report_received(50, false);
    assert_eq!((mcp.has_ready_thread(), mcp.watch().received), (false, Some(100)));
    mcp.report_received(110, false);
    assert_eq!(run_commands(&mut mcp), [write(3, 0, 0, 110, false)]);
    mcp.report_received(150, true);
    mcp.report_receive_done();
    mcp.report_host_done();
    let (commands_issued, states) = run(&mut mcp);
    assert_eq!(commands_issued, [write(3, 0, 110, 40, true)]);
    assert!(states.ends_with(&[ThreadState::RdmaLastFragment]), "{states:?}");
    mcp.report_host_done();
    assert_eq!(run_commands(&mut mcp), [Command::Received { id: 3, units: 150 }]);
    assert!(mcp.is_idle());
}

#[test]
fn a_packet_delivered_before_its_tail_has_no_last_fragment() {
    let mut mcp = mcp(FINE);
    mcp.announce(3);
    run_commands(&mut mcp);
    mcp.report_received(120, false);
    assert_eq!(run_commands(&mut mcp), [write(3, 0, 0, 120, false)]);
    mcp.report_host_done();
    assert_eq!(run_commands(&mut mcp), []);
    mcp.report_received(120, true);
    assert_eq!(run_commands(&mut mcp), [Command::Received { id: 3, units: 120 }]);
}

#[test]
fn a_packet_waits_for_a_host_buffer() {
    let config = Config { pipelining: Pipelining::Coarse, send_buffers: 1, receive_buffers: 1, segment: None };
    let mut mcp = Mcp::new(config);
    mcp.announce(3);
    run_commands(&mut mcp);
    mcp.report_received(9, true);
    mcp.report_receive_done();
    assert_eq!(run_commands(&mut mcp), []);
    mcp.announce(4);
    assert!(!mcp.has_ready_thread(), "the next packet waits on the link, since no buffer is free");
    mcp.add_host_buffers(1);
    assert_eq!(run_commands(&mut mcp), [write(3, 0, 0, 9, true)]);
}

#[test]
fn the_directions_alternate_on_the_host_engine() {
    let mut mcp = mcp(Pipelining::Coarse);
    (0..4).for_each(|id| mcp.post(100, id));
    let mut order = Vec::new();
    for id in 10..14 {
        mcp.announce(id);
        for _ in 0..2 {
            order.extend(run_commands(&mut mcp));
            mcp.report_received(100, true);
            mcp.report_receive_done();
            mcp.report_host_done();
            mcp.report_send_done();
        }
    }
    let host_transfers = order.iter().filter_map(|command| match command {
        Command::StartHostRead { .. } => Some('r'),
        Command::StartHostWrite { .. } => Some('w'),
        _ => None,
    });
    assert_eq!(host_transfers.collect::<String>(), "rwrwrwrw");
}

#[test]
fn rows_of_a_thread_and_state_are_adjacent() {
    for (thread, state) in Thread::ALL.into_iter().flat_map(|thread| ThreadState::ALL.map(|state| (thread, state))) {
        let all = TRANSITIONS.iter().filter(|row| row.thread == thread && row.from == state);
        assert!(Transition::of_state(thread, state).iter().eq(all), "{thread:?} in {state:?}");
    }
}

#[test]
fn rows_guards_and_states_are_all_used() {
    for row in &TRANSITIONS {
        let has_next = TRANSITIONS.iter().any(|next| next.thread == row.thread && next.from == row.to);
        assert!(has_next, "{row:?} leads nowhere");
        let next_row = TRANSITIONS.iter().find(|next| next.from == row.to && !row.to.is_dispatching());
        assert!(
            next_row.is_none_or(|next| next.guards.is_empty()),
            "{row:?}: a state that does not yield has an unguarded row"
        );
    }
    let is_used = |guard| TRANSITIONS.iter().any(|row| row.guards.contains(&guard));
    assert!(Guard::ALL.into_iter().all(is_used), "every guard is used");
    let is_reached = |state| TRANSITIONS.iter().any(|row| row.to == state);
    assert!(ThreadState::ALL.into_iter().all(is_reached), "every state is reached");
}
