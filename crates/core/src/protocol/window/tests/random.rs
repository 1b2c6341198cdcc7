//! Random tests of larger cases: with any valid parameters, any losses, copies and delays, and slow readers, each
//! packet is delivered once and in order.

use super::super::*;
use super::run::{Fabric, SPACING, run};
use crate::engine::Time;
use proptest::prelude::*;

/// Returns the parameters with the smallest valid number of bits.
fn with_minimum_bits(parameters: LinkParameters) -> LinkParameters {
    let mut choices = (1..=32).map(|sequence_bits| LinkParameters { sequence_bits, ..parameters });
    choices.find(|parameters| parameters.check().is_empty()).expect("32 bits are enough")
}

fn some_parameters() -> impl Strategy<Value = LinkParameters> {
    let sizes = (1u32..10, 1u32..7, 0u32..7, 1u32..5, 1u32..4);
    (sizes, 50u64..3_000, 1u64..20).prop_map(
        |((buffers, window, reorder, arrivals, packets_per_acknowledgement), timeout, times)| LinkParameters {
            buffers,
            window,
            reorder: reorder.min(window),
            arrivals,
            acknowledge_every: packets_per_acknowledgement.min(window),
            acknowledge_delay: Time::from_ns(timeout / 4),
            timeout: Time::from_ns(timeout),
            timeout_max: Time::from_ns(timeout * times),
            sequence_bits: 32,
            order: FabricOrder::Kept,
        },
    )
}

fn some_fabric() -> impl Strategy<Value = Fabric> {
    let chances = (0u32..40, 0u32..40, 0u64..1_500);
    chances.prop_map(|(lost_percent, copied_percent, delay_max_ns)| Fabric {
        lost_percent,
        copied_percent,
        delay_max_ns,
        keeps_order: false,
    })
}

fn some_packets() -> impl Strategy<Value = Vec<(u32, u32)>> {
    (1u32..5).prop_flat_map(|nodes| prop::collection::vec((0..nodes, 0..nodes), 1..80))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn all_packets_are_delivered_if_order_is_kept(
        parameters in some_parameters(),
        fabric in some_fabric(),
        packets in some_packets(),
        seed in any::<u64>(),
    ) {
        run(with_minimum_bits(parameters), Fabric { keeps_order: true, ..fabric }, &packets, seed);
    }

    #[test]
    fn all_packets_are_delivered_if_numbers_are_used_once(
        parameters in some_parameters(),
        fabric in some_fabric(),
        packets in some_packets(),
        seed in any::<u64>(),
    ) {
        let order = FabricOrder::Any { packets: packets.len() as u64 };
        run(with_minimum_bits(LinkParameters { order, ..parameters }), fabric, &packets, seed);
    }

    #[test]
    fn all_packets_are_delivered_if_copies_expire(
        parameters in some_parameters(),
        fabric in some_fabric(),
        packets in some_packets(),
        seed in any::<u64>(),
    ) {
        let lifetime = Time::from_ns(fabric.delay_max_ns);
        let order = FabricOrder::Lifetime { lifetime, spacing: SPACING };
        run(with_minimum_bits(LinkParameters { order, ..parameters }), fabric, &packets, seed);
    }
}
