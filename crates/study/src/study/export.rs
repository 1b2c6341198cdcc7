//! Export of the description of a point to a separate file: the base description, to which the overrides of the point
//! are applied.
//!
//! Comments of the base are lost. If an override replaces a part of the base, the part is not removed: a base with
//! `[fabric.mesh]` and an override of `fabric.torus` gives a file with both, which `narrows check` rejects.

use narrows_core::text::set;
use toml::{Table, Value};

/// Returns the path of a point's description below the folder of a report, with special characters escaped.
pub fn path(point: &str) -> String {
    let parts: Vec<String> = point.split('/').map(escape_component).collect();
    format!("descriptions/{}.toml", parts.join("/"))
}

/// Escapes a component of a name for a path: special characters become `~` and the byte in hexadecimal.
fn escape_component(name: &str) -> String {
    // `.`, `..` and an empty text are not names of files.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte) || byte == b'.' && name.len() > 2;
    let encoded = |byte: u8| if is_plain(byte) { (byte as char).to_string() } else { format!("~{byte:02x}") };
    if name.is_empty() { "~".to_owned() } else { name.bytes().map(encoded).collect() }
}

/// Returns the text of the description of a point: `base` with these overrides. Returns `None` if they cannot be
/// applied.
pub fn description(point: &str, base: &str, overrides: &[String]) -> Option<String> {
    let mut table: Table = base.parse().ok()?;
    for setting in overrides {
        let (keys, value) = set::parse_plain(setting)?;
        let (last_key, parent_keys) = keys.split_last()?;
        set_value(descend(&mut table, parent_keys)?, last_key, value);
    }
    let (name, path) = (point.replace(char::is_control, " "), path(point));
    Some(format!("# The point {name}. To run it alone:\n#   narrows run {path}\n\n{table}"))
}

/// A value that contains other values.
enum Container<'a> {
    Table(&'a mut Table),
    List(&'a mut Vec<Value>),
}

/// Returns the container at the path `keys` below a table, creating tables as needed.
fn descend<'a>(table: &'a mut Table, keys: &[String]) -> Option<Container<'a>> {
    let mut container = Container::Table(table);
    for key in keys {
        let value = match container {
            Container::Table(table) => table.entry(key).or_insert_with(|| Value::Table(Table::new())),
            Container::List(list) => list.get_mut(key.parse::<usize>().ok()?)?,
        };
        container = match value {
            Value::Table(table) => Container::Table(table),
            Value::Array(list) => Container::List(list),
            // A table replaces a scalar, as it does among overrides.
            other => {
                *other = Value::Table(Table::new());
                Container::Table(other.as_table_mut()?)
            }
        };
    }
    Some(container)
}

/// Sets the value of a key; a table is merged into an existing one.
fn set_value(container: Container, key: &str, value: Value) {
    match (container, value) {
        (Container::Table(table), Value::Table(new_entries)) if table.get(key).is_some_and(Value::is_table) => {
            let Some(existing_table) = table.get_mut(key).and_then(Value::as_table_mut) else { return };
            new_entries.into_iter().for_each(|(key, value)| set_value(Container::Table(existing_table), &key, value));
        }
        (Container::Table(table), value) => {
            table.insert(key.to_owned(), value);
        }
        (Container::List(list), value) => {
            let item = key.parse().ok().and_then(|index: usize| list.get_mut(index));
            item.into_iter().for_each(|item| *item = value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_are_applied_to_the_base() {
        let base = "# a comment\n[nodes.node]\ncount = 2\n[[a.list]]\nx = 1\n[[a.list]]\nx = 2\n";
        let overrides =
            ["parts=[\"hosts/a\", 'ni/b']", "nodes.node.host=a", "a.list.1.x=3", "a.deep.size = 40 ns", "a.y={z=1}"];
        let text =
            description("latency/a/64", base, &overrides.map(str::to_owned)).expect("the overrides can be applied");
        assert!(text.starts_with(
            "# The point latency/a/64. To run it alone:\n#   narrows run descriptions/latency/a/64.toml\n"
        ));
        let table: Table = text.parse().expect("the text is TOML");
        let expected = "parts = ['hosts/a', 'ni/b']\nnodes.node = { count = 2, host = 'a' }\n\
                        a = { list = [{ x = 1 }, { x = 3 }], deep.size = '40 ns', y.z = 1 }";
        assert_eq!(table, expected.parse().expect("the text is TOML"));
    }

    #[test]
    fn tables_keep_the_order_of_the_base() {
        let base = "[nodes.zeta]\nhost = 'a'\n[nodes.alpha]\nhost = 'b'\n[nodes.mid]\nhost = 'a'\n";
        let overrides = ["nodes.zeta.host=c".to_owned(), "run.seed=2".to_owned()];
        let text = description("latency/64", base, &overrides).expect("the overrides can be applied");
        let position_of = |name: &str| text.find(name).unwrap_or_else(|| panic!("{name}: {text}"));
        assert!(
            position_of("zeta") < position_of("alpha") && position_of("alpha") < position_of("mid"),
            "the order of nodes means something: {text}"
        );
    }

    #[test]
    fn path_is_escaped_and_stays_below_the_report() {
        assert_eq!(path("latency/p6-natoma/a.b/64"), "descriptions/latency/p6-natoma/a.b/64.toml");
        assert_eq!(path("a/../b c/~/"), "descriptions/a/~2e~2e/b~20c/~7e/~.toml");
    }
}
