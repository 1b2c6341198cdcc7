//! Collects the files of the page, so that the program contains them.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// The file name extensions of the page's files, each with its media type.
const MEDIA_TYPES: [(&str, &str); 4] = [
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("svg", "image/svg+xml"),
];

fn main() {
    let folder = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("page");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let mut list = String::from("[\n");
    for name in names {
        let extension = name.rsplit('.').next().unwrap_or_default();
        let Some((_, media_type)) = MEDIA_TYPES.iter().find(|(known_extension, _)| *known_extension == extension)
        else {
            continue;
        };
        let path = folder.join(&name);
        writeln!(list, "    ({name:?}, {media_type:?}, include_str!({path:?})),").expect("a text grows");
    }
    let target = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join("page_files.rs");
    fs::write(target, list + "]\n").expect("the build folder can be written");
}
