//! Features of switches. Fabrics state them, and protocols ask for them, before time 0, so that fabrics and protocols
//! need not know each other.

/// Marks that the switches of a fabric set in packets, and guarantees that the switches give.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct FabricFeatures {
    /// Whether switches mark packets that met congestion.
    pub congestion_marks: bool,
    /// Whether switches cut the payload of a packet for which a queue has no capacity, instead of dropping the packet.
    /// Such a fabric also states that it loses packets, because a cut packet is lost for a protocol that does not react
    /// to it.
    pub trims: bool,
    /// Whether flow control keeps switches from dropping packets.
    pub lossless: bool,
    /// Number of priorities that switches distinguish beyond the first.
    pub priorities: u8,
}

impl FabricFeatures {
    /// Returns the features of `needed` that the fabric lacks, as noun phrases.
    pub fn missing(&self, needed: &FabricFeatures) -> Vec<String> {
        let flags = [
            (self.congestion_marks, needed.congestion_marks, "congestion marks"),
            (self.trims, needed.trims, "trimming of packets"),
            (self.lossless, needed.lossless, "lossless flow control"),
        ];
        let flags = flags.into_iter().filter(|(has, needs, _)| *needs && !has).map(|(_, _, name)| name.to_owned());
        let priorities = (needed.priorities > self.priorities).then(|| format!("{} priorities", needed.priorities + 1));
        flags.chain(priorities).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_features_are_named() {
        let needed = FabricFeatures { congestion_marks: true, trims: true, lossless: true, priorities: 1 };
        assert_eq!(needed.missing(&needed), Vec::<String>::new());
        let lacking = FabricFeatures { trims: true, ..FabricFeatures::default() };
        assert_eq!(lacking.missing(&needed), ["congestion marks", "lossless flow control", "2 priorities"]);
        assert_eq!(lacking.missing(&FabricFeatures::default()), Vec::<String>::new());
    }
}
