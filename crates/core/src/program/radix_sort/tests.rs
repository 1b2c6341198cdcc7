//! Tests of the check of the result.

use super::*;

/// Checks a sort in which two nodes have these results.
fn check_result(first: [u32; 3], second: [u32; 3]) {
    let sort = SortRun {
        parameters: RadixSort { keys: 3, bits: 3, passes: 1, delay: 0, key_cycles: 0 },
        keys: vec![5, 1, 4, 1, 7, 0],
        nodes: Vec::new(),
        scan_cycles: Cell::new(0),
        coalesce_cycles: Cell::new(0),
        end_cycle: Cell::new(0),
        sorted_keys: RefCell::new(vec![None; 2]),
    };
    sort.finish(0, first.to_vec());
    sort.finish(1, second.to_vec());
}

#[test]
fn sorted_keys_are_accepted() {
    check_result([0, 1, 1], [4, 5, 7]);
}

#[test]
#[should_panic(expected = "keys are not sorted")]
fn keys_out_of_order_are_rejected() {
    check_result([0, 1, 4], [1, 5, 7]);
}

#[test]
#[should_panic(expected = "keys are not sorted")]
fn unknown_keys_are_rejected() {
    check_result([0, 1, 1], [4, 5, 6]);
}
