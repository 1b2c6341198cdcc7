//! Random runs: up to sixteen nodes and many blocks, any order of delivery, and small limits on all hardware resources.
//! A store adds one to its block's version, so each block's final version equals the number of stores to it.

use super::super::*;
use super::case::*;
use super::machine::{Context, TestMachine};
use super::steps::Step;
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
    let limits = (1u32..4, 0u32..4, 1u32..3, prop::option::of(1u32..6), prop_oneof![Just(u32::MAX), 0u32..4]);
    let network =
        prop_oneof![2 => Just(Network::AnyOrder), 1 => (1usize..4).prop_map(|packets| Network::Queues { packets })];
    let choices = prop::collection::vec(any::<u32>(), 1..600);
    let forwarding = any::<bool>();
    let inputs = (2usize..=16, 1u32..24, limits, network, forwarding, choices);
    inputs.prop_map(|(nodes, blocks, limits, network, forwarding, choices)| {
        let (contexts, prefetches, write_backs, pointers, waiting) = limits;
        let requester = RequesterParameters { contexts, prefetches, write_backs };
        let unlimited = DirectoryParameters::unlimited(nodes as u32, requester.requests());
        let case = Case {
            blocks: (0..blocks).map(|n| block(NodeId(n % nodes as u32), n / nodes as u32)).collect(),
            directory: DirectoryParameters { pointers, waiting: unlimited.waiting.min(waiting), forwarding },
            requester,
            network,
            consumption: ConsumptionRule::RequestsWhenRepliesSent,
            ..Case::new(nodes)
        };
        Run { case, choices }
    })
}

impl Run {
    /// Returns the program step that `choice` selects, if it is possible.
    fn program_step(&self, machine: &TestMachine, choice: u32) -> Option<Step> {
        let case = &self.case;
        let node_id = NodeId(choice % case.nodes as u32);
        // Half of the choices concern the first two blocks.
        let block_count = if choice & 1 << 16 == 0 { case.blocks.len().min(2) } else { case.blocks.len() };
        let block = case.blocks[(choice >> 8 & 255) as usize % block_count];
        let mode = if choice & 1 << 17 == 0 { AccessMode::Read } else { AccessMode::Write };
        match choice >> 18 & 7 {
            0 => Some(Step::Prefetch(node_id, block, mode)),
            1 => (block.home != node_id).then_some(Step::Evict(node_id, block)),
            _ => {
                let contexts = &machine.nodes[node_id.index()].contexts;
                let idle_context = contexts.iter().position(|context| *context == Context::Idle)?;
                Some(Step::Access(node_id, idle_context, block, mode))
            }
        }
    }

    /// Performs the run, and returns the number of stores to each block.
    fn perform(&self) -> (TestMachine, BTreeMap<BlockId, u32>) {
        let case = &self.case;
        let (mut machine, mut stores) = (TestMachine::new(case), BTreeMap::new());
        for (index, &choice) in self.choices.iter().enumerate() {
            let pending_steps = machine.pending_steps(case);
            let step = if choice >> 30 == 0 || pending_steps.is_empty() {
                self.program_step(&machine, choice)
            } else {
                Some(pending_steps[choice as usize % pending_steps.len()])
            };
            if let Some(Step::Access(_, _, block, AccessMode::Write)) = step {
                *stores.entry(block).or_insert(0) += 1;
            }
            step.into_iter().for_each(|step| machine.step(case, step));
            assert_eq!(machine.violation, None);
            assert!(case.may_nack() || machine.nodes.iter().all(|node| node.retries.is_empty()));
            if index % 8 == 0 {
                assert!(
                    machine.is_coherent(case) && machine.access_is_reported(case) && machine.outboxes_are_bounded(case)
                );
            }
        }
        (machine, stores)
    }

    /// Performs protocol steps until none is possible.
    fn drain(&self, machine: &mut TestMachine) {
        for _ in 0..100 * self.case.requests() {
            let Some(step) = machine.pending_steps(&self.case).into_iter().min() else { break };
            machine.step(&self.case, step);
        }
        assert!(machine.is_quiet(), "every request is answered");
        assert!(
            machine.violation.is_none()
                && machine.is_coherent(&self.case)
                && machine.directories_are_correct(&self.case)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn memory_counts_every_store(run in some_run()) {
        let (mut machine, stores) = run.perform();
        run.drain(&mut machine);
        for &block in &run.case.blocks {
            for node_id in NodeId::all(run.case.nodes).filter(|node_id| *node_id != block.home) {
                machine.step(&run.case, Step::Evict(node_id, block));
                run.drain(&mut machine);
            }
            let memory = machine.nodes[block.home.index()].bytes[&block];
            prop_assert_eq!(memory, stores.get(&block).copied().unwrap_or(0));
        }
    }
}
