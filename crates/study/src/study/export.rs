//! The description of a point, exported as a file of its own: its base with its settings put in, to be run alone.
//!
//! Leaves out the base's comments, and what of a base a setting rules out: a base with `[fabric.mesh]` and a
//! setting of `fabric.torus` gives a file with both, which `narrows check` refuses by name.

use narrows_core::text::set;
use toml::{Table, Value};

/// Where the description of a point lies below a report; a point's name may hold any character, a path not.
pub fn path(point: &str) -> String {
    let parts: Vec<String> = point.split('/').map(part).collect();
    format!("descriptions/{}.toml", parts.join("/"))
}

/// A part of a name as one of a path: other characters than these as `~` and the byte in hexadecimal.
fn part(name: &str) -> String {
    // `.` and `..` are no names of files, and neither is nothing.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte) || byte == b'.' && name.len() > 2;
    let one = |byte: u8| if is_plain(byte) { (byte as char).to_string() } else { format!("~{byte:02x}") };
    if name.is_empty() { "~".to_owned() } else { name.bytes().map(one).collect() }
}

/// The description of a point: its base, with `sets` over it; nothing where these cannot be put in.
pub fn description(point: &str, base: &str, sets: &[String]) -> Option<String> {
    let mut table: Table = base.parse().ok()?;
    for option in sets {
        let (keys, value) = set::plain(option)?;
        let (last, above) = keys.split_last()?;
        put(below(&mut table, above)?, last, value);
    }
    let (name, path) = (point.replace(char::is_control, " "), path(point));
    Some(format!("# The point {name}, to be run alone:\n#   narrows run {path}\n\n{table}"))
}

/// A place that holds further keys.
enum Holder<'a> {
    Table(&'a mut Table),
    List(&'a mut Vec<Value>),
}

/// What lies at `keys` below a table; tables are made where nothing lies.
fn below<'a>(table: &'a mut Table, keys: &[String]) -> Option<Holder<'a>> {
    let mut at = Holder::Table(table);
    for key in keys {
        let value = match at {
            Holder::Table(table) => table.entry(key).or_insert_with(|| Value::Table(Table::new())),
            Holder::List(list) => list.get_mut(key.parse::<usize>().ok()?)?,
        };
        at = match value {
            Value::Table(table) => Holder::Table(table),
            Value::Array(list) => Holder::List(list),
            // A table goes before what is none, as it does among settings.
            other => {
                *other = Value::Table(Table::new());
                Holder::Table(other.as_table_mut()?)
            }
        };
    }
    Some(at)
}

/// Puts a value under a key; a table goes into one that stands.
fn put(at: Holder, key: &str, value: Value) {
    match (at, value) {
        (Holder::Table(table), Value::Table(more)) if table.get(key).is_some_and(Value::is_table) => {
            let Some(inner) = table.get_mut(key).and_then(Value::as_table_mut) else { return };
            more.into_iter().for_each(|(key, value)| put(Holder::Table(inner), &key, value));
        }
        (Holder::Table(table), value) => {
            table.insert(key.to_owned(), value);
        }
        (Holder::List(list), value) => {
            let place = key.parse().ok().and_then(|at: usize| list.get_mut(at));
            place.into_iter().for_each(|place| *place = value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_put_into_the_base() {
        let base = "# a comment\n[nodes.node]\ncount = 2\n[[a.list]]\nx = 1\n[[a.list]]\nx = 2\n";
        let sets =
            ["parts=[\"hosts/a\", 'ni/b']", "nodes.node.host=a", "a.list.1.x=3", "a.deep.size = 40 ns", "a.y={z=1}"];
        let text = description("latency/a/64", base, &sets.map(str::to_owned)).expect("a description");
        assert!(text.starts_with(
            "# The point latency/a/64, to be run alone:\n#   narrows run descriptions/latency/a/64.toml\n"
        ));
        let table: Table = text.parse().expect("TOML");
        let expected = "parts = ['hosts/a', 'ni/b']\nnodes.node = { count = 2, host = 'a' }\n\
                        a = { list = [{ x = 1 }, { x = 3 }], deep.size = '40 ns', y.z = 1 }";
        assert_eq!(table, expected.parse().expect("TOML"));
    }

    #[test]
    fn a_path_has_no_characters_of_its_own_and_stays_below() {
        assert_eq!(path("latency/p6-natoma/a.b/64"), "descriptions/latency/p6-natoma/a.b/64.toml");
        assert_eq!(path("a/../b c/~/"), "descriptions/a/~2e~2e/b~20c/~7e/~.toml");
    }
}
