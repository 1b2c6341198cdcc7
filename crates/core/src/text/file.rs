//! Reads the user's file, or reports in one problem why it cannot be read.

use super::problem::Problem;
use super::suggest;
use std::io::ErrorKind;
use std::path::Path;

/// The folder to which paths in a shipped example are relative. The program contains its files, and never looks into a
/// real folder of that name.
pub const SHIPPED: &str = "<shipped examples>";

/// Reads the text of a file.
pub fn read(path: &Path) -> Result<String, Problem> {
    if path.is_dir() {
        return Err(unreadable(path, "it is a folder").help("name a file in it"));
    }
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            unreadable(path, &format!("it is not UTF-8 text (from byte {at})"))
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(missing(path)),
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

fn unreadable(path: &Path, why: &str) -> Problem {
    Problem::new(format!("cannot read `{}`: {why}", path.display()))
}

fn missing(path: &Path) -> Problem {
    let problem = unreadable(path, "there is no such file");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return problem.help(format!("there is no folder `{}` either", folder.display()));
    }
    let names = names_in(folder);
    let wanted = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match suggest::nearest(&wanted, names.iter().map(String::as_str)) {
        Some(near) => problem.help(format!("did you mean `{}`?", path.with_file_name(near).display())),
        None => problem,
    }
}

/// Returns the names of the files in a folder, sorted so that suggestions are deterministic.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_reported() {
        let folder = std::env::temp_dir().join(format!("narrows-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("cluster.toml"), [0x61, 0xff]).expect("a file");
        let reported = |name: &str| read(&folder.join(name)).expect_err("a problem");
        assert!(reported("cluster.toml").message.contains("not UTF-8 text (from byte 1)"));
        assert!(reported("clutser.toml").message.contains("no such file"));
        assert!(reported("clutser.toml").help[0].contains("cluster.toml`?"));
        assert!(reported("").message.contains("it is a folder"));
        assert!(reported("none/x.toml").help[0].contains("no folder"));
        std::fs::remove_dir_all(&folder).expect("tidied up");
    }
}
