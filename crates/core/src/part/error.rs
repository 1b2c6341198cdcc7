//! Errors in the parameters of a part.

/// A rule that a value breaks, at a key below the part's own table.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ParameterError {
    /// Key of the value, relative to the part's table; empty for the table itself.
    pub key: String,
    /// Keys of other values that the rule concerns. The error is reported at the value that was overridden last.
    pub related: Vec<String>,
    /// The message. `{table}` is replaced by the path of the part's table.
    pub message: String,
    /// The help line, which states the valid values; empty if the message states them. `{table}` is replaced as in the
    /// message.
    pub help: String,
}

impl ParameterError {
    /// Returns an error at `key` without a hint.
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> ParameterError {
        ParameterError { key: key.into(), related: Vec::new(), message: message.into(), help: String::new() }
    }

    /// Adds the keys of other values that the rule concerns.
    #[must_use]
    pub fn related<K: Into<String>>(mut self, keys: impl IntoIterator<Item = K>) -> ParameterError {
        self.related.extend(keys.into_iter().map(Into::into));
        self
    }

    /// Iterates over the keys at which the error may be reported.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        [&self.key].into_iter().chain(&self.related).map(String::as_str)
    }

    /// Adds the help line, which states the valid values.
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
