//! Axes: range, ticks and tick labels.

use super::label;
use crate::report::number::significant;

/// The scale of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// A linear scale.
    #[default]
    Linear,
    /// A logarithmic scale with ticks at powers of two.
    Log2,
    /// A logarithmic scale with ticks at powers of ten.
    Log10,
}

/// The format of tick labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LabelFormat {
    /// Numbers.
    #[default]
    Plain,
    /// Sizes of data, such as 64, 512, 1 KiB and 2 MiB.
    Bytes,
}

/// An axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Axis {
    /// The title with its unit, such as `payload [B]`.
    pub title: String,
    /// The scale.
    pub scale: Scale,
    /// The format of tick labels.
    pub labels: LabelFormat,
    /// The start of the axis; by default the least value, or 0.
    pub from: Option<f64>,
    /// The end of the axis; by default the greatest value.
    pub to: Option<f64>,
}

/// The ratio of the least value to the greatest up to which an axis starts at 0.
const ZERO_START_RATIO_MAX: f64 = 0.7;

/// The range and ticks of an axis for given data. On a logarithmic axis, positions are logarithms.
pub struct Ticks {
    /// The first and last position.
    pub range: (f64, f64),
    /// Positions and labels, ascending.
    pub ticks: Vec<(f64, String)>,
}

impl Ticks {
    /// Returns the label of the tick at `position`.
    pub fn label(&self, position: f64) -> String {
        self.ticks.iter().find(|tick| tick.0 == position).map_or(String::new(), |tick| tick.1.clone())
    }
}

impl Axis {
    /// Returns a linear axis.
    pub fn new(title: impl Into<String>) -> Axis {
        Axis { title: title.into(), ..Axis::default() }
    }

    /// Returns the axis with a logarithmic scale and ticks at powers of two.
    pub fn log2(self) -> Axis {
        Axis { scale: Scale::Log2, ..self }
    }

    /// Returns the axis with a logarithmic scale and ticks at powers of ten.
    pub fn log10(self) -> Axis {
        Axis { scale: Scale::Log10, ..self }
    }

    /// Returns the axis with labels in sizes of data.
    pub fn bytes(self) -> Axis {
        Axis { labels: LabelFormat::Bytes, ..self }
    }

    /// Returns the axis from `from` to `to`.
    pub fn range(self, from: f64, to: f64) -> Axis {
        Axis { from: Some(from), to: Some(to), ..self }
    }

    /// Returns the position of `value`, which is the value or its logarithm.
    pub fn position(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log2 => libm::log2(value),
            Scale::Log10 => libm::log10(value),
        }
    }

    /// Returns the range and ticks for `values`. A linear axis has about `tick_count` ticks; if `has_rounded_ends` is
    /// true, its ends are ticks.
    pub fn ticks(&self, values: impl Iterator<Item = f64>, has_rounded_ends: bool, tick_count: usize) -> Ticks {
        let positions = values.chain(self.from).chain(self.to).map(|x| self.position(x)).filter(|x| x.is_finite());
        let positions: Vec<f64> = positions.collect();
        let (low, high) = positions.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        // If all positions are whole numbers, so are the ticks.
        let is_whole = high - low >= 2.0 && positions.iter().all(|x| x.fract() == 0.0);
        match self.scale {
            Scale::Linear => self.linear(low, high, has_rounded_ends, (tick_count as f64, is_whole)),
            Scale::Log2 | Scale::Log10 => self.logarithmic(low, high),
        }
    }

    fn linear(&self, low: f64, high: f64, has_rounded_ends: bool, (tick_count, has_whole_ticks): (f64, bool)) -> Ticks {
        // An axis from 0 would flatten values that are close together.
        let from_zero =
            has_rounded_ends && self.from.is_none() && low > 0.0 && (low < ZERO_START_RATIO_MAX * high || low == high);
        let low = self.from.unwrap_or(if from_zero { 0.0 } else { low });
        let high = self.to.unwrap_or(if high > low { high } else { low + 1.0 });
        let step = match self.labels {
            LabelFormat::Plain if has_whole_ticks => whole_step((high - low) / tick_count),
            LabelFormat::Plain => nice_step((high - low) / tick_count),
            LabelFormat::Bytes => libm::exp2(libm::log2(((high - low) / 8.0).max(1.0)).ceil()),
        };
        let first = if has_rounded_ends && self.from.is_none() { (low / step).floor() } else { (low / step).ceil() };
        // The tolerance prevents another step after a last value that equals a tick.
        let last = if has_rounded_ends && self.to.is_none() {
            (high / step - 1e-9).ceil()
        } else {
            (high / step + 1e-9).floor()
        };
        let ticks: Vec<(f64, String)> =
            (first as i64..=last as i64).map(|i| i as f64 * step).map(|x| (x, self.label(x))).collect();
        let tick_or = |tick: Option<&(f64, String)>, value: f64| tick.map_or(value, |tick| tick.0);
        Ticks { range: (low.min(tick_or(ticks.first(), low)), high.max(tick_or(ticks.last(), high))), ticks }
    }

    fn logarithmic(&self, low: f64, high: f64) -> Ticks {
        let (low, high) = if high > low { (low, high) } else { (low - 0.5, high + 0.5) };
        let base: f64 = if self.scale == Scale::Log2 { 2.0 } else { 10.0 };
        let exponent_step = ((high - low) / 13.0).ceil().max(1.0) as i64;
        let is_within = |x: f64| x >= low - 1e-9 && x <= high + 1e-9;
        let powers = ((low - 1.0).floor() as i64..=high.ceil() as i64).filter(|i| i % exponent_step == 0);
        // In less than three decades, there are too few powers of ten.
        let mantissas: &[f64] = if self.scale == Scale::Log10 && high - low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let values = powers.flat_map(|i| mantissas.iter().map(move |mantissa| mantissa * base.powi(i as i32)));
        let ticks = values.map(|x| (self.position(x), self.label(x))).filter(|tick| is_within(tick.0)).collect();
        let margin = 0.02 * (high - low);
        Ticks { range: (low - margin, high + margin), ticks }
    }

    /// Returns the label of `value`.
    pub fn label(&self, value: f64) -> String {
        match self.labels {
            LabelFormat::Bytes => label::size(value),
            LabelFormat::Plain if self.scale == Scale::Linear => label::grouped(&significant(value, 6)),
            LabelFormat::Plain => label::power(value),
        }
    }
}

/// Returns the step of 1, 2 or 5 times a power of ten that is at least three quarters of `rough_step`.
fn nice_step(rough_step: f64) -> f64 {
    let power = libm::pow(10.0, libm::log10(rough_step).floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.map(|s| s * power).into_iter().find(|&s| s >= 0.75 * rough_step * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// Returns the result of [`nice_step`] as a whole number of at least 1.
fn whole_step(rough_step: f64) -> f64 {
    let step = nice_step(rough_step.max(1.0));
    step.round()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, values: &[f64]) -> Vec<String> {
        axis.ticks(values.iter().copied(), true, 6).ticks.into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn byte_labels_are_sizes() {
        let axis = Axis::new("size").log2().bytes();
        assert_eq!(labels(&axis, &[64.0, 1024.0]), ["64", "128", "256", "512", "1 KiB"]);
        assert_eq!(labels(&Axis::new("").bytes(), &[0.0, 8192.0]).last().unwrap(), "8 KiB");
        assert!(labels(&axis, &[1.0, 1e9]).len() <= 13);
    }

    #[test]
    fn linear_axes_start_at_zero_and_end_on_a_tick() {
        assert_eq!(labels(&Axis::new("y"), &[31.0, 118.0]), ["0", "20", "40", "60", "80", "100", "120"]);
        assert_eq!(labels(&Axis::new("y").range(0.0, 1.0), &[]), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(&Axis::new("y"), &[0.0, 0.3]).last().unwrap(), "0.3");
        assert_eq!(labels(&Axis::new("y"), &[81.5, 99.0]), ["80", "85", "90", "95", "100"]);
        assert_eq!(labels(&Axis::new("hops"), &[1.0, 3.0]), ["0", "1", "2", "3"]);
        assert_eq!(labels(&Axis::new("y"), &[600_000.0])[6], "600\u{2009}000");
    }

    #[test]
    fn log10_axes_have_short_labels() {
        assert_eq!(labels(&Axis::new("").log10(), &[10.0, 1e6]), ["10", "100", "1000", "10000", "10⁵", "10⁶"]);
        assert_eq!(labels(&Axis::new("").log10(), &[1.0, 20.0]), ["1", "2", "5", "10", "20"]);
    }

    #[test]
    fn axis_without_data_or_with_one_value_has_a_range() {
        for axis in [Axis::new(""), Axis::new("").log2(), Axis::new("").log10()] {
            for values in [&[][..], &[4.0][..], &[0.0][..], &[f64::NAN][..]] {
                let ticks = axis.ticks(values.iter().copied(), true, 6);
                assert!(ticks.range.0 < ticks.range.1 && ticks.range.1.is_finite(), "{axis:?} {values:?}");
            }
        }
    }
}
