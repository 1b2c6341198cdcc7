//! A processor that copies blocks of memory for as long as the run lasts.

use crate::engine::{Bytes, EndpointId};
use crate::host::{Address, BLOCK_BYTES, Processor};
use crate::messaging::World;
use std::cell::Cell;
use std::rc::Rc;

/// Number of blocks that are copied before other work of the same processor may run.
const BLOCKS_PER_TURN: u64 = 8;
/// Size of the area that is copied repeatedly: as large as the caches of the study's machines (chosen).
pub const AREA_BYTES: u64 = 1 << 20;

/// Starts copying on `node` and returns the number of bytes copied so far, which grows during the run.
pub(super) fn start(world: &World, node: EndpointId) -> Rc<Cell<Bytes>> {
    let copied_bytes = Rc::new(Cell::new(Bytes::ZERO));
    let endpoint = world.endpoint(node).clone();
    let [source, destination]: [Address; 2] = [(); 2].map(|()| endpoint.allocate(Bytes(AREA_BYTES)));
    let counter = copied_bytes.clone();
    world.sim.spawn_server(format!("{} copying", world.endpoint(node).name()), async move {
        let cpu = endpoint.cpu();
        // The task never ends, and its copies do not count as progress of the run.
        let _wait_reason_guard = cpu.sim().polls_for(cpu.sim().register_wait_reason("the end of the run"));
        loop {
            let cpu_lease = cpu.acquire("copy").await;
            let first_offset = counter.get().get() % AREA_BYTES;
            for (area, is_write) in [(source, false), (destination, true)] {
                cpu.announce_run(area + first_offset, BLOCKS_PER_TURN as usize * BLOCK_BYTES, is_write);
            }
            for _ in 0..BLOCKS_PER_TURN {
                let offset = counter.get().get() % AREA_BYTES;
                let block_bytes = cpu.copy_block(source + offset, destination + offset).await;
                counter.set(counter.get() + Bytes(block_bytes));
            }
            drop(cpu_lease);
        }
    });
    copied_bytes
}
