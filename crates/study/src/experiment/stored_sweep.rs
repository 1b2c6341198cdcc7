//! The machine of a finished sweep, with its varied keys. The machine is read from the stored points, since the table
//! of a sweep does not contain the description.

use super::json_leaves::leaves;
use super::points::PointStore;
use super::record::Record;
use super::varied_keys::VariedKeys;
use crate::report::ExplorerLink;
use crate::report::dataset::Dataset;
use narrows_core::machine::Registry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The column with the hashes of the results.
const HASH: &str = "hash";

/// Returns a link to the machine of the first point of the sweep `rows`, whose table is the file `path`. The link
/// varies the keys in which most other points differ from the first.
///
/// # Errors
///
/// Returns a sentence that states why there is no such machine: the points are not stored next to the file, or their
/// machines need files of the user.
pub fn explorer_link(path: &Path, rows: &Dataset) -> Result<ExplorerLink, String> {
    let store = PointStore::open(path).ok_or("its points are not stored next to it")?;
    let hashes: Vec<String> = rows
        .find(HASH)
        .map_or_else(Vec::new, |hash| (0..rows.rows()).filter_map(|row| hash.values.text(row)).collect());
    let listed_hashes: BTreeSet<&str> = hashes.iter().map(String::as_str).collect();
    let mut records: Vec<Record> = store.records();
    records.retain(|record| listed_hashes.is_empty() || listed_hashes.contains(record.text("hash")));
    let first = hashes.first().and_then(|hash| records.iter().find(|record| record.text("hash") == hash));
    let first = first.or(records.first()).ok_or("none of its points is stored next to it")?;
    if !first.get("files").is_null() {
        return Err("its machine needs files, which a link does not contain".to_owned());
    }
    let values_by_point: Vec<BTreeMap<String, String>> = records.iter().map(values).collect();
    let values_by_point: Vec<BTreeMap<&str, &str>> = values_by_point.iter().map(as_str_map).collect();
    let (first_values, values_of_points) = (values(first), values_by_point.iter().collect::<Vec<_>>());
    let curve = VariedKeys::find(&as_str_map(&first_values), &values_of_points).map(|varied| {
        // Results spell keys with `_`.
        let keys: Vec<String> =
            varied.text().split(';').map(|key| Registry::shared().with_canonical_keys(key)).collect();
        keys.join(";")
    });
    let text = Registry::shared().description(first.get("machine"));
    Ok(ExplorerLink { text, curve, ..ExplorerLink::default() })
}

/// Returns all values of the machine of a result, by key.
fn values(record: &Record) -> BTreeMap<String, String> {
    leaves("", record.get("machine")).into_iter().collect()
}

fn as_str_map(values: &BTreeMap<String, String>) -> BTreeMap<&str, &str> {
    values.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}
