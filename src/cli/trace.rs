//! `--trace`: the spans of a run as a trace, in Perfetto's binary form or as JSON.

use super::exit::Failure;
use super::output::{Output, UnfinishedOutput};
use narrows_core::engine::{Recorder, Timeline};
use narrows_core::text::Problem;
use narrows_study::report::perfetto::{self, BinaryTrace};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The largest number of spans in a trace.
pub const SPANS_MAX: u64 = 1_000_000_000_000;

/// The largest number of spans in a JSON trace, which are held in memory.
const JSON_SPANS_MAX: u64 = 50_000_000;

/// A trace to be written.
pub struct Trace {
    path: PathBuf,
    spans_max: u64,
    out: Output,
}

/// The form of a trace that is being written.
enum TraceForm {
    /// Written while the simulation runs.
    Binary(BinaryTrace<File>, UnfinishedOutput),
    /// Written after the run.
    Json(Output),
}

/// A trace that is being written.
pub struct OpenTrace {
    path: PathBuf,
    form: TraceForm,
}

impl Trace {
    /// Checks that a trace of at most `spans_max` spans can be written to `path`.
    pub fn prepare(path: &Path, spans_max: u64) -> Result<Trace, Failure> {
        let out = Output::prepare(path)?;
        if is_json(path) && spans_max > JSON_SPANS_MAX {
            let problem = Problem::new(format!(
                "`--trace-spans {spans_max}`: a JSON trace has at most {JSON_SPANS_MAX} spans, which are held in memory"
            ));
            return Err(problem.help("name a file that ends in `.pftrace`").into());
        }
        Ok(Trace { path: path.to_owned(), spans_max, out })
    }

    /// Opens the trace, and returns it with the recorder of its spans.
    pub fn open(self) -> Result<(OpenTrace, Recorder), Failure> {
        let spans_max = usize::try_from(self.spans_max).unwrap_or(usize::MAX);
        let path = self.path;
        if is_json(&path) {
            return Ok((OpenTrace { path, form: TraceForm::Json(self.out) }, Recorder::with_spans_max(spans_max)));
        }
        let out = self.out.open()?;
        let trace = BinaryTrace::new(out.file()?);
        let recorder = Recorder::streaming(spans_max, Box::new(trace.clone()));
        Ok((OpenTrace { path, form: TraceForm::Binary(trace, out) }, recorder))
    }
}

impl OpenTrace {
    /// Writes what is left of the trace, and prints the number of its spans on standard error.
    pub fn finish(self, timeline: &Timeline) -> Result<(), Failure> {
        let dropped = timeline.dropped;
        let span_count = match self.form {
            TraceForm::Binary(trace, out) => out.finish(trace.finish(dropped))?,
            TraceForm::Json(out) => {
                out.write(|out| perfetto::write(timeline, out))?;
                timeline.spans.len() as u64
            }
        };
        eprint_line!("Wrote {span_count} spans to `{}`.", self.path.display());
        if span_count == 0 {
            eprint_line!("The trace is empty: no resource was used in this run.");
        }
        if dropped > 0 {
            eprint_line!(
                "The last {dropped} spans were dropped; --trace-spans {} would keep all.",
                span_count + dropped
            );
        }
        Ok(())
    }
}

/// Returns whether a trace of this name is written as JSON.
fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}
