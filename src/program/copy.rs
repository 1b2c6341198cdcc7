//! A processor that copies blocks of memory for as long as the run lasts.

use crate::engine::{Bytes, NodeId};
use crate::messaging::World;
use std::cell::Cell;
use std::rc::Rc;

/// Blocks copied before other work of the same processor may come in between.
const BLOCKS_AT_ONCE: u64 = 8;

/// Starts copying on `node`; the count grows as it goes on.
pub(super) fn start(world: &World, node: NodeId) -> Rc<Cell<Bytes>> {
    let copied = Rc::new(Cell::new(Bytes::ZERO));
    let host = world.node(node).endpoint.io_bus_host().expect("a checked description copies on such hosts").clone();
    let counter = copied.clone();
    world.sim.spawn_server(format!("{} copying", world.node(node).name), async move {
        loop {
            let processor = host.processor.hold().await;
            for _ in 0..BLOCKS_AT_ONCE {
                let block = host.memory.copy_block().await;
                counter.set(counter.get() + block);
            }
            drop(processor);
        }
    });
    copied
}
