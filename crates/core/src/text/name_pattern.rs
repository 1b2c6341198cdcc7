//! Patterns of names: `*` matches any characters, and `[3..17]` matches each number from 3 to 17 that is written
//! without leading zeros. Everything else matches itself.
//!
//! There are no escapes. A name that contains `*` is matched by a pattern with `*` at that position.

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
pub struct NamePattern<'a>(Vec<Token<'a>>);

impl<'a> NamePattern<'a> {
    /// Parses `text` as a pattern.
    pub fn parse(text: &'a str) -> NamePattern<'a> {
        let (mut tokens, mut rest) = (Vec::new(), text);
        while !rest.is_empty() {
            let (token, length) = match (rest.starts_with('*'), NamePattern::parse_range(rest)) {
                (true, _) => (Token::Any, 1),
                (false, Some(range)) => range,
                (false, None) => {
                    let next = rest
                        .char_indices()
                        .skip(1)
                        .find(|(offset, _)| NamePattern::begins_placeholder(&rest[*offset..]));
                    let length = next.map_or(rest.len(), |(offset, _)| offset);
                    (Token::Literal(&rest[..length]), length)
                }
            };
            tokens.push(token);
            rest = &rest[length..];
        }
        NamePattern(tokens)
    }

    fn begins_placeholder(text: &str) -> bool {
        text.starts_with('*') || NamePattern::parse_range(text).is_some()
    }

    /// Returns the range of numbers at the beginning of `text`, and its length.
    fn parse_range(text: &str) -> Option<(Token<'a>, usize)> {
        let (range, _) = text.strip_prefix('[')?.split_once(']')?;
        let (least, most) = range.split_once("..")?;
        let (least, most) = (least.trim().parse().ok()?, most.trim().parse().ok()?);
        Some((Token::Number(least, most), range.len() + 2))
    }

    /// Returns the number of placeholders.
    pub fn placeholder_count(&self) -> usize {
        self.0.iter().filter(|token| !matches!(token, Token::Literal(_))).count()
    }

    /// Returns the text of a pattern without placeholders.
    pub fn text(&self) -> String {
        self.0.iter().filter_map(|token| if let Token::Literal(text) = token { Some(*text) } else { None }).collect()
    }

    /// Returns whether `character` is in the text around the placeholders.
    pub fn literals_contain(&self, character: char) -> bool {
        self.0.iter().any(|token| matches!(token, Token::Literal(text) if text.contains(character)))
    }

    /// Returns whether `name` matches.
    pub fn is_match(&self, name: &str) -> bool {
        self.captures(name).is_some()
    }

    /// Returns the parts of `name` at the placeholders, or `None` if the name does not match.
    pub fn captures<'n>(&self, name: &'n str) -> Option<Vec<&'n str>> {
        let mut captures = CaptureSearch { name, failed_attempts: BTreeSet::new() }.captures(&self.0, 0)?;
        captures.reverse();
        Some(captures)
    }

    /// Returns the pattern with `captures` in place of its placeholders, or `None` if a number is out of its range.
    pub fn fill(&self, captures: &[&str]) -> Option<String> {
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

/// A search for the text at the placeholders of a pattern. It remembers its failed attempts, so the number of steps is
/// at most the number of tokens times the square of the name's length.
struct CaptureSearch<'n> {
    name: &'n str,
    /// Failed attempts: the number of tokens that were left, and the offset in the name at which they do not match.
    failed_attempts: BTreeSet<(usize, usize)>,
}

impl<'n> CaptureSearch<'n> {
    /// Returns the text at the placeholders of `tokens`, from the last to the first, if the tokens match the name from
    /// `start` on.
    fn captures(&mut self, tokens: &[Token<'_>], start: usize) -> Option<Vec<&'n str>> {
        if self.failed_attempts.contains(&(tokens.len(), start)) {
            return None;
        }
        let captures = self.match_first_token(tokens, start);
        if captures.is_none() {
            self.failed_attempts.insert((tokens.len(), start));
        }
        captures
    }

    /// Matches the first of `tokens` with each text that it can match, and the others with the remainder of the name.
    fn match_first_token(&mut self, tokens: &[Token<'_>], start: usize) -> Option<Vec<&'n str>> {
        let name = &self.name[start..];
        let Some((first, rest)) = tokens.split_first() else { return name.is_empty().then(Vec::new) };
        if let Token::Literal(text) = first {
            return name.starts_with(text).then(|| self.captures(rest, start + text.len()))?;
        }
        let capture_ends = name.char_indices().map(|(offset, _)| offset).chain([name.len()]);
        capture_ends.rev().find_map(|end| {
            let capture = &name[..end];
            let is_match = match first {
                Token::Number(least, most) => in_range(capture, *least, *most),
                Token::Any | Token::Literal(_) => true,
            };
            let mut captures = is_match.then(|| self.captures(rest, start + end))??;
            captures.push(capture);
            Some(captures)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_whole_names() {
        let is_match = |pattern: &str, name: &str| NamePattern::parse(pattern).is_match(name);
        assert!(is_match("s*", "spine0") && is_match("s*", "s") && !is_match("s*", "leaf.s"));
        assert!(
            is_match("leaf[0..3]", "leaf3") && !is_match("leaf[0..3]", "leaf4") && !is_match("leaf[0..3]", "leaf03")
        );
        assert!(is_match("leaf", "leaf") && !is_match("leaf", "leaf0"));
    }

    #[test]
    fn many_placeholders_take_little_time() {
        let name = "a".repeat(200);
        assert!(NamePattern::parse(&"*a".repeat(40)).is_match(&name));
        assert!(!NamePattern::parse(&format!("{}x", "*a".repeat(40))).is_match(&name));
    }
}
