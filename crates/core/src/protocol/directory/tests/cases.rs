//! Tests of each rule in the head of `directory`, message by message.

use super::super::*;
use super::case::{A, B, C, block};
use crate::engine::NodeId;
use CoherenceAction::{Granted, Pointer, Retry, Send, Store};

const BLOCK: BlockId = block(A, 0);

fn requester(node_id: NodeId) -> Requester {
    Requester::new(node_id, RequesterParameters { contexts: 2, prefetches: 1, write_backs: 1 })
}

fn directory(pointers: Option<u32>, waiting: u32) -> Directory {
    Directory::new(A, DirectoryParameters { pointers, waiting, forwarding: false })
}

fn send(to: NodeId, kind: CoherenceKind) -> CoherenceAction {
    Send { to, message: message(kind) }
}

fn message(kind: CoherenceKind) -> CoherenceMessage {
    CoherenceMessage::new(kind, BLOCK.number)
}

/// Delivers a message from the home to the requester, and returns the actions.
fn deliver_to_requester(requester: &mut Requester, kind: CoherenceKind) -> Vec<CoherenceAction> {
    let mut actions = Vec::new();
    requester.arrive(A, message(kind), &mut actions);
    actions
}

fn deliver_to_home(directory: &mut Directory, from: NodeId, kind: CoherenceKind) -> Vec<CoherenceAction> {
    let mut actions = Vec::new();
    directory.arrive(from, message(kind), &mut actions);
    actions
}

/// Performs an access that misses, and returns the actions.
fn access_and_miss(requester: &mut Requester, mode: AccessMode) -> Vec<CoherenceAction> {
    let mut actions = Vec::new();
    assert_eq!(requester.access(BLOCK, mode, &mut actions), AccessOutcome::Waits);
    actions
}

fn use_block(requester: &mut Requester) -> Vec<CoherenceAction> {
    let mut actions = Vec::new();
    requester.end_use(BLOCK, &mut actions);
    actions
}

fn count_sends(actions: &[CoherenceAction], kind: CoherenceKind) -> usize {
    actions.iter().filter(|action| matches!(action, Send { message, .. } if message.kind == kind)).count()
}

#[test]
fn a_value_communicated_takes_four_messages_each_way() {
    let mut home = directory(None, 4);
    let _ = deliver_to_home(&mut home, B, CoherenceKind::Read);
    assert_eq!(deliver_to_home(&mut home, C, CoherenceKind::Read), [Pointer, send(C, CoherenceKind::Shared)]);
    // The writer's messages are request, invalidation, acknowledgement and grant.
    let upgrade = deliver_to_home(&mut home, B, CoherenceKind::Upgrade);
    assert_eq!(upgrade, [CoherenceAction::Access(Access::Invalid), send(C, CoherenceKind::Invalidate)]);
    assert_eq!(deliver_to_home(&mut home, C, CoherenceKind::Invalidated), [Pointer, send(B, CoherenceKind::Upgraded)]);
    // The reader's messages are request, fetch, block, and block again.
    assert_eq!(deliver_to_home(&mut home, C, CoherenceKind::Read), [send(B, CoherenceKind::Fetch)]);
    let access = CoherenceAction::Access(Access::ReadOnly);
    let shared = send(C, CoherenceKind::Shared);
    assert_eq!(deliver_to_home(&mut home, B, CoherenceKind::Fetched), [Store, Pointer, Pointer, access, shared]);
    assert_eq!(home.sharers(0), [B, C]);
}

#[test]
fn the_sixth_reader_traps_and_so_does_the_write() {
    let mut home = directory(Some(5), 0);
    let mut traps = Vec::new();
    for reader in 1..=12 {
        if deliver_to_home(&mut home, NodeId(reader), CoherenceKind::Read)
            .contains(&CoherenceAction::Trap(Trap::Pointers))
        {
            traps.push(reader);
        }
    }
    assert_eq!(traps, [6, 12], "software empties the pointers");
    // A node in software's list also gets a pointer, and is still invalidated once.
    assert!(deliver_to_home(&mut home, NodeId(1), CoherenceKind::Read).contains(&Pointer));
    let write = deliver_to_home(&mut home, NodeId(3), CoherenceKind::Write);
    assert_eq!(write[0], CoherenceAction::Trap(Trap::Write));
    assert_eq!(count_sends(&write, CoherenceKind::Invalidate), 11, "all but the writer");
    for reader in (1..=12).filter(|reader| *reader != 3) {
        assert_eq!(home.owner(0), None, "no node may write before the last acknowledgement");
        let _ = deliver_to_home(&mut home, NodeId(reader), CoherenceKind::Invalidated);
    }
    assert_eq!(home.owner(0), Some(NodeId(3)));
    let write = deliver_to_home(&mut home, NodeId(4), CoherenceKind::Write);
    assert_eq!(write, [send(NodeId(3), CoherenceKind::FetchInvalidate)], "software does not run");
}

#[test]
fn an_invalidated_copy_is_read_once_by_accesses_that_waited() {
    let mut node = requester(B);
    assert_eq!(access_and_miss(&mut node, AccessMode::Read), [send(A, CoherenceKind::Read)]);
    assert_eq!(deliver_to_requester(&mut node, CoherenceKind::Invalidate), [send(A, CoherenceKind::Invalidated)]);
    assert_eq!(deliver_to_requester(&mut node, CoherenceKind::Shared), [Store, Granted(Access::ReadOnly)]);
    // Another context may not read the copy: the block is requested again after the use.
    assert_eq!(access_and_miss(&mut node, AccessMode::Read), []);
    assert_eq!(use_block(&mut node), [send(A, CoherenceKind::Read)]);
}

#[test]
fn a_copy_that_is_held_is_invalidated_and_still_used() {
    let mut node = requester(B);
    let _ = access_and_miss(&mut node, AccessMode::Read);
    assert!(deliver_to_requester(&mut node, CoherenceKind::Shared).ends_with(&[Granted(Access::ReadOnly)]));
    let access = CoherenceAction::Access(Access::Invalid);
    assert_eq!(
        deliver_to_requester(&mut node, CoherenceKind::Invalidate),
        [access, send(A, CoherenceKind::Invalidated)]
    );
    assert_eq!(use_block(&mut node), []);
    assert!(node.is_quiet() && node.allowed(BLOCK) == Access::Invalid);
}

#[test]
fn an_access_that_joins_after_the_invalidation_requests_the_block_again() {
    let mut node = requester(B);
    let mut actions = Vec::new();
    assert_eq!(node.prefetch(BLOCK, AccessMode::Read, &mut actions), PrefetchOutcome::Started);
    let _ = deliver_to_requester(&mut node, CoherenceKind::Invalidate);
    assert_eq!(access_and_miss(&mut node, AccessMode::Read), []);
    assert_eq!(deliver_to_requester(&mut node, CoherenceKind::Shared), [send(A, CoherenceKind::Read)]);
    assert!(deliver_to_requester(&mut node, CoherenceKind::Shared).contains(&Granted(Access::ReadOnly)));

    // The same holds if another access waited before the invalidation: the copy cannot be granted to only one of the
    // two.
    let mut node = requester(B);
    let _ = access_and_miss(&mut node, AccessMode::Read);
    let _ = deliver_to_requester(&mut node, CoherenceKind::Invalidate);
    assert_eq!(access_and_miss(&mut node, AccessMode::Read), []);
    assert_eq!(deliver_to_requester(&mut node, CoherenceKind::Shared), [send(A, CoherenceKind::Read)]);
}

#[test]
fn a_fetch_waits_for_the_block_and_its_use() {
    let mut node = requester(B);
    let _ = access_and_miss(&mut node, AccessMode::Write);
    assert_eq!(deliver_to_requester(&mut node, CoherenceKind::Fetch), []);
    let access = CoherenceAction::Access(Access::Writable);
    assert_eq!(deliver_to_requester(&mut node, CoherenceKind::Exclusive), [Store, access, Granted(Access::Writable)]);
    let access = CoherenceAction::Access(Access::ReadOnly);
    assert_eq!(use_block(&mut node), [access, send(A, CoherenceKind::Fetched)]);
}

#[test]
fn a_write_back_is_acknowledged_when_the_fetch_is_answered() {
    for crossed_first in [false, true] {
        let mut home = directory(None, 4);
        let _ = deliver_to_home(&mut home, B, CoherenceKind::Write);
        let _ = deliver_to_home(&mut home, C, CoherenceKind::Write);
        let order = [CoherenceKind::WriteBack, CoherenceKind::Crossed];
        let [first, second] = if crossed_first { [order[1], order[0]] } else { order };
        assert_eq!(count_sends(&deliver_to_home(&mut home, B, first), CoherenceKind::WrittenBack), 0);
        let actions = deliver_to_home(&mut home, B, second);
        assert!(actions.ends_with(&[Pointer, send(C, CoherenceKind::Exclusive)]));
        assert_eq!(count_sends(&actions, CoherenceKind::WrittenBack), 1);
        assert_eq!(home.owner(0), Some(C));
    }
}

#[test]
fn a_written_back_block_is_requested_after_the_acknowledgement() {
    let mut node = requester(B);
    let _ = access_and_miss(&mut node, AccessMode::Write);
    let _ = deliver_to_requester(&mut node, CoherenceKind::Exclusive);
    let mut actions = Vec::new();
    assert_eq!(node.evict(BLOCK, &mut actions), EvictionOutcome::NotEvicted, "a block is not evicted before its use");
    let _ = use_block(&mut node);
    assert_eq!(node.evict(BLOCK, &mut actions), EvictionOutcome::WrittenBack);
    assert_eq!(actions, [CoherenceAction::Access(Access::Invalid), send(A, CoherenceKind::WriteBack)]);
    assert_eq!(access_and_miss(&mut node, AccessMode::Read), []);
    assert_eq!(deliver_to_requester(&mut node, CoherenceKind::FetchInvalidate), [send(A, CoherenceKind::Crossed)]);
    assert_eq!(deliver_to_requester(&mut node, CoherenceKind::WrittenBack), [send(A, CoherenceKind::Read)]);
}

fn forwarding_directory() -> Directory {
    Directory::new(A, DirectoryParameters { pointers: None, waiting: 4, forwarding: true })
}

/// Returns the action that sends a message with a third node.
fn send_with_party(to: NodeId, kind: CoherenceKind, party: NodeId) -> CoherenceAction {
    Send { to, message: CoherenceMessage { party: Some(party), ..message(kind) } }
}

#[test]
fn a_forwarded_block_reaches_its_requester_in_three_messages() {
    let mut home = forwarding_directory();
    let _ = deliver_to_home(&mut home, B, CoherenceKind::Write);
    assert_eq!(deliver_to_home(&mut home, C, CoherenceKind::Read), [send_with_party(B, CoherenceKind::Fetch, C)]);
    // The owner sends the block to the requester, and to the home, whose memory is then up to date.
    let mut owner = requester(B);
    let _ = access_and_miss(&mut owner, AccessMode::Write);
    let _ = deliver_to_requester(&mut owner, CoherenceKind::Exclusive);
    let _ = use_block(&mut owner);
    let mut actions = Vec::new();
    owner.arrive(A, CoherenceMessage { party: Some(C), ..message(CoherenceKind::Fetch) }, &mut actions);
    let access = CoherenceAction::Access(Access::ReadOnly);
    let shared = send_with_party(C, CoherenceKind::Shared, A);
    assert_eq!(actions, [access, shared, send(A, CoherenceKind::Fetched)]);
    assert_eq!(deliver_to_home(&mut home, B, CoherenceKind::Fetched), [Store, Pointer, Pointer, access]);
    assert_eq!(home.sharers(0), [B, C]);
    // The message's third node is the block's home.
    let Send { message, .. } = shared else { panic!("the owner sends the block") };
    assert_eq!(message.block(B, C), BLOCK);
}

#[test]
fn a_forwarded_block_may_be_written_back_before_the_owner_s_answer() {
    let mut home = forwarding_directory();
    let _ = deliver_to_home(&mut home, B, CoherenceKind::Write);
    let fetch = send_with_party(B, CoherenceKind::FetchInvalidate, C);
    assert_eq!(deliver_to_home(&mut home, C, CoherenceKind::Write), [fetch]);
    assert_eq!(deliver_to_home(&mut home, C, CoherenceKind::WriteBack), [Store]);
    let writable = CoherenceAction::Access(Access::Writable);
    let written_back = send(C, CoherenceKind::WrittenBack);
    assert_eq!(deliver_to_home(&mut home, B, CoherenceKind::Invalidated), [Pointer, writable, written_back]);
    assert!(home.is_quiet() && home.owner(0).is_none());
}

#[test]
fn a_forwarded_fetch_that_crosses_a_write_back_is_served_by_the_home() {
    let mut home = forwarding_directory();
    let _ = deliver_to_home(&mut home, B, CoherenceKind::Write);
    let _ = deliver_to_home(&mut home, C, CoherenceKind::Read);
    let _ = deliver_to_home(&mut home, B, CoherenceKind::Crossed);
    let actions = deliver_to_home(&mut home, B, CoherenceKind::WriteBack);
    assert_eq!(count_sends(&actions, CoherenceKind::WrittenBack), 1);
    assert!(actions.ends_with(&[send(C, CoherenceKind::Shared)]), "{actions:?}");
}

#[test]
fn a_forwarded_fetch_waits_for_the_block_and_its_use() {
    let mut node = requester(B);
    let _ = access_and_miss(&mut node, AccessMode::Write);
    let (forwarded_fetch, mut actions) =
        (CoherenceMessage { party: Some(C), ..message(CoherenceKind::FetchInvalidate) }, Vec::new());
    node.arrive(A, forwarded_fetch, &mut actions);
    assert_eq!(actions, []);
    let _ = deliver_to_requester(&mut node, CoherenceKind::Exclusive);
    let access = CoherenceAction::Access(Access::Invalid);
    let exclusive = send_with_party(C, CoherenceKind::Exclusive, A);
    assert_eq!(use_block(&mut node), [access, exclusive, send(A, CoherenceKind::Invalidated)]);
}

#[test]
fn prefetches_occupy_the_buffer_until_they_are_accessed() {
    let (mut node, mut actions) = (requester(B), Vec::new());
    assert_eq!(node.prefetch(BLOCK, AccessMode::Read, &mut actions), PrefetchOutcome::Started);
    assert_eq!(node.prefetch(BLOCK, AccessMode::Write, &mut actions), PrefetchOutcome::NotNeeded);
    assert_eq!(node.prefetch(block(A, 1), AccessMode::Read, &mut actions), PrefetchOutcome::Full);
    assert_eq!(
        deliver_to_requester(&mut node, CoherenceKind::Shared),
        [Store, CoherenceAction::Access(Access::ReadOnly)]
    );
    assert_eq!(node.prefetches(), 1);
    assert_eq!(node.access(BLOCK, AccessMode::Read, &mut actions), AccessOutcome::Hit);
    assert_eq!(node.prefetches(), 0);
    // A NACKed prefetch is dropped, unless an access waits for the block when the NACK arrives.
    assert_eq!(node.prefetch(block(A, 1), AccessMode::Write, &mut actions), PrefetchOutcome::Started);
    let nack_of_second_block = CoherenceMessage::new(CoherenceKind::Nack, 1);
    actions.clear();
    node.arrive(A, nack_of_second_block, &mut actions);
    assert!(actions.is_empty() && node.is_quiet() && node.prefetches() == 0);
    let _ = node.prefetch(block(A, 1), AccessMode::Write, &mut actions);
    let _ = node.access(block(A, 1), AccessMode::Read, &mut actions);
    actions.clear();
    node.arrive(A, nack_of_second_block, &mut actions);
    assert_eq!(actions, [Retry]);
}

#[test]
fn the_home_uses_its_memory_without_messages() {
    let (mut home, mut actions) = (directory(None, 0), Vec::new());
    assert_eq!(home.access(0, AccessMode::Write, &mut actions), AccessOutcome::Hit);
    let _ = deliver_to_home(&mut home, B, CoherenceKind::Read);
    assert_eq!(home.access(0, AccessMode::Read, &mut actions), AccessOutcome::Hit);
    assert!(actions.is_empty());
    assert_eq!(home.access(0, AccessMode::Write, &mut actions), AccessOutcome::Waits);
    assert_eq!(actions, [CoherenceAction::Access(Access::Invalid), send(B, CoherenceKind::Invalidate)]);
    assert_eq!(deliver_to_home(&mut home, C, CoherenceKind::Read), [send(C, CoherenceKind::Nack)]);
    let granted = [CoherenceAction::Access(Access::Writable), Granted(Access::Writable)];
    assert_eq!(deliver_to_home(&mut home, B, CoherenceKind::Invalidated), granted);
    assert_eq!(
        deliver_to_home(&mut home, C, CoherenceKind::Read),
        [send(C, CoherenceKind::Nack)],
        "the home's processor holds the block"
    );
    actions.clear();
    home.end_use(0, &mut actions);
    assert!(actions.is_empty() && home.is_quiet());
}
