//! The trait that the author of a part implements, and its object-safe form.

use super::{ParameterError, ResultName};
use crate::text::{ParameterSink, Parameters};
use std::any::Any;
use std::fmt::Debug;

/// Name and documentation of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PartInfo {
    /// Key of the part's table within its family, such as `queues` of `[ni.queues]`.
    pub key: &'static str,
    /// Description in one line, for lists, the schema and completions.
    pub summary: &'static str,
    /// Keys, as TOML below the part's table, without which the part's shortest description is incomplete. Tables that
    /// the part needs in addition to its own may follow.
    pub example: &'static str,
    /// Names that the part had in earlier releases.
    pub former_names: &'static [&'static str],
    /// Keys of an input that runs in milliseconds, for tests that run thousands of inputs; empty if `example` is such
    /// an input.
    pub small_input: &'static str,
    /// Metrics, stages and resources that the part adds to results, with their meanings.
    pub results: &'static [ResultName],
}

impl PartInfo {
    /// Returns the information of a part that can be described without any key.
    pub const fn new(key: &'static str, summary: &'static str) -> PartInfo {
        PartInfo { key, summary, example: "", former_names: &[], small_input: "", results: &[] }
    }

    /// States the names that the part had in earlier releases.
    #[must_use]
    pub const fn formerly(mut self, names: &'static [&'static str]) -> PartInfo {
        self.former_names = names;
        self
    }

    /// States the keys of an input that runs in milliseconds.
    #[must_use]
    pub const fn small_input(mut self, keys: &'static str) -> PartInfo {
        self.small_input = keys;
        self
    }

    /// States the metrics, stages and resources that the part adds to results.
    #[must_use]
    pub const fn results(mut self, names: &'static [ResultName]) -> PartInfo {
        self.results = names;
        self
    }

    /// States the keys that the shortest description must hold.
    #[must_use]
    pub const fn example(mut self, example: &'static str) -> PartInfo {
        self.example = example;
        self
    }
}

/// A part of one kind, read from its table. The author of a part implements this trait in addition to the trait of the
/// part's family.
pub trait Part: Parameters + Debug + Send + Sync + 'static {
    /// Name and documentation of the part.
    const INFO: PartInfo;

    /// Returns the values that are invalid whatever the part is combined with.
    fn check(&self) -> Vec<ParameterError> {
        Vec::new()
    }

    /// Returns the reason why the number at `key` has no effect on a run, if the part knows.
    fn inert_reason(&self, _key: &str) -> Option<&'static str> {
        None
    }
}

/// A specification of a part of any family and kind. Every [`Part`] is one; implement this trait directly only for a
/// type that represents several parts.
pub trait PartSpec: Any + Debug + Send + Sync {
    /// Returns the name and documentation of the part.
    fn info(&self) -> PartInfo;

    /// Returns the values that are invalid whatever the part is combined with.
    fn check(&self) -> Vec<ParameterError>;

    /// Returns the reason why the number at `key` has no effect on a run, if the part knows.
    fn inert_reason(&self, key: &str) -> Option<&'static str>;

    /// Writes the part's table and its sibling tables in the form in which they are read.
    fn write(&self, sink: &mut dyn ParameterSink);

    /// Returns the specification for a downcast to its kind, which tests and tools of that kind use.
    fn as_any(&self) -> &dyn Any;
}

impl<P: Part> PartSpec for P {
    fn info(&self) -> PartInfo {
        P::INFO
    }

    fn check(&self) -> Vec<ParameterError> {
        Part::check(self)
    }

    fn inert_reason(&self, key: &str) -> Option<&'static str> {
        Part::inert_reason(self, key)
    }

    fn write(&self, sink: &mut dyn ParameterSink) {
        sink.table(P::INFO.key, &|sink| Parameters::write(self, sink));
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
