//! Progress events of the reproduction of a study.

/// A receiver of progress events. It is called from several threads.
pub trait Progress: Sync {
    /// Reports the number of points to run.
    fn begins(&self, points: usize);
    /// Reports that a point was run.
    fn done(&self, point: &str);
    /// Reports the number of points that are left out because their parts are incompatible.
    fn leaves_out(&self, _points: usize) {}
}
