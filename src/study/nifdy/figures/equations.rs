//! Equations 1 to 4 beside streams between two nodes.

use super::super::axes::{NETWORKS, interval, network};
use super::super::formula::{self, LINK};
use super::super::shapes::equations::{FAR, PROCESSORS, RECEIVE, bulk, bulk_windows, paired};
use super::{columns_of, made, over};
use crate::report::{Artifact, Axis, Column, LineChart, Series, Style, Table};
use crate::study::experiment::Results;

/// Bytes of a packet beside its header, as Equation 1 counts them.
const PAYLOAD: f64 = 28.0;

/// A formula's line, in the colour of the series it is about.
fn formula_line(name: impl Into<String>, points: Vec<(f64, f64)>, about: usize) -> Series {
    Series { like: Some(about), ..Series::line(name, points).style(Style::Dashed) }
}

/// All of them.
pub fn artifacts(results: &Results) -> Vec<Artifact> {
    vec![unhindered(results), round_trips(results), scalar(results), windows(results)]
}

/// What limits a pair without NIFDY, with T_send and T_receive.
const LIMITS: [(&str, &str, u64, u64); 3] =
    [("receive", "T_receive", 40, 60), ("send", "T_send", 80, 60), ("link", "T_link", 10, 10)];

fn unhindered(results: &Results) -> Artifact {
    let mut table = Table::new(vec![
        Column::new("limit"),
        Column::unit("d", "hops"),
        Column::unit("between packets", "cycles"),
        Column::unit("by the equation", "cycles"),
        Column::unit("bandwidth", "B/cycle"),
    ]);
    for (key, name, send, receive) in LIMITS {
        for distance in [1, 6, 14] {
            let measured = interval(results, &format!("pair-plain/{key}/{distance:02}"));
            table.push(vec![
                name.into(),
                distance.into(),
                measured.into(),
                formula::unhindered(send, receive).into(),
                measured.map(|cycles| PAYLOAD / cycles).into(),
            ]);
        }
    }
    let caption = "A stream from node 0 of the 8x8 mesh without NIFDY: T_send, T_receive or T_link limits it at every distance. A packet has 28 B beside its header.";
    made("equations-1", "Equation 1: bandwidth without NIFDY", caption, None, table)
}

fn round_trips(results: &Results) -> Artifact {
    let (mesh, tree) = (&NETWORKS[3], &NETWORKS[0]);
    let on_tree = |distance| interval(results, &format!("pair-idle-tree/{distance}"));
    let series = vec![
        Series::line(mesh.name, over(mesh.distances, |d| paired(results, "pair-idle", d))),
        Series::line(tree.name, over(tree.distances, on_tree)),
        formula_line("Equation 2, mesh", over(mesh.distances, |d| Some(mesh.latency.round_trip(d) as f64)), 0),
        formula_line("Equation 2, fat tree", over(tree.distances, |d| Some(tree.latency.round_trip(d) as f64)), 1),
    ];
    let table = columns_of(Column::unit("d", "hops"), "cycles", &series);
    let title = "Equation 2: round trip of a scalar packet";
    let chart =
        LineChart { title: title.into(), x: Axis::new("distance [hops]"), y: Axis::new("round trip [cycles]"), series };
    let caption =
        "Cycles between scalar packets to one receiver that is idle when they arrive (its software takes 1 cycle).";
    made("equations-2", title, caption, Some(chart.svg()), table)
}

fn scalar(results: &Results) -> Artifact {
    let mesh = network("mesh");
    let rate = |cycles: f64| PAYLOAD / cycles;
    let series = vec![
        Series::line("scalar packets", over(mesh.distances, |d| paired(results, "pair-scalar", d).map(rate))),
        formula_line(
            "Equations 1 and 2",
            over(mesh.distances, |d| Some(rate(formula::scalar(mesh.latency.round_trip(d) as f64, RECEIVE)))),
            0,
        ),
    ];
    let table = columns_of(Column::unit("d", "hops"), "B/cycle", &series);
    let title = "§2.4.1: bandwidth of scalar packets on the 8x8 mesh";
    let chart =
        LineChart { title: title.into(), x: Axis::new("distance [hops]"), y: Axis::new("bandwidth [B/cycle]"), series };
    let caption = "T_send = 40 and T_receive = 60 cycles: full bandwidth as far as a round trip takes no more than 60 cycles, d = 3.";
    made("equations-scalar", title, caption, Some(chart.svg()), table)
}

fn windows(results: &Results) -> Artifact {
    let trip = network("mesh").latency.round_trip(FAR) as f64;
    let all: Vec<u64> = bulk_windows().collect();
    let mut series = Vec::new();
    for (processor, limit) in PROCESSORS {
        let fast = if limit == LINK as f64 { "T_link limits" } else { "T_receive limits" };
        for (each, name, equation) in [(false, "half-window", 3), (true, "each packet", 4)] {
            let measured = over(&all, |window| Some(PAYLOAD / bulk(results, processor, each, window)?));
            let expected = over(&all, |window| Some(PAYLOAD / formula::bulk(trip, limit, window, each)));
            series.push(Series::line(format!("{name}, {fast}"), measured));
            let about = series.len() - 1;
            series.push(formula_line(format!("Equation {equation}, {fast}"), expected, about));
        }
    }
    let table = columns_of(Column::unit("W", "packets"), "B/cycle", &series);
    let title = "Equations 3 and 4: bandwidth of a bulk dialog by its window";
    let chart = LineChart {
        title: title.into(),
        x: Axis::new("window [packets]").log2(),
        y: Axis::new("bandwidth [B/cycle]"),
        series,
    };
    let caption = "Corner to corner of the 8x8 mesh, 144 cycles there and back; an acknowledgement for half a window (Equation 3) or for each packet (Equation 4).";
    made("equations-3-4", title, caption, Some(chart.svg()), table)
}
