//! The parameters of a part: read from a table, written back, and left out altogether.
//!
//! `#[derive(Parameters)]` implements these traits, so that each parameter is written once; `docs/parameters.md` lists
//! its attributes. Leaves out: the types of single values ([`ParameterType`](super::ParameterType)).
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
//! The macros refuse, where it is written, an attribute that does not exist,
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
//! a type that is the kind of no value,
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
//! and defaults of what has a key that is required, however deep it lies:
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
    /// Reads them from their table. In describing mode, the same function gives the schema.
    fn read(t: &mut Table<'_>) -> Self;

    /// Writes each under its key, so that [`read`](Parameters::read) gives the same again.
    fn write(&self, to: &mut dyn ParameterSink);

    /// Returns what holds where nothing is described: the defaults that `read` states.
    fn defaults() -> Self
    where
        Self: AllOptional,
    {
        read::nothing(Self::read)
    }
}

/// Parameters none of which is required. The derive macro implements it where that is so.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no defaults as a whole: one of its keys is required",
    note = "state a default with `#[param(default = ..)]`, or write the value out"
)]
pub trait AllOptional: Parameters {}

/// Parameters that are one of several tables: the names of these, and how each is read.
pub trait ParameterVariants: Parameters {
    /// The tables' names and help texts.
    const VARIANTS: &'static [(&'static str, &'static str)];

    /// Reads the table called `name`.
    ///
    /// # Panics
    ///
    /// Panics if `name` is not one of [`VARIANTS`](ParameterVariants::VARIANTS).
    fn read_variant(name: &str, t: &mut Table<'_>) -> Self;

    /// Returns the name of the value's table.
    fn variant(&self) -> &'static str;
}

/// Takes parameters one by one, in the order in which they are read.
pub trait ParameterSink {
    /// Takes the value of a key.
    fn value(&mut self, key: &'static str, value: ParameterValue);

    /// Takes a table below a key, which `write` writes.
    fn table(&mut self, key: &'static str, write: &dyn Fn(&mut dyn ParameterSink));
}

impl<P: Parameters> Parameters for Box<P> {
    fn read(t: &mut Table<'_>) -> Box<P> {
        Box::new(P::read(t))
    }

    fn write(&self, to: &mut dyn ParameterSink) {
        P::write(self, to);
    }
}

impl<P: AllOptional> AllOptional for Box<P> {}

/// Writes parameters as TOML, a line for each: `firmware.poll = 50`.
#[derive(Debug, Default)]
pub struct TomlSink {
    text: String,
    /// The keys of the tables above, each with a point after it.
    above: String,
}

impl TomlSink {
    /// Returns what was written.
    pub fn into_text(self) -> String {
        self.text
    }
}

impl ParameterSink for TomlSink {
    fn value(&mut self, key: &'static str, value: ParameterValue) {
        self.text += &format!("{}{key} = {value}\n", self.above);
    }

    fn table(&mut self, key: &'static str, write: &dyn Fn(&mut dyn ParameterSink)) {
        let (above, before) = (self.above.len(), self.text.len());
        self.above += key;
        self.above.push('.');
        write(self);
        self.above.truncate(above);
        // A table without keys is present all the same: it may be the variant that was chosen.
        if self.text.len() == before {
            self.text += &format!("{}{key} = {{}}\n", self.above);
        }
    }
}

/// Returns parameters as TOML.
pub fn to_toml(parameters: &impl Parameters) -> String {
    let mut sink = TomlSink::default();
    parameters.write(&mut sink);
    sink.into_text()
}

/// Calls of functions that `#[param(..)]` names. Closures take the types of their arguments from these.
#[doc(hidden)]
pub mod call {
    use super::{ParameterSink, Table};

    pub fn on<T: ?Sized, R>(value: &T, function: impl FnOnce(&T) -> R) -> R {
        function(value)
    }

    pub fn with<T, R>(value: T, function: impl FnOnce(T) -> R) -> R {
        function(value)
    }

    pub fn read<R>(t: &mut Table<'_>, function: impl FnOnce(&mut Table<'_>) -> R) -> R {
        function(t)
    }

    pub fn write<T>(value: &T, to: &mut dyn ParameterSink, function: impl FnOnce(&T, &mut dyn ParameterSink)) {
        function(value, to);
    }
}
