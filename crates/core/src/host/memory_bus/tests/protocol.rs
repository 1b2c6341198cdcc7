//! A test over all states of one block that two caches, one caching interface and memory can reach with the simulated
//! code. In every reachable state, every operation must keep a single writer, and every reader must read the value that
//! was written last.

use super::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

const BLOCK: Address = 1024;
/// A block that maps to the same frame of a cache of one block.
const CONFLICTING_BLOCK: Address = 2048;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Load(usize),
    Store(usize),
    Replace(usize),
    DeviceRead,
    DeviceReadKeep,
    DeviceReadBlock,
    DeviceClaim,
    DeviceWriteBlock,
    DeviceReplace,
}

use Operation::*;

const OPERATIONS: [Operation; 12] = [
    Load(0),
    Load(1),
    Store(0),
    Store(1),
    Replace(0),
    Replace(1),
    DeviceRead,
    DeviceReadKeep,
    DeviceReadBlock,
    DeviceClaim,
    DeviceWriteBlock,
    DeviceReplace,
];

/// An interface with one block of cache.
#[derive(Default)]
struct Device(RefCell<(MoesiState, Option<Block>)>);

impl Agent for Device {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> SnoopEffect {
        let mut copy = self.0.borrow_mut();
        if block != BLOCK {
            return SnoopEffect::NO_COPY;
        }
        let snooped = moesi::snoop(copy.0, kind);
        if snooped.supplies {
            *data = copy.1.expect("an owner has the bytes");
        }
        copy.0 = snooped.next_state;
        snooped
    }
    fn state(&self, block: Address) -> MoesiState {
        if block == BLOCK { self.0.borrow().0 } else { MoesiState::Invalid }
    }
}

struct Machine {
    bus: Rc<Bus>,
    caches: [CacheAgent; 2],
    device: Rc<Device>,
    id: AgentId,
    memory: Rc<Memory>,
    /// Value that was written last.
    latest_value: u64,
}

/// The states of the three copies, and whether memory is up to date.
type CopyStates = ([MoesiState; 3], bool);

impl Machine {
    fn new(simulation: &crate::engine::Simulation) -> Machine {
        let sim = simulation.sim();
        let bus = Rc::new(Bus::new(&sim, "test", NodeParameters::PAPER.bus));
        let memory = Rc::new(Memory::new(Bytes(4096), Time::from_ns(120)));
        bus.attach(memory.clone(), Some(0..4096));
        let caches = [0, 1].map(|cache| CacheAgent::new(&sim, &format!("cache {cache}"), &bus, &cache_of(1, 1)));
        let device = Rc::new(Device::default());
        let id = bus.attach(device.clone(), None);
        Machine { bus, caches, device, id, memory, latest_value: 0 }
    }

    fn next_block(&mut self) -> Block {
        self.latest_value += 1;
        let mut block = Block::ZERO;
        block.write(0, 8, self.latest_value);
        block
    }

    async fn load(&self, cache: usize, address: Address) -> u64 {
        loop {
            let hit = self.caches[cache].contents().borrow_mut().load(address, 8);
            match hit {
                Some(value) => return value,
                None => drop(self.caches[cache].obtain(address, false).await),
            }
        }
    }

    async fn store(&mut self, cache: usize) {
        self.latest_value += 1;
        while !self.caches[cache].contents().borrow_mut().store(BLOCK, 8, self.latest_value) {
            self.caches[cache].obtain(BLOCK, true).await;
        }
    }

    async fn device_read(&self, kind: TransactionKind) -> Option<(Block, bool)> {
        if self.device.state(BLOCK).readable() {
            return None;
        }
        let mut data = Block::ZERO;
        let result = self.bus.transact(self.id, kind, BLOCK, BLOCK_BYTES, &mut data).await;
        assert_eq!(data.read(0, 8), self.latest_value, "the device reads the value written last");
        Some((data, result.is_shared))
    }

    async fn device_replace(&self) {
        let copy = std::mem::take(&mut *self.device.0.borrow_mut());
        if copy.0.owns() {
            self.bus.transact(self.id, TransactionKind::WriteBack, BLOCK, BLOCK_BYTES, &mut copy.1.unwrap()).await;
        }
    }

    async fn apply(&mut self, operation: Operation) {
        match operation {
            Load(cache) => {
                assert_eq!(self.load(cache, BLOCK).await, self.latest_value, "a load reads the value written last")
            }
            Store(cache) => self.store(cache).await,
            Replace(cache) => drop(self.load(cache, CONFLICTING_BLOCK).await),
            DeviceRead => drop(self.device_read(TransactionKind::Read).await),
            DeviceReadBlock => drop(self.device_read(TransactionKind::ReadBlock).await),
            DeviceReadKeep => {
                if let Some((data, is_shared)) = self.device_read(TransactionKind::Read).await {
                    *self.device.0.borrow_mut() = (moesi::fill_state(TransactionKind::Read, is_shared), Some(data));
                }
            }
            DeviceClaim => {
                let block = self.next_block();
                self.bus
                    .transact(self.id, TransactionKind::Invalidate, BLOCK, BLOCK_BYTES, &mut Block::ZERO.clone())
                    .await;
                *self.device.0.borrow_mut() = (MoesiState::Modified, Some(block));
            }
            DeviceWriteBlock => {
                *self.device.0.borrow_mut() = (MoesiState::Invalid, None);
                let mut block = self.next_block();
                self.bus.transact(self.id, TransactionKind::WriteBlock, BLOCK, BLOCK_BYTES, &mut block).await;
            }
            DeviceReplace => self.device_replace().await,
        }
        self.check();
    }

    fn copy_states(&self) -> CopyStates {
        let mut data = Block::ZERO;
        self.memory.home_read(BLOCK, BLOCK_BYTES, &mut data);
        let caches = [0, 1].map(|cache| self.caches[cache].contents().borrow().state(BLOCK));
        ([caches[0], caches[1], self.device.state(BLOCK)], data.read(0, 8) == self.latest_value)
    }

    fn check(&self) {
        self.bus.assert_single_writer(BLOCK);
        for cache in &self.caches {
            let cached_value = cache.contents().borrow_mut().load(BLOCK, 8);
            assert!(cached_value.is_none_or(|value| value == self.latest_value), "no copy is stale");
        }
        let (device_state, device_block) = *self.device.0.borrow();
        assert!(!device_state.readable() || device_block.unwrap().read(0, 8) == self.latest_value, "no copy is stale");
        let (states, is_memory_current) = self.copy_states();
        assert!(is_memory_current || states.iter().any(|state| state.owns()), "the newest bytes are not lost");
    }
}

/// Returns the state after `operations`.
fn run(operations: Vec<Operation>) -> CopyStates {
    let simulation = simulation();
    let mut machine = Machine::new(&simulation);
    let final_states = Rc::new(RefCell::new(None));
    let result = final_states.clone();
    simulation.sim().spawn("operations", async move {
        for operation in operations {
            machine.apply(operation).await;
        }
        *result.borrow_mut() = Some(machine.copy_states());
    });
    assert_eq!(simulation.run(Default::default()), crate::engine::Outcome::Done);
    final_states.take().unwrap()
}

#[test]
fn every_operation_in_every_reachable_state_keeps_one_writer_and_no_stale_copy() {
    let mut reached_states: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
    let mut unexplored_paths = VecDeque::from([Vec::new()]);
    while let Some(path) = unexplored_paths.pop_front() {
        for operation in OPERATIONS {
            let mut extended_path = path.clone();
            extended_path.push(operation);
            let states = format!("{:?}", run(extended_path.clone()));
            reached_states.entry(states).or_insert_with(|| {
                unexplored_paths.push_back(extended_path.clone());
                extended_path
            });
        }
    }
    // The reached states include modified, exclusive and owned without sharers, owned with sharers, and shared with and
    // without an owner.
    assert!(reached_states.len() >= 20, "{} states", reached_states.len());
    for state in ["Modified", "Owned", "Exclusive", "Shared"] {
        assert!(reached_states.keys().any(|states| states.contains(state)), "{state} is reached");
    }
}
