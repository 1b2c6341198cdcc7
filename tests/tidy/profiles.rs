//! Checks the profiles of the build in `Cargo.toml`.

use super::versions::table;
use std::collections::BTreeSet;

/// Returns the names of all dependencies of `crate_name`, direct and indirect, those of its tests included, by
/// `Cargo.lock`.
fn dependencies(crate_name: &str) -> BTreeSet<String> {
    let lock = table("Cargo.lock");
    let packages = lock["package"].as_array().expect("a list");
    let (mut dependency_names, mut pending) = (BTreeSet::new(), vec![crate_name.to_owned()]);
    while let Some(name) = pending.pop() {
        for package in packages.iter().filter(|package| package["name"].as_str() == Some(&name)) {
            let entries = package.get("dependencies").and_then(toml::Value::as_array).into_iter().flatten();
            // An entry is `name` or, where there are several versions, `name version`.
            let names = entries.filter_map(|entry| entry.as_str()?.split(' ').next());
            pending.extend(names.filter(|name| dependency_names.insert((*name).to_owned())).map(str::to_owned));
        }
    }
    dependency_names
}

/// The core shares the instances of generic functions of its dependencies. With two of them unoptimised its tests took
/// half as long again.
#[test]
fn dependencies_of_the_core_are_optimised() {
    let manifest = table("Cargo.toml");
    let packages = manifest["profile"]["dev"]["package"].as_table().expect("a table");
    let unoptimised = packages.iter().filter(|(_, settings)| settings["opt-level"].as_integer() == Some(0));
    let core = dependencies("narrows-core");
    assert!(core.contains("proptest"), "the dependencies of tests are among them");
    let shared: Vec<_> = unoptimised.map(|(name, _)| name).filter(|name| core.contains(*name)).collect();
    assert!(shared.is_empty(), "{shared:?} are dependencies of narrows-core, and must not have opt-level 0");
}
