//! Heartbeat of a long operation: a line every ten seconds on standard error.

use super::output;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The interval between lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Prints heartbeat lines until it is dropped.
pub struct Heartbeat {
    stop_sender: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Prints `activity`, such as `running`, and the elapsed time.
    pub fn start(activity: &'static str) -> Heartbeat {
        let start = Instant::now();
        Heartbeat::lines(move || format!("{activity}, for {} s", start.elapsed().as_secs()))
    }

    /// Prints the lines that `line` returns.
    pub fn lines(line: impl Fn() -> String + Send + 'static) -> Heartbeat {
        let (stop_sender, stop_receiver) = mpsc::channel();
        let print_lines = move || {
            while stop_receiver.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                output::eprint_line(&line());
            }
        };
        Heartbeat { stop_sender: Some(stop_sender), thread: Some(thread::spawn(print_lines)) }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop_sender.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
