//! The progress of many runs: a bar on a terminal, a line every ten seconds otherwise; and the message when they are
//! interrupted.

use super::heartbeat::Heartbeat;
use super::output;
use crate::reference::EXIT_INTERRUPTED;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Minimum remaining time, in seconds, for which an estimate is printed.
const ESTIMATE_MIN_S: f64 = 2.0;

/// The state of the runs.
struct State {
    noun: &'static str,
    /// The number of runs that are expected.
    expected: AtomicUsize,
    /// The number of stored results that were found. They are not used in the estimate of the remaining time.
    points_stored: AtomicUsize,
    points_run: AtomicUsize,
    start: Instant,
    /// The folder of finished runs, if they are stored.
    folder: Option<PathBuf>,
}

/// The progress display of many runs.
pub struct Progress {
    state: Arc<State>,
    bar: ProgressBar,
    /// The heartbeat lines without a terminal.
    heartbeat: Option<Heartbeat>,
}

/// The runs that an interrupt would stop; there is one handler for the whole process.
static INTERRUPTIBLE: Mutex<Option<Arc<State>>> = Mutex::new(None);

/// Whether the first Ctrl-C ends the command after the runs in progress, with the results so far.
static IS_STOPPABLE: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C was pressed once in a command that then finishes the runs in progress.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

impl Progress {
    /// Starts the display of `expected` runs, named `noun`, whose results are stored in `folder`, if given.
    pub fn start(noun: &'static str, expected: usize, folder: Option<&Path>) -> Progress {
        let (points_stored, points_run) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let state = Arc::new(State {
            noun,
            expected: AtomicUsize::new(expected),
            points_stored,
            points_run,
            start: Instant::now(),
            folder: folder.map(Path::to_path_buf),
        });
        let style = ProgressStyle::with_template("{bar:40} {msg}").expect("the template is valid");
        let bar = ProgressBar::new(expected as u64).with_style(style);
        *INTERRUPTIBLE.lock().unwrap_or_else(PoisonError::into_inner) = Some(state.clone());
        install_handler();
        let shown_state = state.clone();
        let heartbeat = (!std::io::stderr().is_terminal()).then(|| Heartbeat::lines(move || shown_state.text()));
        Progress { state, bar, heartbeat }
    }

    /// Counts a finished run.
    pub fn count_finished(&self, from_store: bool) {
        let count = if from_store { &self.state.points_stored } else { &self.state.points_run };
        count.fetch_add(1, Ordering::Relaxed);
        if self.heartbeat.is_none() {
            self.bar.set_message(self.state.text());
            self.bar.inc(1);
        }
    }

    /// Sets the number of runs that are expected in all. Without a terminal, prints an estimate if they take long.
    pub fn expect(&self, expected: usize, jobs: usize) {
        self.state.expected.store(expected, Ordering::Relaxed);
        self.bar.set_length(expected as u64);
        let points_run = self.state.points_run.load(Ordering::Relaxed);
        let seconds_per_point = self.state.start.elapsed().as_secs_f64() / points_run.max(1) as f64;
        let seconds_left = seconds_per_point * expected.saturating_sub(points_run) as f64 / jobs.max(1) as f64;
        if self.heartbeat.is_some() && seconds_left > ESTIMATE_MIN_S {
            output::eprint_line(&format!("About {expected} {}, {}.", self.state.noun, duration(seconds_left)));
        }
    }

    /// Prints a line without disturbing the bar.
    pub fn print_line(&self, text: &str) {
        self.bar.suspend(|| output::eprint_line(text));
    }

    /// Ends the display, and returns the number of runs made and the number of stored results found.
    pub fn finish(self) -> (usize, usize) {
        self.bar.finish_and_clear();
        *INTERRUPTIBLE.lock().unwrap_or_else(PoisonError::into_inner) = None;
        drop(self.heartbeat);
        (self.state.points_run.load(Ordering::Relaxed), self.state.points_stored.load(Ordering::Relaxed))
    }
}

impl State {
    fn text(&self) -> String {
        let (points_stored, points_run) =
            (self.points_stored.load(Ordering::Relaxed), self.points_run.load(Ordering::Relaxed));
        let expected = self.expected.load(Ordering::Relaxed).max(points_stored + points_run);
        let points_left = expected - points_stored - points_run;
        let seconds_per_point = self.start.elapsed().as_secs_f64() / points_run as f64;
        let estimate = match points_run {
            0 => String::new(),
            _ => format!(", {} left", duration(seconds_per_point * points_left as f64)),
        };
        format!("{} of {} {}{estimate}", points_stored + points_run, expected, self.noun)
    }
}

/// Makes the first Ctrl-C end the command after the runs in progress, after which [`is_stopped`] is true, and the second
/// end the program.
pub(super) fn stop_on_interrupt() {
    IS_STOPPABLE.store(true, Ordering::Relaxed);
    install_handler();
}

/// Returns whether Ctrl-C was pressed in a command that then finishes the runs in progress.
pub(super) fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Relaxed)
}

/// Installs the handler of interrupts. The call fails if it is already installed, which does no harm. If the parent
/// process ignores Ctrl-C, it is still ignored. Other signals are not handled, so that `nohup` works.
fn install_handler() {
    let _ = ctrlc::try_set_handler(handle_interrupt);
}

/// Formats a duration in seconds.
pub(super) fn duration(seconds: f64) -> String {
    let whole_seconds = seconds.ceil() as u64;
    match (whole_seconds / 3600, whole_seconds / 60 % 60, whole_seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

/// Handles an interrupt: prints how to resume, and exits. Results are stored one by one, so nothing remains to be
/// saved.
fn handle_interrupt() {
    if IS_STOPPABLE.load(Ordering::Relaxed) && !IS_STOPPED.swap(true, Ordering::Relaxed) {
        return output::eprint_line("\nStopping after the runs in progress; Ctrl-C again ends the program at once.");
    }
    let state = INTERRUPTIBLE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(state) = state {
        let points_done = state.points_stored.load(Ordering::Relaxed) + state.points_run.load(Ordering::Relaxed);
        let (expected, noun) = (state.expected.load(Ordering::Relaxed), state.noun);
        output::eprint_line(&match &state.folder {
            Some(folder) => format!(
                "\nStopped. {points_done} of {expected} {noun} are stored in `{}`; the same command resumes from there.",
                folder.display()
            ),
            None => format!("\nStopped. The results of {points_done} {noun} are lost, since none is stored."),
        });
    }
    std::process::exit(EXIT_INTERRUPTED.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_is_estimated_from_runs_made() {
        assert_eq!(duration(59.2), "1 min 0 s");
        assert_eq!(duration(7322.0), "2 h 2 min");
        let state = State {
            noun: "points",
            expected: AtomicUsize::new(10),
            points_stored: AtomicUsize::new(4),
            points_run: AtomicUsize::new(0),
            start: Instant::now() - std::time::Duration::from_secs(4),
            folder: None,
        };
        assert_eq!(state.text(), "4 of 10 points");
        state.points_run.store(2, Ordering::Relaxed);
        assert!(state.text().starts_with("6 of 10 points, "), "{}", state.text());
    }
}
