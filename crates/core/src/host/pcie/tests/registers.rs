//! Tests of the processor's accesses over the link, and of interrupts.

use super::{parameters, run};
use crate::engine::{Bytes, Sim, Time};
use crate::host::pcie::parameters::PcieParameters;
use crate::host::{Address, Block, Device, DeviceWindow, DmaOperation, DmaRequest, Host, InterruptVector, Processor};
use std::cell::RefCell;
use std::rc::Rc;

/// Registers that record the accesses to them.
struct Registers {
    sim: Sim,
    writes: RefCell<Vec<(Time, u64, Vec<u8>)>>,
    bytes: RefCell<[u8; 4096]>,
}

impl Registers {
    fn new(host: &Host) -> Rc<Registers> {
        let sim = host.cpu().sim().clone();
        Rc::new(Registers { sim, writes: RefCell::default(), bytes: RefCell::new([0; 4096]) })
    }
}

impl Device for Registers {
    fn read(&self, at: u64, into: &mut [u8]) {
        into.copy_from_slice(&self.bytes.borrow()[at as usize..][..into.len()]);
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        self.bytes.borrow_mut()[at as usize..][..bytes.len()].copy_from_slice(bytes);
        self.writes.borrow_mut().push((self.sim.now(), at, bytes.to_vec()));
    }
}

fn link_time(parameters: &PcieParameters, bytes: u64) -> Time {
    parameters.link.rate().time_for(Bytes(bytes))
}

fn write(address: Address, bytes: Vec<u8>) -> DmaRequest {
    DmaRequest { address, operation: DmaOperation::Write(bytes.into()) }
}

#[test]
fn an_uncached_store_is_posted_and_the_next_store_waits() {
    let parameters = parameters();
    let (times, _) = run(&parameters, |host: Rc<Host>| async move {
        let device = Registers::new(&host);
        let (window, cpu) = (host.attach(device.clone(), 4096), host.cpu());
        cpu.write(window.at(8), 8, 7).await;
        let continued_at = cpu.now();
        cpu.write(window.at(16), 4, 9).await;
        cpu.sim().delay(Time::from_us(1)).await;
        let writes = device.writes.borrow().clone();
        assert_eq!(
            (writes[0].1, &writes[0].2[..], writes[1].1, &writes[1].2[..]),
            (8, &[7, 0, 0, 0, 0, 0, 0, 0][..], 16, &[9, 0, 0, 0][..])
        );
        [continued_at, writes[0].0, writes[1].0]
    });
    let issue_time = parameters.processor.clock.cycles(parameters.processor.request_cycles);
    assert_eq!(times[0], issue_time + parameters.processor.clock.cycles(parameters.processor.reply_cycles));
    assert_eq!(times[1], issue_time + link_time(&parameters, 32) + parameters.link.crossing);
    assert_eq!(
        times[2],
        issue_time + parameters.processor.uncached_write + link_time(&parameters, 28) + parameters.link.crossing
    );
}

#[test]
fn an_uncached_load_is_a_round_trip() {
    let parameters = parameters();
    let (time, _) = run(&parameters, |host: Rc<Host>| async move {
        let device = Registers::new(&host);
        device.bytes.borrow_mut()[40] = 0xab;
        let (window, cpu) = (host.attach(device, 4096), host.cpu());
        assert_eq!(cpu.read(window.at(40), 8).await, 0xab);
        cpu.now()
    });
    let processor_time = parameters.processor.clock.cycles(parameters.processor.request_cycles)
        + parameters.processor.clock.cycles(parameters.processor.reply_cycles);
    let expected = processor_time + parameters.root_complex + link_time(&parameters, 24) + link_time(&parameters, 28);
    assert!(time.since(expected).max(expected.since(time)) <= Time::from_ns(1), "{time:?}, not {expected:?}");
}

#[test]
fn combined_stores_arrive_as_one_block_before_a_later_doorbell() {
    let parameters = parameters();
    run(&parameters, |host: Rc<Host>| async move {
        let device = Registers::new(&host);
        let window = host.map_device(device.clone(), DeviceWindow::write_combined(1024));
        let (doorbell, cpu) = (host.attach(device.clone(), 8), host.cpu());
        for word in 0..12 {
            cpu.write(window.at(word * 8), 8, word + 1).await;
        }
        cpu.write(doorbell.at(0), 4, 99).await;
        cpu.fence().await;
        cpu.sim().delay(Time::from_us(2)).await;
        let writes = device.writes.borrow();
        let accesses: Vec<_> = writes.iter().map(|(_, at, bytes)| (*at, bytes.len())).collect();
        assert_eq!(accesses, [(0, 64), (64, 32), (0, 4)], "a full block, half a block, the doorbell");
        assert_eq!(writes[0].2[8..16], 2u64.to_le_bytes());
        assert!(writes[1].0 - writes[0].0 >= Time::from_ns(90));
    });
}

#[test]
fn a_processor_waits_for_buffers_only_if_all_are_leaving() {
    let mut parameters = parameters();
    let time_of_blocks = |parameters: &PcieParameters| {
        run(parameters, |host: Rc<Host>| async move {
            let window = host.map_device(Registers::new(&host), DeviceWindow::write_combined(4096));
            let cpu = host.cpu();
            for block in 0..8 {
                cpu.write_block(window.at(block * 64), Block::ZERO).await;
            }
            cpu.now()
        })
        .0
    };
    let time_with_enough_buffers = time_of_blocks(&parameters);
    parameters.processor.combining_buffers = 2;
    let time_with_few_buffers = time_of_blocks(&parameters);
    assert!(time_with_enough_buffers < parameters.processor.combining_flush, "{time_with_enough_buffers:?}");
    assert!(time_with_few_buffers >= parameters.processor.combining_flush * 5, "{time_with_few_buffers:?}");
}

#[test]
fn a_load_of_a_register_flushes_the_writes_that_the_device_posted_before() {
    run(&parameters(), |host: Rc<Host>| async move {
        let (window, cpu) = (host.attach(Registers::new(&host), 64), host.cpu());
        let buffer = host.allocate(16 << 10);
        let mut write_transfer =
            host.dma_port().port().submit(write(buffer, vec![5; 16 << 10])).expect("a tag is free");
        cpu.read(window.at(0), 8).await;
        assert_eq!(cpu.load(buffer + (16 << 10) - 8, 8).await.ok(), Some(0x0505_0505_0505_0505));
        write_transfer.done().await;
    });
}

#[test]
fn an_interrupt_is_delivered_after_the_writes_before_it() {
    let (time, _) = run(&parameters(), |host: Rc<Host>| async move {
        let sim = host.cpu().sim().clone();
        let buffer = host.allocate(16 << 10);
        let delivered = Rc::new(RefCell::new(None));
        let (recorded_delivery, handler_host, handler_sim) = (delivered.clone(), host.clone(), sim.clone());
        let vector = InterruptVector(3);
        host.interrupts().connect(
            vector,
            crate::host::CoreId::FIRST,
            Box::new(move |interrupt| {
                assert_eq!((interrupt.vector, interrupt.causes), (vector, 6));
                assert_eq!(handler_host.peek(buffer, 16 << 10), vec![5; 16 << 10]);
                recorded_delivery.replace(Some(handler_sim.now()));
                Box::pin(std::future::ready(()))
            }),
        );
        let mut write_transfer =
            host.dma_port().port().submit(write(buffer, vec![5; 16 << 10])).expect("a tag is free");
        host.interrupts().raise(vector, 6);
        write_transfer.done().await;
        sim.delay(Time::from_us(3)).await;
        delivered.take().expect("the interrupt was delivered")
    });
    assert!(time > parameters().processor.interrupt_latency);
}

#[test]
fn the_processor_and_a_device_see_each_others_bytes() {
    run(&parameters(), |host: Rc<Host>| async move {
        let cpu = host.cpu();
        let (buffer, port) = (host.allocate(4096), host.dma_port().port());
        for round in 1..20u64 {
            // The block is modified in the processor's cache; the device writes a part of it, and then reads all of it.
            cpu.store(buffer, 8, round).await.expect("memory has no tags");
            cpu.fence().await;
            let mut write_transfer = port.submit(write(buffer + 8, vec![round as u8; 8])).expect("a tag is free");
            write_transfer.done().await;
            let operation = DmaOperation::Read(Bytes(16));
            let mut read_transfer = port.submit(DmaRequest { address: buffer, operation }).expect("a tag is free");
            let mut data = Vec::new();
            read_transfer.next_beat(&mut data).await.expect("there is data");
            assert_eq!(data, [round.to_le_bytes(), [round as u8; 8]].concat());
            read_transfer.done().await;
            assert_eq!(cpu.load(buffer + 8, 8).await.ok(), Some(u64::from_le_bytes([round as u8; 8])));
        }
    });
}

#[test]
fn a_device_that_writes_while_the_processor_stores_loses_no_byte() {
    run(&parameters(), |host: Rc<Host>| async move {
        let (cpu, sim) = (host.cpu(), host.cpu().sim().clone());
        let (buffer, port) = (host.allocate(4096), host.dma_port().port());
        for round in 0..200u64 {
            let mut write_transfer = port.submit(write(buffer + 32, vec![round as u8; 32])).expect("a tag is free");
            // The store's transaction and the write overlap by a different time in each round.
            sim.delay(Time::from_ns(60 + 2 * round)).await;
            cpu.until(sim.now()).await;
            cpu.store(buffer, 8, round).await.expect("memory has no tags");
            cpu.fence().await;
            write_transfer.done().await;
            let memory = host.peek(buffer, 64);
            assert_eq!(
                (&memory[..8], &memory[32..]),
                (&round.to_le_bytes()[..], &[round as u8; 32][..]),
                "round {round}"
            );
        }
    });
}
