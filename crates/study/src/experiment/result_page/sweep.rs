//! A sweep on a page: each metric over what was varied, what bound each point, and all of its data.
//!
//! The columns are those of `tidy`: what varies, the outcome, the metrics, and then the rest.

use crate::experiment::plot::{self, Drawing};
use crate::report::dataset::{Base, ColumnValues, Dataset, Variable};
use crate::report::{Artifact, Cell, Column, ReportTable};

/// The column between what was varied and what came of it.
const OUTCOME: &str = "outcome";
/// The first column after the metrics.
const AFTER: &str = "binds_kind";
/// An axis whose ends are further apart is logarithmic.
const LOG_FROM: f64 = 16.0;
/// More lines than these are not told apart.
const LINES_MAX: usize = 12;

/// The tables and pictures of a sweep.
pub fn artifacts(rows: &Dataset, name: &str) -> Vec<Artifact> {
    let parts = Parts::of(rows);
    let mut drawn: Vec<Artifact> = parts.metrics.iter().filter_map(|metric| parts.draw(rows, metric, name)).collect();
    drawn.push(table(rows, name));
    drawn
}

/// The columns of a sweep by what they are.
struct Parts<'a> {
    varied: Vec<&'a Variable>,
    metrics: Vec<&'a Variable>,
}

impl Parts<'_> {
    fn of(rows: &Dataset) -> Parts<'_> {
        let at = |name: &str| rows.variables.iter().position(|variable| variable.name == name);
        let all = rows.variables.len();
        let outcome = at(OUTCOME).unwrap_or(0);
        let metrics =
            &rows.variables[(outcome + usize::from(at(OUTCOME).is_some())).min(all)..at(AFTER).unwrap_or(all)];
        Parts {
            varied: rows.variables[..outcome].iter().filter(|variable| different(variable) > 1).collect(),
            metrics: metrics.iter().filter(|metric| is_shown(metric)).collect(),
        }
    }

    /// A metric over the first number that was varied, or the first word; a line for each value of the others.
    fn draw(&self, rows: &Dataset, metric: &Variable, name: &str) -> Option<Artifact> {
        let number = self.varied.iter().find(|variable| !matches!(variable.values, ColumnValues::Texts(_)));
        let x = *number.or(self.varied.first())?;
        let by: Vec<&&Variable> = self.varied.iter().filter(|variable| variable.name != x.name).collect();
        if by.iter().map(|variable| different(variable)).product::<usize>() > LINES_MAX {
            return None;
        }
        let drawing = Drawing {
            title: None,
            x: x.name.clone(),
            y: vec![metric.name.clone()],
            by: by.iter().map(|variable| variable.name.clone()).collect(),
            log: (is_wide(x), false),
        };
        let drawn = drawing.draw(rows).ok()?;
        let caption = match drawn.left_out {
            0 => String::new(),
            left_out => format!("{left_out} values were not measured, and are left out."),
        };
        let title = format!("{name}: {}", plot::words(metric));
        Some(Artifact { id: metric.name.clone(), title, caption, svg: Some(drawn.svg), table: None })
    }
}

/// How many different values there are.
fn different(variable: &Variable) -> usize {
    let mut texts: Vec<Option<String>> = (0..variable.values.len()).map(|row| variable.values.text(row)).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.len()
}

/// Whether a metric has a picture of its own: it differs, and is no detail of another.
fn is_shown(metric: &Variable) -> bool {
    let details = ["_min", "_max", "_p50", "_p99", "_p999", "_ci95"];
    let plain = Base::of(&metric.unit).map_or(metric.name.as_str(), |base| {
        let ending = base.unit.replace('/', "_per_");
        metric.name.strip_suffix(&format!("_{ending}")).unwrap_or(&metric.name)
    });
    let is_detail = details.iter().any(|detail| plain.ends_with(detail));
    !is_detail && !matches!(metric.values, ColumnValues::Texts(_)) && different(metric) > 1
}

/// Whether a column is of positive numbers, far apart.
fn is_wide(variable: &Variable) -> bool {
    let numbers: Vec<f64> = (0..variable.values.len()).filter_map(|row| variable.values.number(row)).collect();
    let (least, most) = numbers.iter().fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(*x), most.max(*x)));
    least > 0.0 && most >= LOG_FROM * least
}

/// All of it.
fn table(rows: &Dataset, name: &str) -> Artifact {
    let head = |variable: &Variable| Column::new(variable.name.as_str());
    let mut table = ReportTable::new(rows.variables.iter().map(head).collect());
    for row in 0..rows.rows() {
        let cell = |variable: &Variable| match variable.values.number(row) {
            Some(number) => Cell::from(number),
            None => variable.values.text(row).unwrap_or_default().as_str().into(),
        };
        table.push(rows.variables.iter().map(cell).collect());
    }
    let caption = "Numbers in base units, as the names of the columns tell.".to_owned();
    Artifact { id: "data".into(), title: format!("{name}: all data"), caption, svg: None, table: Some(table) }
}
