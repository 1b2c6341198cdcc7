//! The parameters of an Alewife node, and their checks.

use super::LINE_BYTES;
use crate::engine::{Bytes, Hertz};
use crate::text::Parameters;

/// The parameters of an Alewife node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "processor")]
pub struct AlewifeParameters {
    /// Lowest frequency of the machine's clock, if it can be set.
    #[param(min = "1 MHz", max = "100 GHz", meaning = Structure)]
    pub clock_min: Option<Hertz>,
    /// Highest frequency of the machine's clock, if it can be set.
    #[param(min = "1 MHz", max = "100 GHz")]
    pub clock_max: Option<Hertz>,
    /// Clock of processor and interface; the network has a separate clock.
    #[param(min = "1 MHz", max = "100 GHz", check = |clock| out_of_range(*clock, clock_min, clock_max))]
    pub clock: Hertz,
    /// Size of the cache; a power of two.
    #[param(min = "64 B", max = "64 MiB", check = power_of_two_error, meaning = Capacity)]
    pub cache: Bytes,
    /// Size of memory.
    #[param(min = "64 KiB", max = "1 GiB", check = whole_blocks_error, meaning = Capacity)]
    pub memory: Bytes,
    /// Cycles of a load that hits.
    #[param(min = 1)]
    pub load_cycles: u64,
    /// Cycles of a store that hits.
    #[param(min = 1)]
    pub store_cycles: u64,
    /// Cycles of an access that misses in the cache, to a block in the node's own memory.
    #[param(min = 1, resource = "memory")]
    pub miss_cycles: u64,
    /// Number of hardware contexts, which is the number of programs whose registers the processor holds.
    #[param(min = 1, max = 64, meaning = Capacity, resource = "contexts")]
    pub contexts: u32,
    /// Cycles to switch between contexts.
    pub switch_cycles: u64,
}

const CYCLES_MAX: u64 = 100_000;

/// Returns the error and the help of a clock outside the range of the machine's clock generator, if the range is known.
fn out_of_range(clock: Hertz, clock_min: Option<Hertz>, clock_max: Option<Hertz>) -> Option<(String, String)> {
    let (below, above) =
        (clock_min.filter(|clock_min| clock < *clock_min), clock_max.filter(|clock_max| clock > *clock_max));
    let (bound, limit) = below.map(|clock_min| (clock_min, "least")).or(above.map(|clock_max| (clock_max, "most")))?;
    let range = [clock_min, clock_max].map(|bound| bound.map_or_else(|| "any".to_owned(), |bound| bound.to_string()));
    let help = format!("the machine's clock is from {} (`clock-min`) to {} (`clock-max`)", range[0], range[1]);
    Some((format!("must be at {limit} {bound}"), help))
}

fn power_of_two_error(cache: &Bytes) -> Option<(String, String)> {
    let above = cache.get().next_power_of_two();
    let help = format!("the nearest are {} and {}", Bytes(above / 2), Bytes(above));
    (!cache.get().is_power_of_two()).then(|| (format!("{cache} is not a power of two"), help))
}

fn whole_blocks_error(memory: &Bytes) -> Option<(String, &'static str)> {
    let is_whole = memory.get().is_multiple_of(LINE_BYTES as u64);
    (!is_whole).then(|| (format!("{memory} is not a whole number of blocks"), "a block is 16 B"))
}
