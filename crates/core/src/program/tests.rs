//! A reader of workloads from descriptions, for tests of generated inputs.

use super::WorkloadSpec;
use crate::part::Part;
use crate::text::{DescriptionReader, Document, PartLibrary, Source, load};

/// Returns the workload that `text` describes.
pub(super) fn read<T: WorkloadSpec + Part + Clone>(text: &str) -> T {
    let document = Document::Text("test.toml", text, None);
    let source = Source { document, sets: &[], varied: &[], library: PartLibrary::EMPTY };
    let members = [(T::INFO.key, T::INFO.summary)];
    let read = load(&source).and_then(|loaded| {
        DescriptionReader::new(loaded).read(|t| t.one_of("workload", "A workload", &members, |_, t| T::read(t)))
    });
    read.unwrap_or_else(|problems| panic!("{problems}")).value
}
