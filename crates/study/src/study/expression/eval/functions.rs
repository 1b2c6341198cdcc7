//! The functions of the expression language, which take numbers, lists, or the points of curves.

use super::{EvalError, Evaluator};
use crate::study::expression::value::{Element, Key, Value};
use crate::study::expression::{Format, ReferenceError, Syntax};
use std::sync::Arc;

/// The name, usage and result of every function.
pub const FUNCTIONS: [(&str, &str, &str); 29] = [
    ("abs", "abs(x)", "absolute value of x"),
    ("all", "all(list)", "whether every element is true"),
    ("any", "any(list)", "whether at least one element is true"),
    ("argmax", "argmax(list)", "key of the largest element"),
    ("argmin", "argmin(list)", "key of the smallest element"),
    ("but-last", "but-last(list)", "the list without its last element"),
    ("count", "count(list)", "number of elements"),
    ("crossings", "crossings(list)", "positions at which a curve over an axis crosses zero, by linear interpolation"),
    ("falling", "falling(list, t)", "whether no element exceeds the one before by more than the fraction t of it"),
    ("first", "first(list)", "the first element"),
    ("geometric-mean", "geometric-mean(list)", "the geometric mean"),
    ("if", "if(condition, a, b)", "a if the condition is true, else b"),
    ("join", "join(list)", "the elements as text, separated by commas or by a second argument"),
    ("knee", "knee(list, t)", "key of the first element that is within the fraction t of the largest"),
    ("label", "label(list)", "the keys of the elements, as text"),
    ("last", "last(list)", "the last element"),
    ("max", "max(list)", "the largest element, or the largest of several numbers"),
    ("mean", "mean(list)", "the mean"),
    ("median", "median(list)", "the middle element; the upper one if their number is even"),
    ("min", "min(list)", "the smallest element, or the smallest of several numbers"),
    ("near", "near(a, b, t)", "whether a, or every element of a list, is within the fraction t of b"),
    ("nth", "nth(list, n)", "the element with index n, from 0"),
    ("number", "number(key)", "a value of an axis as a number"),
    ("ranked", "ranked(list)", "the elements, largest first; equal ones in their order"),
    ("rising", "rising(list, t)", "whether no element is below the one before by more than the fraction t of it"),
    ("sorted", "sorted(list)", "the elements, smallest first"),
    ("sum", "sum(list)", "the sum"),
    ("within", "within(x, a, b)", "whether x, or every element of a list, lies in the closed interval from a to b"),
    ("round", "round(x)", "x rounded to the nearest whole number"),
];

/// Reports an error if there are more arguments than the function `name` takes.
fn check_argument_count(evaluator: &Evaluator, name: &str, arguments: &[Syntax]) -> Result<(), EvalError> {
    let argument_count_max = match name {
        "min" | "max" => usize::MAX,
        "if" | "near" | "within" => 3,
        "falling" | "rising" | "knee" | "join" | "nth" => 2,
        _ => 1,
    };
    if let Some(surplus_argument) = arguments.get(argument_count_max) {
        let message = format!("`{name}` takes fewer arguments");
        let error = evaluator.error(&surplus_argument.span, message, "superfluous argument");
        return Err(error.help(usage(name)).into());
    }
    Ok(())
}

/// Evaluates a call of the function `name`.
pub(super) fn call(evaluator: &Evaluator, tree: &Syntax, name: &str, arguments: &[Syntax]) -> Result<Value, EvalError> {
    let argument = |n: usize| arguments.get(n).ok_or_else(|| missing_argument_error(evaluator, tree, name));
    check_argument_count(evaluator, name, arguments)?;
    let number = |n: usize| evaluator.number(argument(n)?);
    let list = || list_items(evaluator, argument(0)?);
    Ok(match name {
        "abs" => Value::Number(number(0)?.abs()),
        "round" => Value::Number(number(0)?.round()),
        "number" => Value::Number(number(0)?),
        "near" => {
            let (numbers, b, tolerance) = (number_or_list(evaluator, argument(0)?)?, number(1)?, number(2)?);
            // The factor tolerates rounding of the quotient.
            Value::Flag(numbers.iter().all(|a| (a / b - 1.0).abs() <= tolerance * (1.0 + 1e-12)))
        }
        "within" => {
            let (numbers, from, to) = (number_or_list(evaluator, argument(0)?)?, number(1)?, number(2)?);
            Value::Flag(numbers.iter().all(|x| (from..=to).contains(x)))
        }
        "if" => {
            let (condition, then, otherwise) =
                (evaluator.flag(argument(0)?)?, evaluator.value(argument(1)?)?, evaluator.value(argument(2)?)?);
            if condition { then } else { otherwise }
        }
        "min" | "max" if arguments.len() > 1 => {
            let numbers: Vec<f64> =
                arguments.iter().map(|argument| evaluator.number(argument)).collect::<Result<_, _>>()?;
            Value::Number(extreme(&numbers, name == "max"))
        }
        "all" => Value::Flag(flags(evaluator, argument(0)?)?.into_iter().all(|flag| flag)),
        "any" => Value::Flag(flags(evaluator, argument(0)?)?.into_iter().any(|flag| flag)),
        "count" => Value::Number(list()?.len() as f64),
        "join" => {
            let separator = match arguments.get(1) {
                Some(separator) => evaluator.value(separator)?.key().into_owned(),
                None => ", ".to_owned(),
            };
            let (items, format) = (list()?, Format::default());
            let words: Vec<_> = items.iter().map(|item| format.format_value(&item.value)).collect();
            Value::Text(words.join(&separator))
        }
        "label" => {
            let labels: Vec<_> = list()?.iter().map(|item| element_key(item).label).collect();
            Value::Text(labels.join(", "))
        }
        "first" => element(list()?, 0)?,
        "last" => list()?.pop().map(|item| item.value).ok_or_else(missing_element)?,
        "nth" => element(list()?, number(1)?.max(0.0) as usize)?,
        "but-last" => {
            let mut items = list()?;
            items.pop();
            Value::List(items)
        }
        "rising" | "falling" => {
            let tolerance = if arguments.len() > 1 { number(1)? } else { 0.0 };
            Value::Flag(monotone(&numbers(evaluator, argument(0)?)?, name == "rising", tolerance))
        }
        _ => return call_on_numbers(evaluator, tree, name, arguments),
    })
}

/// Evaluates a call of a function of a list of numbers.
fn call_on_numbers(evaluator: &Evaluator, tree: &Syntax, name: &str, arguments: &[Syntax]) -> Result<Value, EvalError> {
    if !FUNCTIONS.iter().any(|(known, _, _)| *known == name) {
        return Err(unknown_function_error(evaluator, tree, name));
    }
    let list_argument = arguments.first().ok_or_else(|| missing_argument_error(evaluator, tree, name))?;
    let (items, numbers) = (list_items(evaluator, list_argument)?, numbers(evaluator, list_argument)?);
    if numbers.is_empty() && name != "sum" && name != "crossings" && name != "ranked" && name != "sorted" {
        return Err(missing_element());
    }
    let sum = numbers.iter().sum::<f64>();
    let sorted_indices = |largest_first: bool| {
        let mut indices: Vec<usize> = (0..numbers.len()).collect();
        // Sorting is stable, so equal elements keep their order.
        indices.sort_by(|a, b| match largest_first {
            true => numbers[*b].total_cmp(&numbers[*a]),
            false => numbers[*a].total_cmp(&numbers[*b]),
        });
        indices
    };
    let items_in_order = |order: Vec<usize>| Value::List(order.into_iter().map(|n| items[n].clone()).collect());
    Ok(match name {
        "sum" => Value::Number(sum),
        "mean" => Value::Number(sum / numbers.len() as f64),
        "geometric-mean" => {
            let logarithms = numbers.iter().map(|number| libm::log(*number)).sum::<f64>();
            Value::Number(libm::exp(logarithms / numbers.len() as f64))
        }
        "min" | "max" => Value::Number(extreme(&numbers, name == "max")),
        "median" => Value::Number(numbers[sorted_indices(false)[numbers.len() / 2]]),
        "argmax" => Value::Key(element_key(&items[sorted_indices(true)[0]])),
        "argmin" => Value::Key(element_key(&items[sorted_indices(false)[0]])),
        "ranked" => items_in_order(sorted_indices(true)),
        "sorted" => items_in_order(sorted_indices(false)),
        "crossings" => Value::numbers(crossings(evaluator, list_argument, &items, &numbers)?),
        _ => {
            let threshold = (1.0
                - evaluator.number(arguments.get(1).ok_or_else(|| missing_argument_error(evaluator, tree, name))?)?)
                * extreme(&numbers, true);
            let knee = numbers.iter().position(|number| *number >= threshold).unwrap_or(0);
            Value::Key(element_key(&items[knee]))
        }
    })
}

fn list_items(evaluator: &Evaluator, tree: &Syntax) -> Result<Vec<Element>, EvalError> {
    match evaluator.value(tree)? {
        Value::List(items) => Ok(items),
        other => Err(evaluator.type_error(&tree.span, "a list is needed here, such as `x[{axis}] for axis`", &other)),
    }
}

fn numbers(evaluator: &Evaluator, tree: &Syntax) -> Result<Vec<f64>, EvalError> {
    let number = |item: Element| {
        item.value
            .number()
            .ok_or_else(|| evaluator.type_error(&tree.span, "a list of numbers is needed here", &item.value))
    };
    list_items(evaluator, tree)?.into_iter().map(number).collect()
}

/// Evaluates an expression to a list of numbers, or a single number.
fn number_or_list(evaluator: &Evaluator, tree: &Syntax) -> Result<Vec<f64>, EvalError> {
    match evaluator.value(tree)? {
        Value::List(_) => numbers(evaluator, tree),
        _ => Ok(vec![evaluator.number(tree)?]),
    }
}

fn flags(evaluator: &Evaluator, tree: &Syntax) -> Result<Vec<bool>, EvalError> {
    let flag = |item: Element| match item.value {
        Value::Flag(flag) => Ok(flag),
        other => Err(evaluator.type_error(&tree.span, "a list of comparisons is needed here", &other)),
    };
    list_items(evaluator, tree)?.into_iter().map(flag).collect()
}

fn element(items: Vec<Element>, n: usize) -> Result<Value, EvalError> {
    items.into_iter().nth(n).map(|item| item.value).ok_or_else(missing_element)
}

fn missing_element() -> EvalError {
    EvalError::Missing("a list has too few elements".to_owned())
}

fn extreme(numbers: &[f64], is_largest: bool) -> f64 {
    match is_largest {
        true => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        false => numbers.iter().copied().fold(f64::INFINITY, f64::min),
    }
}

fn monotone(numbers: &[f64], is_rising: bool, tolerance: f64) -> bool {
    let is_in_order = |pair: &[f64]| match is_rising {
        true => pair[1] >= pair[0] - tolerance * pair[0].abs(),
        false => pair[1] <= pair[0] + tolerance * pair[0].abs(),
    };
    numbers.windows(2).all(is_in_order)
}

/// Returns the key of an element.
fn element_key(item: &Element) -> Key {
    let join = |part: fn(&Key) -> &str, separator: &str| -> Arc<str> {
        item.keys.iter().map(part).collect::<Vec<_>>().join(separator).into()
    };
    Key { key: join(|key| &key.key, "/"), label: join(|key| &key.label, ", ") }
}

/// Returns the zeros of a curve, by linear interpolation between neighbours.
fn crossings(evaluator: &Evaluator, tree: &Syntax, items: &[Element], numbers: &[f64]) -> Result<Vec<f64>, EvalError> {
    let position_of = |item: &Element| match item.keys.as_slice() {
        [key] => key.key.parse::<f64>().ok(),
        _ => None,
    };
    let not_a_curve_error = || {
        let message = "`crossings` needs a list over one axis whose values are numbers";
        EvalError::from(evaluator.error(&tree.span, message, "this is not such a list"))
    };
    let positions: Vec<f64> = items.iter().map(position_of).collect::<Option<_>>().ok_or_else(not_a_curve_error)?;
    let pairs = positions.windows(2).zip(numbers.windows(2));
    let crossing = pairs.filter(|(_, y)| (y[0] < 0.0) != (y[1] < 0.0));
    Ok(crossing.map(|(x, y)| x[0] + (x[1] - x[0]) * y[0] / (y[0] - y[1])).collect())
}

fn usage(name: &str) -> String {
    let function = FUNCTIONS.iter().find(|(known, _, _)| *known == name);
    function.map_or_else(String::new, |(_, usage, result)| format!("{usage}: {result}"))
}

fn missing_argument_error(evaluator: &Evaluator, tree: &Syntax, name: &str) -> EvalError {
    let message = format!("`{name}` takes more arguments");
    evaluator.error(&tree.span, message, "an argument is missing").help(usage(name)).into()
}

fn unknown_function_error(evaluator: &Evaluator, tree: &Syntax, name: &str) -> EvalError {
    let known = ("functions", FUNCTIONS.iter().map(|(name, _, _)| *name));
    let error = ReferenceError::unknown_name("function", name, "no function has this name", known);
    error.at(evaluator.source, tree.span.start..tree.span.start + name.len()).into()
}
