//! The sides of a link: a card, or a peer that sends and receives at any time.

use super::card::{Card, Crossing, MESSAGES_MAX, UnitPosition, mark, next_position};
use narrows_core::ni::mcp::threads::Step;

/// A side of the link.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// A card with its firmware.
    Card(Card),
    /// A peer, which represents any other card. Each of its messages is one packet.
    Peer(Peer),
}

/// The state of a peer: the packet that it sends.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Peer {
    posted_messages: u8,
    lengths: [u8; MESSAGES_MAX],
    next_send: UnitPosition,
    /// Whether all units of a packet were sent, but not the end of the packet.
    is_end_pending: bool,
}

impl Peer {
    pub fn new() -> Peer {
        Peer { posted_messages: 0, lengths: [0; MESSAGES_MAX], next_send: (0, 0), is_end_pending: false }
    }

    /// Returns whether a packet of the peer is on the link.
    fn is_sending(&self) -> bool {
        self.next_send.0 < self.posted_messages || self.is_end_pending
    }

    fn send_next(&mut self) -> Crossing {
        if std::mem::take(&mut self.is_end_pending) {
            return Crossing::End;
        }
        let (message, unit) = self.next_send;
        self.next_send = next_position(self.next_send, &self.lengths);
        self.is_end_pending = self.next_send.1 == 0;
        Crossing::Unit(mark(message, unit))
    }
}

impl Side {
    /// Returns the card, or `None` for a peer.
    pub fn card(&self) -> Option<&Card> {
        match self {
            Side::Card(card) => Some(card),
            Side::Peer(_) => None,
        }
    }

    fn card_mut(&mut self) -> &mut Card {
        match self {
            Side::Card(card) => card,
            Side::Peer(_) => panic!("a peer has no engines"),
        }
    }

    /// Returns whether the side can post another of its `messages` messages.
    pub fn can_post(&self, messages: u8) -> bool {
        match self {
            Side::Card(card) => card.posted_messages < messages,
            Side::Peer(peer) => peer.posted_messages < messages && !peer.is_sending(),
        }
    }

    /// Returns whether a unit or the end of a packet is ready to cross.
    pub fn has_unit_to_send(&self) -> bool {
        match self {
            Side::Card(card) => card.send_work.is_some(),
            Side::Peer(peer) => peer.is_sending(),
        }
    }

    /// Returns whether the end of a packet crosses next.
    pub fn is_at_end(&self) -> bool {
        match self {
            Side::Card(card) => card.send_work.is_some_and(|sending| sending.units_moved == sending.units),
            Side::Peer(peer) => peer.is_end_pending,
        }
    }

    /// Returns whether the side can receive a unit.
    pub fn can_receive(&self) -> bool {
        match self {
            Side::Card(card) => card.receive_work.is_some(),
            Side::Peer(_) => true,
        }
    }

    /// Returns the lengths of the messages that the other side has not completely received.
    pub fn lengths(&self) -> &[u8; MESSAGES_MAX] {
        match self {
            Side::Card(card) => &card.lengths,
            Side::Peer(peer) => &peer.lengths,
        }
    }

    /// Clears the lengths of the first `messages` messages, which were received. This reduces the number of different
    /// states.
    pub fn clear_lengths(&mut self, messages: u8) {
        let lengths = match self {
            Side::Card(card) => &mut card.lengths,
            Side::Peer(peer) => &mut peer.lengths,
        };
        lengths[..usize::from(messages)].fill(0);
    }

    /// Posts a message with `length` units. Returns the position of the head that enters the link immediately, if any.
    pub fn post(&mut self, length: u8) -> Option<UnitPosition> {
        match self {
            Side::Card(card) => {
                card.post(length);
                None
            }
            Side::Peer(peer) => {
                peer.lengths[usize::from(peer.posted_messages)] = length;
                peer.posted_messages += 1;
                Some(peer.next_send)
            }
        }
    }

    /// Runs a thread. Returns its step, and the position of the head that enters the link, if any.
    pub fn step(&mut self) -> (Step, Option<UnitPosition>) {
        let card = self.card_mut();
        let (step, head) = card.step();
        (step, head.then_some(card.next_send))
    }

    /// Moves a unit with the host engine. Returns the number of messages received; `lengths` are those of the other
    /// side's messages.
    pub fn move_host(&mut self, lengths: &[u8; MESSAGES_MAX]) -> u8 {
        let card = self.card_mut();
        card.move_host(lengths);
        card.next_delivery.0
    }

    /// Sends the next unit or the end of a packet.
    pub fn send_next(&mut self) -> Crossing {
        match self {
            Side::Card(card) => card.send_next(),
            Side::Peer(peer) => peer.send_next(),
        }
    }

    /// Announces the head of a packet at this position.
    pub fn announce(&mut self, position: UnitPosition) {
        if let Side::Card(card) = self {
            card.mcp.announce(u32::from(mark(position.0, position.1)));
        }
    }

    /// Receives a unit or the end of a packet.
    pub fn receive_next(&mut self, crossing: Crossing) {
        if let Side::Card(card) = self {
            card.receive_next(crossing);
        }
    }

    /// Returns whether all messages of the side are sent and the host is notified, and nothing is in progress.
    pub fn is_complete(&self, messages: u8, other_messages: u8) -> bool {
        match self {
            Side::Card(card) => {
                let all_sent = card.posted_messages == messages
                    && card.completed_messages == messages
                    && card.next_send == (messages, 0);
                all_sent && card.next_delivery == (other_messages, 0) && card.mcp.is_idle()
            }
            Side::Peer(peer) => peer.next_send == (messages, 0) && !peer.is_end_pending,
        }
    }
}
