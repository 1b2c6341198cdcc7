//! The links of a page to the explorer.

use crate::report::paper::{Artifact, PaperReport, Provenance};
use crate::report::svg::escape;

/// Returns the link from an artifact to its machine in the explorer, or nothing if it has no machine.
pub fn link(artifact: &Artifact, provenance: &Provenance) -> String {
    match &artifact.explorer {
        Some(fragment) if !provenance.explorer.is_empty() => format!(
            "<p class=\"files\"><a href=\"{}#{}\" aria-label=\"Open in the explorer: {}\">Open in the explorer</a></p>\n",
            escape(&provenance.explorer),
            escape(fragment),
            escape(&artifact.title)
        ),
        _ => String::new(),
    }
}

/// Returns a sentence about the links of a page, or nothing if it has none.
pub fn note(report: &PaperReport) -> String {
    let explorer = &report.provenance.explorer;
    if explorer.is_empty() || report.artifacts.iter().all(|artifact| artifact.explorer.is_none()) {
        return String::new();
    }
    format!(
        "<p>“Open in the explorer” opens <code>{}</code> with the machine of a figure. Without that page, \
         <code>narrows explore LINK</code> opens the address of the link on this computer.</p>\n",
        escape(explorer)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_with_a_machine_links_to_the_explorer() {
        let artifact =
            Artifact { title: "A < B".into(), explorer: Some("memory-bus&a=1".into()), ..Artifact::default() };
        let provenance = Provenance { explorer: "explorer/index.html".into(), ..Provenance::default() };
        let text = link(&artifact, &provenance);
        assert!(text.contains("href=\"explorer/index.html#memory-bus&amp;a=1\""), "{text}");
        assert!(text.contains("aria-label=\"Open in the explorer: A &lt; B\""), "{text}");
        assert_eq!(link(&artifact, &Provenance::default()), "");
        assert_eq!(link(&Artifact::default(), &provenance), "");
    }
}
