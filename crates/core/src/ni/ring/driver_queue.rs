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
    pub of_endpoint: Vec<usize>,
    /// Queues from which each core takes frames.
    pub of_core: Vec<Vec<usize>>,
}

impl Steering {
    /// Spreads `endpoints` endpoints over `queues` queues. An endpoint uses a queue of its core.
    pub fn new(endpoints: usize, cores: usize, queues: usize) -> Steering {
        let of_core = |core: usize| match queues >= cores {
            true => (core..queues).step_by(cores).collect(),
            false => vec![core % queues],
        };
        let of_core: Vec<Vec<usize>> = (0..cores).map(of_core).collect();
        let of_endpoint = |endpoint: usize| {
            let own = &of_core[endpoint % cores];
            own[endpoint / cores % own.len()]
        };
        Steering { of_endpoint: (0..endpoints).map(of_endpoint).collect(), of_core }
    }
}
