//! Builds the problems that the reader reports.

use super::kind::InvalidValue;
use super::origin::TextSpan;
use super::problem::Problem;
use super::record::{Records, Step, dotted};
use super::tree::{TreeNode, TreeValue};
use super::{quantity, suggest};
use crate::engine::{Hertz, Time};

/// Returns the problem `message` about the key at `full_path`. Its location is that of the deepest existing node on the
/// path `path` below `node`, or otherwise `nearest_place`.
pub(super) fn problem_at(
    node: &TreeNode,
    records: &Records,
    path: &str,
    full_path: &str,
    nearest_place: Option<TextSpan>,
    message: &str,
) -> Problem {
    let keys: Vec<&str> = path.split('.').filter(|key| !key.is_empty()).collect();
    let title = if full_path.is_empty() { message.to_string() } else { format!("`{full_path}`: {message}") };
    let problem = Problem::new(title);
    if let Some(target) = node.node_at(keys.iter().copied()) {
        return problem.with_location(target.place.clone().or(nearest_place), "");
    }
    let enclosing_place =
        (0..keys.len()).rev().find_map(|length| node.node_at(keys[..length].iter().copied())?.place.clone());
    let label =
        records.find(full_path).map(|entry| format!("`{full_path}` is {} by default", entry.value)).unwrap_or_default();
    problem.with_location(enclosing_place.or(nearest_place), label)
}

/// Returns the problem that the value of a key is not a table, or with `is_list` not a list of tables.
pub(super) fn not_a_table_problem(path: &[Step], node: &TreeNode, is_list: bool) -> Problem {
    let path = dotted(path);
    let (expected, help) = match is_list {
        true => ("a list of tables", format!("write [[{path}]] before the keys of each element")),
        false => ("a table", format!("write [{path}] and its keys below")),
    };
    let label = format!("{expected} is expected, not {}", node.value.type_with_article());
    Problem::bad_value(&path).with_location(node.place.clone(), label).help(help)
}

/// Returns the title of the problem that a required key is missing.
pub(super) fn missing_title(path: &str) -> String {
    format!("`{path}` is missing")
}

/// Returns the beginning of the title of the problem that the family at `path` has no member.
fn no_variant_prefix(path: &str) -> String {
    format!("`{path}` needs one of ")
}

/// Returns the title of the problem that the family at `path` has no member; `names` lists its members.
pub(super) fn no_variant_title(path: &str, names: &str) -> String {
    format!("{}{names}", no_variant_prefix(path))
}

/// Returns the missing key that `title` names, if `title` is that of a problem about a missing key below `path`.
pub(super) fn missing_key(title: &str, path: &str) -> Option<String> {
    let key = title.strip_prefix('`')?.strip_suffix("` is missing")?;
    let key = if path.is_empty() { key } else { key.strip_prefix(path)?.strip_prefix('.')? };
    Some(key.to_string())
}

/// Returns whether `title` says that the family at `path` has no member.
pub(super) fn is_no_variant_title(title: &str, path: &str) -> bool {
    title.starts_with(&no_variant_prefix(path))
}

/// Returns whether `title` says that the key or family at `path`, or a key below it, is missing.
pub(super) fn is_missing_title(title: &str, path: &str) -> bool {
    title == missing_title(path) || is_no_variant_title(title, path) || missing_key(title, path).is_some()
}

/// Replaces several problems about missing keys of the absent table at `path` by one problem, which states that the
/// table is missing.
pub(super) fn summarize_missing(problems: &mut Vec<Problem>, path: &str, doc: &str) {
    let keys: Vec<String> = problems.iter().filter_map(|problem| missing_key(&problem.message, path)).collect();
    let Some(first) = problems.iter().position(|problem| missing_key(&problem.message, path).is_some()) else { return };
    if keys.len() < 2 {
        return;
    }
    let place = problems[first].place.clone();
    problems.retain(|problem| missing_key(&problem.message, path).is_none());
    let summary = Problem::new(missing_title(path))
        .with_location(place, format!("[{path}] belongs here"))
        .help(format!("`{path}`: {doc}"))
        .help(format!("required keys: {}", suggest::phrase(keys.iter().map(String::as_str))));
    problems.insert(first, summary);
}

/// Returns the help that lists the required keys `missing` of a table, apart from `meant_key`, which was mistyped. The
/// help is empty if no other key is missing.
pub(super) fn required_help(meant_key: &str, missing: &[String]) -> String {
    let is_meant = |key: &str| key.strip_prefix(meant_key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let other_keys: Vec<&str> = missing.iter().map(String::as_str).filter(|key| !is_meant(key)).collect();
    match other_keys[..] {
        [] => String::new(),
        _ => format!("also required here: {}", suggest::phrase(other_keys)),
    }
}

/// Returns the problem that a required key is missing.
pub(super) fn missing_key_problem(path: &[Step], place: Option<TextSpan>, doc: &str, allowed: &str) -> Problem {
    let key = dotted(&path[path.len() - 1..]);
    Problem::new(missing_title(&dotted(path)))
        .with_location(place, format!("`{key}` belongs here"))
        .help(format!("`{key}`: {doc}"))
        .help(allowed)
}

/// Returns the problem that a value is not valid for its key.
pub(super) fn invalid_value_problem(
    path: &[Step],
    invalid_value: InvalidValue,
    nearest_place: Option<TextSpan>,
    doc: &str,
) -> Problem {
    let key = dotted(&path[path.len() - 1..]);
    let problem = Problem::bad_value(&dotted(path))
        .with_location(invalid_value.place.or(nearest_place), invalid_value.fault.label);
    invalid_value.fault.help.into_iter().fold(problem, Problem::help).help(format!("`{key}`: {doc}"))
}

/// Unknown keys whose reciprocals are known: the unknown key, the known key, and an example.
const RECIPROCALS: [(&str, &str, &str); 2] = [
    ("rate", "interval", "`interval = \"1 us\"` for 1 MHz"),
    ("load", "interval", "`interval = \"1 us\"` for a million messages per second"),
];

/// Returns the interval that the rate at `node` means, as an example: a frequency, or a number without a unit, which is
/// taken as one per second. A load is relative to a capacity, and has no interval of its own.
fn reciprocal_of(rate: &str, interval: &str, node: &TreeNode) -> Option<String> {
    let (per_second, text) = match &node.value {
        _ if rate != "rate" => return None,
        TreeValue::Integer(Some(number)) => (*number as f64, format!("{number} per second")),
        TreeValue::Float(number) => (*number, format!("{number} per second")),
        TreeValue::Text(text) => match text.trim().parse::<f64>() {
            Ok(number) => (number, format!("{number} per second")),
            Err(_) => (quantity::parse::<Hertz>(text).ok()?.0 as f64, text.trim().to_owned()),
        },
        _ => return None,
    };
    let interval_ps = (Time::from_us(1_000_000).ps() as f64 / per_second).round();
    // Intervals from a picosecond to a thousand seconds.
    (1.0..=1e15).contains(&interval_ps).then(|| {
        let time = Time::from_ps(interval_ps as u64);
        format!("`{interval} = \"{time}\"` for {text}")
    })
}

/// Returns the problem that the table at `path` has a key that nothing reads.
///
/// `families` are the keys of the families below this table that have a member called `key`.
pub(super) fn unknown_key_problem(
    path: &[Step],
    key: &str,
    node: &TreeNode,
    mut known_keys: Vec<&str>,
    families: &[&str],
) -> Problem {
    known_keys.sort_unstable();
    let table_phrase = if path.is_empty() { String::new() } else { format!(" in `{}`", dotted(path)) };
    let members: Vec<String> = families.iter().map(|family| format!("`{family}.{key}`")).collect();
    let label = match suggest::nearest(key, known_keys.iter().copied()) {
        _ if !members.is_empty() => format!("did you mean {}?", members.join(" or ")),
        Some(near) => format!("did you mean `{near}`?"),
        None => "there is no such key here".to_string(),
    };
    let reciprocal = RECIPROCALS.iter().find(|(rate, interval, _)| key == *rate && known_keys.contains(interval));
    let help = reciprocal.map_or_else(String::new, |(rate, interval, example)| {
        let example = reciprocal_of(rate, interval, node).unwrap_or_else(|| (*example).to_owned());
        format!("instead of a {rate}, write `{interval}`, the mean time between two of them: {example}")
    });
    Problem::new(format!("unknown key `{}`{table_phrase}", key.escape_debug()))
        .with_location(node.key().cloned(), label)
        .help(help)
        .help(format!("allowed here: {}", suggest::phrase(known_keys)))
        .help("`narrows explain KEY` prints the meaning of a key")
}
