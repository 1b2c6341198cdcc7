//! From tree to value; the functions are in `eval/`. Leaves out what names mean ([`Names`]).

mod functions;

pub use functions::FUNCTIONS;

use super::value::{Element, Key, Value};
use super::{Binary, Expression, Loop, Mistake, Segment, Syntax, Template, Term, Unary};
use narrows_core::text::{Said, suggest};
use std::cmp::Ordering;
use std::ops::Range;

/// More elements than this are an oversight.
const ELEMENTS_MAX: usize = 200_000;
/// Values made of values made of values: more of them are a circle.
const DEEPEST: usize = 24;

/// Why an expression gives nothing.
#[derive(Clone, Debug)]
pub enum Stop {
    /// It is wrong.
    Wrong(Box<Mistake>),
    /// What it asks for is wrong, wherever it asks: message, label, help.
    Asked(String, String, Vec<String>),
    /// It is sound, but these results do not hold what it asks for.
    Absent(String),
    /// It is sound, but a run that ended too soon did not measure what it asks for.
    Unmeasured(String),
}

impl Stop {
    /// Returns the same with what is asked for located at this text.
    pub fn at(self, said: &Said) -> Stop {
        match self {
            Stop::Asked(message, label, help) => {
                let fault = Mistake::new(said, 0..said.text.len(), message, label);
                Stop::Wrong(Box::new(help.into_iter().fold(fault, Mistake::help)))
            }
            other => other,
        }
    }
}

/// What names mean.
pub trait Names {
    /// The values of a set, labelled as those of the axis `variable`.
    fn set(&self, name: &str, variable: &str) -> Option<Vec<Key>>;
    /// The names of all sets.
    fn sets(&self) -> Vec<&str>;
    /// A value by its name and arguments; none if there is no such name.
    fn value(&self, name: &str, arguments: &[Key], depth: usize) -> Option<Result<Value, Stop>>;
    /// The names of all values.
    fn values(&self) -> Vec<&str>;
}

/// A name and what it is bound to.
pub type Bound = (String, Value);

/// Where an expression is evaluated.
#[derive(Clone)]
pub struct Scope<'a> {
    /// What names mean.
    pub names: &'a dyn Names,
    /// Names bound here; later ones go before earlier ones.
    pub bound: Vec<Bound>,
    /// How many values made of values led here.
    pub depth: usize,
}

impl<'a> Scope<'a> {
    /// One in which nothing is bound.
    pub fn new(names: &'a dyn Names) -> Scope<'a> {
        Scope { names, bound: Vec::new(), depth: 0 }
    }

    /// The same with one more name.
    pub fn with(&self, name: &str, value: Value) -> Scope<'a> {
        let mut scope = self.clone();
        scope.bound.push((name.to_owned(), value));
        scope
    }

    /// What an expression gives.
    pub fn value(&self, expression: &Expression) -> Result<Value, Stop> {
        At { scope: self, said: &expression.said }.value(&expression.tree)
    }

    /// A number.
    pub fn number(&self, expression: &Expression) -> Result<f64, Stop> {
        let value = self.value(expression)?;
        let at = At { scope: self, said: &expression.said };
        value.number().ok_or_else(|| at.wrong(&expression.tree.span, "a number is needed here", &value))
    }

    /// Whether something is so.
    pub fn flag(&self, expression: &Expression) -> Result<bool, Stop> {
        match self.value(expression)? {
            Value::Flag(flag) => Ok(flag),
            other => {
                let at = At { scope: self, said: &expression.said };
                Err(at.wrong(&expression.tree.span, "a comparison is needed here", &other))
            }
        }
    }

    /// A text with its holes filled.
    pub fn words(&self, template: &Template) -> Result<String, Stop> {
        At { scope: self, said: &template.said }.words(&template.pieces)
    }

    /// Every combination of values of the loops, the last fastest.
    pub fn each(&self, said: &Said, loops: &[Loop]) -> Result<Vec<Scope<'a>>, Stop> {
        At { scope: self, said }.each(loops)
    }
}

/// A scope within one text.
struct At<'s, 'a> {
    pub scope: &'s Scope<'a>,
    pub said: &'s Said,
}

impl<'a> At<'_, 'a> {
    fn fault(&self, span: &Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Mistake {
        Mistake::new(self.said, span.clone(), message, label)
    }

    fn wrong(&self, span: &Range<usize>, message: &str, value: &Value) -> Stop {
        Stop::Wrong(Box::new(self.fault(span, message, format!("this is {}", value.what()))))
    }

    fn value(&self, tree: &Syntax) -> Result<Value, Stop> {
        match &tree.node {
            Term::Number(number) => Ok(Value::Number(*number)),
            Term::Flag(flag) => Ok(Value::Flag(*flag)),
            Term::Text(pieces) => self.words(pieces).map(Value::Text),
            Term::Value(name, arguments) => self.named(tree, name, arguments),
            Term::Unary(operator, about) => self.unary(*operator, about),
            Term::Binary(operator, left, right) => self.binary(tree, *operator, left, right),
            Term::Call(name, arguments) => functions::call(self, tree, name, arguments),
            Term::Each(body, loops, only) => self.list(tree, body, loops, only.as_deref()),
        }
    }

    fn number(&self, tree: &Syntax) -> Result<f64, Stop> {
        let value = self.value(tree)?;
        value.number().ok_or_else(|| self.wrong(&tree.span, "a number is needed here", &value))
    }

    fn flag(&self, tree: &Syntax) -> Result<bool, Stop> {
        match self.value(tree)? {
            Value::Flag(flag) => Ok(flag),
            other => Err(self.wrong(&tree.span, "a comparison is needed here", &other)),
        }
    }

    fn words(&self, pieces: &[Segment]) -> Result<String, Stop> {
        let mut words = String::new();
        for piece in pieces {
            match piece {
                Segment::Words(more) => words += more,
                Segment::Hole(tree, format) => words += &format.words(&self.value(tree)?),
            }
        }
        Ok(words)
    }

    /// Words as they stand in the names of points and sets.
    fn key(&self, pieces: &[Segment]) -> Result<Key, Stop> {
        if let [Segment::Hole(tree, _)] = pieces
            && let Value::Key(key) = self.value(tree)?
        {
            return Ok(key);
        }
        let mut key = String::new();
        for piece in pieces {
            match piece {
                Segment::Words(more) => key += more,
                Segment::Hole(tree, _) => key += &self.value(tree)?.key(),
            }
        }
        Ok(Key { label: key.clone(), key })
    }

    fn named(&self, tree: &Syntax, name: &str, arguments: &[Vec<Segment>]) -> Result<Value, Stop> {
        let bound = self.scope.bound.iter().rev().find(|(bound, _)| bound == name);
        if let (Some((_, value)), true) = (bound, arguments.is_empty()) {
            return Ok(value.clone());
        }
        let arguments: Vec<Key> = arguments.iter().map(|pieces| self.key(pieces)).collect::<Result<_, _>>()?;
        if self.scope.depth > DEEPEST {
            let label = "it is made of itself, or of too many others";
            return Err(Stop::Wrong(Box::new(self.fault(&tree.span, format!("`{name}` has no end"), label))));
        }
        match self.scope.names.value(name, &arguments, self.scope.depth + 1) {
            Some(Err(Stop::Asked(message, label, help))) => {
                let fault = self.fault(&tree.span, message, label);
                Err(Stop::Wrong(Box::new(help.into_iter().fold(fault, Mistake::help))))
            }
            Some(given) => given,
            None => Err(self.unknown(tree, name)),
        }
    }

    fn unknown(&self, tree: &Syntax, name: &str) -> Stop {
        let bound = self.scope.bound.iter().map(|(name, _)| name.as_str());
        let known: Vec<&str> = bound.chain(self.scope.names.values()).collect();
        let near = suggest::nearest(name, known.iter().copied());
        let label = near.map_or("nothing has this name".to_owned(), |near| format!("did you mean `{near}`?"));
        let span = tree.span.start..tree.span.start + name.len();
        let fault = self.fault(&span, format!("there is no value `{name}`"), label);
        Stop::Wrong(Box::new(fault.help(format!("there is {}", suggest::phrase(known)))))
    }

    fn unary(&self, operator: Unary, about: &Syntax) -> Result<Value, Stop> {
        match operator {
            Unary::Minus => Ok(Value::Number(-self.number(about)?)),
            Unary::Not => Ok(Value::Flag(!self.flag(about)?)),
        }
    }

    fn binary(&self, tree: &Syntax, operator: Binary, left: &Syntax, right: &Syntax) -> Result<Value, Stop> {
        // Both sides always: what is wrong with one is told before anything runs.
        let numbers = || Ok((self.number(left), self.number(right))).and_then(|(a, b)| Ok::<_, Stop>((a?, b?)));
        match operator {
            Binary::Add => numbers().map(|(a, b)| Value::Number(a + b)),
            Binary::Subtract => numbers().map(|(a, b)| Value::Number(a - b)),
            Binary::Multiply => numbers().map(|(a, b)| Value::Number(a * b)),
            Binary::Divide => numbers().map(|(a, b)| Value::Number(a / b)),
            Binary::And | Binary::Or => {
                let (a, b) = (self.flag(left)?, self.flag(right)?);
                Ok(Value::Flag(if operator == Binary::And { a && b } else { a || b }))
            }
            _ => self.compare(tree, operator, left, right),
        }
    }

    fn compare(&self, tree: &Syntax, operator: Binary, left: &Syntax, right: &Syntax) -> Result<Value, Stop> {
        let (a, b) = (self.value(left)?, self.value(right)?);
        let order = a.compare(&b);
        let are_numbers = a.number().is_some() && b.number().is_some();
        if order.is_none() && !are_numbers {
            let label = format!("{} and {} cannot be compared", a.what(), b.what());
            return Err(Stop::Wrong(Box::new(self.fault(&tree.span, "this compares what is not alike", label))));
        }
        // What is no number at all is unequal to everything, as ever.
        Ok(Value::Flag(match operator {
            Binary::Less => order == Some(Ordering::Less),
            Binary::LessOrEqual => order.is_some_and(Ordering::is_le),
            Binary::More => order == Some(Ordering::Greater),
            Binary::MoreOrEqual => order.is_some_and(Ordering::is_ge),
            Binary::Unequal => order != Some(Ordering::Equal),
            _ => order == Some(Ordering::Equal),
        }))
    }

    fn list(&self, tree: &Syntax, body: &Syntax, loops: &[Loop], only: Option<&Syntax>) -> Result<Value, Stop> {
        let mut items = Vec::new();
        for scope in self.each(loops)? {
            let at = At { scope: &scope, said: self.said };
            if !only.map_or(Ok(true), |only| at.flag(only))? {
                continue;
            }
            let bound = scope.bound.iter().rev().take(loops.len()).rev();
            let keys =
                bound.filter_map(|(_, value)| if let Value::Key(key) = value { Some(key.clone()) } else { None });
            items.push(Element { at: keys.collect(), value: at.value(body)? });
            if items.len() > ELEMENTS_MAX {
                let message = format!("this list has more than {ELEMENTS_MAX} elements");
                return Err(Stop::Wrong(Box::new(self.fault(&tree.span, message, "here"))));
            }
        }
        Ok(Value::List(items))
    }

    fn each(&self, loops: &[Loop]) -> Result<Vec<Scope<'a>>, Stop> {
        let Some((first, rest)) = loops.split_first() else { return Ok(vec![self.scope.clone()]) };
        let mut scopes = Vec::new();
        for key in self.set(first)? {
            let scope = self.scope.with(&first.variable, Value::Key(key));
            scopes.extend(At { scope: &scope, said: self.said }.each(rest)?);
            if scopes.len() > ELEMENTS_MAX {
                let message = format!("there are more than {ELEMENTS_MAX} combinations");
                return Err(Stop::Wrong(Box::new(self.fault(&first.span, message, "here"))));
            }
        }
        Ok(scopes)
    }

    /// The values that a loop ranges over.
    fn set(&self, over: &Loop) -> Result<Vec<Key>, Stop> {
        let name = self.key(&over.set)?.key;
        if let Some(values) = self.scope.names.set(&name, &over.variable) {
            return Ok(values);
        }
        let known = self.scope.names.sets();
        let near = suggest::nearest(&name, known.iter().copied());
        let label =
            near.map_or("no axis and no set has this name".to_owned(), |near| format!("did you mean `{near}`?"));
        let fault = self.fault(&over.span, format!("there is no axis `{name}`"), label);
        Err(Stop::Wrong(Box::new(fault.help(format!("axes and sets: {}", suggest::phrase(known))))))
    }
}
