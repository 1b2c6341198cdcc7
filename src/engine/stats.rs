//! Statistics of times.

use super::time::Time;

/// Times, sorted; every figure is exact.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    sorted: Vec<Time>,
}

impl FromIterator<Time> for Summary {
    fn from_iter<I: IntoIterator<Item = Time>>(times: I) -> Summary {
        let mut sorted: Vec<Time> = times.into_iter().collect();
        sorted.sort_unstable();
        Summary { sorted }
    }
}

impl Summary {
    /// The mean, in microseconds; zero of none.
    pub fn mean_us(&self) -> f64 {
        let sum: u128 = self.sorted.iter().map(|time| u128::from(time.ps())).sum();
        sum as f64 / 1e6 / self.sorted.len().max(1) as f64
    }

    /// The least; zero of none.
    pub fn min(&self) -> Time {
        self.sorted.first().copied().unwrap_or_default()
    }

    /// The greatest; zero of none.
    pub fn max(&self) -> Time {
        self.sorted.last().copied().unwrap_or_default()
    }

    /// The least time that at least `percent` of the times do not exceed; zero of none.
    pub fn percentile(&self, percent: f64) -> Time {
        let rank = (percent / 100.0 * self.sorted.len() as f64).ceil() as usize;
        self.sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }
}
