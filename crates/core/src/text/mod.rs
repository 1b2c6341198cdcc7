//! From TOML text to typed values, with every place remembered: layers, units, problems, schema.
//! Knows no hardware; a part reads its own parameters with it, beside its datasheet.

mod misplaced;
pub mod family;
pub mod field;
pub mod file;
pub mod kind;
pub mod leaves;
pub mod load;
pub mod origin;
pub mod parameters;
mod read_context;
pub mod problem;
pub mod quantity;
pub mod read;
pub mod record;
pub mod schema;
pub mod set;
mod variant_selection;
pub mod suggest;
pub mod table;
mod diagnostics;
pub mod tree;
pub mod value;

pub use field::Field;
pub use kind::{Choice, Constant, Said};
pub use load::{Document, Loaded, PartLibrary, Source, load};
pub use narrows_derive::{ParameterChoice, Parameters};
pub use origin::{Layer, Origin};
pub use parameters::{AllOptional, ParameterSink, ParameterVariants, Parameters, TomlSink, to_toml};
pub use problem::{Problem, Problems};
pub use read::{Read, Reading, describe};
pub use record::Entry;
pub use schema::Schema;
pub use table::Table;
pub use value::{ParameterDefault, ParameterType, ParameterValue};
