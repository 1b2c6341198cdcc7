//! A machine's constants, fitted on measured curves.
//!
//! A latency is that of a ping-pong one way, a bandwidth that of a stream; each size is a run of its own,
//! of the machine as it is described and that workload. Fitted are the constants that are named, or all
//! whose comments say that they are derived, calibrated or chosen.

use super::constant::FitConstant;
use super::curve::{Curve, Sample};
use super::free::Free;
use super::solve::{Answers, Datum};
use super::unit::Measure;
use super::{Fitted, fit};
use crate::experiment::reader::Reader;
use crate::experiment::run;
use crate::experiment::uncertainty::unknown;
use narrows_core::engine::{Outcome, Recorder};
use narrows_core::text::{Problem, Problems, Said};

/// What is asked of a machine.
pub struct Measuring<'a> {
    /// Reads the machine with settings over it.
    pub reader: Reader<'a>,
    /// The curves.
    pub curves: &'a [Curve],
    /// The constants, `*` for names of parts; all that are not known if none are named.
    pub constants: &'a [String],
    /// One standard deviation of a constant's logarithm; by its comment if none is given.
    pub prior: Option<f64>,
    /// One standard deviation of what is measured, as a part of it.
    pub noise: f64,
    /// Told of each number.
    pub done: &'a (dyn Fn() + Sync),
}

/// The data behind the curves, and how each is asked for.
struct Asking<'a> {
    measuring: &'a Measuring<'a>,
    samples: Vec<(&'a Curve, &'a Sample)>,
    keys: Vec<Vec<String>>,
}

impl Measuring<'_> {
    /// Fits.
    pub fn fit(&self) -> Result<Fitted, Problems> {
        let frees = self.frees()?;
        let samples: Vec<_> =
            self.curves.iter().flat_map(|curve| curve.samples.iter().map(move |sample| (curve, sample))).collect();
        let read = (self.reader)(&[])?;
        let keys = frees.iter().map(|free| free.keys_in(&read)).collect();
        for (curve, sample) in &samples {
            if let Err(problems) = (self.reader)(&workload(curve.measure, sample.size)) {
                let why = problems.list().first().map_or(String::new(), |problem| problem.message.clone());
                return Err(curve.wrong(sample, "the machine cannot be run with this size", &why));
            }
        }
        let datum = |(curve, sample): &(&Curve, &Sample)| Datum {
            name: format!("{} of {} B", curve.measure.word(), sample.size),
            unit: curve.measure.unit().to_owned(),
            expected: sample.value,
            noise: self.noise,
        };
        let data: Vec<Datum> = samples.iter().map(datum).collect();
        fit(&frees, &data, &Asking { measuring: self, samples, keys }).map_err(Problems::one)
    }

    fn frees(&self) -> Result<Vec<Free>, Problems> {
        let read = (self.reader)(&[])?;
        let unknowns = unknown::of([&read]).map_err(|why| Problems::one(Problem::new(why)))?;
        let known = |key: &str| unknowns.iter().find(|unknown| unknown.name() == key).map(|unknown| unknown.prior);
        let names: Vec<String> = match self.constants {
            [] => unknowns.iter().map(unknown::Unknown::name).collect(),
            named => named.to_vec(),
        };
        if names.is_empty() {
            let problem = Problem::new("no constant of this machine is told as derived, calibrated or chosen");
            return Err(Problems::one(problem.help("name the constants to be fitted: --constant KEY")));
        }
        let wanted = |name: &String| FitConstant {
            key: Said::unplaced(name.as_str()),
            start: None,
            prior: self.prior.or_else(|| known(name)).unwrap_or(unknown::PRIOR),
            bounds: None,
        };
        let find = |name: &String| Free::find(&wanted(name), &[&read]);
        names.iter().map(find).collect::<Result<_, _>>().map_err(Problems::one)
    }
}

/// The settings of a run of messages of this size.
fn workload(measure: Measure, size: u64) -> Vec<String> {
    let program = if measure == Measure::Latency { "ping-pong" } else { "stream" };
    vec![format!("workload.{program}.payload={size} B")]
}

impl Answers for Asking<'_> {
    fn number(&self, datum: usize, constants: &[&str]) -> Option<f64> {
        let (curve, sample) = self.samples[datum];
        let mut sets = workload(curve.measure, sample.size);
        for (keys, value) in self.keys.iter().zip(constants).filter(|(_, value)| !value.is_empty()) {
            sets.extend(keys.iter().map(|key| format!("{key}={value}")));
        }
        let read = (self.measuring.reader)(&sets).ok()?;
        let result = run(&read.value, Recorder::off());
        let metric = if curve.measure == Measure::Latency { "message.latency_one_way" } else { "message.bandwidth" };
        (result.outcome == Outcome::Done).then(|| result.metric(metric)).flatten()
    }

    fn asks(&self, _: usize, constant: usize) -> bool {
        !self.keys[constant].is_empty()
    }

    fn done(&self) {
        (self.measuring.done)();
    }
}
