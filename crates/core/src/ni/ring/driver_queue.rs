//! The driver's side of a pair of rings, and the spreading of endpoints over the pairs.

use super::receive_driver::ReceiveDriver;
use super::send_driver::SendDriver;
use crate::host::Window;

/// The driver's side of a pair of rings.
pub struct DriverQueue {
    pub send: SendDriver,
    pub receive: ReceiveDriver,
    pub registers: Window,
}

/// The rings of each endpoint and of each core.
#[derive(Clone, Debug)]
pub struct Steering {
    /// Queue of each endpoint of the node, by its index.
    pub queue_of_endpoint: Vec<usize>,
    /// Queues from which each core takes frames.
    pub queues_of_core: Vec<Vec<usize>>,
}

impl Steering {
    /// Spreads `endpoints` endpoints over `queues` queues. An endpoint uses a queue of its core.
    pub fn new(endpoints: usize, cores: usize, queues: usize) -> Steering {
        let queues_of_core = |core: usize| match queues >= cores {
            true => (core..queues).step_by(cores).collect(),
            false => vec![core % queues],
        };
        let queues_of_core: Vec<Vec<usize>> = (0..cores).map(queues_of_core).collect();
        let queue_of_endpoint = |endpoint: usize| {
            let core_queues = &queues_of_core[endpoint % cores];
            core_queues[endpoint / cores % core_queues.len()]
        };
        Steering { queue_of_endpoint: (0..endpoints).map(queue_of_endpoint).collect(), queues_of_core }
    }
}
