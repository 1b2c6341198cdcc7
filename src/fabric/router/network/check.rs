//! What must hold between any two cycles: flits are conserved, credits are for free slots, and the masks
//! say what the channels are.

use super::cycle::{Moving, Rows, Shared};
use super::sinks::Sink;
use super::state::{Block, NOBODY, NOWHERE, OUTSIDE, Stage};

impl<const P: usize, const C: usize> Rows<P, C> {
    /// Checks all of it; slow, for tests.
    pub(super) fn check_all(&self) {
        let inputs = self.blocks.iter().flat_map(|block| block.inputs.as_flattened());
        let buffered: u64 = inputs.map(|channel| u64::from(channel.length)).sum();
        let moving = self.moving().count() as u64;
        assert_eq!(self.shared.counts.in_flight_flits(), buffered + moving, "flits are conserved");
        self.check_credits();
        self.blocks.iter().for_each(check_masks);
    }

    /// Every slot is free, taken, about to be taken, or its credit is under way or kept by a node.
    fn check_credits(&self) {
        let channels = self.blocks.len() * P * C;
        let mut slots = vec![0u32; channels + self.shared.sources.len() * C];
        let at = |channel: u32| match channel & OUTSIDE {
            0 => channel as usize,
            _ => channels + (channel & !OUTSIDE) as usize,
        };
        let Shared { credits_to_routers, credits_of_nodes, credits_to_sources, .. } = &self.shared;
        for credit in credits_to_routers.iter().chain(credits_of_nodes.iter()).chain(credits_to_sources.iter()) {
            slots[at(*credit)] += 1;
        }
        for kept in self.shared.sinks.iter().flat_map(Sink::kept) {
            slots[kept.output as usize] += u32::from(kept.flits);
        }
        for moving in self.moving() {
            let upstream = match moving.to & OUTSIDE {
                0 => self.upstream(moving.to as usize),
                _ => moving.to & !OUTSIDE,
            };
            slots[at(upstream)] += 1;
        }
        for number in 0..channels {
            let (block, port, own) = (&self.blocks[number / (P * C)], number / C % P, number % C);
            slots[number] += u32::from(block.outputs[port][own].credits);
            let length = block.inputs[port][own].length;
            if length > 0 {
                slots[at(self.upstream(number))] += u32::from(length);
            }
        }
        for (number, credits) in self.shared.source_credits.as_flattened().iter().enumerate() {
            slots[channels + number] += u32::from(*credits);
        }
        for (number, slots) in slots.iter().enumerate() {
            let is_linked = number >= channels || self.blocks[number / (P * C)].ports[number / C % P].target != NOWHERE;
            assert_eq!(
                *slots,
                if is_linked { u32::from(self.shared.rules.buffer_flits) } else { 0 },
                "slots of {number}"
            );
        }
    }

    fn moving(&self) -> impl Iterator<Item = &Moving> {
        let Shared { from_sources, to_routers, to_nodes, .. } = &self.shared;
        from_sources.iter().chain(to_routers.iter()).chain(to_nodes.iter())
    }

    /// The output channel, or source's channel, that fills an input channel.
    fn upstream(&self, input: usize) -> u32 {
        self.blocks[input / (P * C)].ports[input / C % P].upstream + (input % C) as u32
    }
}

fn check_masks<const P: usize, const C: usize>(block: &Block<P, C>) {
    for number in 0..P * C {
        let (port, own) = (number / C, number % C);
        let state = &block.inputs[port][own];
        let held = &block.outputs[usize::from(state.out_port) % P][usize::from(state.out_channel)];
        let is_waiting = block.ports[port].waiting >> own & 1 != 0;
        assert_eq!(is_waiting, state.stage == Stage::Waiting);
        assert!(!is_waiting || block.waiting >> port & 1 != 0);
        let is_ready = block.ports[port].ready >> own & 1 != 0;
        assert_eq!(is_ready, state.stage == Stage::Active && held.credits > 0 && state.length > 0);
        assert!(!is_ready || block.ready >> port & 1 != 0);
        if state.stage == Stage::Active || state.stage == Stage::Granted {
            assert_eq!(usize::from(held.owner), number, "a packet holds its channel");
        }
        let is_free = block.ports[port].free >> own & 1 != 0;
        assert!(block.outputs[port][own].owner == NOBODY || !is_free, "a channel that is held is not free");
    }
}
