//! Errors in the parameters of a part.

/// A rule that a value breaks, at a key below the part's own table.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ParameterError {
    /// Key of the value, relative to the part's table; empty for the table itself.
    pub key: String,
    /// Keys of other values that the rule is about: the error is reported at the one that was overridden last.
    pub related: Vec<String>,
    /// The message.
    pub message: String,
    /// The help line: what would be valid; empty if the message says it. `{table}` is replaced by the path of the
    /// part's table.
    pub help: String,
}

impl ParameterError {
    /// Returns an error at `key` without a hint.
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> ParameterError {
        ParameterError { key: key.into(), related: Vec::new(), message: message.into(), help: String::new() }
    }

    /// Adds the keys of other values that the rule is about.
    #[must_use]
    pub fn related<K: Into<String>>(mut self, keys: impl IntoIterator<Item = K>) -> ParameterError {
        self.related.extend(keys.into_iter().map(Into::into));
        self
    }

    /// Iterates over the keys that the error may be reported at.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        [&self.key].into_iter().chain(&self.related).map(String::as_str)
    }

    /// Adds what would be right.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> ParameterError {
        self.help = help.into();
        self
    }
}

impl<K: Into<String>> From<(K, String)> for ParameterError {
    fn from((key, message): (K, String)) -> ParameterError {
        ParameterError::new(key, message)
    }
}
