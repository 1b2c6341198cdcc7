//! Axes of figures, as data.

use crate::report::chart::{Labels, Scale};
use crate::report::number;
use crate::report::{Axis, Column};
use narrows_core::text::Table;

/// An axis, and the column of a table that holds what it shows.
#[derive(Clone, Debug)]
pub struct Shown {
    name: String,
    unit: String,
    decimals: Option<usize>,
    scale: Scale,
    labels: Labels,
    from: Option<f64>,
    to: Option<f64>,
}

impl Shown {
    /// Reads one.
    pub fn read(t: &mut Table<'_>) -> Shown {
        let scales = [("linear", Scale::Linear), ("log2", Scale::Log2), ("log10", Scale::Log10)];
        let labels = [("plain", Labels::Plain), ("bytes", Labels::Bytes)];
        let decimals =
            t.count("decimals", "Decimals in tables; four significant digits if left out").max(12).optional();
        let shown = Shown {
            name: t.text("name", "What it shows").required(),
            unit: t.text("unit", "Its unit").or(""),
            decimals: decimals.map(|decimals| decimals as usize),
            scale: t.choice("scale", "How values lie on it", &scales).or("linear"),
            labels: t.choice("labels", "How its ticks are written", &labels).or("plain"),
            from: t.number("from", "Where it begins").optional(),
            to: t.number("to", "Where it ends").optional(),
        };
        if let (Some(from), Some(to)) = (shown.from, shown.to)
            && from >= to
        {
            t.wrong("to", "an axis ends after it begins", "");
        }
        shown
    }

    /// The axis of a chart.
    pub fn axis(&self) -> Axis {
        let unit = number::unit(&self.unit);
        let title = if unit.is_empty() { self.name.clone() } else { format!("{} [{unit}]", self.name) };
        Axis { title, scale: self.scale, labels: self.labels, from: self.from, to: self.to }
    }

    /// The column for the axis itself.
    pub fn column(&self) -> Column {
        self.column_of(&self.name)
    }

    /// A column of what the axis shows.
    pub fn column_of(&self, name: &str) -> Column {
        let column = Column::unit(name, &self.unit);
        self.decimals.map_or(column.clone(), |decimals| column.decimals(decimals))
    }

    /// A linear axis without unit.
    #[cfg(test)]
    pub fn plain(name: &str) -> Shown {
        let (scale, labels) = (Scale::Linear, Labels::Plain);
        Shown { name: name.into(), unit: String::new(), decimals: None, scale, labels, from: None, to: None }
    }
}
