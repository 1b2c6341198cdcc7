//! Tests of the last-level cache's tags.

use super::super::llc::{Llc, LlcState};
use super::parameters;
use crate::engine::Bytes;
use crate::host::CacheWarmth;

const MIB: u64 = 1 << 20;

fn llc(io_ways: usize) -> Llc {
    let mut parameters = parameters().llc;
    parameters.io_ways = io_ways;
    Llc::new(&parameters)
}

/// Returns the number of blocks of a range that are in a state.
fn count_blocks(llc: &Llc, from: u64, bytes: u64, state: LlcState) -> u64 {
    (from..from + bytes).step_by(64).filter(|block| llc.state(*block) == Some(state)).count() as u64
}

#[test]
fn a_window_larger_than_the_cache_leaves_its_last_part_warm() {
    let llc = llc(2);
    for bytes in [MIB, 16 * MIB, 64 * MIB] {
        llc.warm(4096, bytes, CacheWarmth::HostWarm);
        let resident = count_blocks(&llc, 4096, bytes, LlcState::HostWarm);
        assert_eq!(resident, bytes.min(15 * MIB) / 64);
        let resident_at_end = count_blocks(&llc, 4096 + bytes - resident * 64, resident * 64, LlcState::HostWarm);
        assert_eq!(resident_at_end, resident);
    }
}

#[test]
fn blocks_of_devices_fill_the_io_ways_alone() {
    for (io_ways, bytes) in [(2, MIB), (2, 4 * MIB), (1, 4 * MIB), (0, MIB)] {
        let llc = llc(io_ways);
        llc.warm(4096, bytes, CacheWarmth::DeviceWarm);
        let resident = count_blocks(&llc, 4096, bytes, LlcState::DeviceWritten);
        assert_eq!(resident, (bytes / 64).min(io_ways as u64 * 15 * MIB / 20 / 64));
    }
}

#[test]
fn warming_equals_the_accesses_that_it_replaces() {
    for (state, bytes) in [(CacheWarmth::HostWarm, 20 * MIB), (CacheWarmth::DeviceWarm, 2 * MIB)] {
        let (warmed, accessed) = (llc(2), llc(2));
        warmed.warm(0, bytes, state);
        for block in (0..bytes).step_by(64) {
            match state {
                CacheWarmth::HostWarm => _ = accessed.host_access(block, true),
                _ => _ = accessed.device_write(block),
            }
        }
        assert!((0..bytes).step_by(64).all(|block| warmed.state(block) == accessed.state(block)));
    }
}

#[test]
fn a_device_updates_in_place_allocates_in_the_io_ways_and_reads_without_allocating() {
    let llc = llc(2);
    assert_eq!(llc.device_read(0), None);
    assert_eq!(llc.state(0), None, "a read allocates nothing");
    assert_eq!(llc.device_write(0), (false, None));
    assert_eq!(llc.state(0), Some(LlcState::DeviceWritten));
    let next_in_set = |number: u64| number * (15 * MIB / 20);
    for number in 1..20 {
        llc.host_access(next_in_set(number), false);
    }
    assert_eq!(llc.device_write(next_in_set(7)), (true, None), "a hit changes the block in place");
    assert_eq!(llc.state(next_in_set(7)), Some(LlcState::DeviceWritten));
    let evictions = (20..30).filter(|number| llc.device_write(next_in_set(*number)).1.is_some()).count();
    assert_eq!(evictions, 10);
    let kept_blocks = (0..20).filter(|number| llc.state(next_in_set(*number)).is_some()).count();
    assert!(kept_blocks >= 18, "writes of devices evict from two ways: {kept_blocks} of 20 are left");
}

#[test]
fn cold_blocks_leave_and_others_stay() {
    let llc = llc(2);
    for bytes in [4096, 8 * MIB] {
        llc.warm(0, 2 * bytes, CacheWarmth::HostWarm);
        llc.warm(bytes, bytes, CacheWarmth::Cold);
        assert_eq!(count_blocks(&llc, bytes, bytes, LlcState::HostWarm), 0);
        let others = Bytes(count_blocks(&llc, 0, bytes, LlcState::HostWarm) * 64);
        assert!(others.get() >= bytes.min(7 * MIB), "{others} of {} are left", Bytes(bytes));
    }
}
