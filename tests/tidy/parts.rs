//! Checks the cost of a part: outside its own files, a part is named only by one line of the registry, and by the enum
//! that dispatches its calls if they are inlined for speed.
//!
//! A part is named by a path to an item of its files, by its key as a text, or by its variant of an enum. Its own files
//! are found from the declaration of its key. Other code that named a part would depend on one kind of part, instead of
//! asking for a capability, a guarantee or a method of the part's specification.

use super::modules::Crate;
use super::{assert_no_errors, code_lines, files, is_test, root, sources};
use narrows::machine::Registry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Files of dispatch: the registry, and the enums by which calls are dispatched.
const REGISTRY: &str = "crates/core/src/machine/registry.rs";
const DISPATCH_ENUMS: [&str; 4] = [
    "crates/core/src/fabric/any.rs",
    "crates/core/src/host/any_coherent.rs",
    "crates/core/src/host/any_processor.rs",
    "crates/core/src/ni/any.rs",
];
const DISPATCH_LINES_MAX: usize = 200;

/// Folders whose subject is certain parts: the laws of parts, and the models of papers.
const ABOUT_PARTS: [&str; 2] = ["crates/core/src/testing/", "crates/study/src/papers/"];

/// The families: the table of each family, and the folder of its parts.
const FAMILIES: [(&str, &str); 5] =
    [("hosts", "host"), ("ni", "ni"), ("protocol", "protocol"), ("fabric", "fabric"), ("workload", "program")];

/// Other files that name items of a part's files, as the part, the file or folder, and the reason. The list may only
/// shrink: an entry that is not needed fails.
const NAMING_EXCEPTIONS: [(&str, &str, &str); 16] = [
    ("fabric/routed/", "fabric/spec.rs", "a workload may drive the routers of a fabric alone"),
    ("fabric/routed/", "machine/build.rs", "a workload may drive the routers of a fabric alone"),
    ("fabric/routed/", "machine/check/fabric.rs", "a workload may drive the routers of a fabric alone"),
    ("fabric/routed/", "messaging/world.rs", "a workload may drive the routers of a fabric alone"),
    ("fabric/routed/", "program/fabric_alone/", "a workload may drive the routers of a fabric alone"),
    ("host/alewife/", "host/node.rs", "hands the node to the interface that serves its misses"),
    ("host/alewife/", "ni/cmmu/", "the unit is the other half of Alewife's node"),
    ("host/io_bus/", "host/bus_dma.rs", "an engine's transfers are dispatched by the bus"),
    ("host/io_bus/", "host/dma.rs", "an engine's transfers are dispatched by the bus"),
    ("host/memory_bus/", "host/bus_dma.rs", "an engine's transfers are dispatched by the bus"),
    ("host/memory_bus/", "host/coherent_port.rs", "agents on any coherent interconnect are those of the memory bus"),
    ("host/memory_bus/", "host/dma.rs", "an engine's transfers are dispatched by the bus"),
    ("host/memory_bus/", "host/pcie/", "the processor and its caches are those of a memory-bus node"),
    ("host/memory_bus/", "ni/designs/", "coherent queues are agents on the memory bus"),
    ("ni/mcp/", "crates/verify/src/verify/", "the model checker explores the table of this firmware"),
    ("protocol/plain/", "ni/trapeze/", "packets that no protocol admits wait in plain queues"),
];

/// String literals outside a part's files that equal its key, as the key, the file, and the reason. This list, too, may
/// only shrink.
const TEXT_EXCEPTIONS: [(&str, &str, &str); 17] = [
    ("alewife", "crates/study/src/study/located.rs", "the name of a paper"),
    ("graph", "fabric/topology/graph/graphml.rs", "an element of GraphML"),
    ("mesh", "program/input/mesh.rs", "the name of a sequence of random numbers"),
    ("nifdy", "crates/study/src/study/located.rs", "the name of a paper"),
    ("none", "machine/registry.rs", "the protocol of a description without one"),
    ("none", "text/suggest.rs", "an empty list in words"),
    ("ping-pong", "crates/study/src/experiment/fit/curve_fit.rs", "a measured latency is one of round trips"),
    ("ring", "ni/ring/interface.rs", "the key of an interface, and of a shape of networks"),
    ("rdma", "crates/study/src/study/located.rs", "the name of a paper"),
    ("ring", "program/moldyn/run.rs", "a shape of groups of nodes"),
    ("software", "machine/mod.rs", "a make of shared memory"),
    ("stream", "crates/study/src/experiment/fit/curve_fit.rs", "a measured bandwidth is one of a stream"),
    ("trapeze", "crates/study/src/study/located.rs", "the name of a paper"),
    ("verbs", "crates/study/src/experiment/fit/curve_fit.rs", "a log of perftest is of verbs"),
    ("window", "ni/designs/parameters.rs", "a parameter of fifos"),
    ("window", "program/dma/mod.rs", "a parameter of the DMA test"),
    ("window", "protocol/nifdy/parameters.rs", "a parameter of dialogs"),
];

/// Files that ask for the kind of a part, each with the reason. This list, too, may only shrink.
const KIND_EXCEPTIONS: [(&str, &str); 3] = [
    ("crates/core/src/host/node.rs", "the nodes that an interface is part of are handed to it"),
    ("crates/core/src/part/selected.rs", "the definition, for tests and tools of one kind of part"),
    ("crates/core/src/protocol/handle.rs", "the packet of a handle is no part"),
];

/// The declaration of a registered part.
struct Declaration {
    family: &'static str,
    key: &'static str,
    /// The part's own folder or file.
    path_prefix: String,
}

/// Returns the keys of all registered parts, each with the table of its family.
fn keys() -> Vec<(&'static str, &'static str)> {
    let registry = Registry::shared();
    let hosts = registry.hosts().iter().map(|entry| ("hosts", entry.info.key));
    let interfaces = registry.interfaces().iter().map(|entry| ("ni", entry.info.key));
    let protocols = registry.protocols().iter().map(|entry| ("protocol", entry.info.key));
    let fabrics = registry.fabrics().iter().map(|entry| ("fabric", entry.info.key));
    let workloads = registry.workloads().iter().map(|entry| ("workload", entry.info.key));
    hosts.chain(interfaces).chain(protocols).chain(fabrics).chain(workloads).collect()
}

/// Returns the file that declares each registered part. A file whose key is not a string literal declares all parts of
/// its family that no other file declares, because its type represents several parts.
fn declaring_files(files: &[(String, String)]) -> Vec<(&'static str, &'static str, String)> {
    let files_of_family = |family: &str| {
        let folder = FAMILIES.iter().find(|(table, _)| *table == family).expect("the family is listed").1;
        let is_in_folder = move |name: &str| name.starts_with(&format!("crates/core/src/{folder}/"));
        files.iter().filter(move |(name, _)| is_in_folder(name))
    };
    let keys_in = |text: &str| -> Vec<String> {
        let texts_from_key = text.split("PartInfo::new(").skip(1).map(str::trim_start);
        texts_from_key
            .map(|rest| rest.strip_prefix('"').and_then(|rest| rest.split('"').next()).unwrap_or("").into())
            .collect()
    };
    let file_with_key = |family: &str, key: &str| {
        let has_key = |(_, text): &&(String, String)| keys_in(text).iter().any(|key_in_text| key_in_text == key);
        files_of_family(family).find(has_key).map(|(name, _)| name.clone())
    };
    let with_file = |(family, key): (&'static str, &'static str)| {
        let file = file_with_key(family, key).or_else(|| file_with_key(family, ""));
        (family, key, file.unwrap_or_else(|| panic!("no file declares {family}.{key}")))
    };
    keys().into_iter().map(with_file).collect()
}

/// Returns all registered parts with their own files: the largest folder of their family that declares no other part,
/// or else the declaring file.
fn declarations(files: &[(String, String)]) -> Vec<Declaration> {
    let declared = declaring_files(files);
    let files: BTreeSet<&str> = declared.iter().map(|(_, _, file)| file.as_str()).collect();
    let path_of_part = |file: &str| {
        let family = "crates/core/src/".len()
            + file["crates/core/src/".len()..].find('/').expect("the file lies in a folder")
            + 1;
        let folders =
            file.match_indices('/').map(|(offset, _)| &file[..=offset]).filter(|folder| folder.len() > family);
        let mut part_folders =
            folders.filter(|folder| files.iter().filter(|other| other.starts_with(folder)).count() == 1);
        part_folders.next().unwrap_or(file).to_owned()
    };
    declared.iter().map(|(family, key, file)| Declaration { family, key, path_prefix: path_of_part(file) }).collect()
}

/// Fails if a finding is not listed, or if an entry of the list has no finding.
fn assert_only_listed(
    occurrences: BTreeMap<usize, Vec<String>>,
    entry_count: usize,
    unlisted: Vec<String>,
    list: &str,
) {
    let unneeded = (0..entry_count).filter(|entry| !occurrences.contains_key(entry));
    let mut errors = unlisted;
    errors.extend(unneeded.map(|entry| format!("entry {} of {list} is not needed any more: remove it", entry + 1)));
    assert_no_errors(errors);
}

/// Returns whether `file` is the file that `location` names, or is in the folder that it names, relative to the root or
/// to the models' folder.
fn is_in(file: &str, location: &str) -> bool {
    let location =
        if location.starts_with("crates/") { location.to_owned() } else { format!("crates/core/src/{location}") };
    file.starts_with(&location)
}

#[test]
fn a_part_is_named_by_one_line_of_the_registry_and_nowhere_else() {
    let (sources, modules) = (sources(), Crate::read());
    let own_files: BTreeSet<String> = declarations(&sources).into_iter().map(|part| part.path_prefix).collect();
    let (mut occurrences, mut unlisted, mut registered) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
    for (from, module) in &modules.0 {
        let paths: BTreeSet<&Vec<String>> =
            module.imports.iter().map(|import| &import.path).chain(&module.paths).collect();
        for path in paths {
            let Some(origin) = modules.origin(from, path) else { continue };
            let origin = modules.0[&origin].file.as_str();
            let Some(own_file) = own_files
                .iter()
                .find(|path_prefix| origin.starts_with(*path_prefix) && !module.file.starts_with(*path_prefix))
            else {
                continue;
            };
            let occurrence = format!("{} names {own_file}: {}", module.file, path.join("::"));
            let entry =
                NAMING_EXCEPTIONS.iter().position(|(part, file, _)| is_in(own_file, part) && is_in(&module.file, file));
            match entry {
                _ if module.file == REGISTRY => *registered.entry(own_file).or_insert(0) += 1,
                _ if DISPATCH_ENUMS.contains(&module.file.as_str()) => {}
                _ if ABOUT_PARTS.iter().any(|folder| module.file.starts_with(folder)) => {}
                Some(entry) => occurrences.entry(entry).or_insert_with(Vec::new).push(occurrence),
                None => unlisted.push(occurrence),
            }
        }
    }
    let miscounted = own_files.iter().filter(|path_prefix| registered.get(path_prefix) != Some(&1));
    unlisted.extend(
        miscounted
            .map(|path_prefix| format!("{path_prefix} takes {:?} lines of the registry", registered.get(path_prefix))),
    );
    assert_only_listed(occurrences, NAMING_EXCEPTIONS.len(), unlisted, "NAMING_EXCEPTIONS");
}

#[test]
fn a_key_of_a_part_is_written_in_its_own_files_alone() {
    let sources = sources();
    let parts = declarations(&sources);
    let (mut occurrences, mut unlisted) = (BTreeMap::new(), Vec::new());
    for (name, text) in sources.iter().filter(|(name, _)| !is_test(name)) {
        if ABOUT_PARTS.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for part in parts.iter().filter(|part| !name.starts_with(&part.path_prefix)) {
            let Declaration { family, key, .. } = part;
            let table = if *family == "hosts" { "hosts.NAME" } else { family };
            let patterns = [format!("\"{key}\""), format!("[{table}.{key}]"), format!("[{table}.{key}.")];
            for (line, text) in code_lines(text).filter(|(_, line)| patterns.iter().any(|word| line.contains(word))) {
                let entry = TEXT_EXCEPTIONS.iter().position(|(text, file, _)| text == key && is_in(name, file));
                let occurrence = format!("{name}:{line} says {family}.{key}: {text}");
                match entry {
                    Some(entry) => occurrences.entry(entry).or_insert_with(Vec::new).push(occurrence),
                    None => unlisted.push(occurrence),
                }
            }
        }
    }
    assert_only_listed(occurrences, TEXT_EXCEPTIONS.len(), unlisted, "TEXT_EXCEPTIONS");
}

#[test]
fn no_code_tests_the_kind_of_a_part() {
    let sources = sources();
    let parts = declarations(&sources);
    let family_of = |file: &str| file.split('/').nth(3).unwrap_or_default().to_owned();
    let enums: Vec<(String, String)> = files("crates/core/src", ".rs")
        .into_iter()
        .filter(|(name, _)| DISPATCH_ENUMS.contains(&name.as_str()))
        .flat_map(|(name, text)| {
            let names = text
                .lines()
                .filter_map(|line| line.trim().strip_prefix("pub enum "))
                .map(|rest| format!("{}::", rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()));
            names.map(|word| (family_of(&name), word)).collect::<Vec<_>>()
        })
        .collect();
    assert!(enums.len() >= DISPATCH_ENUMS.len(), "{enums:?}");
    let (mut occurrences, mut unlisted) = (BTreeMap::new(), Vec::new());
    for (name, text) in sources.iter().filter(|(name, _)| !is_test(name) && !DISPATCH_ENUMS.contains(&name.as_str())) {
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let is_own =
            |family: &str| family_of(name) == family && parts.iter().any(|part| name.starts_with(&part.path_prefix));
        let names_variant = |line: &str, word: &str| {
            line.match_indices(word).any(|(offset, _)| line[offset + word.len()..].starts_with(char::is_uppercase))
        };
        let asks_for_kind = |line: &str| {
            let is_kind_test =
                line.contains(".of::<") || line.contains("downcast()") || line.contains("downcast_ref()");
            // A part may construct its own variant.
            is_kind_test || enums.iter().any(|(family, word)| names_variant(line, word) && !is_own(family))
        };
        for (line, text) in code_lines(text).filter(|(_, line)| asks_for_kind(line)) {
            match KIND_EXCEPTIONS.iter().position(|(file, _)| file == name) {
                Some(entry) => occurrences.entry(entry).or_insert_with(Vec::new).push(text.to_owned()),
                None => unlisted.push(format!("{name}:{line} asks for a kind of part: {text}")),
            }
        }
    }
    assert_only_listed(occurrences, KIND_EXCEPTIONS.len(), unlisted, "KIND_EXCEPTIONS");
}

#[test]
fn files_of_dispatch_are_short_and_on_the_contributors_page() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("the text can be read");
    for file in DISPATCH_ENUMS.into_iter().chain([REGISTRY]) {
        let lines = fs::read_to_string(root().join(file)).expect("the file of dispatch can be read").lines().count();
        assert!(lines <= DISPATCH_LINES_MAX, "{file} has {lines} lines, more than {DISPATCH_LINES_MAX}");
        assert!(page.contains(&format!("({file})")), "CONTRIBUTING.md does not name {file}");
    }
}

/// Largest number of lines of the interface and the workload of the example of parts from outside, together.
const OUTSIDE_LINES_MAX: usize = 200;

#[test]
fn an_interface_and_a_workload_from_outside_take_few_lines() {
    let lines = ["doorbell.rs", "hot_potato.rs"].map(|file| {
        let path = root().join("examples/outside/src").join(file);
        fs::read_to_string(path).expect("the part of the example can be read").lines().count()
    });
    assert!(lines.iter().sum::<usize>() <= OUTSIDE_LINES_MAX, "{lines:?}");
}
