//! Values while a figure is drawn: what is missing is left blank, what is wrong is kept to be told.

use crate::experiment::RunResult;
use crate::report::Cell;
use crate::study::export;
use crate::study::expression::read::Loops;
use crate::study::expression::{Expression, Mistake, Scope, Stop, Template, Value};
use crate::study::view::View;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A figure being drawn.
pub struct Drawing<'a> {
    /// What names mean.
    pub view: View<'a>,
    faults: RefCell<Vec<Mistake>>,
    linked: RefCell<BTreeSet<String>>,
}

impl<'a> Drawing<'a> {
    /// Over a source.
    pub fn new(view: View<'a>) -> Drawing<'a> {
        Drawing { view, faults: RefCell::default(), linked: RefCell::default() }
    }

    /// A scope in which nothing is bound.
    pub fn scope(&self) -> Scope<'_> {
        Scope::new(&self.view)
    }

    /// What was wrong, each thing once.
    pub fn faults(self) -> Vec<Mistake> {
        let mut faults: Vec<Mistake> = Vec::new();
        for fault in self.faults.into_inner() {
            let place = |fault: &Mistake| (fault.said.place.clone(), fault.span.clone());
            if !faults.iter().any(|known| place(known) == place(&fault)) {
                faults.push(fault);
            }
        }
        faults
    }

    /// Keeps what is wrong.
    pub fn tell(&self, stop: Stop) {
        if let Stop::Wrong(fault) = stop {
            self.faults.borrow_mut().push(*fault);
        }
    }

    /// What was asked for, or nothing.
    fn kept<T>(&self, given: Result<T, Stop>) -> Option<T> {
        given.map_err(|stop| self.tell(stop)).ok()
    }

    /// A number, if it is there.
    pub fn number(&self, scope: &Scope, expression: &Expression) -> Option<f64> {
        self.kept(scope.number(expression))
    }

    /// A number, or each of a list of them.
    pub fn numbers(&self, scope: &Scope, expression: &Expression) -> Vec<f64> {
        match self.kept(scope.value(expression)) {
            Some(Value::List(items)) => items.iter().filter_map(|item| item.value.number()).collect(),
            Some(value) => value.number().into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Whether something is so; not so where nobody knows.
    pub fn flag(&self, scope: &Scope, expression: &Expression) -> bool {
        self.kept(scope.flag(expression)).unwrap_or(false)
    }

    /// An entry of a table.
    pub fn cell(&self, scope: &Scope, expression: &Expression) -> Cell {
        match self.kept(scope.value(expression)) {
            Some(Value::Number(number)) => Cell::Number(number),
            Some(Value::Text(text)) => Cell::Text(text),
            Some(Value::Key(key)) => Cell::Text(key.label),
            Some(other) => {
                let span = expression.tree.span.clone();
                let fault = Mistake::new(&expression.said, span, "a number or a text is needed here", other.what());
                self.tell(Stop::Wrong(Box::new(fault)));
                Cell::Empty
            }
            None => Cell::Empty,
        }
    }

    /// A text with its holes filled.
    pub fn words(&self, scope: &Scope, template: &Template) -> String {
        self.kept(scope.words(template)).unwrap_or_default()
    }

    /// Every combination of values of the loops, the last fastest.
    pub fn each<'s>(&self, scope: &Scope<'s>, loops: &Loops) -> Vec<Scope<'s>> {
        let mut scopes = vec![scope.clone()];
        for (said, over) in &loops.0 {
            let one = |scope: &Scope<'s>| self.kept(scope.each(said, std::slice::from_ref(over))).unwrap_or_default();
            scopes = scopes.iter().flat_map(one).collect();
        }
        scopes
    }

    /// The run of a point, if it is there.
    pub fn run(&self, scope: &Scope, point: &Template) -> Option<&'a RunResult> {
        let name = self.kept(scope.words(point))?;
        let run = self.view.run(&name).map_err(|stop| stop.at(&point.said));
        self.kept(run).flatten()
    }

    /// Where the description of a point's run lies, if that is there: the picture links to it.
    pub fn link(&self, scope: &Scope, point: &Template) -> Option<String> {
        self.run(scope, point)?;
        let name = self.kept(scope.words(point))?;
        let path = export::path(&name);
        self.linked.borrow_mut().insert(name);
        Some(path)
    }

    /// The points to whose descriptions the picture links.
    pub fn linked(&self) -> BTreeSet<String> {
        self.linked.take()
    }

    /// That of values which should be there before anything is run, none is.
    pub fn needs_some(&self, some: bool, expression: &Expression) {
        let is_told = self.faults.borrow().iter().any(|fault| fault.said.place == expression.said.place);
        if self.view.is_planned() && !some && !is_told {
            let span = expression.tree.span.clone();
            let label = "no run, and no published number, gives any of it";
            let fault = Mistake::new(&expression.said, span, "there is nothing to be shown", label);
            self.tell(Stop::Wrong(Box::new(fault)));
        }
    }
}

/// What the innermost loop is at.
pub fn innermost(scope: &Scope) -> Option<Value> {
    scope.bound.last().map(|(_, value)| value.clone())
}
