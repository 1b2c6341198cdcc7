//! Experiments: descriptions, settings over them, and axes whose cross product gives points.
//!
//! They are data (`papers/PAPER/experiments.toml`); each point is an ordinary description, checked
//! and run like a user's. In a setting, `<AXIS>` stands for the point's value of that axis. Points
//! run in parallel; results do not depend on the order.

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
    /// Under `--quick`, further settings of an axis' values.
    #[serde(default)]
    quick: BTreeMap<String, BTreeMap<String, Vec<String>>>,
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

/// A point before it is read.
#[derive(Clone)]
struct Combination {
    name: String,
    sets: Vec<String>,
    /// Each axis with the point's value of it.
    values: Vec<(String, String)>,
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
const SPANS_MAX: usize = 1_000_000;

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
            for Combination { name, sets, .. } in self.combinations(name, experiment, quick) {
                let machine = describe(paper, &experiment.base, &name, &sets);
                points.push(Point { name, machine, trace: experiment.trace });
            }
        }
        points
    }

    /// The point `of` of the experiment `experiment` under another name, with `more` settings.
    pub fn varied(&self, paper: &str, experiment: &str, of: &str, name: String, more: &[String]) -> Point {
        let (key, experiment) = (experiment, &self.experiments[experiment]);
        let all = self.combinations(key, experiment, false);
        let found = all.into_iter().find(|point| point.name == of);
        let mut sets = found.unwrap_or_else(|| panic!("{key} has no point {of}")).sets;
        sets.extend_from_slice(more);
        Point { machine: describe(paper, &experiment.base, &name, &sets), name, trace: experiment.trace }
    }

    /// The names of the points of the experiment `name`, in order; none if there is no such one.
    pub fn names(&self, name: &str, quick: bool) -> Vec<String> {
        let experiment = self.experiments.get(name);
        let points = experiment.map(|experiment| self.combinations(name, experiment, quick)).unwrap_or_default();
        points.into_iter().map(|point| point.name).collect()
    }

    /// Descriptions of an experiment, as text and settings, in which every value of every axis
    /// occurs: the one with the first value of each, and those that differ from it in one.
    pub fn variety(&self, paper: &str, name: &str) -> Vec<(&'static str, Vec<String>)> {
        let experiment = &self.experiments[name];
        let points = self.combinations(name, experiment, false);
        let differing =
            |point: &Combination| point.values.iter().zip(&points[0].values).filter(|(a, b)| a != b).count();
        let chosen = points.iter().filter(|point| differing(point) <= 1);
        chosen.map(|point| (base(paper, &experiment.base), point.sets.clone())).collect()
    }

    /// The names and settings of an experiment's points.
    fn combinations(&self, name: &str, experiment: &Experiment, quick: bool) -> Vec<Combination> {
        let less = if quick { experiment.quick.as_slice() } else { &[] };
        let sets: Vec<String> = experiment.set.iter().map(|set| settled(set, less)).collect();
        let mut points = vec![Combination { name: name.to_owned(), sets, values: Vec::new() }];
        for axis in &experiment.axes {
            let values: Vec<(&String, Vec<String>)> =
                self.axes[axis].iter().map(|(value, sets)| (value, self.meant(axis, value, sets, quick))).collect();
            let one = |(value, sets): &(&String, Vec<String>), point: &Combination| {
                extend(point, axis, value, sets, experiment)
            };
            points = values.iter().flat_map(|value| points.iter().map(|point| one(value, point))).collect();
        }
        points.iter_mut().for_each(Combination::fill);
        points.sort_by(|a, b| a.name.cmp(&b.name));
        points
    }

    /// The settings that a value of an axis stands for.
    fn meant(&self, axis: &str, value: &str, sets: &toml::Value, quick: bool) -> Vec<String> {
        let less = self.quick.get(axis).and_then(|values| values.get(value)).filter(|_| quick);
        let less = less.map(Vec::as_slice).unwrap_or_default();
        let sets = sets.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
        sets.map(|set| settled(set, less)).collect()
    }
}

impl Combination {
    /// Puts the point's values in the place of `<AXIS>`.
    fn fill(&mut self) {
        for set in &mut self.sets {
            for (axis, value) in &self.values {
                *set = set.replace(&format!("<{axis}>"), value);
            }
        }
    }
}

/// A setting, or what `--quick` puts in its place.
fn settled(set: &str, quick: &[String]) -> String {
    let key = |set: &str| set.split('=').next().unwrap_or_default().to_owned();
    quick.iter().find(|other| key(other) == key(set)).cloned().unwrap_or_else(|| set.to_owned())
}

/// A point with one more axis.
fn extend(point: &Combination, axis: &str, value: &str, more: &[String], experiment: &Experiment) -> Combination {
    let payload = experiment.payload.as_deref().unwrap_or("PAYLOAD");
    let mut point = point.clone();
    point.name += &format!("/{value}");
    point.sets.extend(more.iter().map(|set| set.replace("PAYLOAD", payload)));
    point.values.push((axis.to_owned(), value.to_owned()));
    point
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        [axes]
        part = { slow = [], fast = ["ni.fast.clock=2 MHz"] }
        size = { 8 = ["PAYLOAD=8 B", "count=100"], 9 = ["PAYLOAD=9 B", "count=90"] }
        [quick.size]
        8 = ["count=10"]
        [experiments.one]
        base = "pair.toml"
        set = ["parts=ni/<part>", "seed=1", "ni.<part>.size=<size>"]
        payload = "load.bytes"
        axes = ["part", "size"]
        quick = ["seed=2"]
    "#;

    fn points(quick: bool) -> Vec<(String, String)> {
        let experiments: Experiments = toml::from_str(TEXT).expect("experiments");
        let points = experiments.combinations("one", &experiments.experiments["one"], quick);
        points.into_iter().map(|point| (point.name, point.sets.join("; "))).collect()
    }

    #[test]
    fn a_point_has_the_settings_of_its_values_and_their_names_in_place() {
        let points = points(false);
        let names: Vec<&str> = points.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["one/fast/8", "one/fast/9", "one/slow/8", "one/slow/9"]);
        let fast = "parts=ni/fast; seed=1; ni.fast.size=8; ni.fast.clock=2 MHz; load.bytes=8 B; count=100";
        assert_eq!(points[0].1, fast);
        assert_eq!(points[3].1, "parts=ni/slow; seed=1; ni.slow.size=9; load.bytes=9 B; count=90");
    }

    #[test]
    fn quick_replaces_settings_of_the_same_key() {
        let points = points(true);
        assert_eq!(points[2].1, "parts=ni/slow; seed=2; ni.slow.size=8; load.bytes=8 B; count=10");
        assert_eq!(points[3].1, "parts=ni/slow; seed=2; ni.slow.size=9; load.bytes=9 B; count=90");
    }
}
