//! That something long is still going on: a line every ten seconds on standard error.

use super::output;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A line is told so often.
const EVERY: Duration = Duration::from_secs(10);

/// Tells what goes on, until it is dropped.
pub struct Alive {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Alive {
    /// While `what` goes on, such as `running`, of which no more can be said.
    pub fn tell(what: &'static str) -> Alive {
        let begun = Instant::now();
        Alive::lines(move || format!("{what}, for {} s", begun.elapsed().as_secs()))
    }

    /// These lines.
    pub fn lines(line: impl Fn() -> String + Send + 'static) -> Alive {
        let (end, ended) = mpsc::channel();
        let tell = move || {
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                output::tell(&line());
            }
        };
        Alive { end: Some(end), thread: Some(thread::spawn(tell)) }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
