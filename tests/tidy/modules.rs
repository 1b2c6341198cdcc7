//! Reads the modules of all crates of the program as if they belonged to one crate, and reads the imports of each
//! module from the text of its file: `use` declarations, and paths in code that begin with `crate`, the name of a
//! crate, `super`, `self`, or the name of a module in scope.
//!
//! Files of tests, code that is compiled only for tests, and the expansion of macros are left out.

use super::{CODE, is_test, sources};
use std::collections::{BTreeMap, BTreeSet};

/// A name that a `use` declaration brings into scope.
pub struct Import {
    /// Whether other modules can import the name from this one.
    is_public: bool,
    /// The name in this module; `*` for a glob import.
    name: String,
    pub path: Vec<String>,
}

/// A module of the crate: its file, the modules that it declares, what it imports, and the paths in its code.
pub struct Module {
    pub file: String,
    children: BTreeSet<String>,
    pub imports: Vec<Import>,
    pub paths: BTreeSet<Vec<String>>,
}

/// The modules of the crate, by their paths.
pub struct Crate(pub BTreeMap<Vec<String>, Module>);

impl Crate {
    /// Reads all files except tests.
    pub fn read() -> Crate {
        let sources = sources().into_iter().filter(|(name, _)| !is_test(name) && name != "src/main.rs");
        let mut modules: BTreeMap<Vec<String>, Module> = BTreeMap::new();
        for (name, text) in sources {
            let module = Module::read(name, &text);
            match modules.get_mut(&module_of(&module.file)) {
                // The roots of the crates are merged into one module.
                Some(root) => root.children.extend(module.children),
                None => _ = modules.insert(module_of(&module.file), module),
            }
        }
        Crate(modules)
    }

    /// Resolves `path`, as written in the module `from`, and returns the module that defines its item; `None` if the
    /// item is in another crate.
    pub fn origin(&self, from: &[String], path: &[String]) -> Option<Vec<String>> {
        let module = &self.0[from];
        let (mut current, remaining) = match path[0].as_str() {
            first if is_root(first) => (Vec::new(), &path[1..]),
            "self" => (from.to_vec(), &path[1..]),
            "super" => (from[..from.len().checked_sub(1)?].to_vec(), &path[1..]),
            first if module.children.contains(first) => (from.to_vec(), path),
            first => {
                let mut candidates = module.imports.iter().filter(|import| import.name == first);
                let import = candidates.find(|import| import.path[0] != first)?;
                return self.origin(from, &[&import.path, &path[1..]].concat());
            }
        };
        for (depth, segment) in remaining.iter().enumerate() {
            let Some(module) = self.0.get(&current) else { break };
            // A child module can name everything that its parent imports.
            let is_visible = |import: &&Import| import.is_public || from.starts_with(&current);
            let exported = || module.imports.iter().find(|import| import.name == *segment && is_visible(import));
            if segment == "super" {
                current.pop();
            } else if module.children.contains(segment) {
                current.push(segment.clone());
            } else if let Some(import) = exported() {
                return self.origin(&current, &[&import.path, &remaining[depth + 1..]].concat());
            } else {
                break;
            }
        }
        Some(current)
    }

    /// Returns the files from which each file imports. A re-export does not count as an import. An import from the
    /// parent module does not count either, because a module is part of its parent.
    pub fn graph(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut graph = BTreeMap::new();
        for (from, module) in &self.0 {
            let imports = module.imports.iter().filter(|import| !import.is_public).map(|import| &import.path);
            let origins = imports.chain(&module.paths).filter_map(|path| self.origin(from, path));
            let parent = from.split_last().map(|(_, parent)| parent);
            let other_origins = origins.filter(|to| to != from && Some(&to[..]) != parent);
            graph.insert(module.file.as_str(), other_origins.map(|to| self.0[&to].file.as_str()).collect());
        }
        graph
    }
}

impl Module {
    pub fn read(file: String, text: &str) -> Module {
        let tokens = tokens(text);
        let mut module = Module { file, children: BTreeSet::new(), imports: Vec::new(), paths: BTreeSet::new() };
        let mut position = 0;
        while position < tokens.len() {
            let previous = position.checked_sub(1).map_or(";", |before| tokens[before]);
            position += match tokens[position] {
                "mod" if tokens[position + 2] == ";" => {
                    module.children.insert(tokens[position + 1].to_owned());
                    2
                }
                "use" if ["pub", ")", ";", "{", "}", "]"].contains(&previous) && is_name(tokens[position + 1]) => {
                    let is_public = previous == "pub" || previous == ")";
                    1 + module.add_use_tree(&tokens[position + 1..], &[], is_public)
                }
                word if is_name(word) && previous != "::" => {
                    let path = path(&tokens[position..]);
                    let length = path.len();
                    module.paths.extend((length > 1).then_some(path));
                    2 * length - 1
                }
                _ => 1,
            };
        }
        module
    }

    /// Adds the imports of the `use` tree at the start of `tokens`, whose paths begin with `parent`. Returns the number
    /// of tokens of the tree.
    fn add_use_tree(&mut self, tokens: &[&str], parent: &[String], is_public: bool) -> usize {
        let (mut path, mut position) = (parent.to_vec(), 0);
        while tokens[position] != "{" {
            path.push(tokens[position].to_owned());
            position += 1;
            if tokens[position] != "::" {
                path.truncate(if path.len() > 1 && path.ends_with(&["self".to_owned()]) {
                    path.len() - 1
                } else {
                    path.len()
                });
                let (name, length) = if tokens[position] == "as" {
                    (tokens[position + 1], position + 2)
                } else {
                    (path[path.len() - 1].as_str(), position)
                };
                self.imports.push(Import { is_public, name: name.to_owned(), path });
                return length;
            }
            position += 1;
        }
        while tokens[position] != "}" {
            position += 1;
            if tokens[position] != "}" {
                position += self.add_use_tree(&tokens[position..], &path, is_public);
            }
        }
        position + 1
    }
}

/// Returns the module that a file holds: the names from the root of the crate to it.
fn module_of(name: &str) -> Vec<String> {
    let relative_path =
        CODE.iter().find_map(|folder| name.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs"));
    let relative_path = relative_path.expect("the file belongs to the program");
    let relative_path = relative_path.strip_suffix("/mod").unwrap_or(relative_path);
    relative_path.split('/').filter(|name| *name != "lib").map(str::to_owned).collect()
}

/// Returns whether a path with this first name begins at the root of a crate of the program.
pub fn is_root(first: &str) -> bool {
    ["crate", "narrows_core", "narrows_study", "narrows_verify"].contains(&first)
}

/// Returns the path at the beginning of `tokens`: names between `::`.
fn path(tokens: &[&str]) -> Vec<String> {
    let segments = tokens[1..].chunks(2).take_while(|pair| pair.len() == 2 && pair[0] == "::" && is_name(pair[1]));
    tokens[..1].iter().copied().chain(segments.map(|pair| pair[1])).map(str::to_owned).collect()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Returns the tokens of a program, where `::` is one token, without comments, string literals, and code that is
/// compiled only for tests.
fn tokens(text: &str) -> Vec<&str> {
    let (mut words, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if rest.starts_with("::") => 2,
            '"' => string_literal_length(rest),
            'r' if rest[1..].trim_start_matches('#').starts_with('"') => raw_string_literal_length(rest),
            '\'' => quote_length(rest),
            c if c.is_alphanumeric() || c == '_' => {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let word = &rest[..length];
        let is_word = !first.is_whitespace() && !word.starts_with("//") && !word.starts_with("/*");
        words.extend(Some(word).filter(|word| is_word && !word.ends_with(['"', '\''])));
        rest = &rest[length..];
    }
    without_tests(&words)
}

/// Returns the length of a string literal.
fn string_literal_length(rest: &str) -> usize {
    let mut is_escaped = false;
    let end = rest[1..].find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(rest.len(), |end| end + 2)
}

/// Returns the length of a raw string literal up to its closing quote, without the `#`s after it.
fn raw_string_literal_length(rest: &str) -> usize {
    let marks = rest[1..].len() - rest[1..].trim_start_matches('#').len();
    let (start, end) = (marks + 2, format!("\"{}", "#".repeat(marks)));
    rest[start..].find(&end).map_or(rest.len(), |length| start + length + 1)
}

/// Returns the length of a character literal, or of the mark of a lifetime.
fn quote_length(rest: &str) -> usize {
    let character_length = rest[1..].chars().next().map_or(0, char::len_utf8);
    match character_length {
        _ if rest[1..].starts_with('\\') => rest[3..].find('\'').map_or(rest.len(), |end| end + 4),
        _ if rest[1 + character_length..].starts_with('\'') => character_length + 2,
        _ => 1,
    }
}

/// Returns the words without the items under `#[cfg(test)]`.
fn without_tests<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut remaining, mut position) = (Vec::new(), 0);
    while position < tokens.len() {
        if !tokens[position..].starts_with(&MARK) {
            remaining.push(tokens[position]);
            position += 1;
            continue;
        }
        position += MARK.len();
        let mut depth = 0;
        while position < tokens.len() {
            depth += i32::from(tokens[position] == "{") - i32::from(tokens[position] == "}");
            position += 1;
            if depth == 0 && [";", "}"].contains(&tokens[position - 1]) {
                break;
            }
        }
    }
    remaining
}

#[test]
fn imports_are_read_from_code_alone() {
    let text = r##"//! use a::b;
        use c::{self, d as e, f::*};
        pub use super::g;
        mod h;
        #[cfg(test)]
        mod tests {
            use i::j;
        }
        fn k<'l>(m: &'l n::O) -> Vec<u8> {
            h::p("q::r \" s::t", r#"u::v"#, 'w', '\'').collect::<Vec<_>>()
        }
    "##;
    let module = Module::read(String::new(), text);
    let imports = module.imports.iter().map(|import| (import.is_public, import.name.as_str(), import.path.join("::")));
    let expected = [(false, "c", "c"), (false, "e", "c::d"), (false, "*", "c::f::*"), (true, "g", "super::g")];
    assert_eq!(imports.collect::<Vec<_>>(), expected.map(|(is_public, name, path)| (is_public, name, path.to_owned())));
    assert_eq!(module.children.iter().collect::<Vec<_>>(), ["h"]);
    assert_eq!(module.paths.iter().map(|path| path.join("::")).collect::<Vec<_>>(), ["h::p", "n::O"]);
}

#[test]
fn re_exported_items_are_imported_from_their_definition() {
    let module = |text: &str| Module::read(String::new(), text);
    let name = |path: &str| path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let files = [
        ("", "mod a;\nmod b;"),
        ("a", "mod c;\npub use c::D;\npub use crate::b as e;"),
        ("a::c", "use super::F;"),
        ("b", "pub struct G;"),
    ];
    let modules = Crate(files.iter().map(|(path, text)| (name(path), module(text))).collect());
    let origin = |path: &str| modules.origin(&name("b"), &name(path)).map(|origin| origin.join("::"));
    let expected = [("crate::a::D", "a::c"), ("crate::a::e::G", "b"), ("super::a::F", "a"), ("crate::a::c::D", "a::c")];
    for (path, expected_origin) in expected {
        assert_eq!(origin(path).as_deref(), Some(expected_origin), "{path}");
    }
    assert_eq!(origin("std::fmt::Write"), None);
}
