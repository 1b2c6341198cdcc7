//! The exchange of queue-pair numbers between two nodes, as by a connection manager.
//!
//! The exchange takes no time and sends no packets. The n-th queue pair that a node connects between two endpoints is
//! the peer of the n-th queue pair that the other node connects between the same endpoints.

use crate::engine::EndpointId;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A call-back that gets the number of the peer's queue pair.
type OnConnected = Box<dyn FnOnce(u32)>;

/// The queue pairs of two endpoints, in one direction.
#[derive(Default)]
struct ConnectedPairs {
    pair_numbers: Vec<u32>,
    callbacks: BTreeMap<usize, OnConnected>,
}

/// The queue pairs of all nodes of a simulation.
#[derive(Default)]
pub struct ConnectionTable(RefCell<BTreeMap<[EndpointId; 2], ConnectedPairs>>);

impl ConnectionTable {
    /// Returns an empty table.
    pub fn new() -> Rc<ConnectionTable> {
        Rc::default()
    }

    /// Adds queue pair `number`, which connects endpoint `local` with `remote`. The call-backs of both sides are called
    /// as soon as both sides have connected.
    pub fn connect(&self, local: EndpointId, remote: EndpointId, number: u32, on_connected: OnConnected) {
        let mut table = self.0.borrow_mut();
        let index = {
            let local_pairs = table.entry([local, remote]).or_default();
            local_pairs.pair_numbers.push(number);
            local_pairs.pair_numbers.len() - 1
        };
        let remote_pairs = table.entry([remote, local]).or_default();
        let (peer_number, peer_callback) =
            (remote_pairs.pair_numbers.get(index).copied(), remote_pairs.callbacks.remove(&index));
        match peer_number {
            None => {
                let local_pairs = table.entry([local, remote]).or_default();
                local_pairs.callbacks.insert(index, on_connected);
            }
            Some(peer_number) => {
                drop(table);
                on_connected(peer_number);
                if let Some(peer_callback) = peer_callback {
                    peer_callback(number);
                }
            }
        }
    }
}
