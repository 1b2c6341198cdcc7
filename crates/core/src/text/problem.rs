//! Diagnostics of a description: each has a source location, a snippet and help.
//!
//! All problems are collected and rendered together.

use super::origin::{Layer, TextSpan, Texts};
use super::suggest;
use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Snippet};
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// One diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The message.
    pub message: String,
    /// The source location, if there is one.
    pub place: Option<TextSpan>,
    /// The label at that location.
    pub label: Box<str>,
    /// Related source locations, each with its label.
    pub related: Box<[(TextSpan, String)]>,
    /// Help lines, which state the allowed values and the remedy.
    pub help: Vec<String>,
    /// Whether the problem is an incompatibility of parts that are valid alone.
    pub is_incompatibility: bool,
}

impl Problem {
    /// Creates a problem without a source location.
    pub fn new(message: impl Into<String>) -> Problem {
        let (message, label) = (message.into(), "".into());
        Problem { message, place: None, label, related: Box::default(), help: Vec::new(), is_incompatibility: false }
    }

    /// Creates the problem that the value of the key at `path` is not valid.
    pub fn bad_value(path: &str) -> Problem {
        Problem::new(format!("bad value for `{path}`"))
    }

    /// Returns the problem that no `noun` is called `name`, with the nearest allowed name and all allowed names.
    pub fn unknown_name<'a>(noun: &str, name: &str, allowed: impl Iterator<Item = &'a str> + Clone) -> Problem {
        let nearest = suggest::nearest(name, allowed.clone());
        let nearest = nearest.map(|nearest| format!("did you mean `{nearest}`? ")).unwrap_or_default();
        let allowed = allowed.collect::<Vec<_>>().join(", ");
        Problem::new(format!("there is no {noun} `{name}`; {nearest}{noun}s: {allowed}"))
    }

    /// Returns the problem with this source location and label.
    pub fn with_location(mut self, place: Option<TextSpan>, label: impl Into<String>) -> Problem {
        (self.place, self.label) = (place, label.into().into_boxed_str());
        self
    }

    /// Returns the problem with one more related location.
    pub fn related(mut self, place: TextSpan, label: impl Into<String>) -> Problem {
        self.related = self.related.into_iter().chain([(place, label.into())]).collect();
        self
    }

    /// Returns the problem with one more line of help; an empty line is left out.
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        let help = help.into();
        if !help.is_empty() {
            self.help.push(help);
        }
        self
    }

    /// Returns the problem marked as one of incompatible parts.
    pub fn incompatible(self) -> Problem {
        Problem { is_incompatibility: true, ..self }
    }

    /// Returns a single group of this problem alone, without a heading.
    pub fn into_groups(self) -> ProblemGroups {
        Problems::from_problem(self).into_groups()
    }

    fn group<'a>(&'a self, texts: &'a Texts) -> Group<'a> {
        let mut group = Group::with_title(Level::ERROR.primary_title(printable(&self.message)));
        if let Some(place) = &self.place {
            group = group.element(self.snippet(place, texts));
        }
        for (place, label) in self.related.iter().filter(|(related, _)| !self.shares_text(related)) {
            group = group.element(snippet(place, label, AnnotationKind::Context, texts));
        }
        group.elements(self.help.iter().map(|help| Element::from(Level::HELP.message(printable(help)))))
    }

    fn shares_text(&self, related: &TextSpan) -> bool {
        self.place.as_ref().is_some_and(|place| place.text == related.text)
    }

    fn snippet<'a>(&'a self, place: &'a TextSpan, texts: &'a Texts) -> Element<'a> {
        let content = &texts.get(place.text).content;
        let mut snippet = snippet(place, &self.label, AnnotationKind::Primary, texts);
        for (related, label) in self.related.iter().filter(|(related, _)| self.shares_text(related)) {
            let span = clip_to_line(content, &related.span);
            snippet = snippet.annotation(AnnotationKind::Context.span(span).label(printable(label)));
        }
        snippet.into()
    }
}

fn snippet<'a>(
    place: &TextSpan,
    label: &'a str,
    kind: AnnotationKind,
    texts: &'a Texts,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let text = texts.get(place.text);
    let span = clip_to_line(&text.content, &place.span);
    Snippet::source(&*text.content)
        .path(printable(&text.layer.title()))
        .annotation(kind.span(span).label(printable(label)))
}

/// Clips the span to one line of the text, and moves its ends to character boundaries.
fn clip_to_line(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = text.floor_char_boundary(span.end.clamp(start, line_end));
    start..end.max(start)
}

/// Replaces control characters, which would disturb the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// Largest number of problems that are rendered; the remaining ones are counted.
const RENDERED_PROBLEMS_MAX: usize = 100;

/// Groups of problems, each with a heading that names the points that have them. The heading is empty if the problems
/// concern no point alone.
pub type ProblemGroups = Vec<(String, Problems)>;

/// All problems of one description.
#[derive(Clone)]
pub struct Problems {
    list: Vec<Problem>,
    texts: Texts,
}

impl Problems {
    /// Creates the list, sorted by text and location, without duplicates. For each text, the problems of missing keys
    /// come last, because an invalid value often explains why a key is missing.
    pub fn new(list: Vec<Problem>, texts: &Texts) -> Problems {
        let mut seen = HashSet::with_capacity(list.len());
        let is_new: Vec<bool> =
            list.iter().map(|problem| seen.insert((problem.place.as_ref(), &problem.message))).collect();
        let mut is_new = is_new.into_iter();
        let mut problems = list;
        problems.retain(|_| is_new.next() == Some(true));
        let text_id = |problem: &Problem| problem.place.as_ref().map(|place| place.text);
        let is_missing = |problem: &Problem| is_missing_title(&problem.message);
        problems.sort_by(|a, b| {
            let by_text = text_id(a).cmp(&text_id(b)).then_with(|| is_missing(a).cmp(&is_missing(b)));
            by_text.then_with(|| a.place.cmp(&b.place))
        });
        Problems { list: problems, texts: texts.clone() }
    }

    /// Creates a list of one problem that refers to no text.
    pub fn from_problem(problem: Problem) -> Problems {
        Problems::new(vec![problem], &Texts::default())
    }

    /// Returns a single group of these problems, without a heading.
    pub fn into_groups(self) -> ProblemGroups {
        vec![(String::new(), self)]
    }

    /// Returns each problem as a list of one, up to the largest number that is rendered.
    pub fn split(&self) -> Vec<Problems> {
        let list_of_one = |problem: &Problem| Problems { list: vec![problem.clone()], texts: self.texts.clone() };
        self.list.iter().take(RENDERED_PROBLEMS_MAX).map(list_of_one).collect()
    }

    /// Returns the problems, in order.
    pub fn list(&self) -> &[Problem] {
        &self.list
    }

    /// Returns the texts to which the locations of the problems refer.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Adds a first line of help to each problem: the line that `help` returns for the problem and its layer, if it
    /// returns one.
    pub fn with_help_per_problem(mut self, help: impl Fn(&Problem, &Layer) -> Option<String>) -> Problems {
        for problem in &mut self.list {
            let layer = problem.place.as_ref().map(|place| &self.texts.get(place.text).layer);
            let help_line = layer.and_then(|layer| help(problem, layer));
            problem.help.splice(0..0, help_line);
        }
        self
    }

    /// Returns whether every problem is one of incompatible parts.
    pub fn are_incompatibilities(&self) -> bool {
        !self.list.is_empty() && self.list.iter().all(|problem| problem.is_incompatibility)
    }

    /// Renders the first problems, and the number of the others, as text, with colours for a terminal or without.
    pub fn render(&self, coloured: bool) -> String {
        let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
        let first = self.list.iter().take(RENDERED_PROBLEMS_MAX);
        let mut rendered: Vec<String> = first.map(|problem| renderer.render(&[problem.group(&self.texts)])).collect();
        if let Some(unlisted) = self.list.len().checked_sub(RENDERED_PROBLEMS_MAX).filter(|count| *count > 0) {
            rendered.push(format!("and {unlisted} more"));
        }
        rendered.join("\n\n")
    }
}

/// Returns whether `title` says that a key, a table or a choice is missing.
fn is_missing_title(title: &str) -> bool {
    title.starts_with('`') && (title.ends_with("` is missing") || title.contains("` needs one of `"))
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: usize, span: Range<usize>) -> Option<TextSpan> {
        Some(TextSpan { text, span })
    }

    #[test]
    fn problems_are_sorted_deduplicated_and_rendered_with_location_and_help() {
        let mut texts = Texts::default();
        let file = texts.add(Layer::File("m.toml".into()), "[ni]\nx = 5\n", None);
        let set = texts.add(Layer::Set("ni.y=6".into()), "ni.y=6", None);
        let late = Problem::new("y is wrong").with_location(place(set, 5..6), "here").help("leave y out");
        let early = Problem::new("x is wrong").with_location(place(file, 9..10), "a time needs a unit");
        let reported = Problems::new(vec![late.clone(), early, late], &texts).to_string();
        let expected = "\
error: x is wrong
 --> m.toml:2:5
  |
2 | x = 5
  |     ^ a time needs a unit

error: y is wrong
 --> --set:1:6
  |
1 | ni.y=6
  |      ^ here
  |
  = help: leave y out";
        assert_eq!(reported, expected);
    }

    #[test]
    fn only_the_first_hundred_problems_are_rendered() {
        let mut texts = Texts::default();
        let id = texts.add(Layer::File("m.toml".into()), &"a = 1\n".repeat(50_000), None);
        let problem =
            |line: usize| Problem::new("it is repeated").with_location(place(id, 6 * line..6 * line + 1), "here");
        let all = Problems::new((0..50_000).chain(0..50_000).map(problem).collect(), &texts);
        assert_eq!(all.list().len(), 50_000);
        let reported = all.to_string();
        assert_eq!(reported.matches("error: ").count(), RENDERED_PROBLEMS_MAX);
        assert!(reported.ends_with("\n\nand 49900 more"), "{}", &reported[reported.len() - 100..]);
    }

    #[test]
    fn invalid_spans_do_not_panic() {
        let mut texts = Texts::default();
        let id = texts.add(Layer::File("µ.toml".into()), "µ\r\n\tµ", None);
        for start in 0..9 {
            for end in start..12 {
                let problem = Problem::new("odd").with_location(place(id, start..end), "");
                let _ = Problems::new(vec![problem], &texts).render(true);
            }
        }
    }
}
