//! The same run with several seeds: the mean of each metric, and its 95 % interval.
//!
//! Runs with different seeds do not depend on one another, so the interval is Student's t of one value a
//! run (independent replications). Leaves out metrics' own intervals, which are of one run.

use super::ResultRow;
use super::reader::Reader;
use super::sweep::POINTS_MAX;
use super::vary::{self, Dimension, Vary};
use narrows_core::engine::interval;
use narrows_core::text::Problem;
use serde_json::{Map, Value as Json, json};

/// More seeds than these are no interval anybody waits for.
pub const SEEDS_MAX: u64 = 10_000;

/// The key that varies.
pub const KEY: &str = "run.seed";

/// So many seeds, from the description's own on.
pub fn vary(first: u64, seeds: u64) -> Vary {
    let values = (0..seeds).map(|seed| first.wrapping_add(seed).to_string()).collect();
    Vary { key: KEY.to_owned(), values }
}

/// The seeds of each point of a sweep, as one more key that varies: from the first point's own on.
pub fn dimension(reader: Reader<'_>, dimensions: &[Dimension], count: u64) -> Result<Dimension, Problem> {
    let names = |key: &str| vary::names(&format!("{key}=0")).ok();
    let varies = dimensions.iter().flat_map(|dimension| &dimension.varies);
    if varies.clone().any(|vary| names(&vary.key) == names(KEY)) {
        let problem = Problem::new("`run.seed` is varied, and --seeds varies it, too");
        return Err(problem.help("leave out one of the two"));
    }
    let points: usize = dimensions.iter().map(Dimension::len).product();
    if points.saturating_mul(count as usize) > POINTS_MAX {
        let problem = Problem::new(format!("the sweep has more than {POINTS_MAX} runs"));
        return Err(problem.help("vary fewer values, or take fewer seeds"));
    }
    let first: Vec<String> = varies.map(|vary| format!("{}={}", vary.key, vary.values[0])).collect();
    // What is wrong with the first point is told with all others.
    let seed = reader(&first).map_or(0, |read| read.value.run.seed);
    Ok(self::vary(seed, count).into())
}

/// A metric over several runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Replicated {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its mean; not a number where no run measured it.
    pub mean: f64,
    /// Half the width of the interval, where two runs or more measured it.
    pub half_width: Option<f64>,
    /// How many runs measured it.
    pub runs: usize,
}

/// The metrics of runs, in the order in which they first appear.
pub fn metrics(results: &[&ResultRow]) -> Vec<Replicated> {
    let mut all: Vec<(&str, &str, Vec<f64>)> = Vec::new();
    for (name, value, unit) in results.iter().flat_map(|result| &result.metrics) {
        let at = all.iter().position(|(known, ..)| *known == &**name).unwrap_or_else(|| {
            all.push((name, unit, Vec::new()));
            all.len() - 1
        });
        all[at].2.extend(Some(*value).filter(|value| !value.is_nan()));
    }
    let replicated = |(name, unit, values): (&str, &str, Vec<f64>)| Replicated {
        name: name.to_owned(),
        unit: unit.to_owned(),
        mean: interval::mean(&values),
        half_width: interval::half_width(&values),
        runs: values.len(),
    };
    all.into_iter().map(replicated).collect()
}

/// How runs ended: the outcome of all, or how many had which.
pub fn outcomes(results: &[&ResultRow]) -> String {
    let counts = counts(results);
    match &counts[..] {
        [(outcome, _)] => outcome.clone(),
        several => several.iter().map(|(outcome, runs)| format!("{outcome} {runs}")).collect::<Vec<_>>().join(", "),
    }
}

/// Each outcome, and how many runs had it, in the order in which they first appear.
pub fn counts(results: &[&ResultRow]) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for outcome in results.iter().map(|result| &*result.outcome) {
        match counts.iter_mut().find(|(known, _)| known == outcome) {
            Some((_, runs)) => *runs += 1,
            None => counts.push((outcome.to_owned(), 1)),
        }
    }
    counts
}

/// For programs: under each name `value`, the mean, `ci95`, half the width of the interval, and `runs`.
pub fn json(metrics: &[Replicated]) -> Json {
    let one = |metric: &Replicated| {
        let Replicated { name, unit, mean, half_width, runs } = metric;
        (name.clone(), json!({ "value": mean, "ci95": half_width, "unit": unit, "runs": runs }))
    };
    Json::Object(metrics.iter().map(one).collect::<Map<_, _>>())
}
