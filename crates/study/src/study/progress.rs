//! What is reported while a study's runs are made.

/// Told how far a reproduction has come; called from several threads.
pub trait Progress: Sync {
    /// So many points are to be run.
    fn begins(&self, points: usize);
    /// This point was run.
    fn done(&self, point: &str);
    /// So many points are left out, since their parts do not fit together.
    fn leaves_out(&self, _points: usize) {}
}
