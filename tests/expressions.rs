//! Checks the expressions and templates of studies against docs/studies.md, and that each error marks the part of the
//! expression that causes it.

use narrows::study::expression::*;
use narrows::text::SpannedString;

/// A test environment, which resolves `x[A]` to the number A, and has the axes `axis` (1, 2, 4) and `name` (a, b).
struct TestNames;

impl NameResolver for TestNames {
    fn set(&self, name: &str, _: &str) -> Option<Vec<Key>> {
        let key = |(key, label): (&str, &str)| Key { key: key.into(), label: label.into() };
        match name {
            "axis" => Some([("1", "one"), ("2", "two"), ("4", "four")].map(key).into()),
            "name" => Some([("a", "Alcor"), ("b", "Miata")].map(key).into()),
            "of-a" => Some(vec![key(("1", "one"))]),
            _ => None,
        }
    }

    fn sets(&self) -> Vec<&str> {
        vec!["axis", "name", "of-a"]
    }

    fn value(&self, name: &str, arguments: &[Key], scope: &Scope) -> Option<Result<Value, EvalError>> {
        let circular_value = || {
            scope
                .definition_scope(Vec::new())
                .value(&expression(&SpannedString::without_location("circle")).expect("the expression is valid"))
        };
        match (name, arguments) {
            ("x", [key]) => {
                Some(key.key.parse().map(Value::Number).map_err(|_| EvalError::Missing(key.key.to_string())))
            }
            ("circle", []) => Some(circular_value()),
            ("both", [a, b]) => Some(Ok(Value::Text(format!("{} and {}", a.key, b.key)))),
            _ => None,
        }
    }

    fn values(&self) -> Vec<&str> {
        vec!["x", "circle", "both"]
    }
}

fn evaluate(text: &str) -> Result<Value, EvalError> {
    let parsed =
        expression(&SpannedString::without_location(text)).map_err(|error| EvalError::Invalid(Box::new(error)))?;
    Scope::new(&TestNames).value(&parsed)
}

#[track_caller]
fn number(text: &str) -> f64 {
    match evaluate(text) {
        Ok(value) => value.number().unwrap_or_else(|| panic!("{text}: {value:?}")),
        Err(error) => panic!("{text}: {error:?}"),
    }
}

#[track_caller]
fn flag(text: &str) -> bool {
    assert!(matches!(evaluate(text), Ok(Value::Flag(_))), "{text}: {:?}", evaluate(text));
    evaluate(text).is_ok_and(|value| value == Value::Flag(true))
}

#[track_caller]
fn filled_template(text: &str) -> String {
    let parsed = template(&SpannedString::without_location(text)).expect("the template is valid");
    Scope::new(&TestNames).fill_template(&parsed).expect("the template can be filled")
}

/// Returns the error of an expression, and the part of its text that the error marks.
#[track_caller]
fn eval_error(text: &str) -> (String, String) {
    match evaluate(text) {
        Err(EvalError::Invalid(error)) => (format!("{}; {}", error.message, error.label), text[error.span].to_owned()),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn operators_have_their_usual_precedence() {
    assert_eq!(number("1 + 2 * 3 - 4 / 2"), 5.0);
    assert_eq!(number("(1 + 2) * -3"), -9.0);
    assert_eq!(number("8 - 4 - 2"), 2.0);
    assert_eq!(number("x[3] - x[{1 + 1}]"), 1.0);
    assert!(flag("1 + 1 == 2 and not 1 > 2 or 1 > 2"));
    assert!(flag("1 < 2 or 1 < 2 and 2 < 1"), "`and` has precedence over `or`");
}

#[test]
fn list_has_an_element_for_each_value_with_its_names() {
    assert_eq!(number("sum(x[{axis}] for axis)"), 7.0);
    assert_eq!(number("count(x[{axis}] for axis for name)"), 6.0);
    assert_eq!(number("sum(x[{axis}] for axis if axis != 2)"), 5.0);
    assert_eq!(number("max(x[{n}] for n in of-{'a'})"), 1.0);
    assert_eq!(filled_template("{x[{axis}] for axis:1 us}"), "one 1.0 us, two 2.0 us, four 4.0 us");
    assert_eq!(
        filled_template("{ranked(x[{axis}] for axis)}; {argmin(x[{axis}] for axis for name)}"),
        "four 4, two 2, one 1; one, Alcor"
    );
    assert_eq!(
        filled_template("{join('{name}: {x[{axis}] for axis if axis > 2}' for name, '; ')}"),
        "Alcor: four 4; Miata: four 4"
    );
    assert_eq!(filled_template("{both[{'p/q'}/{name}] for name}"), "Alcor p/q and a, Miata p/q and b");
}

#[test]
fn curve_functions_give_their_documented_results() {
    assert!(flag("rising(x[{axis}] for axis)") && !flag("falling(x[{axis}] for axis)"));
    assert!(flag("falling(10 - x[{axis}] / 100 for axis)"));
    assert!(flag("falling(100 + x[{axis}] for axis, 0.02)"), "each value is within 2 % of the previous one");
    assert!(!flag("falling(100 + x[{axis}] for axis, 0.01)"));
    assert_eq!(filled_template("{crossings(x[{axis}] - 3 for axis)} {crossings(x[{axis}] for axis)}"), "3 ");
    assert_eq!(number("knee(100 + x[{axis}] for axis, 0.02)"), 2.0, "102 is within 2 % of 104, 101 is not");
    assert_eq!(number("knee(100 + x[{axis}] for axis, 0)"), 4.0);
    assert!(flag("within(x[{axis}] for axis, 1, 4)") && !flag("within(x[{axis}] for axis, 1, 3)"));
    assert!(flag("near(105, 100, 0.05)") && !flag("near(106, 100, 0.05)"));
    assert_eq!(number("median(x[{axis}] for axis)"), 2.0);
    assert!((number("geometric-mean(x[{axis}] for axis)") - 2.0).abs() < 1e-12);
    assert_eq!(number("nth(but-last(x[{axis}] for axis), 1)"), 2.0);
}

#[test]
fn numbers_are_written_as_asked() {
    assert_eq!(
        filled_template("{1 / 3} {1 / 3:2} {1 / 8:0%} {1 / 8:+%} {0 - 1 / 8:+1%} {7:0 MB/s}"),
        "0.3333 0.33 12 % +12.5 % -12.5 % 7 MB/s"
    );
    assert_eq!(filled_template("{{{if(1 < 2, 'less', 'more')}}}"), "{less}");
}

#[test]
fn errors_have_the_span_of_the_faulty_part() {
    let assert_error = |text: &str, message: &str, faulty_part: &str| {
        let (error, marked) = eval_error(text);
        assert!(error.contains(message) && marked == faulty_part, "{text}: {error} at `{marked}`");
    };
    assert_error("1 + y[2] * 3", "there is no value `y`", "y");
    assert_error("x[2] + maxx(x[{axis}] for axis)", "did you mean `max`?", "maxx");
    assert_error("max(x[{axis}] for axes)", "did you mean `axis`?", "axes");
    assert_error("1 + (2 * 3", "expected `)`", "");
    assert_error("1 + + 2", "a number, a name", "+");
    assert_error("1 2", "an operator or the end, not `2`", "2");
    assert_error("1 + (2 < 3)", "a number is needed here; this is a Boolean", "2 < 3");
    assert_error("all(x[{axis}] for axis)", "a list of comparisons", "x[{axis}] for axis");
    assert_error("max(3)", "a list is needed here", "3");
    assert_error("abs(1, 2)", "takes fewer arguments", "2");
    assert_error("'a' < 2", "cannot be compared", "'a' < 2");
    assert_error("circle", "too deep", "circle");
    assert_error("crossings(1 for name)", "whose values are numbers", "1 for name");
    assert!(matches!(evaluate("first(x[{axis}] for axis if axis > 9)"), Err(EvalError::Missing(_))));
    assert!(
        matches!(evaluate("x[none] + 1"), Err(EvalError::Missing(_))),
        "a missing value is not an error of the expression"
    );
}

#[test]
fn no_text_makes_the_parser_panic() {
    let fragments =
        ["x[", "]", "{", "}", "'", "(", ")", " for ", "axis", "if(", ",", "1", "-", "/", ":", "é", "not ", "<="];
    let mut state = 1u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..(state >> 60) + 1 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += fragments[(state >> 33) as usize % fragments.len()];
        }
        let _ = evaluate(&text);
        let _ = template(&SpannedString::without_location(text))
            .map(|parsed| Scope::new(&TestNames).fill_template(&parsed).is_ok());
    }
    let nested_parentheses = "(".repeat(100_000);
    assert!(matches!(evaluate(&nested_parentheses), Err(EvalError::Invalid(_))));
    assert!(matches!(evaluate(&"-".repeat(100_000)), Err(EvalError::Invalid(_))));
}
