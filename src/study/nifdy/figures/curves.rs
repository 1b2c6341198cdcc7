//! Figure 4, bulk windows, and goodput over a lossy fabric.

use super::super::axes::{self, SIZES, Varied, WINDOWS, network};
use super::super::shapes::synthetic::{LOSSES, goodput, window_score};
use super::{columns_of, made, over};
use crate::report::{Artifact, Axis, Column, LineChart, Series, Table};
use crate::study::experiment::Results;

/// A part of Figure 4: throughput by machine size.
pub fn scaling(varied: Varied, nodes: &[u64], suffix: &str, results: &Results) -> Artifact {
    let (letter, other) = match varied {
        Varied::Pool => ("B", "O"),
        Varied::Outstanding => ("O", "B"),
    };
    let line = |value: &u64| {
        let times = over(nodes, |nodes| axes::scaled(results, varied, nodes, *value));
        Series::line(format!("{letter} = {value}"), times)
    };
    let series: Vec<Series> = SIZES.iter().map(line).collect();
    let table = columns_of(Column::new("nodes"), "", &series);
    let title = format!("Figure 4: throughput of fat trees by {letter}");
    let chart = LineChart {
        title: title.clone(),
        x: Axis::new("nodes").log2(),
        y: Axis::new("throughput [multiple of no NIFDY]"),
        series,
    };
    let caption = format!(
        "Packets delivered on the full fat tree under heavy traffic, no bulk dialogs, {other} = 8, as a multiple of those without NIFDY."
    );
    let id = format!("figure-4{suffix}-{}", varied.key());
    made(&id, &title, &caption, Some(chart.svg()), table)
}

/// State at each node by machine size.
pub fn state(nodes: &[u64], results: &Results) -> Artifact {
    let series = vec![Series::line("B = 8, O = 8", over(nodes, |nodes| axes::state(results, nodes)))];
    let table = columns_of(Column::new("nodes"), "B", &series);
    let title = "NIFDY's state at a node by machine size";
    let chart =
        LineChart { title: title.into(), x: Axis::new("nodes").log2(), y: Axis::new("state at a node [B]"), series };
    let caption = "Bytes that NIFDY keeps at a node: they depend on B, O, D and W, and not on the machine.";
    made("figure-4-large-state", title, caption, Some(chart.svg()), table)
}

/// Throughput by bulk window.
pub fn windows(results: &Results) -> Artifact {
    let line = |key: &str| Series::line(network(key).name, over(&WINDOWS, |window| window_score(results, key, window)));
    let series: Vec<Series> = ["fat-tree", "cm-5", "butterfly"].into_iter().map(line).collect();
    let table = columns_of(Column::new("window"), "", &series);
    let title = "§4.1: throughput by the window of bulk dialogs";
    let chart = LineChart {
        title: title.into(),
        x: Axis::new("window [packets], 0: no dialogs"),
        y: Axis::new("throughput [multiple of no dialogs]"),
        series,
    };
    let caption = "The mean over heavy and light traffic; O = 8, B = 8.";
    made("windows", title, caption, Some(chart.svg()), table)
}

/// Goodput by loss rate.
pub fn losses(results: &Results) -> Artifact {
    let mut table = Table::new(vec![
        Column::new("part of the frames lost"),
        Column::new("packets delivered"),
        Column::new("part of those without losses"),
        Column::new("frames dropped"),
    ]);
    let mut points = Vec::new();
    for loss in LOSSES {
        let metric = |name: &str| axes::metric(results, &format!("lossy/{loss}"), name);
        let part = goodput(results, loss);
        let lost: f64 = loss.parse().expect("a number");
        table.push(vec![
            lost.into(),
            metric("packets.delivered").into(),
            part.into(),
            metric("packets.dropped").into(),
        ]);
        points.extend(part.map(|part| (lost * 100.0, part)));
    }
    let title = "§6.2: goodput over a fabric that loses frames";
    let chart = LineChart {
        title: title.into(),
        x: Axis::new("frames lost [%]"),
        y: Axis::new("goodput [part of that without losses]"),
        series: vec![Series::line("full fat tree, heavy traffic", points)],
    };
    let caption = "Packets and acknowledgements are lost alike; what is not acknowledged within 150 us (about 5000 cycles) is sent again, and no packet is delivered twice.";
    made("extensions-loss", title, caption, Some(chart.svg()), table)
}
