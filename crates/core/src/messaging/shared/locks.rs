//! Locks. Each lock has a home, where the endpoints that request the lock wait in the order in which their requests
//! arrive.

use super::handlers::LOCK;
use crate::engine::EndpointId;
use crate::messaging::active::{ActiveEndpoint, ActiveMessage};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Kinds of message about a lock, in the low bits of a word; the lock's number is in the bits above.
const ACQUIRE_KIND: u32 = 0;
const GRANT_KIND: u32 = 1;
const RELEASE_KIND: u32 = 2;
const KIND_BITS: u32 = 2;

/// The locks of an endpoint.
pub(super) struct Locks {
    active: Rc<ActiveEndpoint>,
    /// Number of endpoints, each of which is the home of some locks.
    home_count: u32,
    /// Endpoints that hold or request each lock of this home: the holder first, then those that wait.
    queues: RefCell<BTreeMap<u32, VecDeque<EndpointId>>>,
    /// Whether the lock for which the program waits has been granted.
    is_granted: Cell<bool>,
}

impl Locks {
    /// Creates the locks of the endpoint over `active`, one of `home_count` endpoints.
    pub fn new(active: &Rc<ActiveEndpoint>, home_count: u32) -> Locks {
        Locks { active: active.clone(), home_count, queues: RefCell::default(), is_granted: Cell::default() }
    }

    /// Waits for lock `number`, and acquires it.
    pub async fn acquire(&self, number: u32) {
        self.is_granted.set(false);
        self.send(number, ACQUIRE_KIND);
        self.active.wait_for_answer(self.home(number), || self.is_granted.get()).await;
    }

    /// Releases lock `number`.
    pub async fn release(&self, number: u32) {
        self.send(number, RELEASE_KIND);
        self.active.flush().await;
    }

    fn home(&self, number: u32) -> EndpointId {
        EndpointId(number % self.home_count)
    }

    fn send(&self, number: u32, kind: u32) {
        assert!(number < 1 << (u32::BITS - KIND_BITS), "a lock's number fits a word");
        let home = self.home(number);
        match home == self.active.id() {
            true => self.serve(home, number, kind),
            false => self.active.answer(ActiveMessage::new(home, LOCK, &[number << KIND_BITS | kind])),
        }
    }

    /// Accepts a message about a lock.
    pub fn accept(&self, from: EndpointId, words: &[u32]) {
        let (number, kind) = (words[0] >> KIND_BITS, words[0] & ((1 << KIND_BITS) - 1));
        match kind {
            GRANT_KIND => self.is_granted.set(true),
            _ => self.serve(from, number, kind),
        }
    }

    /// Serves a request of `from` at the lock's home: to acquire or to release it.
    fn serve(&self, from: EndpointId, number: u32, kind: u32) {
        let new_holder = {
            let mut queues = self.queues.borrow_mut();
            let queue = queues.entry(number).or_default();
            if kind == ACQUIRE_KIND {
                queue.push_back(from);
                if queue.len() > 1 {
                    return;
                }
            } else {
                let holder = queue.pop_front();
                assert_eq!(holder, Some(from), "lock {number} is released by its holder");
            }
            queue.front().copied()
        };
        match new_holder {
            Some(holder) if holder == self.active.id() => self.is_granted.set(true),
            Some(holder) => {
                let answer = ActiveMessage::new(holder, LOCK, &[number << KIND_BITS | GRANT_KIND]);
                self.active.answer(ActiveMessage { is_reply: true, ..answer });
            }
            None => {}
        }
    }
}
