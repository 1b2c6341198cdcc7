//! Tests of an Alewife node: the cycles of hits and misses, replaced blocks, and the decisions of a coherence
//! controller.

use super::{AlewifeNode, AlewifeParameters, CoherenceController, LINE_BYTES, REMOTE, home_of, line_of, remote};
use crate::engine::{Bytes, Hertz, NodeId, Outcome, Recorder, Sim, Simulation};
use crate::host::{Address, Fault, Processor};
use std::cell::RefCell;
use std::rc::Rc;

const NODE: AlewifeParameters = AlewifeParameters {
    clock_min: None,
    clock_max: None,
    clock: Hertz(20_000_000),
    load_cycles: 2,
    store_cycles: 3,
    miss_cycles: 11,
    contexts: 4,
    switch_cycles: 14,
    cache: Bytes(64 << 10),
    memory: Bytes(1 << 20),
};

/// Runs a program on a node.
fn run<F: Future<Output = ()> + 'static>(program: impl FnOnce(Rc<AlewifeNode>) -> F) {
    let simulation = Simulation::new(Recorder::off());
    let sim: Sim = simulation.sim();
    let node = Rc::new(AlewifeNode::new(&sim, "node", &NODE));
    sim.spawn("program", program(node));
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
}

/// Returns the cycles that an access takes.
async fn access_cycles(node: &AlewifeNode, access: impl Future<Output = ()>) -> u64 {
    let start = node.processor.now();
    access.await;
    NODE.clock.cycle_at(node.processor.now() - start)
}

#[test]
fn a_hit_takes_its_cycles_and_a_miss_takes_miss_cycles() {
    run(|node| async move {
        let cpu = &node.processor;
        let address = node.allocate(64);
        let load = async |address| _ = cpu.load(address, 8).await.expect("the block is the node's");
        assert_eq!(access_cycles(&node, load(address)).await, 11);
        assert_eq!(access_cycles(&node, load(address + 8)).await, 2);
        assert_eq!(access_cycles(&node, load(address + 16)).await, 11);
        let store = async |address| cpu.store(address, 8, 7).await.expect("the block is the node's");
        assert_eq!(access_cycles(&node, store(address)).await, 3);
        assert_eq!(access_cycles(&node, store(address + 32)).await, 11);
    });
}

#[test]
fn a_replaced_block_is_written_to_memory() {
    run(|node| async move {
        let cpu = &node.processor;
        let (address, cache_bytes) = (node.allocate(64), 64 << 10);
        let same_frame = address + cache_bytes;
        cpu.store(address, 8, 0xA1).await.expect("the block is the node's");
        cpu.store(same_frame, 8, 0xB2).await.expect("the block is the node's");
        // Both blocks map to the same frame of the cache.
        assert_eq!(cpu.load(address, 8).await, Ok(0xA1));
        assert_eq!(cpu.load(same_frame, 8).await, Ok(0xB2));
        assert_eq!(node.peek(address, 8), 0xA1u64.to_le_bytes());
    });
}

#[test]
fn untimed_writes_replace_cached_bytes() {
    run(|node| async move {
        let cpu = &node.processor;
        let at = node.allocate(64);
        cpu.store(at, 8, u64::MAX).await.expect("the block is the node's");
        node.write_untimed(at + 2, &[0; 4]);
        assert_eq!(cpu.load(at, 8).await, Ok(0xFFFF_0000_0000_FFFF));
    });
}

/// A coherence controller that allows no stores, and no eviction of other nodes' blocks.
#[derive(Default)]
struct StrictController(RefCell<Vec<Address>>);

impl CoherenceController for StrictController {
    fn allows(&self, _: Address, stores: bool) -> bool {
        !stores
    }

    fn evict(&self, block: Address) -> bool {
        self.0.borrow_mut().push(block);
        false
    }
}

#[test]
fn a_coherence_controller_determines_allowed_accesses_and_evictions() {
    run(|node| async move {
        let (cpu, controller) = (&node.processor, Rc::new(StrictController::default()));
        node.set_coherence_controller(controller.clone());
        let at = node.allocate(64);
        assert_eq!(cpu.load(at, 8).await, Ok(0));
        assert_eq!(cpu.store(at, 8, 1).await, Err(Fault { address: at, stores: true }));
        let remote_address = remote(NodeId(3), at + 64);
        assert_eq!(home_of(remote_address), (Some(NodeId(3)), at + 64));
        assert_eq!(cpu.load(remote_address, 8).await, Err(Fault { address: remote_address, stores: false }));
        // An arriving copy is used from the transaction store until it is moved to the cache, where it stays.
        node.take_copy(line_of(remote_address), [9; LINE_BYTES]);
        assert!(!cpu.may_access(remote_address, false) && cpu.try_load(remote_address, 4) == Some(0x0909_0909));
        node.move_to_cache(remote_address);
        assert!(cpu.may_access(remote_address, false) && remote_address > REMOTE);
        let same_frame = (remote_address & (REMOTE - 1)) + (64 << 10);
        assert_eq!(cpu.load(same_frame, 8).await, Ok(0));
        assert_eq!(*controller.0.borrow(), [line_of(remote_address)]);
        assert_eq!(cpu.try_load(remote_address, 1), Some(9));
    });
}
