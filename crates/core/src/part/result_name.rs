//! Names in results with their meanings: metrics, stages of a latency, and resources.
//!
//! A part states the names that it adds to results ([`PartInfo::results`](super::PartInfo::results)), so that `narrows
//! explain` and the reference know every one of them. A law of the test matrix checks that no other name occurs in a
//! result.

/// The kind of a name in results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ResultKind {
    /// A metric: its words are joined by dots.
    Metric,
    /// A stage of a message's latency.
    Stage,
    /// A resource, whose utilisation is reported. In results the name of its node precedes it.
    Resource,
}

impl ResultKind {
    /// Returns the name of the kind.
    pub const fn name(self) -> &'static str {
        match self {
            ResultKind::Metric => "metric",
            ResultKind::Stage => "stage",
            ResultKind::Resource => "resource",
        }
    }
}

/// A name in results, or a pattern of names, with its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultName {
    /// Kind of the name.
    pub kind: ResultKind,
    /// The name. Each of [`PLACEHOLDERS`] matches any words: `flow.FROM.TO.bandwidth`.
    pub pattern: &'static str,
    /// Unit of a metric; empty for a plain number, and for a name that is no metric.
    pub unit: &'static str,
    /// Meaning: a noun phrase or a sentence without a full stop.
    pub meaning: &'static str,
}

/// Words of a pattern that match any words.
pub const PLACEHOLDERS: [&str; 10] =
    ["BYTES", "DISTANCE", "FROM", "INDEX", "NAME", "NODE", "NUMBER", "REASON", "TO", "TRANSACTION"];

/// Endings of the statistics of a distribution, each with its meaning. `…` is the name of the mean.
pub const STATISTICS: [(&str, &str); 8] = [
    ("_min", "smallest sample"),
    ("_max", "largest sample"),
    ("_p50", "median of the samples"),
    ("_p90", "90th percentile of the samples"),
    ("_p99", "99th percentile of the samples"),
    ("_p999", "99.9th percentile of the samples"),
    ("_samples", "number of samples"),
    ("_ci95", "half the width of the 95 % confidence interval of the mean"),
];

impl ResultName {
    /// Returns the metric `pattern` in `unit`.
    pub const fn metric(pattern: &'static str, unit: &'static str, meaning: &'static str) -> ResultName {
        ResultName { kind: ResultKind::Metric, pattern, unit, meaning }
    }

    /// Returns the stage `name` of a message's latency.
    pub const fn stage(name: &'static str, meaning: &'static str) -> ResultName {
        ResultName { kind: ResultKind::Stage, pattern: name, unit: "", meaning }
    }

    /// Returns the resource `pattern`.
    pub const fn resource(pattern: &'static str, meaning: &'static str) -> ResultName {
        ResultName { kind: ResultKind::Resource, pattern, unit: "", meaning }
    }

    /// Returns whether `name` is this name, or fits its pattern. A metric also fits with the ending of a statistic, and
    /// a resource with the name of its node before it.
    pub fn describes(&self, kind: ResultKind, name: &str) -> bool {
        kind == self.kind && ResultName::fits(kind, self.pattern, name)
    }

    /// Returns whether `name` fits `pattern`, a pattern of this kind, as [`describes`](Self::describes) states.
    pub fn fits(kind: ResultKind, pattern: &str, name: &str) -> bool {
        match kind {
            ResultKind::Metric => {
                let mean = STATISTICS.iter().find_map(|(ending, _)| name.strip_suffix(ending));
                fits(pattern, name, '.') || mean.is_some_and(|mean| fits(pattern, mean, '.'))
            }
            ResultKind::Stage => fits(pattern, name, ' '),
            ResultKind::Resource => {
                let mut tails = name.match_indices(' ').map(|(at, _)| &name[at + 1..]);
                fits(pattern, name, ' ') || tails.any(|tail| fits(pattern, tail, ' '))
            }
        }
    }

    /// Returns whether the key `name` consists of the words of `pattern`, where each of [`PLACEHOLDERS`] matches any
    /// words.
    pub fn matches_words(pattern: &str, name: &str) -> bool {
        fits(pattern, name, '.')
    }
}

/// Returns whether `name` consists of the words of `pattern`, where each of [`PLACEHOLDERS`] matches one or more words.
fn fits(pattern: &str, name: &str, separator: char) -> bool {
    let (word, remaining_words) =
        pattern.split_once(separator).map_or((pattern, None), |(word, remaining_words)| (word, Some(remaining_words)));
    let word_ends = || name.match_indices(separator).map(|(at, _)| at).chain([name.len()]);
    let is_any = PLACEHOLDERS.contains(&word);
    let tail = |end: usize| name.get(end + 1..);
    word_ends().any(|end| {
        (is_any && end > 0 || name[..end] == *word)
            && match (remaining_words, tail(end)) {
                (None, None) => true,
                (Some(remaining_words), Some(tail)) => fits(remaining_words, tail, separator),
                _ => false,
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_match_any_words() {
        let flow = ResultName::metric("flow.FROM.TO.bandwidth", "MB/s", "");
        for name in ["flow.a.b.bandwidth", "flow.\"a.1\".b.bandwidth", "flow.a.b.bandwidth_ci95"] {
            assert!(flow.describes(ResultKind::Metric, name), "{name}");
        }
        for name in ["flow.a.bandwidth", "flow.a.b.bandwidth.c", "a.flow.a.b.bandwidth", "flow.a.b.latency"] {
            assert!(!flow.describes(ResultKind::Metric, name), "{name}");
        }
        assert!(!flow.describes(ResultKind::Stage, "flow.a.b.bandwidth"));
        let bus = ResultName::resource("PCI", "");
        assert!(bus.describes(ResultKind::Resource, "left PCI") && !bus.describes(ResultKind::Resource, "left bus"));
    }

    #[test]
    fn a_metric_has_statistics_and_a_resource_a_node() {
        let latency = ResultName::metric("dma.latency", "us", "");
        assert!(latency.describes(ResultKind::Metric, "dma.latency_p999"));
        assert!(!latency.describes(ResultKind::Metric, "dma.latency_mode"));
        let bus = ResultName::resource("memory bus", "");
        assert!(
            bus.describes(ResultKind::Resource, "left memory bus") && bus.describes(ResultKind::Resource, "memory bus")
        );
        assert!(!bus.describes(ResultKind::Resource, "left memory"));
        let core = ResultName::resource("core NUMBER", "");
        assert!(core.describes(ResultKind::Resource, "a core 3") && !core.describes(ResultKind::Resource, "a core"));
    }
}
