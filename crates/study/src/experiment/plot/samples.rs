//! The samples whose cumulative distribution a chart shows. They are read from the distributions in the JSON of a run,
//! of several seeds or of a sweep, or from a column of tidy data.

use super::{axis_name, find_column, find_columns, group_values, unclear_name_problem};
use crate::experiment::distribution;
use crate::report::dataset::{ColumnValues, Dataset};
use crate::report::grouped;
use narrows_core::engine::histogram::Bucket;
use narrows_core::engine::{Distribution, SampleUnit};
use narrows_core::text::{Problem, suggest};
use serde_json::Value as Json;

/// Named samples of one quantity.
#[derive(Clone, PartialEq, Debug)]
pub struct SampleSet {
    /// The name of the quantity.
    pub quantity: String,
    /// The name of the samples, which is empty if there is only one set.
    pub name: String,
    /// The base unit of the values.
    pub unit: String,
    /// The values in ascending order, each with its number of samples. A bucket of a histogram is represented by its
    /// greatest value.
    pub steps: Vec<(f64, u64)>,
}

/// The keys and values of a point, and its distributions.
type PointDistributions = (Vec<(String, String)>, Vec<Distribution>);

/// Returns the samples of the distribution `name` in a result of `narrows run` or `narrows sweep` as JSON. In a sweep
/// there is a set for each combination of values of the keys `group_keys`, or of all varied keys if `group_keys` is
/// empty; points with equal values of these keys are merged.
///
/// # Errors
///
/// Reports a text that is not a result, an unknown distribution and an unknown key.
pub fn samples_from_json(text: &str, name: &str, group_keys: &[String]) -> Result<Vec<SampleSet>, Problem> {
    let points = parse_points(text).map_err(Problem::new)?;
    let distribution_name = find_name(&points, name)?;
    let keys = keys_of_groups(&points, group_keys)?;
    let samples = points.iter().flat_map(|(values, distributions)| {
        let value_of_key =
            |key: &String| values.iter().find(|(pair_key, _)| pair_key == key).map(|(_, value)| value.as_str());
        let group = keys.iter().filter_map(value_of_key).collect::<Vec<_>>().join(", ");
        let samples = distributions.iter().filter(|distribution| *distribution.name == *distribution_name);
        samples.map(move |distribution| (group.clone(), distribution))
    });
    let sample_set = |(name, distributions): (String, Vec<&Distribution>)| {
        distribution::merge_by_name(distributions).first().map(|merged| SampleSet::new(name, merged))
    };
    Ok(grouped(samples).into_iter().filter_map(sample_set).collect())
}

/// Returns the distributions of each point of a result; a run is one point without keys.
fn parse_points(text: &str) -> Result<Vec<PointDistributions>, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let distributions_of_point = |json: &Json| {
        let values = json["values"].as_object().into_iter().flatten();
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let values = values.map(|(key, value)| (key.clone(), text(value))).collect();
        Ok((values, distribution::read(&json[distribution::KEY])?))
    };
    let points = match json["points"].as_array() {
        Some(points) => {
            points.iter().map(distributions_of_point).collect::<Result<Vec<PointDistributions>, String>>()?
        }
        None => vec![distributions_of_point(&json)?],
    };
    match points.iter().all(|(_, distributions)| distributions.is_empty()) {
        true => Err("it has no distributions".to_owned()),
        false => Ok(points),
    }
}

/// Returns whether `name` equals `full_name` or its last words.
fn is_suffix(full_name: &str, name: &str) -> bool {
    full_name.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '_']))
}

/// Returns the full name of the distribution `name`.
fn find_name(points: &[PointDistributions], name: &str) -> Result<String, Problem> {
    let mut names: Vec<&str> = Vec::new();
    for distribution in points.iter().flat_map(|(_, distributions)| distributions) {
        if !names.contains(&&*distribution.name) {
            names.push(&distribution.name);
        }
    }
    if names.contains(&name) {
        return Ok(name.to_owned());
    }
    let matching: Vec<&str> = names.iter().copied().filter(|known| is_suffix(known, name)).collect();
    match &matching[..] {
        [found] => Ok(found.to_string()),
        _ => Err(unclear_name_problem("distribution", name, name, &names, &matching)),
    }
}

/// Returns the keys that group the points: those in `requested`, or otherwise all that vary.
fn keys_of_groups(points: &[PointDistributions], requested: &[String]) -> Result<Vec<String>, Problem> {
    let first = points.first().map(|(values, _)| &values[..]).unwrap_or_default();
    let all_keys: Vec<&str> = first.iter().map(|(key, _)| key.as_str()).collect();
    if requested.is_empty() {
        let value = |(values, _): &PointDistributions, key: &str| {
            values.iter().find(|(pair_key, _)| pair_key == key).map(|(_, value)| value.clone())
        };
        let varies = |key: &&str| points.iter().any(|point| value(point, key) != value(&points[0], key));
        return Ok(all_keys.into_iter().filter(varies).map(str::to_owned).collect());
    }
    let unknown_key_problem = |name: &String| {
        let problem = Problem::new(format!("the result has no varied key `{name}`"));
        match all_keys.is_empty() {
            true => problem.help("a single run varies no key; leave out --by"),
            false => problem.help(format!("the keys are {}", suggest::phrase(all_keys.iter().copied()))),
        }
    };
    let find_key = |name: &String| {
        let exact = all_keys.iter().find(|key| *key == name);
        let matching = exact.or_else(|| all_keys.iter().find(|key| is_suffix(key, name)));
        matching.map(|key| key.to_string()).ok_or_else(|| unknown_key_problem(name))
    };
    requested.iter().map(find_key).collect()
}

/// Returns the samples in the column `name`, a set for each combination of values of the columns `group_columns`.
///
/// # Errors
///
/// Reports an unknown or ambiguous column, and a column of text or without numbers.
pub fn samples_from_dataset(data: &Dataset, name: &str, group_columns: &[String]) -> Result<Vec<SampleSet>, Problem> {
    let column = find_column(data, name)?;
    let group_columns = find_columns(data, group_columns)?;
    if matches!(column.values, ColumnValues::Texts(_)) {
        return Err(Problem::new(format!("`{}` holds text, and a distribution needs numbers", column.name)));
    }
    let groups = grouped((0..data.rows()).filter_map(|row| {
        let value = column.values.number(row).filter(|value| value.is_finite())?;
        Some((group_values(&group_columns, row).join(", "), value))
    }));
    let sample_set = |(name, values)| SampleSet {
        quantity: axis_name(column),
        name,
        unit: column.unit.clone(),
        steps: steps(values),
    };
    match groups.is_empty() {
        true => Err(Problem::new(format!("no row has `{}`", column.name))),
        false => Ok(groups.into_iter().map(sample_set).collect()),
    }
}

/// Returns the distinct values in ascending order, each with the number of times that it occurs.
fn steps(mut values: Vec<f64>) -> Vec<(f64, u64)> {
    values.sort_unstable_by(f64::total_cmp);
    let mut steps: Vec<(f64, u64)> = Vec::new();
    for value in values {
        match steps.last_mut().filter(|step| step.0 == value) {
            Some(step) => step.1 += 1,
            None => steps.push((value, 1)),
        }
    }
    steps
}

impl SampleSet {
    /// Returns the samples of a distribution; `name` is the name of their line.
    pub fn new(name: String, distribution: &Distribution) -> SampleSet {
        let (unit, smallest_units) = match distribution.unit {
            SampleUnit::Picoseconds => ("s", 1e12),
            SampleUnit::Cycles => ("cycles", 1.0),
        };
        let max = distribution.histogram.max().unwrap_or(u64::MAX);
        let step = |bucket: Bucket| (bucket.max.min(max) as f64 / smallest_units, bucket.count);
        SampleSet {
            quantity: distribution.name.to_string(),
            name,
            unit: unit.to_owned(),
            steps: distribution.histogram.buckets().map(step).collect(),
        }
    }

    /// Returns the number of samples.
    pub fn samples(&self) -> u64 {
        self.steps.iter().map(|(_, count)| count).sum()
    }
}
