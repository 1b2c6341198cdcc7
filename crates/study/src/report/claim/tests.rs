//! Tests of the judgement of claims and of their JSON.

use super::samples::{number, shape};
use super::*;
use serde_json::json;

#[test]
fn number_is_judged_by_its_tolerance() {
    assert_eq!(number("R1", 116.0, 110.2, 0.05).holds, Some(true));
    assert_eq!(number("R1", 116.0, 110.0, 0.05).holds, Some(false));
    assert_eq!(number("R1", 0.0, 0.1, 0.05).holds, None, "no relative error of zero");
    assert_eq!(number("R1", 100.0, 125.0, 0.1).relative_error(), Some(0.25));
    assert_eq!(number("R1", -100.0, -125.0, 0.1).relative_error(), Some(-0.25));
}

#[test]
fn json_has_the_documented_keys() {
    let claim = serde_json::to_value(number("R1", 116.0, 118.0, 0.05)).unwrap();
    let expected = json!({
        "id": "R1", "source": "Table 1, row P6/Natoma, 8K, cut-through, latency",
        "statement": "One-way latency of an 8 KiB payload", "kind": "number", "unit": "µs",
        "expected": 116.0, "measured": 118.0, "tolerance": 0.05, "holds": true, "role": "predicted",
    });
    assert_eq!(claim, expected);
    let claim = serde_json::to_value(shape("R2", None)).unwrap();
    assert_eq!(claim["kind"], "shape");
    assert_eq!(claim["expected"], "netTx transfers grow");
    assert!(claim["measured"].is_null() && claim["holds"].is_null() && claim["tolerance"].is_null());
    assert_eq!(serde_json::from_value::<Claim>(claim).unwrap(), shape("R2", None));
}

#[test]
fn tally_counts_every_verdict() {
    let claims = [number("a", 1.0, 1.0, 0.1), shape("b", Some(false)), shape("c", None)];
    assert_eq!(Tally::new(&claims).text(), "1 of 3 claims hold, 1 fail, 1 not evaluated");
    assert_eq!(Tally::new(&claims[..1]).text(), "1 of 1 claims hold, 0 fail");
    let part = |id, holds| Claim { part_of: Some("R9".to_owned()), ..shape(id, Some(holds)) };
    let parts = [part("R9-least", true), part("R9-most", false), number("a", 1.0, 1.0, 0.1)];
    let text = "2 of 3 claims hold, 1 fail; 3 claims in 2 statements, of which 1 hold in all parts";
    assert_eq!(Tally::new(&parts).text(), text);
    let restating = Claim { restates: vec!["a".to_owned()], ..number("d", 1.0, 1.0, 0.1) };
    let text = "1 of 1 claims hold, 0 fail; 1 more restate others and are not counted";
    assert_eq!(Tally::new(&[number("a", 1.0, 1.0, 0.1), restating]).text(), text);
}
