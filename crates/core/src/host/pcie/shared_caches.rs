//! Main memory behind the last-level caches, as an agent on the interconnect, and as devices access it.
//!
//! The processor's accesses that leave its private cache find a block in the last-level cache of its socket or in
//! memory. Devices access both caches and memory through the root complex.

use super::llc::{EvictedBlock, Llc, LlcParameters, LlcState};
use super::memory::MemoryChannels;
use super::parameters::{MemorySocket, PcieParameters};
use super::server::Server;
use crate::engine::{Bytes, Rate, Sim, Time};
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of};
use crate::host::cache_warmth::CacheWarmth;
use crate::host::memory_bus::{Agent, Memory};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

const ONE_BLOCK: Bytes = Bytes(BLOCK_BYTES as u64);

/// The last-level caches and the channels of memory, which the processor and devices share.
pub struct SharedCaches {
    sim: Sim,
    parameters: LlcParameters,
    /// Cache of the link's socket.
    near: Llc,
    /// Cache of the other socket, if it is used.
    far: Option<Llc>,
    memory_socket: MemorySocket,
    processor_socket: MemorySocket,
    remote: Time,
    remote_write_back: Time,
    memory_access: Time,
    pub channels: MemoryChannels,
    rate: Rate,
    pub server: Server,
    /// Blocks that devices read and wrote, each as hits and misses.
    pub device_blocks: [[Cell<u64>; 2]; 2],
    /// Number of blocks that were written to memory when they were evicted.
    pub written_back: Cell<u64>,
}

/// The additional or saved time of a read, compared with a read of a host-warm block.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReadPlace {
    pub later: Time,
    pub earlier: Time,
}

fn blocks(address: Address, bytes: Bytes) -> impl Iterator<Item = Address> {
    (block_of(address)..address + bytes.get()).step_by(BLOCK_BYTES)
}

fn add(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

impl SharedCaches {
    /// Creates empty caches.
    pub fn new(sim: &Sim, parameters: &PcieParameters) -> SharedCaches {
        let sockets = [parameters.memory_socket, parameters.processor_socket];
        let uses_far_cache = sockets.contains(&MemorySocket::Remote);
        let (server, device_blocks, written_back) = Default::default();
        SharedCaches {
            sim: sim.clone(),
            parameters: parameters.llc,
            near: Llc::new(&parameters.llc),
            far: uses_far_cache.then(|| Llc::new(&parameters.llc)),
            memory_socket: parameters.memory_socket,
            processor_socket: parameters.processor_socket,
            remote: parameters.remote,
            remote_write_back: parameters.remote_write_back,
            memory_access: parameters.memory.access,
            channels: MemoryChannels::new(&parameters.memory),
            rate: parameters.llc.rate,
            server,
            device_blocks,
            written_back,
        }
    }

    /// Returns the cache of the processor's socket.
    fn of_processor(&self) -> &Llc {
        match (self.processor_socket, &self.far) {
            (MemorySocket::Remote, Some(far)) => far,
            _ => &self.near,
        }
    }

    fn evict(&self, now: Time, evicted: Option<EvictedBlock>) -> bool {
        let is_dirty = evicted.is_some_and(|evicted| evicted.is_dirty);
        if is_dirty {
            add(&self.written_back);
            self.channels.access(now, ONE_BLOCK);
        }
        is_dirty
    }

    /// Reads blocks for a device at `now`. `is_private` returns whether a private cache has a copy of a block.
    pub fn device_read(
        &self,
        now: Time,
        address: Address,
        bytes: Bytes,
        is_private: &dyn Fn(Address) -> bool,
    ) -> ReadPlace {
        let (mut later, mut earlier, mut missing) = (Time::ZERO, self.parameters.device_warm, 0);
        for block in blocks(address, bytes) {
            let state = self.near.device_read(block);
            add(&self.device_blocks[0][usize::from(state.is_none())]);
            match state {
                Some(LlcState::DeviceWritten) => continue,
                Some(LlcState::HostWarm) => {}
                None => {
                    let is_private = is_private(block);
                    let is_in_far_cache = self.far.as_ref().is_some_and(|far| far.device_read(block).is_some());
                    let is_held = is_in_far_cache || is_private;
                    later = later.max(match (is_held, self.memory_socket, self.processor_socket) {
                        (true, _, MemorySocket::Local) => Time::ZERO,
                        (true, _, MemorySocket::Remote) | (false, MemorySocket::Remote, _) => self.remote,
                        (false, MemorySocket::Local, _) => self.parameters.hit_to_dram,
                    });
                    missing += u64::from(!is_held);
                }
            }
            earlier = Time::ZERO;
        }
        let (waited, _) = self.server.reserve(now, self.rate.time_for(bytes));
        let mut wait = waited - now;
        if missing > 0 {
            wait = wait.max(self.channels.access(now, Bytes(missing * ONE_BLOCK.get())));
        }
        ReadPlace { later: later + wait, earlier }
    }

    /// Writes blocks for a device at `now`. Returns the additional time of the write, compared with a write to blocks
    /// that the cache holds.
    pub fn device_write(&self, now: Time, address: Address, bytes: Bytes) -> Time {
        let (mut writes_back, mut allocates) = (false, false);
        for block in blocks(address, bytes) {
            if let Some(far) = &self.far {
                far.remove(block);
            }
            let (hits, evicted) = self.near.device_write(block);
            let is_miss = !hits;
            add(&self.device_blocks[1][usize::from(is_miss)]);
            writes_back |= self.evict(now, evicted);
            allocates |= is_miss;
        }
        let (from, _) = self.server.reserve(now, self.rate.time_for(bytes));
        let is_remote = writes_back && self.memory_socket == MemorySocket::Remote;
        let allocation = if allocates { self.parameters.write_allocate } else { Time::ZERO };
        from - now + allocation + if is_remote { self.remote_write_back } else { Time::ZERO }
    }

    /// Changes the tags as a device's write of `bytes` bytes at `first` does.
    pub fn note_device_write(&self, first: Address, bytes: u64) {
        for block in blocks(first, Bytes(bytes)) {
            if let Some(far) = &self.far {
                far.remove(block);
            }
            self.near.device_write(block);
        }
    }

    /// Returns the time of the processor's access to a block at `now`.
    fn host_access(&self, now: Time, address: Address) -> Time {
        let own = self.of_processor();
        let (hits, evicted) = own.host_access(address, false);
        self.evict(now, evicted);
        if hits {
            return self.parameters.access;
        }
        let other = if std::ptr::eq(own, &self.near) { self.far.as_ref() } else { Some(&self.near) };
        let is_in_other_cache = other.is_some_and(|other| other.state(address).is_some());
        let crosses = is_in_other_cache || self.memory_socket != self.processor_socket;
        let wait = if is_in_other_cache { Time::ZERO } else { self.channels.access(now, ONE_BLOCK) };
        if let Some(other) = other {
            other.remove(address);
        }
        self.memory_access + wait + if crosses { self.remote } else { Time::ZERO }
    }

    /// Sets the state of a range of addresses.
    pub fn warm(&self, range: Range<Address>, state: CacheWarmth) {
        let bytes = range.end - range.start;
        let host = self.of_processor();
        match state {
            CacheWarmth::HostWarm => {
                for cache in [Some(&self.near), self.far.as_ref()].into_iter().flatten() {
                    if !std::ptr::eq(cache, host) {
                        cache.warm(range.start, bytes, CacheWarmth::Cold);
                    }
                }
                host.warm(range.start, bytes, state);
            }
            CacheWarmth::DeviceWarm | CacheWarmth::Cold => {
                if let Some(far) = &self.far {
                    far.warm(range.start, bytes, CacheWarmth::Cold);
                }
                self.near.warm(range.start, bytes, state);
            }
        }
    }
}

/// Main memory behind the last-level caches, as an agent on the interconnect.
pub struct Home {
    memory: Memory,
    caches: Rc<SharedCaches>,
}

impl Home {
    /// Creates a memory of zeros behind `caches`.
    pub fn new(size: Bytes, caches: &Rc<SharedCaches>) -> Home {
        Home { memory: Memory::new(size, Time::ZERO), caches: caches.clone() }
    }
}

impl Agent for Home {
    fn snoops(&self) -> bool {
        false
    }

    fn requests_bus(&self) -> bool {
        false
    }

    fn home_time(&self, address: Address) -> Time {
        self.caches.host_access(self.caches.sim.now(), address)
    }

    fn home_read(&self, address: Address, bytes: usize, data: &mut Block) {
        self.memory.home_read(address, bytes, data);
    }

    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        self.memory.home_write(address, bytes, data);
    }
}
