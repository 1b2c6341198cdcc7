//! Reduction of versions to their ranks: only their order matters, so the states are finitely many.

use super::super::BlockId;
use super::machine::{Context, Packet, TestMachine};

impl TestMachine {
    /// Replaces each version by its rank among the versions of its block.
    pub fn replace_versions_by_ranks(&mut self) {
        for (&block, latest) in &mut self.latest_versions {
            let mut versions: Vec<&mut u32> = vec![latest];
            for node in &mut self.nodes {
                versions.extend(node.bytes.get_mut(&block));
                versions.extend(node.contexts.iter_mut().filter_map(|context| match context {
                    Context::Waits(waiting_block, _, version) | Context::Uses(waiting_block, _, version)
                        if *waiting_block == block =>
                    {
                        Some(version)
                    }
                    _ => None,
                }));
                versions.extend(node.outbox.iter_mut().flatten().filter_map(|packet| packet.version(block)));
            }
            versions.extend(self.transit.iter_mut().filter_map(|packet| packet.version(block)));
            versions.extend(self.queues.values_mut().flatten().filter_map(|packet| packet.version(block)));
            let mut ranks: Vec<u32> = versions.iter().map(|version| **version).collect();
            ranks.sort_unstable();
            ranks.dedup();
            for version in versions {
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
