//! The progress of a fit on standard error. Ctrl-C stops the fit after the runs in progress; since the state file is
//! written during the fit, nothing has to be saved.

use super::heartbeat::Heartbeat;
use super::output;
use super::progress::{self, duration};
use indicatif::{ProgressBar, ProgressStyle};
use narrows_study::experiment::fit::control::{FitMonitor, FitStep, RefusedConstant};
use narrows_study::report::number::{counted, percent, signed_percent};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The state of a fit.
struct State {
    start: Instant,
    /// The start of the current fit of a series.
    fit_start: Instant,
    /// The number of fits in a series that began.
    fits: usize,
    /// The number of runs that ended.
    runs: usize,
    /// The number of results found in the state file.
    runs_stored: usize,
    /// The number of runs left in the current batch.
    runs_left: usize,
    step: Option<FitStep>,
    /// Whether a state file is written.
    is_stored: bool,
    /// The time of a run in seconds, by the probe; `None` without a probe.
    seconds_per_run: Option<f64>,
}

/// The progress display of a fit.
pub struct FitProgress {
    state: Arc<Mutex<State>>,
    bar: ProgressBar,
    /// The heartbeat lines without a terminal.
    heartbeat: Option<Heartbeat>,
}

impl FitProgress {
    /// Starts the display of a fit; `is_stored` states whether the fit has a state file.
    pub fn start(is_stored: bool) -> FitProgress {
        let state = Arc::new(Mutex::new(State::new(is_stored)));
        let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is valid");
        progress::stop_on_interrupt();
        let shown_state = state.clone();
        let is_terminal = std::io::stderr().is_terminal();
        let heartbeat = (!is_terminal).then(|| Heartbeat::lines(move || lock(&shown_state).text()));
        FitProgress { state, bar: ProgressBar::new_spinner().with_style(style), heartbeat }
    }

    /// Ends the display, and prints the number of runs if there is a result.
    pub fn end(self, has_result: bool) {
        drop(self.heartbeat);
        self.bar.finish_and_clear();
        if !has_result {
            return;
        }
        let state = lock(&self.state);
        let stored_text =
            if state.runs_stored > 0 { format!(", {} stored before", state.runs_stored) } else { String::new() };
        let steps = state.step.as_ref().map_or(0, |step| step.number);
        let time = duration(state.start.elapsed().as_secs_f64());
        let done = if state.fits > 0 { counted(state.fits, "fit") } else { counted(steps, "step") };
        eprint_line!("{done}, {}{stored_text}, {time}.", counted(state.runs, "run"));
    }

    fn display(&self, state: &State) {
        if self.heartbeat.is_none() {
            self.bar.set_message(state.text());
            self.bar.tick();
        }
    }
}

/// The number of runs in a step above which a fit is announced as long (chosen: ten constants and five points).
const LONG_STEP_RUNS: usize = 100;

/// Returns the announcement of a fit with many runs in each step, and how to reduce them.
fn announcement(constants: usize, runs_of_step: usize) -> Option<String> {
    (runs_of_step > LONG_STEP_RUNS).then(|| {
        format!(
            "Fitting {}: each step takes up to {}, and a fit takes several steps. Fewer constants need fewer runs; \
             with a measured curve, --constant KEY names those to fit.",
            counted(constants, "constant"),
            counted(runs_of_step, "run")
        )
    })
}

impl FitMonitor for FitProgress {
    fn probe_begins(&self, constants: usize) {
        lock(&self.state).start = Instant::now();
        eprint_line!("Probing which of {} have an effect on the measured values.", counted(constants, "constant"));
    }

    fn probe_ends(&self, without_effect: &[String], refused: &[RefusedConstant], runs: usize) {
        let mut state = lock(&self.state);
        state.seconds_per_run = Some(state.start.elapsed().as_secs_f64() / runs.max(1) as f64);
        (state.start, state.fit_start, state.runs) = (Instant::now(), Instant::now(), 0);
        if !without_effect.is_empty() {
            let constants = counted(without_effect.len(), "constant");
            eprint_line!("Not fitted, without effect: {constants} ({}).", without_effect.join(", "));
        }
        for RefusedConstant { key, reason } in refused {
            eprint_line!("Not fitted, since neither a larger nor a smaller value can be tried: {key} ({reason}).");
        }
    }

    fn fit_of_series_begins(&self, number: usize, total: usize, name: &str) {
        let mut state = lock(&self.state);
        (state.fits, state.fit_start, state.step) = (number, Instant::now(), None);
        eprint_line!("Fit {number} of {total}: {name}.");
    }

    fn fit_begins(&self, constants: usize, runs_of_step: usize) {
        if let Some(seconds) = lock(&self.state).seconds_per_run {
            let step_time = duration(seconds * runs_of_step as f64);
            let runs = counted(runs_of_step, "run");
            eprint_line!("Fitting {}: a step needs at most {runs}, about {step_time}.", counted(constants, "constant"));
        }
        if lock(&self.state).fits <= 1
            && let Some(text) = announcement(constants, runs_of_step)
        {
            eprint_line!("{text}");
        }
    }

    fn runs_begin(&self, runs: usize, stored: usize) {
        let mut state = lock(&self.state);
        if state.runs == 0 && state.step.is_none() && !state.is_stored {
            // The description and the curves are valid, since runs have begun.
            eprint_line!("Without --out no run is stored, so an interrupted fit starts from the beginning.");
        }
        (state.runs_left, state.runs_stored) = (runs, stored.max(state.runs_stored));
        self.display(&state);
    }

    fn run_ends(&self) {
        let mut state = lock(&self.state);
        state.runs += 1;
        state.runs_left = state.runs_left.saturating_sub(1);
        self.display(&state);
    }

    fn step_ends(&self, step: &FitStep) {
        let mut state = lock(&self.state);
        let is_first = state.step.replace(step.clone()).is_none();
        match (is_first, self.heartbeat.is_some()) {
            // The errors at the starting values show at once whether the fit is worth its time.
            (true, true) => output::eprint_line(&state.text()),
            _ => self.display(&state),
        }
    }

    fn warn(&self, warning: &str) {
        eprint_line!("{warning}");
    }

    fn is_stopped(&self) -> bool {
        progress::is_stopped()
    }
}

impl State {
    fn new(is_stored: bool) -> State {
        State {
            start: Instant::now(),
            fit_start: Instant::now(),
            fits: 0,
            runs: 0,
            runs_stored: 0,
            runs_left: 0,
            step: None,
            is_stored,
            seconds_per_run: None,
        }
    }

    /// Returns the progress in one line: the step, its errors, and the remaining time, provided that it can be
    /// estimated.
    fn text(&self) -> String {
        let elapsed = self.fit_start.elapsed().as_secs_f64();
        let Some(step) = &self.step else {
            return format!(
                "starting values: {} runs done, {} left, {} elapsed",
                self.runs,
                self.runs_left,
                duration(elapsed)
            );
        };
        let name = if step.number == 1 { "starting values".to_owned() } else { format!("step {}", step.number) };
        let error = match &step.largest_error {
            None => "no value yet".to_owned(),
            Some((name, error)) => {
                format!("error {} rms, largest {} at {name}", percent(step.rms), signed_percent(*error))
            }
        };
        let incomplete = match step.incomplete_runs {
            0 => String::new(),
            runs => format!(", {runs} runs incomplete"),
        };
        let steps_left = match step.steps_left {
            // Until the rate of convergence is known, only the limit of steps is known.
            None => format!("at most {} left", counted(step.steps_max.saturating_sub(step.number), "step")),
            Some(steps) => {
                let seconds_per_step = elapsed / step.number as f64;
                format!("about {} and {} left", counted(steps, "step"), duration(seconds_per_step * steps as f64))
            }
        };
        let time = duration(elapsed);
        let runs_left = match self.runs_left {
            0 => String::new(),
            runs_left => {
                format!(
                    ", {runs_left} of this step left ({})",
                    duration(self.start.elapsed().as_secs_f64() / self.runs.max(1) as f64 * runs_left as f64)
                )
            }
        };
        format!(
            "{name}: {error}{incomplete}; {} done{runs_left}, {time} elapsed, {steps_left}",
            counted(self.runs, "run")
        )
    }
}

/// Locks the state; it is valid even if another thread panicked.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_fit_is_announced_with_its_number_of_runs() {
        assert_eq!(announcement(2, 25), None);
        let text = announcement(40, 405).expect("the run is announced");
        assert!(text.contains("40 constants") && text.contains("405 runs") && text.contains("--constant"), "{text}");
    }

    #[test]
    fn step_without_a_complete_run_states_no_error() {
        let mut step = FitStep::new(3, 40);
        step.incomplete_runs = 12;
        let text = State { step: Some(step), ..State::new(true) }.text();
        assert!(text.starts_with("step 3: no value yet, 12 runs incomplete; "), "{text}");
    }

    #[test]
    fn estimate_is_stated_once_the_rate_of_convergence_is_known() {
        let mut state = State { runs: 7, runs_left: 3, ..State::new(true) };
        assert!(state.text().starts_with("starting values: 7 runs done, 3 left"), "{}", state.text());
        let mut step = FitStep::new(2, 40);
        (step.rms, step.largest_error) = (0.125, Some(("latency of 64 B".to_owned(), -0.2)));
        state.step = Some(step.clone());
        let text = state.text();
        assert!(text.starts_with("step 2: error 12.5 % rms, largest −20") && text.ends_with("38 steps left"), "{text}");
        step.steps_left = Some(4);
        state.step = Some(step);
        assert!(state.text().contains("about 4 steps and "), "{}", state.text());
    }
}
