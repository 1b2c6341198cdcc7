//! The lines of a file, their words, and what is wrong with them.

use std::fmt;

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputError {
    /// The line, counted from 1.
    pub line: u64,
    /// What was expected, and what was found.
    pub message: String,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for InputError {}

/// The lines of a file, one after the other.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    bytes: usize,
    number: u64,
}

impl<'a> Lines<'a> {
    pub fn new(bytes: &'a [u8]) -> Lines<'a> {
        Lines { rest: bytes, bytes: bytes.len(), number: 0 }
    }

    /// The number of the line that was read last.
    pub fn number(&self) -> u64 {
        self.number.max(1)
    }

    /// What is wrong with the line that was read last.
    pub fn wrong(&self, message: impl Into<String>) -> InputError {
        InputError { line: self.number(), message: message.into() }
    }

    /// The next line; none at the end.
    pub fn take(&mut self) -> Result<Option<&'a str>, InputError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &self.rest[self.rest.len()..]),
        };
        self.rest = rest;
        self.number += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        std::str::from_utf8(line).map(Some).map_err(|_| self.wrong("expected text, found bytes that are none"))
    }

    /// The next line that is no comment; none at the end.
    pub fn take_but(&mut self, comment: char) -> Result<Option<&'a str>, InputError> {
        loop {
            match self.take()? {
                Some(line) if line.trim_start().starts_with(comment) => {}
                line => return Ok(line),
            }
        }
    }

    /// The next line that is neither blank nor a comment; none at the end.
    pub fn take_filled(&mut self, comment: char) -> Result<Option<&'a str>, InputError> {
        loop {
            match self.take_but(comment)? {
                Some(line) if line.trim().is_empty() => {}
                line => return Ok(line),
            }
        }
    }

    /// That the file ended early.
    pub fn ended(&self, expected: &str) -> InputError {
        self.wrong(format!("expected {expected}, found the end of the file"))
    }

    /// That nothing but blank lines and comments is left.
    pub fn end(&mut self, comment: char, after: &str) -> Result<(), InputError> {
        match self.take_filled(comment)? {
            None => Ok(()),
            Some(line) => Err(self.wrong(format!("expected the end of the file after {after}, found {}", shown(line)))),
        }
    }

    /// A count of the line's, of things of which each takes at least so many bytes of the file.
    pub fn count(&self, word: Option<&str>, what: &str, least_bytes: u64) -> Result<usize, InputError> {
        let most = (self.bytes as u64 / least_bytes.max(1)).min(u64::from(u32::MAX - 1));
        let count: u64 = self.word(word, what)?;
        if count > most {
            let bytes = self.bytes;
            return Err(self.wrong(format!("expected {what}, found {count}: a file of {bytes} bytes has not so many")));
        }
        Ok(count as usize)
    }

    /// A word of the line, read.
    pub fn word<T: std::str::FromStr>(&self, word: Option<&str>, what: &str) -> Result<T, InputError> {
        let Some(word) = word else { return Err(self.wrong(format!("expected {what}, found the end of the line"))) };
        word.parse().map_err(|_| self.wrong(format!("expected {what}, found {}", shown(word))))
    }

    /// An index of the line's, counted `from` 0 or 1, of `count` things; what it gives is counted from 0.
    pub fn index(&self, word: Option<&str>, what: &str, from: u64, count: usize) -> Result<u32, InputError> {
        let last = count as u64 + from - 1;
        let index: u64 = self.word(word, what)?;
        if !(from..=last).contains(&index) {
            return Err(self.wrong(format!("expected {what} from {from} to {last}, found {index}")));
        }
        Ok((index - from) as u32)
    }

    /// A value of the line's.
    pub fn value(&self, word: Option<&str>) -> Result<f64, InputError> {
        let value: f64 = self.word(word, "a value")?;
        if !value.is_finite() {
            return Err(self.wrong(format!("expected a finite value, found {value}")));
        }
        Ok(value)
    }

    /// That the line has no more words.
    pub fn nothing<'w>(&self, mut words: impl Iterator<Item = &'w str>, after: &str) -> Result<(), InputError> {
        match words.next() {
            None => Ok(()),
            Some(word) => Err(self.wrong(format!("expected the end of the line after {after}, found {}", shown(word)))),
        }
    }
}

/// What was found, as it is told: its beginning, without control characters.
pub(super) fn shown(found: &str) -> String {
    let found = found.trim();
    let mut text: String = found.chars().take(SHOWN_MAX).flat_map(char::escape_debug).collect();
    if found.chars().nth(SHOWN_MAX).is_some() {
        text.push('…');
    }
    format!("`{text}`")
}

/// What no line begins with.
pub(super) const NO_COMMENTS: char = '\n';

/// Nobody reads more of what was found.
const SHOWN_MAX: usize = 40;
