//! Is a sort that is wrong told?

use super::*;

/// Two nodes that have sorted, and hold these keys.
fn ended(first: [u32; 3], second: [u32; 3]) {
    let sort = Sort {
        parameters: RadixSort { keys: 3, bits: 3, passes: 1, delay: 0, key_cycles: 0 },
        keys: vec![5, 1, 4, 1, 7, 0],
        nodes: Vec::new(),
        scan_cycles: Cell::new(0),
        coalesce_cycles: Cell::new(0),
        ended_cycle: Cell::new(0),
        sorted: RefCell::new(vec![None; 2]),
    };
    sort.end(0, first.to_vec());
    sort.end(1, second.to_vec());
}

#[test]
fn keys_in_their_order_are_taken() {
    ended([0, 1, 1], [4, 5, 7]);
}

#[test]
#[should_panic(expected = "keys are not sorted")]
fn keys_out_of_order_are_told() {
    ended([0, 1, 4], [1, 5, 7]);
}

#[test]
#[should_panic(expected = "keys are not sorted")]
fn a_key_that_none_of_them_had_is_told() {
    ended([0, 1, 1], [4, 5, 6]);
}
