//! Checks that each example has a link in the folder that is compiled into the program, and that this folder has nothing
//! else: an edit of another file of `examples/` must not compile the models again.

use super::{assert_no_errors, root};
use std::collections::BTreeSet;
use std::fs;

fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name in UTF-8")).collect()
}

#[test]
fn compiled_examples_are_links_to_all_examples() {
    let folder = "crates/core/shipped/examples";
    let examples: BTreeSet<String> = names("examples").into_iter().filter(|name| name.ends_with(".toml")).collect();
    let links = names(folder);
    let missing = examples.difference(&links).map(|name| format!("{folder}/{name} is missing: link it"));
    let further = links.difference(&examples).map(|name| format!("{folder}/{name} is no example"));
    let target = |name: &String| fs::canonicalize(root().join(folder).join(name)).ok();
    let elsewhere =
        links.iter().filter(|name| target(name) != fs::canonicalize(root().join("examples").join(name)).ok());
    let elsewhere = elsewhere.map(|name| format!("{folder}/{name} does not lead to examples/{name}"));
    assert_no_errors(missing.chain(further).chain(elsewhere).collect());
}
