//! Charts of cumulative distributions. They show the share of samples up to a value. With a logarithmic vertical axis,
//! they show the share above it, so that the tail is visible.

use super::samples::SampleSet;
use super::{RenderedPlot, axis_title, axis_unit, quantity_words};
use crate::report::chart::{Axis, LineChart, Series, Style};
use narrows_core::text::Problem;

/// The number of intervals of the horizontal axis. Only the last step of a line within an interval is drawn.
const X_INTERVALS: f64 = 1_500.0;

/// The description of a chart of cumulative distributions.
#[derive(Clone, Debug, Default)]
pub struct CdfSpec {
    /// The title. The default is the name of the quantity and the number of samples.
    pub title: Option<String>,
    /// Whether the axis of values is logarithmic, and whether the vertical axis shows the share above a value,
    /// logarithmically.
    pub log: (bool, bool),
}

impl CdfSpec {
    /// Renders a line for each set of samples.
    ///
    /// # Errors
    ///
    /// Reports sets of different units, and values that a logarithmic axis cannot show.
    pub fn draw(&self, sets: &[SampleSet]) -> Result<RenderedPlot, Problem> {
        let first = sets.first().ok_or_else(|| Problem::new("there are no samples to draw"))?;
        if let Some(other) = sets.iter().find(|set| set.unit != first.unit) {
            let message = format!("`{}` and `{}` are of different units", first.quantity, other.quantity);
            return Err(Problem::new(message).help("draw them in two charts"));
        }
        let values = || sets.iter().flat_map(|set| &set.steps).map(|(value, _)| *value);
        if self.log.0 && values().any(|value| value <= 0.0) {
            return Err(Problem::new("a logarithmic axis cannot show 0 or less").help("leave out --log x"));
        }
        if self.log.1 && sets.iter().all(|set| set.steps.len() < 2) {
            let problem = Problem::new("all samples are equal, so there is no tail to draw");
            return Err(problem.help("leave out --log y"));
        }
        let x_unit = axis_unit(&first.unit, values());
        let x = Axis::new(axis_title(&quantity_words(&first.quantity), &x_unit));
        let x = if self.log.0 { x.log10() } else { x };
        let series: Vec<Series> = sets.iter().map(|set| self.series(set, &x, x_unit.base_units)).collect();
        let y = match self.log.1 {
            true => Axis::new("share of samples above").log10(),
            false => Axis::new("share of samples up to").range(0.0, 1.0),
        };
        let samples: u64 = sets.iter().map(SampleSet::samples).sum();
        let title = self
            .title
            .clone()
            .unwrap_or_else(|| format!("Distribution of {}, {samples} samples", quantity_words(&first.quantity)));
        Ok(RenderedPlot { svg: LineChart { title, x, y, series, notes: Vec::new() }.svg(), left_out: 0 })
    }

    /// Returns the line of a set, with its values divided by `base_units`.
    fn series(&self, set: &SampleSet, x: &Axis, base_units: f64) -> Series {
        let end_positions =
            [set.steps.first(), set.steps.last()].map(|step| step.map_or(0.0, |step| x.position(step.0 / base_units)));
        let width = (end_positions[1] - end_positions[0]).max(f64::MIN_POSITIVE);
        let interval = |value: f64| ((x.position(value) - end_positions[0]) / width * X_INTERVALS) as i64;
        let (mut drawn_steps, mut cumulative): (Vec<(f64, u64)>, u64) = (Vec::new(), 0);
        for (value, count) in set.steps.iter().map(|(value, count)| (value / base_units, count)) {
            cumulative += count;
            match drawn_steps.last_mut().filter(|last| interval(last.0) == interval(value)) {
                Some(last) => *last = (value, cumulative),
                None => drawn_steps.push((value, cumulative)),
            }
        }
        let samples = set.samples();
        let share = |cumulative_count: u64| match self.log.1 {
            true => (samples - cumulative_count) as f64 / samples as f64,
            false => cumulative_count as f64 / samples as f64,
        };
        // Each step is a vertical and a horizontal edge. The share above the greatest sample is zero, which a
        // logarithmic axis cannot show.
        let previous_counts = [0].into_iter().chain(drawn_steps.iter().map(|(_, cumulative_count)| *cumulative_count));
        let corners =
            drawn_steps.iter().zip(previous_counts).flat_map(|((value, cumulative_count), previous_count)| {
                [(*value, share(previous_count)), (*value, share(*cumulative_count))]
            });
        let points = corners.filter(|(_, share)| !self.log.1 || *share > 0.0).collect();
        Series::line(set.name.clone(), points).style(Style::Curve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(steps: &[(f64, u64)]) -> SampleSet {
        let (quantity, unit) = ("message.latency".to_owned(), "s".to_owned());
        SampleSet { quantity, name: String::new(), unit, steps: steps.to_vec() }
    }

    fn points(log_y: bool, steps: &[(f64, u64)]) -> Vec<(f64, f64)> {
        CdfSpec { title: None, log: (false, log_y) }.series(&set(steps), &Axis::new(""), 1.0).points
    }

    #[test]
    fn lines_are_the_steps_of_the_distribution() {
        let steps = [(1.0, 1), (2.0, 2), (4.0, 1)];
        let up_to = [(1.0, 0.0), (1.0, 0.25), (2.0, 0.25), (2.0, 0.75), (4.0, 0.75), (4.0, 1.0)];
        assert_eq!(points(false, &steps), up_to);
        assert_eq!(points(true, &steps), [(1.0, 1.0), (1.0, 0.75), (2.0, 0.75), (2.0, 0.25), (4.0, 0.25)]);
    }

    #[test]
    fn many_steps_are_drawn_with_few_points() {
        let steps: Vec<(f64, u64)> = (0..100_000).map(|value| (f64::from(value), 1)).collect();
        let drawn = points(false, &steps);
        assert!(drawn.len() < 2 * X_INTERVALS as usize + 10 && drawn.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
        // Each step that is drawn is at its position in the distribution.
        assert!(drawn.chunks(2).all(|step| step[1].1 == (step[1].0 + 1.0) / 100_000.0));
        assert_eq!(drawn.last(), Some(&(99_999.0, 1.0)));
    }

    #[test]
    fn a_chart_has_a_readable_unit_and_a_line_for_each_set() {
        let named = |name: &str, steps: &[(f64, u64)]| SampleSet { name: name.to_owned(), ..set(steps) };
        let sets = [named("a", &[(1e-6, 1), (2e-6, 1)]), named("b", &[(1e-6, 9), (2e-5, 1)])];
        for log in [(false, false), (true, true)] {
            let svg = CdfSpec { title: None, log }.draw(&sets).expect("the samples can be drawn").svg;
            let picture = roxmltree::Document::parse(&svg).expect("the chart is XML");
            let texts: Vec<&str> = picture.descendants().filter_map(|node| node.text()).map(str::trim).collect();
            let share = if log.1 { "share of samples above" } else { "share of samples up to" };
            for words in ["message latency [µs]", share, "Distribution of message latency, 12 samples", "a", "b"] {
                assert!(texts.contains(&words), "no {words} in {texts:?}");
            }
        }
    }

    #[test]
    fn impossible_charts_are_reported() {
        let why = |log, sets: &[SampleSet]| {
            let problem = CdfSpec { title: None, log }.draw(sets).err().expect("the chart is impossible");
            format!("{} {}", problem.message, problem.help.join(" "))
        };
        assert!(why((true, false), &[set(&[(0.0, 1)])]).contains("leave out --log x"));
        assert!(why((false, true), &[set(&[(1.0, 5)])]).contains("leave out --log y"));
        let cycles = SampleSet { unit: "cycles".to_owned(), ..set(&[(1.0, 1)]) };
        assert!(why((false, false), &[set(&[(1.0, 1)]), cycles]).contains("different units"));
        assert!(why((false, false), &[]).contains("no samples"));
    }
}
