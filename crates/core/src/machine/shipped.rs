//! The parts and examples that the program carries, so that it works from any folder.

pub use crate::text::file::SHIPPED;

use crate::text::PartLibrary;
use include_dir::{Dir, include_dir};
use std::sync::LazyLock;

static MACHINES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/shipped/machines");
/// The folder has a link to each example, and none to the crates among them, so that an edit of a crate compiles
/// nothing here again.
static EXAMPLES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/shipped/examples");

static PARTS: LazyLock<Vec<&'static str>> = LazyLock::new(|| toml_names(&MACHINES));

static EXAMPLE_NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| toml_names(&EXAMPLES));

/// The shipped hosts with their kinds, which are read once, for messages.
static HOSTS: LazyLock<Vec<(&'static str, String)>> = LazyLock::new(|| {
    let hosts = PARTS.iter().filter(|part| part.starts_with("hosts/"));
    hosts.filter_map(|part| kind_of(part)).collect()
});

/// Returns the built-in parts that a description may name.
pub fn library() -> PartLibrary<'static> {
    PartLibrary { find: &part, names: &PARTS, examples: &EXAMPLE_NAMES, tables: &["nodes"] }
}

/// Returns the text of the part `name`, such as `hosts/p6-natoma`.
pub fn part(name: &str) -> Option<&'static str> {
    MACHINES.get_file(format!("{name}.toml"))?.contents_utf8()
}

/// Returns the names of all parts.
pub fn parts() -> &'static [&'static str] {
    &PARTS
}

/// Returns a list, as text, of the built-in parts of a kind of host, such as `memory-bus`.
pub fn hosts(kind: &str) -> String {
    let of_kind = HOSTS.iter().filter(|(_, host_kind)| host_kind == kind).map(|(part, _)| *part);
    of_kind.collect::<Vec<_>>().join(", ")
}

/// Returns the kind of a part's host: `KIND` in `[hosts.NAME.KIND]`.
fn kind_of(part: &'static str) -> Option<(&'static str, String)> {
    let text: toml::Table = self::part(part)?.parse().ok()?;
    let host = text.get("hosts")?.as_table()?.values().next()?.as_table()?;
    Some((part, host.keys().next()?.clone()))
}

/// Returns the names of all examples without the file extension.
pub fn examples() -> Vec<&'static str> {
    EXAMPLE_NAMES.clone()
}

/// Returns the text of the example `name`.
pub fn example(name: &str) -> Option<&'static str> {
    EXAMPLES.get_file(format!("{name}.toml"))?.contents_utf8()
}

/// Returns the sorted paths of all TOML files of a folder, without the file extension.
fn toml_names(folder: &'static Dir<'static>) -> Vec<&'static str> {
    let mut names = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        let files = folder.files().filter_map(|file| file.path().to_str()?.strip_suffix(".toml"));
        names.extend(files);
        folders.extend(folder.dirs());
    }
    names.sort();
    names
}
