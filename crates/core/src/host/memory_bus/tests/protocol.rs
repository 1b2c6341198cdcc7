//! A test over all states of one block that two caches, one caching interface and memory can reach with the simulated
//! code. In every reachable state, every operation must keep a single writer, and every reader must read the value that
//! was written last.

use super::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

const BLOCK: Address = 1024;
/// A block that maps to the same frame of a cache of one block.
const OTHER: Address = 2048;

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
struct Device(RefCell<(State, Option<Block>)>);

impl Agent for Device {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> Snooped {
        let mut held = self.0.borrow_mut();
        if block != BLOCK {
            return Snooped::NOTHING;
        }
        let snooped = moesi::snoop(held.0, kind);
        if snooped.supplies {
            *data = held.1.expect("an owner has the bytes");
        }
        held.0 = snooped.next;
        snooped
    }
    fn state(&self, block: Address) -> State {
        if block == BLOCK { self.0.borrow().0 } else { State::Invalid }
    }
}

struct Machine {
    bus: Rc<Bus>,
    caches: [CacheAgent; 2],
    device: Rc<Device>,
    id: AgentId,
    memory: Rc<Memory>,
    latest: u64,
}

/// The states of the three copies, and whether memory is up to date.
type CopyStates = ([State; 3], bool);

impl Machine {
    fn new(simulation: &crate::engine::Simulation) -> Machine {
        let sim = simulation.sim();
        let bus = Rc::new(Bus::new(&sim, "test", NodeParameters::PAPER.bus));
        let memory = Rc::new(Memory::new(Bytes(4096), Time::from_ns(120)));
        bus.attach(memory.clone(), Some(0..4096));
        let caches = [0, 1].map(|cache| CacheAgent::new(&sim, &format!("cache {cache}"), &bus, &cache_of(1, 1)));
        let device = Rc::new(Device::default());
        let id = bus.attach(device.clone(), None);
        Machine { bus, caches, device, id, memory, latest: 0 }
    }

    fn next_block(&mut self) -> Block {
        self.latest += 1;
        let mut block = Block::ZERO;
        block.write(0, 8, self.latest);
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
        self.latest += 1;
        while !self.caches[cache].contents().borrow_mut().store(BLOCK, 8, self.latest) {
            self.caches[cache].obtain(BLOCK, true).await;
        }
    }

    async fn device_read(&self, kind: TransactionKind) -> Option<(Block, bool)> {
        if self.device.state(BLOCK).readable() {
            return None;
        }
        let mut data = Block::ZERO;
        let done = self.bus.transact(self.id, kind, BLOCK, BLOCK_BYTES, &mut data).await;
        assert_eq!(data.read(0, 8), self.latest, "the device reads the value written last");
        Some((data, done.shared))
    }

    async fn device_replace(&self) {
        let held = std::mem::take(&mut *self.device.0.borrow_mut());
        if held.0.owns() {
            self.bus.transact(self.id, TransactionKind::WriteBack, BLOCK, BLOCK_BYTES, &mut held.1.unwrap()).await;
        }
    }

    async fn apply(&mut self, operation: Operation) {
        match operation {
            Load(cache) => {
                assert_eq!(self.load(cache, BLOCK).await, self.latest, "a load reads the value written last")
            }
            Store(cache) => self.store(cache).await,
            Replace(cache) => drop(self.load(cache, OTHER).await),
            DeviceRead => drop(self.device_read(TransactionKind::Read).await),
            DeviceReadBlock => drop(self.device_read(TransactionKind::ReadBlock).await),
            DeviceReadKeep => {
                if let Some((data, shared)) = self.device_read(TransactionKind::Read).await {
                    *self.device.0.borrow_mut() = (moesi::filled(TransactionKind::Read, shared), Some(data));
                }
            }
            DeviceClaim => {
                let block = self.next_block();
                self.bus
                    .transact(self.id, TransactionKind::Invalidate, BLOCK, BLOCK_BYTES, &mut Block::ZERO.clone())
                    .await;
                *self.device.0.borrow_mut() = (State::Modified, Some(block));
            }
            DeviceWriteBlock => {
                *self.device.0.borrow_mut() = (State::Invalid, None);
                let mut block = self.next_block();
                self.bus.transact(self.id, TransactionKind::WriteBlock, BLOCK, BLOCK_BYTES, &mut block).await;
            }
            DeviceReplace => self.device_replace().await,
        }
        self.check();
    }

    fn seen(&self) -> CopyStates {
        let mut data = Block::ZERO;
        self.memory.home_read(BLOCK, BLOCK_BYTES, &mut data);
        let caches = [0, 1].map(|cache| self.caches[cache].contents().borrow().state(BLOCK));
        ([caches[0], caches[1], self.device.state(BLOCK)], data.read(0, 8) == self.latest)
    }

    fn check(&self) {
        self.bus.assert_single_writer(BLOCK);
        for cache in &self.caches {
            let held = cache.contents().borrow_mut().load(BLOCK, 8);
            assert!(held.is_none_or(|value| value == self.latest), "no copy is stale");
        }
        let held = *self.device.0.borrow();
        assert!(!held.0.readable() || held.1.unwrap().read(0, 8) == self.latest, "no copy is stale");
        let (states, memory_is_current) = self.seen();
        assert!(memory_is_current || states.iter().any(|state| state.owns()), "the newest bytes are not lost");
    }
}

/// Returns the state after `operations`.
fn run(operations: Vec<Operation>) -> CopyStates {
    let simulation = simulation();
    let mut machine = Machine::new(&simulation);
    let seen = Rc::new(RefCell::new(None));
    let result = seen.clone();
    simulation.sim().spawn("operations", async move {
        for operation in operations {
            machine.apply(operation).await;
        }
        *result.borrow_mut() = Some(machine.seen());
    });
    assert_eq!(simulation.run(Default::default()), crate::engine::Outcome::Done);
    seen.take().unwrap()
}

#[test]
fn every_operation_in_every_reachable_state_keeps_one_writer_and_no_stale_copy() {
    let mut reached: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
    let mut open = VecDeque::from([Vec::new()]);
    while let Some(path) = open.pop_front() {
        for operation in OPERATIONS {
            let mut longer = path.clone();
            longer.push(operation);
            let seen = format!("{:?}", run(longer.clone()));
            reached.entry(seen).or_insert_with(|| {
                open.push_back(longer.clone());
                longer
            });
        }
    }
    // The reached states include modified, exclusive and owned without sharers, owned with sharers, and shared with and
    // without an owner.
    assert!(reached.len() >= 20, "{} states", reached.len());
    for state in ["Modified", "Owned", "Exclusive", "Shared"] {
        assert!(reached.keys().any(|seen| seen.contains(state)), "{state} is reached");
    }
}
