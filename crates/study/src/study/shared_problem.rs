//! Problems that several points of an experiment share. Each problem is reported once, with the number of its points.

use narrows_core::text::Problems;

/// A problem, and the points that have it.
pub struct SharedProblem {
    first_point: String,
    point_count: usize,
    problem: Problems,
}

impl SharedProblem {
    /// Adds the problems of a point.
    pub fn add(shared_problems: &mut Vec<SharedProblem>, point: &str, problems: &Problems) {
        for problem in problems.split() {
            let text = problem.to_string();
            match shared_problems.iter_mut().find(|shared_problem| shared_problem.problem.to_string() == text) {
                Some(shared_problem) => shared_problem.point_count += 1,
                None => shared_problems.push(SharedProblem { first_point: point.to_owned(), point_count: 1, problem }),
            }
        }
    }

    /// Returns the problem with a heading that names its points.
    pub fn with_heading(self) -> (String, Problems) {
        let heading = match self.point_count {
            1 => format!("At the point {}:", self.first_point),
            more => format!("At {more} points (the first is {}):", self.first_point),
        };
        (heading, self.problem)
    }
}
