//! Calibration of a machine's constants on measured curves.
//!
//! A latency is compared with half the round trip of a `ping-pong` workload, a bandwidth with that of a `stream`; each
//! size is a separate run. The constants fitted are those named, or else all whose comments say that they are derived,
//! calibrated or chosen.

use super::constant::FitConstant;
use super::curve::{Curve, Sample};
use super::free_constant::FreeConstant;
use super::solve::{Datum, NumberSource};
use super::unit::Measure;
use super::{FitResult, fit};
use crate::experiment::reader::Reader;
use crate::experiment::run;
use crate::experiment::uncertainty::unknown;
use narrows_core::engine::{Outcome, Recorder};
use narrows_core::text::{Problem, Problems, Said};

/// A calibration of one machine on measured curves.
pub struct CurveFit<'a> {
    /// The reader of the machine's description.
    pub reader: Reader<'a>,
    /// The measured curves.
    pub curves: &'a [Curve],
    /// The keys of the constants, with `*` for names of parts; if empty, all unknown constants.
    pub constants: &'a [String],
    /// One standard deviation of a constant's logarithm; `None` takes the one stated in its comment.
    pub prior: Option<f64>,
    /// One standard deviation of a measured value, as a fraction of it.
    pub noise: f64,
    /// Called after each run.
    pub done: &'a (dyn Fn() + Sync),
}

/// The points of the curves, and the keys of the constants that their runs set.
struct CurveNumbers<'a> {
    curve_fit: &'a CurveFit<'a>,
    samples: Vec<(&'a Curve, &'a Sample)>,
    keys: Vec<Vec<String>>,
}

impl CurveFit<'_> {
    /// Runs the calibration.
    ///
    /// # Errors
    ///
    /// Reports a size that the machine cannot run, and constants that cannot be fitted.
    pub fn fit(&self) -> Result<FitResult, Problems> {
        let constants = self.constants()?;
        let samples: Vec<_> =
            self.curves.iter().flat_map(|curve| curve.samples.iter().map(move |sample| (curve, sample))).collect();
        let read = (self.reader)(&[])?;
        let keys = constants.iter().map(|free| free.keys_in(&read)).collect();
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
        fit(&constants, &data, &CurveNumbers { curve_fit: self, samples, keys }).map_err(Problems::one)
    }

    fn constants(&self) -> Result<Vec<FreeConstant>, Problems> {
        let read = (self.reader)(&[])?;
        let unknowns = unknown::of([&read]).map_err(|why| Problems::one(Problem::new(why)))?;
        let known = |key: &str| unknowns.iter().find(|unknown| unknown.name() == key).map(|unknown| unknown.prior);
        let names: Vec<String> = match self.constants {
            [] => unknowns.iter().map(unknown::UncertainConstant::name).collect(),
            named => named.to_vec(),
        };
        if names.is_empty() {
            let problem = Problem::new("no constant of this machine is marked as derived, calibrated or chosen");
            return Err(Problems::one(problem.help("name the constants to be fitted: --constant KEY")));
        }
        let wanted = |name: &String| FitConstant {
            key: Said::unplaced(name.as_str()),
            start: None,
            prior: self.prior.or_else(|| known(name)).unwrap_or(unknown::PRIOR),
            bounds: None,
        };
        let find = |name: &String| FreeConstant::find(&wanted(name), &[&read]);
        names.iter().map(find).collect::<Result<_, _>>().map_err(Problems::one)
    }
}

/// Returns the overrides that run messages of this size.
fn workload(measure: Measure, size: u64) -> Vec<String> {
    let program = if measure == Measure::Latency { "ping-pong" } else { "stream" };
    vec![format!("workload.{program}.payload={size} B")]
}

impl NumberSource for CurveNumbers<'_> {
    fn number(&self, datum: usize, constants: &[&str]) -> Option<f64> {
        let (curve, sample) = self.samples[datum];
        let mut sets = workload(curve.measure, sample.size);
        for (keys, value) in self.keys.iter().zip(constants).filter(|(_, value)| !value.is_empty()) {
            sets.extend(keys.iter().map(|key| format!("{key}={value}")));
        }
        let read = (self.curve_fit.reader)(&sets).ok()?;
        let result = run(&read.value, Recorder::off());
        let metric = if curve.measure == Measure::Latency { "message.latency_one_way" } else { "message.bandwidth" };
        (result.outcome == Outcome::Done).then(|| result.metric(metric)).flatten()
    }

    fn depends_on(&self, _: usize, constant: usize) -> bool {
        !self.keys[constant].is_empty()
    }

    fn report_progress(&self) {
        (self.curve_fit.done)();
    }
}
