//! The functions: of numbers, of lists, and the shapes of curves that papers speak of.

use super::{At, Stop};
use crate::study::expression::value::{Element, Key, Value};
use crate::study::expression::{Format, Mistake, Syntax};
use narrows_core::text::suggest;

/// Every function: name, how it is called, what it gives.
pub const FUNCTIONS: [(&str, &str, &str); 28] = [
    ("abs", "abs(x)", "x without its sign"),
    ("all", "all(list)", "whether every element is so"),
    ("any", "any(list)", "whether an element is so"),
    ("argmax", "argmax(list)", "where the largest element is"),
    ("argmin", "argmin(list)", "where the smallest element is"),
    ("but-last", "but-last(list)", "the list without its last element"),
    ("count", "count(list)", "how many elements there are"),
    ("crossings", "crossings(list)", "where a curve over an axis crosses zero, by straight lines"),
    ("falling", "falling(list, t)", "whether no element is larger than the one before by over a part t of it"),
    ("first", "first(list)", "the first element"),
    ("if", "if(condition, a, b)", "a or else b"),
    ("join", "join(list)", "the elements in words, with commas or what is given as a second text between"),
    ("knee", "knee(list, t)", "the first place at which a curve is within a part t of its largest element"),
    ("label", "label(list)", "where elements are, in words"),
    ("last", "last(list)", "the last element"),
    ("max", "max(list)", "the largest element, or of several numbers"),
    ("mean", "mean(list)", "the mean"),
    ("median", "median(list)", "the element in the middle, of an even number the upper one"),
    ("min", "min(list)", "the smallest element, or of several numbers"),
    ("near", "near(a, b, t)", "whether a, or every element of a list, is within a part t of b"),
    ("nth", "nth(list, n)", "the element number n, from 0"),
    ("number", "number(key)", "a value of an axis as a number"),
    ("ranked", "ranked(list)", "the elements, largest first; of equal ones the earlier"),
    ("rising", "rising(list, t)", "whether no element is smaller than the one before by over a part t of it"),
    ("sorted", "sorted(list)", "the elements, smallest first"),
    ("sum", "sum(list)", "the sum"),
    ("within", "within(x, a, b)", "whether x, or every element of a list, is a, b or between them"),
    ("round", "round(x)", "x to the nearest whole number"),
];

/// What the function `name` gives.
pub(super) fn call(at: &At, tree: &Syntax, name: &str, arguments: &[Syntax]) -> Result<Value, Stop> {
    let one = |n: usize| arguments.get(n).ok_or_else(|| too_few(at, tree, name));
    let most = match name {
        "min" | "max" => usize::MAX,
        "if" | "near" | "within" => 3,
        "falling" | "rising" | "knee" | "join" | "nth" => 2,
        _ => 1,
    };
    if let Some(more) = arguments.get(most) {
        let fault = Mistake::new(at.said, more.span.clone(), format!("`{name}` takes less"), "one too many");
        return Err(Stop::Wrong(Box::new(fault.help(usage(name)))));
    }
    let number = |n: usize| at.number(one(n)?);
    let list = || of_list(at, one(0)?);
    Ok(match name {
        "abs" => Value::Number(number(0)?.abs()),
        "round" => Value::Number(number(0)?.round()),
        "number" => Value::Number(number(0)?),
        "near" => {
            let (all, b, tolerance) = (some_numbers(at, one(0)?)?, number(1)?, number(2)?);
            // The last bit of a quotient does not decide.
            Value::Flag(all.iter().all(|a| (a / b - 1.0).abs() <= tolerance * (1.0 + 1e-12)))
        }
        "within" => {
            let (all, from, to) = (some_numbers(at, one(0)?)?, number(1)?, number(2)?);
            Value::Flag(all.iter().all(|x| (from..=to).contains(x)))
        }
        "if" => {
            let (condition, so, else_) = (at.flag(one(0)?)?, at.value(one(1)?)?, at.value(one(2)?)?);
            if condition { so } else { else_ }
        }
        "min" | "max" if arguments.len() > 1 => {
            let numbers: Vec<f64> = arguments.iter().map(|each| at.number(each)).collect::<Result<_, _>>()?;
            Value::Number(extreme(&numbers, name == "max"))
        }
        "all" => Value::Flag(flags(at, one(0)?)?.into_iter().all(|flag| flag)),
        "any" => Value::Flag(flags(at, one(0)?)?.into_iter().any(|flag| flag)),
        "count" => Value::Number(list()?.len() as f64),
        "join" => {
            let between = if arguments.len() > 1 { at.value(one(1)?)?.key() } else { ", ".to_owned() };
            let words: Vec<String> = list()?.iter().map(|item| Format::default().words(&item.value)).collect();
            Value::Text(words.join(&between))
        }
        "label" => Value::Text(list()?.iter().map(|item| place(item).label).collect::<Vec<_>>().join(", ")),
        "first" => element(list()?, 0)?,
        "last" => list()?.pop().map(|item| item.value).ok_or_else(nothing)?,
        "nth" => element(list()?, number(1)?.max(0.0) as usize)?,
        "but-last" => {
            let mut items = list()?;
            items.pop();
            Value::List(items)
        }
        "rising" | "falling" => {
            let tolerance = if arguments.len() > 1 { number(1)? } else { 0.0 };
            Value::Flag(monotone(&numbers(at, one(0)?)?, name == "rising", tolerance))
        }
        _ => return of_numbers(at, tree, name, arguments),
    })
}

/// Functions of a list of numbers.
fn of_numbers(at: &At, tree: &Syntax, name: &str, arguments: &[Syntax]) -> Result<Value, Stop> {
    if !FUNCTIONS.iter().any(|(known, _, _)| *known == name) {
        return Err(unknown(at, tree, name));
    }
    let of = arguments.first().ok_or_else(|| too_few(at, tree, name))?;
    let (items, numbers) = (of_list(at, of)?, numbers(at, of)?);
    if numbers.is_empty() && name != "sum" && name != "crossings" && name != "ranked" && name != "sorted" {
        return Err(nothing());
    }
    let sum = numbers.iter().sum::<f64>();
    let order = |largest_first: bool| {
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        // Sorting is stable: of equal elements the earlier comes first.
        order.sort_by(|a, b| match largest_first {
            true => numbers[*b].total_cmp(&numbers[*a]),
            false => numbers[*a].total_cmp(&numbers[*b]),
        });
        order
    };
    let in_order = |order: Vec<usize>| Value::List(order.into_iter().map(|n| items[n].clone()).collect());
    Ok(match name {
        "sum" => Value::Number(sum),
        "mean" => Value::Number(sum / numbers.len() as f64),
        "min" | "max" => Value::Number(extreme(&numbers, name == "max")),
        "median" => Value::Number(numbers[order(false)[numbers.len() / 2]]),
        "argmax" => Value::Key(place(&items[order(true)[0]])),
        "argmin" => Value::Key(place(&items[order(false)[0]])),
        "ranked" => in_order(order(true)),
        "sorted" => in_order(order(false)),
        "crossings" => Value::numbers(crossings(at, of, &items, &numbers)?),
        _ => {
            let least =
                (1.0 - at.number(arguments.get(1).ok_or_else(|| too_few(at, tree, name))?)?) * extreme(&numbers, true);
            let knee = numbers.iter().position(|number| *number >= least).unwrap_or(0);
            Value::Key(place(&items[knee]))
        }
    })
}

fn of_list(at: &At, tree: &Syntax) -> Result<Vec<Element>, Stop> {
    match at.value(tree)? {
        Value::List(items) => Ok(items),
        other => Err(at.wrong(&tree.span, "a list is needed here, such as `x[{axis}] for axis`", &other)),
    }
}

fn numbers(at: &At, tree: &Syntax) -> Result<Vec<f64>, Stop> {
    let number = |item: Element| {
        item.value.number().ok_or_else(|| at.wrong(&tree.span, "a list of numbers is needed here", &item.value))
    };
    of_list(at, tree)?.into_iter().map(number).collect()
}

/// A number, or those of a list.
fn some_numbers(at: &At, tree: &Syntax) -> Result<Vec<f64>, Stop> {
    match at.value(tree)? {
        Value::List(_) => numbers(at, tree),
        _ => Ok(vec![at.number(tree)?]),
    }
}

fn flags(at: &At, tree: &Syntax) -> Result<Vec<bool>, Stop> {
    let flag = |item: Element| match item.value {
        Value::Flag(flag) => Ok(flag),
        other => Err(at.wrong(&tree.span, "a list of comparisons is needed here", &other)),
    };
    of_list(at, tree)?.into_iter().map(flag).collect()
}

fn element(items: Vec<Element>, n: usize) -> Result<Value, Stop> {
    items.into_iter().nth(n).map(|item| item.value).ok_or_else(nothing)
}

fn nothing() -> Stop {
    Stop::Absent("a list has fewer elements than are asked for".to_owned())
}

fn extreme(numbers: &[f64], largest: bool) -> f64 {
    match largest {
        true => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        false => numbers.iter().copied().fold(f64::INFINITY, f64::min),
    }
}

fn monotone(numbers: &[f64], rising: bool, tolerance: f64) -> bool {
    let follows = |pair: &[f64]| match rising {
        true => pair[1] >= pair[0] - tolerance * pair[0].abs(),
        false => pair[1] <= pair[0] + tolerance * pair[0].abs(),
    };
    numbers.windows(2).all(follows)
}

/// Where an element is.
fn place(item: &Element) -> Key {
    let join = |of: fn(&Key) -> &str, between: &str| item.at.iter().map(of).collect::<Vec<_>>().join(between);
    Key { key: join(|key| &key.key, "/"), label: join(|key| &key.label, ", ") }
}

/// Where a curve crosses zero: straight lines between neighbours.
fn crossings(at: &At, tree: &Syntax, items: &[Element], numbers: &[f64]) -> Result<Vec<f64>, Stop> {
    let x = |item: &Element| match item.at.as_slice() {
        [key] => key.key.parse::<f64>().ok(),
        _ => None,
    };
    let wrong = || {
        let message = "crossings are looked for over one axis whose values are numbers";
        Stop::Wrong(Box::new(Mistake::new(at.said, tree.span.clone(), message, "this is no such list")))
    };
    let at: Vec<f64> = items.iter().map(x).collect::<Option<_>>().ok_or_else(wrong)?;
    let pairs = at.windows(2).zip(numbers.windows(2));
    let crossing = pairs.filter(|(_, y)| (y[0] < 0.0) != (y[1] < 0.0));
    Ok(crossing.map(|(x, y)| x[0] + (x[1] - x[0]) * y[0] / (y[0] - y[1])).collect())
}

fn usage(name: &str) -> String {
    let found = FUNCTIONS.iter().find(|(known, _, _)| *known == name);
    found.map_or_else(String::new, |(_, usage, gives)| format!("{usage}: {gives}"))
}

fn too_few(at: &At, tree: &Syntax, name: &str) -> Stop {
    let fault = Mistake::new(at.said, tree.span.clone(), format!("`{name}` takes more"), "something is missing");
    Stop::Wrong(Box::new(fault.help(usage(name))))
}

fn unknown(at: &At, tree: &Syntax, name: &str) -> Stop {
    let names = || FUNCTIONS.iter().map(|(name, _, _)| *name);
    let near = suggest::nearest(name, names());
    let label = near.map_or("nothing has this name".to_owned(), |near| format!("did you mean `{near}`?"));
    let span = tree.span.start..tree.span.start + name.len();
    let fault = Mistake::new(at.said, span, format!("there is no function `{name}`"), label);
    Stop::Wrong(Box::new(fault.help(format!("functions: {}", suggest::phrase(names())))))
}
