//! A page on the loopback address, served until the process ends.

use super::super::exit::{CommandResult, ExitStatus};
use super::super::output;
use super::super::process::own_command;
use super::admission::Gate;
use super::answering::{AnswerLimits, ProcessAnswerer};
use super::{browser, server};
use narrows_core::text::Problem;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

/// The options of serving a page.
pub struct ServedPage {
    /// The file of the page; empty for the explorer.
    pub page: &'static str,
    /// Fragment of the address with which the page opens, without `#`.
    pub fragment: Option<String>,
    /// Whether the page is opened in a browser.
    pub opens_browser: bool,
    /// Whether other pages may frame the page, and the server ends when standard input ends.
    pub is_embedded: bool,
    /// The port, or 0 for one that is free.
    pub port: u16,
    /// The number of runs at a time.
    pub jobs: Option<u64>,
    /// The longest time of one answer.
    pub time_max: Duration,
    /// The largest memory of one answer, in GiB.
    pub memory_max: u64,
}

/// Serves a page until the process ends by a signal.
pub fn serve(options: ServedPage) -> CommandResult {
    let folder =
        std::env::current_dir().map_err(|error| Problem::new(format!("there is no present folder: {error}")))?;
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port))).map_err(|error| {
        let problem = Problem::new(format!("cannot listen on port {}: {error}", options.port));
        problem.help("leave out --port for one that is free")
    })?;
    let port = listener.local_addr().map_err(|error| Problem::new(error.to_string()))?.port();
    let gate = Gate::new(port)?.with_framing(options.is_embedded);
    let fragment = options.fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
    let address = format!("http://127.0.0.1:{port}/{}{}?token={}{fragment}", gate.folder(), options.page, gate.token());
    if options.is_embedded {
        exit_when_stdin_ends();
    }
    output::print(&format!("{address}\n"))?;
    eprint_line!("The page is served to this computer until Ctrl-C.");
    if options.opens_browser && !browser::open(&address) {
        eprint_line!("No browser could be started. Open the address above.");
    }
    let jobs =
        options.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |jobs| jobs as usize);
    let limits =
        AnswerLimits { program: own_command()?, folder, jobs, time: options.time_max, memory_gib: options.memory_max };
    let result = server::serve(listener, gate, Arc::new(ProcessAnswerer::new(limits)));
    result.map_err(|error| Problem::new(format!("the page cannot be served: {error}")))?;
    Ok(ExitStatus::Done)
}

/// Ends the process when standard input ends: at the latest when the program that started this process ends.
fn exit_when_stdin_ends() {
    std::thread::spawn(|| {
        // An error also means that nothing is read any more.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
}
