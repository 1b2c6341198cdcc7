//! Long random schedules, with windows and requests larger than those that are explored exhaustively.

use super::state::{TransportCase, TransportState};
use crate::ni::rdma::transport::requester::{Recovery, RequestKind, RequesterLimits};
use proptest::prelude::*;

proptest! {
    #[test]
    fn requests_end_once_and_in_order(
        (selective, reorders) in any::<(bool, bool)>(),
        (window, outstanding_reads) in (1..9u32, 1..4u32),
        requests in proptest::collection::vec((any::<bool>(), 1..7u32), 1..12),
        (faults, not_ready) in (0..40u8, 0..4u8),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 100..600),
    ) {
        let recovery = if selective { Recovery::Selective } else { Recovery::GoBackN };
        let kind = |responds| if responds { RequestKind::WithResponse } else { RequestKind::OneWay };
        let requests = requests.into_iter().map(|(responds, packets)| (kind(responds), packets)).collect();
        let limits = RequesterLimits { recovery, outstanding_reads, window, retries: 1000, not_ready_retries: None };
        let case = TransportCase { limits, requests, not_ready, faults, reorders };
        let mut state = TransportState::new(&case);
        for choice in choices {
            let steps = state.steps(&case);
            if state.is_complete(&case) || steps.is_empty() {
                break;
            }
            state.step(steps[choice.index(steps.len())], &case);
        }
        prop_assert!(!state.is_invariant_broken);
        // Without further faults, everything ends.
        for _ in 0..5_000 {
            if state.is_complete(&case) {
                break;
            }
            let steps = state.steps(&case);
            prop_assert!(!steps.is_empty(), "{:?}", state);
            let arrives = steps.iter().find(|step| matches!(step, super::state::TransportStep::Arrive(_)));
            state.step(*arrives.unwrap_or(&steps[0]), &case);
        }
        prop_assert!(state.is_complete(&case) && !state.is_invariant_broken, "{:?}", state);
    }
}
