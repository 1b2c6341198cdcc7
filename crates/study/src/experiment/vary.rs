//! Parser of `KEY=V1,V2,…`: a key and its values in a sweep.
//!
//! Commas within quotes, brackets and braces belong to a value. A value that begins with a digit and contains `..` is a
//! range (`range.rs`). Keys that vary together, `A=1,2;B=3,4`, are one dimension; so are the columns of a table of
//! points (`points_table.rs`). Values are interpreted later, when the description is read.

pub mod points_table;
pub mod range;

use narrows_core::text::Problem;
use narrows_core::text::set;
use range::{Range, is_range};
use serde::{Deserialize, Serialize};

/// A key and its values, each in the form of `--set KEY=VALUE`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Vary {
    /// The key, as it was written.
    pub key: String,
    /// The values, in order. An empty value, which only a table of points can contain, leaves the description
    /// unchanged.
    pub values: Vec<String>,
}

/// One dimension of a sweep: keys that vary together. All have their first value at the first position, their second
/// value at the second, and so on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Dimension {
    /// The keys, all with the same number of values.
    pub varies: Vec<Vary>,
}

impl From<Vary> for Dimension {
    fn from(vary: Vary) -> Dimension {
        Dimension { varies: vec![vary] }
    }
}

impl Dimension {
    /// Parses `A=1,2` or `A=1,2;B=3,4`.
    pub fn parse(option: &str) -> Result<Dimension, Problem> {
        // A text with unbalanced quotes or brackets is parsed, and reported, as one option.
        let options = split_outside_quotes(option, ';').unwrap_or_else(|_| vec![option]);
        let varies = options.into_iter().map(Vary::parse).collect::<Result<Vec<_>, _>>()?;
        let dimension = Dimension { varies };
        match dimension.varies.iter().find(|vary| vary.values.len() != dimension.len()) {
            None => Ok(dimension),
            Some(other) => {
                let first = &dimension.varies[0];
                let counts = format!(
                    "{} has {} values, {} has {}",
                    first.key,
                    first.values.len(),
                    other.key,
                    other.values.len()
                );
                Err(Problem::new(format!("`{option}` does not vary together: {counts}"))
                    .help("give keys that are joined by `;` the same number of values")
                    .help("to run every combination, give each key a separate --vary"))
            }
        }
    }

    /// Returns the number of values of each key.
    pub fn len(&self) -> usize {
        self.varies.first().map_or(0, |vary| vary.values.len())
    }

    /// Returns whether the dimension has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Returns the names that the key of `KEY=VALUE` consists of, for comparison with other keys.
pub fn key_names(option: &str) -> Result<Vec<String>, Problem> {
    let setting = set::parse(option, 0, 0)?;
    Ok(setting.path.into_iter().map(|(name, _)| name).collect())
}

impl Vary {
    /// Parses `KEY=V1,V2,…`.
    pub fn parse(option: &str) -> Result<Vary, Problem> {
        let problem = |why: String| {
            Problem::new(format!("cannot vary by `{option}`: {why}"))
                .help("write KEY=V1,V2,…, such as workload.stream.payload=64 B,1 KiB,8 KiB")
                .help("or write a range with a step, FROM..TO+STEP, such as 0.05..0.5+0.05, or with a factor, FROM..TO*FACTOR, such as 64 B..8 KiB*2")
                .help("or write a range with a number of values: 0..1.0+lin5 gives 5 values by equal steps, and 1 us..1 ms*log9 gives 9 values by equal factors")
        };
        key_names(option).map_err(|invalid| problem(invalid.label.to_string()))?;
        let equals_offset = equals_offset(option).ok_or_else(|| problem("`=` and values are missing".to_owned()))?;
        let mut values = Vec::new();
        for value in split_outside_quotes(&option[equals_offset + 1..], ',').map_err(|why| problem(why.to_owned()))? {
            match value {
                "" => return Err(problem("a value is empty".to_owned())),
                range if is_range(range) => {
                    let expanded = Range::parse(range).and_then(|range| range.values());
                    values.extend(expanded.map_err(|why| problem(format!("in `{range}`, {why}")))?);
                }
                value => values.push(value.to_owned()),
            }
        }
        if let Some(duplicate) = first_duplicate(&values) {
            return Err(problem(format!("the value `{duplicate}` is given twice")));
        }
        Ok(Vary { key: option[..equals_offset].trim().to_owned(), values })
    }
}

/// Returns the position of the `=` after the key. The key may itself contain one, in quotes.
fn equals_offset(option: &str) -> Option<usize> {
    let mut quote = None;
    for (offset, c) in option.char_indices() {
        match (quote, c) {
            (None, '=') => return Some(offset),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

/// Splits a text at each `separator` outside quotes and brackets.
fn split_outside_quotes(text: &str, separator: char) -> Result<Vec<&str>, &'static str> {
    let (mut values, mut from, mut depth) = (Vec::new(), 0, 0usize);
    let (mut quote, mut escaped) = (None, false);
    for (offset, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.checked_sub(1).ok_or("a closing bracket has no opening one")?,
            (None, c) if c == separator && depth == 0 => {
                values.push(text[from..offset].trim());
                from = offset + 1;
            }
            _ => {}
        }
    }
    values.push(text[from..].trim());
    match (quote, depth) {
        (Some(_), _) => Err("a quote is not closed"),
        (None, 0) => Ok(values),
        (None, _) => Err("a bracket is not closed"),
    }
}

fn first_duplicate(values: &[String]) -> Option<&String> {
    let mut earlier_values = std::collections::HashSet::new();
    values.iter().find(|value| !earlier_values.insert(value.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vary_values(option: &str) -> Vec<String> {
        Vary::parse(option).expect("the option is valid").values
    }

    fn why(option: &str) -> String {
        Vary::parse(option).expect_err("the option is invalid").message
    }

    #[test]
    fn commas_within_quotes_and_brackets_belong_to_a_value() {
        assert_eq!(vary_values("a.b=1,2, 3"), ["1", "2", "3"]);
        assert_eq!(vary_values("a=64 B,'1,5 KiB',\"x\\\",y\""), ["64 B", "'1,5 KiB'", "\"x\\\",y\""]);
        assert_eq!(vary_values("a=[1,2],[\"a,]\"],{x=1,y=2}"), ["[1,2]", "[\"a,]\"]", "{x=1,y=2}"]);
        assert_eq!(Vary::parse("a.\"b=c\"=1").expect("the option is valid").key, "a.\"b=c\"");
    }

    #[test]
    fn ranges_expand_by_factor_or_step_up_to_their_end() {
        assert_eq!(vary_values("a=128..1024*2"), ["128", "256", "512", "1024"]);
        assert_eq!(vary_values("a=0..25+10,100"), ["0", "10", "20", "100"]);
        assert_eq!(vary_values("a=512 B..2 KiB*2"), ["512 B", "1 KiB", "2 KiB"]);
        assert_eq!(vary_values("a=1us..2 us+500 ns"), ["1 us", "1.5 us", "2 us"]);
        assert_eq!(vary_values("a=33 MHz..66 MHz*2"), ["33 MHz", "66 MHz"]);
        assert_eq!(vary_values("a=../x,'1..2'"), ["../x", "'1..2'"]);
    }

    #[test]
    fn malformed_options_are_reported() {
        assert!(why("a").contains("`=` and a value are missing"));
        assert!(why("a=").contains("a value is empty"));
        assert!(why("a=1,,2").contains("a value is empty"));
        assert!(why("=1").contains("a key is missing here"));
        assert!(why("a=1,2,1").contains("the value `1` is given twice"));
        assert!(why("a=[1,2").contains("a bracket is not closed"));
        assert!(why("a='1").contains("a quote is not closed"));
        assert!(why("a=1..9").contains("a step is missing"));
        assert!(why("a=1..9*1").contains("at least 2"));
        assert!(why("a=9..1+1").contains("less than the beginning"));
        assert!(why("a=0..9000000000000000000+1").contains("more than"));
        assert!(why("a=1.5..x+1").contains("`x` is not a number"));
        assert!(why("a=1 us..8 KiB*2").contains("`8 KiB` has another unit than `1 us`"));
        assert!(why("a=1 ox..2 ox*2").contains("neither a number nor"));
    }

    #[test]
    fn keys_joined_by_semicolons_vary_together() {
        let keys = |option: &str| Dimension::parse(option).expect(option).varies;
        let pairs = keys("a=1,2;b='x;y',z");
        assert_eq!(pairs.iter().map(|vary| vary.key.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(pairs[1].values, ["'x;y'", "z"]);
        assert_eq!(keys("a=1..4*2;b=64 B..256 B*2")[1].values.len(), 3);
        let why = Dimension::parse("a=1,2;b=3").expect_err("the keys have different numbers of values").message;
        assert!(why.contains("a has 2 values, b has 1"), "{why}");
        assert!(Dimension::parse("a=1,2;").is_err());
    }

    proptest! {
        #[test]
        fn no_option_panics(option in "\\PC*|[a-c.]{1,4}=[0-9a-zA-Z .,*+\"'\\[\\]{}]{0,40}") {
            let _ = Dimension::parse(&option).is_ok();
        }
    }
}
