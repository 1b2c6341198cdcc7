//! A search at each point of a sweep. It is parsed and checked before the first run. Its results are presented as text
//! and data.

use super::{Comparison, Condition, FindError, MetricCrossing, Probe, Search, SearchRange};
use crate::experiment::points::PointStore;
use crate::experiment::reader::Reader;
use crate::experiment::sweep::{self, PointWarning, SweepEvent, metrics};
use crate::experiment::threads::one_task_per_run;
use crate::experiment::tidy;
use crate::experiment::vary;
use crate::report::dataset::{ColumnValues, Dataset};
use narrows_core::engine::current_metric_name;
use narrows_core::machine::Registry;
use narrows_core::text::{Problem, ProblemGroups, Problems};
use rayon::prelude::*;
use std::sync::Arc;

/// The prefix of the columns about the end of the interval at which the condition does not hold.
const OTHER_END_PREFIX: &str = "other_end_";

/// The keys and values of a point.
pub type PointValues = Vec<(String, String)>;

/// A point, and the crossing that was found there.
pub type FoundRow = (PointValues, MetricCrossing);

/// A search to be run at each point of a sweep.
pub struct FindQuery {
    /// The key that is searched over, and its range.
    pub range: SearchRange,
    /// The condition on the metric; `None` if two descriptions are compared.
    pub condition: Option<Condition>,
    /// The name of the metric.
    pub metric: String,
    /// The unit of the metric.
    pub unit: String,
}

/// The inputs that determine the points of a search, except the key that is searched over.
pub struct SearchContext<'a> {
    /// The parts that descriptions may name.
    pub registry: &'a Arc<Registry>,
    /// The overrides of the descriptions.
    pub base_overrides: &'a [String],
    /// The varied keys, with their values at the first point.
    pub first_values: &'a [(String, String)],
}

impl SearchContext<'_> {
    /// Returns a problem if the searched key is also varied or set, because only one of the values could then have an
    /// effect.
    fn conflict(&self, key: &str) -> Option<Problem> {
        let key_names = |option: &str| vary::key_names(&self.registry.with_canonical_keys(option)).ok();
        let searched_key = key_names(&format!("{key}=0"))?;
        if self
            .first_values
            .iter()
            .any(|(varied_key, _)| key_names(&format!("{varied_key}=0")).as_ref() == Some(&searched_key))
        {
            let problem = Problem::new(format!("`{key}` is both varied and searched over"));
            return Some(problem.help("remove its --vary, or search along another key with --over"));
        }
        if self.base_overrides.iter().any(|option| key_names(option).as_ref() == Some(&searched_key)) {
            let problem = Problem::new(format!("`{key}` is both set and searched over"));
            return Some(problem.help("remove its --set, or search along another key with --over"));
        }
        None
    }
}

fn point_heading(values: &[(String, String)]) -> String {
    format!("At the point {}:", sweep::format_values(values))
}

impl FindQuery {
    /// Parses a search for the condition or metric `find` along the key and range `range`; `compares_machines` states
    /// whether two descriptions are compared. The known metrics are those of the first point of `context`.
    ///
    /// # Errors
    ///
    /// Reports a malformed range or condition, a key that is also varied or set, an unknown metric, and an invalid
    /// description at the first point.
    pub fn parse(
        find: &str,
        range: &str,
        compares_machines: bool,
        reader: Reader<'_>,
        context: &SearchContext<'_>,
    ) -> Result<FindQuery, ProblemGroups> {
        let range = SearchRange::parse(range).map_err(Problem::into_groups)?;
        if let Some(problem) = context.conflict(&range.key) {
            return Err(problem.into_groups());
        }
        let values = [context.first_values, &[(range.key.clone(), range.value(range.first_and_last().0))]].concat();
        let description = reader(&sweep::settings(&values)).map_err(Problems::into_groups)?;
        let known_metrics = metrics::metrics_of_run(&description.value);
        let name = Condition::name(find);
        let current_name = current_metric_name(name);
        let Some(metric) = known_metrics.iter().find(|metric| metric.name == current_name) else {
            let names = known_metrics.iter().map(|metric| metric.name.as_str());
            return Err(metrics::unknown_metric_problem(current_name, names).into_groups());
        };
        let condition = match compares_machines {
            false => Some(Condition::parse(find, &known_metrics).map_err(Problem::into_groups)?),
            true if find.trim() != name => {
                let problem = Problem::new(format!(
                    "`{find}` compares with a value, but --against compares with another machine: only one of them is possible"
                ));
                return Err(problem.help(format!("write --find {name}, or leave out --against")).into_groups());
            }
            true => None,
        };
        Ok(FindQuery { range, condition, metric: current_name.to_owned(), unit: metric.unit.to_owned() })
    }

    /// Checks the description at both ends of the range of every point, and returns its warnings there, as lines of
    /// text; values between are checked when they are run.
    pub fn check(&self, all_points: &[PointValues], reader: Reader<'_>) -> Result<Vec<String>, ProblemGroups> {
        let mut point_warnings = Vec::new();
        let (low, high) = self.range.first_and_last();
        for (values, position) in all_points.iter().flat_map(|values| [low, high].map(|position| (values, position))) {
            let values = [&values[..], &[(self.range.key.clone(), self.range.value(position))]].concat();
            let read =
                reader(&sweep::settings(&values)).map_err(|problems| vec![(point_heading(&values), problems)])?;
            for warning in read.value.warnings() {
                PointWarning::add(&mut point_warnings, || values.clone(), warning);
            }
        }
        Ok(point_warnings.iter().map(|warning| warning.text(2 * all_points.len())).collect())
    }

    /// Runs the search at each of these points. `other_reader` reads the second description, if two are compared;
    /// `store` holds the finished runs.
    pub fn search(
        &self,
        all_points: &[PointValues],
        reader: Reader<'_>,
        other_reader: Option<Reader<'_>>,
        store: Option<&PointStore>,
        on_event: &(dyn Fn(SweepEvent) + Sync),
    ) -> Result<Vec<FoundRow>, FindError> {
        let with_machine = other_reader.map(|other_reader| Comparison::WithMachine(&self.metric, other_reader));
        let comparison = self
            .condition
            .as_ref()
            .map(Comparison::WithValue)
            .or(with_machine)
            .expect("the query has a condition or another description");
        let search_point = |values: &PointValues| {
            let search = Search { reader, values, range: &self.range, comparison, store, on_event };
            Ok((values.clone(), search.run()?))
        };
        one_task_per_run(all_points.par_iter()).map(search_point).collect()
    }

    /// Describes the part of the range in which the condition holds.
    pub fn region(&self, crossing: &MetricCrossing) -> &'static str {
        if !crossing.is_decided() {
            return "unknown";
        }
        match (self.condition.is_some(), crossing.low_probe.holds, crossing.high_probe.holds) {
            (true, true, true) => "everywhere",
            (true, false, false) => "nowhere",
            (true, true, false) => "up to",
            (true, false, true) => "from",
            (false, true, true) => "always less",
            (false, false, false) => "never less",
            (false, true, false) => "less up to",
            (false, false, true) => "less from",
        }
    }

    /// Returns the two probes that enclose the crossing, starting with the one at which the condition holds. Returns
    /// the lower and then the upper probe if there is no crossing.
    pub fn ordered_ends<'a>(&self, crossing: &'a MetricCrossing) -> [&'a Probe; 2] {
        match crossing.high_probe.holds {
            true if crossing.is_between() => [&crossing.high_probe, &crossing.low_probe],
            _ => [&crossing.low_probe, &crossing.high_probe],
        }
    }

    /// Returns a row for each point: the value, metric and outcome at the end where the condition holds, and then those
    /// at the other end, whose names begin with [`OTHER_END_PREFIX`].
    pub fn dataset(&self, rows: &[FoundRow]) -> Dataset {
        let mut data = Dataset::default();
        tidy::push_columns(&mut data, &rows.iter().map(|(values, _)| &values[..]).collect::<Vec<_>>());
        let regions = rows.iter().map(|(_, crossing)| Some(self.region(crossing).to_owned())).collect();
        data.push("holds", "", ColumnValues::Texts(regions));
        for (end_index, prefix) in ["", OTHER_END_PREFIX].into_iter().enumerate() {
            let probes = || rows.iter().map(|(_, crossing)| self.ordered_ends(crossing)[end_index]);
            let key = format!("{prefix}{}", self.range.key);
            let values: Vec<[(String, String); 1]> =
                probes().map(|probe| [(key.clone(), probe.value.clone())]).collect();
            tidy::push_columns(&mut data, &values.iter().map(|value| &value[..]).collect::<Vec<_>>());
            let name = format!("{prefix}{}", self.metric);
            tidy::push_number(&mut data, &name, &self.unit, probes().map(|probe| probe.metric).collect());
            let outcomes = probes().map(|probe| Some(probe.outcome.clone())).collect();
            data.push(&format!("{prefix}outcome"), "", ColumnValues::Texts(outcomes));
            let transients = probes().map(|probe| probe.is_transient.map(u64::from)).collect();
            data.push(&format!("{prefix}{}", tidy::TRANSIENT), "", ColumnValues::Counts(transients));
            if self.condition.is_none() {
                let other_values = probes().map(|probe| probe.other).collect();
                tidy::push_number(&mut data, &format!("{name}_of_other"), &self.unit, other_values);
                let outcomes = probes().map(|probe| probe.other_outcome.clone()).collect();
                data.push(&format!("{prefix}outcome_of_other"), "", ColumnValues::Texts(outcomes));
            }
        }
        if rows.iter().any(|(_, crossing)| crossing.longer_run.is_some()) {
            let verdict = |crossing: &MetricCrossing| crossing.longer_run.as_ref().map(|run| run.verdict().to_owned());
            let verdicts = rows.iter().map(|(_, crossing)| verdict(crossing)).collect();
            data.push("holds_in_longer_run", "", ColumnValues::Texts(verdicts));
        }
        if rows.iter().any(|(_, crossing)| crossing.undecided().next().is_some()) {
            let reasons = rows.iter().map(|(_, crossing)| crossing.undecided().next().map(undecided_reason)).collect();
            data.push("reason", "", ColumnValues::Texts(reasons));
        }
        data
    }
}

/// Describes the reason for which a probe has no result, with the value of the probe.
pub fn undecided_reason(probe: &Probe) -> String {
    format!("at {}: {}", probe.value, probe.reason.as_deref().unwrap_or_default())
}

impl FindError {
    /// Returns the problems under their headings, with advice.
    pub fn groups(self) -> ProblemGroups {
        let (values, problems) = match self {
            FindError::Store(error) => return Problem::new(format!("cannot store a point: {error}")).into_groups(),
            FindError::Invalid(values, problems) => (values, problems),
        };
        let mut groups: ProblemGroups =
            problems.split().into_iter().map(|problems| (String::new(), problems)).collect();
        if let Some(first) = groups.first_mut() {
            first.0 = point_heading(&values);
        }
        let help = Problem::new("the search cannot continue at this value")
            .help("with a step, such as KEY=64 B..8 KiB*2, only those values are tried");
        groups.extend(help.into_groups());
        groups
    }
}
