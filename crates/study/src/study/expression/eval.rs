//! Evaluation of expressions; the functions are in `eval/`. Names are resolved by a [`NameResolver`].

mod functions;

pub use functions::FUNCTIONS;

use super::value::{Element, Key, Value};
use super::{Binary, Expression, ExpressionError, Loop, ReferenceError, Segment, Syntax, Template, Term, Unary};
use narrows_core::text::SpannedString;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// The largest number of elements of a list.
const ELEMENTS_MAX: usize = 200_000;
/// The largest depth of values that are defined by other values. A greater depth is taken for a cycle.
const DEPTH_MAX: usize = 24;

/// The largest number of values, each with its arguments, that one expression may need.
const VALUES_MAX: usize = 100_000;

/// The values that were evaluated, by name and arguments.
type ValueCache = HashMap<(Arc<str>, Vec<Key>), Result<Value, EvalError>>;

/// The reason for which an expression has no value.
#[derive(Clone, Debug)]
pub enum EvalError {
    /// The expression is invalid.
    Invalid(Box<ExpressionError>),
    /// A name that the expression refers to is invalid.
    InvalidReference(ReferenceError),
    /// The expression is valid, but the results do not contain the value.
    Missing(String),
    /// The expression is valid, but a run that ended too early did not measure the value.
    NotMeasured(String),
}

impl EvalError {
    /// Converts an invalid reference to an error with a location in the text `source`.
    pub fn at(self, source: &SpannedString) -> EvalError {
        match self {
            EvalError::InvalidReference(error) => error.of_text(source).into(),
            other => other,
        }
    }
}

impl From<ReferenceError> for EvalError {
    fn from(error: ReferenceError) -> EvalError {
        EvalError::InvalidReference(error)
    }
}

impl From<ExpressionError> for EvalError {
    fn from(error: ExpressionError) -> EvalError {
        EvalError::Invalid(Box::new(error))
    }
}

/// The resolver of the names in expressions.
pub trait NameResolver {
    /// Returns the values of a set. Their labels are those of the axis `variable`.
    fn set(&self, name: &str, variable: &str) -> Option<Vec<Key>>;
    /// Returns the names of all sets.
    fn sets(&self) -> Vec<&str>;
    /// Evaluates a value by its name and arguments; `None` if there is no such name. Its definition is evaluated in the
    /// [`definition_scope`](Scope::definition_scope) of `scope`.
    fn value(&self, name: &str, arguments: &[Key], scope: &Scope) -> Option<Result<Value, EvalError>>;
    /// Returns the names of all values.
    fn values(&self) -> Vec<&str>;
}

/// A name, and the value to which it is bound.
pub type Binding = (Arc<str>, Value);

/// The scope in which an expression is evaluated.
#[derive(Clone)]
pub struct Scope<'a> {
    /// The resolver of names that are not bound.
    pub resolver: &'a dyn NameResolver,
    /// The bound names. Later ones shadow earlier ones.
    pub bindings: Vec<Binding>,
    /// The depth of values defined by other values.
    depth: usize,
    /// The values that this scope and the scopes derived from it have evaluated, so that no value is evaluated twice.
    value_cache: Rc<RefCell<ValueCache>>,
}

impl<'a> Scope<'a> {
    /// Returns a scope without bindings.
    pub fn new(resolver: &'a dyn NameResolver) -> Scope<'a> {
        Scope { resolver, bindings: Vec::new(), depth: 0, value_cache: Rc::default() }
    }

    /// Returns the scope in which the definition of a value is evaluated when an expression in this scope names the
    /// value. Its only bindings are `bindings`.
    pub fn definition_scope(&self, bindings: Vec<Binding>) -> Scope<'a> {
        Scope { resolver: self.resolver, bindings, depth: self.depth + 1, value_cache: self.value_cache.clone() }
    }

    /// Returns the scope with one more binding.
    pub fn with(&self, name: impl Into<Arc<str>>, value: Value) -> Scope<'a> {
        let mut scope = self.clone();
        scope.bindings.push((name.into(), value));
        scope
    }

    /// Returns the scope with the bindings of `other` after its own.
    pub fn joined(&self, other: &Scope) -> Scope<'a> {
        let mut scope = self.clone();
        scope.bindings.extend_from_slice(&other.bindings);
        scope
    }

    /// Evaluates an expression.
    pub fn value(&self, expression: &Expression) -> Result<Value, EvalError> {
        Evaluator { scope: self, source: &expression.source }.value(&expression.tree)
    }

    /// Evaluates an expression to a number.
    pub fn number(&self, expression: &Expression) -> Result<f64, EvalError> {
        Evaluator { scope: self, source: &expression.source }.number(&expression.tree)
    }

    /// Evaluates an expression to a Boolean.
    pub fn flag(&self, expression: &Expression) -> Result<bool, EvalError> {
        Evaluator { scope: self, source: &expression.source }.flag(&expression.tree)
    }

    /// Fills the placeholders of a template.
    pub fn fill_template(&self, template: &Template) -> Result<String, EvalError> {
        Evaluator { scope: self, source: &template.source }.fill_segments(&template.pieces)
    }

    /// Returns a scope for every combination of values of the loops; the last loop varies fastest.
    pub fn loop_scopes(&self, source: &SpannedString, loops: &[Loop]) -> Result<Vec<Scope<'a>>, EvalError> {
        Evaluator { scope: self, source }.loop_scopes(loops)
    }
}

/// The evaluation of the expressions in one text.
struct Evaluator<'s, 'a> {
    pub scope: &'s Scope<'a>,
    pub source: &'s SpannedString,
}

impl<'a> Evaluator<'_, 'a> {
    fn error(&self, span: &Range<usize>, message: impl Into<String>, label: impl Into<String>) -> ExpressionError {
        ExpressionError::new(self.source, span.clone(), message, label)
    }

    fn type_error(&self, span: &Range<usize>, message: &str, value: &Value) -> EvalError {
        self.error(span, message, format!("this is {}", value.type_name())).into()
    }

    fn value(&self, tree: &Syntax) -> Result<Value, EvalError> {
        match &tree.node {
            Term::Number(number) => Ok(Value::Number(*number)),
            Term::Flag(flag) => Ok(Value::Flag(*flag)),
            Term::Text(pieces) => self.fill_segments(pieces).map(Value::Text),
            Term::Value(name, arguments) => self.evaluate_name(tree, name, arguments),
            Term::Unary(operator, operand) => self.unary(*operator, operand),
            Term::Binary(operator, left, right) => self.binary(tree, *operator, left, right),
            Term::Call(name, arguments) => functions::call(self, tree, name, arguments),
            Term::Each(body, loops, condition) => self.list(tree, body, loops, condition.as_deref()),
        }
    }

    fn number(&self, tree: &Syntax) -> Result<f64, EvalError> {
        let value = self.value(tree)?;
        value.number().ok_or_else(|| self.type_error(&tree.span, "a number is needed here", &value))
    }

    fn flag(&self, tree: &Syntax) -> Result<bool, EvalError> {
        match self.value(tree)? {
            Value::Flag(flag) => Ok(flag),
            other => Err(self.type_error(&tree.span, "a comparison is needed here", &other)),
        }
    }

    fn fill_segments(&self, pieces: &[Segment]) -> Result<String, EvalError> {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Segment::Literal(literal) => text += literal,
                Segment::Placeholder(tree, format) => text += &format.format_value(&self.value(tree)?),
            }
        }
        Ok(text)
    }

    /// Evaluates a text with placeholders to a key, as in the names of points and sets.
    fn key(&self, pieces: &[Segment]) -> Result<Key, EvalError> {
        if let [Segment::Placeholder(tree, _)] = pieces
            && let Value::Key(key) = self.value(tree)?
        {
            return Ok(key);
        }
        let mut key = String::new();
        for piece in pieces {
            match piece {
                Segment::Literal(literal) => key += literal,
                Segment::Placeholder(tree, _) => key += &self.value(tree)?.key(),
            }
        }
        let key: Arc<str> = key.into();
        Ok(Key { label: key.clone(), key })
    }

    fn evaluate_name(&self, tree: &Syntax, name: &Arc<str>, arguments: &[Vec<Segment>]) -> Result<Value, EvalError> {
        let binding = self.scope.bindings.iter().rev().find(|(binding, _)| binding == name);
        if let (Some((_, value)), true) = (binding, arguments.is_empty()) {
            return Ok(value.clone());
        }
        let arguments: Vec<Key> = arguments.iter().map(|pieces| self.key(pieces)).collect::<Result<_, _>>()?;
        match self.evaluate_once(tree, name, arguments)? {
            Some(Err(EvalError::InvalidReference(error))) => Err(error.at(self.source, tree.span.clone()).into()),
            Some(result) => result,
            None => Err(self.unknown_value_error(tree, name)),
        }
    }

    /// Evaluates a value, or returns it if it has already been evaluated. Returns `None` if there is no such name.
    fn evaluate_once(
        &self,
        tree: &Syntax,
        name: &Arc<str>,
        arguments: Vec<Key>,
    ) -> Result<Option<Result<Value, EvalError>>, EvalError> {
        let cache_key = (name.clone(), arguments);
        if let Some(known) = self.scope.value_cache.borrow().get(&cache_key) {
            return Ok(Some(known.clone()));
        }
        let error = |message: String, label: &str| Err(self.error(&tree.span, message, label).into());
        if self.scope.depth > DEPTH_MAX {
            let label = "this value depends on itself, or on too long a chain of other values";
            return error(format!("the definition of `{name}` is too deep"), label);
        }
        if self.scope.value_cache.borrow().len() >= VALUES_MAX {
            return error(format!("more than {VALUES_MAX} values are needed"), "this value exceeds the limit");
        }
        let Some(value) = self.scope.resolver.value(name, &cache_key.1, self.scope) else { return Ok(None) };
        self.scope.value_cache.borrow_mut().insert(cache_key, value.clone());
        Ok(Some(value))
    }

    fn unknown_value_error(&self, tree: &Syntax, name: &str) -> EvalError {
        let bound = self.scope.bindings.iter().map(|(name, _)| &**name);
        let known: Vec<&str> = bound.chain(self.scope.resolver.values()).collect();
        let span = tree.span.start..tree.span.start + name.len();
        let known = ("values", known.iter().copied());
        ReferenceError::unknown_name("value", name, "no value has this name", known).at(self.source, span).into()
    }

    fn unary(&self, operator: Unary, operand: &Syntax) -> Result<Value, EvalError> {
        match operator {
            Unary::Minus => Ok(Value::Number(-self.number(operand)?)),
            Unary::Not => Ok(Value::Flag(!self.flag(operand)?)),
        }
    }

    fn binary(&self, tree: &Syntax, operator: Binary, left: &Syntax, right: &Syntax) -> Result<Value, EvalError> {
        // Both sides are always evaluated, so that errors of either side are reported before any run.
        let operands = || Ok((self.number(left), self.number(right))).and_then(|(a, b)| Ok::<_, EvalError>((a?, b?)));
        match operator {
            Binary::Add => operands().map(|(a, b)| Value::Number(a + b)),
            Binary::Subtract => operands().map(|(a, b)| Value::Number(a - b)),
            Binary::Multiply => operands().map(|(a, b)| Value::Number(a * b)),
            Binary::Divide => operands().map(|(a, b)| Value::Number(a / b)),
            Binary::And | Binary::Or => {
                let (a, b) = (self.flag(left)?, self.flag(right)?);
                Ok(Value::Flag(if operator == Binary::And { a && b } else { a || b }))
            }
            _ => self.compare(tree, operator, left, right),
        }
    }

    fn compare(&self, tree: &Syntax, operator: Binary, left: &Syntax, right: &Syntax) -> Result<Value, EvalError> {
        let (a, b) = (self.value(left)?, self.value(right)?);
        let order = a.compare(&b);
        let are_numbers = a.number().is_some() && b.number().is_some();
        if order.is_none() && !are_numbers {
            let label = format!("{} and {} cannot be compared", a.type_name(), b.type_name());
            return Err(self.error(&tree.span, "this compares values of different types", label).into());
        }
        // NaN is unequal to everything.
        Ok(Value::Flag(match operator {
            Binary::Less => order == Some(Ordering::Less),
            Binary::LessOrEqual => order.is_some_and(Ordering::is_le),
            Binary::More => order == Some(Ordering::Greater),
            Binary::MoreOrEqual => order.is_some_and(Ordering::is_ge),
            Binary::Unequal => order != Some(Ordering::Equal),
            _ => order == Some(Ordering::Equal),
        }))
    }

    fn list(
        &self,
        tree: &Syntax,
        body: &Syntax,
        loops: &[Loop],
        condition: Option<&Syntax>,
    ) -> Result<Value, EvalError> {
        let mut items = Vec::new();
        for scope in self.loop_scopes(loops)? {
            let evaluator = Evaluator { scope: &scope, source: self.source };
            if !condition.map_or(Ok(true), |condition| evaluator.flag(condition))? {
                continue;
            }
            let loop_bindings = scope.bindings.iter().rev().take(loops.len()).rev();
            let keys = loop_bindings
                .filter_map(|(_, value)| if let Value::Key(key) = value { Some(key.clone()) } else { None });
            items.push(Element { keys: keys.collect(), value: evaluator.value(body)? });
            if items.len() > ELEMENTS_MAX {
                let message = format!("this list has more than {ELEMENTS_MAX} elements");
                return Err(self.error(&tree.span, message, "here").into());
            }
        }
        Ok(Value::List(items))
    }

    fn loop_scopes(&self, loops: &[Loop]) -> Result<Vec<Scope<'a>>, EvalError> {
        let mut scopes = vec![self.scope.clone()];
        for axis_loop in loops {
            let (mut values, mut inner_scopes) = (Vec::new(), Vec::new());
            for (index, scope) in scopes.iter().enumerate() {
                // A name without placeholders is the same set in every scope.
                if index == 0 || !axis_loop.has_fixed_set() {
                    values = Evaluator { scope, source: self.source }.loop_values(axis_loop)?;
                }
                let with_value = |key: &Key| scope.with(axis_loop.variable.clone(), Value::Key(key.clone()));
                inner_scopes.extend(values.iter().map(with_value));
                if inner_scopes.len() > ELEMENTS_MAX {
                    let message = format!("there are more than {ELEMENTS_MAX} combinations");
                    return Err(self.error(&axis_loop.span, message, "here").into());
                }
            }
            scopes = inner_scopes;
        }
        Ok(scopes)
    }

    /// Returns the values that a loop ranges over.
    fn loop_values(&self, axis_loop: &Loop) -> Result<Vec<Key>, EvalError> {
        let name = self.key(&axis_loop.set)?.key;
        if let Some(values) = self.scope.resolver.set(&name, &axis_loop.variable) {
            return Ok(values);
        }
        let known = self.scope.resolver.sets();
        let known = ("axes and sets", known.iter().copied());
        let error = ReferenceError::unknown_name("axis", &name, "no axis and no set has this name", known);
        Err(error.at(self.source, axis_loop.span.clone()).into())
    }
}
