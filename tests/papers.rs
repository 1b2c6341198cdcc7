//! Checks that the papers' studies run, that their verdicts are those that they expect, and that their pages list their
//! choices, expected failures and cross-validations.

use narrows::engine::{Bytes, Time};
use narrows::host::memory_bus::NodeParameters;
use narrows::machine::Registry;
use narrows::machine::{self, shipped};
use narrows::messaging::MessagingParameters;
use narrows::ni::designs::{Design, InterfaceParameters};
use narrows::papers::builtins;
use narrows::protocol::return_to_sender::{self, ReturnToSenderParameters};
use narrows::report::claim::{Role, unexpected_text};
use narrows::report::conditioning::CalibrationChoice;
use narrows::report::cross_validation;
use narrows::study::{self, LocatedStudy, Options, Progress, Study, find, held_out, roles};
use narrows::text::Document;
use std::fs;
use std::path::Path;

/// Returns the studies whose claims have roles: all except the atlas, which claims nothing.
fn papers_with_roles() -> impl Iterator<Item = &'static str> {
    study::papers().iter().copied().filter(|paper| *paper != "atlas")
}

struct NoProgress;

impl Progress for NoProgress {
    fn begins(&self, _: usize) {}
    fn done(&self, _: &str) {}
}

/// Reproduces a paper or one of its artifacts, checks that every verdict is the one that the study expects, and returns
/// the number of judged claims.
#[track_caller]
fn count_expected_verdicts(paper: &str, artifact: Option<&str>, quick: bool) -> usize {
    let artifact = artifact.map(str::to_owned);
    let options = Options { paper: paper.to_owned(), artifact: artifact.clone(), quick, ..Options::default() };
    let report = study::reproduce(&options, &builtins(Registry::shared()), &NoProgress).expect("a listed paper exists");
    assert_eq!(unexpected_text(&report.claims), None, "{paper}: {artifact:?}");
    report.claims.iter().filter(|claim| claim.holds.is_some()).count()
}

#[test]
fn every_name_in_a_study_is_defined() {
    for paper in study::papers() {
        let located =
            find(paper, &builtins(Registry::shared())).unwrap_or_else(|problems| panic!("{paper}:\n{problems}"));
        let study = &located.read.value;
        for (artifact, _) in &study.artifacts {
            let is_shown = study.figures.iter().any(|figure| figure.artifact.text == artifact.text);
            assert!(is_shown, "{paper}: nothing shows {}", artifact.text);
        }
    }
}

/// Returns the number that a claim states.
fn expected_value(located: &LocatedStudy, id: &str) -> Option<f64> {
    located.read.value.claims.iter().find(|claim| claim.id.text == id).and_then(|claim| claim.expected())
}

#[test]
fn every_entry_of_the_papers_tables_is_a_claim() {
    let located = find("mukherjee-hill", &builtins(Registry::shared())).expect("the study is valid");
    let numbers = located.read.value.claims.iter().filter(|claim| claim.expected().is_some());
    assert_eq!(numbers.filter(|claim| claim.id.text.starts_with("T5-")).count(), 53);
    let located = find("nifdy", &builtins(Registry::shared())).expect("the study is valid");
    for number in 1..=17 {
        let claim_prefix = format!("R{number}");
        let is_claim_of = |id: &str| id == claim_prefix || id.starts_with(&format!("{claim_prefix}-"));
        assert!(located.read.value.claims.iter().any(|claim| is_claim_of(&claim.id.text)), "{claim_prefix}");
    }
    for (network, cycles_per_hop, endpoint_cycles, largest_distance) in [
        ("fat-tree", 5, 2, 6),
        ("cm-5", 9, 2, 6),
        ("store-and-forward", 33, 3, 6),
        ("mesh", 4, 14, 14),
        ("torus", 4, 14, 8),
        ("mesh-3d", 4, 18, 9),
        ("butterfly", 5, 2, 3),
        ("multibutterfly", 5, 2, 3),
    ] {
        let latency = expected_value(&located, &format!("T3-{network}-latency-{largest_distance}"));
        assert_eq!(latency, Some(f64::from(cycles_per_hop * largest_distance + endpoint_cycles)), "{network}");
        assert!(expected_value(&located, &format!("T3-{network}-volume")).is_some(), "{network}");
    }
}

#[test]
fn readme_counts_claims_by_their_stated_role() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).expect("the text can be read");
    for paper in papers_with_roles() {
        let located = find(paper, &builtins(Registry::shared())).expect("the study is valid");
        let study = &located.read.value;
        let runs_only_when_named = |id: &str| study.artifacts_on_request.iter().any(|artifact| artifact.text == id);
        let judged_claims = study
            .claims
            .iter()
            .filter(|claim| !runs_only_when_named(&claim.artifact.text) && claim.restates.is_empty());
        let judged_claims: Vec<_> = judged_claims.collect();
        let cell = |role: Role| {
            let claims_of_role: Vec<_> = judged_claims.iter().filter(|claim| claim.unjudged.role == role).collect();
            let holding_count = claims_of_role.iter().filter(|claim| claim.unjudged.expected_failure.is_none()).count();
            if claims_of_role.is_empty() {
                "–".to_owned()
            } else {
                format!("{holding_count} of {}", claims_of_role.len())
            }
        };
        let roles = [Role::Given, Role::Calibrated, Role::Predicted, Role::Underdetermined].map(cell);
        let line = readme.lines().find(|line| line.contains(&format!("(papers/{paper}/README.md)")));
        let row: Vec<&str> = line.expect("the table has the row").trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(row[row.len() - 4..], roles, "{paper}: given, calibrated, predicted, underdetermined");
    }
}

/// Returns a table in Markdown.
fn markdown(headers: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let headers: Vec<String> = headers.iter().map(|head| (*head).to_owned()).collect();
    let separator: Vec<String> = headers.iter().map(|_| "---".to_owned()).collect();
    let escaped = |cell: &String| cell.replace('|', "\\|").replace('*', "\\*");
    let rows = rows.iter().map(|row| line(&row.iter().map(escaped).collect::<Vec<_>>()));
    [line(&headers), line(&separator).replace(' ', "")].into_iter().chain(rows).collect()
}

/// Returns the generated tables of a paper's page, each as its name and its Markdown.
fn generated_tables(study: &Study) -> Vec<(&'static str, String)> {
    let row = |row: &CalibrationChoice| {
        let value = format!("{}{}{}", row.location, if row.value.is_empty() { "" } else { ": " }, row.value);
        [row.choice.clone(), value, row.why.clone(), row.chosen_with.join(", "), row.predicted_text()].to_vec()
    };
    let choice_rows: Vec<Vec<String>> = roles::calibration_choices(study).iter().map(row).collect();
    let failure_rows = study.claims.iter().filter_map(|claim| {
        let failure = claim.unjudged.expected_failure.as_ref()?;
        Some(vec![claim.id.text.clone(), failure.cause.word().to_owned(), failure.reason.clone()])
    });
    let failure_rows: Vec<_> = failure_rows.collect();
    let mut tables = vec![
        (
            "conditioning",
            markdown(&["choice", "where, and value", "why", "chosen with", "predicted after it"], &choice_rows),
        ),
        ("expected failures", markdown(&["claim", "cause", "reason"], &failure_rows)),
    ];
    let held_out = held_out::numbers(&study.held_out, &study.claims);
    if !held_out.is_empty() {
        let rows: Vec<_> = held_out.iter().map(|number| number.cells().to_vec()).collect();
        let finding = cross_validation::finding(&held_out);
        tables.push(("cross-validation", format!("{}\n{finding}\n", markdown(&cross_validation::HEADINGS, &rows))));
    }
    tables
}

/// Checks that the tables of choices, expected failures and cross-validations on each paper's page match the study's
/// data. To write them: `NARROWS_GOLDEN=write cargo test --test all papers::pages`.
#[test]
fn pages_list_the_choices_expected_failures_and_cross_validations_of_their_data() {
    let is_writing = std::env::var_os("NARROWS_GOLDEN").is_some_and(|value| value == "write");
    for paper in papers_with_roles() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("papers").join(paper).join("README.md");
        let mut page = fs::read_to_string(&path).expect("the page of a paper can be read");
        let located = find(paper, &builtins(Registry::shared())).expect("the study is valid");
        for (name, table) in generated_tables(&located.read.value) {
            let (start_mark, end_mark) = (format!("<!-- {name}: generated -->\n"), format!("<!-- end of {name} -->"));
            let start =
                page.find(&start_mark).unwrap_or_else(|| panic!("{paper}: no table of {name}")) + start_mark.len();
            let end = start + page[start..].find(&end_mark).unwrap_or_else(|| panic!("{paper}: no end of {name}"));
            let expected = format!("\n{table}\n");
            assert!(is_writing || page[start..end] == expected, "{paper}: the table of {name} should be{expected}");
            page.replace_range(start..end, &expected);
        }
        if is_writing {
            fs::write(&path, page).expect("the page can be written");
        }
    }
}

#[test]
fn verdicts_of_trapeze_are_expected() {
    assert_eq!(count_expected_verdicts("trapeze", None, true), 61, "every claim is judged");
}

#[test]
fn verdicts_of_table_5_of_mukherjee_and_hill_are_expected() {
    assert!(count_expected_verdicts("mukherjee-hill", Some("table-5"), false) >= 53, "every entry is judged");
}

#[test]
fn verdicts_of_e_udp_are_expected() {
    assert_eq!(count_expected_verdicts("e-udp", None, false), 22, "every claim is judged");
}

#[test]
fn verdicts_of_pcie_model_are_expected() {
    assert_eq!(count_expected_verdicts("pcie-model", None, true), 17, "every claim is judged");
}

#[test]
fn verdicts_of_pcie_bench_are_expected() {
    assert_eq!(count_expected_verdicts("pcie-bench", None, true), 28, "every claim is judged");
}

#[test]
fn verdicts_of_coherent_are_expected() {
    assert_eq!(count_expected_verdicts("coherent", None, true), 11, "every claim is judged");
}

#[test]
fn verdicts_of_questions_about_drivers_are_expected() {
    assert_eq!(count_expected_verdicts("questions", Some("drivers"), true), 6, "every claim of drivers is judged");
}

#[test]
#[ignore = "takes a minute"]
fn verdicts_of_questions_are_expected() {
    assert_eq!(count_expected_verdicts("questions", None, false), 16, "every claim is judged");
}

#[test]
fn verdicts_of_rdma_s_latencies_mtus_and_orderings_are_expected() {
    for (artifact, claims) in [("latency", 8), ("mtu", 1), ("ordering", 1)] {
        assert_eq!(
            count_expected_verdicts("rdma", Some(artifact), true),
            claims,
            "every claim of {artifact} is judged"
        );
    }
}

#[test]
#[ignore = "takes a minute"]
fn verdicts_of_rdma_are_expected() {
    assert_eq!(count_expected_verdicts("rdma", None, false), 16, "every claim is judged");
}

/// Checks the single operations, two programs, the tables and the regions; the rest of the page takes minutes.
#[test]
fn verdicts_of_alewife_s_operations_tables_em3d_and_iccg_are_expected() {
    for (artifact, claims) in [
        ("messages", 3),
        ("misses", 8),
        ("network", 2),
        ("em3d", 8),
        ("iccg", 2),
        ("table-1", 46),
        ("table-2", 19),
        ("figure-1", 2),
        ("figure-2", 1),
    ] {
        let judged_count = count_expected_verdicts("alewife", Some(artifact), true);
        assert_eq!(judged_count, claims, "every claim of {artifact} is judged");
    }
}

#[test]
#[ignore = "takes minutes"]
fn verdicts_of_alewife_are_expected() {
    let judged_count = count_expected_verdicts("alewife", None, true);
    assert_eq!(judged_count, 107, "every claim is judged but for eight on which small programs say nothing");
}

/// Checks Table 3, the equations and the cyclic shift; the rest of the page takes minutes.
#[test]
fn verdicts_of_nifdy_s_networks_equations_and_cyclic_shift_are_expected() {
    for (artifact, quick, claims) in
        [("table-3", false, 51), ("equations", false, 17), ("figure-5", true, 2), ("figure-6", false, 4)]
    {
        let judged_count = count_expected_verdicts("nifdy", Some(artifact), quick);
        assert_eq!(judged_count, claims, "every claim of {artifact} is judged");
    }
}

/// Checks that the library's record of the paper's parameters, which its tests use, equals the shipped parts, which
/// users and the study use.
#[test]
fn shipped_memory_bus_parts_are_the_paper_s_parameters() {
    let text = shipped::example("memory-bus").expect("the example is shipped");
    for design in Design::ALL {
        let parts = format!(
            "parts=[\"hosts/memory-bus-1998\",\"ni/{}\",\"protocols/return-to-sender-1998\",\"fabrics/ideal-1998\"]",
            design.key()
        );
        let machine =
            machine::read(Document::Text("memory-bus", text, None), &[parts]).expect("the parts are valid").value;
        let node_parts = machine.node_parts.expect("the nodes have interfaces");
        let interface: &InterfaceParameters = node_parts.ni.of().expect("the interface is a design of the paper");
        assert_eq!(*interface, InterfaceParameters::paper(design));
        assert_eq!(node_parts.protocol.of(), Some(&return_to_sender_of_table_5()));
        assert_eq!(node_parts.messaging, MessagingParameters::PAPER);
        assert_eq!(machine.hosts[0].1.of(), Some(&NodeParameters::PAPER));
    }
}

/// Returns the parameters of Table 5: eight buffers for sending, eight for receiving, and a retry delay of 200 ns.
fn return_to_sender_of_table_5() -> ReturnToSenderParameters {
    let buffers = return_to_sender::Buffers::finite(8).expect("eight is a valid number of buffers");
    let retry = return_to_sender::Retry::constant(Time::from_ns(200));
    let flow = return_to_sender::FlowControlParameters::symmetric(buffers, retry);
    ReturnToSenderParameters { flow, acknowledgement: Bytes(8) }
}
