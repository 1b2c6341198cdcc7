//! Checks that all files which state a version inherit it from the workspace's `Cargo.toml`, or state the same version.

use super::root;
use std::fs;

fn file(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(super) fn table(path: &str) -> toml::Table {
    file(path).parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the version of the workspace.
fn version() -> String {
    table("Cargo.toml")["workspace"]["package"]["version"].as_str().expect("the value is a text").to_owned()
}

#[test]
fn crates_and_wheels_take_the_version_of_the_workspace() {
    let (workspace, version) = (table("Cargo.toml"), version());
    for member in workspace["workspace"]["members"].as_array().expect("the value is a list") {
        let path = format!("{}/Cargo.toml", member.as_str().expect("the value is a text"));
        // Users copy this crate into a folder of their own, so it states its version.
        if path == "examples/outside/Cargo.toml" {
            continue;
        }
        assert_eq!(table(&path)["package"]["version"]["workspace"].as_bool(), Some(true), "{path}");
    }
    assert_eq!(workspace["package"]["version"]["workspace"].as_bool(), Some(true));
    let package = &table("examples/outside/Cargo.toml")["package"];
    for key in ["version", "edition", "rust-version", "license"] {
        assert_eq!(package[key], workspace["workspace"]["package"][key], "examples/outside/Cargo.toml: {key}");
    }
    let core = table("crates/core/Cargo.toml");
    let dependencies =
        [&workspace["workspace"]["dependencies"], &core["dependencies"]].map(|dependencies| dependencies.as_table());
    let path_dependencies =
        dependencies.into_iter().flatten().flatten().filter(|(_, dependency)| dependency.get("path").is_some());
    let mut names = Vec::new();
    for (name, dependency) in path_dependencies {
        assert_eq!(dependency["version"].as_str(), Some(version.as_str()), "the dependency {name}");
        names.push(name.as_str());
    }
    assert_eq!(names, ["narrows-core", "narrows-study", "narrows-verify", "narrows-web", "narrows-derive"]);
    for path in ["crates/py/pyproject.toml", "examples/outside/python/pyproject.toml"] {
        let dynamic = table(path)["project"]["dynamic"].as_array().expect("the value is a list").clone();
        assert_eq!(dynamic, [toml::Value::from("version")], "{path}");
    }
}

#[test]
fn texts_state_the_version_of_the_workspace() {
    let version = version();
    let citation = file("CITATION.cff");
    assert!(citation.lines().any(|line| line == format!("version: {version}")), "CITATION.cff");
    let changelog = file("CHANGELOG.md");
    let newest = changelog.lines().find_map(|line| line.strip_prefix("## [")).expect("the changelog has a section");
    let is_stated = match newest.starts_with("Unreleased") {
        true => changelog.contains(&version),
        false => newest.starts_with(&format!("{version}]")),
    };
    assert!(is_stated, "CHANGELOG.md: the newest section is [{newest}, and the version is {version}");
    assert!(file("docs/python.md").contains(&format!("narrows-{version}-cp310-abi3-")), "docs/python.md");
    let python = table("crates/py/pyproject.toml")["project"]["requires-python"]
        .as_str()
        .expect("the value is a text")
        .to_owned();
    assert_eq!(python, ">=3.10", "the wheel is built for the stable interface of Python 3.10");
    for path in ["crates/py/Cargo.toml", "crates/py/library/Cargo.toml"] {
        assert!(file(path).contains("\"abi3-py310\""), "{path}");
    }
}
