//! The setup of a test: one task connects and registers at all nodes, one after another, and returns the programs.
//!
//! perftest exchanges keys and addresses over a socket, before the test.

use super::connection::{Connection, verbs};
use super::measurements::VerbsMeasurements;
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
    next_buffer: Address,
    connections: Vec<Connection>,
}

impl EndpointMemory {
    /// Allocates and registers memory for `queue_pairs` queue pairs, and fills the buffers that requests read.
    async fn new(test: &VerbsTest, endpoint: Rc<Endpoint>, queue_pairs: u64) -> EndpointMemory {
        let bytes = Bytes(test.memory_bytes(queue_pairs));
        let first = endpoint.allocate(bytes);
        for number in 0..PAYLOAD_PATTERNS {
            endpoint.prepare(first + number * test.slot_bytes(), &pattern::payload_bytes(number, test.size)).await;
        }
        let region = verbs(&endpoint).register(endpoint.cpu(), first, bytes).await;
        EndpointMemory {
            endpoint,
            region,
            next_buffer: first + PAYLOAD_PATTERNS * test.slot_bytes(),
            connections: Vec::new(),
        }
    }

    /// Takes the next `slots` buffers.
    fn take_buffers(&mut self, test: &VerbsTest, slots: u64) -> Address {
        let first = self.next_buffer;
        self.next_buffer += slots * test.slot_bytes();
        first
    }

    /// Connects a queue pair with endpoint `remote`, whose memory is not known yet.
    async fn connect(&mut self, test: &VerbsTest, remote: EndpointId, [posts_requests, is_target]: [bool; 2]) {
        let (endpoint, incoming_buffers) = (self.endpoint.clone(), self.take_buffers(test, test.incoming_slots()));
        let result_buffers = self.take_buffers(test, test.result_slots());
        let queue_pair = verbs(&endpoint).connect(endpoint.cpu(), endpoint.id(), remote).await;
        self.connections.push(Connection {
            queue_pair,
            posts_requests,
            is_target,
            remote_address: 0,
            remote_key: 0,
            incoming_buffers,
            result_buffers,
        });
    }

    /// Returns the address and the key of the memory that the other endpoint of the last connection accesses.
    fn last_target(&self, test: &VerbsTest) -> (Address, u32) {
        let connection = self.connections.last().expect("a queue pair was connected");
        let is_read = test.operation == VerbsOperation::Read;
        (if is_read { self.region.at } else { connection.incoming_buffers }, self.region.key)
    }

    fn set_remote(&mut self, (remote, key): (Address, u32)) {
        let connection = self.connections.last_mut().expect("a queue pair was connected");
        (connection.remote_address, connection.remote_key) = (remote, key);
    }
}

/// Connects all queue pairs, and returns the programs.
pub async fn create_programs(
    test: &Rc<VerbsTest>,
    world: &World,
    measurements: &Rc<VerbsMeasurements>,
) -> Vec<Program> {
    let flows = test.flows.endpoint_ids(world);
    let mut queue_pair_counts = BTreeMap::<EndpointId, u64>::new();
    for endpoint in flows.iter().flat_map(|&(from, to)| [from, to]) {
        *queue_pair_counts.entry(endpoint).or_default() += u64::from(test.queue_pairs);
    }
    let mut memories = BTreeMap::new();
    for (endpoint, queue_pairs) in queue_pair_counts {
        memories.insert(endpoint, EndpointMemory::new(test, world.endpoint(endpoint).clone(), queue_pairs).await);
    }
    for &(from, to) in &flows {
        for _ in 0..test.queue_pairs {
            let is_mutual = test.is_mutual();
            for (local, remote, roles) in [(from, to, [true, is_mutual]), (to, from, [is_mutual, true])] {
                memories.get_mut(&local).expect("each endpoint has memory").connect(test, remote, roles).await;
            }
            let targets = [from, to].map(|endpoint| memories[&endpoint].last_target(test));
            memories.get_mut(&from).expect("each endpoint has memory").set_remote(targets[1]);
            memories.get_mut(&to).expect("each endpoint has memory").set_remote(targets[0]);
        }
    }
    let mut programs = Vec::new();
    let senders: Vec<EndpointId> = flows.iter().map(|&(from, _)| from).collect();
    for (id, EndpointMemory { endpoint, region, connections, .. }) in memories {
        let name = format!("{} program", endpoint.name());
        let mut poster = Poster::new(test, endpoint, region.at, connections);
        poster.post_receives().await;
        let program: LocalFuture<'static, ()> = match test.test {
            VerbsMeasure::Latency => Box::pin(latency::run(poster, measurements.clone(), senders.contains(&id))),
            VerbsMeasure::Bandwidth => Box::pin(bandwidth::run(poster, measurements.clone())),
        };
        programs.push((name, program));
    }
    programs
}
