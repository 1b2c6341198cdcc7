//! Every order there is: processors that load, store, prefetch and evict without end, a network that
//! delivers as it likes.
//!
//! Runs have no end, yet there are finitely many states: of versions only the order counts. That all
//! is answered is checked as: where nothing goes on by itself, nobody waits. In a machine that turns
//! nobody away what goes on comes to an end (each step is one of an answer that is given once), so a
//! request that is never answered would lead to such a state. Where requests are turned away they may
//! go round for ever; there it is checked that from every state a fair schedule answers all.

use super::case::{Broken, Case, Sight};
use super::steps::Step;
use super::world::World;
use stateright::{Checker, HasDiscoveries, Model, Property};

pub const COHERENT: &str = "one may store and no other load, or all who load have the latest";
pub const VALUES: &str = "loads and stores see the last store";
pub const AT_REST: &str = "where nothing goes on, nobody waits";

type Condition = fn(&Case, &World) -> bool;

impl Case {
    /// Explores every state; all must be well. How many there are.
    pub fn check(self) -> usize {
        let checker = self.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        let found = checker.unique_state_count();
        assert!(checker.is_done());
        checker.assert_properties();
        found
    }

    /// The shortest run to where a property does not hold.
    pub fn counterexample(self, property: &'static str) -> Vec<Step> {
        let checker = self.checker().finish_when(HasDiscoveries::AnyOf([property].into())).spawn_bfs().join();
        println!("{} states", checker.unique_state_count());
        checker.discovery(property).expect("a run goes wrong").into_actions()
    }
}

impl Model for Case {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![World::new(self)]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        if self.broken != Broken::Nothing && !(world.wrong.is_none() && world.is_coherent(self)) {
            return;
        }
        steps.extend(world.going_on(self));
        steps.extend(world.begins(self));
    }

    fn next_state(&self, last: &World, step: Step) -> Option<World> {
        let mut next = last.clone();
        match self.broken {
            Broken::Nothing => next.step(self, step),
            _ => next.step_or_stop(self, step),
        }
        next.compress();
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut all = vec![
            Property::always(VALUES, |_: &Case, world: &World| world.wrong.is_none()),
            Property::always(COHERENT, |case: &Case, world: &World| world.is_coherent(case)),
            Property::always("processors are told", |case: &Case, world: &World| {
                case.broken != Broken::Nothing || world.is_told(case)
            }),
            Property::always(AT_REST, |case: &Case, world: &World| {
                world.is_quiet()
                    || if case.turns_away() { world.comes_to_rest(case) } else { !world.going_on(case).is_empty() }
            }),
            Property::always("at rest, homes know of every copy", |case: &Case, world: &World| {
                !world.is_quiet() || world.is_known(case)
            }),
            Property::always("nobody is turned away where all may wait", |case: &Case, world: &World| {
                case.turns_away() || world.nodes.iter().all(|node| node.retries.is_empty())
            }),
            Property::always("what waits has room", |case: &Case, world: &World| world.has_room(case)),
        ];
        let sights: [(Sight, Condition); 6] = [
            (Sight::Crossing, |_, world| world.sees(Sight::Crossing)),
            (Sight::FetchOvertakes, |_, world| world.sees(Sight::FetchOvertakes)),
            (Sight::Once, |_, world| world.sees(Sight::Once)),
            (Sight::UpgradeLost, |_, world| world.sees(Sight::UpgradeLost)),
            (Sight::Nack, |_, world| world.sees(Sight::Nack)),
            (Sight::Waiting, |_, world| world.sees(Sight::Waiting)),
        ];
        let wanted = sights.into_iter().filter(|(sight, _)| self.sees.contains(sight));
        all.extend(wanted.map(|(sight, sees)| Property::sometimes(sight.name(), sees)));
        all
    }
}

impl Case {
    /// Whether fewer may wait at a home than others may ask.
    pub fn turns_away(&self) -> bool {
        (self.directory.waiting as usize) < (self.nodes - 1) * self.requester.requests() as usize
    }
}

impl Sight {
    const fn name(self) -> &'static str {
        match self {
            Sight::Crossing => "a write-back crosses a fetch",
            Sight::FetchOvertakes => "a fetch may overtake",
            Sight::Once => "a copy is read once",
            Sight::UpgradeLost => "an upgrade loses its copy",
            Sight::Nack => "a request is turned away",
            Sight::Waiting => "a request waits",
        }
    }
}
