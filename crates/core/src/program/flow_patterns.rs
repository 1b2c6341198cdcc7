//! Flows of many nodes in one line: patterns of endpoint names.
//!
//! `*` matches any characters, `[3..17]` each number from 3 to 17. A flow `FROM -> TO` with patterns is every pair
//! of different endpoints that match:
//!
//! - with a pattern on one side, each match with the endpoint on the other: `n[1..31] -> n0` is an incast of 31;
//! - with as many placeholders on both sides, the pairs in which they match the same: `client* -> server*`;
//! - with the same pattern on both sides, all pairs: `* -> *`; and so with different numbers of placeholders.
//!
//! Pairs are in the order of the nodes, senders first. Patterns match endpoints if they have a `:` before the index, and
//! nodes otherwise.

use std::collections::BTreeSet;

/// A part of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Token<'a> {
    Literal(&'a str),
    /// Any characters.
    Any,
    /// A number without leading zeros, within these bounds.
    Number(u64, u64),
}

/// A pattern of names.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Pattern<'a>(Vec<Token<'a>>);

/// Returns whether `name` is a pattern rather than a name.
pub fn is_pattern(name: &str) -> bool {
    Pattern::parse(name).placeholders() > 0
}

/// Returns the pairs of `names` that the flow `from -> to` represents; a flow without patterns represents itself.
pub fn expand(from: &str, to: &str, names: &[String]) -> Vec<(String, String)> {
    let [from, to] = [from, to].map(Pattern::parse);
    let pairs: Vec<(String, String)> = match (from.placeholders(), to.placeholders()) {
        (0, 0) => return vec![(from.text(), to.text())],
        (senders, receivers) if senders == receivers && from != to => same_placeholders(&from, &to, names),
        _ => {
            let receivers = to.matches(names);
            let pairs_of = |from: String| receivers.iter().map(move |to| (from.clone(), to.clone()));
            from.matches(names).into_iter().flat_map(pairs_of).collect()
        }
    };
    pairs.into_iter().filter(|(from, to)| from != to).collect()
}

/// Returns the pairs in which the placeholders of both patterns represent the same characters.
fn same_placeholders(from: &Pattern<'_>, to: &Pattern<'_>, names: &[String]) -> Vec<(String, String)> {
    let known: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let receiver = |from_name: &String| {
        let to_name = to.fill(&from.captures(from_name)?)?;
        known.contains(to_name.as_str()).then(|| (from_name.clone(), to_name))
    };
    names.iter().filter_map(receiver).collect()
}

impl<'a> Pattern<'a> {
    fn parse(text: &'a str) -> Pattern<'a> {
        let (mut tokens, mut rest) = (Vec::new(), text);
        while !rest.is_empty() {
            let (token, length) = match (rest.starts_with('*'), Pattern::number(rest)) {
                (true, _) => (Token::Any, 1),
                (false, Some(number)) => number,
                (false, None) => {
                    let next = rest.char_indices().skip(1).find(|(at, _)| Pattern::begins_placeholder(&rest[*at..]));
                    let length = next.map_or(rest.len(), |(at, _)| at);
                    (Token::Literal(&rest[..length]), length)
                }
            };
            tokens.push(token);
            rest = &rest[length..];
        }
        Pattern(tokens)
    }

    fn begins_placeholder(text: &str) -> bool {
        text.starts_with('*') || Pattern::number(text).is_some()
    }

    /// Returns the range of numbers at the beginning of `text`, and its length.
    fn number(text: &str) -> Option<(Token<'a>, usize)> {
        let (range, _) = text.strip_prefix('[')?.split_once(']')?;
        let (least, most) = range.split_once("..")?;
        let (least, most) = (least.trim().parse().ok()?, most.trim().parse().ok()?);
        Some((Token::Number(least, most), range.len() + 2))
    }

    fn placeholders(&self) -> usize {
        self.0.iter().filter(|token| !matches!(token, Token::Literal(_))).count()
    }

    /// Returns the text of a pattern without placeholders.
    fn text(&self) -> String {
        self.0.iter().filter_map(|token| if let Token::Literal(text) = token { Some(*text) } else { None }).collect()
    }

    /// Returns the names that match. A pattern without placeholders is its own match: whether there is such a name is
    /// checked with all other names.
    fn matches(&self, names: &[String]) -> Vec<String> {
        match self.placeholders() {
            0 => vec![self.text()],
            _ => names.iter().filter(|name| self.captures(name).is_some()).cloned().collect(),
        }
    }

    /// Returns whether the pattern is for endpoints by their index, and not for nodes.
    fn has_index(&self) -> bool {
        self.0.iter().any(|token| matches!(token, Token::Literal(text) if text.contains(':')))
    }

    /// Returns the text at the placeholders of `name`, or `None` if it does not match.
    fn captures<'n>(&self, name: &'n str) -> Option<Vec<&'n str>> {
        let mut search = CaptureSearch { name, failed: BTreeSet::new() };
        let mut found = (self.has_index() == name.contains(':')).then(|| search.captures(&self.0, 0))??;
        found.reverse();
        Some(found)
    }

    /// Returns the pattern with `captures` in place of its placeholders, or `None` if a number is out of its range.
    fn fill(&self, captures: &[&str]) -> Option<String> {
        let (mut text, mut captures) = (String::new(), captures.iter());
        for token in &self.0 {
            match token {
                Token::Literal(literal) => text.push_str(literal),
                Token::Any => text.push_str(captures.next()?),
                Token::Number(least, most) => {
                    let capture = captures.next()?;
                    text.push_str(in_range(capture, *least, *most).then_some(capture)?);
                }
            }
        }
        Some(text)
    }
}

fn in_range(text: &str, least: u64, most: u64) -> bool {
    let is_plain = text == "0" || !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain && text.parse().is_ok_and(|number| (least..=most).contains(&number))
}

/// A search for the text at the placeholders of a pattern, which remembers where it failed: a pattern with many
/// placeholders takes no more steps than it has tokens, times the square of the name's length.
struct CaptureSearch<'n> {
    name: &'n str,
    /// Numbers of tokens that were left, and the offset in the name at which they do not match.
    failed: BTreeSet<(usize, usize)>,
}

impl<'n> CaptureSearch<'n> {
    /// Returns the text at the placeholders of `tokens`, the last first, if they match the name from `start` on.
    fn captures(&mut self, tokens: &[Token<'_>], start: usize) -> Option<Vec<&'n str>> {
        if self.failed.contains(&(tokens.len(), start)) {
            return None;
        }
        let found = self.first_and_rest(tokens, start);
        if found.is_none() {
            self.failed.insert((tokens.len(), start));
        }
        found
    }

    fn first_and_rest(&mut self, tokens: &[Token<'_>], start: usize) -> Option<Vec<&'n str>> {
        let name = &self.name[start..];
        let Some((first, rest)) = tokens.split_first() else { return name.is_empty().then(Vec::new) };
        if let Token::Literal(text) = first {
            return name.starts_with(text).then(|| self.captures(rest, start + text.len()))?;
        }
        let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
        ends.rev().find_map(|end| {
            let capture = &name[..end];
            let fits = match first {
                Token::Number(least, most) => in_range(capture, *least, *most),
                Token::Any | Token::Literal(_) => true,
            };
            let mut found = fits.then(|| self.captures(rest, start + end))??;
            found.push(capture);
            Some(found)
        })
    }
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
    fn an_incast_is_one_line() {
        let names = ["n0", "n1", "n2", "n10"];
        assert_eq!(pairs("n[1..31]", "n0", &names), ["n1>n0", "n2>n0", "n10>n0"]);
        assert_eq!(pairs("*", "n1", &names), ["n0>n1", "n2>n1", "n10>n1"], "a node does not send to itself");
        assert_eq!(pairs("n0", "n[1..2]", &names), ["n0>n1", "n0>n2"]);
        assert_eq!(pairs("n[3..9]", "n0", &names), [""; 0]);
    }

    #[test]
    fn placeholders_on_both_sides_match_the_same() {
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
    fn many_placeholders_are_no_burden() {
        let name = "a".repeat(200);
        assert_eq!(pairs(&"*a".repeat(40), "b", &[&name, "b"]), [format!("{name}>b")]);
        assert_eq!(pairs(&format!("{}x", "*a".repeat(40)), "b", &[&name, "b"]), [""; 0]);
    }

    #[test]
    fn names_are_no_patterns() {
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
