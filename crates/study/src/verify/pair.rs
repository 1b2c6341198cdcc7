//! Two cards joined by a link each way, and all that can happen next: every order of it is explored.
//!
//! A link holds no unit: one leaves a card as it comes to the other, when that one's engine takes it. What a
//! real link holds, and how fast anything is, only chooses among the orders that are explored here.

use super::card::Card;
use super::moves::{Action, Move};
use super::side::{Peer, Side};
use narrows_core::ni::mcp::threads::{Config, Rule, Step};

/// Both sides.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pair {
    /// The first is a card.
    pub sides: [Side; 2],
}

/// A firmware, and how much is sent with it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub config: Config,
    pub without: Option<Rule>,
    /// How long a message may be: each is of any of these.
    pub lengths: &'static [u8],
    /// How many messages each side sends.
    pub messages: [u8; 2],
    /// Whether the other side is a card, or a peer.
    pub is_pair: bool,
    /// The one property that is looked for, if not all are.
    pub only: Option<&'static str>,
}

impl Case {
    /// At rest.
    pub fn start(&self) -> Pair {
        let card = || Side::Card(Card::new(self.config, self.without));
        let other = if self.is_pair { card() } else { Side::Peer(Peer::new()) };
        Pair { sides: [card(), other] }
    }

    /// All that can happen to a side next.
    pub fn moves(&self, pair: &Pair, side: usize) -> impl Iterator<Item = Action> {
        let (this, other) = (&pair.sides[side], &pair.sides[1 - side]);
        let posts = match this.can_post(self.messages[side]) {
            true => self.lengths,
            false => &[],
        };
        // What a peer sends is a packet.
        let packet_max = self.config.segment.filter(|_| this.card().is_none()).unwrap_or(u32::MAX);
        let posts = posts.iter().map(move |&length| Action::Post(u32::from(length).min(packet_max) as u8));
        let crosses = (this.has_more() && other.takes()).then_some(Action::Cross);
        posts.chain(crosses).chain(this.card().into_iter().flat_map(Card::moves))
    }

    /// Whether nothing more can happen.
    pub fn is_stuck(&self, pair: &Pair) -> bool {
        (0..2).all(|side| self.moves(pair, side).next().is_none())
    }

    /// Whether everything has been sent, delivered, and told.
    pub fn is_over(&self, pair: &Pair) -> bool {
        let [left, right] = self.messages;
        pair.sides[0].is_over(left, right) && pair.sides[1].is_over(right, left)
    }
}

impl Pair {
    /// The cards.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        self.sides.iter().filter_map(Side::card)
    }

    /// It happens; what a thread did, if one ran.
    pub fn happens(&mut self, Move { side, what }: Move) -> Option<Step> {
        let [left, right] = &mut self.sides;
        let (this, other) = if side == 0 { (left, right) } else { (right, left) };
        let mut ran = None;
        let head = match what {
            Action::Post(length) => this.post(length),
            Action::Step => {
                let (step, head) = this.step();
                ran = Some(step);
                head
            }
            Action::MoveHost => {
                let got = this.move_host(other.lengths());
                other.forget(got);
                None
            }
            Action::Cross => {
                let crossing = this.leave();
                other.take(crossing);
                None
            }
        };
        if let Some(place) = head {
            other.comes(place);
        }
        ran
    }
}
