//! Sample claims for the tests of claims.

use super::*;

/// Returns a claim on a number.
pub fn number(id: &str, expected: f64, measured: f64, tolerance: f64) -> Claim {
    Claim {
        id: id.to_owned(),
        source: "Table 1, row P6/Natoma, 8K, cut-through, latency".to_owned(),
        statement: "One-way latency of an 8 KiB payload".to_owned(),
        kind: ClaimKind::Number,
        unit: "µs".to_owned(),
        expected: expected.into(),
        measured: Some(measured.into()),
        tolerance: Some(tolerance),
        holds: None,
        role: Role::Predicted,
        note: None,
        expected_failure: None,
        restates: Vec::new(),
        part_of: None,
        uncertainty: None,
    }
    .judged()
}

/// Returns a claim on a shape.
pub fn shape(id: &str, holds: Option<bool>) -> Claim {
    Claim {
        source: "§3.4".to_owned(),
        statement: "Transfers grow & \"step up\" <downstream>".to_owned(),
        kind: ClaimKind::Shape,
        unit: String::new(),
        expected: "netTx transfers grow".into(),
        measured: holds.map(|_| "1384, 2420, 2844 B".into()),
        tolerance: None,
        holds,
        role: Role::Calibrated,
        note: Some("the text says 2844, the figure 2848".to_owned()),
        uncertainty: None,
        ..number(id, 1.0, 1.0, 0.0)
    }
}
