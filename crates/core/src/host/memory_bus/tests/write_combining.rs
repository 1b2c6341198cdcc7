//! Tests of write combining: the stores that leave together, the events at which they leave, and the time that is
//! saved.

use super::*;
use crate::engine::{Outcome, Sim};
use crate::host::{Device, DeviceWindow, Processor, Window};
use std::cell::RefCell;
use std::future::Future;

/// A device that records its writes.
#[derive(Default)]
struct RecordingDevice(RefCell<Vec<(u64, Vec<u8>)>>);

impl Device for RecordingDevice {
    fn time(&self, _: u64) -> Time {
        Time::from_ns(60)
    }
    fn read(&self, _: u64, into: &mut [u8]) {
        into.fill(self.0.borrow().len() as u8);
    }
    fn write(&self, at: u64, bytes: &[u8]) {
        self.0.borrow_mut().push((at, bytes.to_vec()));
    }
}

/// Runs a program on a node with a device. Returns the writes that reached the device, as offsets and sizes.
fn device_writes<F: Future<Output = ()> + 'static>(
    window: DeviceWindow,
    program: impl FnOnce(MemoryBusProcessor, Window, Sim) -> F,
) -> Vec<(u64, usize)> {
    let simulation = simulation();
    let sim = simulation.sim();
    let node = MemoryBusNode::new(&sim, "node", &NodeParameters::PAPER);
    let device = Rc::<RecordingDevice>::default();
    let mapped = node.attach_device(device.clone(), window);
    sim.spawn("program", program(node.cores[0].clone(), mapped, sim.clone()));
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
    device.0.take().into_iter().map(|(at, bytes)| (at, bytes.len())).collect()
}

const COMBINED: DeviceWindow = DeviceWindow::write_combined(4096);

/// Stores `words` words of 8 bytes from the window's beginning on.
async fn store(processor: &MemoryBusProcessor, window: Window, words: u64) {
    for word in 0..words {
        processor.write(window.at(8 * word), 8, word).await;
    }
}

#[test]
fn a_full_block_is_one_burst() {
    let results = [DeviceWindow::uncached(4096), COMBINED].map(|window| {
        let time = Rc::new(RefCell::new(Time::ZERO));
        let recorded_time = time.clone();
        let writes = device_writes(window, |processor, window, _| async move {
            store(&processor, window, 8).await;
            recorded_time.replace(processor.time());
        });
        (writes, time.take())
    });
    let [(uncached_writes, uncached_time), (burst, combined_time)] = results;
    assert_eq!(
        uncached_writes,
        (0..8).map(|word| (8 * word, 8)).collect::<Vec<_>>(),
        "uncached stores leave one by one"
    );
    assert_eq!(burst, [(0, 64)]);
    // Eight cycles of stores, 10 ns to the bus, 2 ns to the next edge, (4 + 2) cycles of 4 ns and 60 ns on the bus, 10
    // ns back.
    assert_eq!(combined_time, Time::from_ns(8 + 10 + 2 + 24 + 60 + 10));
    assert!(uncached_time > Time::from_ns(800), "{uncached_time}");
}

#[test]
fn a_partial_block_leaves_at_a_fence_or_at_a_store_to_another_block() {
    let writes = device_writes(COMBINED, |processor, window, _| async move {
        store(&processor, window, 3).await;
        processor.write(window.at(40), 4, 1).await;
        processor.write(window.at(128), 8, 1).await;
        Processor::fence(&processor).await;
    });
    assert_eq!(writes, [(0, 24), (40, 4), (128, 8)], "each run of bytes is a transaction");
}

#[test]
fn stores_leave_before_an_access_to_another_register() {
    let writes = device_writes(COMBINED, |processor, window, _| async move {
        processor.write(window.at(0), 8, 1).await;
        assert_eq!(processor.read(window.at(8), 1).await, 1, "the device has the store");
    });
    assert_eq!(writes, [(0, 8)]);
}

#[test]
fn combined_stores_do_not_leave_without_a_flush() {
    let writes = device_writes(COMBINED, |processor, window, sim| async move {
        processor.write(window.at(0), 8, 1).await;
        MemoryBusProcessor::sync(&processor).await;
        sim.delay(Time::from_us(10)).await;
    });
    assert_eq!(writes, []);
}
