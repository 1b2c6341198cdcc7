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
    near_cache: Llc,
    /// Cache of the other socket, if it is used.
    far_cache: Option<Llc>,
    memory_socket: MemorySocket,
    processor_socket: MemorySocket,
    remote_time: Time,
    remote_write_back_time: Time,
    memory_access_time: Time,
    pub channels: MemoryChannels,
    rate: Rate,
    pub server: Server,
    /// Blocks that devices read and wrote, each as hits and misses.
    pub device_blocks: [[Cell<u64>; 2]; 2],
    /// Number of blocks that were written to memory when they were evicted.
    pub written_back_blocks: Cell<u64>,
}

/// The additional or saved time of a read, compared with a read of a host-warm block.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReadAdjustment {
    pub added_time: Time,
    pub saved_time: Time,
}

fn blocks_of(address: Address, bytes: Bytes) -> impl Iterator<Item = Address> {
    (block_of(address)..address + bytes.get()).step_by(BLOCK_BYTES)
}

fn increment(counter: &Cell<u64>) {
    counter.set(counter.get() + 1);
}

impl SharedCaches {
    /// Creates empty caches.
    pub fn new(sim: &Sim, parameters: &PcieParameters) -> SharedCaches {
        let sockets = [parameters.memory_socket, parameters.processor_socket];
        let uses_far_cache = sockets.contains(&MemorySocket::Remote);
        let (server, device_blocks, written_back_blocks) = Default::default();
        SharedCaches {
            sim: sim.clone(),
            parameters: parameters.llc,
            near_cache: Llc::new(&parameters.llc),
            far_cache: uses_far_cache.then(|| Llc::new(&parameters.llc)),
            memory_socket: parameters.memory_socket,
            processor_socket: parameters.processor_socket,
            remote_time: parameters.remote,
            remote_write_back_time: parameters.remote_write_back,
            memory_access_time: parameters.memory.access,
            channels: MemoryChannels::new(&parameters.memory),
            rate: parameters.llc.rate,
            server,
            device_blocks,
            written_back_blocks,
        }
    }

    /// Returns the cache of the processor's socket.
    fn processor_cache(&self) -> &Llc {
        match (self.processor_socket, &self.far_cache) {
            (MemorySocket::Remote, Some(far)) => far,
            _ => &self.near_cache,
        }
    }

    fn evict(&self, now: Time, evicted: Option<EvictedBlock>) -> bool {
        let is_dirty = evicted.is_some_and(|evicted| evicted.is_dirty);
        if is_dirty {
            increment(&self.written_back_blocks);
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
    ) -> ReadAdjustment {
        let (mut added_time, mut saved_time, mut missing_blocks) = (Time::ZERO, self.parameters.device_warm, 0);
        for block in blocks_of(address, bytes) {
            let state = self.near_cache.device_read(block);
            increment(&self.device_blocks[0][usize::from(state.is_none())]);
            match state {
                Some(LlcState::DeviceWritten) => continue,
                Some(LlcState::HostWarm) => {}
                None => {
                    let is_private = is_private(block);
                    let is_in_far_cache = self.far_cache.as_ref().is_some_and(|far| far.device_read(block).is_some());
                    let is_cached = is_in_far_cache || is_private;
                    added_time = added_time.max(match (is_cached, self.memory_socket, self.processor_socket) {
                        (true, _, MemorySocket::Local) => Time::ZERO,
                        (true, _, MemorySocket::Remote) | (false, MemorySocket::Remote, _) => self.remote_time,
                        (false, MemorySocket::Local, _) => self.parameters.hit_to_dram,
                    });
                    missing_blocks += u64::from(!is_cached);
                }
            }
            saved_time = Time::ZERO;
        }
        let (start, _) = self.server.reserve(now, self.rate.time_for(bytes));
        let mut wait_time = start - now;
        if missing_blocks > 0 {
            wait_time = wait_time.max(self.channels.access(now, Bytes(missing_blocks * ONE_BLOCK.get())));
        }
        ReadAdjustment { added_time: added_time + wait_time, saved_time }
    }

    /// Writes blocks for a device at `now`. Returns the additional time of the write, compared with a write to blocks
    /// that the cache holds.
    pub fn device_write(&self, now: Time, address: Address, bytes: Bytes) -> Time {
        let (mut writes_back, mut allocates) = (false, false);
        for block in blocks_of(address, bytes) {
            if let Some(far) = &self.far_cache {
                far.remove(block);
            }
            let (is_hit, evicted) = self.near_cache.device_write(block);
            let is_miss = !is_hit;
            increment(&self.device_blocks[1][usize::from(is_miss)]);
            writes_back |= self.evict(now, evicted);
            allocates |= is_miss;
        }
        let (start, _) = self.server.reserve(now, self.rate.time_for(bytes));
        let is_remote = writes_back && self.memory_socket == MemorySocket::Remote;
        let allocation_time = if allocates { self.parameters.write_allocate } else { Time::ZERO };
        start - now + allocation_time + if is_remote { self.remote_write_back_time } else { Time::ZERO }
    }

    /// Changes the tags as a device's write of `bytes` bytes at `first` does.
    pub fn note_device_write(&self, first: Address, bytes: u64) {
        for block in blocks_of(first, Bytes(bytes)) {
            if let Some(far) = &self.far_cache {
                far.remove(block);
            }
            self.near_cache.device_write(block);
        }
    }

    /// Returns the time of the processor's access to a block at `now`.
    fn host_access(&self, now: Time, address: Address) -> Time {
        let own_cache = self.processor_cache();
        let (is_hit, evicted) = own_cache.host_access(address, false);
        self.evict(now, evicted);
        if is_hit {
            return self.parameters.access;
        }
        let other_cache =
            if std::ptr::eq(own_cache, &self.near_cache) { self.far_cache.as_ref() } else { Some(&self.near_cache) };
        let is_in_other_cache = other_cache.is_some_and(|cache| cache.state(address).is_some());
        let crosses_sockets = is_in_other_cache || self.memory_socket != self.processor_socket;
        let wait_time = if is_in_other_cache { Time::ZERO } else { self.channels.access(now, ONE_BLOCK) };
        if let Some(cache) = other_cache {
            cache.remove(address);
        }
        self.memory_access_time + wait_time + if crosses_sockets { self.remote_time } else { Time::ZERO }
    }

    /// Sets the state of a range of addresses.
    pub fn warm(&self, range: Range<Address>, state: CacheWarmth) {
        let bytes = range.end - range.start;
        let host_cache = self.processor_cache();
        match state {
            CacheWarmth::HostWarm => {
                for cache in [Some(&self.near_cache), self.far_cache.as_ref()].into_iter().flatten() {
                    if !std::ptr::eq(cache, host_cache) {
                        cache.warm(range.start, bytes, CacheWarmth::Cold);
                    }
                }
                host_cache.warm(range.start, bytes, state);
            }
            CacheWarmth::DeviceWarm | CacheWarmth::Cold => {
                if let Some(far) = &self.far_cache {
                    far.warm(range.start, bytes, CacheWarmth::Cold);
                }
                self.near_cache.warm(range.start, bytes, state);
            }
        }
    }
}

/// Main memory behind the last-level caches, as an agent on the interconnect.
pub struct MemoryHome {
    memory: Memory,
    caches: Rc<SharedCaches>,
}

impl MemoryHome {
    /// Creates a memory of zeros behind `caches`.
    pub fn new(size: Bytes, caches: &Rc<SharedCaches>) -> MemoryHome {
        MemoryHome { memory: Memory::new(size, Time::ZERO), caches: caches.clone() }
    }
}

impl Agent for MemoryHome {
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
