//! Random numbers: one named stream per component, all from one seed.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use sha2::{Digest, Sha256};

/// A stream of random numbers.
pub type RandomStream = Pcg64Mcg;

/// Returns the random stream of the component `name` under `seed`. The stream depends on nothing else, so adding a
/// component does not change the numbers of others.
pub fn stream(seed: u64, name: &str) -> RandomStream {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(name.as_bytes());
    let digest = hash.finalize();
    let mut state = [0; 16];
    state.copy_from_slice(&digest[..16]);
    Pcg64Mcg::from_seed(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn a_stream_depends_on_seed_and_name_only() {
        let first_number = |seed, name| stream(seed, name).next_u64();
        assert_eq!(first_number(1, "a"), first_number(1, "a"));
        assert_ne!(first_number(1, "a"), first_number(1, "b"));
        assert_ne!(first_number(1, "a"), first_number(2, "a"));
        assert_eq!(first_number(1, "traffic"), 3_363_660_182_208_885_793, "the same on every machine");
    }
}
