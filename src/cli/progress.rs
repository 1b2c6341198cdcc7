//! How far many runs are: a bar on a terminal, a line every ten seconds elsewhere; and what is told when it is
//! stopped from outside.

use super::alive::Alive;
use super::output;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The exit code of what was stopped by Ctrl-C, as shells have it.
const STOPPED: i32 = 130;

/// How far it is.
struct State {
    what: &'static str,
    all: usize,
    /// Those that were kept before cost nothing, and say nothing about what is left.
    kept: AtomicUsize,
    run: AtomicUsize,
    begun: Instant,
    /// Where finished runs are kept.
    folder: Option<PathBuf>,
}

/// What is told of many runs while they go on.
pub struct Progress {
    state: Arc<State>,
    bar: ProgressBar,
    /// What is told where there is no terminal.
    lines: Option<Alive>,
}

/// What stopping would cut short; there is one handler for the whole process.
static STOPPABLE: Mutex<Option<Arc<State>>> = Mutex::new(None);

impl Progress {
    /// Of so many runs, called `what`, kept in a folder or nowhere.
    pub fn begin(what: &'static str, all: usize, folder: Option<&Path>) -> Progress {
        let (kept, run) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let state =
            Arc::new(State { what, all, kept, run, begun: Instant::now(), folder: folder.map(Path::to_path_buf) });
        let style = ProgressStyle::with_template("{bar:40} {msg}").expect("a template");
        let bar = ProgressBar::new(all as u64).with_style(style);
        *STOPPABLE.lock().unwrap_or_else(PoisonError::into_inner) = Some(state.clone());
        // One that is there already does the same; where Ctrl-C is ignored, it stays so. Other signals are left
        // alone, so that `nohup` is heeded.
        let _ = ctrlc::try_set_handler(stopped);
        let told = state.clone();
        let lines = (!std::io::stderr().is_terminal()).then(|| Alive::lines(move || told.told()));
        Progress { state, bar, lines }
    }

    /// One more is finished.
    pub fn finished(&self, kept: bool) {
        let count = if kept { &self.state.kept } else { &self.state.run };
        count.fetch_add(1, Ordering::Relaxed);
        if self.lines.is_none() {
            self.bar.set_message(self.state.told());
            self.bar.inc(1);
        }
    }

    /// Tells something between.
    pub fn tell(&self, text: &str) {
        self.bar.suspend(|| output::tell(text));
    }

    /// It is over: how many were run, and how many kept before.
    pub fn end(self) -> (usize, usize) {
        self.bar.finish_and_clear();
        *STOPPABLE.lock().unwrap_or_else(PoisonError::into_inner) = None;
        drop(self.lines);
        (self.state.run.load(Ordering::Relaxed), self.state.kept.load(Ordering::Relaxed))
    }
}

impl State {
    fn told(&self) -> String {
        let (kept, run) = (self.kept.load(Ordering::Relaxed), self.run.load(Ordering::Relaxed));
        let left = self.all.saturating_sub(kept + run);
        let each = self.begun.elapsed().as_secs_f64() / run as f64;
        let estimate = match run {
            0 => String::new(),
            _ => format!(", {} left", duration(each * left as f64)),
        };
        format!("{} of {} {}{estimate}", kept + run, self.all, self.what)
    }
}

/// Seconds as people say them.
fn duration(seconds: f64) -> String {
    let whole = seconds.ceil() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

/// Finished runs are kept one by one, so nothing needs to be put in order: what is told is how to go on.
fn stopped() {
    let state = STOPPABLE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(state) = state {
        let done = state.kept.load(Ordering::Relaxed) + state.run.load(Ordering::Relaxed);
        let (all, what) = (state.all, state.what);
        output::tell(&match &state.folder {
            Some(folder) => format!(
                "\nStopped. {done} of {all} {what} are kept in `{}`: the same command goes on from there.",
                folder.display()
            ),
            None => format!("\nStopped. Of {done} {what} that were run none is kept."),
        });
    }
    std::process::exit(STOPPED);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_estimated_from_what_was_run() {
        assert_eq!(duration(59.2), "1 min 0 s");
        assert_eq!(duration(7322.0), "2 h 2 min");
        let state = State {
            what: "points",
            all: 10,
            kept: AtomicUsize::new(4),
            run: AtomicUsize::new(0),
            begun: Instant::now() - std::time::Duration::from_secs(4),
            folder: None,
        };
        assert_eq!(state.told(), "4 of 10 points");
        state.run.store(2, Ordering::Relaxed);
        assert!(state.told().starts_with("6 of 10 points, "), "{}", state.told());
    }
}
