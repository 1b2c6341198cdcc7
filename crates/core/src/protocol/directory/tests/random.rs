//! Random runs: up to sixteen nodes and many blocks, any order of delivery, and small limits on all hardware resources.
//! A store adds one to its block's version, so each block's final version equals the number of stores to it.

use super::super::*;
use super::case::*;
use super::steps::Step;
use super::world::{Context, World};
use crate::engine::NodeId;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A run: its case, and numbers that choose among the possible steps.
#[derive(Clone, Debug)]
struct Run {
    case: Case,
    choices: Vec<u32>,
}

fn some_run() -> impl Strategy<Value = Run> {
    let few = (1u32..4, 0u32..4, 1u32..3, prop::option::of(1u32..6), prop_oneof![Just(u32::MAX), 0u32..4]);
    let network =
        prop_oneof![2 => Just(Network::AnyOrder), 1 => (1usize..4).prop_map(|packets| Network::Queues { packets })];
    let choices = prop::collection::vec(any::<u32>(), 1..600);
    let forwarding = any::<bool>();
    let all = (2usize..=16, 1u32..24, few, network, forwarding, choices);
    all.prop_map(|(nodes, blocks, few, network, forwarding, choices)| {
        let (contexts, prefetches, write_backs, pointers, waiting) = few;
        let requester = RequesterParameters { contexts, prefetches, write_backs };
        let unlimited = DirectoryParameters::unlimited(nodes as u32, requester.requests());
        let case = Case {
            blocks: (0..blocks).map(|n| block(NodeId(n % nodes as u32), n / nodes as u32)).collect(),
            directory: DirectoryParameters { pointers, waiting: unlimited.waiting.min(waiting), forwarding },
            requester,
            network,
            can_consume: Consumes::RequestsWhenRepliesLeft,
            ..Case::new(nodes)
        };
        Run { case, choices }
    })
}

impl Run {
    /// Returns the program step that `choice` selects, if it is possible.
    fn program_steps(&self, world: &World, choice: u32) -> Option<Step> {
        let case = &self.case;
        let own = NodeId(choice % case.nodes as u32);
        // Half of the choices concern the first two blocks.
        let among = if choice & 1 << 16 == 0 { case.blocks.len().min(2) } else { case.blocks.len() };
        let block = case.blocks[(choice >> 8 & 255) as usize % among];
        let want = if choice & 1 << 17 == 0 { AccessMode::Read } else { AccessMode::Write };
        match choice >> 18 & 7 {
            0 => Some(Step::Prefetch(own, block, want)),
            1 => (block.home != own).then_some(Step::Evict(own, block)),
            _ => {
                let contexts = &world.nodes[own.index()].contexts;
                let idle = contexts.iter().position(|context| *context == Context::Idle)?;
                Some(Step::Access(own, idle, block, want))
            }
        }
    }

    /// Performs the run, and returns the number of stores to each block.
    fn perform(&self) -> (World, BTreeMap<BlockId, u32>) {
        let case = &self.case;
        let (mut world, mut stores) = (World::new(case), BTreeMap::new());
        for (at, &choice) in self.choices.iter().enumerate() {
            let pending = world.pending_steps(case);
            let step = if choice >> 30 == 0 || pending.is_empty() {
                self.program_steps(&world, choice)
            } else {
                Some(pending[choice as usize % pending.len()])
            };
            if let Some(Step::Access(_, _, block, AccessMode::Write)) = step {
                *stores.entry(block).or_insert(0) += 1;
            }
            step.into_iter().for_each(|step| world.step(case, step));
            assert_eq!(world.violation, None);
            assert!(case.may_nack() || world.nodes.iter().all(|node| node.retries.is_empty()));
            if at % 8 == 0 {
                assert!(world.is_coherent(case) && world.access_is_reported(case) && world.outboxes_are_bounded(case));
            }
        }
        (world, stores)
    }

    /// Performs protocol steps until none is possible.
    fn drain(&self, world: &mut World) {
        for _ in 0..100 * self.case.requests() {
            let Some(step) = world.pending_steps(&self.case).into_iter().min() else { break };
            world.step(&self.case, step);
        }
        assert!(world.is_quiet(), "all is answered");
        assert!(
            world.violation.is_none() && world.is_coherent(&self.case) && world.directories_are_correct(&self.case)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn memory_counts_every_store(run in some_run()) {
        let (mut world, stores) = run.perform();
        run.drain(&mut world);
        for &block in &run.case.blocks {
            for own in NodeId::all(run.case.nodes).filter(|own| *own != block.home) {
                world.step(&run.case, Step::Evict(own, block));
                run.drain(&mut world);
            }
            let memory = world.nodes[block.home.index()].bytes[&block];
            prop_assert_eq!(memory, stores.get(&block).copied().unwrap_or(0));
        }
    }
}
