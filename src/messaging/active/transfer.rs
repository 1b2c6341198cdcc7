//! Messages of many packets.
//!
//! With in-order delivery the first packet carries handler and length, "while subsequent messages
//! contain the data" (Callahan and Goldstein 1995, §2.2). Without, "a round trip to initialize the
//! destination processor's data structures" comes first, and each packet carries its offset.
//! A receiver takes one transfer of each sender at a time: where the last packets of one are still under way, being
//! late, it answers the next only when they are there. The sender polls after each packet. The packets of a transfer ask for a bulk dialog, which the last one ends.

use super::{Active, ActiveMessage, Received};
use crate::engine::EndId;
use crate::messaging::Endpoint;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Sets the receiver up.
const BEGIN: u8 = super::HANDLERS;
/// The receiver is set up.
const READY: u8 = super::HANDLERS + 1;
/// A part of the words.
const DATA: u8 = super::HANDLERS + 2;
/// Bits of a transfer's length.
const LENGTH_BITS: u32 = 24;

/// The transfers of an endpoint.
#[derive(Default)]
pub(super) struct Transfers {
    /// Those that arrive, by the sending endpoint, which sends one at a time.
    arriving: RefCell<BTreeMap<EndId, Partial>>,
    /// Whether the receiver of the one that is being sent is set up.
    ready: Cell<bool>,
}

struct Partial {
    handler: u8,
    words: Vec<u32>,
    /// Words that have not come yet.
    missing: usize,
    /// The next transfer of the same sender, which has not been answered.
    next: Option<u32>,
}

/// Sends `words`.
pub(super) async fn send(end: &Active, to: EndId, handler: u8, words: &[u32]) {
    assert!(words.len() < 1 << LENGTH_BITS, "a transfer has at most 2²⁴ - 1 words");
    end.count(words.len());
    let what = u32::from(handler) << LENGTH_BITS | words.len() as u32;
    if end.parameters.in_order {
        let mut all = vec![what];
        all.extend_from_slice(words);
        let packets = all.chunks(end.words_max()).count();
        for (number, part) in all.chunks(end.words_max()).enumerate() {
            end.send(part_of(to, part, number, packets)).await;
            end.poll().await;
        }
        return;
    }
    end.transfers.ready.set(false);
    end.send(ActiveMessage::new(to, BEGIN, &[what])).await;
    end.wait_until(|| end.transfers.ready.get()).await;
    let room = end.words_max() - 1;
    let packets = words.len().div_ceil(room);
    for (number, part) in words.chunks(room).enumerate() {
        let mut with_offset = vec![(number * room) as u32];
        with_offset.extend_from_slice(part);
        end.send(part_of(to, &with_offset, number, packets)).await;
        end.poll().await;
    }
}

fn part_of(to: EndId, words: &[u32], number: usize, packets: usize) -> ActiveMessage {
    ActiveMessage {
        bulk: packets > 1,
        last: packets > 1 && number + 1 == packets,
        ..ActiveMessage::new(to, DATA, words)
    }
}

impl Endpoint {
    /// Cycles more to receive what runs `handler`, since it may come out of order.
    pub(in crate::messaging) fn reordering(&self, handler: u8) -> u64 {
        let reorders = handler == DATA && !self.parameters.in_order;
        if reorders { self.parameters.costs.reorder } else { 0 }
    }
}

/// Whether a handler answers the sender.
pub(super) fn answers(handler: u8) -> bool {
    handler == BEGIN
}

/// Whether a handler's packets are counted as one message.
pub(super) fn is_part(handler: u8) -> bool {
    handler == DATA
}

/// A packet of a transfer has come.
pub(super) fn arrive(end: &Active, received: &Received<'_>) {
    let mut arriving = end.transfers.arriving.borrow_mut();
    let from = received.from;
    match received.handler {
        READY => end.transfers.ready.set(true),
        BEGIN => match arriving.get_mut(&from) {
            Some(partial) => partial.next = Some(received.words[0]),
            None => begin(end, &mut arriving, from, received.words[0]),
        },
        _ if end.parameters.in_order => {
            let is_first = !arriving.contains_key(&from);
            let partial = arriving.entry(from).or_insert_with(|| Partial::new(received.words[0]));
            let part = &received.words[usize::from(is_first)..];
            partial.place(partial.words.len() - partial.missing, part);
        }
        _ => {
            let partial = arriving.get_mut(&from).expect("a transfer's receiver is set up first");
            partial.place(received.words[0] as usize, &received.words[1..]);
        }
    }
}

/// The transfer from there, if it is whole; the next one may then come.
pub(super) fn whole(end: &Active, from: EndId) -> Option<(u8, Vec<u32>)> {
    let mut arriving = end.transfers.arriving.borrow_mut();
    arriving.get(&from).filter(|partial| partial.missing == 0)?;
    let whole = arriving.remove(&from)?;
    if let Some(next) = whole.next {
        begin(end, &mut arriving, from, next);
    }
    Some((whole.handler, whole.words))
}

/// Sets a transfer up, and says so.
fn begin(end: &Active, arriving: &mut BTreeMap<EndId, Partial>, from: EndId, what: u32) {
    end.answer(ActiveMessage { reply: true, ..ActiveMessage::new(from, READY, &[]) });
    arriving.insert(from, Partial::new(what));
}

impl Partial {
    fn new(what: u32) -> Partial {
        let length = (what & ((1 << LENGTH_BITS) - 1)) as usize;
        Partial { handler: (what >> LENGTH_BITS) as u8, words: vec![0; length], missing: length, next: None }
    }

    fn place(&mut self, offset: usize, part: &[u32]) {
        self.words[offset..offset + part.len()].copy_from_slice(part);
        self.missing -= part.len();
    }
}
