//! The verdicts of a study with several seeds.

use super::folder_with_study;
use crate::common::cli::{narrows, stderr};
use serde_json::Value as Json;
use std::fs;

/// Judges claims on random traffic with three seeds, one of which holds with the seed of the description alone.
#[test]
fn verdicts_that_depend_on_the_seed_are_listed() {
    let folder = folder_with_study("seeds");
    let write = |file: &str, text: &str| fs::write(folder.0.join(file), text).expect("the file can be written");
    write(
        "study.toml",
        "title = 'random'\n[artifacts]\nlatency = ['latency']\n[values.latency]\npoint = 'latency/{seed}'\n\
         metric = 'offered.latency'\n",
    );
    write(
        "experiments.toml",
        "[axes.seed]\n7 = ['run.seed=7']\n8 = ['run.seed=8']\n[experiments.latency]\nbase = 'machine.toml'\n\
         axes = ['seed']\n",
    );
    write(
        "machine.toml",
        "[fabric.mesh]\nshape = [4, 4]\n[workload.offered]\nload = 0.2\nwarm-up = 100\ncycles = 200\n",
    );
    write("figures.toml", "");
    let claim = |id: &str, expected: f64, tolerance: f64| {
        format!(
            "[[claim]]\nid = '{id}'\nartifact = 'latency'\nstatement = 's'\nkind = 'number'\nunit = 'cycles'\n\
             value = 'latency[7]'\nexpected = {expected:?}\ntolerance = {tolerance:?}\n"
        )
    };
    let reproduce = |arguments: &[&str]| {
        let output = narrows(&[&["reproduce", folder.root(), "--format", "json"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice::<Json>(&output.stdout).expect("the text is JSON")
    };
    write("claims.toml", &claim("loose", 10.0, 100.0));
    let mean = reproduce(&[])["claims"][0]["measured"].as_f64().expect("the claim is judged");
    write("claims.toml", &(claim("loose", mean, 100.0) + &claim("exact", mean, 1e-9)));
    let report = reproduce(&["--seeds", "3"]);
    let is_seeds = |artifact: &&Json| artifact["id"] == "seeds";
    let table = report["artifacts"].as_array().and_then(|artifacts| artifacts.iter().find(is_seeds));
    let table = table.expect("the verdicts with several seeds are compared");
    assert_eq!(table["title"], "With 3 seeds the verdict of exact depends on the seed");
    let rows = table["rows"].as_array().expect("values differ");
    assert_eq!(rows.iter().map(|row| &row[0]).collect::<Vec<_>>(), ["exact", "loose"]);
    assert_eq!(reproduce(&[])["claims"], report["claims"], "the claims are those of the seeds of the descriptions");
}
