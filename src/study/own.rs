//! What data cannot say of the papers: functions that their studies name.
//!
//! A value (`rust = "…"` in `[values]`), a verdict (in a claim), a table or picture (in a figure), or
//! runs that depend on earlier ones (`[explore]`). Each paper's functions are in its own file.

use super::claims::Seen;
use super::experiment::Results;
use super::expression::{Key, Stop, Value};
use super::home::Home;
use super::view::{Source, View, planned_list};
use super::{e_udp, nifdy, trapeze};
use crate::report::Artifact;
use crate::study::description::Study;
use crate::text::{Said, suggest};

/// A function that gives a value of results, by its arguments.
#[derive(Clone, Copy)]
pub enum Own {
    /// A number.
    Number(fn(&Results, &[&str]) -> Option<f64>),
    /// A list of numbers.
    Numbers(fn(&Results, &[&str]) -> Option<Vec<f64>>),
}

/// A function that judges.
pub type Judge = fn(&Results, &[&str]) -> Option<Seen>;
/// A function that draws.
pub type Draw = fn(&Results) -> Vec<Artifact>;

/// Makes runs: whether fewer, on how many threads, telling of each.
pub type Explore = fn(&Study, &Home, bool, usize, &(dyn Fn(&str) + Sync)) -> Results;

/// Runs that depend on what earlier ones gave.
#[derive(Clone, Copy)]
pub struct Exploration {
    /// How many there are.
    pub runs: fn(quick: bool) -> usize,
    /// Makes them.
    pub explore: Explore,
}

/// Values: name, whether the first argument is a point, and the function.
const VALUES: [(&str, bool, Own); 13] = [
    ("transfer-times", true, Own::Numbers(trapeze::transfer_times)),
    ("transfer-sizes", true, Own::Numbers(trapeze::transfer_sizes)),
    ("steady-sizes", true, Own::Numbers(trapeze::steady_sizes)),
    ("steady-rate", true, Own::Number(trapeze::steady_rate)),
    ("steady-idle", true, Own::Number(trapeze::steady_idle)),
    ("clearing-times", true, Own::Numbers(trapeze::clearing_times)),
    ("mean-transfer-of-node", true, Own::Number(trapeze::mean_transfer_of_node)),
    ("packet-times", true, Own::Numbers(e_udp::flow::packet_times)),
    ("packet-ends", true, Own::Numbers(e_udp::flow::packet_ends)),
    ("pipelined-latency", false, Own::Number(e_udp::model::latency)),
    ("pipelined-bandwidth", false, Own::Number(e_udp::model::bandwidth)),
    ("longest-pile", true, Own::Number(nifdy::pile::longest)),
    ("volume", false, Own::Number(nifdy::volume::volume)),
];
const JUDGES: [(&str, Judge); 2] =
    [("nifdy-parameters", nifdy::search::parameters), ("nifdy-enough", nifdy::search::enough)];
const DRAWS: [(&str, Draw); 1] = [("nifdy-search", nifdy::search::table)];
const EXPLORATIONS: [(&str, Exploration); 1] = [("nifdy-search", nifdy::search::EXPLORATION)];

/// The names of all values.
pub fn values() -> Vec<&'static str> {
    VALUES.iter().map(|(name, _, _)| *name).collect()
}

/// The one of that name; that there is none is wrong.
fn find<T: Copy>(all: &[(&str, T)], said: &Said) -> Result<T, Stop> {
    let names = || all.iter().map(|(name, _)| *name);
    all.iter().find(|(name, _)| *name == said.text).map(|(_, found)| *found).ok_or_else(|| {
        let near = suggest::nearest(&said.text, names());
        let label =
            near.map_or("the program has none of this name".to_owned(), |near| format!("did you mean `{near}`?"));
        let help = format!("there is {}", suggest::phrase(names()));
        Stop::Asked(format!("there is no function `{}`", said.text), label, vec![help])
    })
}

/// What a registered function gives.
pub fn value(view: &View, said: &Said, arguments: &[Key]) -> Result<Value, Stop> {
    let all = VALUES.map(|(name, of_point, own)| (name, (of_point, own)));
    let (of_point, own) = find(&all, said)?;
    let arguments: Vec<&str> = arguments.iter().map(|key| key.key.as_str()).collect();
    if let (true, Some(point)) = (of_point, arguments.first()) {
        view.run(point)?;
    }
    let absent = || Stop::Absent(format!("`{}` finds nothing of {}", said.text, arguments.join("/")));
    match (own, view.source) {
        (Own::Number(_), Source::Planned(_)) => Ok(Value::Number(1.0)),
        (Own::Numbers(_), Source::Planned(_)) => Ok(planned_list()),
        (Own::Number(of), Source::Ran(results)) => of(results, &arguments).map(Value::Number).ok_or_else(absent),
        (Own::Numbers(of), Source::Ran(results)) => of(results, &arguments).map(Value::numbers).ok_or_else(absent),
    }
}

/// The judge of that name.
pub fn judge(said: &Said) -> Result<Judge, Stop> {
    find(&JUDGES, said)
}

/// What draws under that name.
pub fn draw(said: &Said) -> Result<Draw, Stop> {
    find(&DRAWS, said)
}

/// The exploration of that name.
pub fn exploration(said: &Said) -> Result<Exploration, Stop> {
    find(&EXPLORATIONS, said)
}
