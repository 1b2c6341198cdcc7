//! The plan of a study's fit, `fit.toml`. It lists the claims that are fitted on, and the constants with their starting
//! values, priors and bounds. The names of claims are checked in `roles.rs`, those of constants in `fit.rs`.

use crate::experiment::fit::constant::FitConstant;
use crate::experiment::uncertainty::NOISE;
use narrows_core::text::{SpannedString, Table};

/// The plan of a fit.
#[derive(Debug)]
pub struct Plan {
    /// One standard deviation of the relative error of a published number that is not due to the constants.
    pub noise: f64,
    /// The names of the claims that are fitted on.
    pub claims: Vec<SpannedString>,
    /// The constants to fit.
    pub constants: Vec<FitConstant>,
}

impl Plan {
    /// Reads a plan.
    pub fn read(t: &mut Table<'_>) -> Plan {
        let noise = t.number("noise", "One standard deviation of a published number's relative error").or(NOISE);
        if noise <= 0.0 {
            t.report_invalid(
                "noise",
                format!("a noise of {noise} allows no error"),
                "write a number above 0, such as 0.03 for 3 %",
            );
        }
        Plan {
            noise,
            claims: t.phrases("claims", "Names of the number claims that are fitted on").required(),
            constants: t.list("constant", "Constants that are fitted", FitConstant::read),
        }
    }
}
