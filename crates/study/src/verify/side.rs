//! The two sides of a link: a card, or a peer that sends and takes whatever and whenever it likes.

use super::card::{Card, Crossing, MESSAGES_MAX, Place, mark, next};
use narrows_core::ni::mcp::threads::Step;

/// A side of the link.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// A card with its firmware.
    Card(Card),
    /// Any other card: each of its messages is a packet.
    Peer(Peer),
}

/// A peer: only what it sends is remembered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Peer {
    posted: u8,
    lengths: [u8; MESSAGES_MAX],
    sent: Place,
    /// All of a packet has left, its end has not.
    ends: bool,
}

impl Peer {
    pub fn new() -> Peer {
        Peer { posted: 0, lengths: [0; MESSAGES_MAX], sent: (0, 0), ends: false }
    }

    /// Whether a packet of it is on the link.
    fn sends(&self) -> bool {
        self.sent.0 < self.posted || self.ends
    }

    fn leave(&mut self) -> Crossing {
        if std::mem::take(&mut self.ends) {
            return Crossing::End;
        }
        let (message, unit) = self.sent;
        self.sent = next(self.sent, &self.lengths);
        self.ends = self.sent.1 == 0;
        Crossing::Unit(mark(message, unit))
    }
}

impl Side {
    /// The card, if it is one.
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

    /// Whether it can post another message, of so many in all.
    pub fn can_post(&self, messages: u8) -> bool {
        match self {
            Side::Card(card) => card.posted < messages,
            Side::Peer(peer) => peer.posted < messages && !peer.sends(),
        }
    }

    /// Whether something of it waits to cross.
    pub fn has_more(&self) -> bool {
        match self {
            Side::Card(card) => card.send.is_some(),
            Side::Peer(peer) => peer.sends(),
        }
    }

    /// Whether it is the end of a packet that crosses next.
    pub fn is_at_end(&self) -> bool {
        match self {
            Side::Card(card) => card.send.is_some_and(|sending| sending.moved == sending.units),
            Side::Peer(peer) => peer.ends,
        }
    }

    /// Whether it takes a unit that comes.
    pub fn takes(&self) -> bool {
        match self {
            Side::Card(card) => card.receive.is_some(),
            Side::Peer(_) => true,
        }
    }

    /// What its host does not know to be over.
    pub fn lengths(&self) -> &[u8; MESSAGES_MAX] {
        match self {
            Side::Card(card) => &card.lengths,
            Side::Peer(peer) => &peer.lengths,
        }
    }

    /// What nobody asks after any more is forgotten: the less to tell states apart by.
    pub fn forget(&mut self, messages: u8) {
        let lengths = match self {
            Side::Card(card) => &mut card.lengths,
            Side::Peer(peer) => &mut peer.lengths,
        };
        lengths[..usize::from(messages)].fill(0);
    }

    /// A message of so many units is posted; the place in it of a head that goes on the link at once.
    pub fn post(&mut self, length: u8) -> Option<Place> {
        match self {
            Side::Card(card) => {
                card.post(length);
                None
            }
            Side::Peer(peer) => {
                peer.lengths[usize::from(peer.posted)] = length;
                peer.posted += 1;
                Some(peer.sent)
            }
        }
    }

    /// A thread runs; the place of a head that goes on the link.
    pub fn step(&mut self) -> (Step, Option<Place>) {
        let card = self.card_mut();
        let (step, head) = card.step();
        (step, head.then_some(card.sent))
    }

    /// The host engine moves a unit; `lengths` are those of the other's messages. How many of them it has got.
    pub fn move_host(&mut self, lengths: &[u8; MESSAGES_MAX]) -> u8 {
        let card = self.card_mut();
        card.move_host(lengths);
        card.got.0
    }

    /// The next unit leaves, or a packet's end.
    pub fn leave(&mut self) -> Crossing {
        match self {
            Side::Card(card) => card.leave(),
            Side::Peer(peer) => peer.leave(),
        }
    }

    /// A head comes.
    pub fn comes(&mut self, place: Place) {
        if let Side::Card(card) = self {
            card.mcp.comes(u32::from(mark(place.0, place.1)));
        }
    }

    /// Something comes.
    pub fn take(&mut self, crossing: Crossing) {
        if let Side::Card(card) = self {
            card.take(crossing);
        }
    }

    /// Whether all its messages are sent and told, and nothing is under way.
    pub fn is_over(&self, messages: u8, others: u8) -> bool {
        match self {
            Side::Card(card) => {
                let gone = card.posted == messages && card.completed == messages && card.sent == (messages, 0);
                gone && card.got == (others, 0) && card.mcp.rests()
            }
            Side::Peer(peer) => peer.sent == (messages, 0) && !peer.ends,
        }
    }
}
