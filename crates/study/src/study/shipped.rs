//! The studies that are part of the program, which can be reproduced from any folder.

use include_dir::{Dir, include_dir};

static PAPERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/shipped/papers");

/// Returns the text of a file of a shipped study, such as `nifdy/study.toml`.
pub fn paper(path: &str) -> Option<&'static str> {
    PAPERS.get_file(path)?.contents_utf8()
}
