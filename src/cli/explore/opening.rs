//! Machines that `narrows explore` opens: an example, a description, the machine of a result or of a sweep, or a link.

use super::super::exit::Failure;
use super::super::process::registry;
use narrows_core::text::{Problem, Problems};
use narrows_study::experiment::loaded_description::LoadedDescription;
use narrows_study::experiment::result_page::ResultFile;
use narrows_study::experiment::tidy;
use narrows_study::report::percent;
use std::fs;
use std::path::Path;

/// The extensions of the tables of sweeps.
const TABLE_EXTENSIONS: [&str; 3] = ["csv", "jsonl", "parquet"];

/// Returns the fragment of the page's address that opens `file`, without `#`.
///
/// # Errors
///
/// Reports a file that does not exist or cannot be opened in the page.
pub fn fragment(file: &Path) -> Result<String, Failure> {
    let name = file.to_string_lossy();
    if let Some((_, link)) = name.split_once('#').filter(|_| !file.exists()) {
        return Ok(percent::encoded(link, |byte| byte.is_ascii_graphic()));
    }
    if is_sweep(file) {
        return sweep(file).map_err(Failure::from);
    }
    // Whether the machine is valid is shown in the page.
    LoadedDescription::find(registry(), file).map_err(Problems::from_problem)?;
    if LoadedDescription::example(registry(), &name).is_none() && !narrows_web::is_inside(file) {
        return Err(outside_folder_error(file, "start the command in the folder of the file").into());
    }
    Ok(escaped_name(&name))
}

/// Returns the problem of a file or folder that the page may not read.
pub fn outside_folder_error(path: &Path, help: &'static str) -> Problem {
    Problem::new(format!("`{}` is not below the present folder, which the page may read", path.display())).help(help)
}

/// Returns a name as the first item of a fragment.
pub fn escaped_name(name: &str) -> String {
    percent::encoded(name, |byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
}

/// Returns whether a file is the table of a sweep, or its result as JSON.
fn is_sweep(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_json =
        || extension == "json" && fs::read_to_string(file).is_ok_and(|text| tidy::dataset_from_json(&text).is_ok());
    TABLE_EXTENSIONS.contains(&extension) && file.is_file() || is_json()
}

/// Returns the fragment with the machine and the varied keys of a sweep.
fn sweep(file: &Path) -> Result<String, Problem> {
    let invalid_file = |reason: String| Problem::new(format!("`{}` cannot be explored: {reason}", file.display()));
    let bytes = fs::read(file).map_err(|error| invalid_file(error.to_string()))?;
    let ResultFile::Rows(_, link) = ResultFile::read(bytes, file).map_err(invalid_file)? else {
        return Err(invalid_file("it is not the result of a sweep".to_owned()));
    };
    let link = link.map_err(|reason| {
        invalid_file(reason)
            .help("`narrows sweep … --out F` stores the points of F in F.points; otherwise name the description")
    })?;
    Ok(link.fragment())
}
