//! That a long run is still going on: a line every ten seconds on standard error, as no bar can say how far it is.

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
    /// While `what` goes on, such as `running`.
    pub fn tell(what: &'static str) -> Alive {
        let (end, ended) = mpsc::channel();
        let begun = Instant::now();
        let tell = move || {
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                output::tell(&format!("{what}, for {} s", begun.elapsed().as_secs()));
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
