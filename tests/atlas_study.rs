//! Checks that the atlas has every shipped part, leaves out exactly the combinations that are refused, and writes the
//! description of each point that it ran.
//!
//! `study.rs` checks on a small study that a cell holds the result of its description. The atlas' claims are checked by
//! `narrows reproduce atlas --strict`, which takes minutes.

use narrows::machine::Registry;
use narrows::machine::{self, shipped};
use narrows::papers::builtins;
use narrows::study::{LocatedStudy, export, find};
use narrows::text::Document;
use std::collections::{BTreeMap, BTreeSet};

fn atlas_study() -> LocatedStudy {
    find("atlas", &builtins(Registry::shared())).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Each folder of parts, and the axis of the atlas that names the parts of this folder.
const AXES: [(&str, &str); 4] =
    [("hosts", "host"), ("ni", "interface"), ("protocols", "protocol"), ("fabrics", "fabric")];

#[test]
fn the_atlas_names_every_part_that_ships() {
    let located = atlas_study();
    let study = &located.read.value;
    for (folder, axis) in AXES {
        let prefix = format!("{folder}/");
        let shipped: BTreeSet<&str> = shipped::parts().iter().filter_map(|part| part.strip_prefix(&prefix)).collect();
        let values = study.experiments.axis(axis).expect("an axis of parts");
        let axis_values: BTreeSet<&str> = values.iter().map(|(value, _)| value.text.as_str()).collect();
        assert_eq!(axis_values, shipped, "papers/atlas/experiments.toml, [axes.{axis}]");
        let (_, value_names) =
            study.names.iter().find(|(axis_names, _)| axis_names.text == axis).expect("names of the axis' values");
        let named_values: BTreeSet<&str> = value_names.iter().map(|(value, _)| value.text.as_str()).collect();
        assert_eq!(named_values, shipped, "papers/atlas/study.toml, [names.{axis}]");
    }
}

#[test]
fn points_left_out_are_those_that_are_refused() {
    let located = atlas_study();
    let points = located.read.value.experiments.points(&located.location, &["bandwidth"], true, &[], 0);
    let points = points.unwrap_or_else(|faulty| panic!("{}", faulty[0].1));
    let point_names: BTreeSet<String> = points.into_iter().map(|point| point.name).collect();
    let short_name = |part: &'static str| part.rsplit('/').next().expect("a part has a name");
    let accepted = Registry::shared()
        .combinations()
        .into_iter()
        .filter(|combination| combination.workload == "stream" && combination.refusal_reasons.is_empty());
    let accepted_names = accepted.map(|combination| {
        let parts = [combination.host, combination.ni, combination.protocol, combination.fabric].map(short_name);
        format!("bandwidth/{}", parts.join("/"))
    });
    assert_eq!(point_names, accepted_names.collect());
}

#[test]
fn written_description_reads_as_the_machine_of_its_point() {
    let located = atlas_study();
    let experiments = &located.read.value.experiments;
    for name in experiments.all.iter().map(|(name, _)| name.as_str()) {
        // 37 is coprime to the number of values of each axis, so the step visits every value of every axis.
        let drafts =
            experiments.drafts(&located.location, &[name], false).unwrap_or_else(|faulty| panic!("{}", faulty[0].1));
        let draft_names: BTreeSet<String> = drafts.iter().map(|draft| draft.name.clone()).collect();
        let files = experiments.descriptions(&located.location, &[name], false, &draft_names);
        let files: BTreeMap<String, String> =
            files.unwrap_or_else(|faulty| panic!("{}", faulty[0].1)).into_iter().collect();
        assert_eq!(files.len(), drafts.len(), "every point has a file of its own");
        let mut machine_count = 0;
        for draft in drafts.iter().step_by(37) {
            let Ok(point_machine) = draft.read(&[]) else { continue };
            let path = export::path(&draft.name);
            let text = &files[&path];
            let parsed = machine::read(Document::Text(&path, text, None), &[]);
            let parsed = parsed.unwrap_or_else(|problems| panic!("{problems}\n{text}"));
            assert_eq!(parsed.resolved(), point_machine.resolved(), "{text}");
            machine_count += 1;
        }
        assert!(machine_count > 10, "{name}: {machine_count} machines are valid");
    }
}
