//! `narrows sweep --find`: where along a key a metric passes a value, or that of another description.

use super::ending::{Ended, Ending, Failure};
use super::output::Output;
use super::progress::Progress;
use super::sweep::{self, Options};
use super::{subject, sweep_table};
use crate::report::dataset::{ColumnValues, Dataset};
use crate::report::{Cell, Column, ReportTable};
use crate::study::find::{Condition, Look, Over, Passage, Question, Search, Unfound};
use crate::study::points::Points;
use crate::study::sweep::{self as points, metrics};
use crate::study::tidy;
use crate::study::vary::Dimension;
use crate::text::{Problem, Problems};
use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};

/// What is asked, checked before anything is run.
struct Asked {
    over: Over,
    /// What is wanted of the metric, unless two descriptions are compared.
    condition: Option<Condition>,
    metric: String,
    unit: String,
}

/// A point and what was found there.
type Row = (Vec<(String, String)>, Passage);

/// Searches at each point of the dimensions.
pub fn run(options: &Options, subject: &subject::Subject, dimensions: &[Dimension]) -> Ended {
    let sets = options.sets();
    let reader = |varied: &[String]| subject.read_varied(sets, varied);
    let against = options.against()?;
    let other = against.as_ref().map(|(subject, sets)| move |varied: &[String]| subject.read_varied(sets, varied));
    let count: usize = dimensions.iter().map(Dimension::len).product();
    let all: Vec<Vec<(String, String)>> = (0..count).map(|point| points::values_of(dimensions, point)).collect();
    let asked = Asked::of(options, &reader, &all[0])?;
    asked.check(&all, &reader)?;
    if let Some(other) = &other {
        asked.check(&all, other)?;
    }
    let out = options.out().map(Output::prepare).transpose()?;
    let kept = options.out().map(sweep::points).transpose()?;
    let looks = count * asked.over.looks() * if other.is_some() { 2 } else { 1 };
    let progress = Progress::begin("runs at most", looks, kept.as_ref().map(Points::folder));
    let tell = |event| sweep::happened(&progress, event);
    let find = |values: &Vec<(String, String)>| {
        let meets = other.as_ref().map(|other| Question::Meets(&asked.metric, other));
        let question =
            asked.condition.as_ref().map(Question::Passes).or(meets).expect("a value or another description");
        let search =
            Search { reader: &reader, values, over: &asked.over, question, points: kept.as_ref(), tell: &tell };
        Ok((values.clone(), search.run()?))
    };
    let pool = sweep::pool(options.jobs())?;
    let rows: Result<Vec<Row>, Unfound> = pool.install(|| all.par_iter().map(find).collect());
    progress.end();
    let rows = rows.map_err(failure)?;
    let form = options.form()?;
    let bytes = match (form.encoding(), form) {
        (Some(encoding), _) => asked.dataset(&rows).bytes(encoding).map_err(Problem::new)?,
        (None, sweep::Format::Json) => asked.json(&rows).into_bytes(),
        (None, _) => asked.text(&rows).into_bytes(),
    };
    sweep::put(&bytes, out)?;
    Ok(Ending::Done)
}

fn failure(lost: Unfound) -> Failure {
    match lost {
        Unfound::Unkept(error) => Problem::new(format!("cannot keep a point: {error}")).into(),
        Unfound::Unsound(values, problems) => {
            let head = format!("At the point {}:", sweep_table::values(&values));
            let problems = problems.each().into_iter().map(|problems| (String::new(), problems));
            let help = Problem::new("the search cannot go on there")
                .help("with a step, such as KEY=64 B..8 KiB*2, only those values are looked at");
            let mut groups: Vec<(String, Problems)> = problems.collect();
            if let Some(first) = groups.first_mut() {
                first.0 = head;
            }
            groups.push((String::new(), Problems::one(help)));
            Failure::grouped(groups)
        }
    }
}

impl Asked {
    fn of(options: &Options, reader: points::Reader<'_>, first: &[(String, String)]) -> Result<Asked, Failure> {
        let find = options.find().unwrap_or_default();
        let over = Over::parse(options.over().unwrap_or_default())?;
        let values = [first, &[(over.key.clone(), over.value(over.ends().0))]].concat();
        let read = reader(&points::settings(&values))?;
        let known = metrics::of(&read.value);
        let name = Condition::name(find);
        let Some(metric) = known.iter().find(|metric| metric.name == name) else {
            return Err(metrics::unknown(name, known.iter().map(|metric| metric.name.as_str())).into());
        };
        let condition = match options.compares() {
            false => Some(Condition::parse(find, &known)?),
            true if find.trim() != name => {
                let problem = Problem::new(format!("`{find}` asks for a value, and --against for another machine's"));
                return Err(problem.help(format!("write --find {name}, or leave out --against")).into());
            }
            true => None,
        };
        Ok(Asked { over, condition, metric: name.to_owned(), unit: metric.unit.to_owned() })
    }

    /// Both ends of every search are sound; what lies between is read when it is looked at.
    fn check(&self, all: &[Vec<(String, String)>], reader: points::Reader<'_>) -> Result<(), Failure> {
        let (low, high) = self.over.ends();
        for (values, end) in all.iter().flat_map(|values| [low, high].map(|end| (values, end))) {
            let values = [&values[..], &[(self.over.key.clone(), self.over.value(end))]].concat();
            let head = || format!("At the point {}:", sweep_table::values(&values));
            reader(&points::settings(&values)).map_err(|problems| Failure::grouped(vec![(head(), problems)]))?;
        }
        Ok(())
    }

    /// Where what is wanted holds, in a word.
    fn place(&self, found: &Passage) -> &'static str {
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
    fn ends<'a>(&self, found: &'a Passage) -> [&'a Look; 2] {
        match found.above.holds {
            true if found.is_between() => [&found.above, &found.below],
            _ => [&found.below, &found.above],
        }
    }

    /// A row for each point.
    fn table(&self, rows: &[Row]) -> ReportTable {
        let keys = rows.first().into_iter().flat_map(|(values, _)| values).map(|(key, _)| Column::new(key.as_str()));
        let mut heads: Vec<Column> = keys.chain([Column::new("holds")]).collect();
        for before in ["", "beside: "] {
            heads.push(Column::new(format!("{before}{}", self.over.key)));
            heads.push(Column::unit(format!("{before}{}", self.metric), self.unit.as_str()));
            if self.condition.is_none() {
                heads.push(Column::unit(format!("{before}{} of the other", self.metric), self.unit.as_str()));
            }
        }
        let mut table = ReportTable::new(heads);
        for (values, found) in rows {
            let mut cells: Vec<Cell> = values.iter().map(|(_, value)| value.as_str().into()).collect();
            cells.push(self.place(found).into());
            for seen in self.ends(found) {
                cells.extend([Cell::from(seen.value.as_str()), Cell::from(seen.metric)]);
                cells.extend(self.condition.is_none().then(|| Cell::from(seen.other)));
            }
            table.push(cells);
        }
        table
    }

    /// The same as data: what lies beside the place where it holds has names that begin with `beside`.
    fn dataset(&self, rows: &[Row]) -> Dataset {
        let mut data = Dataset::default();
        tidy::of_values(&mut data, &rows.iter().map(|(values, _)| &values[..]).collect::<Vec<_>>());
        data.push(
            "holds",
            "",
            ColumnValues::Texts(rows.iter().map(|(_, found)| Some(self.place(found).to_owned())).collect()),
        );
        for (end, before) in ["", "beside_"].into_iter().enumerate() {
            let seen = || rows.iter().map(|(_, found)| self.ends(found)[end]);
            let key = format!("{before}{}", self.over.key);
            let values: Vec<[(String, String); 1]> = seen().map(|seen| [(key.clone(), seen.value.clone())]).collect();
            tidy::of_values(&mut data, &values.iter().map(|value| &value[..]).collect::<Vec<_>>());
            let name = format!("{before}{}", self.metric);
            tidy::push_number(&mut data, &name, &self.unit, seen().map(|seen| seen.metric).collect());
            if self.condition.is_none() {
                tidy::push_number(
                    &mut data,
                    &format!("{name}_of_other"),
                    &self.unit,
                    seen().map(|seen| seen.other).collect(),
                );
            }
        }
        data
    }

    fn text(&self, rows: &[Row]) -> String {
        let asked = match &self.condition {
            Some(condition) => condition.text(),
            None => format!("{} less than the other's", self.metric),
        };
        let looks: usize = rows.iter().map(|(_, found)| found.looks).sum();
        format!("{asked}, over {}: {looks} values looked at\n\n{}", self.over.key, self.table(rows).text())
    }

    fn json(&self, rows: &[Row]) -> String {
        let seen = |seen: &Look| json!({ "value": seen.value, "metric": seen.metric, "other": seen.other, "holds": seen.holds });
        let row = |(values, found): &Row| {
            let values: Map<String, Json> = values.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
            let ends = [&found.below, &found.above].map(seen);
            json!({ "values": values, "holds": self.place(found), "between": ends, "looks": found.looks })
        };
        let found: Vec<Json> = rows.iter().map(row).collect();
        let whole = json!({
            "find": self.condition.as_ref().map_or(self.metric.clone(), Condition::text),
            "over": self.over.key,
            "metric": self.metric,
            "unit": self.unit,
            "found": found,
        });
        format!("{whole:#}\n")
    }
}
