//! Checks the facts in pages: every key, option and command in a page exists in the program, and the counts of runs are
//! right.

use super::{assert_no_errors, files, root};
use clap::error::ErrorKind;
use narrows::cli;
use narrows::machine::Registry;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;

/// Names in pages that have the form of a key, but are metrics.
const METRICS: [&str; 1] = ["ni.retransmitted"];
/// Words that end a command line of a page.
const COMMAND_ENDS: [&str; 5] = ["|", ">", "&&", ";", "then"];
/// Smallest number of keys, and of commands, in the pages. If there are fewer, the search does not find them.
const FOUND_MIN: usize = 30;

/// Returns the pages that state facts of the program.
fn pages() -> Vec<(String, String)> {
    let mut pages = files("docs", ".md");
    pages.extend(files("papers", "README.md"));
    for name in ["README.md", "CONTRIBUTING.md", "crates/py/README.md"] {
        pages.push((name.to_owned(), fs::read_to_string(root().join(name)).expect("the page can be read")));
    }
    pages
}

/// Returns the code spans of a page.
fn code_spans(page: &str) -> Vec<&str> {
    let mut is_block = false;
    let prose = page.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_block ^= is_fence;
        !is_block && !is_fence
    });
    prose.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Returns the commands of a page: first those in code spans, and then those in blocks of a shell or without a
/// language. The flag states whether a command is complete, because a code span may omit arguments.
fn commands(page: &str) -> Vec<(String, bool)> {
    let mut commands: Vec<(String, bool)> = code_spans(page).into_iter().map(|span| (span.to_owned(), false)).collect();
    let (mut language, mut unfinished_command) = (None, String::new());
    for line in page.lines() {
        match (line.trim_start().strip_prefix("```"), language) {
            (Some(name), None) => language = Some(name),
            (Some(_), Some(_)) => language = None,
            (None, Some("" | "sh" | "console")) => {
                let line = line.strip_prefix("$ ").unwrap_or(line);
                match line.strip_suffix('\\') {
                    Some(part) => unfinished_command += part,
                    None => commands.push((std::mem::take(&mut unfinished_command) + line, true)),
                }
            }
            _ => {}
        }
    }
    commands.retain(|(command, _)| command.starts_with("narrows "));
    commands
}

/// Returns the words of a command, up to one of `COMMAND_ENDS`.
fn words(command: &str) -> Option<Vec<String>> {
    let words = shlex::split(command)?;
    Some(words.into_iter().take_while(|word| !COMMAND_ENDS.contains(&word.as_str())).collect())
}

/// The keys of descriptions, each as the list of its names.
struct KnownKeys(Vec<Vec<String>>);

impl KnownKeys {
    fn new() -> KnownKeys {
        let listing = Registry::shared().schema().listing();
        let keys = listing.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
        let names = |line: &str| line.split(' ').next().unwrap_or_default().split('.').map(str::to_owned).collect();
        KnownKeys(keys.map(names).collect())
    }

    /// Returns the name of a text that has the form of a key of a description: at least two names, the first of which
    /// is the name of a table of descriptions. A value may follow.
    fn name<'a>(&self, text: &'a str) -> Option<&'a str> {
        let name = text.split('=').next()?;
        let is_name =
            |name: &str| !name.is_empty() && !name.contains(|c: char| !(c.is_alphanumeric() || "-*".contains(c)));
        let (first, rest) = name.split_once('.')?;
        (self.0.iter().any(|key| key[0] == first) && rest.split('.').all(is_name)).then_some(name)
    }

    /// Returns whether a key exists; `*` and NAME match any name.
    fn has(&self, name: &str) -> bool {
        let names: Vec<&str> = name.split('.').collect();
        let is_same = |key: &str, name: &str| key == name || key == "NAME" || ["*", "NAME"].contains(&name);
        let is_key =
            |key: &&Vec<String>| key.len() == names.len() && key.iter().zip(&names).all(|(a, b)| is_same(a, b));
        // A node's own interface has the keys of every interface.
        let is_of_node_interface = names.len() > 3 && names[0] == "nodes" && names[2] == "ni";
        self.0.iter().any(|key| is_key(&key)) || is_of_node_interface && self.has(&names[2..].join("."))
    }
}

#[test]
fn every_key_in_a_page_exists() {
    let keys = KnownKeys::new();
    let (mut errors, mut found_count) = (Vec::new(), 0);
    for (page, text) in pages() {
        let words_of_command = |(command, _): &(String, bool)| words(command).unwrap_or_default();
        let commands = commands(&text);
        let command_words: Vec<String> = commands.iter().flat_map(words_of_command).collect();
        let candidates = code_spans(&text).into_iter().chain(command_words.iter().map(String::as_str));
        // An option such as `A=1,2;B=3,4` has two keys.
        for name in candidates.flat_map(|text| text.split(';')).filter_map(|text| keys.name(text.trim())) {
            found_count += 1;
            if !keys.has(name) && !METRICS.contains(&name) {
                errors.push(format!("{page}: there is no key `{name}`"));
            }
        }
    }
    assert!(found_count > FOUND_MIN, "{found_count}");
    assert_no_errors(errors);
}

#[test]
fn every_command_in_a_page_parses() {
    let (mut errors, mut found_count) = (Vec::new(), 0);
    for (page, text) in pages() {
        for (command, is_complete) in commands(&text) {
            found_count += 1;
            let Some(words) = words(&command) else {
                errors.push(format!("{page}: `{command}` is not closed"));
                continue;
            };
            let ends_with_option = words.last().is_some_and(|word| word.starts_with("--"));
            let is_error = |error: &clap::Error| match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => false,
                ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand => is_complete,
                // A code span may name an option without its value.
                ErrorKind::InvalidValue => is_complete || !ends_with_option,
                _ => true,
            };
            if let Some(error) = cli::command().try_get_matches_from(words).err().filter(is_error) {
                errors.push(format!("{page}: `{command}`: {error}"));
            }
        }
    }
    assert!(found_count > FOUND_MIN, "{found_count}");
    assert_no_errors(errors);
}

#[test]
fn every_option_in_a_page_exists() {
    let command = cli::command();
    let options = command.get_subcommands().flat_map(clap::Command::get_arguments).filter_map(clap::Arg::get_long);
    let options: BTreeSet<&str> = options.chain(["help", "version"]).collect();
    let option = Regex::new("(?:^|[ \"'])--([a-z][a-z-]+)").expect("the expression is valid");
    let (mut errors, mut found_count) = (Vec::new(), 0);
    for (page, text) in pages() {
        // Options of other programs are skipped.
        for span in code_spans(&text)
            .into_iter()
            .filter(|span| !["cargo", "maturin", "pip"].iter().any(|program| span.starts_with(program)))
        {
            for name in option.captures_iter(span).filter_map(|captured| captured.get(1)) {
                found_count += 1;
                if !options.contains(name.as_str()) {
                    errors.push(format!("{page}: no command has the option --{}", name.as_str()));
                }
            }
        }
    }
    assert!(found_count > FOUND_MIN, "{found_count}");
    assert_no_errors(errors);
}

#[test]
fn pages_count_the_runs_of_the_atlas() {
    let combinations = Registry::shared().combinations();
    let combinations_of =
        |workload: &str| combinations.iter().filter(|combination| combination.workload == workload).collect::<Vec<_>>();
    let accepted = |workload: &str| {
        combinations_of(workload).into_iter().filter(|combination| combination.refusal_reasons.is_empty()).count()
    };
    let ping_pong = combinations_of("ping-pong");
    let axes = [
        ping_pong.iter().map(|combination| combination.host).collect::<BTreeSet<_>>().len(),
        ping_pong.iter().map(|combination| combination.ni).collect::<BTreeSet<_>>().len(),
        ping_pong.iter().map(|combination| combination.protocol).collect::<BTreeSet<_>>().len(),
        ping_pong.iter().map(|combination| combination.fabric).collect::<BTreeSet<_>>().len(),
    ];
    // The atlas runs three sizes of a ping-pong, a stream and heavy traffic.
    let runs = 3 * accepted("ping-pong") + accepted("stream") + accepted("bursts");
    let axes = axes.map(|count| count.to_string()).join(" × ");
    let counts = format!("Of {axes} = {} combinations {} fit", ping_pong.len(), accepted("ping-pong"));
    for (page, statement) in [
        ("papers/atlas/README.md", counts),
        ("papers/atlas/README.md", format!("{runs} runs in all")),
        ("README.md", format!("{runs} runs in a few minutes")),
    ] {
        let text = fs::read_to_string(root().join(page)).expect("the page can be read");
        assert!(text.contains(&statement), "{page} does not say: {statement}");
    }
}

#[test]
fn keys_and_commands_are_found() {
    let page = "A `ni.a.b=1` and `narrows run x`.\n```sh\nnarrows sweep x \\\n  --vary 'a=1' | cat\n```\n\
                ```toml\nnarrows = 1\n```\n";
    assert_eq!(code_spans(page), ["ni.a.b=1", "narrows run x"]);
    let commands = commands(page);
    let expected = [("narrows run x", false), ("narrows sweep x   --vary 'a=1' | cat", true)];
    assert_eq!(commands, expected.map(|(command, is_complete)| (command.to_owned(), is_complete)));
    assert_eq!(words(&commands[1].0), Some(["narrows", "sweep", "x", "--vary", "a=1"].map(str::to_owned).to_vec()));
    let keys = KnownKeys::new();
    assert_eq!(keys.name("workload.ping-pong.payload=64 B"), Some("workload.ping-pong.payload"));
    assert_eq!((keys.name("message.latency_one_way"), keys.name("run")), (None, None));
    assert!(keys.has("hosts.*.io-bus.memory.copy") && keys.has("nodes.sender.ni.trapeze.policy"));
    assert!(!keys.has("messaging.overhead"));
}
