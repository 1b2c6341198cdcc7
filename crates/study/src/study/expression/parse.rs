//! The parser of expressions, by recursive descent. Names are not resolved.

use super::{Binary, Expression, ExpressionError, Format, Loop, Segment, Syntax, Template, Term, Unary};
use narrows_core::text::SpannedString;
use std::sync::Arc;

/// The largest nesting depth.
const DEPTH_MAX: usize = 40;
/// The binary operators: token, operator and precedence, where a higher precedence is evaluated first.
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
const RESERVED_WORDS: [&str; 6] = ["for", "in", "if", "and", "or", "not"];

/// Parses a text as an expression.
pub fn expression(source: &SpannedString) -> Result<Expression, ExpressionError> {
    let mut parser = Parser { source, position: 0, depth: 0 };
    let tree = parser.parse_with_loops()?;
    match parser.rest().trim_start().is_empty() {
        true => Ok(Expression { source: Arc::new(source.clone()), tree }),
        false => Err(parser.expected_error("an operator or the end")),
    }
}

/// Parses a text as a template.
pub fn template(source: &SpannedString) -> Result<Template, ExpressionError> {
    let mut parser = Parser { source, position: 0, depth: 0 };
    let pieces = parser.parse_segments(&[])?;
    Ok(Template { source: Arc::new(source.clone()), pieces })
}

/// Parses a text as `VARIABLE` or `VARIABLE in SET`.
pub fn axis_loop(source: &SpannedString) -> Result<Loop, ExpressionError> {
    let mut parser = Parser { source, position: 0, depth: 0 };
    let axis_loop = parser.parse_loop()?;
    match parser.rest().trim_start().is_empty() {
        true => Ok(axis_loop),
        false => Err(parser.expected_error("`in SET` or the end")),
    }
}

struct Parser<'a> {
    source: &'a SpannedString,
    position: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.source.text.get(self.position..).unwrap_or_default()
    }

    fn skip_whitespace(&mut self) {
        self.position += self.rest().len() - self.rest().trim_start().len();
    }

    /// Consumes `token` if it is next. If the token is a word, no letter may follow.
    fn consume(&mut self, token: &str) -> bool {
        self.skip_whitespace();
        let is_word = token.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_next = match is_word {
            true => name_at(self.rest()) == token,
            false => self.rest().starts_with(token),
        };
        self.position += if is_next { token.len() } else { 0 };
        is_next
    }

    fn expected_error(&self, expected: &str) -> ExpressionError {
        let blank_length = self.rest().len() - self.rest().trim_start().len();
        let start = self.position + blank_length;
        let next = self.source.text[start..].chars().next();
        let label = match next {
            Some(next) => format!("expected {expected}, not `{}`", next.escape_debug()),
            None => format!("expected {expected}"),
        };
        let end = start + next.map_or(0, char::len_utf8);
        ExpressionError::new(self.source, start..end, "invalid expression", label)
    }

    fn require(&mut self, token: &str) -> Result<(), ExpressionError> {
        if self.consume(token) { Ok(()) } else { Err(self.expected_error(&format!("`{token}`"))) }
    }

    /// Parses an expression with its loops, if it has any.
    fn parse_with_loops(&mut self) -> Result<Syntax, ExpressionError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(ExpressionError::new(
                self.source,
                self.position..self.position,
                "this is nested too deeply",
                "here",
            ));
        }
        let start = self.position;
        let body = self.parse_binary(1)?;
        let mut loops = Vec::new();
        while self.consume("for") {
            loops.push(self.parse_loop()?);
        }
        let condition =
            if !loops.is_empty() && self.consume("if") { Some(Box::new(self.parse_binary(1)?)) } else { None };
        self.depth -= 1;
        match loops.is_empty() {
            true => Ok(body),
            false => Ok(Syntax { node: Term::Each(Box::new(body), loops, condition), span: start..self.position }),
        }
    }

    fn parse_loop(&mut self) -> Result<Loop, ExpressionError> {
        self.skip_whitespace();
        let start = self.position;
        let variable = self.parse_name().ok_or_else(|| self.expected_error("the name of an axis"))?;
        let set = match self.consume("in") {
            true => self.parse_set_name()?,
            false => vec![Segment::Literal(variable.clone())],
        };
        Ok(Loop { variable: variable.into(), set, span: start..self.position })
    }

    /// Parses the name of a set, which may have placeholders.
    fn parse_set_name(&mut self) -> Result<Vec<Segment>, ExpressionError> {
        self.skip_whitespace();
        let mut pieces = Vec::new();
        loop {
            let rest = self.rest();
            let length = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
            if length > 0 {
                pieces.push(Segment::Literal(rest[..length].to_owned()));
                self.position += length;
            } else if rest.starts_with('{') {
                pieces.push(self.parse_placeholder()?);
            } else if pieces.is_empty() {
                return Err(self.expected_error("the name of a set"));
            } else {
                return Ok(pieces);
            }
        }
    }

    fn parse_name(&mut self) -> Option<String> {
        self.skip_whitespace();
        let name = name_at(self.rest()).to_owned();
        if name.is_empty() || RESERVED_WORDS.contains(&name.as_str()) {
            return None;
        }
        self.position += name.len();
        Some(name)
    }

    fn parse_binary(&mut self, precedence_min: u8) -> Result<Syntax, ExpressionError> {
        self.skip_whitespace();
        let start = self.position;
        let mut left = self.parse_unary()?;
        while let Some((operator, precedence)) = self.consume_operator(precedence_min) {
            let right = self.parse_binary(precedence + 1)?;
            let node = Term::Binary(operator, Box::new(left), Box::new(right));
            left = Syntax { node, span: start..self.position };
        }
        Ok(left)
    }

    fn consume_operator(&mut self, precedence_min: u8) -> Option<(Binary, u8)> {
        let candidates = OPERATORS.iter().filter(|(_, _, precedence)| *precedence >= precedence_min);
        let candidates: Vec<_> = candidates.collect();
        candidates
            .into_iter()
            .find(|(token, _, _)| self.consume(token))
            .map(|(_, operator, precedence)| (*operator, *precedence))
    }

    fn parse_unary(&mut self) -> Result<Syntax, ExpressionError> {
        self.skip_whitespace();
        let start = self.position;
        let operator = if self.consume("-") {
            Unary::Minus
        } else if self.consume("not") {
            Unary::Not
        } else {
            return self.parse_primary();
        };
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(ExpressionError::new(self.source, start..self.position, "this is nested too deeply", "here"));
        }
        // In `not a < b` the operand is the comparison; in `-a * b` it is only `a`.
        let operand = if operator == Unary::Not { self.parse_binary(3)? } else { self.parse_unary()? };
        self.depth -= 1;
        Ok(Syntax { node: Term::Unary(operator, Box::new(operand)), span: start..self.position })
    }

    fn parse_primary(&mut self) -> Result<Syntax, ExpressionError> {
        let start = self.position;
        let node = if self.consume("(") {
            let expression_tree = self.parse_with_loops()?;
            self.require(")")?;
            return Ok(expression_tree);
        } else if self.consume("'") {
            let pieces = self.parse_segments(&['\''])?;
            self.require("'")?;
            Term::Text(pieces)
        } else if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            self.parse_number()?
        } else if self.consume("if") {
            self.require("(")?;
            Term::Call("if".to_owned(), self.parse_arguments()?)
        } else {
            let name = self.parse_name().ok_or_else(|| self.expected_error("a number, a name, a text or `(`"))?;
            self.parse_after_name(name)?
        };
        Ok(Syntax { node, span: start..self.position })
    }

    fn parse_number(&mut self) -> Result<Term, ExpressionError> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (start, digits) = (self.position, rest[..length].to_owned());
        self.position += length;
        let error =
            || ExpressionError::new(self.source, start..start + length, "invalid expression", "this is not a number");
        digits.parse().map(Term::Number).map_err(|_| error())
    }

    /// Parses the part after a name: the arguments of a function or of a value, or nothing.
    fn parse_after_name(&mut self, name: String) -> Result<Term, ExpressionError> {
        if name == "true" || name == "false" {
            return Ok(Term::Flag(name == "true"));
        }
        if self.rest().starts_with('(') {
            self.position += 1;
            return Ok(Term::Call(name, self.parse_arguments()?));
        }
        if !self.rest().starts_with('[') {
            return Ok(Term::Value(name.into(), Vec::new()));
        }
        let mut arguments = Vec::new();
        while self.rest().starts_with(['[', '/']) {
            self.position += 1;
            arguments.push(self.parse_segments(&['/', ']'])?);
        }
        self.require("]")?;
        Ok(Term::Value(name.into(), arguments))
    }

    fn parse_arguments(&mut self) -> Result<Vec<Syntax>, ExpressionError> {
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.parse_with_loops()?);
            if self.consume(")") {
                return Ok(arguments);
            }
            if !self.consume(",") {
                return Err(self.expected_error("`,` or `)`"));
            }
        }
    }

    /// Parses text and placeholders up to one of `ends`, or to the end of the text if `ends` is empty.
    fn parse_segments(&mut self, ends: &[char]) -> Result<Vec<Segment>, ExpressionError> {
        let (mut pieces, mut literal) = (Vec::new(), String::new());
        loop {
            let rest = self.rest();
            let Some(next) = rest.chars().next() else {
                if !ends.is_empty() {
                    return Err(self.expected_error(&format!("`{}`", ends[ends.len() - 1])));
                }
                break;
            };
            if ends.contains(&next) {
                break;
            } else if rest.starts_with("{{") || rest.starts_with("}}") {
                literal.push(next);
                self.position += 2;
            } else if next == '{' {
                pieces.extend((!literal.is_empty()).then(|| Segment::Literal(std::mem::take(&mut literal))));
                pieces.push(self.parse_placeholder()?);
            } else {
                literal.push(next);
                self.position += next.len_utf8();
            }
        }
        pieces.extend((!literal.is_empty()).then_some(Segment::Literal(literal)));
        Ok(pieces)
    }

    fn parse_placeholder(&mut self) -> Result<Segment, ExpressionError> {
        self.require("{")?;
        let tree = self.parse_with_loops()?;
        let format = match self.consume(":") {
            true => self.parse_format(),
            false => Format::default(),
        };
        self.require("}")?;
        Ok(Segment::Placeholder(tree, format))
    }

    fn parse_format(&mut self) -> Format {
        let rest = self.rest();
        let length = rest.find('}').unwrap_or(rest.len());
        let format = Format::parse(&rest[..length]);
        self.position += length;
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
