//! The plan of a study's fit, `fit.toml`: the claims that are fitted on, and the constants with starting values, priors
//! and bounds. Leaves out whether the names are of claims and constants that exist (`fit.rs`).

use crate::experiment::fit::constant::FitConstant;
use crate::experiment::uncertainty::NOISE;
use narrows_core::text::{Said, Table};

/// How constants are fitted.
#[derive(Debug)]
pub struct Plan {
    /// What a published number is off by, beside the constants, as a part of it.
    pub noise: f64,
    /// The claims fitted on.
    pub claims: Vec<Said>,
    /// The constants.
    pub constants: Vec<FitConstant>,
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
            constants: t.list("constant", "The constants that are fitted", FitConstant::read),
        }
    }
}
