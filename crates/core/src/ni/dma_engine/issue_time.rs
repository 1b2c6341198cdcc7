//! The time for which a transfer occupies the issue stage, by its size.

use crate::engine::{Bytes, Time};

/// A time that depends on a size: constant up to the first listed size, linear between two listed sizes, and
/// proportional to the size beyond the last one.
pub struct IssueTime(Vec<(u64, u64)>);

impl IssueTime {
    /// Returns the function through the points of `sizes` and `times`; the two lists have the same length.
    pub fn new(sizes: &[Bytes], times: &[Time]) -> IssueTime {
        IssueTime(sizes.iter().map(|size| size.get()).zip(times.iter().map(|time| time.ps())).collect())
    }

    /// Returns the time of a transfer of `bytes`.
    pub fn for_bytes(&self, bytes: Bytes) -> Time {
        let (points, bytes) = (&self.0, bytes.get());
        let upper = points.partition_point(|&(size, _)| size < bytes);
        let ps = match (upper, points.get(upper)) {
            (0, _) => points[0].1,
            (_, None) => {
                let (size, time) = points[points.len() - 1];
                (u128::from(time) * u128::from(bytes) / u128::from(size)) as u64
            }
            (_, Some(&(size, time))) => {
                let (lower_size, lower_time) = points[upper - 1];
                let (distance, interval) = (i128::from(bytes - lower_size), i128::from(size - lower_size));
                (i128::from(lower_time) + (i128::from(time) - i128::from(lower_time)) * distance / interval) as u64
            }
        };
        Time::from_ps(ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_time_is_constant_then_linear_then_proportional() {
        let sizes = [64, 128, 256].map(Bytes);
        let issue_time = IssueTime::new(&sizes, &[15, 23, 43].map(Time::from_ns));
        let issue_ns = |bytes| issue_time.for_bytes(Bytes(bytes)).ps() / 1000;
        assert_eq!([4, 64, 96, 128, 192, 256, 512].map(issue_ns), [15, 15, 19, 23, 33, 43, 86]);
    }
}
