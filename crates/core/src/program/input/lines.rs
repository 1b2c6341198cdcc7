//! The lines of a file, their words, and errors in them.

use std::fmt;

/// An error in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputError {
    /// Line of the file, counted from 1.
    pub line: u64,
    /// Description of the expected and of the actual text.
    pub message: String,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for InputError {}

/// A reader of the lines of a file.
pub(super) struct Lines<'a> {
    remaining: &'a [u8],
    file_bytes: usize,
    number: u64,
}

impl<'a> Lines<'a> {
    pub fn new(bytes: &'a [u8]) -> Lines<'a> {
        Lines { remaining: bytes, file_bytes: bytes.len(), number: 0 }
    }

    /// Returns the number of the line that was read last.
    pub fn line_number(&self) -> u64 {
        self.number.max(1)
    }

    /// Returns an error of the line that was read last.
    pub fn error(&self, message: impl Into<String>) -> InputError {
        InputError { line: self.line_number(), message: message.into() }
    }

    /// Reads the next line; returns `None` at the end.
    pub fn next_line(&mut self) -> Result<Option<&'a str>, InputError> {
        if self.remaining.is_empty() {
            return Ok(None);
        }
        let end = self.remaining.iter().position(|byte| *byte == b'\n');
        let (line, remaining) = match end {
            Some(end) => (&self.remaining[..end], &self.remaining[end + 1..]),
            None => (self.remaining, &self.remaining[self.remaining.len()..]),
        };
        self.remaining = remaining;
        self.number += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        std::str::from_utf8(line).map(Some).map_err(|_| self.error("expected text, found bytes that are not UTF-8"))
    }

    /// Reads the next line that is not a comment; returns `None` at the end.
    pub fn next_uncommented(&mut self, comment: char) -> Result<Option<&'a str>, InputError> {
        loop {
            match self.next_line()? {
                Some(line) if line.trim_start().starts_with(comment) => {}
                line => return Ok(line),
            }
        }
    }

    /// Reads the next line that is neither blank nor a comment; returns `None` at the end.
    pub fn next_nonblank(&mut self, comment: char) -> Result<Option<&'a str>, InputError> {
        loop {
            match self.next_uncommented(comment)? {
                Some(line) if line.trim().is_empty() => {}
                line => return Ok(line),
            }
        }
    }

    /// Returns the error that the file ended early.
    pub fn end_error(&self, expected: &str) -> InputError {
        self.error(format!("expected {expected}, found the end of the file"))
    }

    /// Checks that only blank lines and comments are left.
    pub fn expect_end(&mut self, comment: char, after: &str) -> Result<(), InputError> {
        match self.next_nonblank(comment)? {
            None => Ok(()),
            Some(line) => {
                Err(self.error(format!("expected the end of the file after {after}, found {}", excerpt(line))))
            }
        }
    }

    /// Parses a count of items, each of which takes at least `bytes_min` bytes of the file.
    pub fn parse_count(&self, word: Option<&str>, expected: &str, bytes_min: u64) -> Result<usize, InputError> {
        let max = (self.file_bytes as u64 / bytes_min.max(1)).min(u64::from(u32::MAX - 1));
        let count: u64 = self.parse_word(word, expected)?;
        if count > max {
            let bytes = self.file_bytes;
            return Err(self
                .error(format!("expected {expected}, found {count}: a file of {bytes} bytes cannot hold that many")));
        }
        Ok(count as usize)
    }

    /// Parses a word of the line.
    pub fn parse_word<T: std::str::FromStr>(&self, word: Option<&str>, expected: &str) -> Result<T, InputError> {
        let Some(word) = word else {
            return Err(self.error(format!("expected {expected}, found the end of the line")));
        };
        word.parse().map_err(|_| self.error(format!("expected {expected}, found {}", excerpt(word))))
    }

    /// Parses an index of one of `count` items, counted from `base`, which is 0 or 1. Returns the index counted from 0.
    pub fn parse_index(&self, word: Option<&str>, expected: &str, base: u64, count: usize) -> Result<u32, InputError> {
        let last = count as u64 + base - 1;
        let index: u64 = self.parse_word(word, expected)?;
        if !(base..=last).contains(&index) {
            return Err(self.error(format!("expected {expected} from {base} to {last}, found {index}")));
        }
        Ok((index - base) as u32)
    }

    /// Parses a finite value of the line.
    pub fn parse_value(&self, word: Option<&str>) -> Result<f64, InputError> {
        let value: f64 = self.parse_word(word, "a value")?;
        if !value.is_finite() {
            return Err(self.error(format!("expected a finite value, found {value}")));
        }
        Ok(value)
    }

    /// Checks that the line has no more words.
    pub fn expect_line_end<'w>(&self, mut words: impl Iterator<Item = &'w str>, after: &str) -> Result<(), InputError> {
        match words.next() {
            None => Ok(()),
            Some(word) => {
                Err(self.error(format!("expected the end of the line after {after}, found {}", excerpt(word))))
            }
        }
    }
}

/// Returns the beginning of some text for a message, without control characters.
pub(super) fn excerpt(source: &str) -> String {
    let source = source.trim();
    let mut text: String = source.chars().take(EXCERPT_MAX).flat_map(char::escape_debug).collect();
    if source.chars().nth(EXCERPT_MAX).is_some() {
        text.push('…');
    }
    format!("`{text}`")
}

/// A character with which no line begins, for formats without comments.
pub(super) const NO_COMMENTS: char = '\n';

/// Largest number of characters of an excerpt.
const EXCERPT_MAX: usize = 40;
