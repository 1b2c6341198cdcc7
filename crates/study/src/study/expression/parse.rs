//! The parser of expressions, by recursive descent. Names are not resolved.

use super::{Binary, Expression, ExpressionError, Format, Loop, Segment, Syntax, Template, Term, Unary};
use narrows_core::text::SpannedString;
use std::sync::Arc;

/// The largest nesting depth.
const DEPTH_MAX: usize = 40;
const OPERATORS: [(&str, Binary, u8); 12] = [
    ("or", Binary::Or, 1),
    ("and", Binary::And, 2),
    ("<=", Binary::LessOrEqual, 3),
    (">=", Binary::MoreOrEqual, 3),
    ("==", Binary::Equal, 3),
    ("!=", Binary::Unequal, 3),
    ("<", Binary::Less, 3),
    (">", Binary::More, 3),
    ("+", Binary::Add, 4),
    ("-", Binary::Subtract, 4),
    ("*", Binary::Multiply, 5),
    ("/", Binary::Divide, 5),
];
const RESERVED: [&str; 6] = ["for", "in", "if", "and", "or", "not"];

/// Parses a text as an expression.
pub fn expression(source: &SpannedString) -> Result<Expression, ExpressionError> {
    let mut parser = Parser { source, at: 0, depth: 0 };
    let tree = parser.with_loops()?;
    match parser.rest().trim_start().is_empty() {
        true => Ok(Expression { source: Arc::new(source.clone()), tree }),
        false => Err(parser.expected("an operator or the end")),
    }
}

/// Parses a text as a template.
pub fn template(source: &SpannedString) -> Result<Template, ExpressionError> {
    let mut parser = Parser { source, at: 0, depth: 0 };
    let pieces = parser.pieces(&[])?;
    Ok(Template { source: Arc::new(source.clone()), pieces })
}

/// Parses a text as `VARIABLE` or `VARIABLE in SET`.
pub fn axis_loop(source: &SpannedString) -> Result<Loop, ExpressionError> {
    let mut parser = Parser { source, at: 0, depth: 0 };
    let over = parser.parse_loop()?;
    match parser.rest().trim_start().is_empty() {
        true => Ok(over),
        false => Err(parser.expected("`in SET` or the end")),
    }
}

struct Parser<'a> {
    source: &'a SpannedString,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.source.text.get(self.at..).unwrap_or_default()
    }

    fn skip_whitespace(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Consumes `token` if it is next. If the token is a word, no letter may follow.
    fn take(&mut self, token: &str) -> bool {
        self.skip_whitespace();
        let is_word = token.starts_with(|c: char| c.is_ascii_alphabetic());
        let found = match is_word {
            true => name_at(self.rest()) == token,
            false => self.rest().starts_with(token),
        };
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expected(&self, what: &str) -> ExpressionError {
        let blank = self.rest().len() - self.rest().trim_start().len();
        let start = self.at + blank;
        let next = self.source.text[start..].chars().next();
        let label = match next {
            Some(next) => format!("expected {what}, not `{}`", next.escape_debug()),
            None => format!("expected {what}"),
        };
        let end = start + next.map_or(0, char::len_utf8);
        ExpressionError::new(self.source, start..end, "invalid expression", label)
    }

    fn require(&mut self, token: &str) -> Result<(), ExpressionError> {
        if self.take(token) { Ok(()) } else { Err(self.expected(&format!("`{token}`"))) }
    }

    /// Parses an expression with its loops, if it has any.
    fn with_loops(&mut self) -> Result<Syntax, ExpressionError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(ExpressionError::new(self.source, self.at..self.at, "this is nested too deeply", "here"));
        }
        let start = self.at;
        let body = self.binary(1)?;
        let mut loops = Vec::new();
        while self.take("for") {
            loops.push(self.parse_loop()?);
        }
        let only = if !loops.is_empty() && self.take("if") { Some(Box::new(self.binary(1)?)) } else { None };
        self.depth -= 1;
        match loops.is_empty() {
            true => Ok(body),
            false => Ok(Syntax { node: Term::Each(Box::new(body), loops, only), span: start..self.at }),
        }
    }

    fn parse_loop(&mut self) -> Result<Loop, ExpressionError> {
        self.skip_whitespace();
        let start = self.at;
        let variable = self.name().ok_or_else(|| self.expected("the name of an axis"))?;
        let set = match self.take("in") {
            true => self.set_name()?,
            false => vec![Segment::Literal(variable.clone())],
        };
        Ok(Loop { variable, set, span: start..self.at })
    }

    /// Parses the name of a set, which may have placeholders.
    fn set_name(&mut self) -> Result<Vec<Segment>, ExpressionError> {
        self.skip_whitespace();
        let mut pieces = Vec::new();
        loop {
            let rest = self.rest();
            let length = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
            if length > 0 {
                pieces.push(Segment::Literal(rest[..length].to_owned()));
                self.at += length;
            } else if rest.starts_with('{') {
                pieces.push(self.placeholder()?);
            } else if pieces.is_empty() {
                return Err(self.expected("the name of a set"));
            } else {
                return Ok(pieces);
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        self.skip_whitespace();
        let name = name_at(self.rest()).to_owned();
        if name.is_empty() || RESERVED.contains(&name.as_str()) {
            return None;
        }
        self.at += name.len();
        Some(name)
    }

    fn binary(&mut self, least_precedence: u8) -> Result<Syntax, ExpressionError> {
        self.skip_whitespace();
        let start = self.at;
        let mut left = self.unary()?;
        while let Some((operator, precedence)) = self.operator(least_precedence) {
            let right = self.binary(precedence + 1)?;
            let node = Term::Binary(operator, Box::new(left), Box::new(right));
            left = Syntax { node, span: start..self.at };
        }
        Ok(left)
    }

    fn operator(&mut self, least_precedence: u8) -> Option<(Binary, u8)> {
        let known = OPERATORS.iter().filter(|(_, _, precedence)| *precedence >= least_precedence);
        let known: Vec<_> = known.collect();
        known
            .into_iter()
            .find(|(token, _, _)| self.take(token))
            .map(|(_, operator, precedence)| (*operator, *precedence))
    }

    fn unary(&mut self) -> Result<Syntax, ExpressionError> {
        self.skip_whitespace();
        let start = self.at;
        let operator = if self.take("-") {
            Unary::Minus
        } else if self.take("not") {
            Unary::Not
        } else {
            return self.primary();
        };
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(ExpressionError::new(self.source, start..self.at, "this is nested too deeply", "here"));
        }
        // In `not a < b` the operand is the comparison; in `-a * b` it is only `a`.
        let operand = if operator == Unary::Not { self.binary(3)? } else { self.unary()? };
        self.depth -= 1;
        Ok(Syntax { node: Term::Unary(operator, Box::new(operand)), span: start..self.at })
    }

    fn primary(&mut self) -> Result<Syntax, ExpressionError> {
        let start = self.at;
        let node = if self.take("(") {
            let inner = self.with_loops()?;
            self.require(")")?;
            return Ok(inner);
        } else if self.take("'") {
            let pieces = self.pieces(&['\''])?;
            self.require("'")?;
            Term::Text(pieces)
        } else if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            self.number()?
        } else if self.take("if") {
            self.require("(")?;
            Term::Call("if".to_owned(), self.arguments()?)
        } else {
            let name = self.name().ok_or_else(|| self.expected("a number, a name, a text or `(`"))?;
            self.after_name(name)?
        };
        Ok(Syntax { node, span: start..self.at })
    }

    fn number(&mut self) -> Result<Term, ExpressionError> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (start, digits) = (self.at, rest[..length].to_owned());
        self.at += length;
        let error =
            || ExpressionError::new(self.source, start..start + length, "invalid expression", "this is not a number");
        digits.parse().map(Term::Number).map_err(|_| error())
    }

    /// Parses what follows a name: the arguments of a function or of a value, or nothing.
    fn after_name(&mut self, name: String) -> Result<Term, ExpressionError> {
        if name == "true" || name == "false" {
            return Ok(Term::Flag(name == "true"));
        }
        if self.rest().starts_with('(') {
            self.at += 1;
            return Ok(Term::Call(name, self.arguments()?));
        }
        if !self.rest().starts_with('[') {
            return Ok(Term::Value(name, Vec::new()));
        }
        let mut arguments = Vec::new();
        while self.rest().starts_with(['[', '/']) {
            self.at += 1;
            arguments.push(self.pieces(&['/', ']'])?);
        }
        self.require("]")?;
        Ok(Term::Value(name, arguments))
    }

    fn arguments(&mut self) -> Result<Vec<Syntax>, ExpressionError> {
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.with_loops()?);
            if self.take(")") {
                return Ok(arguments);
            }
            if !self.take(",") {
                return Err(self.expected("`,` or `)`"));
            }
        }
    }

    /// Parses text and placeholders up to one of `ends`, or to the end of the text if `ends` is empty.
    fn pieces(&mut self, ends: &[char]) -> Result<Vec<Segment>, ExpressionError> {
        let (mut pieces, mut words) = (Vec::new(), String::new());
        loop {
            let rest = self.rest();
            let Some(next) = rest.chars().next() else {
                if !ends.is_empty() {
                    return Err(self.expected(&format!("`{}`", ends[ends.len() - 1])));
                }
                break;
            };
            if ends.contains(&next) {
                break;
            } else if rest.starts_with("{{") || rest.starts_with("}}") {
                words.push(next);
                self.at += 2;
            } else if next == '{' {
                pieces.extend((!words.is_empty()).then(|| Segment::Literal(std::mem::take(&mut words))));
                pieces.push(self.placeholder()?);
            } else {
                words.push(next);
                self.at += next.len_utf8();
            }
        }
        pieces.extend((!words.is_empty()).then_some(Segment::Literal(words)));
        Ok(pieces)
    }

    fn placeholder(&mut self) -> Result<Segment, ExpressionError> {
        self.require("{")?;
        let tree = self.with_loops()?;
        let format = match self.take(":") {
            true => self.format(),
            false => Format::default(),
        };
        self.require("}")?;
        Ok(Segment::Placeholder(tree, format))
    }

    fn format(&mut self) -> Format {
        let rest = self.rest();
        let length = rest.find('}').unwrap_or(rest.len());
        let format = Format::parse(&rest[..length]);
        self.at += length;
        format
    }
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Returns the name at the beginning of a text. A `-` belongs to the name if a letter or digit follows it.
fn name_at(text: &str) -> &str {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return "";
    }
    let mut length = text.find(|c: char| !is_name_char(c)).unwrap_or(text.len());
    while text[..length].ends_with('-') {
        length -= 1;
    }
    &text[..length]
}
