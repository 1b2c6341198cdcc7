//! Problems that points of an experiment share: each is reported once, with the number of points that have it.

use narrows_core::text::Problems;

/// A problem, and the points that have it.
pub struct SharedProblem {
    first: String,
    points: usize,
    problem: Problems,
}

impl SharedProblem {
    /// Adds the problems of a point.
    pub fn add(all: &mut Vec<SharedProblem>, point: &str, problems: &Problems) {
        for problem in problems.split() {
            let text = problem.to_string();
            match all.iter_mut().find(|found| found.problem.to_string() == text) {
                Some(found) => found.points += 1,
                None => all.push(SharedProblem { first: point.to_owned(), points: 1, problem }),
            }
        }
    }

    /// Returns the problem with a heading that names its points.
    pub fn with_heading(self) -> (String, Problems) {
        let head = match self.points {
            1 => format!("At the point {}:", self.first),
            more => format!("At {more} points (the first is {}):", self.first),
        };
        (head, self.problem)
    }
}
