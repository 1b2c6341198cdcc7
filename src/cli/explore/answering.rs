//! A process for each question: it can be stopped at any time, and is bounded in time and memory.

use super::server::{Answerer, FutureAnswer};
use hyper::body::Bytes;
use serde_json::json;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::sync::Semaphore;

/// The program and the limits of the processes that answer questions.
pub struct AnswerLimits {
    /// The program that answers with its command `answer`, and the arguments before that command.
    pub program: Vec<OsString>,
    /// The folder below which files are read.
    pub folder: PathBuf,
    /// The largest number of questions that are answered at a time; further questions wait.
    pub jobs: usize,
    /// The longest time of an answer.
    pub time: Duration,
    /// The largest memory of an answer, in GiB.
    pub memory_gib: u64,
}

/// Answers each question by a process of its own, which ends when the answer is no longer wanted.
pub struct ProcessAnswerer {
    limits: AnswerLimits,
    job_permits: Arc<Semaphore>,
}

impl ProcessAnswerer {
    /// Returns an answerer whose processes are bounded by `limits`.
    pub fn new(limits: AnswerLimits) -> ProcessAnswerer {
        let job_permits = Arc::new(Semaphore::new(limits.jobs));
        ProcessAnswerer { limits, job_permits }
    }

    async fn run(&self, question: &[u8]) -> io::Result<Result<String, String>> {
        let (program, arguments) = self.limits.program.split_first().expect("a command line has a program");
        let mut command = Command::new(program);
        command.args(arguments).args(["answer", "--memory-max"]).arg(self.limits.memory_gib.to_string());
        command.current_dir(&self.limits.folder).kill_on_drop(true);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut stdin = child.stdin.take().expect("standard input is piped");
        stdin.write_all(question).await?;
        drop(stdin);
        let output = match tokio::time::timeout(self.limits.time, child.wait_with_output()).await {
            Ok(output) => output?,
            Err(_) => {
                return Ok(Err(format!(
                    "The run was stopped after {} s, the longest time of `--time-max`.",
                    self.limits.time.as_secs()
                )));
            }
        };
        Ok(match (output.status.success(), String::from_utf8(output.stdout)) {
            (true, Ok(answer)) => Ok(answer),
            _ => Err(format!(
                "The run ended without a result ({}). It may need more than {} GiB of memory, the limit of `--memory-max`.",
                output.status, self.limits.memory_gib
            )),
        })
    }
}

impl Answerer for ProcessAnswerer {
    fn answer(self: Arc<Self>, question: Bytes) -> FutureAnswer {
        Box::pin(async move {
            let _permit = self.job_permits.acquire().await.expect("the semaphore is never closed");
            let answer =
                self.run(&question).await.unwrap_or_else(|error| Err(format!("The run cannot be started: {error}")));
            answer.unwrap_or_else(|error| json!({ "error": error }).to_string())
        })
    }
}
