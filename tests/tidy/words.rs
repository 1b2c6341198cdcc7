//! Counts private words, and doc comments that do not name their subject, file by file.
//!
//! The list `words.txt` contains their number in each file. The numbers may only decrease: the test fails for a file
//! with more, and also for a file with fewer until the list has the new number (`UPDATE=1` writes it).

use super::{files, root, rust_files};
use regex::Regex;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// Private words in prose, as regular expressions, each with the field's words for it. A letter in brackets keeps a
/// pattern from matching itself.
const PROSE: [(&str, &str); 12] = [
    (r"\b(un)?tol[d]\b|\btel[l]s?\b", "reported, notified, recorded, printed; distinguishes"),
    (r"\bbesid[e]s?\b", "loopback, alongside, in addition"),
    (r"\bstan[d]s?\b|\bstoo[d]\b", "is"),
    (r"\b[Ss]o (many|much|often|long)\b", "the number, amount, frequency, time"),
    (r"\bgo(es)? before\b", "overrides, precedes"),
    (r"\bas it wer[e]\b", ""),
    (r"\b(what|that|which|who|it) bind[s]\b|\bbind[s]\b", "is the bottleneck"),
    (
        r"\b[Ww]ho(ever)? (is|are|has|sleeps|waits|asks|sends|wants|takes|needs|keeps|comes)\b|\b[Ww]hereabout[s]\b",
        "a noun",
    ),
    (r"\bforet(old|ells)\b|\bin vai[n]\b", "predicted; without effect"),
    (r"\b(is|are|were) non[e]\b", "there is no"),
    (r"\b(no|finds?|is|has|of) room\b|\broom for\b", "capacity, slot, credit"),
    (r"\b(gives?|given) back\b|\btak(es|en) up\b|\btook up\b", "releases; resumes"),
];
/// Phrases that contain these words, but are accepted terms of the field.
const ACCEPTED: &str = r"\btel[l]s? apart\b|\bstan[d]s? for\b|\bstan[d]-?alone\b|\bstan[d] alone\b|\b[Ss]o (many|much|often|long) (as|that)\b";
/// A regular expression for a doc comment that begins with a word that is not a subject.
const PRIVATE_OPENING: &str = r"^\s*//[/!] (Of|Its|Whose|What|Who|Whoever|How many|How much|How often|[S]o many|[S]o much|Where|By which|In which|To which|From which|That|As if|Whatever|For whom)\b";
/// A regular expression for identifiers that are private words.
const IDENTIFIERS: &str = r"\b(unt[o]ld|t[o]ld|t[e]ll|b[e]side)(?:[_(.,;: )=]|$)|_(t[o]ld|b[e]side|st[o]od)\b";

struct Rules {
    prose: Vec<Regex>,
    accepted: Regex,
    quotation: Regex,
    opening: Regex,
    identifiers: Regex,
    comment: Regex,
    string: Regex,
}

impl Rules {
    fn new() -> Rules {
        let regex = |text: &str| Regex::new(text).expect("the expression is valid");
        Rules {
            prose: PROSE.iter().map(|(words, _)| regex(words)).collect(),
            accepted: regex(ACCEPTED),
            quotation: regex("“[^”]*”"),
            opening: regex(PRIVATE_OPENING),
            identifiers: regex(IDENTIFIERS),
            comment: regex("//[/!]? ?(.*)"),
            string: regex(r#""((?:[^"\\]|\\.)*)""#),
        }
    }

    /// Returns the number of private words in a line of a text.
    fn count_in_prose(&self, line: &str) -> usize {
        if line.trim_start().starts_with('>') {
            return 0;
        }
        let line = self.quotation.replace_all(line, "");
        let line = self.accepted.replace_all(&line, "");
        self.prose.iter().map(|words| words.find_iter(&line).count()).sum()
    }

    /// Returns the number of private words in a line of code.
    fn count_in_code(&self, line: &str) -> usize {
        let comment =
            self.comment.captures(line).map_or("", |captured| captured.get(1).expect("the group matches").as_str());
        let strings = self.string.captures_iter(line).map(|captured| captured[1].to_owned());
        let prose = [comment.to_owned()].into_iter().chain(strings).collect::<Vec<_>>().join(" ");
        let code = line.split("//").next().unwrap_or("");
        let opening = usize::from(self.opening.is_match(line));
        opening + self.count_in_prose(&prose) + self.identifiers.find_iter(code).count()
    }
}

/// Returns the number of private words in each file that has any.
fn count_words() -> BTreeMap<String, usize> {
    let rules = Rules::new();
    let own_path = "tests/tidy/words.rs";
    let code = rust_files().into_iter().filter(|(name, _)| name != own_path);
    let code = code.map(|(name, text)| (name, text.lines().map(|line| rules.count_in_code(line)).sum()));
    let texts = [files("docs", ".md"), files("papers", ".md"), files("crates/py", ".md")].concat();
    let guides = ["README.md", "CONTRIBUTING.md"];
    let guides =
        guides.map(|name| (name.to_owned(), fs::read_to_string(root().join(name)).expect("the text can be read")));
    let texts = texts.into_iter().chain(guides).filter(|(name, _)| name != "docs/glossary.md");
    let texts = texts.map(|(name, text)| (name, text.lines().map(|line| rules.count_in_prose(line)).sum()));
    code.chain(texts).filter(|(_, count)| *count > 0).collect()
}

#[test]
fn number_of_private_words_only_decreases() {
    let path = root().join("tests/tidy/words.txt");
    let counts = count_words();
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        let mut list = String::new();
        counts.iter().for_each(|(name, count)| writeln!(list, "{count} {name}").expect("a string accepts text"));
        fs::write(&path, list).expect("the list can be written");
    }
    let list = fs::read_to_string(&path).expect("the list can be read");
    let entry = |line: &str| {
        line.split_once(' ').map(|(count, name)| (name.to_owned(), count.parse().expect("the count is a number")))
    };
    let accepted: BTreeMap<String, usize> = list.lines().filter_map(entry).collect();
    let names = accepted.keys().chain(counts.keys()).collect::<std::collections::BTreeSet<_>>();
    let differences = names.into_iter().filter_map(|name| {
        let [listed, counted] = [&accepted, &counts].map(|counts| counts.get(name).copied().unwrap_or(0));
        match counted.cmp(&listed) {
            std::cmp::Ordering::Greater => Some(format!("{name}: {counted} private words, {listed} accepted")),
            std::cmp::Ordering::Less => {
                Some(format!("{name}: only {counted} private words: write it in words.txt (UPDATE=1)"))
            }
            std::cmp::Ordering::Equal => None,
        }
    });
    super::assert_no_errors(differences.collect());
}

#[test]
fn private_words_are_recognised() {
    let rules = Rules::new();
    assert_eq!(rules.count_in_code(concat!("/// Of so ma", "ny nodes, what bin", "ds is to", "ld.")), 4);
    assert_eq!(rules.count_in_code("/// Returns the number of nodes."), 0);
    assert_eq!(rules.count_in_code(concat!("fn te", "ll(&self) {")), 1);
    assert_eq!(rules.count_in_prose(concat!("> what bin", "ds is to", "ld")), 0, "a quotation");
    assert_eq!(rules.count_in_prose(concat!("MTU stan", "ds for maximum transmission unit")), 0);
}
