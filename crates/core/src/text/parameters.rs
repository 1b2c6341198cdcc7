//! The parameters of a part, which are read from a table and written back, and which may be left out altogether if all
//! are optional.
//!
//! `#[derive(Parameters)]` implements these traits, so that each parameter is written once; `docs/parameters.md` lists
//! its attributes. The types of single values are defined by [`ParameterType`](super::ParameterType).
//!
//! ```standalone_crate
//! # extern crate narrows_core as narrows;
//! use narrows::engine::{Bytes, Time};
//! use narrows::text::{ParameterChoice, Parameters, to_toml};
//!
//! /// An interface with a doorbell.
//! #[derive(PartialEq, Debug, Parameters)]
//! struct Doorbell {
//!     /// Longest packet, headers included.
//!     ///
//!     /// 256 bytes (chosen).
//!     #[param(min = "64 B", max = "4 KiB", default = "256 B")]
//!     packet: Bytes,
//!     /// Time from the doorbell to the wire.
//!     #[param(default = "100 ns")]
//!     pipeline: Time,
//!     /// Order of the rings.
//!     #[param(default = "in-order")]
//!     order: Order,
//! }
//!
//! #[derive(Clone, PartialEq, Debug, ParameterChoice)]
//! enum Order {
//!     InOrder,
//!     Any,
//! }
//!
//! let defaults = Doorbell::defaults();
//! assert_eq!(defaults, Doorbell { packet: Bytes(256), pipeline: Time::from_ns(100), order: Order::InOrder });
//! assert_eq!(to_toml(&defaults), "packet = \"256 B\"\npipeline = \"100 ns\"\norder = \"in-order\"\n");
//! ```
//!
//! The macros report the following errors at their source locations: an attribute that does not exist,
//!
//! ```compile_fail
//! # extern crate narrows_core as narrows;
//! # use narrows::text::Parameters;
//! #[derive(Parameters)]
//! struct Ring {
//!     /// Entries of the ring.
//!     #[param(least = 1)] // `least` is not allowed here; allowed are `key`, `default`, …, `min`, `max`, …
//!     entries: u64,
//! }
//! ```
//!
//! a key without help,
//!
//! ```compile_fail
//! # extern crate narrows_core as narrows;
//! # use narrows::text::Parameters;
//! #[derive(Parameters)]
//! struct Ring {
//!     entries: u64, // `entries` needs a documentation comment: its first paragraph is the help text
//! }
//! ```
//!
//! a default that has no effect,
//!
//! ```compile_fail
//! # extern crate narrows_core as narrows;
//! # use narrows::text::Parameters;
//! #[derive(Parameters)]
//! struct Ring {
//!     /// Entries of the ring.
//!     #[param(default = 8)] // a parameter that is optional has no default
//!     entries: Option<u64>,
//! }
//! ```
//!
//! a default or bound without a unit of the field's type,
//!
//! ```compile_fail,E0080
//! # extern crate narrows_core as narrows;
//! # use narrows::engine::Time;
//! # use narrows::text::Parameters;
//! #[derive(Parameters)]
//! struct Ring {
//!     /// Time from the doorbell to the wire.
//!     #[param(default = "80 nsec")] // `pipeline`: default = "80 nsec" is not a decimal number with a unit of `Time`
//!     pipeline: Time,
//! }
//! ```
//!
//! a type that is not the value of any kind,
//!
//! ```compile_fail
//! # extern crate narrows_core as narrows;
//! # use narrows::text::Parameters;
//! #[derive(Parameters)]
//! struct Ring {
//!     /// Entries of the ring.
//!     entries: (), // the trait bound `(): ParameterType` is not satisfied
//! }
//! ```
//!
//! and defaults for a type with a required key, at any depth:
//!
//! ```compile_fail
//! # extern crate narrows_core as narrows;
//! # use narrows::text::Parameters;
//! #[derive(Parameters)]
//! struct Ring {
//!     /// Entries of the ring.
//!     entries: u64,
//! }
//! #[derive(Parameters)]
//! struct Interface {
//!     /// The ring.
//!     #[param(table)]
//!     ring: Ring,
//! }
//! let defaults = Interface::defaults(); // `Interface` has no defaults as a whole: one of its keys is required
//! ```

use super::read;
use super::table::Table;
use super::value::ParameterValue;

/// The parameters of a part, or of a table of it.
pub trait Parameters: Sized {
    /// Reads the parameters from their table. In describing mode, the same function yields the schema.
    fn read(t: &mut Table<'_>) -> Self;

    /// Writes each parameter under its key, so that [`read`](Parameters::read) yields the same parameters again.
    fn write(&self, sink: &mut dyn ParameterSink);

    /// Returns the parameters of an empty description, which are the defaults that `read` states.
    fn defaults() -> Self
    where
        Self: AllOptional,
    {
        read::read_defaults(Self::read)
    }
}

/// Parameters of which none is required. The derive macro implements the trait for them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no defaults as a whole: one of its keys is required",
    note = "state a default with `#[param(default = ..)]`, or write the value out"
)]
pub trait AllOptional: Parameters {}

/// Parameters that are one of several tables, with the names of the tables and a function that reads each.
pub trait ParameterVariants: Parameters {
    /// The names of the tables, with their help texts.
    const VARIANTS: &'static [(&'static str, &'static str)];

    /// Reads the table called `name`.
    ///
    /// # Panics
    ///
    /// Panics if `name` is not one of [`VARIANTS`](ParameterVariants::VARIANTS).
    fn read_variant(name: &str, t: &mut Table<'_>) -> Self;

    /// Returns the name of the table that the value belongs to.
    fn variant(&self) -> &'static str;
}

/// A sink that takes parameters one by one, in the order in which they are read.
pub trait ParameterSink {
    /// Takes the value of a key.
    fn value(&mut self, key: &'static str, value: ParameterValue);

    /// Takes a table below a key; the function `write` writes the table.
    fn table(&mut self, key: &'static str, write: &dyn Fn(&mut dyn ParameterSink));
}

impl<P: Parameters> Parameters for Box<P> {
    fn read(t: &mut Table<'_>) -> Box<P> {
        Box::new(P::read(t))
    }

    fn write(&self, sink: &mut dyn ParameterSink) {
        P::write(self, sink);
    }
}

impl<P: AllOptional> AllOptional for Box<P> {}

/// A sink that writes parameters as TOML, each on a line: `firmware.poll = 50`.
#[derive(Debug, Default)]
pub struct TomlSink {
    text: String,
    /// The keys of the enclosing tables, each followed by a point.
    path_prefix: String,
}

impl TomlSink {
    /// Returns the TOML that was written.
    pub fn into_text(self) -> String {
        self.text
    }
}

impl ParameterSink for TomlSink {
    fn value(&mut self, key: &'static str, value: ParameterValue) {
        self.text += &format!("{}{key} = {value}\n", self.path_prefix);
    }

    fn table(&mut self, key: &'static str, write: &dyn Fn(&mut dyn ParameterSink)) {
        let (prefix_length, text_length) = (self.path_prefix.len(), self.text.len());
        self.path_prefix += key;
        self.path_prefix.push('.');
        write(self);
        self.path_prefix.truncate(prefix_length);
        // A table without keys must be written too, because it may be the selected variant.
        if self.text.len() == text_length {
            self.text += &format!("{}{key} = {{}}\n", self.path_prefix);
        }
    }
}

/// Returns parameters as TOML.
pub fn to_toml(parameters: &impl Parameters) -> String {
    let mut sink = TomlSink::default();
    parameters.write(&mut sink);
    sink.into_text()
}

/// Checks of literals in `#[param(..)]`, which the compiler evaluates.
#[doc(hidden)]
pub mod literal;

/// Functions that call the functions and closures named by `#[param(..)]`, so that the compiler infers the types of a
/// closure's arguments.
#[doc(hidden)]
pub mod call {
    use super::{ParameterSink, Table};

    pub fn with_ref<T: ?Sized, R>(value: &T, function: impl FnOnce(&T) -> R) -> R {
        function(value)
    }

    pub fn with_value<T, R>(value: T, function: impl FnOnce(T) -> R) -> R {
        function(value)
    }

    pub fn read<R>(t: &mut Table<'_>, function: impl FnOnce(&mut Table<'_>) -> R) -> R {
        function(t)
    }

    pub fn write<T>(value: &T, sink: &mut dyn ParameterSink, function: impl FnOnce(&T, &mut dyn ParameterSink)) {
        function(value, sink);
    }
}
