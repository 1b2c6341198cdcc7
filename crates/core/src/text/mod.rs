//! Reads TOML text into typed values with source locations: layers, units, problems and the schema. The module knows
//! nothing of hardware; each part uses it to read its own parameters, next to its data sheet.

mod choice_problems;
mod collection;
mod diagnostics;
pub mod family;
pub mod field;
pub mod file;
pub mod kind;
pub mod layers;
pub mod leaves;
pub mod load;
pub mod meaning;
mod misplaced;
pub mod name_pattern;
pub mod origin;
pub mod parameters;
pub mod problem;
pub mod quantity;
pub mod read;
mod read_context;
pub mod record;
pub mod schema;
pub mod set;
pub mod suggest;
pub mod table;
pub mod tree;
mod unknown_keys;
mod unknown_part;
pub mod value;
mod variant_selection;

pub use field::Field;
pub use kind::{Choice, Constant, Kind, SpannedString};
pub use layers::LayerCache;
pub use load::{Document, Loaded, PartLibrary, Source, load, load_cached};
pub use meaning::{Meaning, ParameterDeclaration, SpeedUp};
pub use narrows_derive::{ParameterChoice, Parameters};
pub use origin::{Layer, Origin};
pub use parameters::{AllOptional, ParameterSink, ParameterVariants, Parameters, TomlSink, to_toml};
pub use problem::{Problem, ProblemGroups, Problems};
pub use read::{DescriptionReader, Read, describe};
pub use record::{Entry, RenamedKey};
pub use schema::Schema;
pub use table::Table;
pub use value::{ParameterDefault, ParameterType, ParameterValue};
