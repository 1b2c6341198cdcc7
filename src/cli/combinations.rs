//! `narrows list combinations`: the compatible combinations of shipped parts, and the reasons why others are rejected.

use super::registry;
use narrows_core::machine::combinations::Combination;
use narrows_study::report::{Column, ReportTable};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// The families of parts in a combination, in order.
const AXES: [&str; 5] = ["hosts", "interfaces", "protocols", "fabrics", "programs"];

/// Returns all combinations with their reasons of rejection, as JSON.
pub(super) fn as_json() -> Json {
    json!({ "combinations": registry().combinations() })
}

/// Returns the number of compatible combinations of each host and interface, and the reasons of rejection, as text.
pub(super) fn as_text() -> String {
    let combinations = registry().combinations();
    let accepted = combinations.iter().filter(|combination| combination.refusal_reasons.is_empty()).count();
    let names_on_axis: [BTreeSet<&str>; 5] =
        [0, 1, 2, 3, 4].map(|axis| combinations.iter().map(|combination| short_names(combination)[axis]).collect());
    let [_, _, protocols, fabrics, programs] = names_on_axis.each_ref().map(BTreeSet::len);
    let mut text = format!(
        "combinations: {} of shipped hosts, interfaces, protocols, fabrics and programs; {accepted} are compatible\n\n\
         Compatible of {protocols} protocols × {fabrics} fabrics × {programs} programs = {}:\n",
        combinations.len(),
        protocols * fabrics * programs,
    );
    text += &pair_table(&combinations, &names_on_axis).text();
    text += "\nRejected:\n";
    for (reason, refused) in rejected_by_reason(&combinations) {
        text += &format!("  {} × {reason}\n", refused.len());
        for ((axis, all_names), index) in AXES.iter().zip(&names_on_axis).zip(0..) {
            let refused_names: BTreeSet<&str> =
                refused.iter().map(|combination| short_names(combination)[index]).collect();
            if refused_names.len() < all_names.len() {
                let listed_names: Vec<&str> = refused_names.into_iter().collect();
                text += &format!("      {axis}: {}\n", listed_names.join(", "));
            }
        }
    }
    text + "\n`--format json` lists every combination.\n"
}

fn short_names(combination: &Combination) -> [&'static str; 5] {
    let without_folder = |part: &'static str| part.rsplit('/').next().unwrap_or(part);
    [combination.host, combination.ni, combination.protocol, combination.fabric, combination.workload]
        .map(without_folder)
}

/// Returns the table of the number of compatible combinations of each interface, by host.
fn pair_table(combinations: &[Combination], [hosts, interfaces, ..]: &[BTreeSet<&'static str>; 5]) -> ReportTable {
    let mut compatible_counts: BTreeMap<[&str; 2], usize> = BTreeMap::new();
    for combination in combinations.iter().filter(|combination| combination.refusal_reasons.is_empty()) {
        let [host, ni, ..] = short_names(combination);
        *compatible_counts.entry([ni, host]).or_default() += 1;
    }
    let columns = [Column::new("")].into_iter().chain(hosts.iter().map(|host| Column::new(*host)));
    let mut table = ReportTable::new(columns.collect());
    for ni in interfaces {
        let count = |host: &&str| (compatible_counts.get(&[*ni, *host]).copied().unwrap_or(0) as f64).into();
        table.push([(*ni).into()].into_iter().chain(hosts.iter().map(count)).collect());
    }
    table
}

/// Groups the rejected combinations by their first reason, the most frequent reason first.
fn rejected_by_reason(combinations: &[Combination]) -> Vec<(&str, Vec<&Combination>)> {
    let mut reasons: BTreeMap<&str, Vec<&Combination>> = BTreeMap::new();
    for combination in combinations {
        if let Some(reason) = combination.refusal_reasons.first() {
            reasons.entry(reason).or_default().push(combination);
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, refused)| std::cmp::Reverse(refused.len()));
    reasons
}
