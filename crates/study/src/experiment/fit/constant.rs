//! A constant to be fitted, as the description of a fit declares it: key, starting value, prior and bounds.
//!
//! `free_constant.rs` checks that the machines have such a constant.

use crate::experiment::uncertainty::unknown::DEFAULT_PRIOR;
use narrows_core::text::{SpannedString, Table};

/// The widest prior, as a standard deviation of the logarithm: a factor of e^10.
pub const PRIOR_MAX: f64 = 10.0;

/// The declaration of a constant to be fitted.
#[derive(Clone, Debug)]
pub struct FitConstant {
    /// The key; `*` matches the name of any part.
    pub key: SpannedString,
    /// The starting value. The default is the value in the machines.
    pub start: Option<SpannedString>,
    /// One standard deviation of the logarithm of the constant, about its starting value.
    pub prior: f64,
    /// The least and the greatest value.
    pub bounds: Option<(SpannedString, SpannedString)>,
}

impl FitConstant {
    /// Reads the declaration from a table.
    pub fn read(t: &mut Table<'_>) -> FitConstant {
        let key = t.phrase("key", "Key; `*` matches the name of any part").required();
        let start = t.phrase("start", "Starting value, in quotes; by default the value in the machines").optional();
        let prior =
            t.number("prior", "One standard deviation of the logarithm about the starting value").or(DEFAULT_PRIOR);
        if prior <= 0.0 || prior > PRIOR_MAX {
            let help = format!(
                "write a number above 0, at most {PRIOR_MAX}, such as 0.25 for 25 %; leave out a constant that is known"
            );
            t.report_invalid("prior", format!("a prior of {prior} is out of range"), help);
        }
        let bounds = t.phrases("bounds", "Least and greatest value").optional();
        let bounds = bounds.and_then(|bounds| match <[SpannedString; 2]>::try_from(bounds) {
            Ok([least, most]) => Some((least, most)),
            Err(_) => {
                t.report_invalid(
                    "bounds",
                    "bounds are two values",
                    "write the least and the greatest, such as [\"100 ns\", \"10 us\"]",
                );
                None
            }
        });
        FitConstant { key, start, prior, bounds }
    }
}
