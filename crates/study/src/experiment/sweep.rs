//! A sweep: the cross product of varied keys, every point checked before the first is run (`run.rs`).
//!
//! Points are run by as many threads as asked for; what comes out depends on the points alone.

pub mod metrics;
pub mod plan;
pub mod run;

pub use run::{Going, Share, Stops};

use super::part_overrides;
use super::reader::Reader;
use super::record;
use super::result_row::ResultRow;
use super::vary::{self, Dimension};
use narrows_core::machine::{Machine, Registry};
use narrows_core::text::{Problem, Problems, Read};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// More points than this are no sweep anybody waits for.
pub const POINTS_MAX: usize = 1_000_000;

/// A sweep to be run.
pub struct Sweep<'a> {
    /// Reads a point.
    pub reader: Reader<'a>,
    /// What varies, the last fastest.
    pub dimensions: &'a [Dimension],
}

/// A sweep whose points are all sound.
pub struct Checked<'a> {
    sweep: Sweep<'a>,
    /// The hash of each point's inputs, in order.
    inputs: Vec<String>,
    /// The points to run: one for each hash.
    distinct: Vec<usize>,
}

/// A problem, and the points that have it: the first one's values, and how many there are.
pub struct Faulty {
    /// The values of the first of the points.
    pub first: Vec<(String, String)>,
    /// How many points have it.
    pub points: usize,
    /// The problem.
    pub problem: Problems,
}

impl Faulty {
    /// Which points of so many have it, in a line.
    pub fn head(&self, points: usize) -> String {
        let first = line(&self.first);
        match self.points {
            1 => format!("At the point {first}:"),
            n if n == points => format!("At every point, the first of them {first}:"),
            n => format!("At {n} points, the first of them {first}:"),
        }
    }
}

/// A point and its result.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct SweepPoint {
    /// The varied keys and their values.
    pub values: Vec<(String, String)>,
    /// What tables tell of its result.
    pub result: Arc<ResultRow>,
}

/// Something to be told while a sweep goes on.
pub enum SweepEvent {
    /// A point was run, or was kept and need not be.
    Finished {
        /// Whether it was kept.
        kept: bool,
    },
    /// A kept point is not to be believed and is run again.
    Corrupt(PathBuf, String),
}

/// What varies, from the options; `sets` may not set it, too.
pub fn dimensions(
    registry: &Arc<Registry>,
    options: &[String],
    sets: &[String],
) -> Result<Vec<Dimension>, Vec<Problem>> {
    let (mut dimensions, mut problems, mut known) = (Vec::new(), Vec::new(), Vec::<Vec<String>>::new());
    // What is wrong with these is told where they are read.
    let set: Vec<Vec<String>> = sets.iter().filter_map(|set| vary::names(&registry.spelled(set)).ok()).collect();
    for option in options {
        match Dimension::parse(option) {
            Err(problem) => problems.push(problem),
            Ok(dimension) => {
                problems
                    .extend(dimension.varies.iter().filter_map(|vary| clash(registry, &vary.key, &mut known, &set)));
                dimensions.push(dimension);
            }
        }
    }
    let varies = || dimensions.iter().flat_map(|dimension| &dimension.varies);
    let settings: Vec<String> =
        varies().flat_map(|vary| vary.values.iter().map(|value| format!("{}={value}", vary.key))).collect();
    problems.extend(part_overrides::problems(settings.iter().map(String::as_str)));
    let points = dimensions.iter().try_fold(1usize, |points, dimension| points.checked_mul(dimension.len()));
    if points.is_none_or(|points| points > POINTS_MAX) {
        problems.push(Problem::new(format!("the sweep has more than {POINTS_MAX} points")).help("vary fewer values"));
    }
    if problems.is_empty() { Ok(dimensions) } else { Err(problems) }
}

/// That a key is varied twice, or both set and varied.
fn clash(registry: &Arc<Registry>, key: &str, known: &mut Vec<Vec<String>>, set: &[Vec<String>]) -> Option<Problem> {
    let names = vary::names(&registry.spelled(&format!("{key}=0"))).unwrap_or_default();
    let problem = match (known.contains(&names), set.contains(&names)) {
        (true, _) => Some(Problem::new(format!("`{key}` is varied twice")).help("give all its values in one --vary")),
        (_, true) => {
            Some(Problem::new(format!("`{key}` is both set and varied")).help("leave out its --set or its --vary"))
        }
        _ => None,
    };
    known.push(names);
    problem
}

impl<'a> Sweep<'a> {
    /// How many points there are.
    pub fn points(&self) -> usize {
        self.dimensions.iter().map(Dimension::len).product()
    }

    /// The values of a point, by its number.
    fn values(&self, point: usize) -> Vec<(String, String)> {
        values_of(self.dimensions, point)
    }

    fn read(&self, point: usize) -> Result<Read<Machine>, Problems> {
        (self.reader)(&settings(&self.values(point)))
    }

    /// Checks every point.
    pub fn check(self) -> Result<Checked<'a>, Vec<Faulty>> {
        let read: Vec<Result<String, Problems>> =
            (0..self.points()).into_par_iter().map(|point| Ok(record::inputs(&self.read(point)?))).collect();
        if read.iter().any(Result::is_err) {
            return Err(self.faulty(read));
        }
        let inputs: Vec<String> = read.into_iter().flatten().collect();
        Ok(Checked { distinct: distinct(&inputs), sweep: self, inputs })
    }

    /// Every problem once, in the order in which points meet them.
    fn faulty(&self, read: Vec<Result<String, Problems>>) -> Vec<Faulty> {
        let (mut all, mut numbers) = (Vec::<Faulty>::new(), HashMap::<String, usize>::new());
        for (point, read) in read.into_iter().enumerate() {
            for problem in read.err().iter().flat_map(Problems::each) {
                let number = *numbers.entry(problem.to_string()).or_insert(all.len());
                match all.get_mut(number) {
                    Some(faulty) => faulty.points += 1,
                    None => all.push(Faulty { first: self.values(point), points: 1, problem }),
                }
            }
        }
        all
    }
}

/// The values of a point of these dimensions, by its number.
pub fn values_of(dimensions: &[Dimension], point: usize) -> Vec<(String, String)> {
    let (mut rest, mut places) = (point, vec![0; dimensions.len()]);
    for (place, dimension) in places.iter_mut().zip(dimensions).rev() {
        *place = rest % dimension.len();
        rest /= dimension.len();
    }
    let of = |(place, dimension): (usize, &Dimension)| {
        dimension.varies.iter().map(|vary| (vary.key.clone(), vary.values[place].clone())).collect::<Vec<_>>()
    };
    places.into_iter().zip(dimensions).flat_map(of).collect()
}

/// Values in a line.
pub fn line(values: &[(String, String)]) -> String {
    settings(values).join(", ")
}

/// Values as settings.
pub fn settings(values: &[(String, String)]) -> Vec<String> {
    values.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

/// The first of the points with each hash.
fn distinct(inputs: &[String]) -> Vec<usize> {
    let mut seen = std::collections::HashSet::new();
    (0..inputs.len()).filter(|point| seen.insert(&inputs[*point])).collect()
}
