//! The choices of a study that were made by hand when results were known: a value or a mechanism, and the claims whose
//! results were known.
//!
//! A claim that a choice or the fit names is calibrated ([`roles`](super::roles)), whatever it measures.

use narrows_core::text::name_pattern::NamePattern;
use narrows_core::text::{SpannedString, Table};

/// A choice that was made by hand when results of claims were known.
#[derive(Debug)]
pub struct HandChoice {
    /// The value or the mechanism that was chosen.
    pub subject: SpannedString,
    /// The keys, files or programs that contain the value or mechanism.
    pub location: String,
    /// The value that was chosen, and the values that were tried.
    pub value: String,
    /// The reason for the choice.
    pub why: String,
    /// The names of the claims whose results were known; `*` matches any characters.
    pub chosen_with: Vec<SpannedString>,
    /// The artifacts whose results depend on the choice; empty for all.
    pub artifacts: Vec<SpannedString>,
}

impl HandChoice {
    /// Reads a choice.
    pub fn read(t: &mut Table<'_>) -> HandChoice {
        let choice = HandChoice {
            subject: t.phrase("what", "Value or mechanism that was chosen by hand").required(),
            location: t.text("where", "Keys, files or programs that have it").or(""),
            value: t.text("value", "Value that was chosen, and the values that were tried").or(""),
            why: t.text("why", "Reason for the choice").required(),
            chosen_with: t
                .phrases("chosen-with", "Claims whose results were in sight; `*` matches any characters")
                .required(),
            artifacts: t.phrases("artifacts", "Artifacts whose results depend on the choice; by default all").or(&[]),
        };
        if choice.chosen_with.is_empty() && !t.describing() {
            let help = "name the claims that were in sight; a choice that was made before any result needs no entry";
            t.report_invalid("chosen-with", "this choice names no claim", help);
        }
        choice
    }
}

/// Returns whether an entry of a list of claims, in which `*` matches any characters, matches the claim `id`.
pub fn matches_claim(entry: &SpannedString, id: &str) -> bool {
    NamePattern::parse(&entry.text).is_match(id)
}
