//! Problems and warnings of the points of a sweep, each with the points that have it.

use super::format_values;
use narrows_core::machine::HostWarning;
use narrows_core::text::Problems;

/// A problem or a warning, and the points that have it.
pub struct PointFinding<T> {
    /// The keys and values of the first of these points.
    pub first: Vec<(String, String)>,
    /// The number of these points.
    pub point_count: usize,
    /// The problem or warning, as it is at the first of these points.
    pub finding: T,
}

/// A problem, and the points that have it.
pub type PointProblem = PointFinding<Problems>;

/// A warning about a value of a host, and the points that have it.
pub type PointWarning = PointFinding<HostWarning>;

impl<T> PointFinding<T> {
    /// Returns a finding of one point with these keys and values.
    pub(super) fn new(first: Vec<(String, String)>, finding: T) -> PointFinding<T> {
        PointFinding { first, point_count: 1, finding }
    }

    /// Names these points of a sweep with `total_points` points.
    fn points(&self, total_points: usize) -> String {
        let first = format_values(&self.first);
        match self.point_count {
            1 => format!("At the point {first}"),
            n if n == total_points => format!("At every point (the first is {first})"),
            n => format!("At {n} points (the first is {first})"),
        }
    }
}

impl PointProblem {
    /// Returns the problem with a heading that names these points of a sweep with `total_points` points.
    pub(super) fn into_group(self, total_points: usize) -> (String, Problems) {
        (self.points(total_points) + ":", self.finding)
    }
}

impl PointWarning {
    /// Adds the warning of a point with the keys and values that `values` returns. Warnings about the same key are one
    /// warning, although their texts contain the values of their points.
    pub fn add(
        point_warnings: &mut Vec<PointWarning>,
        values: impl Fn() -> Vec<(String, String)>,
        warning: HostWarning,
    ) {
        match point_warnings.iter_mut().find(|known| known.finding.key == warning.key) {
            Some(known) => known.point_count += 1,
            None => point_warnings.push(PointWarning::new(values(), warning)),
        }
    }

    /// Returns the warning with a line that names these points of a sweep with `total_points` points.
    pub fn text(&self, total_points: usize) -> String {
        format!("{}\n  {}.", self.finding, self.points(total_points))
    }
}
