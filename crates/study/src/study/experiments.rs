//! The experiments of a study: machine descriptions, overrides, and axes whose cross product gives the points.
//!
//! Experiments are data (`experiments.toml`). Each point is an ordinary description, which is checked and run like that
//! of a user. In an override, `<AXIS>` is replaced by the point's value of that axis. Points run in parallel; results
//! do not depend on the order.

use super::export;
use super::location::Location;
use super::points::{Draft, Point};
use super::shared_problem::SharedProblem;
use narrows_core::text::kind::{ListOf, MapOf, TextKind};
use narrows_core::text::{ProblemGroups, Problems, SpannedString, Table};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The values of an axis, each with its overrides.
pub type AxisValues = Vec<(SpannedString, Vec<SpannedString>)>;

/// The experiments of a study.
#[derive(Debug, Default)]
pub struct Experiments {
    /// The axes and their values.
    pub axes: Vec<(SpannedString, AxisValues)>,
    /// Overrides that replace those of the axes' values under `--quick`.
    pub quick_axis_overrides: Vec<(SpannedString, AxisValues)>,
    /// The experiments, by name.
    pub all: Vec<(String, Experiment)>,
}

/// A family of descriptions that differ in the values of some axes.
#[derive(Debug)]
pub struct Experiment {
    /// The file of the base description, in the study's folder.
    pub base: SpannedString,
    /// The overrides of the base description.
    pub overrides: Vec<SpannedString>,
    /// The key that replaces `PAYLOAD` in the overrides of axes.
    payload_key: Option<String>,
    /// The names of the axes.
    pub axes: Vec<SpannedString>,
    /// Whether spans are recorded.
    records_spans: bool,
    /// Whether points with incompatible parts are left out.
    skips_incompatible: bool,
    /// Overrides under `--quick`, which replace those of the same keys.
    quick_overrides: Vec<SpannedString>,
}

/// A point as a combination of values of the axes.
#[derive(Clone)]
struct Combination {
    name: String,
    overrides: Vec<String>,
    /// The value of the point on each axis.
    values: Vec<(String, String)>,
}

/// The largest number of points of an experiment.
pub const POINTS_MAX: usize = 100_000;

impl Experiments {
    /// Reads the experiments.
    pub fn read(t: &mut Table<'_>) -> Experiments {
        let axis_kind = || MapOf(ListOf::new(TextKind::default()));
        let axes = t.by_name("axes", "Values of each axis, each with its overrides", axis_kind());
        let axes = axes.optional().unwrap_or_default();
        let quick = t.by_name("quick", "Overrides that replace those of an axis' values under --quick", axis_kind());
        Experiments {
            axes,
            quick_axis_overrides: quick.optional().unwrap_or_default(),
            all: t.map("experiments", "Experiments, by name", Experiment::read),
        }
    }

    /// Returns the experiment `name`.
    pub fn find(&self, name: &str) -> Option<&Experiment> {
        self.all.iter().find(|(known, _)| known == name).map(|(_, experiment)| experiment)
    }

    /// Reads and checks the points of the experiments `names`, in order, with `extra_overrides` after those of each
    /// point, and with seeds that are larger by `seed_offset`. Points with incompatible parts are left out if the experiment allows that.
    ///
    /// # Errors
    ///
    /// Returns the problems of all other points, and of an experiment whose points all have incompatible parts.
    pub fn points(
        &self,
        location: &Location,
        names: &[&str],
        quick: bool,
        extra_overrides: &[String],
        seed_offset: u64,
    ) -> Result<Vec<Point>, ProblemGroups> {
        let (mut points, mut shared_problems) = (Vec::new(), Vec::<SharedProblem>::new());
        for name in names {
            let (point_count, mut incompatible) = (points.len(), Vec::new());
            let drafts = self.drafts(location, &[name], quick)?.into_par_iter();
            let machine_of = |draft: Draft| (draft.machine(extra_overrides, seed_offset), draft);
            for (machine, draft) in drafts.map(machine_of).collect::<Vec<_>>() {
                match machine {
                    Ok(machine) => points.push(Point { name: draft.name, machine, records_spans: draft.records_spans }),
                    Err(problems) if draft.skips_incompatible && problems.are_incompatibilities() => {
                        incompatible.push((draft.name, problems))
                    }
                    Err(problems) => SharedProblem::add(&mut shared_problems, &draft.name, &problems),
                }
            }
            // If no point of the experiment has compatible parts, that is an error.
            incompatible.retain(|_| points.len() == point_count);
            incompatible.iter().for_each(|(point, problems)| SharedProblem::add(&mut shared_problems, point, problems));
        }
        if shared_problems.is_empty() {
            Ok(points)
        } else {
            Err(shared_problems.into_iter().map(SharedProblem::with_heading).collect())
        }
    }

    /// Returns the points of the experiments `names`, in order. Their descriptions are not read yet.
    pub fn drafts(&self, location: &Location, names: &[&str], quick: bool) -> Result<Vec<Draft>, ProblemGroups> {
        let mut drafts = Vec::new();
        for (name, experiment) in names.iter().filter_map(|name| Some((*name, self.find(name)?))) {
            let base = Arc::new(location.file(&experiment.base).map_err(Problems::into_groups)?);
            let (records_spans, skips_incompatible) = (experiment.records_spans, experiment.skips_incompatible);
            let combinations = self.combinations(name, experiment, quick).into_iter();
            drafts.extend(combinations.map(|Combination { name, overrides, .. }| Draft {
                name,
                base: base.clone(),
                overrides,
                records_spans,
                skips_incompatible,
            }));
        }
        Ok(drafts)
    }

    /// Returns the descriptions of these points of the experiments `names` as files, each with its path and text.
    pub fn descriptions(
        &self,
        location: &Location,
        names: &[&str],
        quick: bool,
        points: &BTreeSet<String>,
    ) -> Result<Vec<(String, String)>, ProblemGroups> {
        let drafts = self.drafts(location, names, quick)?.into_iter().filter(|draft| points.contains(&draft.name));
        Ok(drafts.filter_map(|draft| Some((export::path(&draft.name), draft.file_text()?))).collect())
    }

    /// Returns a variant of the point `base_point` of an experiment: its name is `name`, and `extra_overrides`
    /// follow the overrides of the point. Returns `None` if the point does not exist or the variant is invalid.
    pub fn variant(
        &self,
        location: &Location,
        experiment: &str,
        base_point: &str,
        name: String,
        extra_overrides: &[String],
    ) -> Option<Point> {
        let (key, experiment) = (experiment, self.find(experiment)?);
        let mut overrides =
            self.combinations(key, experiment, false).into_iter().find(|point| point.name == base_point)?.overrides;
        overrides.extend_from_slice(extra_overrides);
        let base = location.file(&experiment.base).ok()?;
        let read = base.machine(&overrides).ok()?;
        Some(Point { machine: read.value, name, records_spans: experiment.records_spans })
    }

    /// Returns the names of the points of the experiment `name`, in order; none if there is no such experiment.
    pub fn names(&self, name: &str) -> Vec<String> {
        let Some(experiment) = self.find(name) else { return Vec::new() };
        let mut names = vec![name.to_owned()];
        for axis in &experiment.axes {
            let values = self.axis(&axis.text).into_iter().flatten();
            names = values.flat_map(|(value, _)| names.iter().map(|name| format!("{name}/{}", value.text))).collect();
        }
        names.sort();
        names
    }

    /// Returns the overrides of those points that differ from the first point on at most one axis. Every value of every
    /// axis occurs among them.
    pub fn axis_variations(&self, name: &str) -> Vec<Vec<String>> {
        let points = self.find(name).map(|experiment| self.combinations(name, experiment, false)).unwrap_or_default();
        let differing_axis_count =
            |point: &Combination| point.values.iter().zip(&points[0].values).filter(|(a, b)| a != b).count();
        points.iter().filter(|point| differing_axis_count(point) <= 1).map(|point| point.overrides.clone()).collect()
    }

    /// Returns the values of an axis.
    pub fn axis(&self, name: &str) -> Option<&AxisValues> {
        self.axes.iter().find(|(axis, _)| axis.text == name).map(|(_, values)| values)
    }

    /// Returns the number of points of an experiment, or `None` if it exceeds [`POINTS_MAX`].
    pub fn count(&self, experiment: &Experiment) -> Option<usize> {
        let axes = experiment.axes.iter().map(|axis| self.axis(&axis.text).map_or(0, Vec::len));
        axes.into_iter().try_fold(1usize, |points, values| points.checked_mul(values)).filter(|all| *all <= POINTS_MAX)
    }

    /// Returns the points of an experiment, sorted by name.
    fn combinations(&self, name: &str, experiment: &Experiment, quick: bool) -> Vec<Combination> {
        let replacements = if quick { experiment.quick_overrides.as_slice() } else { &[] };
        let overrides: Vec<String> =
            experiment.overrides.iter().map(|setting| quick_override(&setting.text, replacements)).collect();
        let mut points = vec![Combination { name: name.to_owned(), overrides, values: Vec::new() }];
        for SpannedString { text: axis, .. } in &experiment.axes {
            let values = self.axis(axis).into_iter().flatten();
            let values: Vec<(&str, Vec<String>)> = values
                .map(|(value, overrides)| (&*value.text, self.axis_overrides(axis, &value.text, overrides, quick)))
                .map(|(value, overrides)| (value, experiment.with_payload_key(overrides)))
                .collect();
            let with_axis_value =
                |(value, overrides): &(&str, Vec<String>), point: &Combination| point.extend(axis, value, overrides);
            points = values.iter().flat_map(|value| points.iter().map(|point| with_axis_value(value, point))).collect();
        }
        points.iter_mut().for_each(Combination::fill_placeholders);
        points.sort_by(|a, b| a.name.cmp(&b.name));
        points
    }

    /// Returns the overrides of a value of an axis.
    fn axis_overrides(&self, axis: &str, value: &str, overrides: &[SpannedString], quick: bool) -> Vec<String> {
        let replacements = self.quick_axis_overrides.iter().find(|(name, _)| name.text == axis && quick);
        let replacements = replacements.and_then(|(_, values)| values.iter().find(|(name, _)| name.text == value));
        let replacements = replacements.map_or(&[][..], |(_, overrides)| overrides);
        overrides.iter().map(|setting| quick_override(&setting.text, replacements)).collect()
    }
}

impl Experiment {
    fn read(t: &mut Table<'_>) -> Experiment {
        Experiment {
            base: t.phrase("base", "File of the base description, in the study's folder").required(),
            overrides: t
                .phrases("set", "Overrides, each as KEY=VALUE; <AXIS> is replaced by the point's value of that axis")
                .or(&[]),
            payload_key: t.text("payload", "Key that replaces PAYLOAD in the overrides of axes").optional(),
            axes: t.phrases("axes", "Axes whose cross product gives the points").or(&[]),
            records_spans: t.flag("trace", "Whether the spans of all engines are recorded").or(false),
            skips_incompatible: t.flag("fitting", "Whether points with incompatible parts are left out").or(false),
            quick_overrides: t.phrases("quick", "Overrides that replace those of the same key under --quick").or(&[]),
        }
    }

    /// Replaces `PAYLOAD` in the overrides of an axis' value.
    fn with_payload_key(&self, overrides: Vec<String>) -> Vec<String> {
        match &self.payload_key {
            Some(key) => overrides.iter().map(|setting| setting.replace("PAYLOAD", key)).collect(),
            None => overrides,
        }
    }
}

impl Combination {
    /// Returns the point extended by one more axis.
    fn extend(&self, axis: &str, value: &str, overrides: &[String]) -> Combination {
        let mut values = self.values.clone();
        values.push((axis.to_owned(), value.to_owned()));
        Combination {
            name: format!("{}/{value}", self.name),
            overrides: self.overrides.iter().chain(overrides).cloned().collect(),
            values,
        }
    }

    /// Replaces each `<AXIS>` by the point's value.
    fn fill_placeholders(&mut self) {
        for setting in self.overrides.iter_mut().filter(|setting| setting.contains('<')) {
            for (axis, value) in &self.values {
                *setting = setting.replace(&format!("<{axis}>"), value);
            }
        }
    }
}

/// Returns the override among `replacements` that has the key of `setting`, or otherwise `setting`.
fn quick_override(setting: &str, replacements: &[SpannedString]) -> String {
    let key = |setting: &str| setting.split('=').next().unwrap_or_default().to_owned();
    let replacement = replacements.iter().find(|replacement| key(&replacement.text) == key(setting));
    replacement.map_or_else(|| setting.to_owned(), |replacement| replacement.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_core::text::{DescriptionReader, load};
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
        let loaded = load::load_files(&[(Path::new("experiments.toml"), TEXT, None)]).expect("the text is TOML");
        let experiments =
            DescriptionReader::new(loaded).read(Experiments::read).expect("the experiments are valid").value;
        let points = experiments.combinations("one", &experiments.all[0].1, quick);
        assert!(experiments.names("one").iter().eq(points.iter().map(|point| &point.name)));
        points.into_iter().map(|point| (point.name, point.overrides.join("; "))).collect()
    }

    #[test]
    fn point_has_the_overrides_of_its_values_with_axes_replaced() {
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
