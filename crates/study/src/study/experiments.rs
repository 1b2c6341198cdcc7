//! Experiments: descriptions, settings over them, and axes whose cross product gives points.
//!
//! They are data (`experiments.toml`); each point is an ordinary description, checked and run like a
//! user's. In a setting, `<AXIS>` stands for the point's value of that axis. Points run in parallel;
//! results do not depend on the order.

use super::export;
use super::location::{Location, StudyFile};
use crate::experiment::threads::one_by_one;
use crate::experiment::{RunResult, run};
use narrows_core::engine::Recorder;
use narrows_core::machine::Machine;
use narrows_core::text::kind::{ByName, Phrase, Several};
use narrows_core::text::{Problems, Read, Said, Table};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// For each value of an axis the settings it stands for.
pub type Values = Vec<(Said, Vec<Said>)>;

/// The experiments of a study.
#[derive(Debug, Default)]
pub struct Experiments {
    /// For each axis its values.
    pub axes: Vec<(Said, Values)>,
    /// Under `--quick`, further settings of an axis' values.
    pub quick: Vec<(Said, Values)>,
    /// The experiments, by name.
    pub all: Vec<(String, Experiment)>,
}

/// Descriptions that differ in their values of some axes.
#[derive(Debug)]
pub struct Experiment {
    /// The description, in the study's folder.
    pub base: Said,
    /// Settings over it.
    pub set: Vec<Said>,
    /// The key that an axis means by `PAYLOAD`.
    payload: Option<String>,
    /// The axes.
    pub axes: Vec<Said>,
    /// Whether spans are recorded.
    trace: bool,
    /// Whether points whose parts do not fit together are left out.
    fitting: bool,
    /// Further settings under `--quick`.
    quick: Vec<Said>,
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

/// A point's description, to be read.
pub struct Draft {
    /// `EXPERIMENT/VALUE/VALUE…`.
    pub name: String,
    base: Arc<StudyFile>,
    sets: Vec<String>,
    trace: bool,
    fitting: bool,
}

impl Draft {
    /// Reads it, with `more` settings over its own.
    pub fn read(&self, more: &[String]) -> Result<Read<Machine>, Problems> {
        let sets: Vec<String> = self.sets.iter().chain(more).cloned().collect();
        self.base.machine(&sets)
    }

    /// Runs it as it was read.
    pub fn run(&self, read: &Read<Machine>) -> RunResult {
        run(&read.value, recorder(self.trace))
    }

    /// It as a file of its own.
    fn written(&self) -> Option<String> {
        export::description(&self.name, &self.base.text, &self.sets)
    }
}

/// What is wrong with the descriptions of points: at which, and what.
pub type FaultyPoints = Vec<(String, Problems)>;

/// The results, by the name of the point.
pub type Results = BTreeMap<String, RunResult>;

/// The most spans a traced point keeps.
const SPANS_MAX: usize = 1_000_000;
/// The most points of an experiment.
const POINTS_MAX: usize = 100_000;

impl Experiments {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> Experiments {
        let settings = || ByName(Several::of(Phrase));
        let axes =
            t.by_name("axes", "For each axis its values, and for each value the settings it stands for", settings());
        let axes = axes.optional().unwrap_or_default();
        let quick = t.by_name("quick", "Under --quick, further settings of an axis' values", settings());
        Experiments {
            axes,
            quick: quick.optional().unwrap_or_default(),
            all: t.map("experiments", "Descriptions that are run, by name", Experiment::read),
        }
    }

    /// The experiment `name`.
    pub fn find(&self, name: &str) -> Option<&Experiment> {
        self.all.iter().find(|(known, _)| known == name).map(|(_, experiment)| experiment)
    }

    /// The points of the experiments `wanted`, in order, with `more` settings over theirs; without those
    /// that may be left out and do not fit.
    pub fn points(
        &self,
        location: &Location,
        wanted: &[&str],
        quick: bool,
        more: &[String],
    ) -> Result<Vec<Point>, FaultyPoints> {
        let (mut points, mut faulty) = (Vec::new(), Vec::<SharedProblem>::new());
        for name in wanted {
            let (before, mut misfits) = (points.len(), Vec::new());
            let drafts = self.drafts(location, &[name], quick)?.into_par_iter();
            let read: Vec<_> = drafts.map(|draft| (draft.read(more).map(|read| read.value), draft)).collect();
            for (read, draft) in read {
                match read {
                    Ok(machine) => points.push(Point { name: draft.name, machine, trace: draft.trace }),
                    Err(problems) if draft.fitting && problems.are_incompatibilities() => {
                        misfits.push((draft.name, problems))
                    }
                    Err(problems) => SharedProblem::add(&mut faulty, &draft.name, &problems),
                }
            }
            // Where nothing fits, that is what is wrong.
            misfits.retain(|_| points.len() == before);
            misfits.iter().for_each(|(point, problems)| SharedProblem::add(&mut faulty, point, problems));
        }
        if faulty.is_empty() { Ok(points) } else { Err(faulty.into_iter().map(SharedProblem::told).collect()) }
    }

    /// The points of the experiments `wanted`, in order, to be read.
    pub fn drafts(&self, location: &Location, wanted: &[&str], quick: bool) -> Result<Vec<Draft>, FaultyPoints> {
        let mut drafts = Vec::new();
        for (name, experiment) in wanted.iter().filter_map(|name| Some((*name, self.find(name)?))) {
            let base = Arc::new(location.file(&experiment.base).map_err(|problem| vec![(String::new(), problem)])?);
            let (trace, fitting) = (experiment.trace, experiment.fitting);
            let combinations = self.combinations(name, experiment, quick).into_iter();
            drafts.extend(combinations.map(|Combination { name, sets, .. }| Draft {
                name,
                base: base.clone(),
                sets,
                trace,
                fitting,
            }));
        }
        Ok(drafts)
    }

    /// The descriptions of these points of the experiments `wanted` as files of their own: path and text.
    pub fn descriptions(
        &self,
        location: &Location,
        wanted: &[&str],
        quick: bool,
        points: &BTreeSet<String>,
    ) -> Result<Vec<(String, String)>, FaultyPoints> {
        let drafts = self.drafts(location, wanted, quick)?.into_iter().filter(|draft| points.contains(&draft.name));
        Ok(drafts.filter_map(|draft| Some((export::path(&draft.name), draft.written()?))).collect())
    }

    /// The point `of` of the experiment `experiment` under another name, with `more` settings.
    pub fn varied(
        &self,
        location: &Location,
        experiment: &str,
        of: &str,
        name: String,
        more: &[String],
    ) -> Option<Point> {
        let (key, experiment) = (experiment, self.find(experiment)?);
        let mut sets = self.combinations(key, experiment, false).into_iter().find(|point| point.name == of)?.sets;
        sets.extend_from_slice(more);
        let base = location.file(&experiment.base).ok()?;
        let read = base.machine(&sets).ok()?;
        Some(Point { machine: read.value, name, trace: experiment.trace })
    }

    /// The names of the points of the experiment `name`, in order; none if there is no such one.
    pub fn names(&self, name: &str, quick: bool) -> Vec<String> {
        let points = self.find(name).map(|experiment| self.combinations(name, experiment, quick)).unwrap_or_default();
        points.into_iter().map(|point| point.name).collect()
    }

    /// Descriptions of an experiment, as settings over its base, in which every value of every axis
    /// occurs: the one with the first value of each, and those that differ from it in one.
    pub fn variety(&self, name: &str) -> Vec<Vec<String>> {
        let points = self.find(name).map(|experiment| self.combinations(name, experiment, false)).unwrap_or_default();
        let differing =
            |point: &Combination| point.values.iter().zip(&points[0].values).filter(|(a, b)| a != b).count();
        points.iter().filter(|point| differing(point) <= 1).map(|point| point.sets.clone()).collect()
    }

    /// The values of an axis.
    pub fn axis(&self, name: &str) -> Option<&Values> {
        self.axes.iter().find(|(axis, _)| axis.text == name).map(|(_, values)| values)
    }

    /// How many points an experiment has; none if they are too many.
    pub fn count(&self, experiment: &Experiment) -> Option<usize> {
        let axes = experiment.axes.iter().map(|axis| self.axis(&axis.text).map_or(0, Vec::len));
        axes.into_iter().try_fold(1usize, |points, values| points.checked_mul(values)).filter(|all| *all <= POINTS_MAX)
    }

    /// The names and settings of an experiment's points.
    fn combinations(&self, name: &str, experiment: &Experiment, quick: bool) -> Vec<Combination> {
        let less = if quick { experiment.quick.as_slice() } else { &[] };
        let sets: Vec<String> = experiment.set.iter().map(|set| settled(&set.text, less)).collect();
        let mut points = vec![Combination { name: name.to_owned(), sets, values: Vec::new() }];
        for Said { text: axis, .. } in &experiment.axes {
            let values = self.axis(axis).into_iter().flatten();
            let values: Vec<(&str, Vec<String>)> =
                values.map(|(value, sets)| (&*value.text, self.meant(axis, &value.text, sets, quick))).collect();
            let one =
                |(value, sets): &(&str, Vec<String>), point: &Combination| extend(point, axis, value, sets, experiment);
            points = values.iter().flat_map(|value| points.iter().map(|point| one(value, point))).collect();
        }
        points.iter_mut().for_each(Combination::fill);
        points.sort_by(|a, b| a.name.cmp(&b.name));
        points
    }

    /// The settings that a value of an axis stands for.
    fn meant(&self, axis: &str, value: &str, sets: &[Said], quick: bool) -> Vec<String> {
        let less = self.quick.iter().find(|(of, _)| of.text == axis && quick);
        let less = less.and_then(|(_, values)| values.iter().find(|(of, _)| of.text == value));
        let less = less.map_or(&[][..], |(_, sets)| sets);
        sets.iter().map(|set| settled(&set.text, less)).collect()
    }
}

impl Experiment {
    fn read(t: &mut Table<'_>) -> Experiment {
        Experiment {
            base: t.phrase("base", "The description that is run, a file in the study's folder").required(),
            set: t
                .phrases("set", "Settings over it, each as KEY=VALUE; <AXIS> is the point's value of an axis")
                .or(&[]),
            payload: t.text("payload", "The key that axes mean by PAYLOAD").optional(),
            axes: t.phrases("axes", "The axes whose values its points have, every combination").or(&[]),
            trace: t.flag("trace", "Whether what every engine did is recorded").or(false),
            fitting: t.flag("fitting", "Whether points whose parts do not fit together are left out").or(false),
            quick: t.phrases("quick", "Settings that --quick puts in the place of those with the same key").or(&[]),
        }
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

/// A problem of points, told once for all that have it.
struct SharedProblem {
    first: String,
    points: usize,
    problem: Problems,
}

impl SharedProblem {
    fn add(all: &mut Vec<SharedProblem>, point: &str, problems: &Problems) {
        for problem in problems.each() {
            let told = problem.to_string();
            match all.iter_mut().find(|found| found.problem.to_string() == told) {
                Some(found) => found.points += 1,
                None => all.push(SharedProblem { first: point.to_owned(), points: 1, problem }),
            }
        }
    }

    fn told(self) -> (String, Problems) {
        let head = match self.points {
            1 => format!("At the point {}:", self.first),
            more => format!("At {more} points, the first of them {}:", self.first),
        };
        (head, self.problem)
    }
}

/// A setting, or what `--quick` puts in its place.
fn settled(set: &str, quick: &[Said]) -> String {
    let key = |set: &str| set.split('=').next().unwrap_or_default().to_owned();
    let other = quick.iter().find(|other| key(&other.text) == key(set));
    other.map_or_else(|| set.to_owned(), |other| other.text.clone())
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

/// What records the spans of a point.
fn recorder(trace: bool) -> Recorder {
    if trace { Recorder::keeping(SPANS_MAX) } else { Recorder::off() }
}

/// Runs all points on `jobs` threads (0: as many as there are), telling `done` of each.
pub fn run_all(points: &[Point], jobs: usize, done: &(dyn Fn(&str) + Sync)) -> Results {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().expect("threads can be started");
    let one = |point: &Point| {
        // Hundreds of results are kept to the end, and none is asked for its messages one by one.
        let result = RunResult { deliveries: Vec::new(), ..run(&point.machine, recorder(point.trace)) };
        done(&point.name);
        (point.name.clone(), result)
    };
    pool.install(|| one_by_one(points.par_iter()).map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_core::text::{Reading, load};
    use std::path::Path;

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
        let loaded = load::together(&[(Path::new("experiments.toml"), TEXT, None)]).expect("TOML");
        let experiments = Reading::new(loaded).read(Experiments::read).expect("experiments").value;
        let points = experiments.combinations("one", &experiments.all[0].1, quick);
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
