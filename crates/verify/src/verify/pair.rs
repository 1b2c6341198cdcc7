//! Two sides connected by a link in each direction, and their possible next actions.
//!
//! A link holds no units: a unit leaves a card when the receive engine of the other card takes it. The capacity of a
//! real link and the speeds of the parts only determine which of the orders that are explored here occurs.

use super::actions::{Action, SideAction};
use super::card::Card;
use super::side::{Peer, Side};
use narrows_core::ni::mcp::threads::{Config, Rule, Step};

/// The state of both sides.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pair {
    /// The sides; the first is a card.
    pub sides: [Side; 2],
}

/// A case to explore: the configuration of a firmware, and its traffic.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub config: Config,
    pub disabled_rule: Option<Rule>,
    /// The lengths that each message may have.
    pub lengths: &'static [u8],
    /// The number of messages that each side sends.
    pub messages: [u8; 2],
    /// Whether the other side is a card, and not a peer.
    pub has_two_cards: bool,
    /// The only property to check; `None` for all.
    pub only_property: Option<&'static str>,
}

impl Case {
    /// Returns the initial state.
    pub fn start(&self) -> Pair {
        let card = || Side::Card(Card::new(self.config, self.disabled_rule));
        let other = if self.has_two_cards { card() } else { Side::Peer(Peer::new()) };
        Pair { sides: [card(), other] }
    }

    /// Returns the possible next actions of a side.
    pub fn actions(&self, pair: &Pair, side: usize) -> impl Iterator<Item = Action> {
        let (this_side, other) = (&pair.sides[side], &pair.sides[1 - side]);
        let post_actions = match this_side.can_post(self.messages[side]) {
            true => self.lengths,
            false => &[],
        };
        // Each message of a peer is one packet.
        let packet_max = self.config.segment.filter(|_| this_side.card().is_none()).unwrap_or(u32::MAX);
        let post_actions =
            post_actions.iter().map(move |&length| Action::Post(u32::from(length).min(packet_max) as u8));
        let cross_action = (this_side.has_unit_to_send() && other.can_receive()).then_some(Action::Cross);
        post_actions.chain(cross_action).chain(this_side.card().into_iter().flat_map(Card::actions))
    }

    /// Returns whether no action is possible.
    pub fn is_deadlocked(&self, pair: &Pair) -> bool {
        (0..2).all(|side| self.actions(pair, side).next().is_none())
    }

    /// Returns whether everything has been sent, delivered and notified.
    pub fn is_complete(&self, pair: &Pair) -> bool {
        let [left, right] = self.messages;
        pair.sides[0].is_complete(left, right) && pair.sides[1].is_complete(right, left)
    }
}

impl Pair {
    /// Returns the cards.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        self.sides.iter().filter_map(Side::card)
    }

    /// Applies an action, and returns the step of the thread that ran, if one did.
    pub fn apply(&mut self, SideAction { side, action }: SideAction) -> Option<Step> {
        let [left, right] = &mut self.sides;
        let (this_side, other) = if side == 0 { (left, right) } else { (right, left) };
        let mut thread_step = None;
        let head_position = match action {
            Action::Post(length) => this_side.post(length),
            Action::Step => {
                let (step, head_position) = this_side.step();
                thread_step = Some(step);
                head_position
            }
            Action::MoveHost => {
                let received = this_side.move_host(other.lengths());
                other.clear_lengths(received);
                None
            }
            Action::Cross => {
                let crossing = this_side.send_next();
                other.receive_next(crossing);
                None
            }
        };
        if let Some(position) = head_position {
            other.announce(position);
        }
        thread_step
    }
}
