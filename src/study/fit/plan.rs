//! What a study's `fit.toml` says: claims that are fitted on, and constants with starting values, priors
//! and bounds. Leaves out whether the names are of claims and constants that are there (`paper.rs`).

use crate::study::uncertainty::{NOISE, unknown::PRIOR};
use crate::text::{Said, Table};

/// The widest prior: beyond it a constant is not known at all.
pub const PRIOR_MAX: f64 = 10.0;

/// How constants are fitted.
#[derive(Debug)]
pub struct Plan {
    /// What a published number is off by, beside the constants, as a part of it.
    pub noise: f64,
    /// The claims fitted on.
    pub claims: Vec<Said>,
    /// The constants.
    pub constants: Vec<Wanted>,
}

/// A constant to be fitted, as it is asked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its key; `*` stands for the name of any part.
    pub key: Said,
    /// Its starting value; by default the one that it has.
    pub start: Option<Said>,
    /// One standard deviation of its logarithm about the starting value.
    pub prior: f64,
    /// The least and the most it may be.
    pub bounds: Option<(Said, Said)>,
}

impl Plan {
    /// Reads one.
    pub fn read(t: &mut Table<'_>) -> Plan {
        let noise = t.number("noise", "What a published number is off by, as a part of it").or(NOISE);
        if noise <= 0.0 {
            t.wrong("noise", format!("a noise of {noise} leaves no room for any error"), "0.03 is 3 %");
        }
        Plan {
            noise,
            claims: t.phrases("claims", "The number claims that are fitted on, by id").required(),
            constants: t.list("constant", "The constants that are fitted", Wanted::read),
        }
    }
}

impl Wanted {
    fn read(t: &mut Table<'_>) -> Wanted {
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
        Wanted { key, start, prior, bounds }
    }
}
