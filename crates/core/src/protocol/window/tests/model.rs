//! Small cases in every order there is: programs that read and release when they like, timers that
//! go off at any moment, and networks that lose and duplicate without limit.
//!
//! * [`Network::KeepsOrder`]: each pair has a queue of a few frames. Its first arrives, arrives and
//!   stays (so it comes again), or is lost.
//! * [`Network::Anything`]: each frame that ever left may arrive at any time, any number of times,
//!   or never. There is no stronger adversary, and no budget of drops or copies cuts it off.
//! * [`Network::Dies`]: so too, but within a lifetime; and new packets leave a spacing apart. Ages
//!   are counted in ticks, so that a state says nothing of when it is.
//!
//! Liveness: from *every* state, a schedule that loses nothing more delivers all.

use super::super::*;
use super::state::{State, Step};
use crate::engine::NodeId;
use stateright::{Checker, HasDiscoveries, Model, Property};

/// A packet's place in [`Case::packets`].
pub type Id = u8;

/// A case: who sends what to whom. Each node offers its packets in this order, as buffers are free.
#[derive(Clone)]
pub struct Case {
    pub nodes: u32,
    pub parameters: LinkParameters,
    pub packets: Vec<(NodeId, NodeId)>,
    pub network: Network,
}

/// What the network may do, beside losing and duplicating.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    /// Nothing; so many frames of a pair at once.
    KeepsOrder { frames: usize },
    /// Reorder, and keep copies for ever.
    Anything,
    /// Reorder, and keep copies for so many ticks; new packets of a node leave so many apart.
    Dies { lifetime: u8, spacing: u8 },
}

impl Case {
    /// Explores every state; all must be well.
    pub fn check(self) {
        let label = format!("{} nodes, {} packets, {:?}", self.nodes, self.packets.len(), self.network);
        let checker = self.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        println!("{label}: {} states", checker.unique_state_count());
        assert!(checker.is_done());
        checker.assert_properties();
    }

    /// The shortest run to where `property` does not hold.
    pub fn counterexample(self, property: &'static str) -> Vec<Step> {
        let only = HasDiscoveries::AnyOf([property].into());
        let checker = self.checker().finish_when(only).spawn_bfs().join();
        println!("{} states", checker.unique_state_count());
        checker.discovery(property).expect("a run goes wrong").into_actions()
    }
}

/// What is promised.
pub const SAFETY: &str = "each packet once, in order per pair";
/// That no number is taken for a later one.
pub const IN_PLACE: &str = "what is kept is in its place";

impl Model for Case {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(self)]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        steps.extend(state.steps(self));
    }

    fn next_state(&self, last: &State, step: Step) -> Option<State> {
        let mut next = last.clone();
        next.step(step, self);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(SAFETY, |_, state: &State| !state.is_wrong),
            Property::always(IN_PLACE, |_, state: &State| state.is_kept_in_place()),
            Property::always("what is acknowledged is accepted", |_, state: &State| state.is_agreed()),
            Property::always("the end can be reached", |case: &Case, state: &State| state.can_complete(case)),
            Property::sometimes("all is delivered", |_, state: &State| state.is_complete()),
            Property::sometimes("copies leave", |_, state: &State| state.has_copies()),
        ]
    }
}
