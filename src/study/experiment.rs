//! Experiments: descriptions, settings over them, and axes whose cross product gives points.
//!
//! They are data (`papers/PAPER/experiments.toml`); each point is an ordinary description, checked
//! and run like a user's. Points run in parallel; results do not depend on the order.

use super::run::{RunResult, run};
use crate::engine::Recorder;
use crate::machine::{self, Machine, shipped};
use crate::text::Document;
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The experiments of a paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiments {
    /// For each axis its values, and for each value the settings it stands for.
    axes: BTreeMap<String, toml::Table>,
    experiments: BTreeMap<String, Experiment>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Experiment {
    /// The description, in the paper's folder.
    base: String,
    #[serde(default)]
    set: Vec<String>,
    /// The key that an axis means by `PAYLOAD`.
    payload: Option<String>,
    #[serde(default)]
    axes: Vec<String>,
    /// Whether spans are recorded.
    #[serde(default)]
    trace: bool,
    /// Further settings under `--quick`.
    #[serde(default)]
    quick: Vec<String>,
}

/// One run to be made.
pub struct Point {
    /// `EXPERIMENT/VALUE/VALUE…`.
    pub name: String,
    /// The checked description.
    pub machine: Machine,
    trace: bool,
}

/// The results, by the name of the point.
pub type Results = BTreeMap<String, RunResult>;

/// The most spans a traced point keeps.
const SPANS_MAX: usize = 200_000;

impl Experiments {
    /// The experiments of `paper`.
    pub fn of(paper: &str) -> Experiments {
        let path = format!("{paper}/experiments.toml");
        let text = shipped::paper(&path).unwrap_or_else(|| panic!("papers/{path} is shipped"));
        toml::from_str(text).unwrap_or_else(|error| panic!("papers/{path}: {error}"))
    }

    /// The points of the experiments `wanted`, in order.
    pub fn points(&self, paper: &str, wanted: &[String], quick: bool) -> Vec<Point> {
        let mut points = Vec::new();
        for name in wanted {
            let experiment = &self.experiments[name];
            for (point, sets) in self.combinations(name, experiment, quick) {
                let machine = describe(paper, &experiment.base, &point, &sets);
                points.push(Point { name: point, machine, trace: experiment.trace });
            }
        }
        points
    }

    /// The description that an experiment starts from, with the first value of every axis.
    pub fn first(&self, paper: &str, name: &str) -> (String, Vec<String>) {
        let experiment = &self.experiments[name];
        let sets = self.combinations(name, experiment, false).swap_remove(0).1;
        (base(paper, &experiment.base).to_owned(), sets)
    }

    /// The names and settings of an experiment's points.
    fn combinations(&self, name: &str, experiment: &Experiment, quick: bool) -> Vec<(String, Vec<String>)> {
        let quick = if quick { experiment.quick.as_slice() } else { &[] };
        let sets: Vec<String> = experiment.set.iter().map(|set| settled(set, quick)).collect();
        let mut points = vec![(name.to_owned(), sets)];
        for axis in &experiment.axes {
            let values = self.axes[axis].iter();
            points = values
                .flat_map(|(value, sets)| points.iter().map(move |point| extend(point, value, sets, experiment)))
                .collect();
        }
        points.sort();
        points
    }
}

/// A setting, or what `--quick` puts in its place.
fn settled(set: &str, quick: &[String]) -> String {
    let key = |set: &str| set.split('=').next().unwrap_or_default().to_owned();
    quick.iter().find(|other| key(other) == key(set)).cloned().unwrap_or_else(|| set.to_owned())
}

/// A point with one more axis.
fn extend(
    (name, sets): &(String, Vec<String>),
    value: &str,
    more: &toml::Value,
    experiment: &Experiment,
) -> (String, Vec<String>) {
    let more = more.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
    let payload = experiment.payload.as_deref().unwrap_or("PAYLOAD");
    let sets = sets.iter().cloned().chain(more.map(|set| set.replace("PAYLOAD", payload)));
    (format!("{name}/{value}"), sets.collect())
}

fn base(paper: &str, file: &str) -> &'static str {
    shipped::paper(&format!("{paper}/{file}")).unwrap_or_else(|| panic!("papers/{paper}/{file} is shipped"))
}

fn describe(paper: &str, file: &str, point: &str, sets: &[String]) -> Machine {
    let document = Document::Text(file, base(paper, file), None);
    match machine::read(document, sets) {
        Ok(read) => read.value,
        Err(problems) => panic!("the point {point} of {paper} is wrong:\n{problems}"),
    }
}

/// Runs all points on `jobs` threads (0: as many as there are), telling `done` of each.
pub fn run_all(points: &[Point], jobs: usize, done: &(dyn Fn(&str) + Sync)) -> Results {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().expect("threads can be started");
    let one = |point: &Point| {
        let recorder = if point.trace { Recorder::keeping(SPANS_MAX) } else { Recorder::off() };
        let result = run(&point.machine, recorder);
        done(&point.name);
        (point.name.clone(), result)
    };
    pool.install(|| points.par_iter().map(one).collect())
}
