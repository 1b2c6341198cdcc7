//! Tables and charts of the paper, from results. Bars and curves of the paper are pictures without
//! numbers, so none of its marks are drawn.
//!
//! | file | draws |
//! |---|---|
//! | `table.rs` | Table 3, and what the search found |
//! | `equations.rs` | Equations 1 to 4 |
//! | `bars.rs` | Figures 2, 3, 6 to 9: bars by network |
//! | `curves.rs` | Figure 4, bulk windows, and the extensions |
//! | `congestion.rs` | Figure 5 |

mod bars;
mod congestion;
mod curves;
mod equations;
mod table;

use super::super::claims::Stated;
use super::super::experiment::Results;
use super::axes::{NODES, NODES_LARGE, Varied};
use crate::report::{Artifact, Cell, Column, Series, Table};

/// The artifact `id`, drawn; a figure of several parts gives several.
pub fn artifact(id: &str, results: &Results, _claims: &[Stated]) -> Vec<Artifact> {
    let all: Vec<u64> = NODES.into_iter().chain(NODES_LARGE).collect();
    match id {
        "table-3" => table::networks(results),
        "equations" => equations::artifacts(results),
        "figure-2" => vec![bars::synthetic("figure-2", "heavy", results)],
        "figure-3" => vec![bars::synthetic("figure-3", "light", results)],
        "windows" => vec![curves::windows(results)],
        "figure-4" => [Varied::Pool, Varied::Outstanding].map(|of| curves::scaling(of, &NODES, "", results)).into(),
        "figure-4-large" => {
            let large = |of| curves::scaling(of, &all, "-large", results);
            vec![large(Varied::Pool), large(Varied::Outstanding), curves::state(&all, results)]
        }
        "figure-5" => vec![congestion::map(results)],
        "figure-6" => vec![bars::shift(results)],
        "figure-7" => vec![bars::em3d("figure-7", "light", results)],
        "figure-8" => vec![bars::em3d("figure-8", "heavy", results)],
        "figure-9" => bars::radix(results),
        "extensions" => vec![curves::losses(results), bars::adaptive(results)],
        "search" => vec![table::search(results)],
        other => panic!("the study draws no artifact {other}"),
    }
}

/// An artifact of these parts.
fn made(id: &str, title: &str, caption: &str, svg: Option<String>, table: Table) -> Artifact {
    Artifact { id: id.into(), title: title.into(), caption: caption.into(), svg, table: Some(table) }
}

/// A table with the points of lines: a row for each position on the axis below.
fn columns_of(x: Column, unit: &str, series: &[Series]) -> Table {
    let heads = series.iter().map(|series| Column::unit(&series.name, unit));
    let mut table = Table::new(std::iter::once(x).chain(heads).collect());
    let mut at: Vec<f64> = series.iter().flat_map(|series| &series.points).map(|point| point.0).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    for x in at {
        let value = |series: &Series| series.points.iter().find(|point| point.0 == x).map(|point| point.1);
        table.push(std::iter::once(Cell::Number(x)).chain(series.iter().map(|s| value(s).into())).collect());
    }
    table
}

/// Values over positions; positions without a value are left out.
fn over<'a>(positions: impl IntoIterator<Item = &'a u64>, value: impl Fn(u64) -> Option<f64>) -> Vec<(f64, f64)> {
    positions.into_iter().filter_map(|at| Some((*at as f64, value(*at)?))).collect()
}
