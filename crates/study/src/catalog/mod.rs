//! The shipped names and the names that descriptions may use, for listings, pages and other programs.
//!
//! | file | holds |
//! |---|---|
//! | `list.rs` | names by kind, each with its description |

pub mod list;

pub use list::{NameGroup, NameKind};
