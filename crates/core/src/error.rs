//! The reason why Narrows could not do what it was asked: one error type for all public functions.
//!
//! Invalid values in a description are [`Problem`]s, each with its position. An error holds and prints them.

use crate::text::{Problem, ProblemGroups, Problems};
use std::fmt::{self, Display, Formatter};

/// The reason why Narrows could not do what it was asked.
///
/// [`Display`] prints what the command line prints: each problem with its file, line and column, what is allowed, and
/// what was probably meant.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// A description has values that are missing, unknown or out of range.
    Description(Problems),
    /// The parts of a description are each valid, but cannot work together.
    Incompatible(Problems),
    /// A question about a valid description has no answer, because it names an unknown metric, key or artifact, or its
    /// range of values cannot be read.
    Question(Problems),
    /// Points of a sweep or study are invalid, in groups. The first field of a group names its points, and is empty if
    /// the group concerns all points.
    Points(ProblemGroups),
    /// A file or folder cannot be read or written.
    Io(Problems),
}

impl Error {
    /// Returns the error that a file or folder cannot be read or written.
    pub fn io(problem: Problem) -> Error {
        Error::Io(Problems::from_problem(problem))
    }

    /// Returns the error that a question about a valid description has no answer.
    pub fn question(problem: Problem) -> Error {
        Error::Question(Problems::from_problem(problem))
    }

    /// Iterates over the groups of problems, each with the line that introduces it, which may be empty.
    pub fn groups(&self) -> impl Iterator<Item = (&str, &Problems)> {
        let (points, single) = match self {
            Error::Points(groups) => (&groups[..], None),
            Error::Description(single) | Error::Incompatible(single) | Error::Question(single) | Error::Io(single) => {
                (&[][..], Some(single))
            }
        };
        let points = points.iter().map(|(heading, problems)| (heading.as_str(), problems));
        points.chain(single.map(|problems| ("", problems)))
    }

    /// Returns the error as text, with colours for a terminal or without.
    pub fn render(&self, coloured: bool) -> String {
        let group = |(heading, problems): (&str, &Problems)| match heading {
            "" => problems.render(coloured),
            heading => format!("{heading}\n{}", problems.render(coloured)),
        };
        let mut groups: Vec<String> = self.groups().map(group).collect();
        let problem_count: usize = self.groups().map(|(_, problems)| problems.list().len()).sum();
        if problem_count > 1 {
            groups.push(format!("{problem_count} problems"));
        }
        groups.join("\n\n")
    }
}

impl From<Problems> for Error {
    /// Returns the error of a description with these problems.
    fn from(problems: Problems) -> Error {
        if problems.are_incompatibilities() { Error::Incompatible(problems) } else { Error::Description(problems) }
    }
}

impl From<ProblemGroups> for Error {
    fn from(groups: ProblemGroups) -> Error {
        Error::Points(groups)
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_prints_its_groups_and_counts_their_problems() {
        let problems_of = |message: &str| Problems::from_problem(Problem::new(message));
        assert_eq!(Error::from(problems_of("no unit")).to_string(), "error: no unit");
        let groups =
            vec![("At the point x=1:".to_owned(), problems_of("no unit")), (String::new(), problems_of("no node"))];
        let expected = "At the point x=1:\nerror: no unit\n\nerror: no node\n\n2 problems";
        assert_eq!(Error::from(groups).to_string(), expected);
    }

    #[test]
    fn parts_that_do_not_fit_are_an_error_of_their_own() {
        let incompatible = Problems::from_problem(Problem::new("no DMA").incompatible());
        assert!(matches!(Error::from(incompatible), Error::Incompatible(_)));
        assert!(matches!(Error::from(Problems::from_problem(Problem::new("no unit"))), Error::Description(_)));
    }
}
