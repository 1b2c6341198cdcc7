//! Locks: each has a home, where those who want it wait in the order in which their requests came.

use super::SharedMemory;
use super::handlers::LOCK;
use crate::engine::EndId;
use crate::messaging::active::ActiveMessage;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};

/// What is said of a lock, in the low bits of a word; its number stands above.
const TAKE: u32 = 0;
const TAKEN: u32 = 1;
const GIVE: u32 = 2;
const BITS: u32 = 2;

/// The locks of an end.
#[derive(Default)]
pub(super) struct Locks {
    /// Of those at home here, who has it, first, and who waits.
    queues: RefCell<BTreeMap<u32, VecDeque<EndId>>>,
    /// Whether the lock that the program waits for is its own.
    taken: Cell<bool>,
}

impl SharedMemory {
    /// Takes a lock; its home is one of the ends, by its number.
    pub async fn lock(&self, number: u32) {
        self.locks.taken.set(false);
        self.say(number, TAKE);
        self.active.wait_for_answer(self.home(number), || self.locks.taken.get()).await;
    }

    /// Gives it back.
    pub async fn unlock(&self, number: u32) {
        self.say(number, GIVE);
        self.active.flush().await;
    }

    fn home(&self, number: u32) -> EndId {
        EndId(number % self.space.ends() as u32)
    }

    fn say(&self, number: u32, what: u32) {
        assert!(number < 1 << (u32::BITS - BITS), "a lock's number fits a word");
        let home = self.home(number);
        match home == self.active.id() {
            true => self.serve(home, number, what),
            false => self.active.answer(ActiveMessage::new(home, LOCK, &[number << BITS | what])),
        }
    }

    pub(super) fn take_lock(&self, from: EndId, words: &[u32]) {
        let (number, what) = (words[0] >> BITS, words[0] & ((1 << BITS) - 1));
        match what {
            TAKEN => self.locks.taken.set(true),
            _ => self.serve(from, number, what),
        }
    }

    /// At the home of a lock: `from` wants it, or gives it back.
    fn serve(&self, from: EndId, number: u32, what: u32) {
        let next = {
            let mut queues = self.locks.queues.borrow_mut();
            let queue = queues.entry(number).or_default();
            if what == TAKE {
                queue.push_back(from);
                if queue.len() > 1 {
                    return;
                }
            } else {
                let had = queue.pop_front();
                assert_eq!(had, Some(from), "lock {number} is given back by whoever has it");
            }
            queue.front().copied()
        };
        match next {
            Some(next) if next == self.active.id() => self.locks.taken.set(true),
            Some(next) => {
                let answer = ActiveMessage::new(next, LOCK, &[number << BITS | TAKEN]);
                self.active.answer(ActiveMessage { reply: true, ..answer });
            }
            None => {}
        }
    }
}
