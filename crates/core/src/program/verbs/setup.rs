//! The setup of a test: one task connects and registers at all nodes, one after another, and returns the programs.
//!
//! perftest exchanges keys and addresses over a socket, before the test.

use super::connection::{Connection, verbs};
use super::measured::Measured;
use super::operation::{VerbsMeasure, VerbsOperation};
use super::poster::Poster;
use super::{VerbsTest, bandwidth, latency};
use crate::engine::{Bytes, EndpointId, LocalFuture};
use crate::host::Address;
use crate::messaging::{Endpoint, World};
use crate::ni::MemoryRegion;
use crate::program::{PAYLOAD_PATTERNS, pattern};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A program, with its name.
pub type Program = (String, LocalFuture<'static, ()>);

/// The memory of an endpoint.
struct EndpointMemory {
    endpoint: Rc<Endpoint>,
    region: MemoryRegion,
    /// First address after the buffers of the connections made so far.
    next: Address,
    connections: Vec<Connection>,
}

impl EndpointMemory {
    /// Allocates and registers memory for `queue_pairs` queue pairs, and fills the buffers that requests read.
    async fn new(test: &VerbsTest, endpoint: Rc<Endpoint>, queue_pairs: u64) -> EndpointMemory {
        let bytes = Bytes(test.memory_bytes(queue_pairs));
        let first = endpoint.allocate(bytes);
        for number in 0..PAYLOAD_PATTERNS {
            endpoint.prepare(first + number * test.slot_bytes(), &pattern::bytes(number, test.size)).await;
        }
        let region = verbs(&endpoint).register(endpoint.cpu(), first, bytes).await;
        EndpointMemory { endpoint, region, next: first + PAYLOAD_PATTERNS * test.slot_bytes(), connections: Vec::new() }
    }

    /// Takes the next `slots` buffers.
    fn take(&mut self, test: &VerbsTest, slots: u64) -> Address {
        let first = self.next;
        self.next += slots * test.slot_bytes();
        first
    }

    /// Connects a queue pair with endpoint `remote`, whose memory is not known yet.
    async fn connect(&mut self, test: &VerbsTest, remote: EndpointId, [posts, is_target]: [bool; 2]) {
        let (endpoint, incoming) = (self.endpoint.clone(), self.take(test, test.incoming_slots()));
        let results = self.take(test, test.result_slots());
        let queue = verbs(&endpoint).connect(endpoint.cpu(), endpoint.id(), remote).await;
        self.connections.push(Connection { queue, posts, is_target, remote: 0, key: 0, incoming, results });
    }

    /// Returns the address and the key of the memory that the other end of the last connection accesses.
    fn last_target(&self, test: &VerbsTest) -> (Address, u32) {
        let connection = self.connections.last().expect("just connected");
        let reads = test.operation == VerbsOperation::Read;
        (if reads { self.region.at } else { connection.incoming }, self.region.key)
    }

    fn set_remote(&mut self, (remote, key): (Address, u32)) {
        let connection = self.connections.last_mut().expect("just connected");
        (connection.remote, connection.key) = (remote, key);
    }
}

/// Connects all queue pairs, and returns the programs.
pub async fn programs(test: &Rc<VerbsTest>, world: &World, measured: &Rc<Measured>) -> Vec<Program> {
    let flows = test.flows.ids(world);
    let mut numbers = BTreeMap::<EndpointId, u64>::new();
    for endpoint in flows.iter().flat_map(|&(from, to)| [from, to]) {
        *numbers.entry(endpoint).or_default() += u64::from(test.queue_pairs);
    }
    let mut sites = BTreeMap::new();
    for (endpoint, number) in numbers {
        sites.insert(endpoint, EndpointMemory::new(test, world.endpoint(endpoint).clone(), number).await);
    }
    for &(from, to) in &flows {
        for _ in 0..test.queue_pairs {
            let mutual = test.is_mutual();
            for (local, remote, roles) in [(from, to, [true, mutual]), (to, from, [mutual, true])] {
                sites.get_mut(&local).expect("a site").connect(test, remote, roles).await;
            }
            let targets = [from, to].map(|endpoint| sites[&endpoint].last_target(test));
            sites.get_mut(&from).expect("a site").set_remote(targets[1]);
            sites.get_mut(&to).expect("a site").set_remote(targets[0]);
        }
    }
    let mut programs = Vec::new();
    let senders: Vec<EndpointId> = flows.iter().map(|&(from, _)| from).collect();
    for (id, EndpointMemory { endpoint, region, connections, .. }) in sites {
        let name = format!("{} program", endpoint.name());
        let mut poster = Poster::new(test, endpoint, region.at, connections);
        poster.post_receives().await;
        let program: LocalFuture<'static, ()> = match test.test {
            VerbsMeasure::Latency => Box::pin(latency::run(poster, measured.clone(), senders.contains(&id))),
            VerbsMeasure::Bandwidth => Box::pin(bandwidth::run(poster, measured.clone())),
        };
        programs.push((name, program));
    }
    programs
}
