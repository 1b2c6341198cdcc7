//! Compiles the targets of `fuzz/` for texts, since fuzzing itself needs a nightly compiler, and runs each of them on a
//! few inputs. What the targets for bytes call is compiled and run by `any_bytes.rs`.

// Each target is a program of its own, without a function `main`.
#![allow(unused_attributes)]

#[path = "../fuzz/fuzz_targets/description.rs"]
mod description;
#[path = "../fuzz/fuzz_targets/quantity.rs"]
mod quantity;
#[path = "../fuzz/fuzz_targets/set.rs"]
mod set;
#[path = "../fuzz/fuzz_targets/trace.rs"]
mod trace;
#[path = "../fuzz/fuzz_targets/vary.rs"]
mod vary;

/// Takes the place of the macro of libfuzzer-sys: a target becomes the function `fuzz` of its module.
#[macro_export]
macro_rules! fuzz_target {
    (|$input:ident: &$input_type:ty| $body:expr) => {
        pub fn fuzz($input: &$input_type) {
            $body
        }
    };
}

const TARGETS: [fn(&str); 5] = [description::fuzz, quantity::fuzz, set::fuzz, trace::fuzz, vary::fuzz];

const INPUTS: [&str; 5] = [
    "",
    "64 B",
    "workload.ping-pong.payload=64 B..1 KiB*2",
    "parts = [\"ni/trapeze\"]\n",
    "generated_cycle,source,destination,flits\n1,0,1,8\n0,1,0,8\n",
];

#[test]
fn fuzz_targets_for_texts_accept_or_refuse_a_few_inputs() {
    for input in INPUTS {
        TARGETS.iter().for_each(|fuzz| fuzz(input));
    }
}
