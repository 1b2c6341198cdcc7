//! A sweep: the cross product of the values of varied keys. Every point is checked before the first is run (`run.rs`).
//!
//! Points are run in parallel; the results do not depend on the number of threads.

pub mod json;
pub mod metrics;
pub mod plan;
pub mod point_finding;
pub mod run;

use point_finding::PointProblem;
pub use point_finding::PointWarning;
pub use run::{RunOptions, Shard, SweepLines};

use super::inputs::RunInputs;
use super::part_overrides;
use super::reader::Reader;
use super::result_row::ResultRow;
use super::vary::{self, Dimension};
use narrows_core::machine::{HostWarning, Machine, Registry};
use narrows_core::text::{Problem, ProblemGroups, Problems, Read};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The largest number of points of a sweep.
pub const POINTS_MAX: usize = 1_000_000;

/// The largest number of values and tables in the inputs that are kept after the check, about 35 MB (chosen: those of 500
/// points of `ping-pong`). Further points are read once more when they are run.
const KEPT_ITEMS_MAX: usize = 50_000;

/// A sweep whose points are not yet checked.
pub struct Sweep<'a> {
    /// The reader of the description.
    pub reader: Reader<'a>,
    /// The varied keys; the last dimension varies fastest.
    pub dimensions: &'a [Dimension],
}

/// A sweep whose points are all valid.
pub struct CheckedSweep<'a> {
    sweep: Sweep<'a>,
    /// The hash of each point's inputs, in order.
    input_hashes: Vec<String>,
    /// The first point of each distinct hash: the points to run.
    distinct_points: Vec<usize>,
    /// For each point, its inputs until it is run, if they are kept.
    kept_inputs: Vec<Mutex<Option<Box<RunInputs>>>>,
    warnings: Vec<PointWarning>,
}

/// A point that is valid.
struct CheckedPoint {
    inputs_hash: String,
    warnings: Vec<HostWarning>,
    /// The inputs, if they are kept until the point is run.
    kept_inputs: Option<Box<RunInputs>>,
}

/// A point and its result.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct SweepPoint {
    /// The varied keys and their values.
    pub values: Vec<(String, String)>,
    /// The result of its run.
    pub result: Arc<ResultRow>,
}

/// A progress event of a sweep.
pub enum SweepEvent {
    /// A point was run, or its stored result was found.
    Finished {
        /// Whether a stored result was found.
        from_store: bool,
    },
    /// The stored result in this file is invalid, for this reason. Its point is run again.
    Corrupt(PathBuf, String),
}

/// Parses the varied keys from the options `--vary`. A table of points, if there is one, is the first dimension.
///
/// # Errors
///
/// Reports malformed options, keys that are varied twice or also set by `base_overrides`, and too many points.
pub fn dimensions(
    registry: &Arc<Registry>,
    table: Option<Dimension>,
    options: &[String],
    base_overrides: &[String],
) -> Result<Vec<Dimension>, Vec<Problem>> {
    let (mut dimensions, mut problems, mut varied_keys) = (Vec::new(), Vec::new(), Vec::<Vec<String>>::new());
    // Errors in `base_overrides` are reported when they are applied.
    let set_keys: Vec<Vec<String>> = base_overrides
        .iter()
        .filter_map(|option| vary::key_names(&registry.with_canonical_keys(option)).ok())
        .collect();
    for dimension in table.into_iter().map(Ok).chain(options.iter().map(|option| Dimension::parse(option))) {
        match dimension {
            Err(problem) => problems.push(problem),
            Ok(dimension) => {
                problems.extend(
                    dimension
                        .varies
                        .iter()
                        .filter_map(|vary| key_conflict(registry, &vary.key, &mut varied_keys, &set_keys)),
                );
                dimensions.push(dimension);
            }
        }
    }
    let varies = || dimensions.iter().flat_map(|dimension| &dimension.varies);
    let values = varies().flat_map(|vary| vary.values.iter().map(|value| (vary.key.clone(), value.clone())));
    let distinct_values: BTreeSet<(String, String)> = values.collect();
    let settings = settings(&distinct_values.into_iter().collect::<Vec<_>>());
    problems.extend(part_overrides::problems(settings.iter().map(String::as_str)));
    let point_count =
        dimensions.iter().try_fold(1usize, |point_count, dimension| point_count.checked_mul(dimension.len()));
    if point_count.is_none_or(|point_count| point_count > POINTS_MAX) {
        problems.push(Problem::new(format!("the sweep has more than {POINTS_MAX} points")).help("vary fewer values"));
    }
    if problems.is_empty() { Ok(dimensions) } else { Err(problems) }
}

/// Returns the problem of a key that is varied twice, or both set and varied.
fn key_conflict(
    registry: &Arc<Registry>,
    key: &str,
    varied_keys: &mut Vec<Vec<String>>,
    set_keys: &[Vec<String>],
) -> Option<Problem> {
    let key_names = vary::key_names(&registry.with_canonical_keys(&format!("{key}=0"))).unwrap_or_default();
    let problem = match (varied_keys.contains(&key_names), set_keys.contains(&key_names)) {
        (true, _) => {
            let name = key_names.join(".");
            let same_key = if key == name { String::new() } else { format!(": it is the same key as `{name}`") };
            let problem = Problem::new(format!("`{key}` is varied twice{same_key}"));
            Some(problem.help("give all its values in one --vary, or in one column of the table of points"))
        }
        (_, true) => Some(
            Problem::new(format!("`{key}` is both set and varied")).help("remove its --set, or its --vary or column"),
        ),
        _ => None,
    };
    varied_keys.push(key_names);
    problem
}

impl<'a> Sweep<'a> {
    /// Returns the number of points.
    pub fn point_count(&self) -> usize {
        self.dimensions.iter().map(Dimension::len).product()
    }

    /// Returns the keys and values of the point with this number.
    fn values(&self, point: usize) -> Vec<(String, String)> {
        values_of(self.dimensions, point)
    }

    fn read(&self, point: usize) -> Result<Read<Machine>, Problems> {
        (self.reader)(&settings(&self.values(point)))
    }

    /// Reads and checks every point.
    ///
    /// # Errors
    ///
    /// Reports each distinct problem with the points that have it.
    pub fn check(self) -> Result<CheckedSweep<'a>, ProblemGroups> {
        let checks: Vec<Result<CheckedPoint, Problems>> =
            (0..self.point_count()).into_par_iter().map(|point| self.check_point(point)).collect();
        if checks.iter().any(Result::is_err) {
            return Err(self.point_problems(checks.into_iter().map(Result::err)));
        }
        let (mut input_hashes, mut shared_warnings, mut kept_inputs) = (Vec::new(), Vec::new(), Vec::new());
        for (point, checked) in checks.into_iter().flatten().enumerate() {
            input_hashes.push(checked.inputs_hash);
            kept_inputs.push(Mutex::new(checked.kept_inputs));
            for warning in checked.warnings {
                PointWarning::add(&mut shared_warnings, || self.values(point), warning);
            }
        }
        let distinct_points = first_points(&input_hashes);
        Ok(CheckedSweep { distinct_points, sweep: self, input_hashes, kept_inputs, warnings: shared_warnings })
    }

    fn check_point(&self, point: usize) -> Result<CheckedPoint, Problems> {
        let inputs = RunInputs::new(self.read(point)?);
        let (inputs_hash, warnings) = (inputs.hash(), inputs.description.value.warnings());
        // The decision is that of the point alone, so that it does not depend on the order of the threads.
        let is_kept = point * inputs.description.item_count() < KEPT_ITEMS_MAX;
        Ok(CheckedPoint { inputs_hash, warnings, kept_inputs: is_kept.then(|| Box::new(inputs)) })
    }

    /// Returns each distinct problem once, in the order of the first points that have the problem. Problems are
    /// distinct if their texts differ other than by the varied values: an unknown key is one problem, whatever its
    /// value at a point, and so is a value without a unit.
    fn point_problems(&self, problems_by_point: impl Iterator<Item = Option<Problems>>) -> ProblemGroups {
        let (mut point_problems, mut indices) = (Vec::<PointProblem>::new(), HashMap::<String, usize>::new());
        for (point, problems) in problems_by_point.enumerate() {
            for problem in problems.iter().flat_map(Problems::split) {
                // A value such as `a` may also be a word of the text, so the text itself is compared, too.
                let texts = problem_texts(&problem);
                let texts_without_values = without_values(texts.clone(), &self.values(point));
                let known = indices.get(&texts).or_else(|| indices.get(&texts_without_values)).copied();
                let index = known.unwrap_or(point_problems.len());
                for texts in [texts, texts_without_values] {
                    indices.entry(texts).or_insert(index);
                }
                match point_problems.get_mut(index) {
                    Some(same_problem) => same_problem.point_count += 1,
                    None => point_problems.push(PointProblem::new(self.values(point), problem)),
                }
            }
        }
        let total_points = self.point_count();
        point_problems.into_iter().map(|problem| problem.into_group(total_points)).collect()
    }
}

/// Returns the keys and values of the point with this number in the cross product of `dimensions`.
pub fn values_of(dimensions: &[Dimension], point: usize) -> Vec<(String, String)> {
    let (mut remaining_index, mut indices) = (point, vec![0; dimensions.len()]);
    for (index, dimension) in indices.iter_mut().zip(dimensions).rev() {
        *index = remaining_index % dimension.len();
        remaining_index /= dimension.len();
    }
    let values = |(index, dimension): (usize, &Dimension)| {
        dimension.varies.iter().map(|vary| (vary.key.clone(), vary.values[index].clone())).collect::<Vec<_>>()
    };
    indices.into_iter().zip(dimensions).flat_map(values).collect()
}

/// Formats keys and values in one line.
pub fn format_values(values: &[(String, String)]) -> String {
    settings(values).join(", ")
}

/// Formats keys and values as overrides. A key without a value is not overridden.
pub fn settings(values: &[(String, String)]) -> Vec<String> {
    let set_values = values.iter().filter(|(_, value)| !value.is_empty());
    set_values.map(|(key, value)| format!("{key}={value}")).collect()
}

/// Returns the messages, labels and help of problems, without the texts at their locations.
fn problem_texts(problems: &Problems) -> String {
    let problem_text =
        |problem: &Problem| format!("{}\n{}\n{}", problem.message, problem.label, problem.help.join("\n"));
    problems.list().iter().map(problem_text).collect()
}

/// Replaces the varied values, where they stand alone in a text, by their keys.
fn without_values(text: String, values: &[(String, String)]) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let replace = |text: String, (key, value): &(String, String)| {
        let value = value.trim_matches(['"', '\'']);
        if value.is_empty() {
            return text;
        }
        let (mut replaced, mut end) = (String::new(), 0);
        for (start, _) in text.match_indices(value) {
            let after = start + value.len();
            let stands_alone = !text[..start].ends_with(is_part) && !text[after..].starts_with(is_part);
            replaced += &text[end..start];
            replaced += if stands_alone { key } else { value };
            end = after;
        }
        replaced + &text[end..]
    };
    values.iter().fold(text, replace)
}

/// Returns the first point of each distinct hash.
fn first_points(input_hashes: &[String]) -> Vec<usize> {
    let mut known_hashes = std::collections::HashSet::new();
    (0..input_hashes.len()).filter(|point| known_hashes.insert(&input_hashes[*point])).collect()
}
