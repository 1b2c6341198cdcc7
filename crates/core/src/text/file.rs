//! Reads the user's file, or reports in one problem why it cannot be read.

use super::problem::Problem;
use super::suggest;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// The folder to which paths in a shipped example are relative. The program contains these files, and never reads a
/// real folder of that name.
pub const SHIPPED: &str = "<shipped examples>";

/// The folder below which descriptions may name files; not set if they may name any file.
static CONFINEMENT: OnceLock<PathBuf> = OnceLock::new();

/// Confines the files that descriptions name to those below `folder`, for the rest of the process. Only the first
/// call has an effect. A process that reads the descriptions of others calls this before it reads any.
pub fn confine_to_folder(folder: PathBuf) {
    let _ = CONFINEMENT.set(folder);
}

/// Returns the folder to which files are confined, if `path` is not below it.
pub(super) fn forbidding_folder(path: &Path) -> Option<&'static Path> {
    let folder = CONFINEMENT.get()?;
    (!is_below(path, folder)).then_some(folder)
}

/// Returns whether `path` is below `folder` after its symbolic links are resolved, or is a file that the program
/// contains.
fn is_below(path: &Path, folder: &Path) -> bool {
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    match path.canonicalize() {
        Ok(path) => path.starts_with(folder),
        Err(_) => !goes_up && (path.starts_with(SHIPPED) || path.is_relative() || path.starts_with(folder)),
    }
}

/// Reads the text of a file.
pub fn read(path: &Path) -> Result<String, Problem> {
    if path.is_dir() {
        return Err(unreadable_problem(path, "it is a folder").help("name a file in it"));
    }
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
            let valid_bytes = error.utf8_error().valid_up_to();
            unreadable_problem(path, &format!("it is not UTF-8 text (from byte {valid_bytes})"))
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(missing_file_problem(path)),
        Err(error) => Err(unreadable_problem(path, &error.to_string())),
    }
}

fn unreadable_problem(path: &Path, why: &str) -> Problem {
    Problem::new(format!("cannot read `{}`: {why}", path.display()))
}

fn missing_file_problem(path: &Path) -> Problem {
    let problem = unreadable_problem(path, "there is no such file");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return problem.help(format!("there is no folder `{}` either", folder.display()));
    }
    let names = file_names_in(folder);
    let wanted_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match suggest::nearest(&wanted_name, names.iter().map(String::as_str)) {
        Some(near) => problem.help(format!("did you mean `{}`?", path.with_file_name(near).display())),
        None => problem,
    }
}

/// Returns the names of the files in a folder, sorted so that suggestions are deterministic.
fn file_names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_below_the_folder_are_allowed() {
        let root = std::env::temp_dir().join(format!("narrows-confined-{}", std::process::id()));
        let folder = root.join("inside");
        std::fs::create_dir_all(&folder).expect("the folder can be created");
        std::fs::write(folder.join("trace"), "").expect("the file can be written");
        std::fs::write(root.join("secret"), "").expect("the file can be written");
        let folder = folder.canonicalize().expect("the folder is there");
        let is_allowed = |name: &str| is_below(&folder.join(name), &folder);
        assert!(is_allowed("trace") && is_allowed("missing") && is_below(&Path::new(SHIPPED).join("x"), &folder));
        assert!(!is_allowed("../secret") && !is_allowed("../missing") && !is_allowed("/etc/passwd"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("secret"), folder.join("link")).expect("the link can be created");
            assert!(!is_allowed("link"));
        }
        std::fs::remove_dir_all(&root).expect("the folder can be removed");
    }

    #[test]
    fn unreadable_files_are_reported_with_the_reason() {
        let folder = std::env::temp_dir().join(format!("narrows-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder can be created");
        std::fs::write(folder.join("cluster.toml"), [0x61, 0xff]).expect("the file can be written");
        let problem_with = |name: &str| read(&folder.join(name)).expect_err("a problem is reported");
        assert!(problem_with("cluster.toml").message.contains("not UTF-8 text (from byte 1)"));
        assert!(problem_with("clutser.toml").message.contains("no such file"));
        assert!(problem_with("clutser.toml").help[0].contains("cluster.toml`?"));
        assert!(problem_with("").message.contains("it is a folder"));
        assert!(problem_with("none/x.toml").help[0].contains("no folder"));
        std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}
