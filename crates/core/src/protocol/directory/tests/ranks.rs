//! Reduction of versions to their ranks: only their order matters, so the states are finitely many.

use super::super::BlockId;
use super::world::{Context, Packet, World};

impl World {
    /// Replaces each version by its rank among the versions of its block.
    pub fn compress(&mut self) {
        for (&block, latest) in &mut self.latest {
            let mut all: Vec<&mut u32> = vec![latest];
            for node in &mut self.nodes {
                all.extend(node.bytes.get_mut(&block));
                all.extend(node.contexts.iter_mut().filter_map(|context| match context {
                    Context::Waits(of, _, since) | Context::Uses(of, _, since) if *of == block => Some(since),
                    _ => None,
                }));
                all.extend(node.outbox.iter_mut().flatten().filter_map(|packet| packet.version(block)));
            }
            all.extend(self.transit.iter_mut().filter_map(|packet| packet.version(block)));
            all.extend(self.queues.values_mut().flatten().filter_map(|packet| packet.version(block)));
            let mut ranks: Vec<u32> = all.iter().map(|version| **version).collect();
            ranks.sort_unstable();
            ranks.dedup();
            for version in all {
                *version = ranks.partition_point(|other| other < version) as u32;
            }
        }
        self.transit.sort();
    }
}

impl Packet {
    fn version(&mut self, block: BlockId) -> Option<&mut u32> {
        (self.message.block(self.from, self.to) == block).then_some(self.bytes.as_mut()).flatten()
    }
}
