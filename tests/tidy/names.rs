//! Checks that no two public types of the program have the same name.

use super::{CODE, assert_no_errors, is_test, sources};
use std::collections::BTreeMap;

/// Returns the file that declares a file's module, and the module's name.
fn declaring_module<'a>(name: &str, files: &'a [(String, String)]) -> Option<(&'a (String, String), String)> {
    let (folder, file) = name.rsplit_once('/')?;
    let (folder, module) = match file {
        "mod.rs" => folder.rsplit_once('/')?,
        file => (folder, file.strip_suffix(".rs")?),
    };
    let is_parent = |file: &&(String, String)| {
        let file_name = file.0.as_str();
        file_name != name
            && (file_name == format!("{folder}/mod.rs")
                || file_name == format!("{folder}.rs")
                || file_name == format!("{folder}/lib.rs"))
    };
    Some((files.iter().find(is_parent)?, module.to_owned()))
}

/// Returns whether other modules can name the items that a file declares.
fn is_module_public(name: &str, files: &[(String, String)]) -> bool {
    CODE.iter().any(|folder| name == format!("{folder}/lib.rs"))
        || declaring_module(name, files).is_some_and(|((parent, text), module)| {
            text.lines().any(|line| line == format!("pub mod {module};")) && is_module_public(parent, files)
        })
}

/// Returns the types that a file declares for other modules.
fn public_types<'a>(name: &str, text: &'a str, files: &[(String, String)]) -> Vec<&'a str> {
    let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub type ", "pub union "];
    let after_keyword = |line: &'a str| kinds.iter().find_map(|kind| line.strip_prefix(kind));
    let names = text.lines().filter_map(after_keyword);
    let names = names.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""));
    if is_module_public(name, files) {
        return names.collect();
    }
    let Some(((_, parent_text), _)) =
        declaring_module(name, files).filter(|((parent, _), _)| is_module_public(parent, files))
    else {
        return Vec::new();
    };
    let reexports: Vec<&str> =
        parent_text.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next()).collect();
    let is_reexported = |name: &&str| {
        reexports.iter().any(|list| list.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *name))
    };
    names.filter(is_reexported).collect()
}

#[test]
fn type_names_are_unique() {
    let files = sources();
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, text) in files.iter().filter(|(name, _)| !is_test(name)) {
        public_types(name, text, &files)
            .into_iter()
            .for_each(|type_name| names.entry(type_name).or_default().push(name));
    }
    let ambiguous = names.iter().filter(|(_, files)| files.len() > 1);
    assert_no_errors(ambiguous.map(|(name, files)| format!("{name} is a type in each of {files:?}")).collect());
}
