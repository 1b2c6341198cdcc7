//! Checks the public interface: the names in the roots of the crates and in their public modules are few, each has an
//! example, and no user outside needs a hidden name.
//!
//! An item is public if every module above it is, and none of them is `#[doc(hidden)]`. Methods and fields are not
//! counted.

use super::modules::Module;
use super::{CODE, assert_no_errors, files, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Largest number of names in the public interface.
const NAMES_MAX: usize = 176;

/// The roots of the crates.
const ROOTS: [&str; 4] =
    ["crates/core/src/lib.rs", "crates/study/src/lib.rs", "crates/verify/src/lib.rs", "src/lib.rs"];

/// A name of the public interface.
struct PublicName {
    file: String,
    has_example: bool,
}

/// The public names and modules, each by its path below the root of its crate. The roots of all crates count as one
/// module.
#[derive(Default)]
struct PublicInterface {
    names: BTreeMap<Vec<String>, PublicName>,
    modules: BTreeSet<Vec<String>>,
}

impl PublicInterface {
    fn read() -> PublicInterface {
        let mut public = PublicInterface::default();
        for file in ROOTS {
            public.add_module(&root().join(file), &[]);
        }
        public
    }

    /// Adds the public names in the file of the module `path`.
    fn add_module(&mut self, file: &Path, path: &[String]) {
        self.modules.insert(path.to_vec());
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for item in items(&text).into_iter().filter(|item| !item.has("#[doc(hidden)]")) {
            let path_below = |name: &str| [path, &[name.to_owned()]].concat();
            if let Some(name) = item.code.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')) {
                self.add_module(&module_file(file, name), &path_below(name));
                continue;
            }
            // `#[doc(inline)]` marks names of another crate, which are counted there, and `#[doc(no_inline)]` names
            // that the prelude repeats from other modules.
            if item.has("#[doc(inline)]") {
                continue;
            }
            let is_repeated = item.has("#[doc(no_inline)]");
            for name in names(&item.code).iter().map(|name| path_below(name)) {
                let path = file.strip_prefix(root()).expect("the file belongs to the project").display().to_string();
                let has_example = is_repeated || item.has_example(file);
                self.names.entry(name).or_insert(PublicName { file: path, has_example });
            }
        }
    }

    /// Returns the first part of `path` that is not public; the path consists of names below the root of a crate.
    fn hidden_part<'p>(&self, path: &'p [String]) -> Option<&'p [String]> {
        for length in 1..=path.len() {
            let part = &path[..length];
            if self.names.contains_key(part) || path[length - 1] == "*" {
                return None;
            } else if !self.modules.contains(part) {
                return Some(part);
            }
        }
        None
    }
}

/// An item at the left margin of a file: its code, and the lines of documentation and attributes before it.
struct DeclaredItem<'t> {
    attributes: Vec<&'t str>,
    code: String,
}

impl DeclaredItem<'_> {
    fn has(&self, attribute: &str) -> bool {
        self.attributes.contains(&attribute)
    }

    /// Returns whether the documentation has an example that is compiled.
    fn has_example(&self, file: &Path) -> bool {
        let included_text = |line: &str| {
            let page = shown_page(line)?;
            fs::read_to_string(file.parent()?.join(page)).ok()
        };
        let text =
            |line: &&str| line.strip_prefix("///").map(|text| text.trim().to_owned()).or_else(|| included_text(line));
        let documentation = self.attributes.iter().filter_map(text).collect::<Vec<_>>().join("\n");
        has_example(&documentation)
    }
}

/// Returns the page that a line of attributes shows at a name without compiling its examples once more.
fn shown_page(line: &str) -> Option<&str> {
    line.strip_prefix("#[cfg_attr(not(doctest), doc = include_str!(\"")?.strip_suffix("\"))]")
}

/// Returns whether a page has a block of code that is compiled.
fn has_example(page: &str) -> bool {
    let fences = page.lines().filter_map(|line| line.strip_prefix("```"));
    // Every second fence ends a block.
    fences.step_by(2).any(|kind| ["", "rust", "no_run", "rust,no_run", "should_panic"].contains(&kind.trim()))
}

/// Returns the public items of a file.
fn items(text: &str) -> Vec<DeclaredItem<'_>> {
    let (mut items, mut attributes) = (Vec::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("///") || line.starts_with("#[") {
            attributes.push(line);
        } else if line.starts_with("pub ") {
            let mut code = line.to_owned();
            while line.starts_with("pub use") && !code.ends_with(';') {
                code += lines.next().expect("a declaration ends").trim();
            }
            items.push(DeclaredItem { attributes: std::mem::take(&mut attributes), code });
        } else if !line.is_empty() {
            attributes.clear();
        }
    }
    items
}

/// Returns the names that an item declares or re-exports.
fn names(code: &str) -> Vec<String> {
    let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_owned();
    if let Some(tree) = code.strip_prefix("pub use ") {
        let tree = tree.trim_end_matches(';');
        let leaf_list = match tree.split_once('{') {
            Some((_, leaves)) => leaves.trim_end_matches('}'),
            None => tree.rsplit("::").next().unwrap_or(tree),
        };
        return leaf_list.split(',').map(str::trim).filter(|leaf| !leaf.is_empty()).map(word).collect();
    }
    let kinds = ["struct ", "enum ", "trait ", "fn ", "async fn ", "const fn ", "const ", "type "];
    let declared = kinds.iter().find_map(|kind| code.strip_prefix("pub ")?.strip_prefix(kind));
    declared.map(word).into_iter().collect()
}

/// Returns the file of a module that `file` declares.
fn module_file(file: &Path, name: &str) -> PathBuf {
    let folder = file.parent().expect("a file lies in a folder");
    let (file, module) = (folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs"));
    if file.exists() { file } else { module }
}

#[test]
fn items_and_examples_are_read() {
    let text = "/// A.\n///\n/// ```\n/// a();\n/// ```\n#[doc(hidden)]\npub use a::{\n    B, C,\n};\n\nfn d() {}\npub struct E;\n";
    let found_items = items(text);
    assert_eq!(found_items.iter().map(|item| names(&item.code)).collect::<Vec<_>>(), [vec!["B", "C"], vec!["E"]]);
    assert!(
        found_items[0].has("#[doc(hidden)]")
            && found_items[0].has_example(root())
            && !found_items[1].has_example(root())
    );
    assert!(!has_example("```ignore\na\n```\n```toml\nb\n```") && has_example("```toml\nb\n```\n```rust\na\n```"));
}

#[test]
fn public_names_are_few_and_each_has_an_example() {
    let public = PublicInterface::read();
    let distinct: BTreeSet<&String> = public.names.keys().filter_map(|path| path.last()).collect();
    let count = distinct.len();
    assert!((100..=NAMES_MAX).contains(&count), "{count} public names, {NAMES_MAX} are allowed: {distinct:?}");
    let without_example = public.names.iter().filter(|(_, name)| !name.has_example);
    assert_no_errors(
        without_example.map(|(path, name)| format!("{}: {} has no example", name.file, path.join("::"))).collect(),
    );
}

#[test]
fn examples_shown_at_several_names_are_run_once() {
    let mut errors = Vec::new();
    for (name, text) in CODE.iter().flat_map(|folder| files(folder, ".rs")) {
        let pages: BTreeSet<&str> = text.lines().filter_map(shown_page).collect();
        for page in pages {
            let attribute_end = format!("[doc = include_str!(\"{page}\")]");
            if text.lines().filter(|line| line.ends_with(&attribute_end)).count() != 1 {
                errors.push(format!("{name}: the examples of {page} are not run once"));
            }
        }
        if text.lines().any(|line| line.starts_with("#[doc = include_str!(")) {
            errors.push(format!("{name}: a page is shown at a name, and its examples are run again"));
        }
    }
    assert_no_errors(errors);
}

/// The crates of the program as users name them.
const CRATES: [&str; 4] = ["narrows", "narrows_core", "narrows_study", "narrows_verify"];

/// Returns the paths into the crates of the program that a page names outside its declarations.
fn named_paths(text: &str) -> Vec<Vec<String>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let qualified_words = text.split(|c: char| !is_name(c)).filter(|word| word.contains("::"));
    let paths =
        qualified_words.map(|word| word.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect());
    paths.filter(|path: &Vec<String>| CRATES.contains(&path[0].as_str())).collect()
}

/// Returns the code of a page's blocks of Rust.
fn rust_code(page: &str) -> String {
    let mut is_rust = false;
    let lines = page.lines().filter(|line| {
        let kind = line.strip_prefix("```");
        is_rust = kind.map_or(is_rust, |kind| !is_rust && kind.starts_with("rust"));
        is_rust && kind.is_none()
    });
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn outside_users_need_no_hidden_item() {
    let public = PublicInterface::read();
    let mut errors = Vec::new();
    let pages = files("docs", ".md").into_iter().chain(files("", "README.md")).map(|(name, text)| {
        let code = rust_code(&text);
        (name, named_paths(&text), code)
    });
    let outside = files("examples/outside", ".rs").into_iter().map(|(name, text)| (name, Vec::new(), text));
    for (name, paths_in_prose, code) in pages.chain(outside) {
        let module = Module::read(name.clone(), &code);
        let imports = module.imports.iter().map(|import| import.path.clone()).chain(module.paths.iter().cloned());
        for path in imports.chain(paths_in_prose).filter(|path| CRATES.contains(&path[0].as_str())) {
            if let Some(hidden) = public.hidden_part(&path[1..]) {
                errors.push(format!("{name}: {} is not public", hidden.join("::")));
            }
        }
    }
    assert_no_errors(errors);
}
