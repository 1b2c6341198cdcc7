//! Evaluation of expressions while a figure is drawn. Missing values are left blank, and errors are collected.

use crate::experiment::RunResult;
use crate::report::Cell;
use crate::study::export;
use crate::study::expression::read::Loops;
use crate::study::expression::{EvalError, Expression, ExpressionError, Scope, Template, Value};
use crate::study::view::View;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The state of drawing a figure.
pub struct Drawing<'a> {
    /// The resolver of names.
    pub view: View<'a>,
    errors: RefCell<Vec<ExpressionError>>,
    linked_points: RefCell<BTreeSet<String>>,
}

impl<'a> Drawing<'a> {
    /// Returns the state before anything is evaluated.
    pub fn new(view: View<'a>) -> Drawing<'a> {
        Drawing { view, errors: RefCell::default(), linked_points: RefCell::default() }
    }

    /// Returns a scope without bindings.
    pub fn scope(&self) -> Scope<'_> {
        Scope::new(&self.view)
    }

    /// Returns the collected errors, one for each location.
    pub fn errors(self) -> Vec<ExpressionError> {
        let mut errors: Vec<ExpressionError> = Vec::new();
        for error in self.errors.into_inner() {
            let location = |error: &ExpressionError| (error.source.place.clone(), error.span.clone());
            if !errors.iter().any(|known| location(known) == location(&error)) {
                errors.push(error);
            }
        }
        errors
    }

    /// Collects an error.
    pub fn collect_error(&self, error: ExpressionError) {
        self.errors.borrow_mut().push(error);
    }

    /// Returns the value, or collects the error, unless it is only a missing value, and returns `None`.
    fn value_or_collect<T>(&self, result: Result<T, EvalError>) -> Option<T> {
        let collect = |error| {
            if let EvalError::Invalid(error) = error {
                self.collect_error(*error);
            }
        };
        result.map_err(collect).ok()
    }

    /// Evaluates an expression to a number.
    pub fn number(&self, scope: &Scope, expression: &Expression) -> Option<f64> {
        self.value_or_collect(scope.number(expression))
    }

    /// Evaluates an expression to a list of numbers, or a single number.
    pub fn numbers(&self, scope: &Scope, expression: &Expression) -> Vec<f64> {
        match self.value_or_collect(scope.value(expression)) {
            Some(Value::List(items)) => items.iter().filter_map(|item| item.value.number()).collect(),
            Some(value) => value.number().into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Evaluates an expression to a Boolean, which is false if the expression has no value.
    pub fn flag(&self, scope: &Scope, expression: &Expression) -> bool {
        self.value_or_collect(scope.flag(expression)).unwrap_or(false)
    }

    /// Evaluates an expression to a cell of a table.
    pub fn cell(&self, scope: &Scope, expression: &Expression) -> Cell {
        match self.value_or_collect(scope.value(expression)) {
            Some(Value::Number(number)) => Cell::Number(number),
            Some(Value::Text(text)) => Cell::Text(text),
            Some(Value::Key(key)) => Cell::Text(key.label.to_string()),
            Some(other) => {
                self.collect_error(expression.error("a number or a text is needed here", other.type_name()));
                Cell::Empty
            }
            None => Cell::Empty,
        }
    }

    /// Fills the placeholders of a template.
    pub fn fill_template(&self, scope: &Scope, template: &Template) -> String {
        self.value_or_collect(scope.fill_template(template)).unwrap_or_default()
    }

    /// Returns a scope for every combination of values of the loops; the last loop varies fastest.
    pub fn loop_scopes<'s>(&self, scope: &Scope<'s>, loops: &Loops) -> Vec<Scope<'s>> {
        let mut scopes = vec![scope.clone()];
        for (source, axis_loop) in &loops.0 {
            let inner_scopes = |scope: &Scope<'s>| {
                self.value_or_collect(scope.loop_scopes(source, std::slice::from_ref(axis_loop))).unwrap_or_default()
            };
            scopes = scopes.iter().flat_map(inner_scopes).collect();
        }
        scopes
    }

    /// Returns the run of a point, if it exists.
    pub fn run(&self, scope: &Scope, point: &Template) -> Option<&'a RunResult> {
        let name = self.value_or_collect(scope.fill_template(point))?;
        let run = self.view.run(&name).map_err(|error| error.at(&point.source));
        self.value_or_collect(run).flatten()
    }

    /// Returns the path of the description of a point if the run of the point exists, and records that the chart links
    /// to it.
    pub fn link(&self, scope: &Scope, point: &Template) -> Option<String> {
        self.run(scope, point)?;
        let name = self.value_or_collect(scope.fill_template(point))?;
        let path = export::path(&name);
        self.linked_points.borrow_mut().insert(name);
        Some(path)
    }

    /// Returns the points to whose descriptions the chart links.
    pub fn linked_points(&self) -> BTreeSet<String> {
        self.linked_points.take()
    }

    /// Reports an expression that has no value over the planned points, before any run.
    pub fn require_value(&self, has_value: bool, expression: &Expression) {
        let is_reported = self.errors.borrow().iter().any(|error| error.source.place == expression.source.place);
        if self.view.is_planned() && !has_value && !is_reported {
            let label = "no run and no published number has this value";
            self.collect_error(expression.error("there is nothing to show", label));
        }
    }
}

/// Returns the value of the innermost loop.
pub fn innermost_value(scope: &Scope) -> Option<Value> {
    scope.bindings.last().map(|(_, value)| value.clone())
}
