//! Checks the text of the project itself: which folder may import which, the public interface, heads and lengths of
//! files, the cost of a part, profiles, names of types, private words, waits, `unreachable!`, sources of values, links and
//! examples.

mod facts;
mod imports;
mod links;
mod modules;
mod names;
mod parts;
mod profiles;
mod public;
mod versions;
mod words;

use narrows::machine::shipped;
use narrows::text::Document;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 60;
/// The sources of values in `machines/`; the comment of each value begins with one of them.
const SOURCES: [&str; 8] =
    ["paper", "data sheet", "standard", "measured", "derived", "calibrated", "chosen", "remembered"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all files below `folder` that end with `extension`, with their text; an empty list if there is no such
/// folder.
fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let mut found_files = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a folder can be read").path();
            let name = path.strip_prefix(root()).expect("it lies in the project").display().to_string();
            let file_name = entry_name(&path);
            if file_name.starts_with('.') || file_name == "target" || path.is_symlink() {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(extension) {
                found_files.push((name, fs::read_to_string(&path).expect("the text can be read")));
            }
        }
    }
    found_files.sort();
    found_files
}

fn entry_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The folders of the code: the models, experiments and studies, model checking, the command line.
const CODE: [&str; 4] = ["crates/core/src", "crates/study/src", "crates/verify/src", "src"];

/// Returns every Rust file below the folders `CODE`, with its text, in order of names.
fn sources() -> Vec<(String, String)> {
    let mut code_files: Vec<_> = CODE.iter().flat_map(|folder| files(folder, ".rs")).collect();
    code_files.sort();
    code_files
}

/// Returns every Rust file of the project.
fn rust_files() -> Vec<(String, String)> {
    ["src", "tests", "benches", "fuzz", "crates"].iter().flat_map(|folder| files(folder, ".rs")).collect()
}

/// Fails if there are errors, with a line for each.
#[track_caller]
fn assert_no_errors(errors: Vec<String>) {
    assert!(errors.is_empty(), "\n{}\n", errors.join("\n"));
}

#[test]
fn no_file_of_tests_is_left_out() {
    let main = std::fs::read_to_string(root().join("tests/main.rs")).expect("the file can be read");
    let rust = files("tests", ".rs");
    let names = rust.iter().filter_map(|(name, _)| name["tests/".len()..].strip_suffix(".rs"));
    let top_files = names.filter(|name| !name.contains('/') && *name != "main");
    assert_no_errors(
        top_files
            .filter(|name| !main.contains(&format!("\nmod {name};")))
            .map(|name| format!("{name} is not run"))
            .collect(),
    );
}

#[test]
fn every_file_has_a_head_and_is_short() {
    let mut errors = Vec::new();
    for (name, text) in rust_files() {
        if !text.starts_with("//! ") {
            errors.push(format!("{name}: does not begin with a description, as //!"));
        }
        let lines = text.lines().count();
        if lines > FILE_LINES_MAX {
            errors.push(format!("{name}: {lines} lines, more than {FILE_LINES_MAX}"));
        }
    }
    assert_no_errors(errors);
}

/// Functions of `f64` that the standard library takes from the C library of the system. The last digits of their
/// results differ between targets; those of `libm` do not.
const SYSTEM_ARITHMETIC: &str =
    r"\.(ln|ln_1p|exp|exp2|exp_m1|powf|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|cbrt|hypot)\(";

#[test]
fn results_have_one_arithmetic_on_every_target() {
    let function = regex::Regex::new(SYSTEM_ARITHMETIC).expect("the expression is valid");
    let code = sources().into_iter().chain(files("crates/web/src", ".rs")).filter(|(name, _)| !name.contains("tests"));
    let errors = code.flat_map(|(name, text)| {
        let code_before_tests = text.find("#[cfg(test)]\nmod tests {").map_or(text.as_str(), |at| &text[..at]);
        let lines = code_before_tests.lines().enumerate().filter(|(_, line)| function.is_match(line));
        lines.map(|(index, line)| format!("{name}:{}: use libm: {}", index + 1, line.trim())).collect::<Vec<_>>()
    });
    assert_no_errors(errors.collect());
}

#[test]
fn functions_are_short() {
    let errors = rust_files().into_iter().flat_map(|(name, text)| {
        let long_functions = functions(&text).into_iter().filter(|(_, _, lines)| *lines > FUNCTION_LINES_MAX);
        long_functions
            .map(move |(function, line, lines)| format!("{name}:{line}: {function} has {lines} lines"))
            .collect::<Vec<_>>()
    });
    assert_no_errors(errors.collect());
}

/// Returns the name, the line and the number of lines of each function. A function extends from its `fn` to the closing
/// line with the same indentation.
fn functions(text: &str) -> Vec<(&str, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut functions = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        let Some((_, rest)) = code.split_once("fn ").filter(|(qualifiers, _)| is_qualifiers(qualifiers)) else {
            continue;
        };
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        let is_end = |line: &&str| {
            let rest = line.strip_prefix(indent);
            rest.is_some_and(|rest| rest.starts_with('}') || (rest.starts_with(')') && rest.ends_with(';')))
        };
        let is_one_line = code.ends_with(';') || code.ends_with('}');
        let length = if is_one_line { 1 } else { 1 + lines[index..].iter().position(is_end).unwrap_or(0) };
        functions.push((name, index + 1, length));
    }
    functions
}

/// Returns whether a text consists of qualifiers that may precede `fn`.
fn is_qualifiers(text: &str) -> bool {
    text.split_whitespace().all(|word| {
        word.starts_with("pub") || ["async", "const", "unsafe", "extern"].contains(&word) || word.ends_with(')')
    })
}

#[test]
fn functions_are_measured() {
    let text = "fn a() {\n    x\n}\nimpl B {\n    pub(super) async fn c(\n        self,\n    ) -> D {\n        if e {\n        }\n    }\n}\n";
    assert_eq!(functions(text), [("a", 1, 3), ("c", 5, 6)]);
}

#[test]
fn no_to_do_is_left() {
    let marks = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["X", "XX"].concat()];
    let texts = rust_files().into_iter().chain(files("", ".toml")).chain(files("", ".md"));
    assert_no_errors(
        texts.filter(|(_, text)| marks.iter().any(|mark| text.contains(mark.as_str()))).map(|(name, _)| name).collect(),
    );
}

#[test]
fn every_value_of_a_machine_has_a_source() {
    let mut errors = Vec::new();
    for (name, text) in files("machines", ".toml") {
        for (line_number, line) in text.lines().enumerate() {
            let is_value = line.split('#').next().unwrap_or("").contains('=');
            let source = line.split_once('#').map_or("", |(_, comment)| comment.trim_start());
            if is_value && !SOURCES.iter().any(|known_source| source.starts_with(known_source)) {
                errors.push(format!("{name}:{}: {line}", line_number + 1));
            }
        }
    }
    assert_no_errors(errors);
}

#[test]
fn every_example_reads_and_checks() {
    let is_in_subfolder = |name: &str| name["examples/".len()..].contains('/');
    let examples: Vec<_> = files("examples", ".toml").into_iter().filter(|(name, _)| !is_in_subfolder(name)).collect();
    assert!(!examples.is_empty());
    for (name, text) in &examples {
        let folder = root().join("examples");
        match narrows::machine::read(Document::Text(name, text, Some(&folder)), &[]) {
            Ok(read) => assert!(read.renamed_keys().is_empty(), "{name}: {:?}", read.renamed_keys()),
            Err(problems) => panic!("{problems}"),
        }
        assert!(text.starts_with("# "), "{name} begins with a comment that describes it");
    }
    assert_eq!(shipped::examples().len(), examples.len(), "every example is shipped");
}

#[test]
fn every_link_between_pages_has_a_target() {
    let mut errors = Vec::new();
    for (name, text) in files("", ".md") {
        for target in links(&text) {
            let path = target.split('#').next().unwrap_or("");
            let is_elsewhere = target.contains("://") || target.starts_with("mailto:") || path.is_empty();
            // `docs/site/reference.py` generates these pages when the site is built, and `docs/site/check.py` follows
            // the links to them in the built site.
            let is_generated = name.starts_with("docs/site/src/")
                && (path.starts_with("reference/") || path.starts_with("../reference/"));
            let file = root().join(&name);
            if !is_elsewhere && !is_generated && !file.parent().expect("a file lies in a folder").join(path).exists() {
                errors.push(format!("{name}: {target} leads nowhere"));
            }
        }
    }
    assert_no_errors(errors);
}

/// Returns the targets of `[text](target)` outside code.
fn links(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let prose = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    // Every second part between backquotes is code.
    let parts = prose.flat_map(|line| line.split('`').step_by(2));
    parts.flat_map(|part| part.split("](").skip(1).filter_map(|rest| rest.split(')').next())).collect()
}

#[test]
fn links_are_found_in_prose_only() {
    assert_eq!(links("a [b](c.md#d) `[e](f)` [g](h)\n```\n[i](j)\n```\n"), ["c.md#d", "h"]);
}

/// Returns the lines of a text that are code, with their line numbers.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(line_number, line)| (line_number + 1, line.trim()));
    lines.filter(|(_, line)| !line.starts_with("//"))
}

/// Returns whether a line of code has a word that begins with `word`.
fn has_word(line: &str, word: &str) -> bool {
    let begins_word = |offset: usize| !line[..offset].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(offset, _)| begins_word(offset))
}

/// Returns whether a file of the code holds unit tests.
fn is_test(name: &str) -> bool {
    name.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// Files of programs that wait by the simulation's clock and not by their endpoint's clock, each with the reason.
const WAITS: [(&str, &str); 2] = [
    ("crates/core/src/program/fabric_alone/mod.rs", "there is no endpoint: the routers' own clock is followed"),
    (
        "crates/core/src/program/cyclic_shift/mod.rs",
        "the samples are an instrument's: a processor that took them would be slowed",
    ),
];

#[test]
fn programs_wait_by_the_clock_of_their_endpoint() {
    let mut waits_found = BTreeSet::new();
    for (name, text) in files("crates/core/src/program", ".rs").into_iter().filter(|(name, _)| !is_test(name)) {
        let waits = ["sim.until(", "sim.delay(", "sim().until(", "sim().delay("];
        if code_lines(&text).any(|(_, line)| waits.iter().any(|wait| line.contains(wait))) {
            waits_found.insert(name);
        }
    }
    let known_waits: BTreeSet<String> = WAITS.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(waits_found, known_waits, "programs that wait by the simulation's clock, and those that may");
}

/// Files with `unreachable!`, each with the reason why no combination of parts reaches it.
const UNREACHABLE: [(&str, &str); 5] = [
    ("crates/core/src/engine/stats.rs", "the value was set in the line before"),
    ("crates/core/src/fabric/topology/walk.rs", "after a loop without end, which an assertion bounds"),
    ("crates/core/src/host/dma_port.rs", "a completion whose steps are followed has them"),
    ("crates/core/src/program/bursts/draws.rs", "a number below a sum lies below one of its partial sums"),
    ("crates/core/src/program/bursts/parameters.rs", "the field was read as a list of two"),
];

#[test]
fn every_unreachable_is_listed_with_its_reason() {
    let sources = sources().into_iter().filter(|(name, _)| !is_test(name));
    let has_unreachable = |text: &str| code_lines(text).any(|(_, line)| has_word(line, "unreachable!"));
    let unreachable: Vec<String> = sources.filter(|(_, text)| has_unreachable(text)).map(|(name, _)| name).collect();
    assert_eq!(unreachable, UNREACHABLE.map(|(name, _)| name.to_owned()), "files that say `unreachable!`");
}
