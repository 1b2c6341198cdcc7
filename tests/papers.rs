//! Checks that the papers' studies run, and that their claims hold except those that their pages list as failing.

use narrows::engine::{Bytes, Time};
use narrows::host::memory_bus::NodeParameters;
use narrows::machine::Registry;
use narrows::machine::{self, shipped};
use narrows::messaging::MessagingParameters;
use narrows::ni::designs::{Design, InterfaceParameters};
use narrows::papers::builtins;
use narrows::protocol::return_to_sender::{self, ReturnToSenderParameters};
use narrows::report::claim::Role;
use narrows::study::{self, LocatedStudy, Options, Progress, find};
use narrows::text::Document;

struct Silent;

impl Progress for Silent {
    fn begins(&self, _: usize) {}
    fn done(&self, _: &str) {}
}

/// Reproduces a paper or one of its artifacts. Returns the claims that fail, and the number of judged claims.
fn failing(paper: &str, artifact: Option<&str>, quick: bool) -> (Vec<String>, usize) {
    let artifact = artifact.map(str::to_owned);
    let options = Options { paper: paper.to_owned(), artifact, quick, ..Options::default() };
    let report = study::reproduce(&options, &builtins(Registry::shared()), &Silent).expect("a listed paper is there");
    let failing = report.claims.iter().filter(|claim| claim.holds == Some(false));
    let judged = report.claims.iter().filter(|claim| claim.holds.is_some()).count();
    (failing.map(|claim| claim.id.clone()).collect(), judged)
}

/// Checks that every name in a study is defined, at full length and under `--quick`.
#[test]
fn every_paper_is_sound() {
    for (paper, quick) in study::papers().iter().flat_map(|paper| [(paper, false), (paper, true)]) {
        let found =
            find(paper, quick, &builtins(Registry::shared())).unwrap_or_else(|problems| panic!("{paper}:\n{problems}"));
        let study = &found.read.value;
        for (artifact, _) in &study.artifacts {
            let is_shown = study.figures.iter().any(|figure| figure.artifact.text == artifact.text);
            assert!(is_shown, "{paper}: nothing shows {}", artifact.text);
        }
    }
}

/// Returns the number that a claim states.
fn expected(found: &LocatedStudy, id: &str) -> Option<f64> {
    found.read.value.claims.iter().find(|claim| claim.id.text == id).and_then(|claim| claim.expected())
}

#[test]
fn every_entry_of_the_papers_tables_is_a_claim() {
    let found = find("mukherjee-hill", false, &builtins(Registry::shared())).expect("it is sound");
    let numbers = found.read.value.claims.iter().filter(|claim| claim.expected().is_some());
    assert_eq!(numbers.filter(|claim| claim.id.text.starts_with("T5-")).count(), 53);
    let found = find("nifdy", false, &builtins(Registry::shared())).expect("it is sound");
    for number in 1..=17 {
        let own = format!("R{number}");
        let is_of = |id: &str| id == own || id.starts_with(&format!("{own}-"));
        assert!(found.read.value.claims.iter().any(|claim| is_of(&claim.id.text)), "{own}");
    }
    for (network, hop, ends, farthest) in [
        ("fat-tree", 5, 2, 6),
        ("cm-5", 9, 2, 6),
        ("store-and-forward", 33, 3, 6),
        ("mesh", 4, 14, 14),
        ("torus", 4, 14, 8),
        ("mesh-3d", 4, 18, 9),
        ("butterfly", 5, 2, 3),
        ("multibutterfly", 5, 2, 3),
    ] {
        let latency = expected(&found, &format!("T3-{network}-latency-{farthest}"));
        assert_eq!(latency, Some(f64::from(hop * farthest + ends)), "{network}");
        assert!(expected(&found, &format!("T3-{network}-volume")).is_some(), "{network}");
    }
}

/// Alewife's claims that fail; the claims of its tables come last.
const ALEWIFE: [&str; 13] = [
    "R8-iccg",
    "R13-iccg",
    "R9-unstruc",
    "R8-moldyn",
    "R11-moldyn",
    "R6-em3d",
    "T1-alewife-remote",
    "T1-cm-5-bisection",
    "T1-delta-latency",
    "T1-t1-remote",
    "T1-origin-remote",
    "T2-cm-5-bisection",
    "T2-delta-latency",
];

/// Mukherjee and Hill's claims that fail; the claims of the programs come last.
const MUKHERJEE_HILL: [&str; 18] = [
    "T5-cni32qm-bandwidth-8",
    "T5-cni32qm-throttle-bandwidth-64",
    "T5-udma-latency-256",
    "R2",
    "R3",
    "T4-appbt",
    "T4-dsmc",
    "R9",
    "R10",
    "R11",
    "R13",
    "R14",
    "R15",
    "R16",
    "R17",
    "R18",
    "R19",
    "R21",
];

/// The failing claims of the default runs, as the pages list them. The tests below run the artifacts that take seconds.
const FAILING: [(&str, &[&str]); 5] = [
    ("trapeze", &["R11-transfers", "S3.1-minpulse"]),
    ("mukherjee-hill", &MUKHERJEE_HILL),
    ("e-udp", &["R4"]),
    ("alewife", &ALEWIFE),
    (
        "nifdy",
        &["R8-bisection", "R8-light", "R17-light", "R13", "R11-size", "R16-critical", "R8-radix", "S6.3-adaptive"],
    ),
];

#[test]
fn readme_counts_claims_by_their_stated_role() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a text");
    for (paper, failing) in FAILING {
        let found = find(paper, false, &builtins(Registry::shared())).expect("it is sound");
        let study = &found.read.value;
        let apart = |id: &str| study.explicit_only.iter().any(|explicit| explicit.text == id);
        let run: Vec<_> = study.claims.iter().filter(|claim| !apart(&claim.artifact.text)).collect();
        for id in failing {
            assert!(run.iter().any(|claim| claim.id.text == *id), "{paper} has no claim {id}");
        }
        let cell = |role: Role| {
            let of: Vec<_> = run.iter().filter(|claim| claim.role() == role).collect();
            let hold = of.iter().filter(|claim| !failing.contains(&claim.id.text.as_str())).count();
            if of.is_empty() { "–".to_owned() } else { format!("{hold} of {}", of.len()) }
        };
        let roles = [Role::Given, Role::Calibrated, Role::Predicted, Role::Underdetermined].map(cell);
        let line = readme.lines().find(|line| line.contains(&format!("(papers/{paper}/README.md)")));
        let row: Vec<&str> = line.expect("a row of the table").trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(row[row.len() - 4..], roles, "{paper}: given, calibrated, predicted, underdetermined");
    }
}

#[test]
fn trapeze_holds_but_for_the_exceptions_of_its_page() {
    let (failing, judged) = failing("trapeze", None, true);
    assert_eq!(judged, 57, "every claim is judged");
    assert_eq!(failing, ["R11-transfers", "S3.1-minpulse"]);
}

#[test]
fn table_5_of_mukherjee_and_hill_holds_but_for_the_exceptions_of_its_page() {
    let (failing, judged) = failing("mukherjee-hill", Some("table-5"), false);
    let known = ["T5-cni32qm-bandwidth-8", "T5-cni32qm-throttle-bandwidth-64", "T5-udma-latency-256", "R2"];
    assert!(judged >= 53, "every entry is judged");
    assert!(failing.iter().all(|id| known.contains(&id.as_str())), "{failing:?}");
    assert!(failing.len() == known.len(), "{failing:?}: what no longer fails leaves the page");
}

#[test]
fn e_udp_holds_but_for_the_exceptions_of_its_page() {
    let (failing, judged) = failing("e-udp", None, false);
    assert_eq!(judged, 18, "every claim is judged");
    assert_eq!(failing, ["R4"]);
}

/// Checks the single operations, two programs, the tables and the regions; the rest of the page takes minutes.
#[test]
fn alewife_s_operations_tables_em3d_and_iccg_hold_but_for_the_exceptions_of_its_page() {
    let artifacts: [(&str, usize, &[&str]); 9] = [
        ("messages", 3, &[]),
        ("misses", 8, &[]),
        ("network", 2, &[]),
        ("em3d", 8, &[]),
        ("iccg", 4, &["R8-iccg", "R13-iccg"]),
        ("table-1", 46, &ALEWIFE[6..11]),
        ("table-2", 19, &ALEWIFE[11..]),
        ("figure-1", 1, &[]),
        ("figure-2", 1, &[]),
    ];
    for (artifact, claims, fail) in artifacts {
        let (failing, judged) = failing("alewife", Some(artifact), true);
        assert_eq!(judged, claims, "every claim of {artifact} is judged");
        assert_eq!(failing, fail, "{artifact}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn alewife_holds_but_for_the_exceptions_of_its_page() {
    let (failing, judged) = failing("alewife", None, true);
    assert_eq!(judged, 109, "every claim is judged but for four of Figure 8, on which small programs say nothing");
    assert_eq!(failing, ALEWIFE);
}

/// Checks Table 3, the equations and the cyclic shift; the rest of the page takes minutes.
#[test]
fn nifdy_s_networks_equations_and_cyclic_shift_hold() {
    for (artifact, quick, claims) in
        [("table-3", false, 51), ("equations", false, 17), ("figure-5", true, 2), ("figure-6", false, 4)]
    {
        let (failing, judged) = failing("nifdy", Some(artifact), quick);
        assert_eq!(judged, claims, "every claim of {artifact} is judged");
        assert!(failing.is_empty(), "{artifact}: {failing:?}");
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
        let machine = machine::read(Document::Text("memory-bus", text, None), &[parts]).expect("sound parts").value;
        let ends = machine.node_parts.expect("the nodes have interfaces");
        let interface: &InterfaceParameters = ends.ni.of().expect("a design of the paper's");
        assert_eq!(*interface, InterfaceParameters::paper(design));
        assert_eq!(ends.protocol.of(), Some(&return_to_sender_of_table_5()));
        assert_eq!(ends.messaging, MessagingParameters::PAPER);
        assert_eq!(machine.hosts[0].1.of(), Some(&NodeParameters::PAPER));
    }
}

/// Returns the parameters of Table 5: eight buffers for sending, eight for receiving, and a retry delay of 200 ns.
fn return_to_sender_of_table_5() -> ReturnToSenderParameters {
    let buffers = return_to_sender::Buffers::finite(8).expect("eight are some");
    let retry = return_to_sender::Retry::constant(Time::from_ns(200));
    let flow = return_to_sender::FlowControlParameters::symmetric(buffers, retry);
    ReturnToSenderParameters { flow, acknowledgement: Bytes(8) }
}
