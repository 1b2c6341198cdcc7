//! A study as it is described: its artifacts, what its values mean, its experiments, figures and claims.
//!
//! All of it is data, in a folder of `study.toml`, `experiments.toml`, `figures.toml`, `claims.toml`,
//! `fit.toml` and the descriptions that are run; the five are read together. What data cannot say is a function that
//! is registered by name (`own.rs`). Leaves out whether names go together (`check.rs`).

use super::claims::Stated;
use super::experiment::Experiments;
use super::expression::{self, Expression, Loop, Mistake, Segment, Template, Term};
use super::figures::Figure;
use super::fit::Plan;
use crate::text::kind::{NumberOrText, Phrase, Several, Words};
use crate::text::origin::Texts;
use crate::text::{Constant, Problem, Said, Table};

/// A study.
#[derive(Debug)]
pub struct Study {
    /// Its title.
    pub title: String,
    /// Authors, place and year of what it is about.
    pub reference: String,
    /// What it is about.
    pub summary: String,
    /// Its artifacts in order, each with the experiments it needs.
    pub artifacts: Vec<(Said, Vec<Said>)>,
    /// Those of them that take longer than the rest together: they run only when they are named.
    pub apart: Vec<Said>,
    /// Artifacts whose runs depend on what earlier ones gave, each with the function that makes them.
    pub explore: Vec<(Said, Said)>,
    /// The values of axes with their names in words.
    pub names: Vec<(Said, Vec<(Said, String)>)>,
    /// Some values of an axis.
    pub sets: Vec<(Said, Vec<Said>)>,
    /// What is measured, by name.
    pub values: Vec<(String, Meaning)>,
    /// The runs.
    pub experiments: Experiments,
    /// The tables and pictures.
    pub figures: Vec<Figure>,
    /// The claims.
    pub claims: Vec<Stated>,
    /// How the constants behind them are fitted.
    pub fit: Option<Plan>,
}

/// What a named value is.
#[derive(Debug)]
pub struct Meaning {
    /// Its arguments, in order.
    pub of: Vec<String>,
    /// Where it comes from.
    pub from: From,
}

/// Where a named value comes from.
#[derive(Debug)]
pub enum From {
    /// A metric of a run, of the first of these points that is run; and what it is of runs that tell none such.
    Metric(Vec<Template>, Template, Option<f64>),
    /// How long a resource was busy in a run, in µs.
    Busy(Vec<Template>, Template),
    /// What a run tells beside its metrics, of the first of these points that is run.
    Told(Vec<Template>, Fact),
    /// Other values.
    Value(Expression),
    /// A table.
    Table(Vec<(String, Constant)>),
    /// A function of the program.
    Rust(Said),
}

/// What a run tells beside its metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fact {
    /// What holds it back: a kind of resource, or the longest stage; a text.
    Binds,
    /// How it ended; a text.
    Outcome,
    /// The simulated time at which it ended, in µs.
    Time,
    /// Whether there is one: it was not left out because its parts do not fit.
    Fits,
}

const FACTS: [(&str, Fact); 4] =
    [("binds", Fact::Binds), ("outcome", Fact::Outcome), ("time", Fact::Time), ("fits", Fact::Fits)];

impl Study {
    /// Reads one.
    pub fn read(t: &mut Table<'_>) -> Study {
        let names = t.by_name("names", "For each axis its values, each with its name in words", named());
        let names = names.optional().unwrap_or_default();
        Study {
            title: t.text("title", "What the study is called").required(),
            reference: t.text("reference", "What it is about: authors, place, year").or(""),
            summary: t.text("summary", "What it asks and finds, in a paragraph").or(""),
            artifacts: t
                .by_name("artifacts", "Its tables and figures, each with the experiments it needs", Several::of(Phrase))
                .required(),
            apart: t.phrases("apart", "Artifacts that take long: they run only when they are named").or(&[]),
            explore: t
                .by_name("explore", "Artifacts whose runs a function of the program chooses", Phrase)
                .optional()
                .unwrap_or_default(),
            names,
            sets: t
                .by_name("sets", "Some values of an axis, to range over", Several::of(Phrase))
                .optional()
                .unwrap_or_default(),
            values: t.map("values", "What is measured, by name", Meaning::read),
            experiments: Experiments::read(t),
            figures: t.list("figure", "Tables and pictures", Figure::read),
            claims: t.list("claim", "Claims", Stated::read),
            fit: t.optional_table("fit", "How the constants of its machines are fitted", Plan::read),
        }
    }

    /// The experiments of an artifact.
    pub fn experiments_of(&self, artifact: &str) -> &[Said] {
        self.artifacts.iter().find(|(id, _)| id.text == artifact).map_or(&[], |(_, experiments)| experiments)
    }
}

fn named() -> crate::text::kind::ByName<Words> {
    crate::text::kind::ByName(Words)
}

impl Meaning {
    fn read(t: &mut Table<'_>) -> Meaning {
        let of =
            t.texts("of", "Its arguments, in order; of a metric those in the names of its point and itself").optional();
        let from = From::read(t);
        let said = || from.holes();
        Meaning { of: of.unwrap_or_else(said), from }
    }
}

impl From {
    fn read(t: &mut Table<'_>) -> From {
        let point = t.phrase("point", "The point whose run it is read from, with holes for arguments").optional();
        let points = t.phrases("points", "Points of which the first that is run counts").optional();
        let points: Vec<Said> = points.unwrap_or_default().into_iter().chain(point).collect();
        let points: Vec<Template> = points.iter().map(|point| template(t, point)).collect();
        let metric = t.phrase("metric", "The metric of that point").optional();
        let missing =
            t.number("missing", "What it is of a run that ended and tells no such metric; else that is an error");
        let missing = missing.optional();
        let busy = t.phrase("busy", "The resource of that point whose busy time it is, in us").optional();
        let told = "What that point's run tells: what holds it back, how or when it ended, whether its parts fit";
        let told = t.choice("tells", told, &FACTS).optional();
        let value = t.phrase("value", "An expression of other values").optional();
        let table = t.by_name("table", "A number or text for each argument", NumberOrText).optional();
        let rust = t.phrase("rust", "A function of the program, by its name").optional();
        let has_points = !points.is_empty();
        if missing.is_some() && metric.is_none() {
            t.wrong("missing", "only a `metric` can be missing", "leave `missing` out, or write `metric`");
        }
        match (metric, busy, told, value, table, rust) {
            (Some(metric), None, None, None, None, None) if has_points => {
                From::Metric(points, template(t, &metric), missing)
            }
            (None, Some(busy), None, None, None, None) if has_points => From::Busy(points, template(t, &busy)),
            (None, None, Some(told), None, None, None) if has_points => From::Told(points, told),
            (None, None, None, Some(value), None, None) if !has_points => From::Value(expression(t, &value)),
            (None, None, None, None, Some(table), None) if !has_points => {
                From::Table(table.into_iter().map(|(key, value)| (key.text, value)).collect())
            }
            (None, None, None, None, None, Some(rust)) if !has_points => From::Rust(rust),
            _ => {
                let help = "write `point` with `metric`, `busy` or `tells`, or `value`, or `table`, or `rust`";
                t.wrong("", "this value is said in no way, or in several", help);
                From::Table(Vec::new())
            }
        }
    }

    /// The names in the holes of a metric's point and itself, in the order in which they first stand.
    fn holes(&self) -> Vec<String> {
        let (points, what) = match self {
            From::Metric(points, what, _) | From::Busy(points, what) => (points, Some(what)),
            From::Told(points, _) => (points, None),
            _ => return Vec::new(),
        };
        let mut names: Vec<String> = Vec::new();
        for piece in points.iter().take(1).chain(what).flat_map(|template| &template.pieces) {
            if let Segment::Hole(tree, _) = piece
                && let Term::Value(name, _) = &tree.node
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        names
    }
}

/// A fault as a problem.
pub fn problem(texts: &Texts, fault: &Mistake) -> Problem {
    let problem = Problem::new(&fault.message).at(fault.said.part(texts, &fault.span), &*fault.label);
    fault.help.iter().fold(problem, Problem::help)
}

/// Tells a fault, and goes on with nothing.
fn sound<T>(t: &Table<'_>, read: Result<T, Mistake>) -> Option<T> {
    read.map_err(|fault| t.tell(problem(t.sources(), &fault))).ok()
}

/// A text as an expression.
pub fn expression(t: &Table<'_>, said: &Said) -> Expression {
    let made_up = || expression::expression(&Said::unplaced("1")).expect("a number is an expression");
    sound(t, expression::expression(said)).unwrap_or_else(made_up)
}

/// A text with holes.
pub fn template(t: &Table<'_>, said: &Said) -> Template {
    let made_up = || expression::template(&Said::unplaced("")).expect("nothing has no holes");
    sound(t, expression::template(said)).unwrap_or_else(made_up)
}

/// Axes to range over, each as `AXIS` or `AXIS in SET`.
pub fn loops(t: &mut Table<'_>, key: &'static str, doc: &'static str) -> Loops {
    let said = t.phrases(key, doc).or(&[]);
    let loops = said.iter().filter_map(|said| sound(t, expression::looped(said)).map(|over| (said.clone(), over)));
    Loops(loops.collect())
}

/// Axes to range over, with the texts that say so.
#[derive(Clone, Debug, Default)]
pub struct Loops(pub Vec<(Said, Loop)>);
