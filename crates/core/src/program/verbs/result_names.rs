//! Names in results that stem from tests of verbs.

use crate::part::ResultName;

/// Metrics.
pub const RESULTS: &[ResultName] = &[
    ResultName::metric(
        "verbs.latency",
        "us",
        "Latency as perftest prints it: half of a round trip of writes or sends, or the time of a read or atomic operation; the mean over all measured iterations",
    ),
    ResultName::metric("verbs.latency_stdev", "us", "Standard deviation of the latency"),
    ResultName::metric("verbs.bandwidth", "MB/s", "Bytes of completed requests per time"),
    ResultName::metric("verbs.bandwidth_peak", "MB/s", "Largest bandwidth between a post and a later completion"),
    ResultName::metric("verbs.bandwidth_bits", "Gbit/s", "The bandwidth in bits"),
    ResultName::metric("verbs.message_rate", "M/s", "Completed requests per time, in millions per second"),
    ResultName::metric("verbs.size", "B", "Bytes of a request"),
    ResultName::metric("verbs.iterations", "", "Measured requests"),
];
