//! Checks of the declarations of a registry's parts, independent of their combination with other parts.
//!
//! A key must be read once, so that it has one default and one help text. The example of a part, or a shipped file,
//! must be a valid table of the part, and a machine with it must run.

use super::RunObservation;
use super::matrix::{HOSTS, description_with, read};
use crate::engine::{Outcome, Recorder};
use crate::machine::combinations::Combination;
use crate::machine::{Registry, shipped};
use crate::part::{PartFamily, PartSpec};
use crate::text::schema::{Family, Form, Item, Line, Need, TableShape};
use std::sync::Arc;

/// Returns the errors in the declarations of the parts of `registry`, one line each: keys that are read twice, and
/// parts whose example does not run.
pub fn declaration_errors(registry: &Arc<Registry>) -> Vec<String> {
    let mut errors = Vec::new();
    report_repeated_keys(&registry.schema().root, "", &mut errors);
    report_invalid_examples(
        registry,
        registry.hosts(),
        |key, _| Combination { host: key, ..base_combination(registry) },
        &mut errors,
    );
    let with_interface = |ni, host| Combination { ni, host, ..base_combination(registry) };
    report_invalid_examples(registry, registry.interfaces(), with_interface, &mut errors);
    let with_protocol = |protocol, _| Combination { protocol, ..base_combination(registry) };
    report_invalid_examples(registry, registry.protocols(), with_protocol, &mut errors);
    report_invalid_examples(
        registry,
        registry.fabrics(),
        |fabric, _| Combination { fabric, ..base_combination(registry) },
        &mut errors,
    );
    errors
}

/// Returns shipped parts that can be combined with nearly everything, and a workload that requires nothing of its
/// interface.
fn base_combination(registry: &Arc<Registry>) -> Combination {
    let workload = registry.workloads_on_nodes().next().expect("a registry has a workload that runs on nodes");
    let (ni, protocol, fabric) = ("ni/queues", "protocols/none", "fabrics/ideal-1998");
    Combination { host: HOSTS[0], ni, protocol, fabric, workload, refusal_reasons: Vec::new() }
}

/// Reports keys below the table at `path` that were read more than once.
fn report_repeated_keys(shape: &TableShape, path: &str, errors: &mut Vec<String>) {
    errors.extend(shape.repeated_keys.iter().map(|key| format!("{path}{key} is read twice")));
    for item in &shape.items {
        let (key, form) = match item {
            Item::Key { key, form, .. } => (*key, form),
            Item::Family(family) => {
                report_repeated_keys_of_members(family, path, errors);
                continue;
            }
        };
        let path = format!("{path}{key}.");
        match form {
            Form::Table(shape) | Form::Map(shape) | Form::List(shape) => report_repeated_keys(shape, &path, errors),
            Form::OneOf(family, siblings) => {
                report_repeated_keys(siblings, &path, errors);
                report_repeated_keys_of_members(family, &path, errors);
            }
            Form::Value(..) | Form::Like(_) | Form::Parts => {}
        }
    }
}

/// Reports keys of the tables that a family selects from, below `path`, that were read more than once.
fn report_repeated_keys_of_members(family: &Family, path: &str, errors: &mut Vec<String>) {
    for member in &family.members {
        report_repeated_keys(&member.shape, &format!("{path}{}.", member.name), errors);
    }
}

/// Reports the parts of a family whose example is not valid on any kind of host with any workload, or does not run. A
/// part without an example must have a shipped file that describes it, or read a file that the user provides.
fn report_invalid_examples<S: ?Sized + PartSpec>(
    registry: &Arc<Registry>,
    family: &PartFamily<S>,
    combination: impl Fn(&'static str, &'static str) -> Combination,
    errors: &mut Vec<String>,
) {
    let lines = registry.schema().lines();
    // The content of a file that a part reads cannot be in an example.
    let reads_file = |table: &str| {
        let is_file = |line: &Line| line.kind.starts_with("path") && line.need == Need::Required;
        lines.iter().any(|line| line.path.strip_prefix(table).is_some_and(|key| key.starts_with('.')) && is_file(line))
    };
    for info in family.iter().map(|entry| entry.info) {
        let read_with = |workload: &'static str| {
            let machines = HOSTS.iter().map(|host| {
                let combination_with_workload = Combination { workload, ..combination(info.key, host) };
                let input = registry.workloads().get(workload).map_or("", |entry| entry.info.small_input);
                read(
                    registry,
                    &description_with(
                        registry,
                        &combination_with_workload,
                        2,
                        1,
                        &format!("[workload.{workload}]\n{input}\n"),
                    ),
                )
            });
            machines.reduce(|first, next| if first.is_ok() { first } else { next.or(first) }).expect("there are hosts")
        };
        let machine = read_with(combination(info.key, HOSTS[0]).workload);
        // An interface may lack what the first workload needs, such as messages.
        let machine = machine.or_else(|problems| {
            registry.workloads_on_nodes().find_map(|workload| read_with(workload).ok()).ok_or(problems)
        });
        let table = format!("{}.{}", family.table(), info.key);
        match machine {
            Ok(machine) => {
                let outcome = RunObservation::of(&machine, Recorder::off()).outcome;
                errors.extend((outcome != Outcome::Done).then(|| format!("the example of {table} ends: {outcome:?}")));
            }
            Err(_) if info.example.is_empty() && (has_shipped_file(family.table(), info.key) || reads_file(&table)) => {
            }
            Err(problems) => errors.push(format!("the example of {table} does not describe it: {problems}")),
        }
    }
}

/// Returns whether a shipped file describes the part called `key` of the family `table`.
fn has_shipped_file(table: &str, key: &str) -> bool {
    let describes = |name: &&&str| {
        let text = shipped::part(name).unwrap_or_default();
        text.lines().any(|line| match table {
            "hosts" => line.starts_with("[hosts.") && line.contains(&format!(".{key}")),
            _ => line.starts_with(&format!("[{table}.{key}]")) || line.starts_with(&format!("{table} = \"{key}\"")),
        })
    };
    shipped::parts().iter().find(describes).is_some()
}
