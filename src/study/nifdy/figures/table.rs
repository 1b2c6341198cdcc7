//! Table 3, the latencies behind it, and what the search found.

use super::super::axes::{NETWORKS, metric};
use super::super::{search, volume};
use super::made;
use crate::report::{Artifact, Axis, BarChart, Cell, Column, LineChart, Series, Table};
use crate::study::experiment::Results;

/// Table 3, and latency by distance.
pub fn networks(results: &Results) -> Vec<Artifact> {
    let mut table = Table::new(vec![
        Column::new("network"),
        Column::unit("T_lat(d)", "cycles"),
        Column::unit("distances", "hops"),
        Column::unit("largest deviation", "cycles"),
        Column::unit("volume", "packets/node"),
        Column::new("D"),
        Column::new("W"),
        Column::new("B"),
        Column::new("O"),
    ]);
    let mut series = Vec::new();
    for network in &NETWORKS {
        let latency = |distance: u64| {
            metric(results, &format!("zero-load/{}", network.key), &format!("zero_load.d{distance}.latency_max"))
        };
        let apart = network.distances.iter().map(|d| Some((latency(*d)? - network.latency.at(*d) as f64).abs()));
        let apart: Option<f64> = apart.collect::<Option<Vec<f64>>>().map(|apart| apart.into_iter().fold(0.0, f64::max));
        let ends = (network.distances[0], network.distances[network.distances.len() - 1]);
        let best = network.best;
        table.push(vec![
            network.name.into(),
            network.latency.text().into(),
            if ends.0 == ends.1 { ends.0.to_string() } else { format!("{} to {}", ends.0, ends.1) }.into(),
            apart.into(),
            volume::volume(network.key, network.ports).into(),
            best.dialogs.into(),
            best.window.into(),
            best.pool.into(),
            best.outstanding.into(),
        ]);
        series.push(Series::line(network.name, super::over(network.distances, latency)));
    }
    let caption = "Each network's formula, how far the simulated latency of any two nodes is from it, and the packets its buffers hold; beside them the paper's best NIFDY parameters, which the runs use (the mesh's stand in a cell merged with the torus's). T_lat is of the header, with store-and-forward of the tail.";
    let chart = LineChart {
        title: "Latency at zero load by distance".into(),
        x: Axis::new("distance [hops]"),
        y: Axis::new("latency [cycles]").log10(),
        series,
    };
    vec![made("table-3", "Table 3: the networks", caption, Some(chart.svg()), table)]
}

/// The paper's parameters and the best found.
pub fn search(results: &Results) -> Artifact {
    let heads = ["network", "best found", "score", "in the paper", "score", "part of the best"];
    let mut table = Table::new(heads.map(Column::new).into());
    let (mut names, mut own, mut best) = (Vec::new(), Vec::new(), Vec::new());
    for network in &NETWORKS {
        let Some((cycles, sets)) = search::last(results, network) else { continue };
        let (set, most) = sets[0];
        let score = search::score(results, network, &network.best, cycles);
        table.push(vec![
            network.name.into(),
            set.text().into(),
            most.into(),
            network.best.text().into(),
            score.into(),
            Cell::from(score.map(|score| score / most)),
        ]);
        names.push(network.name);
        own.push(score.unwrap_or(f64::NAN));
        best.push(most);
    }
    let title = "Table 3: the best parameters, by search";
    let axis = "throughput [multiple of no NIFDY]";
    let chart = BarChart::grouped(title, axis, &names, &[("the paper's", own), ("best found", best)]);
    let caption = "Successive halving over O, B, D and W: all sets run for 50 000 cycles under both loads, the best third goes on for twice as long, up to a million cycles (less under --quick). Score: the mean over both loads of the throughput as a multiple of that without NIFDY.";
    made("search", title, caption, Some(chart.svg()), table)
}
