//! Patterns of endpoint names, each of which describes flows between many nodes in one line.
//!
//! `*` matches any characters, `[3..17]` each number from 3 to 17. A flow `FROM -> TO` with patterns represents
//! these pairs of different endpoints:
//!
//! - with a pattern on one side only, all pairs of a matching name and the name on the other side: `n[1..31] -> n0` is
//!   an incast of 31 flows;
//! - with different patterns that have equal numbers of placeholders, the pairs whose placeholders match equal texts,
//!   in order: `client* -> server*`;
//! - with the same pattern on both sides, or different numbers of placeholders, all pairs: `* -> *`.
//!
//! Pairs are sorted by sender, then by receiver, in the order of the nodes. A pattern with a `:` matches endpoints by
//! their index; other patterns match nodes.

use crate::text::name_pattern::NamePattern;
use std::collections::BTreeSet;

/// Returns whether `name` is a pattern rather than a name.
pub fn is_pattern(name: &str) -> bool {
    NamePattern::parse(name).placeholder_count() > 0
}

/// Returns the pairs of `names` that the flow `from -> to` represents; a flow without patterns represents itself.
pub fn expand(from: &str, to: &str, names: &[String]) -> Vec<(String, String)> {
    let [from, to] = [from, to].map(NamePattern::parse);
    let pairs: Vec<(String, String)> = match (from.placeholder_count(), to.placeholder_count()) {
        (0, 0) => return vec![(from.text(), to.text())],
        (from_count, to_count) if from_count == to_count && from != to => pairs_with_equal_captures(&from, &to, names),
        _ => {
            let receivers = matching_names(&to, names);
            let pairs_of = |from: String| receivers.iter().map(move |to| (from.clone(), to.clone()));
            matching_names(&from, names).into_iter().flat_map(pairs_of).collect()
        }
    };
    pairs.into_iter().filter(|(from, to)| from != to).collect()
}

/// Returns the pairs in which the placeholders of both patterns represent the same characters.
fn pairs_with_equal_captures(from: &NamePattern<'_>, to: &NamePattern<'_>, names: &[String]) -> Vec<(String, String)> {
    let known_names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let receiver = |from_name: &String| {
        let to_name = to.fill(&captures(from, from_name)?)?;
        known_names.contains(to_name.as_str()).then(|| (from_name.clone(), to_name))
    };
    names.iter().filter_map(receiver).collect()
}

/// Returns the names that match. A pattern without placeholders is returned unchanged, even if there is no such name,
/// because all names of flows are checked later.
fn matching_names(pattern: &NamePattern<'_>, names: &[String]) -> Vec<String> {
    match pattern.placeholder_count() {
        0 => vec![pattern.text()],
        _ => names.iter().filter(|name| captures(pattern, name).is_some()).cloned().collect(),
    }
}

/// Returns the texts at the placeholders of `name`, if it matches. A pattern with a `:` matches endpoints by their
/// index; other patterns match nodes.
fn captures<'n>(pattern: &NamePattern<'_>, name: &'n str) -> Option<Vec<&'n str>> {
    (pattern.literals_contain(':') == name.contains(':')).then(|| pattern.captures(name))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(from: &str, to: &str, names: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        expand(from, to, &names).into_iter().map(|(from, to)| format!("{from}>{to}")).collect()
    }

    #[test]
    fn a_pattern_on_one_side_expands_to_an_incast() {
        let names = ["n0", "n1", "n2", "n10"];
        assert_eq!(pairs("n[1..31]", "n0", &names), ["n1>n0", "n2>n0", "n10>n0"]);
        assert_eq!(pairs("*", "n1", &names), ["n0>n1", "n2>n1", "n10>n1"], "a node does not send to itself");
        assert_eq!(pairs("n0", "n[1..2]", &names), ["n0>n1", "n0>n2"]);
        assert_eq!(pairs("n[3..9]", "n0", &names), [""; 0]);
    }

    #[test]
    fn placeholders_on_both_sides_match_equal_texts() {
        let names = ["a.0", "a.1", "b.0", "b.1", "c.1"];
        assert_eq!(pairs("*.1", "*.0", &names), ["a.1>a.0", "b.1>b.0"]);
        assert_eq!(pairs("client[0..9]", "server[0..9]", &["client3", "server3", "client4"]), ["client3>server3"]);
        assert_eq!(pairs("*", "*", &["x", "y"]), ["x>y", "y>x"], "the same pattern is all pairs");
        let crossed = pairs("*.1", "b*[0..9]", &["a.1", "c.1", "b7"]);
        assert_eq!(crossed, ["a.1>b7", "c.1>b7"], "different numbers of placeholders are not paired");
    }

    #[test]
    fn a_node_with_several_endpoints_matches_once() {
        let names = ["a", "b", "b:0", "b:1"];
        assert_eq!(pairs("*", "a", &names), ["b>a"], "a pattern without an index is for nodes");
        assert_eq!(pairs("b:*", "a", &names), ["b:0>a", "b:1>a"]);
    }

    #[test]
    fn matching_many_placeholders_is_fast() {
        let name = "a".repeat(200);
        assert_eq!(pairs(&"*a".repeat(40), "b", &[&name, "b"]), [format!("{name}>b")]);
        assert_eq!(pairs(&format!("{}x", "*a".repeat(40)), "b", &[&name, "b"]), [""; 0]);
    }

    #[test]
    fn names_are_not_patterns() {
        assert!(!is_pattern("n[0]") && !is_pattern("left") && is_pattern("n*") && is_pattern("[0..3]"));
        assert_eq!(pairs("n[0]", "b", &[]), ["n[0]>b"]);
    }

    proptest! {
        #[test]
        fn any_pattern_is_expanded(from in "[a*\\[\\]0-9.]{0,8}", to in "[a*\\[\\]0-9.]{0,8}", names in prop::collection::vec("[a0-9]{1,3}", 0..6)) {
            for (from, to) in expand(&from, &to, &names) {
                prop_assert!(!is_pattern(&from) && !is_pattern(&to) || names.contains(&from) || names.contains(&to));
            }
        }
    }
}
