//! Tests of the latency of single transfers, and of their bytes.

use super::{parameters, run};
use crate::engine::{Bytes, Time};
use crate::host::pcie::iommu::IommuParameters;
use crate::host::pcie::parameters::{MemorySocket, PcieParameters};
use crate::host::{CacheWarmth, DmaOperation, DmaPort, DmaRequest, Host, Processor, submit_when_free};
use crate::text::Parameters;
use std::rc::Rc;

const MIB: u64 = 1 << 20;

fn read(address: u64, bytes: u64) -> DmaRequest {
    DmaRequest { address, operation: DmaOperation::Read(Bytes(bytes)) }
}

fn write(address: u64, bytes: Vec<u8>) -> DmaRequest {
    DmaRequest { address, operation: DmaOperation::Write(bytes.into()) }
}

/// Reads bytes, and returns them.
async fn read_all(port: &dyn DmaPort, address: u64, bytes: u64) -> Vec<u8> {
    let mut transfer = submit_when_free(port, &read(address, bytes)).await;
    let (mut bytes_read, mut beat_bytes) = (Vec::new(), Vec::new());
    while let Some(beat) = transfer.next_beat(&mut beat_bytes).await {
        assert_eq!(beat.offset, bytes_read.len() as u64);
        bytes_read.extend_from_slice(&beat_bytes);
        transfer.beat_passed().await;
    }
    bytes_read
}

/// Returns the latency of a read of `bytes` bytes at `offset` in a window in the state `warmth`, and the latency of a
/// write followed by a read of the same bytes.
fn latencies(parameters: &PcieParameters, window: u64, offset: u64, bytes: u64, warmth: CacheWarmth) -> [Time; 2] {
    let ([read, write_then_read], _) = run(parameters, move |host: Rc<Host>| async move {
        let sim = host.cpu().sim().clone();
        let base = host.allocate(window as usize);
        let port = host.dma_port().port();
        assert!(host.warm_cache(base, window, warmth));
        let start = sim.now();
        read_all(&*port, base + offset, bytes).await;
        let read = sim.now() - start;
        assert!(host.warm_cache(base, window, warmth));
        let start = sim.now();
        let data = vec![0xa5; bytes as usize];
        let mut write_transfer = submit_when_free(&*port, &write(base + offset, data.clone())).await;
        assert_eq!(read_all(&*port, base + offset, bytes).await, data, "a read sees the write before it");
        let write_then_read = sim.now() - start;
        write_transfer.done().await;
        let stages: Time = write_transfer.stages().iter().map(|(_, time)| *time).sum();
        assert!(stages <= write_then_read);
        [read, write_then_read]
    });
    [read, write_then_read]
}

/// Returns the time for which `bytes` bytes occupy the link.
fn link_time(parameters: &PcieParameters, bytes: u64) -> Time {
    parameters.link.rate().time_for(Bytes(bytes))
}

#[test]
fn a_read_takes_the_round_trip_its_packets_and_the_memory_or_cache_time() {
    let parameters = parameters();
    let fixed = parameters.root_complex + link_time(&parameters, 24) + link_time(&parameters, 84);
    let read_latency = |warmth| latencies(&parameters, 8192, 0, 64, warmth)[0];
    assert_eq!(read_latency(CacheWarmth::HostWarm), fixed);
    assert_eq!(read_latency(CacheWarmth::Cold), fixed + parameters.llc.hit_to_dram);
    assert_eq!(read_latency(CacheWarmth::DeviceWarm), fixed - parameters.llc.device_warm);
}

#[test]
fn a_read_of_many_blocks_adds_their_time_on_the_link() {
    let parameters = parameters();
    let [read, _] = latencies(&parameters, 8192, 0, 2048, CacheWarmth::HostWarm);
    // The four requests follow each other closely, and their completions more slowly.
    let expected = parameters.root_complex + link_time(&parameters, 24) + link_time(&parameters, 4 * (512 + 40));
    assert!(read.since(expected) <= Time::from_ps(10) && expected.since(read) <= Time::from_ps(10), "{}", read.ps());
}

#[test]
fn a_read_waits_for_the_write_before_it() {
    let parameters = parameters();
    let [_, write_then_read] = latencies(&parameters, 8192, 0, 64, CacheWarmth::HostWarm);
    let visible_after = link_time(&parameters, 88) + parameters.link.crossing + parameters.write_visible;
    let remaining_time =
        parameters.root_complex - parameters.link.crossing - parameters.llc.device_warm + link_time(&parameters, 84);
    assert_eq!(write_then_read, visible_after + remaining_time);
}

#[test]
fn windows_go_cold_beyond_the_cache_and_beyond_the_io_ways() {
    let parameters = parameters();
    let read_latency = |window, offset, warmth| latencies(&parameters, window, offset, 64, warmth)[0];
    let [device, host, cold] = [
        read_latency(8192, 0, CacheWarmth::DeviceWarm),
        read_latency(8192, 0, CacheWarmth::HostWarm),
        read_latency(8192, 0, CacheWarmth::Cold),
    ];
    assert!(device < host && host < cold);
    assert_eq!(
        [read_latency(32 * MIB, 0, CacheWarmth::HostWarm), read_latency(32 * MIB, 31 * MIB, CacheWarmth::HostWarm)],
        [cold, host]
    );
    assert_eq!(
        [read_latency(4 * MIB, 0, CacheWarmth::DeviceWarm), read_latency(4 * MIB, 3 * MIB, CacheWarmth::DeviceWarm)],
        [cold, device]
    );
}

#[test]
fn remote_memory_adds_the_same_to_warm_and_cold_reads_and_to_evicting_writes() {
    let local = parameters();
    let remote =
        PcieParameters { memory_socket: MemorySocket::Remote, processor_socket: MemorySocket::Remote, ..local.clone() };
    let [local_read, local_write_then_read] = latencies(&local, 8192, 0, 64, CacheWarmth::HostWarm);
    for warmth in [CacheWarmth::HostWarm, CacheWarmth::Cold] {
        let [read, write_then_read] = latencies(&remote, 8192, 0, 64, warmth);
        // The cache of the link's socket does not hold the block, so that the write allocates.
        assert_eq!(read, local_read + remote.remote);
        assert_eq!(write_then_read, local_write_then_read + remote.llc.write_allocate);
    }
    let [_, write_then_read] = latencies(&remote, 4 * MIB, 0, 64, CacheWarmth::DeviceWarm);
    assert_eq!(write_then_read, local_write_then_read + remote.llc.write_allocate + remote.remote_write_back);
}

#[test]
fn a_miss_of_the_iommu_adds_a_walk() {
    let without_iommu = parameters();
    let with_iommu = PcieParameters { iommu: Some(IommuParameters::defaults()), ..without_iommu.clone() };
    let expected = latencies(&without_iommu, 8192, 0, 64, CacheWarmth::HostWarm);
    let [read, write_then_read] = latencies(&with_iommu, 8192, 0, 64, CacheWarmth::HostWarm);
    let walk = IommuParameters::defaults().read_walk;
    assert_eq!([read, write_then_read], [expected[0] + walk, expected[1]], "the second access finds the translation");
}

#[test]
fn stages_add_up_to_the_latency() {
    for bytes in [1, 64, 300, 2048, 10_000] {
        let (_, _) = run(&parameters(), move |host: Rc<Host>| async move {
            let sim = host.cpu().sim().clone();
            let base = host.allocate(1 << 16);
            let port = host.dma_port().port();
            for request in [read(base + 12, bytes), write(base + 40, vec![1; bytes as usize])] {
                let start = sim.now();
                let mut transfer = submit_when_free(&*port, &request).await;
                transfer.done().await;
                let stages_total: Time = transfer.stages().iter().map(|(_, time)| *time).sum();
                assert_eq!(stages_total, sim.now() - start);
            }
        });
    }
}
