//! The state of a fit in a file: the result of every run so far.
//!
//! A fit is a function of these results, so a fit that resumes repeats its steps without running them again, and ends
//! with the same values as one that was never interrupted. The file is replaced atomically. It contains digests of the
//! description, the numbers and the options, and is refused if they belong to another fit.

use super::free_constant::FreeConstant;
use super::number::{Datum, Evaluation, KnownPredictions, PredictionResult};
use crate::experiment::record::{VERSION, digest};
use crate::report::files::write_atomically;
use narrows_core::text::Problem;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The digests of everything on which the results of a fit depend.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FitIdentity {
    version: String,
    description: String,
    numbers: String,
    options: String,
}

/// The contents of a state file.
#[derive(Serialize, Deserialize)]
struct StateFileContents {
    identity: FitIdentity,
    /// The digest of the results.
    hash: String,
    results: Vec<(usize, Vec<String>, PredictionResult)>,
}

/// The state file of a fit.
pub struct StateFile {
    path: PathBuf,
    identity: FitIdentity,
}

impl FitIdentity {
    /// Returns the identity of a fit of the machines with the digest `description`.
    pub fn new(description: String, constants: &[FreeConstant], data: &[Datum]) -> FitIdentity {
        let number_json = |datum: &Datum| json!([datum.name, datum.unit, datum.expected]);
        let constant_json = |free: &FreeConstant| json!([free.key, free.start, free.prior, free.bounds]);
        let noise: Vec<f64> = data.iter().map(|datum| datum.noise).collect();
        let constants: Vec<_> = constants.iter().map(constant_json).collect();
        FitIdentity {
            version: VERSION.to_owned(),
            description,
            numbers: digest(&data.iter().map(number_json).collect::<Vec<_>>()),
            options: digest(&json!([constants, noise])),
        }
    }

    /// Returns the names of the digests in which two fits differ.
    fn differences(&self, other: &FitIdentity) -> Vec<&'static str> {
        let equalities = [
            ("the version of Narrows", self.version == other.version),
            ("the description", self.description == other.description),
            ("the numbers that are fitted on", self.numbers == other.numbers),
            ("the constants, their priors or the noise", self.options == other.options),
        ];
        equalities.into_iter().filter(|(_, is_equal)| !is_equal).map(|(name, _)| name).collect()
    }
}

impl StateFile {
    /// Opens the state of a fit, and returns it with the results that the file holds.
    ///
    /// # Errors
    ///
    /// Reports a file that cannot be read, is damaged, or holds the state of another fit.
    pub fn open(path: &Path, identity: FitIdentity) -> Result<(StateFile, KnownPredictions), Problem> {
        let file = StateFile { path: path.to_owned(), identity };
        let name = path.display();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((file, KnownPredictions::new())),
            Err(error) => return Err(Problem::new(format!("cannot read `{name}`, the state of the fit: {error}"))),
        };
        let unusable_problem = |reason: String| {
            let help = "remove the file to start from the beginning, or name another output file";
            Problem::new(format!("`{name}` is {reason}")).help(help)
        };
        let contents: StateFileContents = serde_json::from_str(&text)
            .map_err(|error| unusable_problem(format!("not the state of a fit: {error}")))?;
        let differences = file.identity.differences(&contents.identity);
        if !differences.is_empty() {
            let changed_parts = differences.join(" and ");
            return Err(unusable_problem(format!("the state of another fit, which differs in {changed_parts}")));
        }
        if contents.hash != digest(&contents.results) {
            return Err(unusable_problem("damaged: its hash does not match its contents".to_owned()));
        }
        let predictions =
            contents.results.into_iter().map(|(number, values, result)| ((number, values), result)).collect();
        Ok((file, predictions))
    }

    /// Replaces the file by one with these results.
    pub fn write(&self, predictions: &KnownPredictions) -> io::Result<()> {
        let entry =
            |((number, values), result): (&Evaluation, &PredictionResult)| (*number, values.clone(), result.clone());
        let results: Vec<_> = predictions.iter().map(entry).collect();
        let contents = StateFileContents { identity: self.identity.clone(), hash: digest(&results), results };
        write_atomically(
            &self.path,
            (serde_json::to_string(&contents).expect("a state is plain JSON") + "\n").as_bytes(),
        )
    }

    /// Returns the problem to report for an error of [`write`](StateFile::write).
    pub fn problem(&self, error: &io::Error) -> Problem {
        Problem::new(format!("cannot write `{}`, the state of the fit: {error}", self.path.display()))
    }
}
