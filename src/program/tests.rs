//! Descriptions of workloads, for tests of what programs draw.

use super::Workload;
use crate::text::{Document, Reading, Shelf, Source, load};

/// The workload that `text` describes.
pub(super) fn read(text: &str) -> Workload {
    let document = Document::Text("test.toml", text, None);
    let source = Source { document, sets: &[], varied: &[], shelf: Shelf::EMPTY };
    let read = load(&source).and_then(|loaded| Reading::new(loaded).read(Workload::read));
    read.unwrap_or_else(|problems| panic!("{problems}")).value
}
