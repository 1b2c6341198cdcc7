//! `narrows reproduce PAPER --live --out FILE`: the page of a study in one file, with the simulator as a WebAssembly
//! module in it.
//!
//! The program contains no module. `.ci/web` writes `study.html`, which holds styles, script and the module with all
//! shipped studies. The name of the paper is written into this page.

use super::exit::Failure;
use super::output::{Output, is_page};
use narrows_core::text::{Problem, file};
use narrows_study::report::svg::escape;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The page of studies in a module folder.
const PAGE: &str = "study.html";
/// The element that names the study of a single-file page.
const STUDY_MARK: &str = r#"<meta name="narrows-study" content="">"#;
/// The start of the element that names the version of the page.
const VERSION_MARK: &str = r#"<meta name="narrows-version" content=""#;
/// The attribute of the element that holds the module.
const MODULE_MARK: &str = r#"id="narrows-wasm""#;
/// The version of this program. A page of another version may have other studies and other results.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The page of all shipped studies.
pub struct LivePage(String);

impl LivePage {
    /// Reads the page in the module folder `folder`; without one, in the folder `web` next to the folder of the
    /// program.
    ///
    /// # Errors
    ///
    /// Reports a folder without this page, and a page of another version.
    pub fn find(folder: Option<&Path>) -> Result<LivePage, Problem> {
        let folder = folder.map(Path::to_owned).or_else(default_folder).unwrap_or_else(|| PathBuf::from("web"));
        let path = folder.join(PAGE);
        if !folder.is_dir() {
            return Err(unusable_page_problem(format!(
                "there is no folder `{}` with the page of studies",
                folder.display()
            )));
        }
        if !path.is_file() {
            let content = if folder.join("index.html").is_file() { ", only the explorer" } else { "" };
            let folder = folder.display();
            return Err(unusable_page_problem(format!(
                "there is no page of studies (`{PAGE}`) in `{folder}`{content}"
            )));
        }
        let text = file::read(&path)?;
        let is_complete = text.matches(STUDY_MARK).count() == 1 && text.contains(MODULE_MARK);
        let path = path.display();
        let Some(version) = version_of(&text).filter(|_| is_complete) else {
            return Err(unusable_page_problem(format!("`{path}` is not a page of studies with its module")));
        };
        if version != VERSION {
            return Err(unusable_page_problem(format!(
                "`{path}` is of version {version}, and this program of version {VERSION}"
            )));
        }
        Ok(LivePage(text))
    }

    /// Writes the page of the study `study` into `file`.
    ///
    /// # Errors
    ///
    /// Reports a file that is not named as a page or cannot be written.
    pub fn write(&self, study: &str, file: &Path) -> Result<(), Failure> {
        if file.is_dir() || !is_page(file) {
            let problem =
                Problem::new(format!("`{}` is not the name of a page: --live writes one file", file.display()));
            let suggested_path = if file.is_dir() { file.join(study) } else { file.to_owned() }.with_extension("html");
            let help = format!("name a file that ends in .html, such as `--out {}`", suggested_path.display());
            return Err(problem.help(help).into());
        }
        let mark = STUDY_MARK.replace("\"\"", &format!("\"{}\"", escape(study)));
        let page = self.0.replacen(STUDY_MARK, &mark, 1);
        Output::prepare(file)?.write(|writer| writer.write_all(page.as_bytes()))
    }
}

/// Returns the version that a page states.
fn version_of(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(VERSION_MARK)?;
    Some(rest.split_once('"')?.0)
}

/// Returns the folder `web` next to the folder of the program: that of an unpacked archive, or of a build.
fn default_folder() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.parent()?.join("web"))
}

/// Returns the problem of a page that cannot be used, with the ways to get one.
fn unusable_page_problem(reason: String) -> Problem {
    Problem::new(reason)
        .help("`.ci/web` of the sources writes it into target/web, which `--module target/web` names")
        .help(format!("the archive of the release {VERSION} has it in its folder `web`"))
        .help("without --out, the page is served by this program and needs no module")
}
