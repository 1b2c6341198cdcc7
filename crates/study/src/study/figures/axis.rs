//! The axes of figures, as data.

use super::decimals;
use crate::report::chart::{LabelFormat, Scale};
use crate::report::number;
use crate::report::{Axis, Column};
use narrows_core::text::Table;

/// The description of an axis. It also describes a column of a table with the same quantity.
#[derive(Clone, Debug)]
pub struct AxisSpec {
    name: String,
    unit: String,
    decimals: Option<usize>,
    scale: Scale,
    labels: LabelFormat,
    from: Option<f64>,
    to: Option<f64>,
}

impl AxisSpec {
    /// Reads an axis.
    pub fn read(t: &mut Table<'_>) -> AxisSpec {
        let scales = [("linear", Scale::Linear), ("log2", Scale::Log2), ("log10", Scale::Log10)];
        let labels = [("plain", LabelFormat::Plain), ("bytes", LabelFormat::Bytes)];
        let decimals = decimals(t, "decimals", "Number of decimals in tables; four significant digits if left out");
        let axis = AxisSpec {
            name: t.text("name", "Quantity that the axis shows").required(),
            unit: t.text("unit", "Unit of the quantity").or(""),
            decimals,
            scale: t.choice("scale", "Scale of the axis", &scales).or("linear"),
            labels: t.choice("labels", "Format of the tick labels", &labels).or("plain"),
            from: t.number("from", "Start of the axis").optional(),
            to: t.number("to", "End of the axis").optional(),
        };
        if let (Some(from), Some(to)) = (axis.from, axis.to)
            && from >= to
        {
            t.report_invalid("to", "the end of an axis must be greater than its start", "");
        }
        axis
    }

    /// Returns the axis of a chart.
    pub fn axis(&self) -> Axis {
        let unit = number::display_unit(&self.unit);
        let title = if unit.is_empty() { self.name.clone() } else { format!("{} [{unit}]", self.name) };
        Axis { title, scale: self.scale, labels: self.labels, from: self.from, to: self.to }
    }

    /// Returns the column of the axis itself.
    pub fn column(&self) -> Column {
        self.column_of(&self.name)
    }

    /// Returns a column with the name `name` for the quantity of the axis.
    pub fn column_of(&self, name: &str) -> Column {
        Column { decimals: self.decimals, ..Column::unit(name, &self.unit) }
    }

    /// Returns a linear axis without a unit.
    #[cfg(test)]
    pub fn plain(name: &str) -> AxisSpec {
        let (scale, labels) = (Scale::Linear, LabelFormat::Plain);
        AxisSpec { name: name.into(), unit: String::new(), decimals: None, scale, labels, from: None, to: None }
    }
}
