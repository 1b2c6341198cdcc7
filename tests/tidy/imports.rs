//! Checks imports: a folder of the code imports only the folders that a table lists, and no files import each other in
//! a cycle except those listed.
//!
//! An item that is imported through a `pub use` also counts as imported from its definition. Unit tests are left out.
//! They may import any folder, because a program that runs on a part shows whether the part works.

use super::modules::{Crate, is_root};
use super::{CODE, assert_no_errors, root};
use std::collections::{BTreeMap, BTreeSet};

/// The folders that each folder of the code may import, in any crate. Imports go one way: in the table, a folder comes
/// after all folders that it imports.
const IMPORTS: [(&str, &[&str]); 21] = [
    ("engine", &[]),
    ("text", &["engine"]),
    ("error", &["text"]),
    ("part", &["text"]),
    ("protocol", &["engine", "text", "part"]),
    ("host", &["engine", "text", "part"]),
    ("fabric", &["engine", "text", "part"]),
    ("ni", &["engine", "text", "part", "protocol", "host", "fabric"]),
    ("messaging", &["engine", "text", "part", "protocol", "host", "fabric", "ni"]),
    ("program", &["engine", "text", "part", "protocol", "host", "fabric", "ni", "messaging"]),
    ("machine", &["engine", "text", "error", "part", "protocol", "host", "fabric", "ni", "messaging", "program"]),
    (
        "prelude",
        &["engine", "text", "error", "part", "protocol", "host", "fabric", "ni", "messaging", "program", "machine"],
    ),
    ("testing", &["engine", "text", "part", "protocol", "fabric", "ni", "machine"]),
    ("report", &["engine", "text"]),
    ("catalog", &["text", "machine"]),
    ("verify", &["text", "ni"]),
    ("experiment", &["engine", "text", "error", "host", "program", "machine", "report"]),
    ("study", &["engine", "text", "error", "machine", "report", "experiment"]),
    ("papers", &["engine", "text", "machine", "report", "experiment", "study"]),
    ("reference", &["text", "part", "machine", "report", "catalog"]),
    (
        "cli",
        &[
            "engine",
            "text",
            "error",
            "machine",
            "report",
            "catalog",
            "experiment",
            "study",
            "papers",
            "verify",
            "reference",
        ],
    ),
];

/// The cycles that existed before this test. The list may only shrink: a file is removed when its cycle is broken.
const CYCLES: [&[&str]; 18] = [
    &[
        "crates/core/src/engine/deadlock.rs",
        "crates/core/src/engine/limits.rs",
        "crates/core/src/engine/sim.rs",
        "crates/core/src/engine/task_info.rs",
        "crates/core/src/engine/wakeups.rs",
    ],
    &["crates/core/src/engine/time.rs", "crates/core/src/engine/units.rs"],
    &[
        "crates/core/src/fabric/router/network/crossings.rs",
        "crates/core/src/fabric/router/network/cycle.rs",
        "crates/core/src/fabric/router/network/links.rs",
        "crates/core/src/fabric/router/network/sinks.rs",
        "crates/core/src/fabric/router/network/sources.rs",
        "crates/core/src/fabric/router/network/switch_allocation.rs",
    ],
    &["crates/core/src/host/memory_bus/agent.rs", "crates/core/src/host/memory_bus/moesi.rs"],
    &["crates/core/src/host/memory_bus/processor.rs", "crates/core/src/host/memory_bus/write_combining.rs"],
    &[
        "crates/core/src/machine/check/fabric.rs",
        "crates/core/src/machine/check/fit.rs",
        "crates/core/src/machine/check/memory_capacity.rs",
        "crates/core/src/machine/check/mod.rs",
        "crates/core/src/machine/check/notes.rs",
        "crates/core/src/machine/check/reach.rs",
        "crates/core/src/machine/check/sound.rs",
        "crates/core/src/machine/check/unused.rs",
        "crates/core/src/machine/mod.rs",
    ],
    &["crates/core/src/program/appbt/field.rs", "crates/core/src/program/appbt/residual.rs"],
    &[
        "crates/core/src/program/moldyn/run.rs",
        "crates/core/src/program/moldyn/sending.rs",
        "crates/core/src/program/moldyn/shared.rs",
    ],
    &[
        "crates/core/src/program/unstructured/by_node.rs",
        "crates/core/src/program/unstructured/run.rs",
        "crates/core/src/program/unstructured/shared.rs",
    ],
    &["crates/core/src/program/collective.rs", "crates/core/src/program/parallel.rs"],
    &["crates/core/src/program/dsmc/collide.rs", "crates/core/src/program/dsmc/gas.rs"],
    &["crates/core/src/program/input/mesh.rs", "crates/core/src/program/input/tetrahedra.rs"],
    &["crates/core/src/program/spsolve/run.rs", "crates/core/src/program/spsolve/shared.rs"],
    &["crates/core/src/protocol/udp_ip/parse.rs", "crates/core/src/protocol/udp_ip/reassembly.rs"],
    &["crates/core/src/protocol/window/link.rs", "crates/core/src/protocol/window/receiving.rs"],
    &[
        "crates/study/src/report/capture/pcap.rs",
        "crates/study/src/report/capture/pcapng.rs",
        "crates/study/src/report/capture/read.rs",
    ],
    &[
        "crates/study/src/report/chart/canvas.rs",
        "crates/study/src/report/chart/frame.rs",
        "crates/study/src/report/chart/legend.rs",
        "crates/study/src/report/chart/mark.rs",
    ],
    &[
        "crates/study/src/report/chart/matrix/cell_style.rs",
        "crates/study/src/report/chart/matrix/marks.rs",
        "crates/study/src/report/chart/matrix/mod.rs",
        "crates/study/src/report/chart/mod.rs",
    ],
];

/// Returns the cycles of a graph: groups of files each of which imports every other, directly or not, in order.
fn cycles<'a>(graph: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Vec<Vec<&'a str>> {
    let reachable = |from: &'a str| {
        let (mut visited, mut pending) = (BTreeSet::new(), vec![from]);
        while let Some(file) = pending.pop() {
            pending.extend(graph[file].iter().filter(|to| visited.insert(**to)));
        }
        visited
    };
    let reachable: BTreeMap<&str, BTreeSet<&str>> = graph.keys().map(|from| (*from, reachable(from))).collect();
    let cycle = |from: &&'a str| reachable[from].iter().filter(|to| reachable[*to].contains(from)).copied().collect();
    let mut cycles: Vec<Vec<&str>> = graph.keys().map(cycle).filter(|cycle: &Vec<&str>| !cycle.is_empty()).collect();
    cycles.sort();
    cycles.dedup();
    cycles
}

#[test]
fn imports_are_those_of_the_table() {
    let modules = Crate::read();
    let (mut errors, mut used_imports) = (BTreeSet::new(), BTreeSet::new());
    for (from, module) in modules.0.iter().filter(|(from, _)| !from.is_empty()) {
        let Some((folder, allowed)) = IMPORTS.iter().find(|(folder, _)| *folder == from[0]) else {
            errors.insert(format!("{}: {} is not in the table", module.file, from[0]));
            continue;
        };
        let paths = module.imports.iter().map(|import| &import.path).chain(&module.paths);
        // The first module is the one that the path names, the second is the one that defines the named item. A root
        // also re-exports types.
        let is_module = |name: &str| name.starts_with(char::is_lowercase);
        let named_modules = paths.clone().filter(|path| is_root(&path[0]) && path.len() > 1 && is_module(&path[1]));
        let named_modules = named_modules.map(|path| path[1].clone());
        let origins = paths.filter_map(|path| modules.origin(from, path)?.first().cloned());
        for import in named_modules.chain(origins).filter(|import| import != folder) {
            if !allowed.contains(&import.as_str()) {
                errors.insert(format!("{}: {folder} may not import {import}", module.file));
            }
            used_imports.insert((*folder, import));
        }
    }
    for (folder, allowed) in
        IMPORTS.iter().filter(|(folder, _)| CODE.iter().any(|code| root().join(code).join(folder).is_dir()))
    {
        let unused = allowed.iter().filter(|import| !used_imports.contains(&(*folder, import.to_string())));
        errors.extend(unused.map(|import| format!("{folder} may import {import}, but does not")));
    }
    assert_no_errors(errors.into_iter().collect());
}

#[test]
fn the_table_of_imports_has_no_cycle() {
    let mut ordered_folders: BTreeSet<&str> = BTreeSet::new();
    while let Some((folder, _)) = IMPORTS.iter().find(|(folder, names)| {
        !ordered_folders.contains(folder) && names.iter().all(|name| ordered_folders.contains(name))
    }) {
        ordered_folders.insert(folder);
    }
    assert_eq!(ordered_folders.len(), IMPORTS.len(), "these are in order: {ordered_folders:?}");
}

#[test]
fn files_import_each_other_in_no_cycles_but_those_listed() {
    let modules = Crate::read();
    let graph = modules.graph();
    let cycles_found = cycles(&graph);
    let is_listed = |cycle: &Vec<&str>| CYCLES.iter().any(|listed| listed == cycle);
    let imports_within = |cycle: &Vec<&str>| {
        let imports =
            cycle.iter().flat_map(|from| graph[from].iter().filter(|to| cycle.contains(to)).map(move |to| (from, to)));
        imports.map(|(from, to)| format!("  {from} imports {to}\n")).collect::<String>()
    };
    let new_cycles = cycles_found.iter().filter(|cycle| !is_listed(cycle));
    let mut errors: Vec<String> = new_cycles
        .map(|cycle| format!("a cycle that is not in the list: {cycle:?}\n{}", imports_within(cycle)))
        .collect();
    let removed_cycles = CYCLES.iter().filter(|listed| !cycles_found.iter().any(|cycle| cycle == *listed));
    errors.extend(removed_cycles.map(|listed| format!("in the list, but no cycle any more: {listed:?}")));
    assert_no_errors(errors);
}

#[test]
fn cycles_are_found() {
    let graph = [("a", "bd"), ("b", "c"), ("c", "b"), ("d", "e"), ("e", "")];
    let letters = |names: &'static str| (0..names.len()).map(|index| &names[index..=index]).collect();
    let graph = graph.into_iter().map(|(from, to)| (from, letters(to))).collect();
    assert_eq!(cycles(&graph), [["b", "c"]]);
}
