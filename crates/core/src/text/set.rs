//! `--set a.b.c=v`: a setting, which overrides one key of a description from outside its file.
//!
//! The value is parsed as TOML; if that fails, it is a string. The index of an element of a list is written as a key.
//! The reader checks whether the key is known.

use super::origin::{TextId, TextSpan};
use super::problem::Problem;
use super::tree::{Definition, Rank, Tree, TreeBuilder, TreeNode, TreeValue, shadow};
use std::ops::Range;
use toml::de::DeValue;

/// The key that names shipped parts.
pub const PARTS: &str = "parts";

/// A `--set` option after parsing.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The keys, each with its span in the option.
    pub path: Keys,
    /// The value.
    pub value: TreeNode,
    builder: TreeBuilder,
}

/// Largest number of keys in a path; no valid path has more.
const PATH_KEYS_MAX: usize = 64;

/// Parses an option.
pub fn parse(option: &str, text: TextId, rank: Rank) -> Result<Setting, Problem> {
    let problem = |label: &str, span: Range<usize>| {
        let place = TextSpan { text, span };
        Err(Problem::new(format!("cannot set `{option}`"))
            .with_location(Some(place), label)
            .help("write KEY=VALUE, such as run.seed=7; keys are joined by `.`"))
    };
    let (path, equals) = match parse_keys(option) {
        Ok(found) => found,
        Err((label, span)) => return problem(label, span),
    };
    if path.len() > PATH_KEYS_MAX {
        return problem("too many keys", 0..equals);
    }
    if path.len() > 1 && path[0].0 == PARTS {
        return problem("`parts` can only be set as a whole list", path[0].1.clone());
    }
    let builder = TreeBuilder { text, rank, offset: 0 };
    Ok(Setting { path, value: parse_value(option, equals + 1, builder), builder })
}

/// Keys, each with its span in an option.
type Keys = Vec<(String, Range<usize>)>;

/// The reason why an option does not parse, and the range of the invalid bytes.
type SyntaxFault = (&'static str, Range<usize>);

/// Returns the keys before the `=`, and the offset of the `=`.
fn parse_keys(option: &str) -> Result<(Keys, usize), SyntaxFault> {
    let mut path = Vec::new();
    let mut offset = 0;
    loop {
        offset += leading_space_bytes(&option[offset..]);
        let (key, end) = parse_key(option, offset)?;
        path.push((key, offset..end));
        offset = end + leading_space_bytes(&option[end..]);
        match option[offset..].chars().next() {
            Some('.') => offset += 1,
            Some('=') => return Ok((path, offset)),
            Some(c) => return Err(("`.` or `=` belongs here", offset..offset + c.len_utf8())),
            None => return Err(("`=` and a value are missing", offset..offset)),
        }
    }
}

fn leading_space_bytes(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Parses the bare or quoted key that begins at `offset`, and returns the key and the offset of its end.
fn parse_key(option: &str, offset: usize) -> Result<(String, usize), SyntaxFault> {
    let rest = &option[offset..];
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = &rest[1..];
        let close = inner.find(quote).ok_or(("this quote is not closed", offset..offset + 1))?;
        return Ok((inner[..close].to_string(), offset + close + 2));
    }
    let is_bare_key_character = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let length = rest.find(|c| !is_bare_key_character(c)).unwrap_or(rest.len());
    match length {
        0 => Err(("a key is missing here", offset..offset)),
        _ => Ok((rest[..length].to_string(), offset + length)),
    }
}

/// Parses the value after the `=`.
fn parse_value(option: &str, start: usize, builder: TreeBuilder) -> TreeNode {
    let value_start = start + leading_space_bytes(&option[start..]);
    let text = option[value_start..].trim_end();
    match DeValue::parse(text) {
        Ok(value) => TreeBuilder { offset: value_start, ..builder }.node(&value),
        Err(_) => TreeNode {
            place: Some(builder.place(value_start..value_start + text.len())),
            ..TreeNode::synthetic(TreeValue::Text(text.to_string()))
        },
    }
}

/// Returns the keys of an option and its value as plain TOML, or `None` if the option is not a setting.
pub fn parse_plain(option: &str) -> Option<(Vec<String>, toml::Value)> {
    let (path, equals) = parse_keys(option).ok()?;
    let text = option[equals + 1..].trim();
    let value = text.parse().unwrap_or_else(|_| toml::Value::String(text.to_owned()));
    Some((path.into_iter().map(|(key, _)| key).collect(), value))
}

impl Setting {
    /// Returns whether the setting sets the whole top-level key `name`.
    pub fn sets_key(&self, name: &str) -> bool {
        matches!(&self.path[..], [(key, _)] if key == name)
    }

    /// Returns whether the setting sets the whole key `name` of an entry of one of the tables.
    pub fn sets_entry_key(&self, tables: &[&str], name: &str) -> bool {
        matches!(&self.path[..], [(table, _), _, (key, _)] if key == name && tables.contains(&table.as_str()))
    }

    /// Returns the path of the table whose key is set.
    pub fn parents(&self) -> Vec<String> {
        self.path.split_last().map_or(Vec::new(), |(_, parents)| parents.iter().map(|(key, _)| key.clone()).collect())
    }

    /// Applies the setting to a description.
    pub fn apply(self, tree: &mut Tree) -> Result<(), Problem> {
        self.apply_to_table(tree, 0)
    }

    fn apply_to_table(self, tree: &mut Tree, depth: usize) -> Result<(), Problem> {
        let key = self.path[depth].0.clone();
        let is_last = depth + 1 == self.path.len();
        let definitions = vec![self.definition(depth)];
        let lower_node = tree.remove(&key);
        let node = match lower_node {
            Some(lower_node) if !is_last => self.apply_to_node(lower_node, depth + 1)?,
            Some(lower_node) => self.overriding_node(lower_node, definitions)?,
            None if is_last => TreeNode { definitions, ..self.value },
            None => TreeNode { definitions, ..self.new_table(depth + 1)? },
        };
        tree.insert(key, node);
        Ok(())
    }

    fn definition(&self, depth: usize) -> Definition {
        Definition { rank: self.builder.rank, key: self.builder.place(self.path[depth].1.clone()) }
    }

    /// Creates a table for the remainder of the path.
    fn new_table(self, depth: usize) -> Result<TreeNode, Problem> {
        let place = Some(self.builder.place(self.path[depth - 1].1.clone()));
        let mut tree = Tree::default();
        self.apply_to_table(&mut tree, depth)?;
        Ok(TreeNode { place, ..TreeNode::synthetic(TreeValue::Table(tree)) })
    }

    /// Returns the value of the setting, which overrides `lower_node`.
    fn overriding_node(self, lower_node: TreeNode, definitions: Vec<Definition>) -> Result<TreeNode, Problem> {
        let value = TreeNode { definitions, ..self.value.clone() };
        if lower_node.table().is_some() && value.table().is_none() && lower_node.rank() == Some(self.builder.rank) {
            return Err(self.conflict(&lower_node));
        }
        Ok(shadow(lower_node, value))
    }

    /// Applies the keys from `depth` on below an existing value.
    fn apply_to_node(self, mut node: TreeNode, depth: usize) -> Result<TreeNode, Problem> {
        let definition = self.definition(depth - 1);
        let is_set_in_same_layer = node.rank() == Some(definition.rank);
        match &mut node.value {
            TreeValue::Table(tree) => self.apply_to_table(tree, depth)?,
            TreeValue::List(items) => self.apply_to_list(items, depth)?,
            _ if is_set_in_same_layer => return Err(self.conflict(&node)),
            _ => {
                let table = TreeNode { definitions: vec![definition], ..self.new_table(depth)? };
                return Ok(shadow(node, table));
            }
        }
        node.definitions.push(definition);
        Ok(node)
    }

    fn apply_to_list(self, items: &mut [TreeNode], depth: usize) -> Result<(), Problem> {
        let index = self.path[depth].0.parse::<usize>().ok().filter(|index| *index < items.len());
        let Some(index) = index else { return Err(self.no_such_element(items.len(), depth)) };
        let lower_node = std::mem::replace(&mut items[index], TreeNode::synthetic(TreeValue::Flag(false)));
        items[index] = match depth + 1 == self.path.len() {
            true => {
                let definitions = vec![self.definition(depth)];
                self.overriding_node(lower_node, definitions)?
            }
            false => self.apply_to_node(lower_node, depth + 1)?,
        };
        Ok(())
    }

    fn no_such_element(&self, length: usize, depth: usize) -> Problem {
        let names: Vec<&str> = self.path[..depth].iter().map(|(key, _)| key.as_str()).collect();
        let place = self.builder.place(self.path[depth].1.clone());
        let help = match length {
            0 => "the list is empty".to_string(),
            1 => "the list has one element, 0".to_string(),
            n => format!("the list has {n} elements, 0 to {}", n - 1),
        };
        Problem::new(format!("`{}` has no element `{}`", names.join("."), self.path[depth].0))
            .with_location(Some(place), "no such element")
            .help(help)
    }

    /// Returns the problem that two options contradict each other.
    fn conflict(&self, earlier: &TreeNode) -> Problem {
        let names: Vec<&str> = self.path.iter().map(|(key, _)| key.as_str()).collect();
        let place = self.builder.place(self.path[0].1.start..self.path[self.path.len() - 1].1.end);
        let problem = Problem::new(format!("`{}` contradicts an earlier `--set`", names.join(".")))
            .with_location(Some(place), "set here")
            .help("one of them sets a value, the other a key within it: leave one out");
        match earlier.key() {
            Some(key) => problem.related(key.clone(), "and here"),
            None => problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(tree: &mut Tree, option: &str) -> Result<(), Problem> {
        parse(option, 0, 1)?.apply(tree)
    }

    fn base_tree() -> Tree {
        let builder = TreeBuilder { text: 0, rank: 0, offset: 0 };
        let text = "[a]\nb = 1\n[[n]]\nh = 'x'\n[[n]]\nh = 'y'\n";
        builder.tree(toml::de::DeTable::parse(text).expect("the text is TOML").get_ref())
    }

    fn value_after(option: &str, path: &[&str]) -> String {
        let mut tree = base_tree();
        set(&mut tree, option).expect("the override is valid");
        let root = TreeNode::synthetic(TreeValue::Table(tree));
        format!("{:?}", root.node_at(path.iter().copied()).map(|node| node.value.clone()))
    }

    #[test]
    fn values_are_toml_else_strings() {
        assert_eq!(value_after("a.b=2", &["a", "b"]), "Some(Integer(Some(2)))");
        assert_eq!(value_after("a.b = 40 ns", &["a", "b"]), "Some(Text(\"40 ns\"))");
        assert_eq!(value_after("a.b='40 ns'", &["a", "b"]), "Some(Text(\"40 ns\"))");
        assert_eq!(value_after("a.b=", &["a", "b"]), "Some(Text(\"\"))");
        assert_eq!(value_after("a.c.\"d.e\"=true", &["a", "c", "d.e"]), "Some(Flag(true))");
    }

    #[test]
    fn elements_of_lists_are_named_by_index() {
        assert_eq!(value_after("n.1.h=z", &["n", "1", "h"]), "Some(Text(\"z\"))");
        assert_eq!(value_after("n.1.h=z", &["n", "0", "h"]), "Some(Text(\"x\"))");
        let problem = set(&mut base_tree(), "n.2.h=z").expect_err("the list has only two elements");
        assert_eq!(problem.message, "`n` has no element `2`");
        assert_eq!(problem.help, ["the list has 2 elements, 0 to 1"]);
    }

    #[test]
    fn invalid_settings_are_reported_with_their_reason() {
        for (option, label) in [
            ("a", "`=` and a value are missing"),
            ("=1", "a key is missing here"),
            ("a..b=1", "a key is missing here"),
            ("a b=1", "`.` or `=` belongs here"),
            ("'a=1", "this quote is not closed"),
            ("", "a key is missing here"),
            ("parts.0=x", "`parts` can only be set as a whole list"),
        ] {
            assert_eq!(&*set(&mut base_tree(), option).expect_err(option).label, label, "{option}");
        }
    }

    #[test]
    fn a_later_option_wins_but_may_not_contradict() {
        let mut tree = base_tree();
        set(&mut tree, "q.a=1").expect("the override is valid");
        set(&mut tree, "q.a=2").expect("the override is valid");
        assert!(set(&mut tree.clone(), "q.a.b=2").is_err());
        assert!(set(&mut tree, "q=word").is_err());
    }

    proptest! {
        #[test]
        fn no_option_panics(options in prop::collection::vec("\\PC*|[an0-2'\". =\\[\\]{}#]{0,12}", 1..4)) {
            let mut tree = base_tree();
            for option in &options {
                let _ = set(&mut tree, option);
            }
        }
    }
}
