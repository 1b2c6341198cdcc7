//! The studies run, and their claims hold but for those that their pages name as failing.

use narrows::engine::{Bytes, Time};
use narrows::host::HostParameters;
use narrows::host::memory_bus::NodeParameters;
use narrows::machine::{self, shipped};
use narrows::messaging::MessagingParameters;
use narrows::ni::{Design, InterfaceParameters, NiParameters};
use narrows::protocol::{ProtocolParameters, return_to_sender};
use narrows::study::{self, Options, Progress};
use narrows::text::Document;

struct Silent;

impl Progress for Silent {
    fn begins(&self, _: usize) {}
    fn done(&self, _: &str) {}
}

/// Reproduces a paper, or an artifact of it; the claims that fail, and how many were judged.
fn failing(paper: &str, artifact: Option<&str>, quick: bool) -> (Vec<String>, usize) {
    let artifact = artifact.map(str::to_owned);
    let options = Options { paper: paper.to_owned(), artifact, quick, ..Options::default() };
    let report = study::reproduce(&options, &Silent).expect("a listed paper is there");
    let failing = report.claims.iter().filter(|claim| claim.holds == Some(false));
    let judged = report.claims.iter().filter(|claim| claim.holds.is_some()).count();
    (failing.map(|claim| claim.id.clone()).collect(), judged)
}

#[test]
fn trapeze_holds_but_for_what_its_page_says() {
    let (failing, judged) = failing("trapeze", None, true);
    assert_eq!(judged, 57, "every claim is judged");
    assert_eq!(failing, ["R11-transfers", "S3.1-minpulse"]);
}

#[test]
fn table_5_of_mukherjee_and_hill_holds_but_for_what_its_page_says() {
    let (failing, judged) = failing("mukherjee-hill", Some("table-5"), false);
    let known = ["T5-cni32qm-bandwidth-8", "T5-cni32qm-throttle-bandwidth-64", "T5-udma-latency-256", "R2"];
    assert!(judged >= 53, "every entry is judged");
    assert!(failing.iter().all(|id| known.contains(&id.as_str())), "{failing:?}");
    assert!(failing.len() == known.len(), "{failing:?}: what no longer fails leaves the page");
}

/// Table 3, the equations and the cyclic shift; the rest of the page takes minutes.
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

/// The library's own record of the paper's parameters, which its tests run on, and the shipped parts,
/// which users and the study run on, say the same.
#[test]
fn shipped_memory_bus_parts_are_the_paper_s_parameters() {
    let text = shipped::example("memory-bus").expect("the example is shipped");
    for design in Design::ALL {
        let parts = format!(
            "parts=[\"hosts/memory-bus-1998\",\"ni/{}\",\"protocols/return-to-sender-1998\",\"fabrics/ideal-1998\"]",
            design.key()
        );
        let machine = machine::read(Document::Text("memory-bus", text, None), &[parts]).expect("sound parts").value;
        let ends = machine.ends.expect("the nodes have interfaces");
        let NiParameters::Design(interface) = ends.ni else { panic!("{} is a design of the paper's", design.key()) };
        assert_eq!(*interface, InterfaceParameters::paper(design));
        assert_eq!(ends.protocol, return_to_sender_of_table_5());
        assert_eq!(ends.messaging, MessagingParameters::PAPER);
        let HostParameters::MemoryBus(host) = &machine.hosts[0].1 else { panic!("a memory-bus host") };
        assert_eq!(*host, NodeParameters::PAPER);
    }
}

/// Eight buffers, and as many for what comes; what is sent back waits 200 ns.
fn return_to_sender_of_table_5() -> ProtocolParameters {
    let buffers = return_to_sender::Buffers::finite(8).expect("eight are some");
    let retry = return_to_sender::Retry::constant(Time::from_ns(200));
    let flow = return_to_sender::Parameters::symmetric(buffers, retry);
    ProtocolParameters::ReturnToSender(return_to_sender::WireParameters { flow, acknowledgement: Bytes(8) })
}
