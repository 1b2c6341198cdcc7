//! Time series of a measured quantity, with estimates of the end of the warm-up and of the confidence interval of the
//! mean.
//!
//! Values are summed in windows of equal length. The length doubles whenever there are too many windows, so memory is
//! bounded although the length of the run is not known in advance. MSER determines the end of the warm-up (White 1997;
//! White, Cobb and Spratt 2000): it removes the initial values whose removal minimises the standard error of the mean
//! of the remaining values, and at most half of all values. The confidence interval is computed by batch means (Law,
//! Simulation Modeling and Analysis, §9.5.3): the run is divided into 20 batches of equal time, which are treated as
//! independent because they are long compared with the correlation time.
//!
//! Whether batches are independent is not tested: in a run that is short compared with the fabric's correlation time,
//! as near saturation, the interval is too narrow.

use super::interval;

/// Maximum number of windows. At this number, adjacent windows are merged in pairs.
const WINDOWS_MAX: usize = 1_024;
/// Number of batches of a steady state (Law recommends 20 to 40).
const BATCHES: usize = 20;
/// The fraction of the windows, as numerator and denominator, within which the warm-up of a steady series ends
/// (chosen). MSER removes at most half of a series; for a series without a steady state it removes nearly half, with
/// some noise.
const WARM_UP_MAX: (usize, usize) = (9, 20);
/// Least number of windows from which the end of the warm-up is estimated.
const WINDOWS_MIN: usize = 20;

/// The number and sum of values in consecutive windows of time. Times are whole numbers, such as cycles.
#[derive(Clone, Debug)]
pub struct TimeSeries {
    start: u64,
    /// Length of a window, which is a power of two.
    width: u64,
    /// The windows with values, each with its number, in order. Windows without values are not stored, because they
    /// would cause most of the cost of a series with rare values.
    windows: Vec<(u64, Window)>,
}

/// The complete windows of a series from its beginning to an instant.
struct CompleteWindows {
    start: u64,
    width: u64,
    windows: Vec<Window>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Window {
    count: u64,
    sum: u128,
}

/// The estimated end of the warm-up of a quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarmUp {
    /// The warm-up ends at this instant.
    EndsAt(u64),
    /// The warm-up does not end in the first 9/20 of the windows, so the series has no steady state.
    Never,
    /// The series has too few values for an estimate.
    Unknown,
}

impl WarmUp {
    /// Returns the instant at which the warm-up ends, if it is known to end.
    pub fn end_time(self) -> Option<u64> {
        match self {
            WarmUp::EndsAt(instant) => Some(instant),
            WarmUp::Never | WarmUp::Unknown => None,
        }
    }
}

impl Default for TimeSeries {
    fn default() -> TimeSeries {
        TimeSeries::starting_at(0)
    }
}

impl TimeSeries {
    /// Returns an empty series, which ignores values from before `start`.
    pub fn starting_at(start: u64) -> TimeSeries {
        TimeSeries { start, width: 1, windows: Vec::new() }
    }

    /// Adds a value that was measured at `time`.
    #[inline]
    pub fn add(&mut self, time: u64, value: u64) {
        let Some(offset) = time.checked_sub(self.start) else { return };
        // The width is a power of two.
        let mut window_number = offset >> self.width.trailing_zeros();
        while window_number >= WINDOWS_MAX as u64 {
            self.widen();
            window_number /= 2;
        }
        let mut index = self.usual_index(window_number);
        if self.windows.get(index).is_none_or(|(stored_number, _)| *stored_number != window_number) {
            index = self.find_window(window_number);
        }
        let (_, window) = &mut self.windows[index];
        window.count += 1;
        window.sum += u128::from(value);
    }

    /// Returns the index of the window with this number if every window between it and the last one has values.
    #[inline]
    fn usual_index(&self, window_number: u64) -> usize {
        let distance = self.windows.last().map_or(0, |(last, _)| last.wrapping_sub(window_number));
        self.windows.len().wrapping_sub(1).wrapping_sub(distance as usize)
    }

    /// Returns the index of the window with this number, which is added if it has no values yet.
    #[cold]
    fn find_window(&mut self, window_number: u64) -> usize {
        let search_result = self.windows.binary_search_by_key(&window_number, |(stored_number, _)| *stored_number);
        search_result.unwrap_or_else(|insert_index| {
            self.windows.insert(insert_index, (window_number, Window::default()));
            insert_index
        })
    }

    /// Doubles the length of the windows.
    #[cold]
    fn widen(&mut self) {
        self.width *= 2;
        self.windows.iter_mut().for_each(|(number, _)| *number /= 2);
        self.windows.dedup_by(|(number, later), (kept_number, window)| {
            let is_same = number == kept_number;
            if is_same {
                window.count += later.count;
                window.sum += later.sum;
            }
            is_same
        });
    }

    /// Returns the windows that are complete at `end`, those without values included.
    fn complete_windows(&self, end: u64) -> CompleteWindows {
        let mut series = self.clone();
        let duration = end.saturating_sub(self.start);
        while duration / series.width > WINDOWS_MAX as u64 {
            series.widen();
        }
        let mut windows = vec![Window::default(); (duration / series.width) as usize];
        for (window_number, window) in series.windows {
            if let Some(window_slot) = windows.get_mut(window_number as usize) {
                *window_slot = window;
            }
        }
        CompleteWindows { start: series.start, width: series.width, windows }
    }

    /// Estimates the end of the warm-up from the values before `end`.
    pub fn warm_up(&self, end: u64) -> WarmUp {
        let complete_windows = self.complete_windows(end);
        let windows = complete_windows.windows.iter().zip(0u64..).filter(|(window, _)| window.count > 0);
        let means: Vec<(u64, f64)> = windows.map(|(window, window_number)| (window_number, window.mean())).collect();
        let (count, overall_mean) =
            (means.len(), interval::mean(&means.iter().map(|(_, mean)| *mean).collect::<Vec<_>>()));
        if count < WINDOWS_MIN {
            return WarmUp::Unknown;
        }
        let (mut sum, mut squares, mut best_cut) = (0.0, 0.0, (f64::INFINITY, 0));
        for (cut, (_, mean)) in means.iter().enumerate().rev() {
            let (deviation, remaining) = (mean - overall_mean, (count - cut) as f64);
            (sum, squares) = (sum + deviation, squares + deviation * deviation);
            let statistic = (squares - sum * sum / remaining).max(0.0) / remaining / remaining;
            // If several cuts give the same error, the earliest is chosen.
            if cut <= count / 2 && statistic <= best_cut.0 {
                best_cut = (statistic, cut);
            }
        }
        match best_cut.1 < count * WARM_UP_MAX.0 / WARM_UP_MAX.1 {
            true => WarmUp::EndsAt(complete_windows.start + means[best_cut.1].0 * complete_windows.width),
            false => WarmUp::Never,
        }
    }

    /// Returns the number of values in the complete windows from `from` to `end`.
    pub fn count(&self, from: u64, end: u64) -> u64 {
        self.windows_between(from, end).0.iter().map(|window| window.count).sum()
    }

    /// Returns the means of the non-empty windows from `from` to `end`, in order, and the length of a window.
    pub fn window_means(&self, from: u64, end: u64) -> (Vec<f64>, u64) {
        let (windows, width) = self.windows_between(from, end);
        (windows.iter().filter(|window| window.count > 0).map(Window::mean).collect(), width)
    }

    /// Returns the means of the leading windows that have exactly `values_per_instant` values for each instant, and the
    /// length of a window.
    pub fn means_of_full_windows(&self, values_per_instant: u64) -> (Vec<f64>, u64) {
        let is_full = |(index, (number, window)): &(u64, &(u64, Window))| {
            index == number && window.count == self.width * values_per_instant
        };
        let full_windows = (0..).zip(&self.windows).take_while(is_full);
        (full_windows.map(|(_, (_, window))| window.mean()).collect(), self.width)
    }

    /// Returns the number of values per unit of time from `from` to `end`, or `None` if that time has no complete
    /// window.
    pub fn rate(&self, from: u64, end: u64) -> Option<f64> {
        let (windows, width) = self.windows_between(from, end);
        let count: u64 = windows.iter().map(|window| window.count).sum();
        (!windows.is_empty()).then(|| count as f64 / (windows.len() as u64 * width) as f64)
    }

    /// Returns half the width of the 95 % confidence interval of the [rate](Self::rate), or `None` if there are fewer
    /// windows than batches.
    pub fn rate_half_width(&self, from: u64, end: u64) -> Option<f64> {
        let (windows, width) = self.windows_between(from, end);
        let (batches, size) = batches(&windows)?;
        let rates: Vec<f64> = batches.iter().map(|batch| batch.count as f64 / (size * width) as f64).collect();
        interval::half_width(&rates)
    }

    /// Returns half the width of the 95 % confidence interval of the mean value, or `None` if a batch has no value.
    pub fn mean_half_width(&self, from: u64, end: u64) -> Option<f64> {
        let (windows, _) = self.windows_between(from, end);
        let (batches, _) = batches(&windows)?;
        let means: Vec<f64> = batches.iter().map(|batch| batch.mean()).collect();
        interval::half_width(&means).filter(|half| half.is_finite())
    }

    /// Returns the complete windows from `from` to `end`, and their length.
    fn windows_between(&self, from: u64, end: u64) -> (Vec<Window>, u64) {
        let complete_windows = self.complete_windows(end);
        let skipped_count = from.saturating_sub(complete_windows.start).div_ceil(complete_windows.width) as usize;
        (complete_windows.windows.into_iter().skip(skipped_count).collect(), complete_windows.width)
    }
}

impl Window {
    fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }
}

/// Divides `windows` into [`BATCHES`] batches, and returns them with the number of windows in each. Initial windows
/// that do not fill a batch are excluded. Returns `None` if there are fewer windows than batches.
fn batches(windows: &[Window]) -> Option<(Vec<Window>, u64)> {
    let batch_windows = windows.len() / BATCHES;
    let unused_windows = windows.len() - batch_windows * BATCHES;
    let batch = |windows: &[Window]| Window {
        count: windows.iter().map(|window| window.count).sum(),
        sum: windows.iter().map(|window| window.sum).sum(),
    };
    (batch_windows > 0)
        .then(|| (windows[unused_windows..].chunks(batch_windows).map(batch).collect(), batch_windows as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rng;
    use rand::RngExt;

    /// Returns a series of random values with a mean of 100, to which `offset` adds a value for each instant.
    fn series(seed: u64, end: u64, offset: impl Fn(u64) -> u64) -> TimeSeries {
        let mut random = rng::stream(seed, "a series");
        let mut series = TimeSeries::default();
        (0..end).for_each(|time| series.add(time, random.random_range(0..=200) + offset(time)));
        series
    }

    #[test]
    fn doubling_the_windows_keeps_every_value() {
        let series = series(1, 100_000, |_| 0);
        let complete_windows = series.complete_windows(100_000);
        assert!(
            (WINDOWS_MAX / 2..=WINDOWS_MAX).contains(&complete_windows.windows.len()),
            "{}",
            complete_windows.windows.len()
        );
        let count: u64 = complete_windows.windows.iter().map(|window| window.count).sum();
        assert_eq!(count, 100_000 / complete_windows.width * complete_windows.width);
        assert_eq!(series.rate(0, 100_000), Some(1.0));
        assert_eq!(TimeSeries::starting_at(50).rate(50, 90), Some(0.0), "windows without values are windows");
    }

    #[test]
    fn warm_up_ends_where_the_added_level_ends() {
        for seed in 0..20 {
            assert!(
                series(seed, 20_000, |_| 0).warm_up(20_000).end_time().expect("a steady series has a warm-up") < 5_000
            );
            let end = series(seed, 20_000, |time| if time < 4_000 { 60 } else { 0 }).warm_up(20_000).end_time();
            assert!((3_900..6_500).contains(&end.expect("the series settles")), "{end:?}");
            assert_eq!(
                series(seed, 20_000, |time| time / 50).warm_up(20_000),
                WarmUp::Never,
                "the series never settles"
            );
        }
    }

    #[test]
    fn confidence_intervals_cover_the_mean_in_95_per_cent_of_runs() {
        let covers = |seed: &u64| {
            let series = series(*seed, 4_000, |_| 0);
            let values: f64 = series.windows.iter().map(|(_, window)| window.sum as f64).sum();
            (values / 4_000.0 - 100.0).abs() <= series.mean_half_width(0, 4_000).expect("the series fills 20 batches")
        };
        let covering_runs = (0..400).filter(covers).count();
        // The expected number is 380, and its standard deviation 4.4.
        assert!((362..=395).contains(&covering_runs), "{covering_runs}");
    }

    #[test]
    fn means_leave_out_windows_that_are_empty_or_not_full() {
        let mut sparse_series = TimeSeries::default();
        [(0, 1), (0, 3), (1, 5), (1, 7), (3, 9)].iter().for_each(|&(time, value)| sparse_series.add(time, value));
        assert_eq!(sparse_series.window_means(0, 4), (vec![2.0, 6.0, 9.0], 1));
        assert_eq!(sparse_series.window_means(1, 3), (vec![6.0], 1));
        assert_eq!([sparse_series.count(0, 4), sparse_series.count(1, 3), sparse_series.count(2, 9)], [5, 2, 1]);
        assert_eq!(sparse_series.means_of_full_windows(2), (vec![2.0, 6.0], 1));
        let (means, width) = series(1, 5_000, |_| 0).means_of_full_windows(1);
        assert_eq!((means.len() as u64, width), (5_000 / width, 8));
    }

    #[test]
    fn values_may_be_added_in_any_order() {
        let values: Vec<(u64, u64)> = (0..3_000).map(|time| (time * 7919 % 50_000, time)).collect();
        let (mut shuffled, mut ordered) = (TimeSeries::starting_at(100), TimeSeries::starting_at(100));
        values.iter().for_each(|&(time, value)| shuffled.add(time, value));
        let mut sorted = values;
        sorted.sort_unstable();
        sorted.iter().for_each(|&(time, value)| ordered.add(time, value));
        assert_eq!(shuffled.window_means(100, 50_000), ordered.window_means(100, 50_000));
        assert_eq!(shuffled.count(5_000, 40_000), ordered.count(5_000, 40_000));
    }

    #[test]
    fn short_series_report_unknown() {
        let short = series(1, 15, |_| 0);
        assert_eq!(short.warm_up(15), WarmUp::Unknown);
        assert_eq!((short.mean_half_width(0, 15), short.rate_half_width(0, 15)), (None, None));
        assert_eq!(TimeSeries::default().rate(0, 0), None);
    }
}
