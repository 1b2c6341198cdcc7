//! The search for the best parameters *O*, *B*, *D* and *W* of each network, by successive halving.
//!
//! All parameter sets run for a short time under both loads. The best third then runs twice as long, and so on, up to a
//! million cycles. "The best NIFDY parameters, chosen to give the best average performance with both test traffic
//! patterns": the score of a set is the mean over the two loads of its throughput relative to that without NIFDY. The
//! paper's set is never dropped. If scores are equal, the earlier set wins, so the result does not depend on the number
//! of threads.

use crate::report::number::percent;
use crate::report::{Artifact, BarChart, Cell, Column, ReportTable};
use crate::study::builtins::{Exploration, Observation};
use crate::study::experiments::Experiments;
use crate::study::location::Location;
use crate::study::points::{Point, Results, run_all};

/// The search, as an exploration of a study.
pub const EXPLORATION: Exploration = Exploration { runs: run_count, explore };

/// A set of NIFDY parameters: *O*, *B*, *D* and *W*.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ParameterSet {
    outstanding: u64,
    pool: u64,
    dialogs: u64,
    /// The window, or 0 without dialogs.
    window: u64,
}

impl ParameterSet {
    const fn new(outstanding: u64, pool: u64, dialogs: u64, window: u64) -> ParameterSet {
        ParameterSet { outstanding, pool, dialogs, window }
    }

    /// Returns the set as text for tables.
    fn text(&self) -> String {
        format!("O={} B={} D={} W={}", self.outstanding, self.pool, self.dialogs, self.window)
    }
}

/// A network of Table 3, and the paper's best parameters.
struct Network {
    key: &'static str,
    name: &'static str,
    paper_best: ParameterSet,
}

const fn network(key: &'static str, name: &'static str, paper_best: ParameterSet) -> Network {
    Network { key, name, paper_best }
}

/// The networks in the order of Table 3.
const NETWORKS: [Network; 8] = [
    network("fat-tree", "full fat tree", ParameterSet::new(8, 8, 1, 4)),
    network("cm-5", "CM-5 network", ParameterSet::new(8, 8, 1, 4)),
    network("store-and-forward", "store-and-forward fat tree", ParameterSet::new(8, 16, 1, 8)),
    network("mesh", "8x8 mesh", ParameterSet::new(4, 8, 1, 2)),
    network("torus", "8x8 torus", ParameterSet::new(4, 8, 1, 2)),
    network("mesh-3d", "4x4x4 mesh", ParameterSet::new(4, 8, 1, 2)),
    network("butterfly", "4-ary butterfly", ParameterSet::new(8, 8, 0, 0)),
    network("multibutterfly", "4-ary multibutterfly", ParameterSet::new(8, 8, 1, 4)),
];

const LOADS: [&str; 2] = ["heavy", "light"];

fn metric(results: &Results, point: &str, name: &str) -> Option<f64> {
    results.get(point)?.metric(name)
}

/// Returns the cross product of two lists. The second factor varies faster.
fn product<A: Copy, B: Copy>(first: &[A], second: &[B]) -> Vec<(A, B)> {
    first.iter().flat_map(|a| second.iter().map(|b| (*a, *b))).collect()
}

/// Returns the number of cycles of each round.
fn cycles_of_rounds(quick: bool) -> &'static [u64] {
    if quick { &[5_000, 10_000, 20_000] } else { &[50_000, 100_000, 200_000, 400_000, 1_000_000] }
}

/// Returns the initial sets of a network's search, which include the paper's.
fn candidates(quick: bool) -> Vec<ParameterSet> {
    let (outstanding, pools): (&[u64], &[u64]) =
        if quick { (&[4, 8], &[8, 16]) } else { (&[2, 4, 8, 16], &[2, 4, 8, 16]) };
    let dialogs_and_windows: &[(u64, u64)] = match quick {
        true => &[(0, 0), (1, 2), (1, 4), (1, 8)],
        false => &[(0, 0), (1, 2), (1, 4), (1, 8), (2, 2), (2, 4), (2, 8)],
    };
    let sets = product(&product(outstanding, pools), dialogs_and_windows);
    let set = |((outstanding, pool), (dialogs, window))| ParameterSet { outstanding, pool, dialogs, window };
    sets.into_iter().map(set).collect()
}

/// Returns the number of sets that survive a round with `sets` sets.
fn survivor_count(sets: usize) -> usize {
    sets.div_ceil(3).max(3)
}

/// Returns the number of sets in each round.
fn round_sizes(quick: bool) -> Vec<usize> {
    let candidate_count = candidates(quick).len();
    std::iter::successors(Some(candidate_count), |sets| Some(survivor_count(*sets)))
        .take(cycles_of_rounds(quick).len())
        .collect()
}

/// Returns the number of runs of the search.
fn run_count(quick: bool) -> usize {
    // Each round also runs each network once without NIFDY, as the reference.
    round_sizes(quick).iter().map(|sets| NETWORKS.len() * LOADS.len() * (sets + 1)).sum()
}

/// Returns the best `count` of the scored sets, in their order. `kept_set` is always among them.
fn survivors(scored: &[(ParameterSet, f64)], count: usize, kept_set: ParameterSet) -> Vec<ParameterSet> {
    let mut indices: Vec<usize> = (0..scored.len()).collect();
    // Sorting is stable, so if scores are equal, the earlier set wins.
    indices.sort_by(|a, b| scored[*b].1.total_cmp(&scored[*a].1));
    let position = indices.iter().position(|set| scored[*set].0 == kept_set);
    if let Some(position) = position.filter(|position| *position >= count) {
        indices.swap(count - 1, position);
    }
    indices.truncate(count);
    indices.sort_unstable();
    indices.into_iter().map(|set| scored[set].0).collect()
}

/// Returns the name of a set in the names of points.
fn set_name(set: &ParameterSet) -> String {
    format!("{}-{}-{}-{}", set.outstanding, set.pool, set.dialogs, set.window)
}

fn nifdy_point(network: &Network, load: &str, cycles: u64, set: &ParameterSet) -> String {
    format!("search/{}/{load}/{cycles}/{}", network.key, set_name(set))
}

fn reference_point(network: &Network, load: &str, cycles: u64) -> String {
    format!("search-none/{}/{load}/{cycles}", network.key)
}

/// Returns the points of a round for one network.
fn points_of_round(
    experiments: &Experiments,
    location: &Location,
    network: &Network,
    sets: &[ParameterSet],
    cycles: u64,
) -> Vec<Point> {
    let cycles_override = format!("workload.bursts.cycles={cycles}");
    let mut points = Vec::new();
    for load in LOADS {
        let point_name = |experiment: &str| format!("{experiment}/{}/{load}", network.key);
        let (base, reference) = ("search", "search-none");
        let name = reference_point(network, load, cycles);
        points.extend(experiments.variant(
            location,
            reference,
            &point_name(reference),
            name,
            std::slice::from_ref(&cycles_override),
        ));
        for set in sets {
            let overrides = parameter_overrides(set).into_iter().chain([cycles_override.clone()]).collect::<Vec<_>>();
            points.extend(experiments.variant(
                location,
                base,
                &point_name(base),
                nifdy_point(network, load, cycles, set),
                &overrides,
            ));
        }
    }
    points
}

/// Returns the overrides that select a set.
fn parameter_overrides(set: &ParameterSet) -> Vec<String> {
    let [o, b, d] = [("outstanding", set.outstanding), ("pool", set.pool), ("dialogs", set.dialogs)]
        .map(|(key, value)| format!("protocol.nifdy.{key}={value}"));
    let window = (set.dialogs > 0).then(|| format!("protocol.nifdy.window={}", set.window));
    [o, b, d].into_iter().chain(window).collect()
}

/// Returns the score of a set in a round.
fn score(results: &Results, network: &Network, set: &ParameterSet, cycles: u64) -> Option<f64> {
    let mut sum = 0.0;
    for load in LOADS {
        let delivered = metric(results, &nifdy_point(network, load, cycles, set), "packets.delivered")?;
        sum += delivered / metric(results, &reference_point(network, load, cycles), "packets.delivered")?.max(1.0);
    }
    Some(sum / LOADS.len() as f64)
}

/// Returns the last round of the search for a network: its number of cycles, and its sets in order of score. Returns
/// `None` if there is no round.
fn last_round(results: &Results, network: &Network) -> Option<(u64, Vec<(ParameterSet, f64)>)> {
    [false, true].into_iter().find_map(|quick| {
        let cycles = *cycles_of_rounds(quick).last()?;
        let scored =
            candidates(quick).into_iter().filter_map(|set| Some((set, score(results, network, &set, cycles)?)));
        let mut scored: Vec<(ParameterSet, f64)> = scored.collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        (!scored.is_empty()).then_some((cycles, scored))
    })
}

/// Runs the search for all networks.
fn explore(
    experiments: &Experiments,
    location: &Location,
    quick: bool,
    jobs: usize,
    on_run_done: &(dyn Fn(&str) + Sync),
) -> Results {
    let mut sets: Vec<Vec<ParameterSet>> = NETWORKS.iter().map(|_| candidates(quick)).collect();
    let mut results = Results::new();
    for cycles in cycles_of_rounds(quick) {
        let round = NETWORKS.iter().zip(&sets);
        let points: Vec<Point> =
            round.flat_map(|(network, sets)| points_of_round(experiments, location, network, sets, *cycles)).collect();
        let round_results = run_all(&points, jobs, on_run_done);
        for (network, sets) in NETWORKS.iter().zip(&mut sets) {
            let scored: Vec<(ParameterSet, f64)> =
                sets.iter().map(|set| (*set, score(&round_results, network, set, *cycles).unwrap_or(0.0))).collect();
            *sets = survivors(&scored, survivor_count(scored.len()), network.paper_best);
        }
        results.extend(round_results);
    }
    results
}

/// Compares the score of the paper's set with that of the best set found. The argument is NETWORK.
pub fn compare_paper_set(results: &Results, arguments: &[&str]) -> Option<Observation> {
    let network = NETWORKS.iter().find(|network| arguments == [network.key])?;
    let (cycles, sets) = last_round(results, network)?;
    let (best, best_score) = sets[0];
    let paper_score = score(results, network, &network.paper_best, cycles)?;
    let words = format!(
        "the paper's {} reaches {} of the best found, {} ({best_score:.3} times no NIFDY, {cycles} cycles)",
        network.paper_best.text(),
        percent(paper_score / best_score),
        best.text()
    );
    Some(Observation::Text(words, paper_score >= 0.95 * best_score))
}

/// Observes whether a set within *O* = 8, *B* = 16, *D* = 1 and *W* = 8 reaches 98 % of the best score.
pub fn small_sets_suffice(results: &Results, _: &[&str]) -> Option<Observation> {
    let is_small = |set: &ParameterSet| set.outstanding <= 8 && set.pool <= 16 && set.dialogs <= 1 && set.window <= 8;
    let (mut words, mut holds) = (Vec::new(), true);
    for network in &NETWORKS {
        let (_, sets) = last_round(results, network)?;
        let best_small_set = sets.iter().find(|(set, _)| is_small(set))?;
        holds &= best_small_set.1 >= 0.98 * sets[0].1;
        words.push(format!(
            "{}: {} has {} of the best",
            network.name,
            best_small_set.0.text(),
            percent(best_small_set.1 / sets[0].1)
        ));
    }
    Some(Observation::Text(words.join(", "), holds))
}

/// Returns the table of the paper's parameters and the best parameters found.
pub fn table(results: &Results) -> Vec<Artifact> {
    let heads = ["network", "best found", "score", "in the paper", "score", "part of the best"];
    let mut table = ReportTable::new(heads.map(Column::new).into());
    let (mut names, mut paper_scores, mut best_scores) = (Vec::new(), Vec::new(), Vec::new());
    for network in &NETWORKS {
        let Some((cycles, sets)) = last_round(results, network) else { continue };
        let (set, best_score) = sets[0];
        let score = score(results, network, &network.paper_best, cycles);
        table.push(vec![
            network.name.into(),
            set.text().into(),
            best_score.into(),
            network.paper_best.text().into(),
            score.into(),
            Cell::from(score.map(|score| score / best_score)),
        ]);
        names.push(network.name);
        paper_scores.push(score.unwrap_or(f64::NAN));
        best_scores.push(best_score);
    }
    let title = "Table 3: the best parameters, by search";
    let axis = "throughput [multiple of no NIFDY]";
    let chart = BarChart::grouped(title, axis, &names, &[("the paper's", paper_scores), ("best found", best_scores)]);
    let caption = "Successive halving over O, B, D and W: all sets run for 50 000 cycles under both loads, the best third goes on for twice as long, up to a million cycles (less under --quick). Score: the mean over both loads of the throughput as a multiple of that without NIFDY.";
    let (id, svg) = ("search".into(), Some(chart.svg()));
    vec![Artifact { id, title: title.into(), caption: caption.into(), svg, table: Some(table), explorer: None }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::RunResult;

    #[test]
    fn search_starts_with_the_paper_s_sets_and_narrows_down() {
        for quick in [false, true] {
            let sets = candidates(quick);
            assert!(NETWORKS.iter().all(|network| sets.contains(&network.paper_best)));
        }
        assert_eq!(round_sizes(false), [112, 38, 13, 5, 3]);
        assert_eq!(round_sizes(true), [16, 6, 3]);
        assert_eq!(run_count(true), 16 * (17 + 7 + 4));
    }

    #[test]
    fn survivors_are_the_best_sets_and_the_paper_s() {
        let sets = candidates(true);
        let scored: Vec<(ParameterSet, f64)> =
            sets.iter().enumerate().map(|(index, set)| (*set, ((index * 7) % 16) as f64)).collect();
        // The scores are 0 7 14 5 12 3 10 1 8 15 6 13 4 11 2 9, so the best three have the indices 2, 9 and 11.
        assert_eq!(survivors(&scored, 3, sets[9]), [sets[2], sets[9], sets[11]]);
        assert_eq!(survivors(&scored, 3, sets[0]), [sets[0], sets[2], sets[9]]);
        let equal: Vec<(ParameterSet, f64)> = sets.iter().map(|set| (*set, 1.0)).collect();
        assert_eq!(survivors(&equal, 2, sets[0]), [sets[0], sets[1]]);
    }

    /// A complete search takes minutes, so this test provides the results of its last round.
    #[test]
    fn search_is_judged_by_its_last_round() {
        let delivering = |packets| RunResult::with_metrics(&[("packets.delivered", packets)]);
        let mut results = Results::new();
        for network in &NETWORKS {
            for load in LOADS {
                results.insert(reference_point(network, load, 20_000), delivering(1000.0));
                let delivered = if network.key == "mesh" { 1400.0 } else { 1490.0 };
                results.insert(nifdy_point(network, load, 20_000, &network.paper_best), delivering(delivered));
                results.insert(nifdy_point(network, load, 20_000, &ParameterSet::new(4, 16, 1, 8)), delivering(1500.0));
            }
        }
        let holds = |observation: Option<Observation>| matches!(observation, Some(Observation::Text(_, true)));
        assert!(holds(compare_paper_set(&results, &["fat-tree"])) && holds(small_sets_suffice(&results, &[])));
        assert!(!holds(compare_paper_set(&results, &["mesh"])), "1400 is less than 95 % of 1500");
        assert!(compare_paper_set(&Results::new(), &["mesh"]).is_none(), "no results give no observation");
    }

    #[test]
    fn window_is_set_only_with_dialogs() {
        assert_eq!(parameter_overrides(&network_set("butterfly")).len(), 3);
        assert_eq!(parameter_overrides(&network_set("torus"))[3], "protocol.nifdy.window=2");
    }

    fn network_set(key: &str) -> ParameterSet {
        NETWORKS.iter().find(|network| network.key == key).expect("the network exists").paper_best
    }
}
