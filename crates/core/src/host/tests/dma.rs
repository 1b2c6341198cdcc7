//! Tests of DMA ports: tags, beats, and the order of completions.

use crate::engine::{Bytes, Limits, Outcome, Rate, Recorder, Signal, Sim, Simulation, Time};
use crate::host::memory_bus::{MemoryBusNode, NodeParameters};
use crate::host::{
    Address, BusDma, DataBeat, DmaCompletion, DmaInitiator, DmaOperation, DmaPort, DmaRequest, DmaTags, LinkLatency,
    NoFreeTag, TaggedDma, submit_when_free,
};
use std::cell::RefCell;
use std::rc::Rc;

const TAGS: u32 = 4;

/// A memory that serves any number of transfers at once. A transfer takes as many nanoseconds as its address.
struct SlowMemory {
    sim: Sim,
    tags: Rc<DmaTags>,
}

impl SlowMemory {
    fn new(sim: &Sim) -> Rc<SlowMemory> {
        Rc::new(SlowMemory { sim: sim.clone(), tags: DmaTags::new(sim, "slow memory", 1000) })
    }
}

impl DmaPort for SlowMemory {
    fn submit(&self, request: DmaRequest) -> Result<DmaCompletion, NoFreeTag> {
        let (sim, tag) = (self.sim.clone(), self.tags.take()?);
        Ok(DmaCompletion::new(|steps| async move {
            steps.set_up(Time::ZERO).await;
            sim.delay(Time::from_ns(request.address)).await;
            let (bytes, now, rate) = (request.operation.bytes(), sim.now(), Rate::from_bytes_per_s(1 << 30));
            let to = now + rate.time_for(bytes);
            let beat = DataBeat { offset: 0, bytes, service_start: now, from: now, to, rate };
            steps.read_beat(beat, &mut vec![7; bytes.len()]).await;
            sim.until(to).await;
            steps.passed().await;
            drop(tag);
        }))
    }

    fn freed(&self) -> &Signal {
        self.tags.freed()
    }

    fn tags(&self) -> u32 {
        self.tags.count()
    }
}

fn read(address: Address, bytes: u64) -> DmaRequest {
    DmaRequest { address, operation: DmaOperation::Read(Bytes(bytes)) }
}

/// Runs `work` to its end and returns the time of the end.
fn run<F: Future<Output = ()> + 'static>(work: impl FnOnce(Sim) -> F) -> Time {
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    sim.spawn("engine", work(sim.clone()));
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    sim.now()
}

/// Reads from each address with `tags` tags. Returns the addresses in the order of completion, and the total time.
fn run_reads(tags: u32, addresses: &'static [Address]) -> (Vec<Address>, Time) {
    let completion_order = Rc::<RefCell<Vec<Address>>>::default();
    let recorded_order = completion_order.clone();
    let total_time = run(|sim| async move {
        let latency = LinkLatency { request: Time::from_ns(200), reply: Time::from_ns(300) };
        let port = Rc::new(TaggedDma::new(&sim, "nic", SlowMemory::new(&sim), tags, latency));
        for &address in addresses {
            let mut transfer = submit_when_free(&*port, &read(address, 64)).await;
            let recorded_order = recorded_order.clone();
            sim.spawn("reader", async move {
                let mut data = Vec::new();
                let beat = transfer.next_beat(&mut data).await.expect("there is data");
                assert_eq!((data, beat.bytes), (vec![7; 64], Bytes(64)));
                assert_eq!(transfer.next_beat(&mut Vec::new()).await, None);
                recorded_order.borrow_mut().push(address);
            });
        }
    });
    (completion_order.take(), total_time)
}

#[test]
fn latencies_of_tags_overlap() {
    let beat = Rate::from_bytes_per_s(1 << 30).time_for(Bytes(64));
    let transfer_time = Time::from_ns(200 + 1000 + 300) + beat;
    let addresses = &[1000; 8];
    assert_eq!(run_reads(1, addresses).1, transfer_time * 8);
    assert_eq!(run_reads(TAGS, addresses).1, transfer_time * 2, "four transfers overlap");
    assert_eq!(run_reads(8, addresses).1, transfer_time);
}

#[test]
fn transfers_complete_in_the_order_of_the_host() {
    let addresses = &[3000, 2000, 1000];
    assert_eq!(run_reads(3, addresses).0, [1000, 2000, 3000]);
    assert_eq!(run_reads(1, addresses).0, [3000, 2000, 1000], "one tag keeps the order of submissions");
}

#[test]
fn a_port_without_free_tags_rejects_transfers_until_a_tag_is_freed() {
    run(|sim| async move {
        let port = TaggedDma::new(&sim, "nic", SlowMemory::new(&sim), TAGS, LinkLatency::default());
        let _transfers: Vec<_> =
            (1..=TAGS).map(|tag| port.submit(read(1000 * u64::from(tag), 64)).expect("a tag is free")).collect();
        assert_eq!(port.submit(read(1, 64)).err(), Some(NoFreeTag));
        port.freed().wait().await;
        assert_eq!(sim.now(), Time::from_ns(1000) + Rate::from_bytes_per_s(1 << 30).time_for(Bytes(64)));
        assert!(port.submit(read(1, 64)).is_ok());
        assert_eq!(port.submit(read(1, 64)).err(), Some(NoFreeTag), "one tag was freed");
    });
}

/// Creates a memory-bus node, and a DMA port with one tag.
fn memory_bus(sim: &Sim) -> (Rc<MemoryBusNode>, BusDma) {
    let node = Rc::new(MemoryBusNode::new(sim, "node", &NodeParameters::PAPER));
    let port = BusDma::new(DmaInitiator::memory_bus(&node), 1);
    (node, port)
}

#[test]
fn a_transfer_over_a_bus_moves_beats_of_its_blocks() {
    run(|sim| async move {
        let (node, port) = memory_bus(&sim);
        let (bytes, at) = ((0..200).collect::<Vec<u8>>(), node.allocate(256) + 24);
        let write = DmaOperation::Write(bytes.clone().into());
        let mut transfer = port.submit(DmaRequest { address: at, operation: write }).expect("the tag is free");
        assert_eq!(port.submit(read(at, 8)).err(), Some(NoFreeTag), "the port has one tag");
        transfer.done().await;
        assert_eq!(node.peek(at, 200), bytes, "the written bytes are visible");
        let mut transfer = port.submit(read(at, 200)).expect("the tag was freed");
        let (mut bytes_read, mut data, mut beat_sizes) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(beat) = transfer.next_beat(&mut data).await {
            assert_eq!((beat.offset, beat.bytes), (bytes_read.len() as u64, Bytes(data.len() as u64)));
            assert!(
                beat.from <= sim.now() && sim.now() < beat.to,
                "a beat is returned before its last byte has arrived"
            );
            beat_sizes.push(data.len());
            bytes_read.extend_from_slice(&data);
        }
        assert_eq!((bytes_read, beat_sizes), (bytes, vec![40, 64, 64, 32]));
    });
}

#[test]
fn an_abandoned_transfer_frees_its_tag_and_the_bus() {
    run(|sim| async move {
        let (node, port) = memory_bus(&sim);
        let at = node.allocate(256);
        let mut transfer = port.submit(read(at, 256)).expect("the tag is free");
        transfer.next_beat(&mut Vec::new()).await;
        assert!(node.bus.is_busy());
        drop(transfer);
        assert!(!node.bus.is_busy());
        assert!(port.submit(read(at, 8)).is_ok());
    });
}

#[test]
fn tags_over_a_bus_move_the_same_bytes() {
    run(|sim| async move {
        let node = Rc::new(MemoryBusNode::new(&sim, "node", &NodeParameters::PAPER));
        let port = Rc::new(BusDma::new(DmaInitiator::memory_bus(&node), TAGS));
        let latency = LinkLatency { request: Time::from_ns(250), reply: Time::from_ns(250) };
        let link = TaggedDma::new(&sim, "nic", port, TAGS, latency);
        let at = node.allocate(1024);
        let bytes: Vec<u8> = (0..=255).cycle().take(1024).collect();
        for (part, address) in bytes.chunks(256).zip((at..).step_by(256)) {
            let operation = DmaOperation::Write(part.to_vec().into());
            _ = link.submit(DmaRequest { address, operation }).expect("there is a tag for each");
        }
        let next_write = link.writes().next_number();
        link.writes().wait_until_visible_before(next_write).await;
        assert_eq!(node.peek(at, 1024), bytes, "transfers advance without being awaited");
    });
}
