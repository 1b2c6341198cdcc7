//! `KEY=V1,V2,…`: a key and the values it takes in a sweep.
//!
//! Commas within quotes, brackets and braces belong to a value. A value that begins with a digit
//! and holds `..` is a range: `1..64*2` goes by a factor, `0..100+10` by steps, both up to the
//! end and with it where it is met; numbers may carry a unit, as in `64 B..8 KiB*2`. What a value
//! means is left to the description's reader.

use crate::engine::{Bytes, Hertz, Rate, Time};
use crate::text::Problem;
use crate::text::quantity::{self, Quantity};
use crate::text::set;

/// More values than this are no sweep anybody waits for.
pub const VALUES_MAX: usize = 100_000;

/// A key and the values it takes, each as it would stand behind `--set KEY=`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vary {
    /// The key, as it was written.
    pub key: String,
    /// The values, in order.
    pub values: Vec<String>,
}

/// A key with its name taken apart, to tell whether two are the same.
pub fn names(option: &str) -> Result<Vec<String>, Problem> {
    let setting = set::parse(option, 0, 0)?;
    Ok(setting.path.into_iter().map(|(name, _)| name).collect())
}

impl Vary {
    /// Takes an option apart.
    pub fn parse(option: &str) -> Result<Vary, Problem> {
        let wrong = |why: String| {
            Problem::new(format!("cannot vary by `{option}`: {why}"))
                .help("write KEY=V1,V2,… such as workload.stream.payload=64 B,1 KiB,8 KiB")
                .help("or a range, KEY=FROM..TO*FACTOR or KEY=FROM..TO+STEP, such as 64 B..8 KiB*2 or 0..100+10")
        };
        names(option).map_err(|problem| wrong(problem.label.to_string()))?;
        let equals = equals(option).ok_or_else(|| wrong("`=` and values are missing".to_owned()))?;
        let mut values = Vec::new();
        for value in split(&option[equals + 1..]).map_err(|why| wrong(why.to_owned()))? {
            match value {
                "" => return Err(wrong("a value is empty".to_owned())),
                range if is_range(range) => {
                    values.extend(expand(range).map_err(|why| wrong(format!("in `{range}`, {why}")))?);
                }
                value => values.push(value.to_owned()),
            }
        }
        if let Some(again) = again(&values) {
            return Err(wrong(format!("the value `{again}` stands twice")));
        }
        Ok(Vary { key: option[..equals].trim().to_owned(), values })
    }
}

/// Where the `=` stands that ends the key, which may itself hold one in quotes.
fn equals(option: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in option.char_indices() {
        match (quote, c) {
            (None, '=') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

/// The values between the commas that stand outside quotes and brackets.
fn split(text: &str) -> Result<Vec<&str>, &'static str> {
    let (mut values, mut from, mut depth) = (Vec::new(), 0, 0usize);
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.checked_sub(1).ok_or("a bracket closes that was not opened")?,
            (None, ',') if depth == 0 => {
                values.push(text[from..at].trim());
                from = at + 1;
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

fn again(values: &[String]) -> Option<&String> {
    let mut seen = std::collections::HashSet::new();
    values.iter().find(|value| !seen.insert(value.as_str()))
}

fn is_range(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit()) && value.contains("..")
}

/// How a range goes on.
enum Step<T> {
    By(T),
    Times(u64),
}

/// The values of a range.
fn expand(range: &str) -> Result<Vec<String>, String> {
    let (from, rest) = range.split_once("..").expect("a range holds `..`");
    let Some(at) = rest.rfind(['*', '+']) else {
        return Err("a step is missing: FROM..TO+STEP or FROM..TO*FACTOR".to_owned());
    };
    let (to, by) = (rest[..at].trim(), rest[at + 1..].trim());
    let (from, factor) = (from.trim(), rest.as_bytes()[at] == b'*');
    if from.bytes().all(|b| b.is_ascii_digit()) {
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a whole number"));
        let step = if factor { Step::Times(number(by)?) } else { Step::By(number(by)?) };
        return Ok(steps(number(from)?, number(to)?, step)?.iter().map(u64::to_string).collect());
    }
    let kinds = [of_kind::<Bytes>, of_kind::<Time>, of_kind::<Rate>, of_kind::<Hertz>];
    let found = kinds.iter().find_map(|expand| expand(from, to, by, factor));
    found.unwrap_or_else(|| Err(format!("`{from}` is neither a whole number nor a number with a unit")))
}

/// The values of a range of quantities, or nothing where it does not begin with one of this kind.
fn of_kind<Q: Quantity + Smallest>(
    from: &str,
    to: &str,
    by: &str,
    factor: bool,
) -> Option<Result<Vec<String>, String>> {
    let first = quantity::parse::<Q>(from).ok()?.smallest();
    let read = |text: &str| match quantity::parse::<Q>(text) {
        Ok(value) => Ok(value.smallest()),
        Err(fault) => Err(format!("`{text}` does not go with `{from}`: {}", fault.label)),
    };
    let values = || {
        let step = match factor {
            true => Step::Times(by.parse().map_err(|_| format!("the factor `{by}` is not a whole number"))?),
            false => Step::By(read(by)?),
        };
        Ok(steps(first, read(to)?, step)?.into_iter().map(|value| Q::from_smallest(value).to_string()).collect())
    };
    Some(values())
}

fn steps(from: u64, to: u64, step: Step<u64>) -> Result<Vec<u64>, String> {
    match step {
        Step::Times(0 | 1) => return Err("the factor must be at least 2".to_owned()),
        Step::Times(_) if from == 0 => return Err("a range by factors cannot begin with 0".to_owned()),
        Step::By(0) => return Err("the step must be more than 0".to_owned()),
        _ if from > to => return Err("the end is less than the beginning".to_owned()),
        _ => {}
    }
    let next = |value: &u64| match step {
        Step::Times(factor) => value.checked_mul(factor),
        Step::By(step) => value.checked_add(step),
    };
    let values: Vec<u64> =
        std::iter::successors(Some(from), next).take_while(|value| *value <= to).take(VALUES_MAX + 1).collect();
    if values.len() > VALUES_MAX { Err(format!("more than {VALUES_MAX} values")) } else { Ok(values) }
}

/// A quantity as a number of its smallest unit.
trait Smallest {
    fn smallest(self) -> u64;
}

impl Smallest for Bytes {
    fn smallest(self) -> u64 {
        self.get()
    }
}

impl Smallest for Time {
    fn smallest(self) -> u64 {
        self.ps()
    }
}

impl Smallest for Rate {
    fn smallest(self) -> u64 {
        self.bits_per_s()
    }
}

impl Smallest for Hertz {
    fn smallest(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(option: &str) -> Vec<String> {
        Vary::parse(option).expect("values").values
    }

    fn why(option: &str) -> String {
        Vary::parse(option).expect_err("a problem").message
    }

    #[test]
    fn commas_within_quotes_and_brackets_belong_to_a_value() {
        assert_eq!(values("a.b=1,2, 3"), ["1", "2", "3"]);
        assert_eq!(values("a=64 B,'1,5 KiB',\"x\\\",y\""), ["64 B", "'1,5 KiB'", "\"x\\\",y\""]);
        assert_eq!(values("a=[1,2],[\"a,]\"],{x=1,y=2}"), ["[1,2]", "[\"a,]\"]", "{x=1,y=2}"]);
        assert_eq!(Vary::parse("a.\"b=c\"=1").expect("values").key, "a.\"b=c\"");
    }

    #[test]
    fn ranges_go_by_factors_or_steps_up_to_their_end() {
        assert_eq!(values("a=128..1024*2"), ["128", "256", "512", "1024"]);
        assert_eq!(values("a=0..25+10,100"), ["0", "10", "20", "100"]);
        assert_eq!(values("a=512 B..2 KiB*2"), ["512 B", "1 KiB", "2 KiB"]);
        assert_eq!(values("a=1us..2 us+500 ns"), ["1 us", "1.5 us", "2 us"]);
        assert_eq!(values("a=33 MHz..66 MHz*2"), ["33 MHz", "66 MHz"]);
        assert_eq!(values("a=../x,'1..2'"), ["../x", "'1..2'"]);
    }

    #[test]
    fn what_varies_nothing_is_told() {
        assert!(why("a").contains("`=` and a value are missing"));
        assert!(why("a=").contains("a value is empty"));
        assert!(why("a=1,,2").contains("a value is empty"));
        assert!(why("=1").contains("a key is missing here"));
        assert!(why("a=1,2,1").contains("the value `1` stands twice"));
        assert!(why("a=[1,2").contains("a bracket is not closed"));
        assert!(why("a='1").contains("a quote is not closed"));
        assert!(why("a=1..9").contains("a step is missing"));
        assert!(why("a=1..9*1").contains("at least 2"));
        assert!(why("a=9..1+1").contains("less than the beginning"));
        assert!(why("a=0..9000000000000000000+1").contains("more than"));
        assert!(why("a=1 us..8 KiB*2").contains("`8 KiB` does not go with `1 us`"));
        assert!(why("a=1 ox..2 ox*2").contains("neither a whole number nor"));
    }

    proptest! {
        #[test]
        fn no_option_panics(option in "\\PC*|[a-c.]{1,4}=[0-9a-zA-Z .,*+\"'\\[\\]{}]{0,40}") {
            let _ = Vary::parse(&option).is_ok();
        }
    }
}
