//! A constant to be fitted, as a description of a fit names it: its key, starting value, prior and bounds.
//!
//! Leaves out whether machines have such a constant (`free.rs`).

use crate::experiment::uncertainty::unknown::PRIOR;
use narrows_core::text::{Said, Table};

/// The widest prior: beyond it a constant is not known at all.
pub const PRIOR_MAX: f64 = 10.0;

/// A constant to be fitted, as it is asked for.
#[derive(Clone, Debug)]
pub struct FitConstant {
    /// Its key; `*` stands for the name of any part.
    pub key: Said,
    /// Its starting value; by default the one that it has.
    pub start: Option<Said>,
    /// One standard deviation of its logarithm about the starting value.
    pub prior: f64,
    /// The least and the most it may be.
    pub bounds: Option<(Said, Said)>,
}

impl FitConstant {
    /// Reads one.
    pub fn read(t: &mut Table<'_>) -> FitConstant {
        let key = t.phrase("key", "Its key; `*` stands for the name of any part").required();
        let start = t.phrase("start", "Its starting value, in quotes; by default the one it has").optional();
        let prior = t.number("prior", "One standard deviation of its logarithm about the start").or(PRIOR);
        if prior <= 0.0 || prior > PRIOR_MAX {
            let help = format!("above 0, at most {PRIOR_MAX}: 0.25 is 25 %; a constant that is known is left out");
            t.wrong("prior", format!("a prior of {prior} leaves nothing to fit, or everything"), help);
        }
        let bounds = t.phrases("bounds", "The least and the most it may be").optional();
        let bounds = bounds.and_then(|bounds| match <[Said; 2]>::try_from(bounds) {
            Ok([least, most]) => Some((least, most)),
            Err(_) => {
                t.wrong("bounds", "bounds are two", "the least and the most, as [\"100 ns\", \"10 us\"]");
                None
            }
        });
        FitConstant { key, start, prior, bounds }
    }
}
