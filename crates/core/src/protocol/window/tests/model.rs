//! A model for exhaustive exploration of small cases: programs read and release at any time, timers expire at any time,
//! and networks lose and duplicate frames without limit.
//!
//! * [`Network::KeepsOrder`]: each pair has a queue of a few frames. The first frame of the queue arrives, or is lost,
//!   or arrives and stays in the queue, so that it arrives again.
//! * [`Network::AnyOrderAndCopies`]: each frame that was ever sent may arrive at any time, any number of times, or
//!   never. This is the strongest adversary, and the number of drops and copies is not limited.
//! * [`Network::ExpireInTime`]: the same within a lifetime, and new packets leave a spacing apart. Ages are counted in
//!   ticks, so that states do not depend on absolute time.
//!
//! Liveness: from *every* state, a schedule without further losses delivers all packets.

use super::super::*;
use super::state::{State, Step};
use crate::engine::NodeId;
use stateright::{Checker, HasDiscoveries, Model, Property};

/// A packet's index in [`Case::packets`].
pub type PacketIndex = u8;

/// A case: packets with their sources and destinations. Each node offers its packets in this order when buffers are
/// free.
#[derive(Clone)]
pub struct Case {
    pub nodes: u32,
    pub parameters: LinkParameters,
    pub packets: Vec<(NodeId, NodeId)>,
    pub network: Network,
}

/// Behaviour of the network in addition to losing and duplicating frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    /// The network keeps order, with up to `frames` frames of a pair in transit.
    KeepsOrder { frames: usize },
    /// The network reorders frames, and keeps copies for ever.
    AnyOrderAndCopies,
    /// The network reorders frames, and keeps copies for `lifetime` ticks; new packets of a node leave `spacing` ticks
    /// apart.
    ExpireInTime { lifetime: u8, spacing: u8 },
}

impl Case {
    /// Explores every state, and asserts all properties.
    pub fn check(self) {
        let label = format!("{} nodes, {} packets, {:?}", self.nodes, self.packets.len(), self.network);
        let checker = self.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        println!("{label}: {} states", checker.unique_state_count());
        assert!(checker.is_done());
        checker.assert_properties();
    }

    /// Returns the shortest run to a state that violates `property`.
    pub fn counterexample(self, property: &'static str) -> Vec<Step> {
        let only = HasDiscoveries::AnyOf([property].into());
        let checker = self.checker().finish_when(only).spawn_bfs().join();
        println!("{} states", checker.unique_state_count());
        checker.discovery(property).expect("a run that violates the property").into_actions()
    }
}

/// The property that the link guarantees.
pub const SAFETY: &str = "each packet once, in order per pair";
/// The property that no sequence number is mistaken for a later one.
pub const POSITIONS_MATCH: &str = "stored packets are at their positions";

impl Model for Case {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(self)]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        steps.extend(state.steps(self));
    }

    fn next_state(&self, previous: &State, step: Step) -> Option<State> {
        let mut next_state = previous.clone();
        next_state.step(step, self);
        Some(next_state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(SAFETY, |_, state: &State| !state.is_misordered),
            Property::always(POSITIONS_MATCH, |_, state: &State| state.stored_positions_were_sent()),
            Property::always("every acknowledged packet was accepted", |_, state: &State| {
                state.acknowledged_were_accepted()
            }),
            Property::always("completion is always reachable", |case: &Case, state: &State| state.can_complete(case)),
            Property::sometimes("all packets are delivered", |_, state: &State| state.is_complete()),
            Property::sometimes("copies leave", |_, state: &State| state.has_copies()),
        ]
    }
}
