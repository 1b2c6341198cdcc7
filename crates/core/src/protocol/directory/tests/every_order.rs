//! The cases of the model: all states of each case are explored, and their number is checked.
//!
//! | case | states |
//! |---|---|
//! | three nodes, one block | 30 785 |
//! | the same, with NACKs for busy blocks and one pointer | 42 508 |
//! | three nodes, one of which prefetches | 97 311 |
//! | two nodes with two contexts that prefetch | 19 856 |
//! | the same, with NACKs | 18 266 |
//! | two nodes, each the home of a block | 5 864 |
//! | the same; one node prefetches | 47 258 |
//! | two homes, queues of one packet, of two | 22 186, 25 158 |
//! | the same, one packet, with NACKs | 25 430 |
//! | three nodes, queues of one packet, of two | 95 819, 107 105 |
//! | three nodes, two homes, queues of one packet; one node stores, none evicts | 76 083 |
//! | forwarding: three nodes, one block | 39 037 |
//! | the same, with NACKs for busy blocks and one pointer | 53 214 |
//! | forwarding: three nodes, one of which prefetches | 125 850 |
//! | forwarding: three nodes, queues of one packet, of two | 119 782, 133 320 |
//! | forwarding: three nodes, two homes, queues of one packet; one node stores, none evicts | 90 102 |
//!
//! *Queues*: a packet whose queue is full waits in its node, and the node leaves requests in the network until its own
//! replies were sent.

use super::super::*;
use super::case::*;

const NACKING: DirectoryParameters = DirectoryParameters { pointers: Some(1), waiting: 0, forwarding: false };

/// Returns parameters with the given number of contexts and capacity of the prefetch buffer.
const fn with_capacities(contexts: u32, prefetches: u32) -> RequesterParameters {
    RequesterParameters { contexts, prefetches, write_backs: 1 }
}

/// Returns parameters without NACKs, with one pointer.
const fn without_nacks(nodes: u32, requester: RequesterParameters) -> DirectoryParameters {
    DirectoryParameters { pointers: Some(1), ..DirectoryParameters::unlimited(nodes, requester.requests()) }
}

#[test]
fn three_nodes_are_coherent() {
    let situations =
        &[Situation::Crossing, Situation::FetchOvertakes, Situation::Once, Situation::UpgradeLost, Situation::Waiting];
    assert_eq!(Case { situations, ..Case::new(3) }.check(), 30_785);
}

#[test]
fn three_nodes_with_nacks_are_coherent() {
    let situations = &[Situation::Crossing, Situation::Once, Situation::UpgradeLost, Situation::Nack];
    assert_eq!(Case { directory: NACKING, situations, ..Case::new(3) }.check(), 42_508);
}

#[test]
fn three_nodes_one_of_which_prefetches_are_coherent() {
    let requester = with_capacities(1, 1);
    let situations = &[Situation::Once, Situation::Waiting];
    let case =
        Case { requester, directory: without_nacks(3, requester), first_prefetcher: 2, situations, ..Case::new(3) };
    assert_eq!(case.check(), 97_311);
}

#[test]
fn two_nodes_of_two_contexts_that_prefetch_are_coherent() {
    let requester = with_capacities(2, 1);
    let case = Case { requester, situations: &[Situation::Crossing], ..Case::new(2) };
    let queueing_case = Case { directory: without_nacks(2, requester), ..case.clone() };
    let nacking_case = Case { directory: NACKING, situations: &[Situation::Nack], ..case };
    assert_eq!([queueing_case, nacking_case].map(Case::check), [19_856, 18_266]);
}

#[test]
fn two_homes_are_coherent() {
    let case = Case { blocks: vec![block(A, 0), block(B, 0)], ..Case::new(2) };
    let requester = with_capacities(1, 1);
    let prefetches = Case { requester, directory: without_nacks(2, requester), first_prefetcher: 1, ..case.clone() };
    assert_eq!([case, prefetches].map(Case::check), [5_864, 47_258]);
}

/// Returns the case with blocks that go from owner to requester.
fn forwarding(case: Case) -> Case {
    Case { directory: DirectoryParameters { forwarding: true, ..case.directory }, ..case }
}

#[test]
fn forwarding_among_three_nodes_is_coherent() {
    let situations = &[
        Situation::Crossing,
        Situation::Once,
        Situation::UpgradeLost,
        Situation::Waiting,
        Situation::RecallOvertakes,
        Situation::Returned,
    ];
    assert_eq!(forwarding(Case { situations, ..Case::new(3) }).check(), 39_037);
}

#[test]
fn forwarding_among_three_nodes_with_nacks_is_coherent() {
    let situations = &[Situation::Crossing, Situation::Nack, Situation::RecallOvertakes, Situation::Returned];
    assert_eq!(forwarding(Case { directory: NACKING, situations, ..Case::new(3) }).check(), 53_214);
}

#[test]
fn forwarding_among_three_nodes_one_of_which_prefetches_is_coherent() {
    let requester = with_capacities(1, 1);
    let situations = &[Situation::Once, Situation::Waiting, Situation::RecallOvertakes];
    let case =
        Case { requester, directory: without_nacks(3, requester), first_prefetcher: 2, situations, ..Case::new(3) };
    assert_eq!(forwarding(case).check(), 125_850);
}

#[test]
fn forwarding_with_queues_is_coherent() {
    let case = forwarding(Case::new(3));
    assert_eq!([with_queues(&case, 1), with_queues(&case, 2)].map(Case::check), [119_782, 133_320]);
}

#[test]
fn forwarding_with_two_homes_and_queues_is_coherent() {
    let requester = RequesterParameters { write_backs: 0, ..with_capacities(1, 0) };
    let case = Case { blocks: vec![block(A, 0), block(B, 0)], requester, writers: 1, ..Case::new(3) };
    assert_eq!(forwarding(with_queues(&case, 1)).check(), 90_102);
}

fn with_queues(case: &Case, packets: usize) -> Case {
    let consumption = ConsumptionRule::RequestsWhenRepliesSent;
    Case { network: Network::Queues { packets }, consumption, ..case.clone() }
}

#[test]
fn two_homes_with_queues_are_coherent() {
    let case = Case { blocks: vec![block(A, 0), block(B, 0)], ..Case::new(2) };
    let (queues_of_one, queues_of_two) = (with_queues(&case, 1), with_queues(&case, 2));
    let nacking_case = Case { directory: NACKING, ..queues_of_one.clone() };
    assert_eq!([queues_of_one, queues_of_two, nacking_case].map(Case::check), [22_186, 25_158, 25_430]);
}

#[test]
fn three_nodes_with_queues_are_coherent() {
    let case = Case::new(3);
    assert_eq!([with_queues(&case, 1), with_queues(&case, 2)].map(Case::check), [95_819, 107_105]);
}

#[test]
fn three_nodes_with_two_homes_and_queues_are_coherent() {
    let requester = RequesterParameters { write_backs: 0, ..with_capacities(1, 0) };
    let case = Case { blocks: vec![block(A, 0), block(B, 0)], requester, writers: 1, ..Case::new(3) };
    assert_eq!(with_queues(&case, 1).check(), 76_083);
}
