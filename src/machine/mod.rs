//! From text to a machine.

pub mod family;
pub mod field;
pub mod file;
pub mod kind;
pub mod load;
pub mod origin;
pub mod problem;
pub mod quantity;
pub mod read;
pub mod record;
pub mod schema;
pub mod set;
pub mod suggest;
pub mod tree;

pub use load::{Document, Loaded, Shelf, Source, load};
pub use origin::{Layer, Origin};
pub use problem::{Problem, Problems};
pub use read::{Read, Reading, Table, describe};
pub use record::Entry;
pub use schema::Schema;
