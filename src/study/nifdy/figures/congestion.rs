//! Figure 5: pending packets per receiver over time, without and with NIFDY.

use super::super::axes::{metric, pending};
use super::super::shapes::real::{BLACK, longest_pile};
use super::made;
use crate::engine::Map;
use crate::report::{Artifact, Axis, Column, HeatMap, Panel, Table};
use crate::study::experiment::Results;

/// The panels: point, and name.
const PANELS: [(&str, &str); 2] = [("shift/none", "without NIFDY"), ("shift-nifdy/nifdy", "with NIFDY")];

/// The most columns that are drawn; more are drawn as their means.
const COLUMNS_MAX: usize = 240;

/// The map.
pub fn map(results: &Results) -> Artifact {
    let mut table = Table::new(vec![
        Column::new(""),
        Column::unit("whole shift", "cycles"),
        Column::unit("most pending for a receiver", "packets"),
        Column::unit(format!("longest with {} or more", BLACK / 2), "cycles"),
    ]);
    let mut panels = Vec::new();
    for (point, name) in PANELS {
        let map = pending(results, point);
        table.push(vec![
            name.into(),
            metric(results, point, "shift.cycles").into(),
            metric(results, point, "shift.pending_max").into(),
            map.map(|map| longest_pile(map) as f64).into(),
        ]);
        panels.extend(map.map(|map| panel(name, map)));
    }
    let title = "Figure 5: pending packets per receiver, cyclic shift on a 32-node CM-5 network";
    let chart = HeatMap {
        title: title.into(),
        x: Axis::new("time [10³ cycles]"),
        y: "receiver".into(),
        shades: "pending packets".into(),
        most: f64::from(BLACK),
        panels,
    };
    let caption = "Packets that were sent to a receiver and that it has not accepted yet, no barriers in either case: white for none, black for 20 or more, as in the paper. Both move the same packets.";
    made("figure-5", title, caption, Some(chart.svg()), table)
}

fn panel(name: &str, map: &Map) -> Panel {
    let every = map.columns.div_ceil(COLUMNS_MAX).max(1);
    let mean = |cells: &[u32]| cells.iter().map(|cell| f64::from(*cell)).sum::<f64>() / cells.len() as f64;
    let rows = (0..map.rows).map(|row| map.row(row).chunks(every).map(mean).collect());
    Panel { name: name.into(), rows: rows.collect(), to: (map.columns as u64 * map.every_cycles) as f64 / 1000.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_samples_than_are_drawn_are_drawn_as_means() {
        let values = (0..2).flat_map(|row| (0..480).map(move |column| 10 * row + column % 2)).collect();
        let map = Map { name: "pending", unit: "", rows: 2, columns: 480, every_cycles: 50, values };
        let panel = panel("a", &map);
        assert_eq!((panel.rows.len(), panel.rows[1].len(), panel.to), (2, 240, 24.0));
        assert_eq!((panel.rows[0][7], panel.rows[1][239]), (0.5, 10.5));
    }
}
