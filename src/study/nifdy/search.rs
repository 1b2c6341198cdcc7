//! The search for the best *O*, *B*, *D* and *W* of each network, by successive halving.
//!
//! All sets run for a short time under both loads; the best third runs twice as long, and so on up to
//! a million cycles. "The best NIFDY parameters, chosen to give the best average performance with
//! both test traffic patterns": a set's score is the mean over the two loads of its throughput as a
//! multiple of that without NIFDY. The paper's own set is never dropped. Ties go to the earlier set,
//! so the search gives the same on any number of threads.

use super::super::experiment::{Experiments, Point, Results, run_all};
use super::axes::{LOADS, NETWORKS, Network, Set, metric};

const PAPER: &str = "nifdy";

/// Every pair, the second faster.
fn product<A: Copy, B: Copy>(first: &[A], second: &[B]) -> Vec<(A, B)> {
    first.iter().flat_map(|a| second.iter().map(|b| (*a, *b))).collect()
}

/// Cycles of each round.
pub fn rounds(quick: bool) -> &'static [u64] {
    if quick { &[5_000, 10_000, 20_000] } else { &[50_000, 100_000, 200_000, 400_000, 1_000_000] }
}

/// The sets that a network's search begins with; the paper's are among them.
pub fn candidates(quick: bool) -> Vec<Set> {
    let (outstanding, pools): (&[u64], &[u64]) =
        if quick { (&[4, 8], &[8, 16]) } else { (&[2, 4, 8, 16], &[2, 4, 8, 16]) };
    let bulk: &[(u64, u64)] = match quick {
        true => &[(0, 0), (1, 2), (1, 4), (1, 8)],
        false => &[(0, 0), (1, 2), (1, 4), (1, 8), (2, 2), (2, 4), (2, 8)],
    };
    let sets = product(&product(outstanding, pools), bulk);
    let set = |((outstanding, pool), (dialogs, window))| Set { outstanding, pool, dialogs, window };
    sets.into_iter().map(set).collect()
}

/// How many sets go on of so many.
fn kept(sets: usize) -> usize {
    sets.div_ceil(3).max(3)
}

/// How many sets run in each round.
fn sizes(quick: bool) -> Vec<usize> {
    let first = candidates(quick).len();
    std::iter::successors(Some(first), |sets| Some(kept(*sets))).take(rounds(quick).len()).collect()
}

/// How many runs the search makes.
pub fn runs(quick: bool) -> usize {
    // Each round also runs each network once without NIFDY, to compare with.
    sizes(quick).iter().map(|sets| NETWORKS.len() * LOADS.len() * (sets + 1)).sum()
}

/// The best `count` of the scored sets, in their order, with `always` among them.
fn survivors(scored: &[(Set, f64)], count: usize, always: Set) -> Vec<Set> {
    let mut best: Vec<usize> = (0..scored.len()).collect();
    // Sorting is stable: of equal scores the earlier set comes first.
    best.sort_by(|a, b| scored[*b].1.total_cmp(&scored[*a].1));
    let own = best.iter().position(|set| scored[*set].0 == always);
    if let Some(own) = own.filter(|place| *place >= count) {
        best.swap(count - 1, own);
    }
    best.truncate(count);
    best.sort_unstable();
    best.into_iter().map(|set| scored[set].0).collect()
}

/// The name of a set in points.
fn name(set: &Set) -> String {
    format!("{}-{}-{}-{}", set.outstanding, set.pool, set.dialogs, set.window)
}

fn with(network: &Network, load: &str, cycles: u64, set: &Set) -> String {
    format!("search/{}/{load}/{cycles}/{}", network.key, name(set))
}

fn without(network: &Network, load: &str, cycles: u64) -> String {
    format!("search-none/{}/{load}/{cycles}", network.key)
}

/// The points of a round of one network.
fn points(experiments: &Experiments, network: &Network, sets: &[Set], cycles: u64) -> Vec<Point> {
    let length = format!("workload.bursts.cycles={cycles}");
    let mut points = Vec::new();
    for load in LOADS {
        let of = |experiment: &str| format!("{experiment}/{}/{load}", network.key);
        let (base, alone) = ("search", "search-none");
        let name = without(network, load, cycles);
        points.push(experiments.varied(PAPER, alone, &of(alone), name, std::slice::from_ref(&length)));
        for set in sets {
            let more = settings(set).into_iter().chain([length.clone()]).collect::<Vec<_>>();
            points.push(experiments.varied(PAPER, base, &of(base), with(network, load, cycles, set), &more));
        }
    }
    points
}

fn settings(set: &Set) -> Vec<String> {
    let [o, b, d] = [("outstanding", set.outstanding), ("pool", set.pool), ("dialogs", set.dialogs)]
        .map(|(key, value)| format!("protocol.nifdy.{key}={value}"));
    let window = (set.dialogs > 0).then(|| format!("protocol.nifdy.window={}", set.window));
    [o, b, d].into_iter().chain(window).collect()
}

/// The score of a set in a round.
pub fn score(results: &Results, network: &Network, set: &Set, cycles: u64) -> Option<f64> {
    let mut sum = 0.0;
    for load in LOADS {
        let delivered = metric(results, &with(network, load, cycles, set), "packets.delivered")?;
        sum += delivered / metric(results, &without(network, load, cycles), "packets.delivered")?.max(1.0);
    }
    Some(sum / LOADS.len() as f64)
}

/// The last round of a network's search, if there was one: its cycles, and its sets by their scores.
pub fn last(results: &Results, network: &Network) -> Option<(u64, Vec<(Set, f64)>)> {
    [false, true].into_iter().find_map(|quick| {
        let cycles = *rounds(quick).last()?;
        let scored =
            candidates(quick).into_iter().filter_map(|set| Some((set, score(results, network, &set, cycles)?)));
        let mut scored: Vec<(Set, f64)> = scored.collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        (!scored.is_empty()).then_some((cycles, scored))
    })
}

/// Searches all networks.
pub fn explore(quick: bool, jobs: usize, done: &(dyn Fn(&str) + Sync)) -> Results {
    let experiments = Experiments::of(PAPER);
    let mut sets: Vec<Vec<Set>> = NETWORKS.iter().map(|_| candidates(quick)).collect();
    let mut results = Results::new();
    for cycles in rounds(quick) {
        let round = NETWORKS.iter().zip(&sets);
        let points: Vec<Point> =
            round.flat_map(|(network, sets)| points(&experiments, network, sets, *cycles)).collect();
        let mut found = run_all(&points, jobs, done);
        // Thousands of runs are kept until the end: their metrics are all that is needed.
        found.values_mut().for_each(|run| run.ledgers = Vec::new());
        for (network, sets) in NETWORKS.iter().zip(&mut sets) {
            let scored: Vec<(Set, f64)> =
                sets.iter().map(|set| (*set, score(&found, network, set, *cycles).unwrap_or(0.0))).collect();
            *sets = survivors(&scored, kept(scored.len()), network.best);
        }
        results.extend(found);
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_begins_with_the_paper_s_sets_and_ends_with_few() {
        for quick in [false, true] {
            let sets = candidates(quick);
            assert!(NETWORKS.iter().all(|network| sets.contains(&network.best)));
        }
        assert_eq!(sizes(false), [112, 38, 13, 5, 3]);
        assert_eq!(sizes(true), [16, 6, 3]);
        assert_eq!(runs(true), 16 * (17 + 7 + 4));
    }

    #[test]
    fn the_best_go_on_in_their_order_and_the_paper_s_set_always() {
        let sets = candidates(true);
        let scored: Vec<(Set, f64)> =
            sets.iter().enumerate().map(|(place, set)| (*set, ((place * 7) % 16) as f64)).collect();
        // Scores 0 7 14 5 12 3 10 1 8 15 6 13 4 11 2 9: the best three are those at 2, 9 and 11.
        assert_eq!(survivors(&scored, 3, sets[9]), [sets[2], sets[9], sets[11]]);
        assert_eq!(survivors(&scored, 3, sets[0]), [sets[0], sets[2], sets[9]]);
        let equal: Vec<(Set, f64)> = sets.iter().map(|set| (*set, 1.0)).collect();
        assert_eq!(survivors(&equal, 2, sets[0]), [sets[0], sets[1]]);
    }

    #[test]
    fn a_window_is_set_only_where_there_are_dialogs() {
        assert_eq!(settings(&network_set("butterfly")).len(), 3);
        assert_eq!(settings(&network_set("torus"))[3], "protocol.nifdy.window=2");
    }

    fn network_set(key: &str) -> Set {
        super::super::axes::network(key).best
    }
}
