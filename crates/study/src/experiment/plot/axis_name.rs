//! The names of columns on axes and in titles, in words: `payload` instead of `workload_ping_pong_payload`.

use super::without_unit;
use crate::report::dataset::{Variable, suffixed};
use narrows_core::machine::Registry;

/// The usual spelling of abbreviations that occur in keys.
const ABBREVIATIONS: [&str; 13] =
    ["DMA", "MTU", "PCIe", "PCI", "PIO", "LLC", "IOMMU", "TLB", "CPU", "QP", "UDP", "IP", "TCP"];

/// The suffix of each statistic in the names of metrics, and the words that replace it before the quantity.
const STATISTICS: [(&str, &str); 6] = [
    (" min", "minimum"),
    (" max", "maximum"),
    (" p50", "median"),
    (" p90", "90th percentile of"),
    (" p99", "99th percentile of"),
    (" p999", "99.9th percentile of"),
];

/// Returns the name of a column in words, without its unit. The name of a key leaves out the words of its part. The
/// name of a metric begins with its statistic.
pub fn axis_name(variable: &Variable) -> String {
    let name = without_unit(variable);
    key_words(name).map_or_else(|| quantity_words(name), |words| spell_abbreviations(&words))
}

/// Returns the name of a metric in words.
pub fn quantity_words(metric: &str) -> String {
    let words = metric.replace(['_', '.'], " ").replace("round trip ", "round-trip ");
    let one_way = |quantity: &str| match quantity.strip_suffix(" one way") {
        Some(quantity) => format!("one-way {quantity}"),
        None => quantity.to_owned(),
    };
    let statistic =
        STATISTICS.iter().find_map(|(ending, words_before)| Some((words.strip_suffix(ending)?, words_before)));
    spell_abbreviations(&match statistic {
        Some((quantity, words_before)) => format!("{words_before} {}", one_way(quantity)),
        None => one_way(&words),
    })
}

/// Returns the words with the usual spelling of abbreviations.
fn spell_abbreviations<'a>(words: &'a str) -> String {
    let spelling = |word: &'a str| match word {
        "ni" => "interface",
        _ => ABBREVIATIONS.into_iter().find(|abbreviation| abbreviation.eq_ignore_ascii_case(word)).unwrap_or(word),
    };
    words.split(' ').map(spelling).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a key after its family and its part, or `None` if the column is not that of a key.
fn key_words(column: &str) -> Option<String> {
    let (family, _) = column.split_once('_')?;
    let lines = Registry::shared().schema().lines();
    let words_of_matching_keys = lines.iter().filter_map(|line| {
        let mut words = line.path.splitn(3, '.');
        let (line_family, part_name, rest) = (words.next()?, words.next()?, words.next());
        // The keys of a run have no part.
        let rest = if line_family == "run" { part_name } else { rest? };
        let column_suffix = format!("_{}", suffixed(rest, ""));
        (line_family == family && column.ends_with(&column_suffix)).then(|| rest.replace(['.', '-'], " "))
    });
    words_of_matching_keys.max_by_key(String::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::dataset::ColumnValues;

    #[test]
    fn names_are_words_of_the_field() {
        let name = |column: &str, unit: &str| {
            axis_name(&Variable { name: column.into(), unit: unit.into(), values: ColumnValues::Counts(Vec::new()) })
        };
        assert_eq!(name("workload_ping_pong_payload_B", "B"), "payload");
        assert_eq!(name("workload_stream_arrivals_poisson_interval_s", "s"), "arrivals poisson interval");
        assert_eq!(name("hosts_pcie_gen3_x8_pcie_link_lanes", ""), "PCIe link lanes");
        assert_eq!(name("run_seed", ""), "seed");
        assert_eq!(name("ni", ""), "interface");
        assert_eq!(name("message_latency_one_way_s", "s"), "one-way message latency");
        assert_eq!(name("message_latency_one_way_p99_s", "s"), "99th percentile of one-way message latency");
        assert_eq!(name("message_latency_one_way_p50_s", "s"), "median one-way message latency");
        assert_eq!(name("dma_bandwidth_B_per_s", "B/s"), "DMA bandwidth");
        assert_eq!(name("round_trip_latency_p99_s", "s"), "99th percentile of round-trip latency");
    }
}
