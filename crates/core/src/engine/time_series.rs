//! A quantity over a run, in windows of one length: where its warm-up ends, and how sure its mean is.
//!
//! The windows begin short and double in length as the run goes on, so their number is bounded and
//! nothing of the run need be known before. The warm-up ends where MSER says (White 1997; White, Cobb
//! and Spratt 2000): what is cut off from the front is what makes the mean of the rest surest, half of
//! all at most. The interval is by batch means (Law, Simulation Modeling and Analysis, §9.5.3): 20
//! batches of equal time, which are long compared with the correlation time, count as independent.
//!
//! Leaves out a check that they are: in a run that is short compared with the fabric's correlation time, as near
//! saturation, the interval is too narrow.

use super::interval;

/// Windows are kept below this number, and at least half as many once the run is long enough.
const WINDOWS_MAX: usize = 1_024;
/// Into how many batches a steady state is cut (Law: 20 to 40; more say no more).
const BATCHES: usize = 20;
/// A cut later than this part of the run says that nothing has settled: at most half is cut off, and noise
/// moves the cut of what never settles to a little before that (chosen).
const SETTLED: (usize, usize) = (9, 20);
/// Least number of windows from which the end of the warm-up is estimated.
const WINDOWS_MIN: usize = 20;

/// Values with their instants, by window. An instant is a whole number, such as of cycles.
#[derive(Clone, Debug)]
pub struct TimeSeries {
    from: u64,
    width: u64,
    windows: Vec<Window>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Window {
    count: u64,
    sum: u128,
}

/// The end of the warm-up of a quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarmUp {
    /// From this instant on.
    At(u64),
    /// Not by nearly half of the run.
    Never,
    /// There are too few values for an estimate.
    Unknown,
}

impl WarmUp {
    /// The instant, if there is one.
    pub fn at(self) -> Option<u64> {
        match self {
            WarmUp::At(instant) => Some(instant),
            WarmUp::Never | WarmUp::Unknown => None,
        }
    }
}

impl Default for TimeSeries {
    fn default() -> TimeSeries {
        TimeSeries::since(0)
    }
}

impl TimeSeries {
    /// An empty one, which takes no value from before `from`.
    pub fn since(from: u64) -> TimeSeries {
        TimeSeries { from, width: 1, windows: Vec::new() }
    }

    /// Takes a value in.
    #[inline]
    pub fn add(&mut self, at: u64, value: u64) {
        let Some(at) = at.checked_sub(self.from) else { return };
        while at / self.width >= WINDOWS_MAX as u64 {
            self.widen();
        }
        let index = (at / self.width) as usize;
        if index >= self.windows.len() {
            self.windows.resize(index + 1, Window::default());
        }
        let window = &mut self.windows[index];
        window.count += 1;
        window.sum += u128::from(value);
    }

    #[cold]
    fn widen(&mut self) {
        let both = |pair: &[Window]| Window {
            count: pair.iter().map(|window| window.count).sum(),
            sum: pair.iter().map(|window| window.sum).sum(),
        };
        self.windows = self.windows.chunks(2).map(both).collect();
        self.width *= 2;
    }

    /// The windows that are whole at `end`.
    fn until(&self, end: u64) -> TimeSeries {
        let mut whole = self.clone();
        let lasted = end.saturating_sub(self.from);
        while lasted / whole.width > WINDOWS_MAX as u64 {
            whole.widen();
        }
        whole.windows.resize((lasted / whole.width) as usize, Window::default());
        whole
    }

    /// Returns the end of the warm-up.
    pub fn warm_up(&self, end: u64) -> WarmUp {
        let whole = self.until(end);
        let windows = whole.windows.iter().zip(0u64..).filter(|(window, _)| window.count > 0);
        let means: Vec<(u64, f64)> = windows.map(|(window, at)| (at, window.mean())).collect();
        let (count, middle) = (means.len(), interval::mean(&means.iter().map(|(_, mean)| *mean).collect::<Vec<_>>()));
        if count < WINDOWS_MIN {
            return WarmUp::Unknown;
        }
        let (mut sum, mut squares, mut best) = (0.0, 0.0, (f64::INFINITY, 0));
        for (cut, (_, mean)) in means.iter().enumerate().rev() {
            let (off, left) = (mean - middle, (count - cut) as f64);
            (sum, squares) = (sum + off, squares + off * off);
            let statistic = (squares - sum * sum / left).max(0.0) / left / left;
            // Of equals, the one that cuts off least.
            if cut <= count / 2 && statistic <= best.0 {
                best = (statistic, cut);
            }
        }
        match best.1 < count * SETTLED.0 / SETTLED.1 {
            true => WarmUp::At(whole.from + means[best.1].0 * whole.width),
            false => WarmUp::Never,
        }
    }

    /// Returns the number of values from `from` to `end`, in whole windows.
    pub fn count(&self, from: u64, end: u64) -> u64 {
        self.between(from, end).0.iter().map(|window| window.count).sum()
    }

    /// Returns the means of the windows with values from `from` to `end`, in their order, and the length of a window.
    pub fn means(&self, from: u64, end: u64) -> (Vec<f64>, u64) {
        let (windows, width) = self.between(from, end);
        (windows.iter().filter(|window| window.count > 0).map(Window::mean).collect(), width)
    }

    /// Returns the means of the first windows that hold `each` values at every instant, and the length of a window.
    pub fn means_of_full(&self, each: u64) -> (Vec<f64>, u64) {
        let full = self.windows.iter().take_while(|window| window.count == self.width * each);
        (full.map(Window::mean).collect(), self.width)
    }

    /// Returns the number of values per unit of time from `from` to `end`, or `None` if no window lies there.
    pub fn rate(&self, from: u64, end: u64) -> Option<f64> {
        let (windows, width) = self.between(from, end);
        let count: u64 = windows.iter().map(|window| window.count).sum();
        (!windows.is_empty()).then(|| count as f64 / (windows.len() as u64 * width) as f64)
    }

    /// Half the width of the 95 % interval of that; none where there are too few windows.
    pub fn rate_half_width(&self, from: u64, end: u64) -> Option<f64> {
        let (windows, width) = self.between(from, end);
        let (batches, size) = batches(&windows)?;
        let rates: Vec<f64> = batches.iter().map(|batch| batch.count as f64 / (size * width) as f64).collect();
        interval::half_width(&rates)
    }

    /// Half the width of the 95 % interval of the values' mean; none where a batch has no value.
    pub fn mean_half_width(&self, from: u64, end: u64) -> Option<f64> {
        let (windows, _) = self.between(from, end);
        let (batches, _) = batches(&windows)?;
        let means: Vec<f64> = batches.iter().map(|batch| batch.mean()).collect();
        interval::half_width(&means).filter(|half| half.is_finite())
    }

    /// The windows from `from` to `end`, and their length.
    fn between(&self, from: u64, end: u64) -> (Vec<Window>, u64) {
        let whole = self.until(end);
        let skipped = from.saturating_sub(whole.from).div_ceil(whole.width) as usize;
        (whole.windows.into_iter().skip(skipped).collect(), whole.width)
    }
}

impl Window {
    fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }
}

/// Batches, the last windows in the last, and how many windows each has.
fn batches(windows: &[Window]) -> Option<(Vec<Window>, u64)> {
    let size = windows.len() / BATCHES;
    let rest = windows.len() - size * BATCHES;
    let batch = |windows: &[Window]| Window {
        count: windows.iter().map(|window| window.count).sum(),
        sum: windows.iter().map(|window| window.sum).sum(),
    };
    (size > 0).then(|| (windows[rest..].chunks(size).map(batch).collect(), size as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rng;
    use rand::RngExt;

    /// Values at random around 100, `more(at)` on top.
    fn series(seed: u64, end: u64, more: impl Fn(u64) -> u64) -> TimeSeries {
        let mut random = rng::stream(seed, "a series");
        let mut series = TimeSeries::default();
        (0..end).for_each(|at| series.add(at, random.random_range(0..=200) + more(at)));
        series
    }

    #[test]
    fn windows_double_and_lose_nothing() {
        let whole = series(1, 100_000, |_| 0).until(100_000);
        assert!((WINDOWS_MAX / 2..=WINDOWS_MAX).contains(&whole.windows.len()), "{}", whole.windows.len());
        let count: u64 = whole.windows.iter().map(|window| window.count).sum();
        assert_eq!(count, 100_000 / whole.width * whole.width);
        assert_eq!(whole.rate(0, 100_000), Some(1.0));
        assert_eq!(TimeSeries::since(50).rate(50, 90), Some(0.0), "windows without values are windows");
    }

    #[test]
    fn a_warm_up_is_found_where_it_was_made() {
        for seed in 0..20 {
            assert!(series(seed, 20_000, |_| 0).warm_up(20_000).at().expect("it is steady") < 5_000);
            let end = series(seed, 20_000, |at| if at < 4_000 { 60 } else { 0 }).warm_up(20_000).at();
            assert!((3_900..6_500).contains(&end.expect("it settles")), "{end:?}");
            assert_eq!(series(seed, 20_000, |at| at / 50).warm_up(20_000), WarmUp::Never, "it never settles");
        }
    }

    #[test]
    fn nineteen_intervals_of_twenty_hold_the_mean() {
        let holds = |seed: &u64| {
            let series = series(*seed, 4_000, |_| 0);
            let values: f64 = series.windows.iter().map(|window| window.sum as f64).sum();
            (values / 4_000.0 - 100.0).abs() <= series.mean_half_width(0, 4_000).expect("20 batches")
        };
        let held = (0..400).filter(holds).count();
        // Of 400 at 95 %: 380 ± 4.4, one standard deviation.
        assert!((362..=395).contains(&held), "{held}");
    }

    #[test]
    fn means_leave_out_windows_that_are_empty_or_not_full() {
        let mut few = TimeSeries::default();
        [(0, 1), (0, 3), (1, 5), (1, 7), (3, 9)].iter().for_each(|&(at, value)| few.add(at, value));
        assert_eq!(few.means(0, 4), (vec![2.0, 6.0, 9.0], 1));
        assert_eq!(few.means(1, 3), (vec![6.0], 1));
        assert_eq!([few.count(0, 4), few.count(1, 3), few.count(2, 9)], [5, 2, 1]);
        assert_eq!(few.means_of_full(2), (vec![2.0, 6.0], 1));
        let (means, width) = series(1, 5_000, |_| 0).means_of_full(1);
        assert_eq!((means.len() as u64, width), (5_000 / width, 8));
    }

    #[test]
    fn short_series_report_unknown() {
        let short = series(1, 15, |_| 0);
        assert_eq!(short.warm_up(15), WarmUp::Unknown);
        assert_eq!((short.mean_half_width(0, 15), short.rate_half_width(0, 15)), (None, None));
        assert_eq!(TimeSeries::default().rate(0, 0), None);
    }
}
