//! A sweep: the cross product of varied keys, every point checked before the first is run.
//!
//! Points are run by as many threads as asked for; what comes out depends on the points alone.

use super::points::{Kept, Points};
use super::record::{self, Record};
use super::vary::{self, Vary};
use crate::engine::Recorder;
use crate::machine::Machine;
use crate::text::{Problem, Problems, Read};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

/// More points than this are no sweep anybody waits for.
pub const POINTS_MAX: usize = 1_000_000;

/// Reads and checks the description with these varied settings over it.
pub type Reader<'a> = &'a (dyn Fn(&[String]) -> Result<Read<Machine>, Problems> + Sync);

/// A sweep to be run.
pub struct Sweep<'a> {
    /// Reads a point.
    pub reader: Reader<'a>,
    /// What varies, the last fastest.
    pub varies: &'a [Vary],
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

/// A point and its result.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// The varied keys and their values.
    pub values: Vec<(String, String)>,
    /// The result.
    pub record: Record,
}

/// Something to be told while a sweep goes on.
pub enum Event {
    /// A point was run, or was kept and need not be.
    Finished {
        /// Whether it was kept.
        kept: bool,
    },
    /// A kept point is not to be believed and is run again.
    Corrupt(PathBuf, String),
}

/// What varies, from the options; `sets` may not set it, too.
pub fn varies(options: &[String], sets: &[String]) -> Result<Vec<Vary>, Vec<Problem>> {
    let (mut varies, mut problems, mut known) = (Vec::new(), Vec::new(), Vec::<Vec<String>>::new());
    // What is wrong with these is told where they are read.
    let set: Vec<Vec<String>> = sets.iter().filter_map(|set| vary::names(set).ok()).collect();
    for option in options {
        let names = vary::names(option).unwrap_or_default();
        match Vary::parse(option) {
            Err(problem) => problems.push(problem),
            Ok(vary) if known.contains(&names) => {
                problems.push(
                    Problem::new(format!("`{}` is varied twice", vary.key)).help("give all its values in one --vary"),
                );
            }
            Ok(vary) if set.contains(&names) => {
                problems.push(
                    Problem::new(format!("`{}` is both set and varied", vary.key))
                        .help("leave out its --set or its --vary"),
                );
            }
            Ok(vary) => varies.push(vary),
        }
        known.push(names);
    }
    let points = varies.iter().try_fold(1usize, |points, vary| points.checked_mul(vary.values.len()));
    if points.is_none_or(|points| points > POINTS_MAX) {
        problems.push(Problem::new(format!("the sweep has more than {POINTS_MAX} points")).help("vary fewer values"));
    }
    if problems.is_empty() { Ok(varies) } else { Err(problems) }
}

impl<'a> Sweep<'a> {
    /// How many points there are.
    pub fn points(&self) -> usize {
        self.varies.iter().map(|vary| vary.values.len()).product()
    }

    /// The values of a point, by its number.
    fn values(&self, point: usize) -> Vec<(String, String)> {
        let mut rest = point;
        let mut values: Vec<(String, String)> = Vec::with_capacity(self.varies.len());
        for vary in self.varies.iter().rev() {
            values.push((vary.key.clone(), vary.values[rest % vary.values.len()].clone()));
            rest /= vary.values.len();
        }
        values.reverse();
        values
    }

    fn read(&self, point: usize) -> Result<Read<Machine>, Problems> {
        let varied: Vec<String> = self.values(point).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        (self.reader)(&varied)
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

/// The first of the points with each hash.
fn distinct(inputs: &[String]) -> Vec<usize> {
    let mut seen = std::collections::HashSet::new();
    (0..inputs.len()).filter(|point| seen.insert(&inputs[*point])).collect()
}

impl Checked<'_> {
    /// How many points there are, and how many of them are the only ones like them.
    pub fn points(&self) -> (usize, usize) {
        (self.inputs.len(), self.distinct.len())
    }

    /// Runs every point that is not kept, and keeps it.
    pub fn run(&self, points: Option<&Points>, tell: &(dyn Fn(Event) + Sync)) -> io::Result<Vec<Point>> {
        let one = |&point: &usize| Ok((self.inputs[point].as_str(), self.point(point, points, tell)?));
        let records: HashMap<&str, Record> = self.distinct.par_iter().map(one).collect::<io::Result<_>>()?;
        let point = |point: usize| Point {
            values: self.sweep.values(point),
            record: records[self.inputs[point].as_str()].clone(),
        };
        Ok((0..self.inputs.len()).map(point).collect())
    }

    fn point(&self, point: usize, points: Option<&Points>, tell: &(dyn Fn(Event) + Sync)) -> io::Result<Record> {
        let inputs = &self.inputs[point];
        match points.map_or(Kept::Absent, |points| points.find(inputs)) {
            Kept::Whole(record) => {
                tell(Event::Finished { kept: true });
                return Ok(*record);
            }
            Kept::Corrupt(path, why) => tell(Event::Corrupt(path, why)),
            Kept::Absent => {}
        }
        let changed = || io::Error::other("the description changed while the sweep was running");
        let read = self.sweep.read(point).map_err(|_| changed())?;
        let record = Record::of(&read, &super::run(&read.value, Recorder::off()));
        if record.inputs() != *inputs {
            return Err(changed());
        }
        if let Some(points) = points {
            points.keep(inputs, &record)?;
        }
        tell(Event::Finished { kept: false });
        Ok(record)
    }
}
