//! The meaning of every name in descriptions and results, for the command line (`narrows explain`, `narrows help`) and
//! for Python (`narrows.help`).
//!
//! | file | holds |
//! |---|---|
//! | `vocabulary.rs` | all names with their meanings |
//! | `glossary.rs` | the terms of the glossary |
//! | `fields.rs` | the columns of tables and the fields of JSON |
//! | `exit_codes.rs` | the exit codes of the command line |
//! | `explanation.rs` | the entry of a name, as text and as JSON |

mod exit_codes;
mod explanation;
mod fields;
mod glossary;
mod vocabulary;

pub use exit_codes::{EXIT_CODES, EXIT_INTERRUPTED};
pub use explanation::{LINE_COLUMNS, explain, explain_json};
pub use glossary::{GLOSSARY, glossary_entry};
pub use vocabulary::{key_meaning, matching, vocabulary};
