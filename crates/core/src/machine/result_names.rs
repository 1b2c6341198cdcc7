//! The names that occur in results, with their meanings: those of the registered parts, and those that all parts share.

use super::registry::Registry;
use crate::part::{PartFamily, PartSpec, ResultKind, ResultName};
use crate::{fabric, messaging, program};

impl Registry {
    /// Iterates over the names in results that all parts share, and then over those of each part, with the family and
    /// the key of the part.
    pub fn result_names(&self) -> impl Iterator<Item = (Option<[&'static str; 2]>, &'static ResultName)> {
        let shared = [program::RESULTS, messaging::RESULTS, fabric::RESULTS].into_iter().flatten();
        let shared = shared.map(|name| (None, name));
        shared
            .chain(names_of_family(self.hosts()))
            .chain(names_of_family(self.interfaces()))
            .chain(names_of_family(self.protocols()))
            .chain(names_of_family(self.fabrics()))
            .chain(names_of_family(self.workloads()))
    }

    /// Returns the documentation of the name of a metric, stage or resource in a result.
    pub fn describe_result(&self, kind: ResultKind, name: &str) -> Option<&'static ResultName> {
        self.result_names().map(|(_, result_name)| result_name).find(|result_name| result_name.describes(kind, name))
    }
}

/// Iterates over the names that the parts of a family add to results, each with the family and the key of the part.
fn names_of_family<S: ?Sized + PartSpec>(
    family: &PartFamily<S>,
) -> impl Iterator<Item = (Option<[&'static str; 2]>, &'static ResultName)> {
    let table = family.table();
    family
        .iter()
        .flat_map(move |entry| entry.info.results.iter().map(move |name| (Some([table, entry.info.key]), name)))
}
