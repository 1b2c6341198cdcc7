//! What a search is asked for, checked before anything is run; and what it found, in words and as data.

use super::{Condition, FindError, MetricCrossing, Probe, Question, Search, SearchRange};
use crate::experiment::points::Points;
use crate::experiment::reader::Reader;
use crate::experiment::sweep::{self, SweepEvent, metrics};
use crate::experiment::threads::one_by_one;
use crate::experiment::tidy;
use crate::report::dataset::{ColumnValues, Dataset};
use narrows_core::text::{Problem, Problems};
use rayon::prelude::*;

/// The values of a point.
pub type PointValues = Vec<(String, String)>;

/// A point and what was found there.
pub type FoundRow = (PointValues, MetricCrossing);

/// Problems, each under where it is met; under nothing if that is plain.
pub type Grouped = Vec<(String, Problems)>;

/// What is asked.
pub struct FindQuery {
    /// Along which key.
    pub over: SearchRange,
    /// What is wanted of the metric, unless two descriptions are compared.
    pub condition: Option<Condition>,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
}

fn alone(problem: Problem) -> Grouped {
    vec![(String::new(), Problems::one(problem))]
}

fn at(values: &[(String, String)]) -> String {
    format!("At the point {}:", sweep::line(values))
}

impl FindQuery {
    /// Takes apart what is to be found, `over` which key; `compares` if two descriptions are. The first point tells
    /// which metrics there are.
    pub fn of(
        find: &str,
        over: &str,
        compares: bool,
        reader: Reader<'_>,
        first: &[(String, String)],
    ) -> Result<FindQuery, Grouped> {
        let over = SearchRange::parse(over).map_err(alone)?;
        let values = [first, &[(over.key.clone(), over.value(over.ends().0))]].concat();
        let read = reader(&sweep::settings(&values)).map_err(|problems| vec![(String::new(), problems)])?;
        let known = metrics::of(&read.value);
        let name = Condition::name(find);
        let Some(metric) = known.iter().find(|metric| metric.name == name) else {
            return Err(alone(metrics::unknown(name, known.iter().map(|metric| metric.name.as_str()))));
        };
        let condition = match compares {
            false => Some(Condition::parse(find, &known).map_err(alone)?),
            true if find.trim() != name => {
                let problem = Problem::new(format!("`{find}` asks for a value, and --against for another machine's"));
                return Err(alone(problem.help(format!("write --find {name}, or leave out --against"))));
            }
            true => None,
        };
        Ok(FindQuery { over, condition, metric: name.to_owned(), unit: metric.unit.to_owned() })
    }

    /// Both ends of every search are sound; what lies between is read when it is looked at.
    pub fn check(&self, all: &[PointValues], reader: Reader<'_>) -> Result<(), Grouped> {
        let (low, high) = self.over.ends();
        for (values, end) in all.iter().flat_map(|values| [low, high].map(|end| (values, end))) {
            let values = [&values[..], &[(self.over.key.clone(), self.over.value(end))]].concat();
            reader(&sweep::settings(&values)).map_err(|problems| vec![(at(&values), problems)])?;
        }
        Ok(())
    }

    /// Searches at each of these points; `other` reads the description that the first is compared with.
    pub fn search(
        &self,
        all: &[PointValues],
        reader: Reader<'_>,
        other: Option<Reader<'_>>,
        points: Option<&Points>,
        tell: &(dyn Fn(SweepEvent) + Sync),
    ) -> Result<Vec<FoundRow>, FindError> {
        let meets = other.map(|other| Question::Meets(&self.metric, other));
        let question = self.condition.as_ref().map(Question::Passes).or(meets).expect("a value or another description");
        let find = |values: &PointValues| {
            let search = Search { reader, values, over: &self.over, question, points, tell };
            Ok((values.clone(), search.run()?))
        };
        one_by_one(all.par_iter()).map(find).collect()
    }

    /// Where what is wanted holds, in a word.
    pub fn place(&self, found: &MetricCrossing) -> &'static str {
        match (self.condition.is_some(), found.below.holds, found.above.holds) {
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

    /// The end at which it holds, and the other.
    pub fn ends<'a>(&self, found: &'a MetricCrossing) -> [&'a Probe; 2] {
        match found.above.holds {
            true if found.is_between() => [&found.above, &found.below],
            _ => [&found.below, &found.above],
        }
    }

    /// A row for each point: what lies beside the place where it holds has names that begin with `beside`.
    pub fn dataset(&self, rows: &[FoundRow]) -> Dataset {
        let mut data = Dataset::default();
        tidy::of_values(&mut data, &rows.iter().map(|(values, _)| &values[..]).collect::<Vec<_>>());
        let places = rows.iter().map(|(_, found)| Some(self.place(found).to_owned())).collect();
        data.push("holds", "", ColumnValues::Texts(places));
        for (end, before) in ["", "beside_"].into_iter().enumerate() {
            let seen = || rows.iter().map(|(_, found)| self.ends(found)[end]);
            let key = format!("{before}{}", self.over.key);
            let values: Vec<[(String, String); 1]> = seen().map(|seen| [(key.clone(), seen.value.clone())]).collect();
            tidy::of_values(&mut data, &values.iter().map(|value| &value[..]).collect::<Vec<_>>());
            let name = format!("{before}{}", self.metric);
            tidy::push_number(&mut data, &name, &self.unit, seen().map(|seen| seen.metric).collect());
            if self.condition.is_none() {
                let others = seen().map(|seen| seen.other).collect();
                tidy::push_number(&mut data, &format!("{name}_of_other"), &self.unit, others);
            }
        }
        data
    }
}

impl FindError {
    /// What went wrong, with what to do about it.
    pub fn groups(self) -> Grouped {
        let (values, problems) = match self {
            FindError::Unkept(error) => return alone(Problem::new(format!("cannot keep a point: {error}"))),
            FindError::Unsound(values, problems) => (values, problems),
        };
        let mut groups: Grouped = problems.each().into_iter().map(|problems| (String::new(), problems)).collect();
        if let Some(first) = groups.first_mut() {
            first.0 = at(&values);
        }
        let help = Problem::new("the search cannot go on there")
            .help("with a step, such as KEY=64 B..8 KiB*2, only those values are looked at");
        groups.extend(alone(help));
        groups
    }
}
