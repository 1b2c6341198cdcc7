//! Which metrics a run will tell, before it is run: the machine is built, and stopped at its first picosecond.

use super::Sweep;
use narrows_core::engine::{Metric, Recorder, Time};
use narrows_core::machine::Machine;
use narrows_core::text::{Problem, suggest};

/// The metrics of a machine's run, with nothing measured.
pub fn of(machine: &Machine) -> Vec<Metric> {
    let mut machine = machine.clone();
    machine.run.time_limit = Time::from_ps(1);
    crate::experiment::run(&machine, Recorder::off()).metrics
}

impl Sweep<'_> {
    /// The first of these metrics that no point tells; points are looked at until one tells all that are left.
    pub fn unknown_metric(&self, names: &[String]) -> Option<Problem> {
        let (mut left, mut seen) = (names.to_vec(), Vec::<String>::new());
        for point in 0..self.points() {
            if left.is_empty() {
                return None;
            }
            // What is wrong with a point is told when all are checked.
            let Ok(read) = self.read(point) else { continue };
            for metric in of(&read.value) {
                left.retain(|name| *name != metric.name);
                if !seen.contains(&metric.name) {
                    seen.push(metric.name);
                }
            }
        }
        left.first().map(|name| unknown(name, seen.iter().map(String::as_str)))
    }
}

/// That there is no metric of this name, what was probably meant, and which there are.
pub fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Problem {
    let problem = Problem::new(format!("there is no metric `{name}`"));
    let near = suggest::nearest(name, known.clone());
    let problem = problem.help(near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default());
    problem.help(format!("the metrics are {}", suggest::phrase(known)))
}
